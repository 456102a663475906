// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/event_rows.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "metrics/beside.h"

struct filling {
	const struct td_plan *plan;
	const struct td_totals *totals;
	const struct td_times *times;
	struct td_event_report *report;
	bool hybrid;        /* kinds of core are merged, too */
	bool each;          /* cgroup by cgroup */
	size_t first, last; /* the ids that rows are wanted for */
};

static struct td_event_row *add_row(struct filling *f, int event,
				    const struct td_total_id *id)
{
	const struct td_event *e = &f->plan->events[event];
	struct td_event_row *row = td_array_add(
		&f->report->rows, f->report->nr_rows, sizeof(*row));
	bool whole = !(e->scale > floor(e->scale));

	if (!row)
		return NULL;
	f->report->nr_rows++;
	*row = (struct td_event_row){
		.id = id ? id->name : "all",
		.cgroup = id ? id->cgroup : NULL,
		.which = event,
		.pmu = e->pmu,
		.event = e->name,
		.unit = e->unit ? e->unit : "",
		.status = e->refusal ? TD_STATUS_NOT_SUPPORTED
				     : TD_STATUS_NOT_COUNTED,
		.value = NAN,
		.decimals = whole ? 0 : 2,
		.running_pct = 100,
		.error_pct = NAN,
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
	/* what is of no id is shown with the first one, as perf does */
	struct td_event_row *row =
		add_row(f, event,
			f->first < f->last ? &f->totals->ids[f->first] : NULL);

	if (!row)
		return -ENOMEM;
	row->nr = 1;
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

	row->nr += total->nr;
	row->value = first ? value : row->value + value;
	row->running_ns += total->running_ns;
	if (total->enabled_ns)
		row->running_pct = fmin(row->running_pct,
					100.0 * (double)total->running_ns /
						(double)total->enabled_ns);
	row->status =
		isfinite(row->value) ? TD_STATUS_OK : TD_STATUS_NOT_COUNTED;
}

/* Of one name of the text: units of an uncore PMU, or kinds of core. */
static bool are_merged(const struct filling *f, const struct td_event *a,
		       const struct td_event *b)
{
	if (a->spec != b->spec || a->spec < 0 || a->hidden || b->hidden)
		return false;
	return (a->merge && b->merge) || (f->hybrid && a->pmu != b->pmu);
}

/* An event itself, and all that is merged with it: one row. */
static bool is_of_row(const struct filling *f, int event, int other)
{
	return event == other ||
	       are_merged(f, &f->plan->events[event], &f->plan->events[other]);
}

/* Was it looked at for this id? */
static bool has_id(const struct filling *f, int event, size_t id)
{
	const struct td_total *totals =
		f->totals->v + id * f->totals->nr_events;

	for (int i = 0; i < (int)f->plan->nr_events; i++) {
		if (totals[i].nr && is_of_row(f, event, i))
			return true;
	}
	return false;
}

/* "cpu_core/cycles/u" is "cycles:u" once it is the sum of both kinds. */
static int name_merged(struct filling *f, int event, struct td_event_row *row)
{
	const char *name = f->plan->events[event].name;
	const char *start = strchr(name, '/'), *end = strrchr(name, '/');
	struct td_event_report *report = f->report;
	char **slot;

	if (!start || start == end)
		return 0;
	slot = td_array_add(&report->names, report->nr_names, sizeof(*slot));
	if (!slot || asprintf(slot, "%.*s%s%s", (int)(end - start - 1),
			      start + 1, end[1] ? ":" : "", end + 1) < 0)
		return -ENOMEM;
	report->nr_names++;
	row->event = *slot;
	return 0;
}

/* Does it stand for events of several kinds of core? */
static bool is_hybrid_sum(const struct filling *f, int event)
{
	for (int i = 0; f->hybrid && i < (int)f->plan->nr_events; i++) {
		if (i != event && is_of_row(f, event, i))
			return true;
	}
	return false;
}

/*
 * A task is on one kind of core at a time, and enabled on all: where it never
 * was, nothing is missing.
 */
static void add_kinds(const struct filling *f, int event,
		      const struct td_total *totals, struct td_event_row *row)
{
	const struct td_plan *plan = f->plan;
	unsigned int nr = 0, tasks = 0;
	uint64_t most = 0;

	for (int i = 0; i < (int)plan->nr_events; i++) {
		if (!totals[i].nr || !is_of_row(f, event, i))
			continue;
		tasks = totals[i].nr > tasks ? totals[i].nr : tasks;
		most = totals[i].enabled_ns > most ? totals[i].enabled_ns
						   : most;
		if (!isnan(totals[i].value))
			add_total(row, &totals[i], plan->events[i].scale,
				  nr++ == 0);
	}
	row->nr = tasks;
	if (most)
		row->running_pct =
			fmin(100, 100 * (double)row->running_ns / (double)most);
}

/* The sum of what was looked at, if all of it was counted. */
static void add_all(const struct filling *f, int event,
		    const struct td_total *totals, struct td_event_row *row)
{
	unsigned int nr = 0;

	for (int i = 0; i < (int)f->plan->nr_events; i++) {
		if (totals[i].nr && is_of_row(f, event, i))
			add_total(row, &totals[i], f->plan->events[i].scale,
				  nr++ == 0);
	}
}

/* As if there were one kind of core, with the sums for its counts. */
static int add_merged_beside(struct filling *f, int event,
			     const struct td_total *totals,
			     struct td_event_row *row)
{
	size_t nr = f->plan->nr_events;
	td_autofree struct td_total *sums = calloc(nr + 1, sizeof(*sums));
	bool tasks = f->totals->tasks;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		sums[i].value = NAN;
		for (size_t j = 0; j < nr; j++) {
			if (!is_of_row(f, (int)i, (int)j) || !totals[j].nr ||
			    (tasks && isnan(totals[j].value)))
				continue;
			sums[i].value =
				isnan(sums[i].value)
					? totals[j].value
					: sums[i].value + totals[j].value;
			sums[i].covered_ns += totals[j].covered_ns;
		}
	}
	if (row->status == TD_STATUS_OK)
		td_beside_fill(f->plan, sums, event, f->times->elapsed_ns, row);
	return name_merged(f, event, row);
}

static int fill_row(struct filling *f, int event, size_t id)
{
	const struct td_plan *plan = f->plan;
	const struct td_total *totals =
		f->totals->v + id * f->totals->nr_events;
	struct td_event_row *row = add_row(f, event, &f->totals->ids[id]);

	if (!row)
		return -ENOMEM;
	if (is_hybrid_sum(f, event) && f->totals->tasks)
		add_kinds(f, event, totals, row);
	else
		add_all(f, event, totals, row);
	if (is_hybrid_sum(f, event)) {
		row->pmu = -1;
		return add_merged_beside(f, event, totals, row);
	}
	row->elsewhere = f->totals->tasks &&
			 td_total_is_elsewhere(plan, totals, (size_t)event);
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

/* Nobody knows which ids it would have had: all of them, or "all". */
static int add_everywhere(struct filling *f, int event)
{
	const struct td_totals *totals = f->totals;

	if (f->first == f->last)
		return add_row(f, event, NULL) ? 0 : -ENOMEM;
	for (size_t id = f->first; id < f->last; id++) {
		if (!add_row(f, event, &totals->ids[id]))
			return -ENOMEM;
	}
	return 0;
}

/* Was it looked at for this id, or would have been? */
static bool belongs_to(const struct filling *f, int event, size_t id)
{
	bool refused = f->plan->events[event].refusal != NULL;

	return has_id(f, event, id) || (refused && is_pmus_id(f, event, id));
}

static bool belongs_anywhere(const struct filling *f, int event)
{
	for (size_t id = 0; id < f->totals->nr_ids; id++) {
		if (belongs_to(f, event, id))
			return true;
	}
	return false;
}

/* A row for each id that it belongs to. */
static int add_event(struct filling *f, int event)
{
	int rc = 0;

	if (!belongs_anywhere(f, event))
		return add_everywhere(f, event);
	for (size_t id = f->first; !rc && id < f->last; id++) {
		if (has_id(f, event, id))
			rc = fill_row(f, event, id);
		else if (belongs_to(f, event, id) &&
			 !add_row(f, event, &f->totals->ids[id]))
			rc = -ENOMEM;
	}
	return rc;
}

/* Another PMU has what this one does not: a cache, or a merged unit. */
static bool is_left_out(const struct filling *f, int event)
{
	const struct td_plan *plan = f->plan;
	const struct td_event *e = &plan->events[event];

	for (int i = 0; i < (int)plan->nr_events; i++) {
		const struct td_event *other = &plan->events[i];

		if (i == event || other->spec != e->spec || e->spec < 0)
			continue;
		if (i < event && are_merged(f, e, other))
			return true;
		if (e->refusal && e->type == PERF_TYPE_HW_CACHE &&
		    !other->refusal)
			return true;
	}
	return false;
}

static int add_events(struct filling *f)
{
	const struct td_plan *plan = f->plan;
	int rc = 0;

	for (int i = 0; !rc && i < (int)plan->nr_events; i++) {
		const struct td_event *event = &plan->events[i];

		if (event->hidden || is_left_out(f, i))
			continue;
		/* what a tool measures is of no id */
		if (event->tool && f->totals->by_id && !f->each && f->first)
			continue;
		rc = event->tool ? add_tool(f, i) : add_event(f, i);
	}
	return rc;
}

/* Is some event counted in more than one cgroup, and not in its own alone? */
static bool has_each_cgroup(const struct td_totals *totals)
{
	for (size_t e = 0; e < totals->nr_events; e++) {
		const char *cgroup = NULL;

		for (size_t id = 0; id < totals->nr_ids; id++) {
			const char *other = totals->ids[id].cgroup;

			if (!totals->v[id * totals->nr_events + e].nr)
				continue;
			if (cgroup && other != cgroup)
				return true;
			cgroup = other;
		}
	}
	return false;
}

/* The ids that stand together: one, a cgroup's, or all of them. */
static size_t end_of_block(const struct filling *f)
{
	const struct td_totals *totals = f->totals;
	size_t last = f->first + 1;

	if (totals->by_id || !totals->nr_ids)
		return totals->nr_ids ? last : 0;
	if (!f->each)
		return totals->nr_ids;
	while (last < totals->nr_ids &&
	       totals->ids[last].cgroup == totals->ids[f->first].cgroup)
		last++;
	return last;
}

int td_event_rows(const struct td_plan *plan, const struct td_totals *totals,
		  const struct td_times *times, bool hybrid,
		  struct td_event_report *report, struct td_err *err)
{
	struct filling f = { plan,   totals, times,
			     report, hybrid, has_each_cgroup(totals) };
	int rc = 0;

	*report = (struct td_event_report){ 0 };
	do {
		f.first = f.last;
		f.last = end_of_block(&f);
		rc = add_events(&f);
	} while (!rc && f.last < totals->nr_ids);
	return rc ? td_err_nomem(err) : 0;
}

void td_event_report_free(struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_names; i++)
		free(report->names[i]);
	free(report->names);
	free(report->rows);
	*report = (struct td_event_report){ 0 };
}
