// SPDX-License-Identifier: GPL-2.0-only
/* Fills one cell of a row: a metric's value, or the reason why there is none. */
#include <math.h>

#include "lib/base/util.h"
#include "lib/plan/fit.h"
#include "metrics/eval/evaluation.h"

/* --- events that do not allow a value ------------------------------------------ */

/* Did an event of another PMU run for at least 99 % of the task's time? */
static bool is_always_elsewhere(const struct td_evaluation *e, int pmu)
{
	const struct td_plan *plan = e->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_total *total = &e->totals[i];

		if (plan->events.v[i].pmu != pmu && total->enabled_ns &&
		    (double)total->running_ns >= 0.99 * (double)total->enabled_ns)
			return true;
	}
	return false;
}

/* Return why no event of the PMU ran: the task was never there, or was not counted. */
static const char *describe_absence(const struct td_evaluation *e, int pmu)
{
	enum td_absence how =
		e->in_cgroup || is_always_elsewhere(e, pmu) ? TD_ABSENT : TD_ABSENT_OR_HELD;
	char **text = &e->gaps[TD_NR_ABSENCES * (size_t)pmu + how];

	if (!*text)
		*text = td_aprintf("nothing ran on %s%s", e->tree->machine->pmus[pmu].name,
				   how == TD_ABSENT ? "" : ", or another program had its counters");
	return *text;
}

/*
 * Was an event of this PMU enabled (-1: of any PMU)?  Events of tasks are enabled while the tasks
 * run, and events of a cgroup while it runs on the CPUs of that PMU.
 */
static bool was_enabled(const struct td_evaluation *e, int pmu)
{
	const struct td_plan *plan = e->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		if ((pmu < 0 || plan->events.v[i].pmu == pmu) && e->totals[i].enabled_ns)
			return true;
	}
	return false;
}

/* Scope of an uncore unit; PLACE_CPU for other PMUs. */
enum place {
	PLACE_SOCKET,
	PLACE_DIE,
	PLACE_CORE,
	PLACE_UNKNOWN,
	PLACE_CPU
};

static enum place place_of(const struct td_evaluation *e, int event)
{
	const struct td_tree *tree = e->tree;
	const struct td_pmu *pmu = &tree->machine->pmus[e->plan->events.v[event].pmu];
	double nr = (double)pmu->cpus.nr;

	if (pmu->kind != TD_PMU_OTHER || nr == 0 || nr == tree->nr_cpus)
		return PLACE_CPU;
	if (nr == tree->nr_packages)
		return PLACE_SOCKET;
	if (nr == tree->nr_dies)
		return PLACE_DIE;
	return nr == tree->nr_cores ? PLACE_CORE : PLACE_UNKNOWN;
}

/* Return the note on where an uncore unit is counted if not in this row, or NULL. */
static const char *describe_elsewhere(const struct td_evaluation *e, int event)
{
	static const char *const texts[] = {
		"counted per socket, on another CPU: use --per-socket",
		"counted per die, on another CPU: use --per-die",
		"counted per core, on another CPU: use --per-core",
		"counted on another CPU",
		NULL,
	};
	enum place place = place_of(e, event);

	if (e->totals[event].nr)
		return NULL;
	if (e->tasks && place != PLACE_CPU)
		return "counted on whole CPUs, not for programs: use -a";
	return texts[place];
}

/*
 * Return the note that an uncore unit counted for more CPUs than the row has, or NULL.  own is a
 * count of the row's PMU.
 */
static const char *describe_larger(const struct td_evaluation *e, int event,
				   const struct td_total *own)
{
	static const char *const texts[] = {
		"counted for the whole socket: use --per-socket",
		"counted for the whole die: use --per-die",
		"counted for the whole core: use --per-core",
		"counted for more CPUs than these",
		NULL,
	};
	const struct td_tree *tree = e->tree;
	const struct td_pmu *pmu = &tree->machine->pmus[e->plan->events.v[event].pmu];

	/* the row of one core type never has all CPUs */
	if (tree->machine->nr_core > 1 ||
	    !(own->nr * (double)pmu->cpus.nr < e->totals[event].nr * tree->nr_cpus))
		return NULL;
	return texts[place_of(e, event)];
}

static const char *describe_gap(const struct td_evaluation *e, int event)
{
	const struct td_plan *plan = e->plan;
	const char *elsewhere = describe_elsewhere(e, event);
	int pmu = plan->events.v[event].pmu;
	char **text;

	if (plan->events.v[event].refusal)
		return plan->events.v[event].refusal;
	if (elsewhere)
		return elsewhere;
	if ((e->tasks || e->in_cgroup) && !was_enabled(e, -1))
		return "no task ran in this time";
	if (e->tree->machine->nr_core > 1 && pmu < (int)e->tree->machine->nr_core &&
	    (e->tasks ? !td_eval_ran_on(e, pmu) : e->in_cgroup && !was_enabled(e, pmu)))
		return describe_absence(e, pmu);
	text = &e->gaps[TD_NR_ABSENCES * e->tree->nr_pmus + (size_t)event];
	if (!*text)
		*text = td_aprintf("%s did not get a counter", plan->events.v[event].name);
	return *text;
}

/* -l auto: was the event not counted because its groups were paused? */
static bool was_paused(const struct td_evaluation *e, const struct td_metric *metric, int event)
{
	const struct td_tree *tree = e->tree;

	return metric->family && tree->families_of_events && tree->families_of_events[event] &&
	       !e->plan->events.v[event].refusal && td_eval_ran_on(e, metric->pmu);
}

/* Did the id run on another core type than this one? */
static bool ran_on_others(const struct td_evaluation *e, int pmu)
{
	for (int i = 0; i < (int)e->tree->machine->nr_core; i++) {
		if (i != pmu && td_eval_ran_on(e, i))
			return true;
	}
	return false;
}

/*
 * Is it a software event that also counted on other core types of a hybrid?  beside is the total of
 * an event on the metric's PMU.
 */
static bool is_of_all_kinds(const struct td_evaluation *e, const struct td_metric *metric,
			    int event, const struct td_total *beside)
{
	const struct td_machine *machine = e->tree->machine;
	const struct td_event *of = &e->plan->events.v[event];

	if (machine->nr_core < 2 || metric->def->apart || of->cpu_pmu == metric->pmu ||
	    machine->pmus[of->pmu].kind != TD_PMU_SOFTWARE)
		return false;
	return e->totals[event].where != beside->where || ran_on_others(e, metric->pmu);
}

/* Return why an event does not belong to the CPUs of the metric's PMU, or NULL. */
static const char *find_misplaced(const struct td_evaluation *e, const struct td_metric *metric,
				  const struct td_total *own)
{
	for (size_t i = 0; i < metric->events.nr; i++) {
		int event = metric->events.v[i];
		const char *larger = describe_larger(e, event, own);

		if (larger)
			return larger;
		if (is_of_all_kinds(e, metric, event, own))
			return "an event that it needs was counted on all kinds of core";
	}
	return NULL;
}

/*
 * Return why the metric's events do not allow a value, or NULL.  All of them must have run on
 * CPUs of the row only, and those of the metric's PMU on the same CPUs.  A short-lived task may
 * have run while one group was enabled and the next was not, so for tasks a difference of 1 % of
 * the time is accepted.
 */
static const char *find_gap(const struct td_evaluation *e, const struct td_metric *metric)
{
	const struct td_total *first = NULL;

	for (size_t i = 0; i < metric->events.nr; i++) {
		int event = metric->events.v[i];
		const struct td_total *total = &e->totals[event];
		double missed_ns;

		if (isnan(total->value) && was_paused(e, metric, event))
			return "its parent was not above its threshold long enough";
		if (isnan(total->value))
			return describe_gap(e, event);
		/* each run of --no-multiplex has its own tasks and times */
		if (e->plan->events.v[event].pmu != metric->pmu || e->plan->nr_sets > 1)
			continue;
		if (!first)
			first = total;
		missed_ns = fabs((double)total->covered_ns - (double)first->covered_ns);
		if (total->where == first->where)
			continue;
		if (!e->tasks || missed_ns * 100 > (double)first->covered_ns)
			return "its events did not run on the same CPUs";
	}
	return first ? find_misplaced(e, metric, first) : NULL;
}

/* --- events that a host forbids --------------------------------------------- */

/*
 * A host can forbid single events to its guests (KVM_SET_PMU_EVENT_FILTER): they open, run and
 * count 0.  In a run of this many slots or uops, the events below never count 0.
 */
#define MANY 1e9

static bool is_never_0(const struct td_event_def *def)
{
	static const char *const ids[] = {
		"slots",     "retiring",      "be_bound",  "fe_bound",
		"heavy_ops", "br_mispredict", "mem_bound", "no_uops",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(ids); i++) {
		if (strcmp(def->id, ids[i]) == 0)
			return true;
	}
	return false;
}

/* Does an event of the metric, on general counters, count 0 because the host forbids it? */
static bool is_filtered(const struct td_evaluation *e, const struct td_metric *metric)
{
	const struct td_tree *tree = e->tree;
	const struct td_metric_set *set = tree->sets[metric->pmu];
	double most = 0, zero_part = 0;

	/* user space may have loops without a mispredict */
	if (!set || !set->general || e->part)
		return false;
	td_for_each(const struct td_operand, operand, tree->operands, tree->nr_operands) {
		const struct td_total *total;

		if (operand->pmu != metric->pmu || !operand->event || !operand->events.nr ||
		    !is_never_0(operand->event))
			continue;
		total = &e->totals[operand->events.v[0]];
		most = fmax(most, total->value);
		if (total->value == 0 && td_ints_has(&metric->events, operand->events.v[0]))
			zero_part = fmax(zero_part, total->enabled_ns
							    ? (double)total->running_ns /
								      (double)total->enabled_ns
							    : 0);
	}
	return most * zero_part >= MANY;
}

/* --- cells ---------------------------------------------------------------- */

/*
 * Return the time for which an event could have run.  If each run of the command counts other
 * groups, the task's time on other core types is left out, because it differs from run to run and
 * would look like multiplexing.
 */
static double possible_ns(const struct td_evaluation *e, const struct td_total *total)
{
	bool joined = e->plan->nr_sets > 1 && total->covered_ns;

	return (double)(joined ? total->covered_ns : total->enabled_ns);
}

/* Return the share of the time for which the metric's least-counted event ran. */
static double running_pct(const struct td_evaluation *e, const struct td_metric *metric)
{
	double least = TD_PERCENT;

	for (size_t i = 0; i < metric->events.nr; i++) {
		const struct td_total *total = &e->totals[metric->events.v[i]];

		if (!total->enabled_ns)
			return 0;
		least = fmin(least, TD_PERCENT * (double)total->running_ns / possible_ns(e, total));
	}
	return least;
}

/* Is the event counted in the run that is evaluated? */
static bool is_of_run(const struct td_evaluation *e, int event)
{
	int group = e->groups[event];

	return !e->run || group < 0 ||
	       td_plan_run_counts(e->plan, &e->plan->groups[group], e->run - 1);
}

/* Return the minimum time for which an event of the metric ran; 0 without events. */
static uint64_t running_ns(const struct td_evaluation *e, const struct td_metric *metric)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < metric->events.nr; i++) {
		uint64_t ns = e->totals[metric->events.v[i]].running_ns;

		if (ns < least && is_of_run(e, metric->events.v[i]))
			least = ns;
	}
	return least < UINT64_MAX ? least : 0;
}

/* Were the metric's events counted in other time slices than its parent's? */
static bool ran_in_other_slices(const struct td_evaluation *e, const struct td_metric *metric)
{
	const struct td_metric *parent;

	if (metric->parent < 0)
		return false;
	parent = &e->tree->metrics[metric->parent];
	for (size_t i = 0; i < metric->events.nr; i++) {
		int event = metric->events.v[i];
		bool together = td_total_ran_always(&e->totals[event]);

		for (size_t j = 0; j < parent->events.nr && !together; j++)
			together = e->groups[parent->events.v[j]] == e->groups[event];
		if (!together)
			return true;
	}
	return false;
}

static void set_missing(struct td_cell *cell, enum td_status status, const char *why)
{
	cell->status = status;
	cell->value = NAN;
	cell->why = why;
}

void td_eval_fill_cell(const struct td_evaluation *e, const struct td_metric *metric,
		       struct td_cell *cell)
{
	const struct td_tree *tree = e->tree;
	double value = metric->def->factor * e->values[metric->slot];
	const char *gap = find_gap(e, metric);
	double over;

	*cell = td_cell_make(TD_STATUS_OK, value);
	cell->matters = metric->named || e->tree->all_matter;
	if (!metric->value) {
		/* the capabilities of a recorded machine are unknown */
		set_missing(cell, tree->fixed ? TD_STATUS_NOT_COUNTED : TD_STATUS_NOT_SUPPORTED,
			    td_metric_refusal(tree, metric));
		return;
	}
	cell->running_pct = running_pct(e, metric);
	cell->running_ns = running_ns(e, metric);
	if (gap) {
		set_missing(cell, TD_STATUS_NOT_COUNTED, gap);
		return;
	}
	if (is_filtered(e, metric)) {
		set_missing(
			cell, TD_STATUS_NOT_SUPPORTED,
			"an event that it needs counts nothing: the host forbids it to its guests");
		return;
	}
	if (!isfinite(value)) {
		gap = td_tree_latency_gap(tree, metric);
		set_missing(cell, TD_STATUS_NOT_COUNTED,
			    gap ? gap : "its formula has no value for these counts");
		return;
	}
	over = metric->threshold ? td_expr_eval(metric->threshold, e->values) : NAN;
	cell->over_unknown = isnan(over);
	cell->over_threshold = !isnan(over) && over != 0;
	cell->other_slices = ran_in_other_slices(e, metric);
}

#define ALWAYS_SHOWN 2 /* levels */

const struct td_node *td_eval_parent(const struct td_row *row, size_t node)
{
	int depth = row->nodes[node].depth;

	while (depth > 0 && node-- > 0) {
		if (row->nodes[node].depth < depth)
			return &row->nodes[node];
	}
	return NULL;
}

/*
 * Mark the cells worth showing: the upper levels, metrics outside of the tree, and deeper
 * nodes above their threshold with their ancestors and measured siblings.
 */
void td_eval_find_what_matters(struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
		bool over = row->cells[node->column].over_threshold && !row->idle;

		if (node->level <= ALWAYS_SHOWN)
			row->cells[node->column].matters = true;
		for (size_t j = 0; over && j < row->nr_nodes; j++) {
			const struct td_node *other = &row->nodes[j];
			bool sibling = node->parent && other->parent &&
				       other->level == node->level &&
				       strcmp(node->parent, other->parent) == 0;
			bool counted = row->cells[other->column].status == TD_STATUS_OK;

			if (i == j || (sibling && counted))
				row->cells[other->column].matters = true;
		}
	}
	/* nodes come after their ancestors */
	for (size_t i = row->nr_nodes; i-- > 0;) {
		const struct td_node *parent = td_eval_parent(row, i);

		if (parent && row->cells[row->nodes[i].column].matters)
			row->cells[parent->column].matters = true;
	}
}

/* --- nodes significantly above their threshold -------------------------------- */

/* Return the metric's cell; NULL if it is not shown or belongs to another PMU. */
static struct td_cell *cell_of(const struct td_metric *metric, int pmu, const struct td_row *row)
{
	return metric->pmu != pmu || metric->column < 0 ? NULL : &row->cells[metric->column];
}

/*
 * Set e->shifted to the values at one end of their error intervals; side is -1 or 1.  Metrics
 * that are not shown have no error and keep their value.
 */
static void shift(const struct td_evaluation *e, int pmu, const struct td_row *row, int side)
{
	const struct td_tree *tree = e->tree;

	memcpy(e->shifted, e->values, tree->nr_operands * sizeof(*e->shifted));
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		const struct td_cell *cell = cell_of(metric, pmu, row);

		if (cell)
			e->shifted[metric->slot] =
				(cell->value + side * cell->error) / metric->def->factor;
	}
}

/* Clear the mark of cells whose threshold does not hold at this end of the error intervals. */
static void check_end(const struct td_evaluation *e, int pmu, const struct td_row *row, int side)
{
	const struct td_tree *tree = e->tree;

	shift(e, pmu, row, side);
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		struct td_cell *cell = cell_of(metric, pmu, row);

		/* false for NaN, from an unknown error */
		if (cell && cell->clear_of_threshold)
			cell->clear_of_threshold = td_expr_eval(metric->threshold, e->shifted) > 0;
	}
}

/* Return the PMU of the row's nodes.  A merged row has the nodes of the PMU with most slots. */
static int pmu_of(const struct td_tree *tree, const struct td_row *row)
{
	const struct td_node *nodes = row->ranked ? row->unranked : row->nodes;

	for (int i = 0; i < (int)tree->nr_pmus; i++) {
		if (tree->nodes[i] == nodes)
			return i;
	}
	return -1;
}

/*
 * Thresholds are comparisons joined by "and" and "or", so if a threshold holds at both ends of the
 * interval, it also holds in between.  Other nodes in a threshold, such as the parent, are shifted,
 * too.
 */
void td_eval_find_clear(const struct td_evaluation *e, struct td_report *report)
{
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		int pmu = pmu_of(e->tree, row);

		td_for_each(struct td_cell, cell, row->cells, report->nr_columns) {
			cell->clear_of_threshold =
				pmu >= 0 && cell->over_threshold && !isnan(cell->error);
		}
		if (pmu < 0)
			continue;
		check_end(e, pmu, row, -1);
		check_end(e, pmu, row, 1);
	}
}
