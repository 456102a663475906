// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/windows.h"

#include <errno.h>

/* The kernel gives the counts in the order in which the group was opened. */
static int take_sample(const struct td_windows_taker *taker,
		       const struct td_record *record, int event, int spot)
{
	int group = taker->groups[event];
	const struct td_window_end end = {
		.time_ns = record->time_ns,
		.group = group,
		.cpu = record->cpu,
		.tid = record->tid,
		.spot = spot,
		.pairs = record->values,
	};

	if (group < 0 ||
	    record->nr_values != taker->windows->plan->groups[group].nr)
		return 0;
	return td_windows_add(taker->windows, &end);
}

int td_windows_take(void *ctx, const struct td_record *record, int event,
		    int spot, int caller)
{
	const struct td_windows_taker *taker = ctx;

	if (taker->samples)
		taker->windows->longest_ns = taker->samples->longest_ns;
	switch (record->kind) {
	case TD_RECORD_SAMPLE:
		if (taker->hits && td_hits_add(taker->hits, event, spot, caller,
					       record->period))
			return -ENOMEM;
		return take_sample(taker, record, event, spot);
	case TD_RECORD_SWITCH:
		return td_windows_break(taker->windows, false, record->tid,
					record->time_ns);
	case TD_RECORD_UNTHROTTLE:
		return td_windows_resume(taker->windows, record->cpu,
					 record->tid, record->time_ns);
	case TD_RECORD_LOST:
		return td_windows_break(taker->windows, true, record->cpu,
					record->time_ns);
	default:
		return 0;
	}
}
