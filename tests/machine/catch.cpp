// SPDX-License-Identifier: GPL-2.0-only
// Catch2 on the emulated machine, each benchmark in a scenario, for read.bats.
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#define CATCH_CONFIG_MAIN
#include <tdstat_catch.hpp>
#include "tests/machine/scenario.h"

static unsigned int work(const char *scenario)
{
	static volatile unsigned int sum;

	choose(scenario);
	for (unsigned int i = 0; i < 200000; i++)
		sum = sum + i;
	return sum;
}

TEST_CASE("scenarios")
{
	BENCHMARK_ADVANCED("dram")(Catch::Benchmark::Chronometer meter)
	{
		td::measure(meter, "dram", [] { return work("dram_latency"); });
	};
	BENCHMARK_ADVANCED("icache")(Catch::Benchmark::Chronometer meter)
	{
		td::measure(meter, "icache", [] { return work("icache"); });
	};
}
