// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define PERCENT 100 /* metrics are shares, cells are per cent */

static void fill_events(struct td_tree *tree, const struct td_total *totals)
{
	for (size_t i = 0; i < tree->nr_event_slots; i++)
		tree->values[tree->event_slots[i]] =
			totals[i].value * tree->plan->events[i].scale;
}

/*
 * Counts of a group that took turns with others are scaled up by its own
 * count of the reference event, and not by time: what it missed was as much
 * as the slots that it missed.
 */
static void scale_by_reference(struct td_tree *tree,
			       const struct td_total *totals)
{
	const struct td_plan *plan = tree->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		double factor;

		if (group->clone < 0)
			continue;
		factor = totals[group->reference].value /
			 totals[group->clone].value;
		for (size_t i = 0; i < group->nr; i++) {
			int event = group->members[i];

			if (event < (int)tree->nr_event_slots)
				tree->values[tree->event_slots[event]] *=
					factor;
		}
	}
}

/* All of them: one metric's formula may refer to another. */
static void fill_metrics(struct td_tree *tree, int pmu)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == pmu)
			tree->values[metric->slot] =
				td_expr_eval(metric->value, tree->values);
	}
}

/*
 * Did all events of a metric run, and on the same CPUs?  Of many tasks a
 * short-lived one may have met one group and not the next: up to a hundredth
 * of their time does not matter.
 */
static bool counted_alike(const struct td_metric *metric,
			  const struct td_total *totals, bool tasks)
{
	for (size_t i = 0; i < metric->events.nr; i++) {
		const struct td_total *first = &totals[metric->events.v[0]];
		const struct td_total *total = &totals[metric->events.v[i]];
		double apart = fabs((double)total->covered_ns -
				    (double)first->covered_ns);

		if (isnan(total->value))
			return false;
		if (total->where == first->where)
			continue;
		if (!tasks || apart * 100 > (double)first->covered_ns)
			return false;
	}
	return true;
}

/* The share of its time that the least of a metric's events was counted. */
static double running_pct(const struct td_metric *metric,
			  const struct td_total *totals)
{
	double least = PERCENT;

	for (size_t i = 0; i < metric->events.nr; i++) {
		const struct td_total *total = &totals[metric->events.v[i]];

		if (!total->enabled_ns)
			return 0;
		least = fmin(least, PERCENT * (double)total->running_ns /
					    (double)total->enabled_ns);
	}
	return least;
}

static void fill_cell(const struct td_tree *tree,
		      const struct td_metric *metric,
		      const struct td_total *totals, bool tasks,
		      struct td_cell *cell)
{
	double value = PERCENT * tree->values[metric->slot];
	double over = metric->threshold
			      ? td_expr_eval(metric->threshold, tree->values)
			      : 0;

	cell->running_pct = running_pct(metric, totals);
	if (!isfinite(value) || !counted_alike(metric, totals, tasks)) {
		cell->status = TD_STATUS_NOT_COUNTED;
		cell->value = NAN;
		return;
	}
	cell->status = TD_STATUS_OK;
	cell->value = value;
	cell->over_threshold = !isnan(over) && over != 0;
}

static double slots_of(const struct td_tree *tree, int pmu)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == pmu &&
		    strcmp(metric->def->name, TD_SLOTS) == 0)
			return tree->values[metric->slot];
	}
	return NAN;
}

static struct td_row *add_row(struct td_report *report, const char *id,
			      const char *pmu)
{
	struct td_row *row =
		td_array_add(&report->rows, report->nr_rows, sizeof(*row));

	if (!row)
		return NULL;
	*row = (struct td_row){ .id = id, .pmu = pmu, .slots = NAN };
	row->share_pct = NAN;
	row->cells = calloc(report->nr_columns + 1, sizeof(*row->cells));
	if (!row->cells)
		return NULL;
	for (size_t i = 0; i < report->nr_columns; i++) {
		row->cells[i].status = TD_STATUS_NONE;
		row->cells[i].value = NAN;
	}
	report->nr_rows++;
	return row;
}

/* Has this PMU been looked at here at all?  CPU5 is not one of cpu_core's. */
static bool was_opened(const struct td_plan *plan, int pmu,
		       const struct td_total *totals)
{
	for (size_t i = 0; i < plan->nr_events; i++) {
		if (plan->events[i].pmu == pmu && totals[i].nr)
			return true;
	}
	return false;
}

static void eval_pmu(struct td_tree *tree, int pmu,
		     const struct td_total *totals, bool tasks,
		     struct td_row *row)
{
	fill_metrics(tree, pmu);
	row->slots = slots_of(tree, pmu);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		struct td_cell *cell;

		if (metric->pmu != pmu || metric->column < 0)
			continue;
		cell = &row->cells[metric->column];
		fill_cell(tree, metric, totals, tasks, cell);
		row->running_pct = fmax(row->running_pct, cell->running_pct);
	}
}

static void fill_shares(struct td_row *rows, size_t nr)
{
	double all = 0;

	for (size_t i = 0; i < nr; i++)
		all += isnan(rows[i].slots) ? 0 : rows[i].slots;
	for (size_t i = 0; i < nr; i++) {
		if (all > 0 && !isnan(rows[i].slots))
			rows[i].share_pct = PERCENT * rows[i].slots / all;
	}
}

/*
 * Each PMU's value weighs as much as its slots.  A PMU without slots had
 * nothing to do and says nothing; one that lacks the metric leaves the whole
 * machine without it.  A task's time on the PMUs adds up; CPUs were all
 * counted as long as the least of them.
 */
static void merge_cell(const struct td_row *rows, size_t nr, size_t column,
		       bool tasks, struct td_cell *cell)
{
	double sum = 0, weight = 0, over = 0, running = tasks ? 0 : PERCENT;

	*cell = (struct td_cell){ TD_STATUS_NOT_COUNTED, NAN, 0, false };
	for (size_t i = 0; i < nr; i++) {
		const struct td_cell *part = &rows[i].cells[column];

		/* a task need not have been there; a CPU's counters failed */
		if (isnan(rows[i].slots) && !tasks)
			return;
		if (isnan(rows[i].slots) || rows[i].slots <= 0)
			continue;
		if (part->status == TD_STATUS_NONE)
			cell->status = TD_STATUS_NONE;
		sum += part->value * rows[i].slots;
		weight += rows[i].slots;
		over += part->over_threshold ? rows[i].slots : 0;
		running = tasks ? running + part->running_pct
				: fmin(running, part->running_pct);
	}
	if (weight <= 0)
		return;
	cell->running_pct = fmin(running, PERCENT);
	if (isnan(sum))
		return;
	cell->status = TD_STATUS_OK;
	cell->value = sum / weight;
	cell->over_threshold = over * 2 > weight;
}

/* Rows from first on become one. */
static int merge_rows(struct td_report *report, size_t first, const char *id,
		      bool tasks)
{
	size_t nr = report->nr_rows - first;
	struct td_row *merged = add_row(report, id, "all");
	struct td_row *rows = report->rows + first;

	if (!merged)
		return -ENOMEM;
	merged->slots = 0;
	for (size_t i = 0; i < report->nr_columns; i++) {
		merge_cell(rows, nr, i, tasks, &merged->cells[i]);
		merged->running_pct =
			fmax(merged->running_pct, merged->cells[i].running_pct);
	}
	for (size_t i = 0; i < nr; i++) {
		merged->slots += isnan(rows[i].slots) ? 0 : rows[i].slots;
		free(rows[i].cells);
	}
	rows[0] = *merged;
	report->nr_rows = first + 1;
	return 0;
}

static int eval_id(struct td_tree *tree, const struct td_totals *totals,
		   size_t i, bool merge, struct td_report *report)
{
	const struct td_total *row = totals->v + i * totals->nr_events;
	size_t first = report->nr_rows;

	fill_events(tree, row);
	scale_by_reference(tree, row);
	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		struct td_row *out;

		if (!tree->sets[pmu] || !was_opened(tree->plan, pmu, row))
			continue;
		out = add_row(report, totals->ids[i],
			      tree->machine->pmus[pmu].name);
		if (!out)
			return -ENOMEM;
		eval_pmu(tree, pmu, row, totals->tasks, out);
	}
	if (report->nr_rows == first)
		return 0;
	fill_shares(report->rows + first, report->nr_rows - first);
	return merge ? merge_rows(report, first, totals->ids[i], totals->tasks)
		     : 0;
}

int td_eval(struct td_tree *tree, const struct td_totals *totals, bool merge,
	    struct td_report *report, struct td_err *err)
{
	int rc = 0;

	*report = (struct td_report){
		.columns = tree->columns,
		.nr_columns = tree->nr_columns,
	};
	for (size_t i = 0; !rc && i < totals->nr_ids; i++)
		rc = eval_id(tree, totals, i, merge, report);
	return rc ? td_err_nomem(err) : 0;
}

void td_report_free(struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		free(report->rows[i].cells);
	free(report->rows);
	*report = (struct td_report){ 0 };
}
