// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/table/rows.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/table/rows_parts.h"

static struct td_event_row *add_row(struct td_filling *f, int event,
				    const struct td_total_id *id)
{
	const struct td_event *e = &f->plan->events.v[event];
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

static int add_tool(struct td_filling *f, int event)
{
	/*
	 * the value belongs to no id and is shown with the first one, as in
	 * perf
	 */
	struct td_event_row *row =
		add_row(f, event,
			f->first < f->last ? &f->totals->ids[f->first] : NULL);

	if (!row)
		return -ENOMEM;
	row->nr = 1;
	row->value = td_times_of_tool(f->times, f->plan->events.v[event].tool);
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

/* Renames a sum over kinds of core: "cpu_core/cycles/u" becomes "cycles:u". */
static int name_merged(struct td_filling *f, int event,
		       struct td_event_row *row)
{
	const char *name = f->plan->events.v[event].name;
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

/* Is the row the sum of events on several kinds of core? */
static bool is_hybrid_sum(const struct td_filling *f, int event)
{
	size_t first = f->specs.first[event], end = f->specs.end[event];

	for (size_t at = first; f->hybrid && at < end; at++) {
		int i = f->specs.order[at];

		if (i != event && td_filling_is_of_row(f, event, i))
			return true;
	}
	return false;
}

/*
 * Adds up the kinds of core for tasks.  A task runs on one kind at a time but
 * is enabled on all, so a kind where it never ran is not missing.
 */
static void add_kinds(const struct td_filling *f, int event,
		      const struct td_total *totals, struct td_event_row *row)
{
	const struct td_plan *plan = f->plan;
	unsigned int nr = 0, tasks = 0;
	size_t at = f->specs.first[event];
	uint64_t most = 0;
	int i;

	while ((i = td_filling_next(f, event, totals, &at)) >= 0) {
		tasks = totals[i].nr > tasks ? totals[i].nr : tasks;
		most = totals[i].enabled_ns > most ? totals[i].enabled_ns
						   : most;
		if (!isnan(totals[i].value))
			add_total(row, &totals[i], plan->events.v[i].scale,
				  nr++ == 0);
	}
	row->nr = tasks;
	if (most)
		row->running_pct =
			fmin(100, 100 * (double)row->running_ns / (double)most);
}

/*
 * Adds up all events of the row; the sum has a value only if all were counted.
 */
static void add_all(const struct td_filling *f, int event,
		    const struct td_total *totals, struct td_event_row *row)
{
	size_t at = f->specs.first[event];
	unsigned int nr = 0;
	int i;

	while ((i = td_filling_next(f, event, totals, &at)) >= 0)
		add_total(row, &totals[i], f->plan->events.v[i].scale,
			  nr++ == 0);
}

static int fill_row(struct td_filling *f, int event, size_t id)
{
	uint64_t elapsed_ns = f->times->elapsed_ns;
	const struct td_total *totals = td_filling_totals(f, id);
	struct td_event_row *row = add_row(f, event, &f->totals->ids[id]);
	bool sum = is_hybrid_sum(f, event);

	if (!row)
		return -ENOMEM;
	if (sum && f->totals->tasks)
		add_kinds(f, event, totals, row);
	else
		add_all(f, event, totals, row);
	if (sum) {
		row->pmu = -1;
		if (row->status == TD_STATUS_OK)
			td_ratios_fill(&f->merged_ratios, id, event, elapsed_ns,
				       row);
		return name_merged(f, event, row);
	}
	row->elsewhere = f->totals->tasks &&
			 f->elsewhere[id * f->plan->events.nr + (size_t)event];
	if (row->status == TD_STATUS_OK && !f->plan->events.v[event].merge)
		td_ratios_fill(&f->ratios, id, event, elapsed_ns, row);
	return 0;
}

/* Adds rows of an event that was opened for no id: for all ids, or "all". */
static int add_everywhere(struct td_filling *f, int event)
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

/* Adds a row for each id that the event belongs to. */
static int add_event(struct td_filling *f, int event)
{
	int rc = 0;

	if (!f->anywhere[event])
		return add_everywhere(f, event);
	for (size_t id = f->first; !rc && id < f->last; id++) {
		if (td_filling_has_id(f, event, id))
			rc = fill_row(f, event, id);
		else if (td_filling_belongs_to(f, event, id) &&
			 !add_row(f, event, &f->totals->ids[id]))
			rc = -ENOMEM;
	}
	return rc;
}

static int add_events(struct td_filling *f)
{
	const struct td_plan *plan = f->plan;
	int rc = 0;

	for (int i = 0; !rc && i < (int)plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->hidden || f->left_out[i])
			continue;
		/* times belong to no id */
		if (event->tool && f->totals->by_id && !f->each && f->first)
			continue;
		rc = event->tool ? add_tool(f, i) : add_event(f, i);
	}
	return rc;
}

/* Is some event counted in more than one cgroup? */
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

/*
 * The end of the ids whose rows stand together: one id, those of a cgroup, or
 * all.
 */
static size_t end_of_block(const struct td_filling *f)
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
	struct td_filling f = { plan,   totals, times,
				report, hybrid, has_each_cgroup(totals) };
	int rc = td_filling_prepare(&f);

	*report = (struct td_event_report){ 0 };
	while (!rc) {
		f.first = f.last;
		f.last = end_of_block(&f);
		rc = add_events(&f);
		if (f.last >= totals->nr_ids)
			break;
	}
	td_filling_free(&f);
	return rc ? td_err_nomem(err) : 0;
}

/* --- latencies ------------------------------------------------------------ */

static void set_latency(struct td_event_row *row,
			const struct td_latency *latency)
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
			set_latency(&row, latency);
		report->rows[nr++] = row;
	}
	report->nr_rows = nr;
}
