// SPDX-License-Identifier: MIT
// Level 1 and IPC as user counters of google-benchmark:
//
//   static void chase(benchmark::State &state)
//   {
//           td::benchmark_counters counters(state);
//
//           for (auto _ : state)
//                   ...
//   }
//
// They count the thread of the benchmark until the end of the scope, also while its
// timing pauses.  With several threads, each counter is the mean of theirs.  Where
// nothing can be counted there are no counters.
#ifndef TDSTAT_BENCHMARK_HPP
#define TDSTAT_BENCHMARK_HPP

#include <benchmark/benchmark.h>
#include <cerrno>
#include <cmath>
#include <tdstat.h>

namespace td
{

class benchmark_counters
{
    public:
	explicit benchmark_counters(benchmark::State &state)
	    : state_(state), interval_(), error_(td_read(&interval_))
	{
	}

	~benchmark_counters()
	{
		if (!error_)
			error_ = td_read(&interval_);
		// no thread has counters then
		if (error_ == -ENODEV || error_ == -EACCES || error_ == -EPERM)
			return;
		put_share("retiring%", interval_.retiring);
		put_share("bad_speculation%", interval_.bad_speculation);
		put_share("frontend_bound%", interval_.frontend_bound);
		put_share("backend_bound%", interval_.backend_bound);
		put("IPC", interval_.instructions / interval_.cycles);
	}

	benchmark_counters(const benchmark_counters &) = delete;
	benchmark_counters &operator=(const benchmark_counters &) = delete;

    private:
	void put_share(const char *name, double slots)
	{
		put(name, 100 * slots / interval_.slots);
	}

	// There is no mean of threads of which one could not be counted.
	void put(const char *name, double value)
	{
		if (std::isfinite(value) || (error_ && state_.threads() > 1))
			state_.counters[name] = benchmark::Counter(
				value, benchmark::Counter::kAvgThreads);
	}

	benchmark::State &state_;
	td_interval interval_;
	int error_;
};

}

#endif
