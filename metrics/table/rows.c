// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/table/table.h"

static struct td_event_row *add_row(struct td_event_table *t, int event,
				    const struct td_total_id *id)
{
	const struct td_event *e = &t->plan->events.v[event];
	struct td_event_row *row =
		td_array_add(&t->report.rows, t->report.nr_rows, sizeof(*row));
	bool whole = !(e->scale > floor(e->scale));

	if (!row)
		return NULL;
	t->report.nr_rows++;
	*row = (struct td_event_row){
		.id = id ? id->name : "all",
		.cgroup = id ? id->cgroup : NULL,
		.container = id ? id->container : NULL,
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

static int add_tool(struct td_event_table *t, int event)
{
	/*
	 * the value belongs to no id and is shown with the first one, as in
	 * perf
	 */
	struct td_event_row *row =
		add_row(t, event,
			t->first < t->last ? &t->totals->ids[t->first] : NULL);

	if (!row)
		return -ENOMEM;
	row->nr = 1;
	row->value = td_times_of_tool(t->times, t->plan->events.v[event].tool);
	if (isnan(row->value))
		return 0;
	row->status = TD_STATUS_OK;
	row->running_ns = t->times->elapsed_ns;
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
static int name_merged(struct td_event_table *t, int event,
		       struct td_event_row *row)
{
	const char *name = t->plan->events.v[event].name;
	const char *start = strchr(name, '/'), *end = strrchr(name, '/');
	char **merged = &t->names[event];

	if (!start || start == end)
		return 0;
	if (!*merged && asprintf(merged, "%.*s%s%s", (int)(end - start - 1),
				 start + 1, end[1] ? ":" : "", end + 1) < 0) {
		*merged = NULL;
		return -ENOMEM;
	}
	row->event = *merged;
	return 0;
}

/* Is the row the sum of events on several kinds of core? */
static bool is_hybrid_sum(const struct td_event_table *t, int event)
{
	size_t first = t->specs.first[event], end = t->specs.end[event];

	for (size_t at = first; t->hybrid && at < end; at++) {
		int i = t->specs.order[at];

		if (i != event && td_event_table_is_of_row(t, event, i))
			return true;
	}
	return false;
}

/*
 * Adds up the kinds of core for tasks.  A task runs on one kind at a time but
 * is enabled on all, so a kind where it never ran is not missing.
 */
static void add_kinds(const struct td_event_table *t, int event,
		      const struct td_total *totals, struct td_event_row *row)
{
	const struct td_plan *plan = t->plan;
	unsigned int nr = 0, tasks = 0;
	size_t at = t->specs.first[event];
	uint64_t most = 0;
	int i;

	while ((i = td_event_table_next(t, event, totals, &at)) >= 0) {
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
static void add_all(const struct td_event_table *t, int event,
		    const struct td_total *totals, struct td_event_row *row)
{
	size_t at = t->specs.first[event];
	unsigned int nr = 0;
	int i;

	while ((i = td_event_table_next(t, event, totals, &at)) >= 0)
		add_total(row, &totals[i], t->plan->events.v[i].scale,
			  nr++ == 0);
}

static int fill_row(struct td_event_table *t, int event, size_t id)
{
	uint64_t elapsed_ns = t->times->elapsed_ns;
	const struct td_total *totals = td_event_table_totals(t, id);
	struct td_event_row *row = add_row(t, event, &t->totals->ids[id]);
	bool sum = is_hybrid_sum(t, event);

	if (!row)
		return -ENOMEM;
	if (sum && t->totals->tasks)
		add_kinds(t, event, totals, row);
	else
		add_all(t, event, totals, row);
	if (sum) {
		row->pmu = -1;
		if (row->status == TD_STATUS_OK)
			td_ratios_fill(&t->merged_ratios, id, event, elapsed_ns,
				       row);
		return name_merged(t, event, row);
	}
	row->elsewhere = t->totals->tasks &&
			 t->elsewhere[id * t->plan->events.nr + (size_t)event];
	if (row->status == TD_STATUS_OK && !t->plan->events.v[event].merge)
		td_ratios_fill(&t->ratios, id, event, elapsed_ns, row);
	return 0;
}

/* Adds rows of an event that was opened for no id: for all ids, or "all". */
static int add_everywhere(struct td_event_table *t, int event)
{
	const struct td_totals *totals = t->totals;

	if (t->first == t->last)
		return add_row(t, event, NULL) ? 0 : -ENOMEM;
	for (size_t id = t->first; id < t->last; id++) {
		if (!add_row(t, event, &totals->ids[id]))
			return -ENOMEM;
	}
	return 0;
}

/* Adds a row for each id that the event belongs to. */
static int add_event(struct td_event_table *t, int event)
{
	int rc = 0;

	if (!t->anywhere[event])
		return add_everywhere(t, event);
	for (size_t id = t->first; !rc && id < t->last; id++) {
		if (td_event_table_has_id(t, event, id))
			rc = fill_row(t, event, id);
		else if (td_event_table_belongs_to(t, event, id) &&
			 !add_row(t, event, &t->totals->ids[id]))
			rc = -ENOMEM;
	}
	return rc;
}

static int add_events(struct td_event_table *t)
{
	const struct td_plan *plan = t->plan;
	int rc = 0;

	for (int i = 0; !rc && i < (int)plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->hidden || t->left_out[i])
			continue;
		/* times belong to no id */
		if (event->tool && t->totals->by_id && !t->each && t->first)
			continue;
		rc = event->tool ? add_tool(t, i) : add_event(t, i);
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
static size_t end_of_block(const struct td_event_table *t)
{
	const struct td_totals *totals = t->totals;
	size_t last = t->first + 1;

	if (totals->by_id || !totals->nr_ids)
		return totals->nr_ids ? last : 0;
	if (!t->each)
		return totals->nr_ids;
	while (last < totals->nr_ids &&
	       totals->ids[last].cgroup == totals->ids[t->first].cgroup)
		last++;
	return last;
}

int td_event_rows(struct td_event_table *t, const struct td_totals *totals,
		  const struct td_times *times, struct td_err *err)
{
	int rc = td_event_table_fit(t);

	t->totals = totals;
	t->times = times;
	t->each = has_each_cgroup(totals);
	if (!rc)
		rc = td_event_table_prepare(t);
	t->report.nr_rows = 0;
	t->last = 0;
	while (!rc) {
		t->first = t->last;
		t->last = end_of_block(t);
		rc = add_events(t);
		if (t->last >= totals->nr_ids)
			break;
	}
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

/* --- the order by rank ---------------------------------------------------- */

static double value_of(const struct td_row *row, const struct td_node *node)
{
	const struct td_cell *cell = &row->cells[node->column];

	return cell->status == TD_STATUS_OK ? cell->value : -INFINITY;
}

/* Equal values keep the order of the columns. */
static int by_value(const void *a, const void *b, void *ctx)
{
	const struct td_node *x = a, *y = b;
	double value_x = value_of(ctx, x), value_y = value_of(ctx, y);

	if (value_x != value_y)
		return value_x > value_y ? -1 : 1;
	return x->column - y->column;
}

static void add_up(struct td_row *row)
{
	row->ranked_sum = 0;
	row->nr_valueless = 0;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (cell->status == TD_STATUS_OK)
			row->ranked_sum += cell->value;
		else if (cell->status != TD_STATUS_NONE)
			row->nr_valueless++;
	}
}

static int rank_row(struct td_row *row)
{
	struct td_node *nodes = calloc(row->nr_nodes + 1, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < row->nr_nodes; i++)
		nodes[i] = row->nodes[i];
	qsort_r(nodes, row->nr_nodes, sizeof(*nodes), by_value, row);
	if (!row->ranked)
		row->unranked = row->nodes;
	free(row->ranked);
	row->nodes = row->ranked = nodes;
	add_up(row);
	return 0;
}

int td_report_rank(struct td_report *report)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < report->nr_rows; i++)
		rc = rank_row(&report->rows[i]);
	return rc;
}
