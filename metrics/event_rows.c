// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/event_rows.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>

#include "lib/util.h"
#include "metrics/beside.h"

struct filling {
	const struct td_plan *plan;
	const struct td_totals *totals;
	const struct td_times *times;
	struct td_event_report *report;
};

static struct td_event_row *add_row(struct filling *f, int event,
				    const char *id)
{
	const struct td_event *e = &f->plan->events[event];
	struct td_event_row *row = td_array_add(
		&f->report->rows, f->report->nr_rows, sizeof(*row));
	bool whole = !(e->scale > floor(e->scale));

	if (!row)
		return NULL;
	f->report->nr_rows++;
	*row = (struct td_event_row){
		.id = id,
		.event = e->name,
		.unit = e->unit ? e->unit : "",
		.status = e->refusal ? TD_STATUS_NOT_SUPPORTED
				     : TD_STATUS_NOT_COUNTED,
		.value = NAN,
		.decimals = whole ? 0 : 2,
		.running_pct = 100,
	};
	return row;
}

/* What a tool measures; NaN: it does not say. */
static double tool_value(const struct td_times *times, enum td_tool tool)
{
	switch (tool) {
	case TD_TOOL_NONE:
		return NAN;
	case TD_TOOL_DURATION_TIME:
		return (double)times->elapsed_ns;
	case TD_TOOL_USER_TIME:
		return times->has_cpu_times ? (double)times->user_ns : NAN;
	case TD_TOOL_SYSTEM_TIME:
		return times->has_cpu_times ? (double)times->system_ns : NAN;
	}
	return NAN;
}

static int add_tool(struct filling *f, int event)
{
	struct td_event_row *row = add_row(f, event, "all");

	if (!row)
		return -ENOMEM;
	row->value = tool_value(f->times, f->plan->events[event].tool);
	if (isnan(row->value))
		return 0;
	row->status = TD_STATUS_OK;
	row->running_ns = f->times->elapsed_ns;
	return 0;
}

static void add_total(struct td_event_row *row, const struct td_total *total,
		      double scale, bool first)
{
	double value = total->value * scale;

	row->value = first ? value : row->value + value;
	row->running_ns += total->running_ns;
	if (total->enabled_ns)
		row->running_pct = fmin(row->running_pct,
					100.0 * (double)total->running_ns /
						(double)total->enabled_ns);
	row->status =
		isfinite(row->value) ? TD_STATUS_OK : TD_STATUS_NOT_COUNTED;
}

static bool are_merged(const struct td_event *a, const struct td_event *b)
{
	return a->merge && b->merge && a->spec == b->spec;
}

/* An event itself, and the other units of its uncore PMU: one row. */
static bool is_of_row(const struct td_plan *plan, int event, int other)
{
	return event == other ||
	       are_merged(&plan->events[event], &plan->events[other]);
}

/* Was it looked at for this id? */
static bool has_id(const struct filling *f, int event, size_t id)
{
	const struct td_total *totals =
		f->totals->v + id * f->totals->nr_events;

	for (int i = 0; i < (int)f->plan->nr_events; i++) {
		if (totals[i].nr && is_of_row(f->plan, event, i))
			return true;
	}
	return false;
}

/* The sum of the units that were looked at, if all of them were counted. */
static int fill_row(struct filling *f, int event, size_t id)
{
	const struct td_plan *plan = f->plan;
	const struct td_total *totals =
		f->totals->v + id * f->totals->nr_events;
	struct td_event_row *row = add_row(f, event, f->totals->ids[id]);
	bool first = true;

	if (!row)
		return -ENOMEM;
	for (int i = 0; i < (int)plan->nr_events; i++) {
		if (!totals[i].nr || !is_of_row(plan, event, i))
			continue;
		add_total(row, &totals[i], plan->events[i].scale, first);
		first = false;
	}
	if (row->status == TD_STATUS_OK && !plan->events[event].merge)
		td_beside_fill(plan, totals, event, f->times->elapsed_ns, row);
	return 0;
}

/* Was anything of its PMU looked at for this id: one of its CPUs? */
static bool is_pmus_id(const struct filling *f, int event, size_t id)
{
	const struct td_total *totals =
		f->totals->v + id * f->totals->nr_events;

	for (size_t i = 0; i < f->plan->nr_events; i++) {
		if (f->plan->events[i].pmu == f->plan->events[event].pmu &&
		    totals[i].nr)
			return true;
	}
	return false;
}

/*
 * A row for each id that it was looked at for, or would have been; one for all
 * if there is none.
 */
static int add_event(struct filling *f, int event)
{
	bool refused = f->plan->events[event].refusal != NULL;
	const struct td_totals *totals = f->totals;
	size_t before = f->report->nr_rows;
	int rc = 0;

	for (size_t id = 0; !rc && id < totals->nr_ids; id++) {
		if (has_id(f, event, id))
			rc = fill_row(f, event, id);
		else if (refused && is_pmus_id(f, event, id) &&
			 !add_row(f, event, totals->ids[id]))
			rc = -ENOMEM;
	}
	if (!rc && f->report->nr_rows == before && !add_row(f, event, "all"))
		rc = -ENOMEM;
	return rc;
}

/* Another PMU has what this one does not: a cache, or a merged unit. */
static bool is_left_out(const struct td_plan *plan, int event)
{
	const struct td_event *e = &plan->events[event];

	for (int i = 0; i < (int)plan->nr_events; i++) {
		const struct td_event *other = &plan->events[i];

		if (i == event || other->spec != e->spec || e->spec < 0)
			continue;
		if (i < event && are_merged(e, other))
			return true;
		if (e->refusal && e->type == PERF_TYPE_HW_CACHE &&
		    !other->refusal)
			return true;
	}
	return false;
}

int td_event_rows(const struct td_plan *plan, const struct td_totals *totals,
		  const struct td_times *times, struct td_event_report *report,
		  struct td_err *err)
{
	struct filling f = { plan, totals, times, report };
	int rc = 0;

	*report = (struct td_event_report){ 0 };
	for (int i = 0; !rc && i < (int)plan->nr_events; i++) {
		const struct td_event *event = &plan->events[i];

		if (event->hidden || is_left_out(plan, i))
			continue;
		rc = event->tool ? add_tool(&f, i) : add_event(&f, i);
	}
	return rc ? td_err_nomem(err) : 0;
}

void td_event_report_free(struct td_event_report *report)
{
	free(report->rows);
	*report = (struct td_event_report){ 0 };
}
