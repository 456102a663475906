// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval/eval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/eval/evaluation.h"
#include "metrics/eval/finished.h"

/*
 * Computes all metrics, shown or not, as formulas may refer to other metrics.
 */
static void fill_metrics(const struct td_evaluation *e, int pmu)
{
	const struct td_tree *tree = e->tree;

	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu != pmu || !metric->value)
			continue;
		e->values[metric->slot] =
			e->unbounded ? td_expr_eval_unbounded(metric->value,
							      e->values)
				     : td_expr_eval(metric->value, e->values);
	}
}

/* In place of a PMU's index: the row is of the whole package. */
#define PACKAGE (-1)

/* Is it in the row of this PMU, or in that of what is apart from it? */
static bool is_of_row(const struct td_metric *metric, int pmu, bool apart)
{
	if (metric->def->package)
		return pmu == PACKAGE;
	return metric->pmu == pmu && metric->def->apart == apart;
}

/*
 * Was an event of the metric opened for this id?  Those that are not the PMU's
 * are opened on all CPUs, so they tell nothing beside one that is.
 */
static bool is_opened(const struct td_evaluation *e,
		      const struct td_metric *metric)
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

/* Is there a metric of the PMU itself to show, or one that has its own row? */
static bool has_metrics(const struct td_tree *tree, int pmu, bool apart)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == pmu && metric->shown &&
		    metric->def->apart == apart)
			return true;
	}
	return false;
}

/*
 * Was any event of the PMU opened for this id?  (For CPU5, those of cpu_core
 * were not if CPU5 is an E-core.)  pmu PACKAGE: any of the package's?
 */
static bool was_opened(const struct td_evaluation *e, int pmu)
{
	const struct td_tree *tree = e->tree;
	bool any = false;

	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (!is_of_row(metric, pmu, false) || !metric->kept)
			continue;
		any = any || metric->events.nr;
		if (is_opened(e, metric))
			return true;
	}
	return !any; /* the PMU has no events to open, so its row shows why */
}

/* Are events of the PMU counted?  Without them it is not known what it did. */
static bool has_events(const struct td_plan *plan, int pmu)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu)
			return true;
	}
	return false;
}

/*
 * Did the kernel refuse all events of the PMU?  Then its activity is not known.
 */
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

/* Level 1 is of the slots; its rest, and level 2's, may be no more than noise. */
static void find_misfits(const struct td_evaluation *e, int pmu,
			 struct td_row *row)
{
	const struct td_tree *tree = e->tree;
	enum td_misfit of_slots =
		td_eval_slots_misfit(e, pmu, &row->fields_sum);
	double correction = td_eval_correction(e, pmu);

	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		struct td_cell *cell;
		int level = metric->def->level;

		if (metric->pmu != pmu || metric->column < 0 || level < 1 ||
		    level > 2)
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

/* Fills the cells of a PMU's metrics, or of those that have their own row. */
static void fill_cells(const struct td_evaluation *e, int pmu, bool apart,
		       struct td_row *row)
{
	for (size_t i = 0; i < e->tree->nr_metrics; i++) {
		const struct td_metric *metric = &e->tree->metrics[i];
		struct td_cell *cell;

		if (!is_of_row(metric, pmu, apart) || metric->column < 0)
			continue;
		cell = &row->cells[metric->column];
		td_eval_fill_cell(e, metric, cell);
		row->running_pct = fmax(row->running_pct, cell->running_pct);
		if (cell->status == TD_STATUS_OK)
			row->running_least_pct =
				fmin(row->running_least_pct, cell->running_pct);
	}
	if (isnan(row->running_least_pct))
		row->running_least_pct = row->running_pct;
}

/* Of what rested, thresholds go by what it had of the run. */
static void put_rested(const struct td_evaluation *e, int pmu,
		       const struct td_row *row)
{
	const struct td_tree *tree = e->tree;
	const double *values =
		e->rested ? td_rested_values(e->rested, row) : NULL;

	for (size_t i = 0; values && i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == pmu && metric->value &&
		    metric->column >= 0 && !isnan(values[metric->column]))
			e->values[metric->slot] =
				values[metric->column] / metric->def->factor;
	}
}

static void compute(const struct td_evaluation *e, int pmu, bool apart,
		    struct td_row *row)
{
	fill_metrics(e, pmu);
	put_rested(e, pmu, row);
	row->nodes = e->tree->nodes[pmu];
	row->nr_nodes = e->tree->nr_nodes[pmu];
	fill_cells(e, pmu, apart, row);
}

static void eval_pmu(const struct td_evaluation *e, int pmu, struct td_row *row)
{
	const struct td_tree *tree = e->tree;

	compute(e, pmu, false, row);
	row->general = tree->sets[pmu] && tree->sets[pmu]->general;
	row->slots = tree->slots[pmu] < 0 ? NAN : e->values[tree->slots[pmu]];
	row->absent = e->tasks && has_events(e->plan, pmu) &&
		      !td_eval_ran_on(e, pmu) && !was_refused(e->plan, pmu) &&
		      !td_eval_is_held(e);
	find_misfits(e, pmu, row);
	if (!row->absent)
		td_eval_fill_busy(e, pmu, row);
}

/*
 * Computes each row's share of the slots.  whole: the rows are all kinds of
 * core.
 */
static void fill_shares(struct td_row *rows, size_t nr, bool whole)
{
	double all = whole ? 0 : NAN; /* NaN: not known */

	for (size_t i = 0; i < nr; i++)
		all += rows[i].absent ? 0 : rows[i].slots;
	for (size_t i = 0; i < nr; i++) {
		if (all > 0 && !rows[i].absent)
			rows[i].share_pct = TD_PERCENT * rows[i].slots / all;
	}
}

static int add_rows(const struct td_evaluation *e, const char *id,
		    struct td_report *report)
{
	const struct td_tree *tree = e->tree;

	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		struct td_row *row;

		if (!tree->sets[pmu] || (has_metrics(tree, pmu, true) &&
					 !has_metrics(tree, pmu, false)))
			continue;
		if (!was_opened(e, pmu) &&
		    !(e->whole && was_refused(e->plan, pmu)))
			continue;
		row = td_report_add_row(report, id,
					tree->machine->pmus[pmu].name);
		if (!row)
			return -ENOMEM;
		eval_pmu(e, pmu, row);
	}
	return 0;
}

/* Does every kind of core that was not left out have rows? */
static bool has_all_kinds(const struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (!tree->machine->pmus[i].skip && !tree->sets[i])
			return false;
	}
	return true;
}

/* What depends on the share of the slots. */
static void finish_rows(const struct td_evaluation *e, struct td_row *rows,
			size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		rows[i].idle = td_eval_is_idle(e, &rows[i]);
		td_eval_find_what_matters(&rows[i]);
	}
}

/*
 * The row of the package, after those of its cores, if its events were opened on a
 * CPU of this id.  Its values were computed with those of a core.
 */
static int add_package_row(const struct td_evaluation *e, const char *id,
			   struct td_report *report)
{
	const struct td_tree *tree = e->tree;
	struct td_row *row;

	if (!tree->nr_package_nodes || !was_opened(e, PACKAGE))
		return 0;
	row = td_report_add_row(report, id, TD_PACKAGE);
	if (!row)
		return -ENOMEM;
	row->package = true;
	row->nodes = tree->package_nodes;
	row->nr_nodes = tree->nr_package_nodes;
	fill_cells(e, PACKAGE, false, row);
	return 0;
}

/* Puts the last row before all others. */
static void rotate(struct td_row *rows, size_t nr)
{
	struct td_row last = rows[nr - 1];

	memmove(rows + 1, rows, (nr - 1) * sizeof(*rows));
	rows[0] = last;
}

/* Adds the row of what belongs to no kind of core, before those of the PMUs. */
static int add_row_apart(const struct td_evaluation *e, const char *id,
			 struct td_report *report, size_t first)
{
	const struct td_tree *tree = e->tree;

	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		struct td_row *row;

		if (!has_metrics(tree, pmu, true))
			continue;
		row = td_report_add_row(report, id, "all");
		if (!row)
			return -ENOMEM;
		compute(e, pmu, true, row);
		finish_rows(e, row, 1);
		rotate(report->rows + first, report->nr_rows - first);
	}
	return 0;
}

static int eval_id(struct td_evaluation *e, const char *id, bool merge,
		   struct td_report *report)
{
	size_t first = report->nr_rows;
	bool whole;
	int rc;

	td_eval_fill_operands(e);
	rc = add_rows(e, id, report);
	if (rc)
		return rc;
	if (report->nr_rows == first)
		return add_row_apart(e, id, report, first);
	/*
	 * one row is complete for ids such as a CPU, which has one kind of core
	 */
	whole = has_all_kinds(e->tree) ||
		(!e->whole && report->nr_rows == first + 1);
	fill_shares(report->rows + first, report->nr_rows - first, whole);
	finish_rows(e, report->rows + first, report->nr_rows - first);
	/* with one kind of core, its row is the merged one */
	if (merge && td_machine_count_kinds(e->tree->machine) == 1)
		report->rows[first].pmu = "all";
	else if (merge)
		td_eval_merge(e, report, first, id);
	rc = add_package_row(e, id, report);
	if (rc || merge)
		return rc; /* the merged row has shares of slots only, and the same name */
	return add_row_apart(e, id, report, first);
}

/* Can rows tell how busy their CPUs or tasks were? */
static bool has_busy(const struct td_evaluation *e)
{
	for (size_t i = 0; i < e->tree->nr_pmus; i++) {
		if (e->tasks || (e->clocks[i][TD_CLOCK_REFERENCE] >= 0 &&
				 e->tree->tsc_hz > 0))
			return true;
	}
	return false;
}

static bool has_ipc(const struct td_evaluation *e)
{
	for (size_t i = 0; i < e->tree->nr_pmus; i++) {
		if (e->clocks[i][TD_CLOCK_INSTRUCTIONS] >= 0 &&
		    e->clocks[i][TD_CLOCK_CYCLES] >= 0)
			return true;
	}
	return false;
}

int td_eval(struct td_evaluation *e, const struct td_totals *totals,
	    const struct td_times *times, bool merge, struct td_report *report,
	    struct td_err *err)
{
	bool grown;
	int rc = td_evaluation_fit(e, &grown);

	e->times = times;
	e->tasks = totals->tasks;
	if (!rc)
		td_eval_find_groups(e);
	if (!rc && grown) {
		td_eval_find_clocks(e);
		td_eval_find_kinds(e);
	}
	td_report_clear(report);
	report->has_busy = has_busy(e);
	report->has_ipc = has_ipc(e);
	report->tasks_pct = NAN;
	report->columns = e->tree->columns;
	report->nr_columns = e->tree->nr_columns;
	for (size_t i = 0; !rc && i < totals->nr_ids; i++) {
		size_t first = report->nr_rows;

		e->totals = totals->v + i * totals->nr_events;
		e->whole = totals->all && !totals->ids[i].cgroup;
		e->in_cgroup = totals->ids[i].cgroup;
		rc = eval_id(e, totals->ids[i].label, merge, report);
		for (size_t r = first; r < report->nr_rows; r++) {
			report->rows[r].name = totals->ids[i].name;
			report->rows[r].cgroup = totals->ids[i].cgroup;
			report->rows[r].container = totals->ids[i].container;
		}
	}
	if (!rc && e->tasks && totals->all && totals->nr_ids == 1)
		td_eval_fill_tasks(e, report);
	if (!rc && e->whole && totals->nr_ids == 1)
		report->held = td_eval_is_held(e);
	return rc ? td_err_nomem(err) : 0;
}
