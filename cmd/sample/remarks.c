// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/remarks.h"

#include <inttypes.h>

static void say_lost(const struct td_job *job, uint64_t nr)
{
	td_job_say(job,
		   "tdstat: %" PRIu64 " records were lost, as the rings were "
		   "full: -F takes fewer samples, kernel.perf_event_mlock_kb "
		   "allows larger rings\n",
		   nr);
}

static void say_throttled(const struct td_job *job, uint64_t nr)
{
	td_job_say(job,
		   "tdstat: the kernel stopped sampling %" PRIu64
		   " times for a "
		   "moment: -F takes fewer samples, kernel."
		   "perf_cpu_time_max_percent allows more\n",
		   nr);
}

void td_gathering_say(const struct td_gathering *g)
{
	td_job_say_notes(g->job);
	if (g->losses.records)
		say_lost(g->job, g->losses.records);
	if (g->losses.throttled)
		say_throttled(g->job, g->losses.throttled);
}
