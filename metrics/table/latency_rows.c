// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/table/latency_rows.h"

#include <math.h>
#include <string.h>

static void set(struct td_event_row *row, const struct td_latency *latency)
{
	double mean = td_latency_mean(latency);

	row->status = isnan(mean) ? TD_STATUS_NOT_COUNTED : TD_STATUS_OK;
	row->value = rint(mean);
	row->running_pct = 100;
	row->nr = 1;
}

/*
 * The mean is of all CPUs and tasks, and is shown with the first one, as in perf;
 * the rows of the others are dropped.
 */
void td_event_rows_set_latencies(struct td_event_report *report,
				 const struct td_plan *plan,
				 const struct td_latencies *latencies)
{
	size_t nr = 0;
	int before = -1;

	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_event_row row = report->rows[i];
		const struct td_event *event = &plan->events.v[row.which];
		const struct td_latency *latency =
			td_latencies_find(latencies, event->name);

		if (latency && row.which == before)
			continue;
		before = row.which;
		if (latency)
			set(&row, latency);
		report->rows[nr++] = row;
	}
	report->nr_rows = nr;
}
