// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval/eval.h"

#include <math.h>

#include "lib/base/util.h"
#include "metrics/eval/finished.h"

/* --- evaluations, which are made once for all intervals ----------------------- */

void td_evaluation_make(struct td_evaluation *e, const struct td_tree *tree,
			const struct td_plan *plan)
{
	size_t nr = tree->nr_operands;

	*e = (struct td_evaluation){ .tree = tree, .plan = plan };
	e->values = td_calloc(nr + 1, sizeof(*e->values));
	e->clocks = td_calloc(tree->nr_pmus + 1, sizeof(*e->clocks));
	e->dropped = td_calloc(tree->nr_pmus + 1, sizeof(*e->dropped));
	e->shifted = td_calloc(nr + 1, sizeof(*e->shifted));
	if (nr)
		memcpy(e->values, tree->constants, nr * sizeof(*e->values));
}

/*
 * Make room for each event of the plan.  Opening the counters of a further run may have split
 * groups, which adds events.  Returns true if there are new events.
 */
static bool fit(struct td_evaluation *e)
{
	size_t nr = e->plan->events.nr;
	size_t nr_gaps = TD_NR_ABSENCES * e->tree->nr_pmus + nr;

	if (e->gaps && e->nr_gaps >= nr_gaps)
		return false;
	e->counts = td_reallocarray(e->counts, nr + 1, sizeof(*e->counts));
	e->groups = td_reallocarray(e->groups, nr + 1, sizeof(*e->groups));
	e->kinds = td_reallocarray(e->kinds, nr + 1, sizeof(*e->kinds));
	e->gaps = td_reallocarray(e->gaps, nr_gaps + 1, sizeof(*e->gaps));
	for (; e->nr_gaps < nr_gaps; e->nr_gaps++)
		e->gaps[e->nr_gaps] = NULL;
	return true;
}

void td_evaluation_free(struct td_evaluation *e)
{
	for (size_t i = 0; i < e->nr_gaps; i++)
		free(e->gaps[i]);
	free(e->gaps);
	free(e->values);
	free(e->shifted);
	free(e->counts);
	free(e->groups);
	free(e->kinds);
	free(e->clocks);
	free(e->dropped);
	*e = (struct td_evaluation){ 0 };
}

/* --- how busy CPUs or tasks were, and how fast the cores went --------------------- */

static void find_clocks(const struct td_evaluation *e)
{
	const struct td_tree *tree = e->tree;

	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		for (int clock = 0; clock < TD_NR_CLOCKS; clock++)
			e->clocks[pmu][clock] =
				td_clocks_find(e->plan, tree->machine, pmu,
					       (enum td_clock_event)clock, tree->fixed);
	}
}

/* Return the count of a clock for the whole time; NaN: not counted. */
static double count_of(const struct td_evaluation *e, int pmu, enum td_clock_event clock)
{
	int event = e->clocks[pmu][clock];

	return event < 0 ? NAN : e->counts[event];
}

/*
 * Return the time of all CPUs that counted the event.  A cgroup's events are enabled for the
 * time of the cgroup, not of the CPUs.
 */
static double whole_of(const struct td_evaluation *e, const struct td_total *total)
{
	/* covered_ns is 0 if counts are not scaled */
	uint64_t ns = total->covered_ns ? total->covered_ns : total->running_ns;

	if (!e->in_cgroup)
		return ns ? (double)ns / 1e9 : NAN;
	return e->times ? (double)e->times->elapsed_ns / 1e9 * total->nr : NAN;
}

/* Return the number of CPUs that were counted; paused events are not enabled anywhere. */
static unsigned int count_cpus(const struct td_evaluation *e, int pmu)
{
	unsigned int most = 0;

	for (size_t i = 0; i < e->plan->events.nr; i++) {
		unsigned int nr = e->totals[i].nr_enabled;

		if (e->plan->events.v[i].pmu == pmu && nr > most)
			most = nr;
	}
	return most;
}

static struct td_activity of_cpus(const struct td_evaluation *e, int pmu)
{
	int reference = e->clocks[pmu][TD_CLOCK_REFERENCE];
	struct td_activity out = {
		.counted_cpus = count_cpus(e, pmu),
		.busy_s = NAN,
		.whole_s = NAN,
		.cycles = count_of(e, pmu, TD_CLOCK_CYCLES),
		.clock_s = count_of(e, pmu, TD_CLOCK_REFERENCE) / e->tree->tsc_hz,
		.instructions = count_of(e, pmu, TD_CLOCK_INSTRUCTIONS),
	};

	if (reference < 0)
		return out;
	out.cpus = e->totals[reference].nr;
	out.whole_s = whole_of(e, &e->totals[reference]);
	if (!e->part)
		out.busy_s = out.clock_s;
	return out;
}

/* Return the enabled time; in joined runs, which counted different events, the mean per run. */
static uint64_t enabled_of(const struct td_total *total)
{
	return total->run_enabled_ns ? total->run_enabled_ns : total->enabled_ns;
}

/* Add the total time for which the groups of a PMU ran; return the time they were enabled. */
static double add_pmu(const struct td_evaluation *e, int pmu, double *ran)
{
	double enabled = 0;

	td_for_each(const struct td_group, group, e->plan->groups, e->plan->nr_groups) {
		const struct td_total *leader;

		if (group->pmu != pmu || !group->nr)
			continue;
		leader = &e->totals[group->members[0]];
		*ran += (double)leader->running_ns;
		enabled = fmax(enabled, (double)leader->enabled_ns);
	}
	return enabled;
}

/*
 * Did another program have the counters most of the time?  This is assumed if all groups together
 * ran for less than half of the time; if groups count simultaneously, it may not be noticed.  A
 * task's events are enabled on all core types and run on one.
 */
static bool is_held(const struct td_evaluation *e)
{
	double ran = 0, enabled = 0;

	for (int pmu = 0; pmu < (int)e->tree->nr_pmus; pmu++) {
		double one = add_pmu(e, pmu, &ran);

		enabled = e->tasks ? fmax(enabled, one) : enabled + one;
	}
	return ran < enabled / 2;
}

/*
 * Return how long tasks ran on a core type.  A task's counters are enabled only while it runs,
 * on any core type, so this does not need a special event.  If another program had the
 * counters, the core type is unknown.
 */
static double time_on(const struct td_evaluation *e, int pmu)
{
	const struct td_plan *plan = e->plan;
	bool hybrid = e->tree->machine->nr_core > 1;
	uint64_t most = 0;

	if (hybrid && is_held(e))
		return NAN;
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_total *total = &e->totals[i];
		uint64_t covered_ns =
			total->run_covered_ns ? total->run_covered_ns : total->covered_ns;
		uint64_t ns = hybrid ? covered_ns : enabled_of(total);

		if (plan->events.v[i].pmu == pmu && ns > most)
			most = ns;
	}
	return most ? (double)most / 1e9 : NAN;
}

#define UNLIKE 20 /* two times are unlike if they differ by more than 1/UNLIKE of one of them */

/*
 * Return the count of a clock, for a ratio with the cycles.  NaN: they counted for different times,
 * as in short tasks, because groups start one after another.
 */
static double count_beside(const struct td_evaluation *e, int pmu, enum td_clock_event clock)
{
	int event = e->clocks[pmu][clock], cycles = e->clocks[pmu][TD_CLOCK_CYCLES];
	double ns, than;

	if (event < 0 || cycles < 0)
		return count_of(e, pmu, clock);
	ns = (double)enabled_of(&e->totals[event]);
	than = (double)enabled_of(&e->totals[cycles]);
	return fabs(ns - than) > than / UNLIKE ? NAN : e->counts[event];
}

static struct td_activity of_tasks(const struct td_evaluation *e, int pmu)
{
	struct td_activity out = { .busy_s = time_on(e, pmu), .whole_s = NAN };

	if (e->times && e->times->elapsed_ns && !td_times_are_unsure(e->times))
		out.whole_s = (double)e->times->elapsed_ns / 1e9;
	out.cycles = count_of(e, pmu, TD_CLOCK_CYCLES);
	out.instructions = count_beside(e, pmu, TD_CLOCK_INSTRUCTIONS);
	out.clock_s = count_beside(e, pmu, TD_CLOCK_REFERENCE) / e->tree->tsc_hz;
	return out;
}

/*
 * Tasks below this share of one CPU have mostly waited, unless starting and ending them can
 * explain the missing time.
 */
#define MOSTLY_WAITED_PCT 50
#define MIN_WAIT_NS       UINT64_C(100000000)

static void fill_tasks(const struct td_evaluation *e, struct td_report *report)
{
	uint64_t most = 0, elapsed = e->times ? e->times->elapsed_ns : 0;

	for (size_t i = 0; i < e->plan->events.nr; i++) {
		uint64_t ns = enabled_of(&e->totals[i]);

		most = ns > most ? ns : most;
	}
	if (!most || !elapsed)
		return;
	report->tasks_pct = TD_PERCENT * (double)most / (double)elapsed;
	report->mostly_waited =
		report->tasks_pct < MOSTLY_WAITED_PCT && elapsed - most >= MIN_WAIT_NS;
}

static void set_activity(struct td_row *row, const struct td_activity *activity)
{
	row->activity = *activity;
	row->busy_pct = TD_PERCENT * activity->busy_s / activity->whole_s;
	row->ghz = activity->clock_s > 0 ? activity->cycles / activity->clock_s / 1e9 : NAN;
	row->ipc = activity->cycles > 0 ? activity->instructions / activity->cycles : NAN;
}

static void merge_busy(const struct td_row *rows, size_t nr, struct td_row *merged)
{
	struct td_activity sum = { .cpus = 0 };

	for (size_t i = 0; i < nr; i++) {
		const struct td_activity *part = &rows[i].activity;

		if (rows[i].absent)
			continue;
		sum.busy_s += part->busy_s;
		sum.whole_s = part->cpus ? sum.whole_s + part->whole_s : part->whole_s;
		sum.cpus += part->cpus;
		sum.counted_cpus += part->counted_cpus;
		sum.cycles += part->cycles;
		sum.instructions += part->instructions;
		sum.clock_s += part->clock_s;
	}
	set_activity(merged, &sum);
}

/* Was the row too idle for marks on its nodes? */
static bool is_idle(const struct td_evaluation *e, const struct td_row *row)
{
	const struct td_activity *a = &row->activity;

	if (row->share_pct < TD_FEW_SLOTS_PCT)
		return true;
	/* one busy CPU of many is not idle, nor is a cgroup that does little */
	return !e->in_cgroup && td_are_idle(row->busy_pct, a->busy_s, a->whole_s, a->cpus);
}

/* --- merges the rows of a machine's PMUs --------------------------------------------- */

static void merge_notes(struct td_cell *cell, const struct td_cell *part)
{
	cell->other_slices |= part->other_slices;
	cell->over_unknown |= part->over_unknown;
	/* the sum is unchanged only if each part is */
	cell->running_ns += part->running_ns;
	cell->why = cell->why ? cell->why : part->why;
}

/*
 * Merge one metric: the mean of the PMUs' values, weighted by their slots.  PMUs with 0 slots
 * are ignored; a PMU without the metric or with unknown slots leaves the row without a value.
 * A task's times on the PMUs add up; CPUs count as running as long as the PMU that ran least.
 */
static void merge_cell(const struct td_row *rows, size_t nr, size_t column, const char *unit,
		       bool tasks, struct td_cell *cell)
{
	static const char no_slots[] = "the slots of a kind of core are not known";
	double sum = 0, weight = 0, over = 0, running = tasks ? 0 : TD_PERCENT;

	*cell = td_cell_make(TD_STATUS_NOT_COUNTED, NAN);
	/* only shares can be weighted by slots */
	if (strcmp(unit, "%") != 0) {
		cell->status = TD_STATUS_NONE;
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct td_cell *part = &rows[i].cells[column];

		cell->matters |= part->matters;
		if (rows[i].absent)
			continue;
		if (isnan(rows[i].slots)) {
			cell->why = part->why ? part->why : no_slots;
			return;
		}
		if (rows[i].slots <= 0)
			continue;
		if (part->status == TD_STATUS_NONE)
			cell->status = TD_STATUS_NONE;
		merge_notes(cell, part);
		sum += part->value * rows[i].slots;
		weight += rows[i].slots;
		over += part->over_threshold ? rows[i].slots : 0;
		running = tasks ? running + part->running_pct : fmin(running, part->running_pct);
	}
	if (weight <= 0)
		return;
	cell->running_pct = fmin(running, TD_PERCENT);
	if (isnan(sum))
		return;
	cell->status = TD_STATUS_OK;
	cell->why = NULL;
	cell->value = sum / weight;
	cell->over_threshold = over * 2 > weight;
}

static const struct td_node *node_of(const struct td_row *row, size_t column)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (row->nodes[i].column == (int)column)
			return &row->nodes[i];
	}
	return NULL;
}

/*
 * Does a name mean the same metric on all PMUs?  Some names are shares of slots on E-cores, but
 * shares of cycles on P-cores, and elsewhere in the tree.
 */
static bool is_same_metric(const struct td_row *rows, size_t nr, size_t column)
{
	const struct td_node *first = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct td_node *node = node_of(&rows[i], column);

		if (!node)
			continue;
		if (!first)
			first = node;
		if (!td_same_text(first->parent, node->parent))
			return false;
	}
	return true;
}

/* Return the row with most slots. */
static const struct td_row *largest(const struct td_row *rows, size_t nr)
{
	const struct td_row *best = &rows[0];

	for (size_t i = 1; i < nr; i++) {
		if (isnan(best->slots) || rows[i].slots > best->slots)
			best = &rows[i];
	}
	return best;
}

/* Is the node left out? */
static bool is_gone(const struct td_cell *cells, const struct td_node *node)
{
	return cells[node->column].status == TD_STATUS_NONE;
}

static bool has_lost_parent(const struct td_row *row, size_t i, const struct td_cell *cells)
{
	const struct td_node *parent = td_eval_parent(row, i);

	return parent && is_gone(cells, parent);
}

static bool has_lost_sibling(const struct td_row *row, size_t i, const struct td_cell *cells)
{
	for (size_t j = 0; row->nodes[i].parent && j < row->nr_nodes; j++) {
		if (td_same_text(row->nodes[i].parent, row->nodes[j].parent) &&
		    is_gone(cells, &row->nodes[j]))
			return true;
	}
	return false;
}

/* Leave out siblings and descendants of nodes that are left out, because sums need all children. */
static bool leave_out_parts_of(const struct td_row *row, struct td_cell *cells)
{
	bool any = false;

	if (row->absent || row->slots <= 0) /* nothing ran there */
		return false;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (is_gone(cells, &row->nodes[i]) ||
		    (!has_lost_parent(row, i, cells) && !has_lost_sibling(row, i, cells)))
			continue;
		cells[row->nodes[i].column] = td_cell_make(TD_STATUS_NONE, NAN);
		any = true;
	}
	return any;
}

static void leave_out_parts(const struct td_row *rows, size_t nr, struct td_cell *cells)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < nr; i++)
			again |= leave_out_parts_of(&rows[i], cells);
	}
}

/* Does every core type have the metric of the column, as a share of the same total? */
static bool is_mergeable(const struct td_row *rows, size_t nr, const struct td_column *columns,
			 size_t column)
{
	for (size_t i = 0; i < nr; i++) {
		if (!node_of(&rows[i], column))
			return false;
	}
	return nr == 1 ||
	       (strcmp(columns[column].unit, "%") == 0 && is_same_metric(rows, nr, column));
}

/* Is it a column of merged rows, not of the package? */
static bool is_merged(const struct td_tree *tree, size_t column)
{
	for (size_t i = 0; i < tree->nr_package_nodes; i++) {
		if (tree->package_nodes[i].column == (int)column)
			return false;
	}
	return tree->columns[column].present;
}

size_t td_merge_count(const struct td_tree *tree, size_t *nr_lacking, size_t *nr_parts)
{
	td_autofree struct td_row *rows = td_calloc(tree->nr_pmus + 1, sizeof(*rows));
	td_autofree struct td_cell *cells = td_calloc(tree->nr_columns + 1, sizeof(*cells));
	size_t nr = 0, nr_kept = 0;

	*nr_lacking = *nr_parts = 0;
	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (tree->machine->pmus[i].skip)
			continue;
		rows[nr].nodes = tree->nodes[i];
		rows[nr].nr_nodes = tree->nr_nodes[i];
		rows[nr++].slots = NAN;
	}
	for (size_t i = 0; i < tree->nr_columns; i++) {
		if (is_mergeable(rows, nr, tree->columns, i))
			continue;
		cells[i].status = TD_STATUS_NONE;
		*nr_lacking += is_merged(tree, i);
	}
	leave_out_parts(rows, nr, cells);
	for (size_t i = 0; i < tree->nr_columns; i++) {
		nr_kept += is_merged(tree, i) && cells[i].status != TD_STATUS_NONE;
		*nr_parts += is_merged(tree, i);
	}
	*nr_parts -= *nr_lacking + nr_kept;
	return nr_kept;
}

/* Return the share of the merged row: all core types together have all slots. */
static double merged_share(const struct td_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (rows[i].share_pct >= 0)
			return TD_PERCENT;
	}
	return NAN;
}

/* Merge the report's rows from first on into one. */
static void merge_rows(const struct td_evaluation *e, struct td_report *report, size_t first,
		       const char *id)
{
	struct td_row *rows = report->rows + first;
	size_t nr = report->nr_rows - first;
	const struct td_row *main = largest(rows, nr);
	struct td_row merged = td_row_init(id, "all");

	merged.slots = 0;
	merged.nodes = main->nodes;
	merged.nr_nodes = main->nr_nodes;
	merged.share_pct = merged_share(rows, nr);
	merge_busy(rows, nr, &merged);
	merged.idle = is_idle(e, &merged);
	for (size_t i = 0; i < report->nr_columns; i++) {
		struct td_cell cell;

		merge_cell(rows, nr, i, report->columns[i].unit, e->tasks, &cell);
		if (!is_same_metric(rows, nr, i))
			cell.status = TD_STATUS_NONE;
		rows[0].cells[i] = cell; /* overwrites input that is no longer needed */
	}
	leave_out_parts(rows, nr, rows[0].cells);
	for (size_t i = 0; i < nr; i++)
		merged.slots += isnan(rows[i].slots) ? 0 : rows[i].slots;
	merged.cells = rows[0].cells;
	td_for_each(const struct td_cell, cell, merged.cells, report->nr_columns) {
		if (cell->status != TD_STATUS_NONE)
			merged.running_pct = fmax(merged.running_pct, cell->running_pct);
		if (cell->status == TD_STATUS_OK)
			merged.running_least_pct =
				fmin(merged.running_least_pct, cell->running_pct);
	}
	rows[0] = merged;
	report->nr_rows = first + 1;
	td_eval_find_what_matters(&rows[0]);
}

/* --- rows ------------------------------------------------------------------------------ */

#define PACKAGE (-1) /* instead of a PMU's index, for the package row */

/* Does the metric belong to this PMU's row, or (apart) to its row of metrics apart? */
static bool is_of_row(const struct td_metric *metric, int pmu, bool apart)
{
	if (metric->def->package)
		return pmu == PACKAGE;
	return metric->pmu == pmu && metric->def->apart == apart;
}

/*
 * Was an event of the metric opened for this id?  Events of other PMUs are opened on all CPUs,
 * so they matter only if the metric has no event of its own PMU.
 */
static bool is_opened(const struct td_evaluation *e, const struct td_metric *metric)
{
	bool own = false, other = false;

	for (size_t i = 0; i < metric->events.nr; i++) {
		int event = metric->events.v[i];

		if (e->plan->events.v[event].pmu != metric->pmu)
			other |= e->totals[event].nr > 0;
		else if (e->totals[event].nr)
			return true;
		else
			own = true;
	}
	return other && !own;
}

/* Is a metric shown in the PMU's row, or (apart) in its row of metrics apart? */
static bool has_metrics(const struct td_tree *tree, int pmu, bool apart)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (metric->pmu == pmu && metric->shown && metric->def->apart == apart)
			return true;
	}
	return false;
}

/*
 * Was any event of the PMU (or of PACKAGE) opened for this id?  For example, events of cpu_core
 * are not opened on an E-core.
 */
static bool was_opened(const struct td_evaluation *e, int pmu)
{
	const struct td_tree *tree = e->tree;
	bool any = false;

	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (!is_of_row(metric, pmu, false) || !metric->kept)
			continue;
		any = any || metric->events.nr;
		if (is_opened(e, metric))
			return true;
	}
	return !any; /* without events, the row shows the reason */
}

/* Did the kernel refuse all events of the PMU? */
static bool was_refused(const struct td_plan *plan, int pmu)
{
	bool any = false;

	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].pmu != pmu)
			continue;
		if (!plan->events.v[i].refusal)
			return false;
		any = true;
	}
	return any;
}

/* Returns INT_MISC.UOP_DROPPING, which formulas subtract, in percent of the slots, or NaN. */
static double uop_drops_pct(const struct td_evaluation *e, int pmu)
{
	int slots = e->tree->slots[pmu], dropped = e->dropped[pmu];

	return dropped < 0 || slots < 0 ? NAN : TD_PERCENT * e->counts[dropped] / e->values[slots];
}

/* Mark impossible cells of level 1, and cells of levels 1 and 2 that may be 0. */
static void find_misfits(const struct td_evaluation *e, int pmu, struct td_row *row)
{
	const struct td_tree *tree = e->tree;
	enum td_misfit of_slots = td_eval_slots_misfit(e, pmu, &row->fields_sum);
	double correction = uop_drops_pct(e, pmu);

	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		struct td_cell *cell;
		int level = metric->def->level;

		if (metric->pmu != pmu || metric->column < 0 || level < 1 || level > 2)
			continue;
		cell = &row->cells[metric->column];
		if (cell->status != TD_STATUS_OK)
			continue;
		if (level == 1)
			cell->misfit = of_slots;
		if (td_ints_has(&metric->events, e->dropped[pmu]) &&
		    fabs(cell->value) <= correction)
			cell->misfit = TD_MISFIT_CORRECTION;
	}
}

/* Fill the cells of a PMU's metrics, or of the metrics that do not belong to a core type. */
static void fill_cells(const struct td_evaluation *e, int pmu, bool apart, struct td_row *row)
{
	td_for_each(const struct td_metric, metric, e->tree->metrics, e->tree->nr_metrics) {
		struct td_cell *cell;

		if (!is_of_row(metric, pmu, apart) || metric->column < 0)
			continue;
		cell = &row->cells[metric->column];
		td_eval_fill_cell(e, metric, cell);
		row->running_pct = fmax(row->running_pct, cell->running_pct);
		if (cell->status == TD_STATUS_OK)
			row->running_least_pct = fmin(row->running_least_pct, cell->running_pct);
	}
	if (isnan(row->running_least_pct))
		row->running_least_pct = row->running_pct;
}

/* Returns the values of a row, one per column, or NULL. */
static const double *paused_values(const struct td_paused *paused, const struct td_row *row)
{
	const struct td_report *report = paused->report;
	const struct td_row *same = td_report_find(report, &paused->index, row);

	return same ? paused->values + (size_t)(same - report->rows) * report->nr_columns : NULL;
}

/* For thresholds, set the values of paused nodes to their values over the whole run. */
static void put_paused(const struct td_evaluation *e, int pmu, const struct td_row *row)
{
	const struct td_tree *tree = e->tree;
	const double *values = e->paused ? paused_values(e->paused, row) : NULL;

	for (size_t i = 0; values && i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == pmu && metric->value && metric->column >= 0 &&
		    !isnan(values[metric->column]))
			e->values[metric->slot] = values[metric->column] / metric->def->factor;
	}
}

static void compute(const struct td_evaluation *e, int pmu, bool apart, struct td_row *row)
{
	const struct td_tree *tree = e->tree;

	/* also those that are not shown: formulas may refer to them */
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (metric->pmu != pmu || !metric->value)
			continue;
		e->values[metric->slot] = e->unbounded
						  ? td_expr_eval_unbounded(metric->value, e->values)
						  : td_expr_eval(metric->value, e->values);
	}
	put_paused(e, pmu, row);
	row->nodes = e->tree->nodes[pmu];
	row->nr_nodes = e->tree->nr_nodes[pmu];
	fill_cells(e, pmu, apart, row);
}

static void eval_pmu(const struct td_evaluation *e, int pmu, struct td_row *row)
{
	const struct td_tree *tree = e->tree;
	struct td_activity activity;

	compute(e, pmu, false, row);
	row->general = tree->sets[pmu] && tree->sets[pmu]->general;
	row->slots = tree->slots[pmu] < 0 ? NAN : e->values[tree->slots[pmu]];
	row->absent = e->tasks && td_plan_uses(e->plan, pmu) && !td_eval_ran_on(e, pmu) &&
		      !was_refused(e->plan, pmu) && !is_held(e);
	find_misfits(e, pmu, row);
	if (row->absent)
		return;
	activity = e->tasks ? of_tasks(e, pmu) : of_cpus(e, pmu);
	set_activity(row, &activity);
}

/* Compute each row's share of the slots, if the rows include all core types (whole). */
static void fill_shares(struct td_row *rows, size_t nr, bool whole)
{
	double all = whole ? 0 : NAN;

	for (size_t i = 0; i < nr; i++)
		all += rows[i].absent ? 0 : rows[i].slots;
	for (size_t i = 0; i < nr; i++) {
		if (all > 0 && !rows[i].absent)
			rows[i].share_pct = TD_PERCENT * rows[i].slots / all;
	}
}

static void add_rows(const struct td_evaluation *e, const char *id, struct td_report *report)
{
	const struct td_tree *tree = e->tree;

	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		struct td_row *row;

		if (!tree->sets[pmu] ||
		    (has_metrics(tree, pmu, true) && !has_metrics(tree, pmu, false)))
			continue;
		if (!was_opened(e, pmu) && !(e->whole && was_refused(e->plan, pmu)))
			continue;
		row = td_report_add_row(report, id, tree->machine->pmus[pmu].name);
		eval_pmu(e, pmu, row);
	}
}

/* Does every core type that was not left out have rows? */
static bool has_all_kinds(const struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (!tree->machine->pmus[i].skip && !tree->sets[i])
			return false;
	}
	return true;
}

/* Set the members that depend on each row's share of the slots. */
static void finish_rows(const struct td_evaluation *e, struct td_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		rows[i].idle = is_idle(e, &rows[i]);
		td_eval_find_what_matters(&rows[i]);
	}
}

/*
 * Add the row of the package after the rows of its cores, if its events were opened on a CPU of
 * this id.  Its values were computed together with a core's.
 */
static void add_package_row(const struct td_evaluation *e, const char *id, struct td_report *report)
{
	const struct td_tree *tree = e->tree;
	struct td_row *row;

	if (!tree->nr_package_nodes || !was_opened(e, PACKAGE))
		return;
	row = td_report_add_row(report, id, TD_PACKAGE);
	row->package = true;
	row->nodes = tree->package_nodes;
	row->nr_nodes = tree->nr_package_nodes;
	fill_cells(e, PACKAGE, false, row);
}

/* Add the row of metrics that do not belong to a core type, before the rows of PMUs. */
static void add_row_apart(const struct td_evaluation *e, const char *id, struct td_report *report,
			  size_t first)
{
	const struct td_tree *tree = e->tree;

	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		struct td_row *row, added;

		if (!has_metrics(tree, pmu, true))
			continue;
		row = td_report_add_row(report, id, "all");
		compute(e, pmu, true, row);
		finish_rows(e, row, 1);
		added = *row;
		row = report->rows + first;
		memmove(row + 1, row, (report->nr_rows - first - 1) * sizeof(*row));
		*row = added;
	}
}

static void eval_id(struct td_evaluation *e, const char *id, bool merge, struct td_report *report)
{
	size_t first = report->nr_rows;
	bool whole;

	td_eval_fill_operands(e);
	add_rows(e, id, report);
	if (report->nr_rows == first) {
		add_row_apart(e, id, report, first);
		return;
	}
	/* an id such as a CPU has only one core type, so one row is complete */
	whole = has_all_kinds(e->tree) || (!e->whole && report->nr_rows == first + 1);
	fill_shares(report->rows + first, report->nr_rows - first, whole);
	finish_rows(e, report->rows + first, report->nr_rows - first);
	/* with one core type, its row is the merged one */
	if (merge && td_machine_count_kinds(e->tree->machine) == 1)
		report->rows[first].pmu = "all";
	else if (merge)
		merge_rows(e, report, first, id);
	add_package_row(e, id, report);
	if (merge)
		return; /* the row of other metrics would have the same name */
	add_row_apart(e, id, report, first);
}

/* Is it known how busy the CPUs or tasks of rows were? */
static bool has_busy(const struct td_evaluation *e)
{
	for (size_t i = 0; i < e->tree->nr_pmus; i++) {
		if (e->tasks || (e->clocks[i][TD_CLOCK_REFERENCE] >= 0 && e->tree->tsc_hz > 0))
			return true;
	}
	return false;
}

static bool has_ipc(const struct td_evaluation *e)
{
	for (size_t i = 0; i < e->tree->nr_pmus; i++) {
		if (e->clocks[i][TD_CLOCK_INSTRUCTIONS] >= 0 && e->clocks[i][TD_CLOCK_CYCLES] >= 0)
			return true;
	}
	return false;
}

void td_eval(struct td_evaluation *e, const struct td_totals *totals, const struct td_times *times,
	     bool merge, struct td_report *report)
{
	bool grown = fit(e);

	e->times = times;
	e->tasks = totals->tasks;
	td_eval_find_groups(e);
	if (grown) {
		find_clocks(e);
		td_eval_find_kinds(e);
	}
	td_report_clear(report);
	report->has_busy = has_busy(e);
	report->has_ipc = has_ipc(e);
	report->tasks_pct = NAN;
	report->columns = e->tree->columns;
	report->nr_columns = e->tree->nr_columns;
	for (size_t i = 0; i < totals->nr_ids; i++) {
		size_t first = report->nr_rows;

		e->totals = totals->v + i * totals->nr_events;
		e->whole = totals->all && !totals->ids[i].cgroup;
		e->in_cgroup = totals->ids[i].cgroup;
		eval_id(e, totals->ids[i].label, merge, report);
		for (size_t r = first; r < report->nr_rows; r++) {
			report->rows[r].name = totals->ids[i].name;
			report->rows[r].cgroup = totals->ids[i].cgroup;
			report->rows[r].container = totals->ids[i].container;
		}
	}
	if (e->tasks && totals->all && totals->nr_ids == 1)
		fill_tasks(e, report);
	if (e->whole && totals->nr_ids == 1)
		report->held = is_held(e);
}
