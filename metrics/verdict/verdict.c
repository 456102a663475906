// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/verdict/verdict.h"

#include <math.h>
#include <string.h>

#include "lib/base/util.h"

/* From this level on, a group of nodes costs less than one more level. */
#define GROUP_LEVEL 2

const struct td_found *td_verdict_last(const struct td_verdict *verdict)
{
	return verdict->nr_path ? &verdict->path[verdict->nr_path - 1] : NULL;
}

const struct td_found *td_verdict_beside(const struct td_verdict *verdict)
{
	const char *parent = verdict->runner_up.node->parent;
	size_t i = verdict->nr_path - 1;

	while (i > 0 &&
	       (!parent || strcmp(verdict->path[i].node->parent, parent) != 0))
		i--;
	return &verdict->path[i];
}

const struct td_found *td_verdict_focus(const struct td_verdict *verdict)
{
	return verdict->over[0].node && !verdict->over[1].node
		       ? &verdict->over[0]
		       : td_verdict_last(verdict);
}

/* Number at of the nodes that are named; NULL: there are not so many. */
static const struct td_found *named(const struct td_verdict *v, size_t at)
{
	if (at < v->nr_path)
		return &v->path[at];
	at -= v->nr_path;
	if (at < TD_ARRAY_SIZE(v->tied))
		return &v->tied[at];
	at -= TD_ARRAY_SIZE(v->tied);
	if (at < TD_ARRAY_SIZE(v->over))
		return &v->over[at];
	return at == TD_ARRAY_SIZE(v->over) ? &v->runner_up : NULL;
}

const struct td_found *td_verdict_in_doubt(const struct td_verdict *verdict,
					   size_t *at)
{
	const struct td_found *found;

	do
		found = named(verdict, (*at)++);
	while (found && !(found->node && found->node->errata));
	return found;
}

/* --- what the report is of ------------------------------------------------ */

static bool has_one_id(const struct td_report *report)
{
	for (size_t i = 1; i < report->nr_rows; i++) {
		if (strcmp(report->rows[i].id, report->rows[0].id) != 0)
			return false;
	}
	return report->nr_rows > 0;
}

static bool was_counted(const struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (row->cells[row->nodes[i].column].status == TD_STATUS_OK)
			return !row->absent;
	}
	return false;
}

/* The row of the PMU with the most slots. */
static const struct td_row *find_row(const struct td_report *report)
{
	const struct td_row *best = NULL;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (was_counted(row) && !row->package &&
		    (!best || !(row->share_pct <= best->share_pct)))
			best = row;
	}
	return best;
}

/* --- the path through the tree -------------------------------------------- */

static void push(struct td_verdict *verdict, const struct td_found *found)
{
	if (verdict->nr_path < TD_VERDICT_DEPTH)
		verdict->path[verdict->nr_path++] = *found;
}

/* outcome: of the children; a group that is there already tells no more. */
static void go_deeper(struct td_verdict *verdict, enum td_outcome outcome)
{
	const struct td_found *focus = td_verdict_focus(verdict);
	bool shown = focus == td_verdict_last(verdict) &&
		     outcome != TD_OUTCOME_EMPTY && outcome != TD_OUTCOME_SHORT;

	if (!focus)
		return;
	verdict->level = focus->node->level + 1;
	verdict->deeper = TD_DEEPER_LEVEL;
	if (focus->node->level < GROUP_LEVEL)
		return;
	if (shown)
		verdict->level++;
	else
		verdict->deeper = TD_DEEPER_GROUP;
}

/*
 * What competes with the path's last node: its sibling, or one of a node above it
 * that is over its threshold and a larger share of the slots.
 */
static void keep_larger(struct td_verdict *verdict,
			const struct td_found *sibling)
{
	const struct td_found *outer = &verdict->runner_up;

	if (outer->node && outer->clear &&
	    !(sibling->slots_pct >= outer->slots_pct))
		return;
	verdict->runner_up = *sibling;
}

/* Follows the largest nodes from the path's end down. */
static void descend(struct td_verdict *verdict, const struct td_report *report)
{
	struct td_ranking ranking = { .outcome = TD_OUTCOME_WON };
	struct td_siblings siblings;

	while (ranking.outcome == TD_OUTCOME_WON) {
		td_siblings_find(&siblings, report, verdict->row,
				 td_verdict_last(verdict));
		td_siblings_rank(&siblings, &ranking);
		if (ranking.outcome == TD_OUTCOME_WON) {
			push(verdict, &ranking.first);
			keep_larger(verdict, &ranking.second);
		}
	}
	if (ranking.outcome == TD_OUTCOME_TIED) {
		verdict->tied[0] = ranking.first;
		verdict->tied[1] = ranking.second;
	}
	if (ranking.outcome == TD_OUTCOME_UNLIKE) {
		verdict->over[0] = ranking.first;
		verdict->over[1] = ranking.second;
	}
	verdict->short_below = ranking.outcome == TD_OUTCOME_SHORT;
	/* to count these nodes once more, or for longer, would not help */
	if (ranking.outcome != TD_OUTCOME_BELOW && !verdict->over[1].node)
		go_deeper(verdict, ranking.outcome);
}

/*
 * Below retiring only heavy operations are a problem: light ones are what
 * programs should consist of.
 */
static void descend_to_heavy(struct td_verdict *verdict,
			     const struct td_report *report)
{
	struct td_siblings siblings;
	const struct td_node *heavy;

	td_siblings_find(&siblings, report, verdict->row,
			 td_verdict_last(verdict));
	if (!siblings.nr)
		go_deeper(verdict, TD_OUTCOME_EMPTY);
	heavy = td_siblings_take(&siblings, "heavy_operations");
	if (heavy && td_siblings_cell(&siblings, heavy)->clear_of_threshold) {
		const struct td_found found =
			td_siblings_found(&siblings, heavy);

		push(verdict, &found);
		go_deeper(verdict, TD_OUTCOME_EMPTY);
	}
}

/* Most slots did work: names that, and what was lost beside it. */
static void judge_work(struct td_verdict *verdict,
		       const struct td_report *report,
		       const struct td_found *retiring,
		       const struct td_ranking *losses)
{
	verdict->situation = TD_SITUATION_RETIRING;
	push(verdict, retiring);
	if (losses->outcome == TD_OUTCOME_TIED) {
		verdict->tied[0] = losses->first;
		verdict->tied[1] = losses->second;
	} else {
		verdict->runner_up = losses->first;
	}
	verdict->no_loss = losses->outcome == TD_OUTCOME_BELOW;
	descend_to_heavy(verdict, report);
}

/* Is the work over its threshold, and more than the largest loss? */
static bool retires_most(const struct td_siblings *siblings,
			 const struct td_node *work,
			 const struct td_ranking *losses)
{
	const struct td_cell *cell;

	if (!work)
		return false;
	cell = td_siblings_cell(siblings, work);
	if (!cell->clear_of_threshold && !siblings->by_size)
		return false;
	return !losses->first.node ||
	       cell->value - cell->error >
		       losses->first.value + losses->first.error;
}

static enum td_situation situation_of(enum td_outcome outcome)
{
	switch (outcome) {
	case TD_OUTCOME_BELOW:
		return TD_SITUATION_NOTHING;
	case TD_OUTCOME_NEAR:
		return TD_SITUATION_NEAR;
	case TD_OUTCOME_SHORT:
		return TD_SITUATION_SHORT;
	case TD_OUTCOME_TIED:
		return TD_SITUATION_TIE;
	case TD_OUTCOME_WON:
		return TD_SITUATION_CLEAR;
	case TD_OUTCOME_UNLIKE:
		return TD_SITUATION_UNLIKE;
	case TD_OUTCOME_EMPTY:
	case TD_OUTCOME_UNKNOWN:
		break;
	}
	return TD_SITUATION_UNKNOWN;
}

static int deepest_level(const struct td_row *row)
{
	int level = 0;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (row->nodes[i].level > level)
			level = row->nodes[i].level;
	}
	return level;
}

static void put_tie(struct td_verdict *verdict,
		    const struct td_ranking *ranking)
{
	verdict->tied[0] = ranking->first;
	verdict->tied[1] = ranking->second;
	verdict->level = deepest_level(verdict->row) + 1;
	if (verdict->level <= TD_VERDICT_DEPTH)
		verdict->deeper = TD_DEEPER_LEVEL;
}

/*
 * Takes what did work out of the uppermost nodes, and returns it: retiring, or where
 * level 2 is shown alone, light operations.  Heavy ones are no lost slots, either.
 */
static const struct td_node *take_work(struct td_siblings *top)
{
	const struct td_node *retiring = td_siblings_take(top, "retiring");

	if (retiring)
		return retiring;
	td_siblings_take(top, "heavy_operations");
	return td_siblings_take(top, "light_operations");
}

/* Ranks the uppermost nodes, then goes down from the largest. */
static void judge(struct td_verdict *verdict, const struct td_report *report,
		  struct td_siblings *top)
{
	const struct td_node *work = take_work(top);
	struct td_ranking ranking;

	td_siblings_rank(top, &ranking);
	verdict->situation = situation_of(ranking.outcome);
	if (retires_most(top, work, &ranking)) {
		const struct td_found found = td_siblings_found(top, work);

		judge_work(verdict, report, &found, &ranking);
	} else if (ranking.outcome == TD_OUTCOME_WON) {
		push(verdict, &ranking.first);
		verdict->runner_up = ranking.second;
		descend(verdict, report);
	} else if (ranking.outcome == TD_OUTCOME_TIED) {
		put_tie(verdict, &ranking);
	} else if (ranking.outcome == TD_OUTCOME_NEAR) {
		verdict->runner_up = ranking.first;
	}
}

/* Why the nodes cannot be ranked, or TD_SITUATION_CLEAR if they can be. */
static enum td_situation check_top(const struct td_siblings *top)
{
	bool errors = false, too_short = false;

	for (size_t i = 0; i < top->nr; i++) {
		const struct td_cell *cell =
			td_siblings_cell(top, top->nodes[i]);

		errors |= !isnan(cell->error);
		too_short |= cell->too_short;
	}
	if (!top->nr)
		return TD_SITUATION_NONE;
	if (errors)
		return TD_SITUATION_CLEAR;
	return too_short ? TD_SITUATION_SHORT : TD_SITUATION_UNKNOWN;
}

/* A start, or an end, of so much of the time does not count. */
#define STEADY_PCT 90

/* Two nodes of nearly the same size take turns at being the largest. */
#define STEADY_POINTS 10

static bool has_changed(const struct td_row *row)
{
	const struct td_phases *phases = &row->phases;
	const struct td_cell *cell;

	if (!(phases->first_pct > 0) || phases->first_pct >= STEADY_PCT)
		return false;
	cell = &row->cells[phases->first];
	return cell->high - cell->low > STEADY_POINTS;
}

/* What has most of the slots has so few only if those of others were not counted. */
#define HARDLY_ANY_PCT 1

/* Is level 1 marked, as it is not all of the slots?  Sets *sum. */
static bool is_not_all(const struct td_row *row, double *sum)
{
	bool marked = false;

	*sum = 0;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (row->nodes[i].level != 1 || cell->status != TD_STATUS_OK)
			continue;
		*sum += cell->value;
		marked |= cell->misfit == TD_MISFIT_SUM;
	}
	/* Intel's nodes are shares of the sum of the fields, whatever that is */
	if (!isnan(row->fields_sum))
		*sum = 100 * row->fields_sum;
	return marked;
}

/* The verdict of verdict->row. */
static void find_of_row(struct td_verdict *verdict,
			const struct td_report *report)
{
	struct td_siblings top;

	verdict->waits = report->mostly_waited;
	verdict->held = report->held;
	verdict->busy_pct = isnan(report->tasks_pct) ? verdict->row->busy_pct
						     : report->tasks_pct;
	td_siblings_find(&top, report, verdict->row, NULL);
	verdict->by_size = top.by_size;
	verdict->situation = check_top(&top);
	if (verdict->situation == TD_SITUATION_NONE)
		return;
	/* a thread that slept is as any command: not the CPUs were idle */
	if (verdict->row->idle && verdict->row->activity.cpus)
		verdict->situation = TD_SITUATION_IDLE;
	else if (verdict->situation != TD_SITUATION_SHORT &&
		 is_not_all(verdict->row, &verdict->sum_pct))
		verdict->situation = TD_SITUATION_SUM;
	else if (verdict->situation == TD_SITUATION_CLEAR)
		judge(verdict, report, &top);
	verdict->changed = verdict->situation != TD_SITUATION_IDLE &&
			   verdict->situation != TD_SITUATION_SUM &&
			   has_changed(verdict->row);
}

/* What is between functions is no place to look at. */
static bool is_between(const struct td_row *row)
{
	return row->region && row->region->outside && row->region->function;
}

/* Of cgroups that hold others, those within tell more. */
static bool is_loser(const struct td_row *row)
{
	return !is_between(row) && !row->holds_others && row->lost_pct > 0;
}

/* Of all kinds of core. */
static double lost_between(const struct td_report *report)
{
	double sum = 0;

	for (size_t i = 0; report->has_lost && i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (is_between(row) && row->lost_pct > 0)
			sum += row->lost_pct;
	}
	return sum;
}

static double known_error(const struct td_row *row)
{
	return isnan(row->lost_error) ? 0 : row->lost_error;
}

/*
 * What the rows from the first one on that have its id lost, each on another kind
 * of core.  Returns false if that tells nothing, as that of idle CPUs.
 */
static bool add_up(const struct td_report *report, size_t first, size_t *end,
		   bool idle_too, struct td_row *sum)
{
	bool tells = false;

	*sum = report->rows[first];
	sum->lost_pct = sum->lost_error = 0;
	for (*end = first; *end < report->nr_rows; ++*end) {
		const struct td_row *row = &report->rows[*end];

		if (strcmp(row->id, sum->id) != 0)
			break;
		if (!is_loser(row))
			continue;
		sum->lost_pct += row->lost_pct;
		sum->lost_error = hypot(sum->lost_error, known_error(row));
		tells |= idle_too || !row->idle || !row->activity.cpus;
	}
	return tells;
}

/* A row that lost a tenth more than another is no culprit for that. */
#define ALIKE 0.9

/* Did the one lose as much as the first one, as far as the errors tell? */
static bool is_alike(const struct td_row *sum, const struct td_row *first)
{
	return sum->lost_pct >= ALIKE * first->lost_pct ||
	       sum->lost_pct + sum->lost_error >=
		       first->lost_pct - first->lost_error;
}

static void count_losers(struct td_verdict *verdict,
			 const struct td_report *report, bool idle_too)
{
	struct td_row sum;
	size_t end;

	for (size_t i = 0; verdict->losers[0].id && i < report->nr_rows;
	     i = end) {
		if (!add_up(report, i, &end, idle_too, &sum))
			continue;
		verdict->nr_losers++;
		verdict->nr_alike += is_alike(&sum, &verdict->losers[0]);
	}
}

static void find_losers(struct td_verdict *verdict,
			const struct td_report *report, bool idle_too)
{
	struct td_row *losers = verdict->losers, sum;
	size_t end;

	for (size_t i = 0; report->has_lost && i < report->nr_rows; i = end) {
		if (!add_up(report, i, &end, idle_too, &sum))
			continue;
		if (!losers[0].id || sum.lost_pct > losers[0].lost_pct) {
			losers[1] = losers[0];
			losers[0] = sum;
		} else if (!losers[1].id || sum.lost_pct > losers[1].lost_pct) {
			losers[1] = sum;
		}
	}
	count_losers(verdict, report, idle_too);
}

/*
 * Were the CPUs of all rows idle, and all of them together, too?  Little work on each
 * of many CPUs is much.
 */
static bool are_idle(const struct td_report *report, double *busy_pct)
{
	double busy = 0, whole = 0;
	unsigned int cpus = 0;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		/* of a package */
		if (isnan(row->slots))
			continue;
		if (!row->idle || !row->activity.cpus)
			return false;
		cpus += row->activity.cpus;
		busy += row->activity.busy_s;
		whole += row->activity.whole_s;
	}
	*busy_pct = 100 * busy / whole;
	return td_are_idle(*busy_pct, busy, whole, cpus);
}

void td_verdict_find(struct td_verdict *verdict, const struct td_report *report)
{
	*verdict = (struct td_verdict){ .busy_pct = NAN };
	if (!has_one_id(report)) {
		if (are_idle(report, &verdict->busy_pct)) {
			verdict->situation = TD_SITUATION_IDLE;
			return;
		}
		find_losers(verdict, report, false);
		if (!verdict->losers[0].id)
			find_losers(verdict, report, true);
		verdict->between_pct = lost_between(report);
		return;
	}
	verdict->row = find_row(report);
	if (!verdict->row || verdict->row->share_pct < HARDLY_ANY_PCT)
		verdict->situation = TD_SITUATION_NOT_COUNTED;
	else
		find_of_row(verdict, report);
}

/* With less, a kind of core changes little of how long the work takes. */
#define WORTH_A_VERDICT_PCT 20

size_t td_verdict_find_others(struct td_verdict others[TD_VERDICT_OTHERS],
			      const struct td_verdict *verdict,
			      const struct td_report *report)
{
	size_t nr = 0;

	for (size_t i = 0; verdict->row && i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (row == verdict->row || row->package || !was_counted(row) ||
		    !(row->share_pct > WORTH_A_VERDICT_PCT) ||
		    nr == TD_VERDICT_OTHERS)
			continue;
		others[nr] = (struct td_verdict){ .row = row, .busy_pct = NAN };
		find_of_row(&others[nr], report);
		/* of tasks that waited, there is nothing to say */
		nr += others[nr].situation != TD_SITUATION_NONE &&
		      !(others[nr].situation == TD_SITUATION_SHORT &&
			others[nr].waits);
	}
	return nr;
}
