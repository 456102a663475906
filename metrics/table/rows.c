// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <math.h>

#include "lib/base/util.h"
#include "metrics/eval/finished.h"
#include "metrics/table/table.h"

void td_spread_add(struct td_spread *spread, double value)
{
	double delta = value - spread->mean;

	spread->least = spread->nr ? fmin(spread->least, value) : value;
	spread->most = spread->nr ? fmax(spread->most, value) : value;
	spread->nr++;
	spread->mean += delta / spread->nr;
	spread->m2 += delta * (value - spread->mean);
}

double td_spread_error(const struct td_spread *spread)
{
	return spread->nr < 2 ? NAN : sqrt(spread->m2 / (spread->nr - 1) / spread->nr);
}

/*
 * Find the values of a key.  The search starts at the next position, because most runs have the
 * same order of keys.
 */
static struct td_spread *find(struct td_spreads *spreads, const char *key)
{
	size_t step = 0, at = spreads->next;
	uint64_t hash;

	if (at >= spreads->nr || strcmp(spreads->v[at].key, key) != 0) {
		hash = td_hash_text(key);
		do {
			at = td_index_next(&spreads->index, hash, &step);
		} while (at != TD_NOT_FOUND && strcmp(spreads->v[at].key, key) != 0);
	}
	if (at == TD_NOT_FOUND)
		return NULL;
	spreads->next = at + 1;
	return &spreads->v[at];
}

/* Find or add the values of a key.  Takes ownership of key. */
static struct td_spread *find_or_add(struct td_spreads *spreads, char *key)
{
	struct td_spread *spread = find(spreads, key);

	if (spread) {
		free(key);
		return spread;
	}
	spread = td_array_add(&spreads->v, spreads->nr, sizeof(*spread));
	td_index_add(&spreads->index, td_hash_text(key), spreads->nr);
	spread->key = key;
	spreads->nr++;
	return spread;
}

static char *cell_key(const struct td_report *report, const struct td_row *row, size_t column)
{
	return td_aprintf("%s %s %s", row->id, row->pmu, report->columns[column].name);
}

static char *share_key(const struct td_row *row)
{
	return td_aprintf("%s %s", row->id, row->pmu);
}

static char *event_key(const struct td_event_row *row)
{
	/* the same event may have been typed twice */
	return td_aprintf("%s %s %d", row->id, row->cgroup ? row->cgroup : "", row->which);
}

static struct td_spread *add_value(struct td_spreads *spreads, char *key, double value)
{
	struct td_spread *spread = find_or_add(spreads, key);

	td_spread_add(spread, value);
	return spread;
}

void td_spreads_add_report(struct td_spreads *spreads, const struct td_report *report)
{
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		/* if no task ran on a core type, it had none of the slots */
		double share = row->absent ? 0 : row->share_pct;

		if (!isnan(share))
			add_value(spreads, share_key(row), share);
		for (size_t c = 0; c < report->nr_columns; c++) {
			const struct td_cell *cell = &row->cells[c];
			struct td_spread *spread;

			if (cell->status != TD_STATUS_OK)
				continue;
			spread = add_value(spreads, cell_key(report, row, c), cell->value);
			spread->systematic += cell->systematic_error;
			spread->paused |= cell->paused;
		}
	}
}

void td_spreads_add_events(struct td_spreads *spreads, const struct td_event_report *report)
{
	td_for_each(const struct td_event_row, row, report->rows, report->nr_rows) {
		if (row->status == TD_STATUS_OK || row->elsewhere)
			add_value(spreads, event_key(row), row->elsewhere ? 0 : row->value);
	}
}

/* Set the standard error of the mean and half of its 95 % interval, and free key. */
static void fill(struct td_spreads *spreads, char *key, double *error, double *half)
{
	const struct td_spread *spread = find(spreads, key);

	*error = *half = NAN;
	if (spread) {
		*error = td_spread_error(spread);
		*half = hypot(td_student(spread->nr - 1.) * *error,
			      spread->systematic / spread->nr);
	}
	free(key);
}

void td_spreads_fill_report(struct td_spreads *spreads, struct td_report *report)
{
	td_for_each(struct td_row, row, report->rows, report->nr_rows) {
		td_autofree char *key = share_key(row);
		const struct td_spread *spread = find(spreads, key);

		row->share_least = spread ? spread->least : (double)NAN;
		row->share_most = spread ? spread->most : (double)NAN;
		for (size_t c = 0; c < report->nr_columns; c++)
			fill(spreads, cell_key(report, row, c), &row->cells[c].runs_error,
			     &row->cells[c].error);
	}
}

void td_spreads_fill_events(struct td_spreads *spreads, struct td_event_report *report)
{
	td_for_each(struct td_event_row, row, report->rows, report->nr_rows) {
		double error, unused;

		fill(spreads, event_key(row), &error, &unused);
		row->error_pct = 100 * error / row->value;
		if (row->value == 0 && error == 0)
			row->error_pct = 0;
	}
}

bool td_spreads_find_paused(struct td_spreads *spreads, const struct td_report *report,
			    double *values)
{
	bool any = false;

	for (size_t i = 0; i < report->nr_rows * report->nr_columns; i++) {
		td_autofree char *key = cell_key(report, &report->rows[i / report->nr_columns],
						 i % report->nr_columns);
		const struct td_spread *spread = find(spreads, key);

		values[i] = spread && spread->paused ? spread->mean : NAN;
		any = any || !isnan(values[i]);
	}
	return any;
}

void td_spreads_free(struct td_spreads *spreads)
{
	for (size_t i = 0; i < spreads->nr; i++)
		free(spreads->v[i].key);
	free(spreads->v);
	td_index_free(&spreads->index);
	*spreads = (struct td_spreads){ 0 };
}

static const struct td_total *totals_of(const struct td_event_table *t, size_t id)
{
	return t->totals->v + id * t->totals->nr_events;
}

/* Do two events share a row: one typed name, on units of an uncore PMU or on core types? */
static bool are_merged(const struct td_event_table *t, const struct td_event *a,
		       const struct td_event *b)
{
	if (a->spec != b->spec || a->spec < 0 || a->hidden || b->hidden)
		return false;
	return (a->merge && b->merge) || (t->hybrid && a->pmu != b->pmu);
}

/* Is other the event itself, or merged into its row? */
static bool is_of_row(const struct td_event_table *t, int event, int other)
{
	return event == other ||
	       are_merged(t, &t->plan->events.v[event], &t->plan->events.v[other]);
}

/*
 * Find the next event of the row that was opened for the id of totals, or -1.  Set *at to
 * t->specs.first[event] before the first call.
 */
static int next_event(const struct td_event_table *t, int event, const struct td_total *totals,
		      size_t *at)
{
	while (*at < t->specs.end[event]) {
		int i = t->specs.order[(*at)++];

		if (totals[i].nr && is_of_row(t, event, i))
			return i;
	}
	return -1;
}

/* Was an event of the row opened for this id? */
static bool has_id(const struct td_event_table *t, int event, size_t id)
{
	size_t at = t->specs.first[event];

	return next_event(t, event, totals_of(t, id), &at) >= 0;
}

/* Was the event opened for this id, or refused although other events of its PMU are open? */
static bool belongs_to(const struct td_event_table *t, int event, size_t id)
{
	const struct td_event *e = &t->plan->events.v[event];

	return has_id(t, event, id) ||
	       (e->refusal && t->looked_at[id * t->nr_pmus + (size_t)e->pmu]);
}

static bool belongs_anywhere(const struct td_event_table *t, int event)
{
	for (size_t id = 0; id < t->totals->nr_ids; id++) {
		if (belongs_to(t, event, id))
			return true;
	}
	return false;
}

/*
 * Is the event left out because it is merged into another row, or because another PMU has
 * this cache event?
 */
static bool is_left_out(const struct td_event_table *t, int event)
{
	const struct td_plan *plan = t->plan;
	const struct td_event *e = &plan->events.v[event];

	for (size_t at = t->specs.first[event]; at < t->specs.end[event]; at++) {
		int i = t->specs.order[at];
		const struct td_event *other = &plan->events.v[i];

		if (i == event || e->spec < 0)
			continue;
		if (i < event && are_merged(t, e, other))
			return true;
		if (e->refusal && e->type == PERF_TYPE_HW_CACHE && !other->refusal)
			return true;
	}
	return false;
}

static void look_at_pmus(struct td_event_table *t)
{
	const struct td_plan *plan = t->plan;

	td_array_clear(&t->looked_at, t->totals->nr_ids * t->nr_pmus, sizeof(*t->looked_at));
	for (size_t id = 0; id < t->totals->nr_ids; id++) {
		const struct td_total *totals = totals_of(t, id);

		for (size_t i = 0; i < plan->events.nr; i++) {
			if (totals[i].nr)
				t->looked_at[id * t->nr_pmus + (size_t)plan->events.v[i].pmu] =
					true;
		}
	}
}

static void find_elsewhere(struct td_event_table *t)
{
	size_t nr = t->nr_events;

	if (!t->totals->tasks)
		return;
	td_array_clear(&t->elsewhere, t->totals->nr_ids * nr, sizeof(*t->elsewhere));
	for (size_t id = 0; id < t->totals->nr_ids; id++)
		td_specs_find_elsewhere(&t->specs, totals_of(t, id), t->elsewhere + id * nr);
}

/* Sum the counts of one event over all core types. */
static void sum_kinds(const struct td_event_table *t, int event, const struct td_total *totals,
		      struct td_total *sum)
{
	size_t at = t->specs.first[event];
	bool tasks = t->totals->tasks;
	int i;

	sum->value = NAN;
	while ((i = next_event(t, event, totals, &at)) >= 0) {
		if (tasks && isnan(totals[i].value))
			continue;
		sum->value = isnan(sum->value) ? totals[i].value : sum->value + totals[i].value;
		sum->covered_ns += totals[i].covered_ns;
	}
}

/* Compute the sums over core types, and the divisors of merged rows from them. */
static void merge_kinds(struct td_event_table *t)
{
	size_t nr = t->nr_events, nr_ids = t->totals->nr_ids;

	if (!t->hybrid)
		return;
	td_array_clear(&t->sums, nr_ids * nr, sizeof(*t->sums));
	for (size_t i = 0; i < nr_ids * nr; i++)
		sum_kinds(t, (int)(i % nr), totals_of(t, i / nr), &t->sums[i]);
	td_ratios_count(&t->merged_ratios, t->sums, nr_ids);
}

static size_t count_refused(const struct td_plan *plan)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->events.nr; i++)
		nr += plan->events.v[i].refusal != NULL;
	return nr;
}

/* Prepare the data of a plan again if it has changed: the kernel may have refused an event. */
static void fit(struct td_event_table *t)
{
	size_t nr_refused = count_refused(t->plan);
	size_t nr;

	if (t->left_out && t->nr_events == t->plan->events.nr && t->nr_refused == nr_refused)
		return;
	td_event_table_free(t);
	nr = t->plan->events.nr;
	td_specs_build(&t->specs, t->plan);
	t->left_out = td_calloc(nr + 1, sizeof(*t->left_out));
	t->names = td_calloc(nr + 1, sizeof(*t->names));
	td_ratios_build(&t->ratios, t->plan);
	if (t->hybrid)
		td_ratios_build(&t->merged_ratios, t->plan);
	t->nr_events = nr;
	t->nr_refused = nr_refused;
	for (int i = 0; i < (int)nr; i++) {
		size_t pmu = (size_t)t->plan->events.v[i].pmu;

		t->nr_pmus = pmu >= t->nr_pmus ? pmu + 1 : t->nr_pmus;
		t->left_out[i] = is_left_out(t, i);
	}
}

void td_event_table_free(struct td_event_table *t)
{
	for (size_t i = 0; i < t->nr_events; i++)
		free(t->names[i]);
	td_specs_free(&t->specs);
	td_ratios_free(&t->ratios);
	td_ratios_free(&t->merged_ratios);
	free(t->report.rows);
	free(t->sums);
	free(t->elsewhere);
	free(t->looked_at);
	free(t->left_out);
	free(t->names);
	free(t->anywhere);
	*t = (struct td_event_table){ .plan = t->plan, .hybrid = t->hybrid };
}

/* --- rows ------------------------------------------------------------------ */

static struct td_event_row *add_row(struct td_event_table *t, int event,
				    const struct td_total_id *id)
{
	const struct td_event *e = &t->plan->events.v[event];
	struct td_event_row *row = td_array_add(&t->report.rows, t->report.nr_rows++, sizeof(*row));

	*row = (struct td_event_row){
		.id = id ? id->name : "all",
		.cgroup = id ? id->cgroup : NULL,
		.container = id ? id->container : NULL,
		.which = event,
		.pmu = e->pmu,
		.event = e->name,
		.unit = e->unit ? e->unit : "",
		.status = e->refusal ? TD_STATUS_NOT_SUPPORTED : TD_STATUS_NOT_COUNTED,
		.value = NAN,
		.decimals = e->scale > floor(e->scale) ? 2 : 0,
		.running_pct = 100,
		.error_pct = NAN,
	};
	return row;
}

static void add_tool(struct td_event_table *t, int event)
{
	/* the value does not belong to an id; as in perf, it is shown with the first one */
	struct td_event_row *row =
		add_row(t, event, t->first < t->last ? &t->totals->ids[t->first] : NULL);

	row->nr = 1;
	row->value = td_times_of_tool(t->times, t->plan->events.v[event].tool);
	if (isnan(row->value))
		return;
	row->status = TD_STATUS_OK;
	row->running_ns = t->times->elapsed_ns;
}

static void add_total(struct td_event_row *row, const struct td_total *total, double scale,
		      bool first)
{
	double value = total->value * scale;

	row->nr += total->nr;
	row->value = first ? value : row->value + value;
	row->running_ns += total->running_ns;
	if (total->enabled_ns)
		row->running_pct = fmin(row->running_pct, 100.0 * (double)total->running_ns /
								  (double)total->enabled_ns);
	row->status = isfinite(row->value) ? TD_STATUS_OK : TD_STATUS_NOT_COUNTED;
}

/* Rename the sum of an event over core types: "cpu_core/cycles/u" becomes "cycles:u". */
static void name_merged(struct td_event_table *t, int event, struct td_event_row *row)
{
	const char *name = t->plan->events.v[event].name;
	const char *start = strchr(name, '/'), *end = strrchr(name, '/');
	char **merged = &t->names[event];

	if (!start || start == end)
		return;
	if (!*merged)
		*merged = td_aprintf("%.*s%s%s", (int)(end - start - 1), start + 1,
				     end[1] ? ":" : "", end + 1);
	row->event = *merged;
}

/* Is the row the sum of events on several core types? */
static bool is_hybrid_sum(const struct td_event_table *t, int event)
{
	size_t first = t->specs.first[event], end = t->specs.end[event];

	for (size_t at = first; t->hybrid && at < end; at++) {
		int i = t->specs.order[at];

		if (i != event && is_of_row(t, event, i))
			return true;
	}
	return false;
}

/*
 * Sum the core types for tasks.  A task runs on one type at a time but is enabled on all,
 * so a type on which it never ran is not missing.
 */
static void add_kinds(const struct td_event_table *t, int event, const struct td_total *totals,
		      struct td_event_row *row)
{
	const struct td_plan *plan = t->plan;
	unsigned int nr = 0, tasks = 0;
	size_t at = t->specs.first[event];
	uint64_t most = 0;
	int i;

	while ((i = next_event(t, event, totals, &at)) >= 0) {
		tasks = totals[i].nr > tasks ? totals[i].nr : tasks;
		most = totals[i].enabled_ns > most ? totals[i].enabled_ns : most;
		if (!isnan(totals[i].value))
			add_total(row, &totals[i], plan->events.v[i].scale, nr++ == 0);
	}
	row->nr = tasks;
	if (most)
		row->running_pct = fmin(100, 100 * (double)row->running_ns / (double)most);
}

/* Sum all events of the row; the sum has a value only if all were counted. */
static void add_all(const struct td_event_table *t, int event, const struct td_total *totals,
		    struct td_event_row *row)
{
	size_t at = t->specs.first[event];
	unsigned int nr = 0;
	int i;

	while ((i = next_event(t, event, totals, &at)) >= 0)
		add_total(row, &totals[i], t->plan->events.v[i].scale, nr++ == 0);
}

static void fill_row(struct td_event_table *t, int event, size_t id)
{
	uint64_t elapsed_ns = t->times->elapsed_ns;
	const struct td_total *totals = totals_of(t, id);
	struct td_event_row *row = add_row(t, event, &t->totals->ids[id]);
	bool sum = is_hybrid_sum(t, event);

	if (sum && t->totals->tasks)
		add_kinds(t, event, totals, row);
	else
		add_all(t, event, totals, row);
	if (sum) {
		row->pmu = -1;
		if (row->status == TD_STATUS_OK)
			td_ratios_fill(&t->merged_ratios, id, event, elapsed_ns, row);
		name_merged(t, event, row);
		return;
	}
	row->elsewhere = t->totals->tasks && t->elsewhere[id * t->plan->events.nr + (size_t)event];
	if (row->status == TD_STATUS_OK && !t->plan->events.v[event].merge)
		td_ratios_fill(&t->ratios, id, event, elapsed_ns, row);
}

/* Add rows of an event that was not opened anywhere: one per id, or one for all. */
static void add_everywhere(struct td_event_table *t, int event)
{
	const struct td_totals *totals = t->totals;

	if (t->first == t->last) {
		add_row(t, event, NULL);
		return;
	}
	for (size_t id = t->first; id < t->last; id++)
		add_row(t, event, &totals->ids[id]);
}

/* Add a row for each id that the event belongs to. */
static void add_event(struct td_event_table *t, int event)
{
	if (!t->anywhere[event]) {
		add_everywhere(t, event);
		return;
	}
	for (size_t id = t->first; id < t->last; id++) {
		if (has_id(t, event, id))
			fill_row(t, event, id);
		else if (belongs_to(t, event, id))
			add_row(t, event, &t->totals->ids[id]);
	}
}

static void add_events(struct td_event_table *t)
{
	const struct td_plan *plan = t->plan;

	for (int i = 0; i < (int)plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->hidden || t->left_out[i])
			continue;
		/* times do not belong to an id */
		if (event->tool && t->totals->by_id && !t->each && t->first)
			continue;
		if (event->tool)
			add_tool(t, i);
		else
			add_event(t, i);
	}
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

/* Return the end of the block of ids whose rows are adjacent: one id, a cgroup's, or all. */
static size_t end_of_block(const struct td_event_table *t)
{
	const struct td_totals *totals = t->totals;
	size_t last = t->first + 1;

	if (totals->by_id || !totals->nr_ids)
		return totals->nr_ids ? last : 0;
	if (!t->each)
		return totals->nr_ids;
	while (last < totals->nr_ids && totals->ids[last].cgroup == totals->ids[t->first].cgroup)
		last++;
	return last;
}

void td_event_rows(struct td_event_table *t, const struct td_totals *totals,
		   const struct td_times *times)
{
	fit(t);
	t->totals = totals;
	t->times = times;
	t->each = has_each_cgroup(totals);
	td_ratios_count(&t->ratios, t->totals->v, t->totals->nr_ids);
	look_at_pmus(t);
	td_array_clear(&t->anywhere, t->nr_events, sizeof(*t->anywhere));
	for (int i = 0; i < (int)t->nr_events; i++)
		t->anywhere[i] = belongs_anywhere(t, i);
	find_elsewhere(t);
	merge_kinds(t);
	t->report.nr_rows = 0;
	t->last = 0;
	do {
		t->first = t->last;
		t->last = end_of_block(t);
		add_events(t);
	} while (t->last < totals->nr_ids);
}

/* --- latencies ------------------------------------------------------------ */

/*
 * As in perf, the mean over all CPUs and tasks is shown with the first CPU or task, and the rows of
 * the others are dropped.
 */
void td_event_rows_set_latencies(struct td_event_report *report, const struct td_plan *plan,
				 const struct td_latencies *latencies)
{
	size_t nr = 0;
	int before = -1;

	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_event_row row = report->rows[i];
		const struct td_event *event = &plan->events.v[row.which];
		const struct td_latency *latency = td_latencies_find(latencies, event->name);

		if (latency && row.which == before)
			continue;
		before = row.which;
		if (latency) {
			double mean = td_latency_mean(latency);

			row.status = isnan(mean) ? TD_STATUS_NOT_COUNTED : TD_STATUS_OK;
			row.value = rint(mean);
			row.running_pct = 100;
			row.nr = 1;
		}
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

static void rank_row(struct td_row *row)
{
	struct td_node *nodes = td_calloc(row->nr_nodes + 1, sizeof(*nodes));

	for (size_t i = 0; i < row->nr_nodes; i++)
		nodes[i] = row->nodes[i];
	qsort_r(nodes, row->nr_nodes, sizeof(*nodes), by_value, row);
	if (!row->ranked)
		row->unranked = row->nodes;
	free(row->ranked);
	row->nodes = row->ranked = nodes;
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

void td_report_rank(struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		rank_row(&report->rows[i]);
}
