// SPDX-License-Identifier: GPL-2.0-only
// google-benchmark on the emulated machine, each benchmark in a scenario, for
// read.bats.
#include <tdstat_benchmark.hpp>
#include "tests/machine/scenario.h"

static void run(benchmark::State &state, const char *scenario)
{
	choose(scenario);
	td::benchmark_counters counters(state);

	for (auto _ : state) {
		for (int i = 0; i < 1000; i++)
			benchmark::DoNotOptimize(i);
	}
}

BENCHMARK_CAPTURE(run, dram, "dram_latency");
BENCHMARK_CAPTURE(run, icache, "icache");
BENCHMARK_CAPTURE(run, threads, "dram_latency")->Threads(2);
BENCHMARK_MAIN();
