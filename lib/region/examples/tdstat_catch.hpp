// SPDX-License-Identifier: MIT
// Level 1 and IPC beside the benchmarks of Catch2 (2.9 to 2.13):
//
//   BENCHMARK_ADVANCED("chase")(Catch::Benchmark::Chronometer meter)
//   {
//           td::measure(meter, "chase", [] { return chase(); });
//   };
//
// Catch2 has no columns for it: a line for each name goes to standard error at the end
// of the program.  Where nothing can be counted there is none.  Define
// CATCH_CONFIG_ENABLE_BENCHMARKING before.
#ifndef TDSTAT_CATCH_HPP
#define TDSTAT_CATCH_HPP

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <tdstat.h>
#include <utility>

namespace td
{

// What was measured under each name; Catch2 measures in one thread.
class measured
{
    public:
	static measured &all()
	{
		static measured one;

		return one;
	}

	void add(const char *name, const td_interval &more)
	{
		auto &sum = sums_.emplace(name, td_interval()).first->second;

		sum.slots += more.slots;
		sum.retiring += more.retiring;
		sum.bad_speculation += more.bad_speculation;
		sum.frontend_bound += more.frontend_bound;
		sum.backend_bound += more.backend_bound;
		sum.cycles += more.cycles;
		sum.instructions += more.instructions;
	}

	~measured()
	{
		for (const auto &sum : sums_)
			put(sum.first.c_str(), sum.second);
	}

    private:
	static void put(const char *name, const td_interval &sum)
	{
		std::fprintf(stderr, "%s:", name);
		put("% retiring", 100 * sum.retiring / sum.slots);
		put("% bad speculation", 100 * sum.bad_speculation / sum.slots);
		put("% frontend bound", 100 * sum.frontend_bound / sum.slots);
		put("% backend bound", 100 * sum.backend_bound / sum.slots);
		put(" IPC", sum.instructions / sum.cycles);
		std::fputs("\n", stderr);
	}

	static void put(const char *what, double value)
	{
		if (value == value)
			std::fprintf(stderr, "  %.2f%s", value, what);
	}

	std::map<std::string, td_interval> sums_;
};

template <typename F>
void measure(Catch::Benchmark::Chronometer &meter, const char *name, F &&f)
{
	td_interval interval = td_interval();

	td_read(&interval);
	meter.measure(std::forward<F>(f));
	if (td_read(&interval) == 0)
		measured::all().add(name, interval);
}

}

#endif
