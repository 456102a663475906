// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds values that are not possible: they show that something disturbed the
 * counting.  They are marked, but not changed and not hidden.
 */
#include <math.h>
#include <string.h>

#include "metrics/eval/evaluation.h"
#include "metrics/eval/finished.h"
#include "metrics/sets/set.h"

/*
 * The margin where no error is known, in points: a step of PERF_METRICS is 0.4
 * of the slots, and a node may be the difference of some fields.
 */
#define MARGIN 2

/* Levels 1 and 2 are shares of the slots on every core; others may not be. */
#define SLOTS_LEVEL 2

static double margin_of(const struct td_cell *cell)
{
	return isnan(cell->error) ? MARGIN : cell->error;
}

static bool is_out_of_range(const struct td_cell *cell)
{
	double margin = margin_of(cell);

	return cell->value < -margin || cell->value > 100 + margin;
}

/* The node above in the order of the tree, or NULL. */
static const struct td_node *parent_of(const struct td_row *row, size_t node)
{
	int depth = row->nodes[node].depth;

	while (depth > 0 && node-- > 0) {
		if (row->nodes[node].depth == depth - 1)
			return &row->nodes[node];
	}
	return NULL;
}

static bool is_above_parent(const struct td_row *row, size_t node)
{
	const struct td_cell *cell = &row->cells[row->nodes[node].column];
	const struct td_node *above = parent_of(row, node);
	const struct td_cell *parent;

	if (!above || row->nodes[node].level > SLOTS_LEVEL)
		return false;
	parent = &row->cells[above->column];
	return parent->status == TD_STATUS_OK &&
	       cell->value >
		       parent->value + margin_of(cell) + margin_of(parent);
}

static void check_row(const struct td_report *report, struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
		struct td_cell *cell = &row->cells[node->column];
		const struct td_column *column = &report->columns[node->column];
		bool share = node->level || td_is_bottleneck(column->name);

		if (cell->status != TD_STATUS_OK || cell->misfit || !share ||
		    strcmp(column->unit, "%") != 0)
			continue;
		if (is_out_of_range(cell))
			cell->misfit = TD_MISFIT_RANGE;
		else if (is_above_parent(row, i))
			cell->misfit = TD_MISFIT_PARENT;
	}
}

/* --- level 1 of events of its own -------------------------------------------- */

/* As of the fields of PERF_METRICS, in percent. */
#define LEAST_PCT 99
#define MOST_PCT  (100 * TD_MOST_SUM)

#define OF_ALL_CORES ((1U << TD_PART_OTHER) - 1)

/*
 * AMD's five nodes and the four of E-cores are each of events of their own, so that
 * nothing but the events makes them all of the slots.  Where a node is the rest, and
 * with PERF_METRICS, they always are.  *margin: of their sum.  NaN: it is another tree,
 * or not all of them were counted.
 */
static double sum_of_parts(const struct td_report *report,
			   const struct td_row *row, double *margin)
{
	double sum = 0;
	unsigned int parts = 0;

	*margin = 0;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		int column = row->nodes[i].column;
		const struct td_cell *cell = &row->cells[column];
		enum td_part part = td_part_of(report->columns[column].name);

		if (row->nodes[i].level != 1 || part == TD_NR_PARTS)
			continue;
		sum += cell->status == TD_STATUS_OK ? cell->value : NAN;
		*margin += margin_of(cell);
		parts |= 1U << part;
	}
	return (parts & OF_ALL_CORES) == OF_ALL_CORES ? sum : NAN;
}

static void check_sum(const struct td_report *report, struct td_row *row)
{
	double margin, sum = sum_of_parts(report, row, &margin);

	if (!(sum < LEAST_PCT - margin || sum > MOST_PCT + margin))
		return;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (row->nodes[i].level == 1 && !cell->misfit)
			cell->misfit = TD_MISFIT_SUM;
	}
}

/* --- level 1 of Intel ------------------------------------------------------- */

/*
 * Where tasks are switched often, or groups take turns, the kernel adds what the
 * fields have grown by since the switch before, and leaves out what they fell by, so
 * that more is counted than there was.  How it is divided among the four is not known:
 * a share is too small by its part of what is too much, if it had nothing of that, and
 * too large if it had more.  None had more than half of it: all four grow and fall.
 */
#define LEAST_TO_BEAR 1.01 /* rounding makes 257 of 255 at most */
#define MOST_TO_BEAR  1.3
#define HALF_PCT      50

static void bear(struct td_cell *cell, double too_much)
{
	if (cell->status != TD_STATUS_OK || isnan(cell->error))
		return;
	cell->error += fmax(fabs(cell->value), HALF_PCT) * too_much;
	if (cell->misfit == TD_MISFIT_SUM)
		cell->misfit = TD_FITS;
}

void td_report_bear_sums(struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		double sum = row->fields_sum;

		for (size_t i = 0; i < row->nr_nodes; i++) {
			const struct td_node *node = &row->nodes[i];

			if (node->level && node->level <= SLOTS_LEVEL &&
			    sum > LEAST_TO_BEAR && sum <= MOST_TO_BEAR)
				bear(&row->cells[node->column], sum - 1);
		}
	}
}

void td_report_find_misfits(struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		check_sum(report, &report->rows[i]);
		check_row(report, &report->rows[i]);
	}
}

/* --- counts of slots ------------------------------------------------------ */

/*
 * The four fields of level 1 are all of the slots.  With 8 bits each they come
 * to 255 to 257 of 255, and a read between SLOTS and PERF_METRICS adds a little.
 */
#define LEAST_SUM 0.99

/* As much more than its width may a core have because of the reads' order. */
#define MOST_WIDTH 1.02

/* The kernel and the metric files have names of their own for some. */
static unsigned int kind_of(const struct td_event *event)
{
	if (td_event_is_named(event, "slots") ||
	    td_event_is_named(event, "TOPDOWN.SLOTS"))
		return TD_IS_SLOTS;
	if (td_event_is_named(event, "cycles") ||
	    td_event_is_named(event, "cpu-cycles") ||
	    td_event_is_named(event, "CPU_CLK_UNHALTED.THREAD"))
		return TD_IS_CYCLES;
	if (!strstr(event->name, "topdown-"))
		return 0;
	return td_event_is_level_1(event) ? TD_IS_FIELD | TD_IS_LEVEL_1
					  : TD_IS_FIELD;
}

/* The event that the formulas of a PMU subtract; -1: none. */
static int find_dropped(const struct td_tree *tree, int pmu)
{
	for (size_t i = 0; i < tree->nr_operands; i++) {
		const struct td_operand *operand = &tree->operands[i];

		if (operand->pmu == pmu && operand->events.nr == 1 &&
		    strcasestr(operand->name, "UOP_DROPPING"))
			return operand->events.v[0];
	}
	return -1;
}

void td_eval_find_kinds(const struct td_evaluation *e)
{
	for (size_t i = 0; i < e->plan->events.nr; i++)
		e->kinds[i] = kind_of(&e->plan->events.v[i]);
	for (int pmu = 0; pmu < (int)e->tree->nr_pmus; pmu++)
		e->dropped[pmu] = find_dropped(e->tree, pmu);
}

/* The first member, but recordings may have their events in another order. */
const struct td_total *td_eval_slots_of(const struct td_evaluation *e,
					const struct td_group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (e->kinds[group->members[i]] & TD_IS_SLOTS)
			return &e->totals[group->members[i]];
	}
	return NULL;
}

bool td_evaluation_has_step(const struct td_evaluation *e, int event)
{
	return e->kinds[event] & TD_IS_FIELD && e->groups[event] >= 0 &&
	       td_eval_slots_of(e, &e->plan->groups[e->groups[event]]);
}

/* The share of the slots that the group's fields of level 1 are; NaN: unknown. */
static double sum_of_fields(const struct td_evaluation *e,
			    const struct td_group *group)
{
	const struct td_total *slots = td_eval_slots_of(e, group);
	double sum = 0;
	int nr = 0;

	if (!slots)
		return NAN;
	for (size_t i = 0; i < group->nr; i++) {
		if (!(e->kinds[group->members[i]] & TD_IS_LEVEL_1))
			continue;
		sum += e->totals[group->members[i]].value;
		nr++;
	}
	return nr == 4 && slots->value > 0 ? sum / slots->value : NAN;
}

/* The slots of a cycle, over the width of the core; NaN: unknown. */
static double fullness(const struct td_evaluation *e,
		       const struct td_group *group)
{
	int width = td_uarch_width(e->tree->machine->pmus[group->pmu].uarch);

	const struct td_total *slots = td_eval_slots_of(e, group);

	if (!slots || !width)
		return NAN;
	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];

		if (e->kinds[event] & TD_IS_CYCLES &&
		    e->totals[event].value > 0)
			return slots->value / e->totals[event].value / width;
	}
	return NAN;
}

enum td_misfit td_eval_slots_misfit(const struct td_evaluation *e, int pmu,
				    double *most)
{
	enum td_misfit misfit = TD_FITS;

	*most = NAN;
	for (size_t g = 0; g < e->plan->nr_groups; g++) {
		const struct td_group *group = &e->plan->groups[g];
		double sum;

		if (!group->nr || group->pmu != pmu)
			continue;
		sum = sum_of_fields(e, group);
		*most = fmax(*most, sum);
		if (sum < LEAST_SUM || sum > TD_MOST_SUM)
			misfit = TD_MISFIT_SUM;
		else if (!misfit && fullness(e, group) > MOST_WIDTH)
			misfit = TD_MISFIT_WIDTH;
	}
	return misfit;
}

double td_eval_correction(const struct td_evaluation *e, int pmu)
{
	int slots = e->tree->slots[pmu], dropped = e->dropped[pmu];

	return dropped < 0 || slots < 0
		       ? NAN
		       : TD_PERCENT * e->counts[dropped] / e->values[slots];
}
