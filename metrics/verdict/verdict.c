// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/verdict/verdict.h"

#include <math.h>

#include "lib/base/util.h"

/* --- siblings, and the significantly largest one ---------------------------- */

#define MAX_SIBLINGS 256 /* more nodes than any level of a tree has */

/* The children of one node. */
struct siblings {
	const struct td_report *report;
	const struct td_row *row;
	const struct td_found *parent; /* NULL: all slots */
	const struct td_node *nodes[MAX_SIBLINGS];
	size_t nr;
	bool by_size; /* no node of the row has a threshold, so any loss counts */
};

/* Result of ranking siblings. */
enum outcome {
	OUTCOME_EMPTY,   /* the report has no such nodes */
	OUTCOME_BELOW,   /* no node is above its threshold */
	OUTCOME_NEAR,    /* a node is above its threshold by less than its error */
	OUTCOME_SHORT,   /* there were too few reads, or the error of second exceeds its value */
	OUTCOME_UNKNOWN, /* errors or values are missing */
	OUTCOME_UNLIKE,  /* shares of different things */
	OUTCOME_TIED,    /* the difference of first and second is not significant */
	OUTCOME_WON,     /* first is significantly the largest */
};

struct ranking {
	enum outcome outcome;
	/*
	 * first is above its threshold.  second is the largest of the other siblings; if they
	 * cannot be compared, the largest that is significantly above its threshold.
	 */
	struct td_found first, second;
};

#define ALL_SLOTS 100

/* Levels 1 and 2 are shares of slots on every core. */
#define SLOTS_LEVEL 2

static const struct td_cell *cell_of(const struct siblings *siblings, const struct td_node *node)
{
	return &siblings->row->cells[node->column];
}

static const char *name_of(const struct siblings *siblings, const struct td_node *node)
{
	return siblings->report->columns[node->column].name;
}

/* Below level 2, some nodes are shares of cycles, which only their descriptions show. */
bool td_node_is_in_slots(const struct td_node *node)
{
	return node->level <= SLOTS_LEVEL || (node->desc && strstr(node->desc, " slots"));
}

static bool is_in_cycles(const struct td_node *node)
{
	return !td_node_is_in_slots(node) && node->desc &&
	       (strstr(node->desc, " cycles") || strstr(node->desc, " clocks") ||
		strstr(node->desc, " stalled"));
}

static bool is_shown(const struct td_report *report, const struct td_row *row, const char *name)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (strcmp(report->columns[row->nodes[i].column].name, name) == 0)
			return true;
	}
	return false;
}

static bool is_child(const struct siblings *siblings, const struct td_node *node)
{
	if (!node->level || cell_of(siblings, node)->status == TD_STATUS_NONE)
		return false;
	if (siblings->parent)
		return node->parent && strcmp(node->parent, siblings->parent->name) == 0;
	return !node->parent || !is_shown(siblings->report, siblings->row, node->parent);
}

/* Is a threshold of the row known?  AMD does not publish thresholds. */
static bool has_thresholds(const struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (cell->status == TD_STATUS_OK && !cell->over_unknown)
			return true;
	}
	return false;
}

static void find_siblings(struct siblings *siblings, const struct td_report *report,
			  const struct td_row *row, const struct td_found *parent)
{
	*siblings = (struct siblings){
		.report = report,
		.row = row,
		.parent = parent,
		.by_size = !has_thresholds(row),
	};
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (is_child(siblings, &row->nodes[i]) && siblings->nr < MAX_SIBLINGS)
			siblings->nodes[siblings->nr++] = &row->nodes[i];
	}
}

static const struct td_node *remove_sibling(struct siblings *siblings, const char *name)
{
	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_node *node = siblings->nodes[i];

		if (strcmp(td_node_short_name(name_of(siblings, node)), name) != 0)
			continue;
		siblings->nr--;
		for (; i < siblings->nr; i++)
			siblings->nodes[i] = siblings->nodes[i + 1];
		return node;
	}
	return NULL;
}

/*
 * Return the node's share of the slots.  If siblings are shares of cycles, the slots of their
 * parent are divided in proportion, as in the formulas of Intel's tma_info_bottleneck_* metrics.
 */
static double slots_of(const struct siblings *siblings, const struct td_node *node)
{
	double sum = 0;

	if (td_node_is_in_slots(node))
		return cell_of(siblings, node)->value;
	if (!siblings->parent || !is_in_cycles(node))
		return NAN;
	for (size_t i = 0; i < siblings->nr; i++)
		sum += cell_of(siblings, siblings->nodes[i])->value;
	return siblings->parent->slots_pct * cell_of(siblings, node)->value / sum;
}

static struct td_found found_of(const struct siblings *siblings, const struct td_node *node)
{
	const struct td_cell *cell = cell_of(siblings, node);

	return (struct td_found){
		.node = node,
		.name = name_of(siblings, node),
		.value = cell->value,
		.error = cell->error,
		.slots_pct = slots_of(siblings, node),
		.clear = cell->clear_of_threshold,
	};
}

/* Can the true value, within the error, be between 0 and 100 %? */
static bool is_consistent(const struct td_cell *cell)
{
	return cell->misfit == TD_FITS && cell->value + cell->error >= 0 &&
	       cell->value - cell->error <= ALL_SLOTS;
}

/*
 * Is the node below its threshold, and its description does not show whether it is a share of
 * slots or cycles?  Such a node does not compete with its siblings.
 */
static bool is_no_competitor(const struct siblings *siblings, const struct td_node *node)
{
	const struct td_cell *cell = cell_of(siblings, node);

	return !td_node_is_in_slots(node) && !is_in_cycles(node) && cell->status == TD_STATUS_OK &&
	       !cell->over_threshold && !cell->over_unknown && !isnan(cell->error);
}

/*
 * Are they all shares of slots, or all shares of one parent's cycles?  Nodes of several
 * parents are known to be shares of slots only on levels 1 and 2.
 */
static bool are_comparable(const struct siblings *siblings)
{
	size_t nr_slots = 0, nr_cycles = 0, nr = 0;
	const char *parent = siblings->nodes[0]->parent;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_node *node = siblings->nodes[i];
		bool same = td_same_text(parent, node->parent);

		nr_slots += (same || node->level <= SLOTS_LEVEL) && td_node_is_in_slots(node);
		nr_cycles += same && is_in_cycles(node);
		nr += !is_no_competitor(siblings, node);
	}
	return nr_slots == nr || nr_cycles == nr;
}

/* Is the value above its threshold or, without thresholds, above 0?  sure: significantly? */
static bool is_over(const struct siblings *siblings, const struct td_cell *cell, bool sure)
{
	if (siblings->by_size)
		return cell->value - (sure ? cell->error : 0) > 0;
	return sure ? cell->clear_of_threshold : cell->over_threshold;
}

/* Find the largest node above its threshold (sure: significantly) except one; or NULL. */
static const struct td_node *find_over(const struct siblings *siblings, const struct td_node *but,
				       bool sure)
{
	const struct td_node *first = NULL;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_cell *cell = cell_of(siblings, siblings->nodes[i]);

		if (is_over(siblings, cell, sure) && siblings->nodes[i] != but &&
		    is_consistent(cell) &&
		    (!first || cell->value > cell_of(siblings, first)->value))
			first = siblings->nodes[i];
	}
	return first;
}

static double top_of(const struct td_cell *cell)
{
	return cell->value + (isnan(cell->error) ? 0 : cell->error);
}

/*
 * Is a node that is not a share of slots significantly larger than first, but below its threshold?
 * Such cycles are not a problem, for example cycles in which three ports were used.  Lost slots are
 * a loss even below a threshold.
 */
static bool is_harmless(const struct siblings *siblings, const struct td_node *node,
			const struct td_node *first)
{
	const struct td_cell *cell = cell_of(siblings, node);

	return !td_node_is_in_slots(node) && !cell->over_threshold && !cell->over_unknown &&
	       !isnan(cell->error) && cell->value - cell->error > top_of(cell_of(siblings, first));
}

/* Find the node that may be the largest of the other siblings, whatever its threshold. */
static const struct td_node *find_second(const struct siblings *siblings,
					 const struct td_node *first)
{
	const struct td_node *second = NULL;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_node *node = siblings->nodes[i];
		const struct td_cell *cell = cell_of(siblings, node);

		if (node == first || cell->status != TD_STATUS_OK ||
		    is_no_competitor(siblings, node) ||
		    (!isnan(cell->error) && !is_consistent(cell)) ||
		    (first && is_harmless(siblings, node, first)))
			continue;
		if (!second || top_of(cell) > top_of(cell_of(siblings, second)))
			second = node;
	}
	return second;
}

/* Return the reason why no node is significantly above its threshold. */
static enum outcome why_none(const struct siblings *siblings)
{
	enum outcome why = OUTCOME_BELOW;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_cell *cell = cell_of(siblings, siblings->nodes[i]);
		bool over = is_over(siblings, cell, false);

		if (cell->status != TD_STATUS_OK || (cell->over_unknown && !siblings->by_size) ||
		    (over && cell->misfit != TD_FITS))
			why = OUTCOME_UNKNOWN;
		else if (over && cell->too_short)
			return OUTCOME_SHORT;
		else if (over && why == OUTCOME_BELOW)
			why = isnan(cell->error) ? OUTCOME_UNKNOWN : OUTCOME_NEAR;
	}
	return why;
}

/*
 * May a sibling without a value or error be as large as first?  A sibling that was not
 * measured has at most the remainder of the parent.
 */
static enum outcome what_is_missing(const struct siblings *siblings, const struct td_node *first)
{
	double left = siblings->parent ? siblings->parent->value : ALL_SLOTS;
	bool uncounted = false;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_cell *cell = cell_of(siblings, siblings->nodes[i]);

		if (cell->status != TD_STATUS_OK)
			uncounted = true;
		else if (isnan(cell->error))
			return cell->too_short ? OUTCOME_SHORT : OUTCOME_UNKNOWN;
		else
			left -= cell->value;
	}
	if (uncounted && (!td_node_is_in_slots(first) || left > cell_of(siblings, first)->value))
		return OUTCOME_UNKNOWN;
	return OUTCOME_WON;
}

static void rank(const struct siblings *siblings, struct ranking *ranking)
{
	const struct td_node *first, *second;
	const struct td_cell *cell, *other;
	bool nothing;

	*ranking = (struct ranking){ .outcome = OUTCOME_EMPTY };
	if (!siblings->nr)
		return;
	first = find_over(siblings, NULL, true);
	second = first && !are_comparable(siblings) ? find_over(siblings, first, true)
						    : find_second(siblings, first);
	if (first)
		ranking->first = found_of(siblings, first);
	if (second)
		ranking->second = found_of(siblings, second);
	if (!first) {
		ranking->outcome = why_none(siblings);
		first = find_over(siblings, NULL, false);
		if (first)
			ranking->first = found_of(siblings, first);
		return;
	}
	ranking->outcome =
		are_comparable(siblings) ? what_is_missing(siblings, first) : OUTCOME_UNLIKE;
	cell = cell_of(siblings, first);
	if (ranking->outcome != OUTCOME_WON || !second)
		return;
	other = cell_of(siblings, second);
	/* a sibling that may be 0 is not a second cause, but cannot be excluded either */
	nothing = other->error > other->value;
	if (top_of(other) >= cell->value - cell->error)
		ranking->outcome = nothing ? OUTCOME_SHORT : OUTCOME_TIED;
	else if (nothing)
		ranking->second = (struct td_found){ 0 };
}

/* --- the verdict ----------------------------------------------------------- */

/* At level 2 and deeper, counting one group of nodes costs less than one more level. */
#define GROUP_LEVEL 2

const struct td_found *td_verdict_last(const struct td_verdict *verdict)
{
	return verdict->nr_path ? &verdict->path[verdict->nr_path - 1] : NULL;
}

const struct td_found *td_verdict_sibling(const struct td_verdict *verdict)
{
	const char *parent = verdict->runner_up.node->parent;
	size_t i = verdict->nr_path - 1;

	while (i > 0 && (!parent || strcmp(verdict->path[i].node->parent, parent) != 0))
		i--;
	return &verdict->path[i];
}

const struct td_found *td_verdict_focus(const struct td_verdict *verdict)
{
	return verdict->over[0].node && !verdict->over[1].node ? &verdict->over[0]
							       : td_verdict_last(verdict);
}

/* Return the node with index at of all nodes that the verdict names; NULL after the last one. */
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

const struct td_found *td_verdict_in_doubt(const struct td_verdict *verdict, size_t *at)
{
	const struct td_found *found;

	do
		found = named(verdict, (*at)++);
	while (found && !(found->node && found->node->errata));
	return found;
}

/* --- the rows of the report ------------------------------------------------- */

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

/* --- the path through the tree -------------------------------------------- */

static void push(struct td_verdict *verdict, const struct td_found *found)
{
	if (verdict->nr_path < TD_VERDICT_DEPTH)
		verdict->path[verdict->nr_path++] = *found;
}

/* Suggest the next measurement.  outcome is the result of ranking the children. */
static void go_deeper(struct td_verdict *verdict, enum outcome outcome)
{
	const struct td_found *focus = td_verdict_focus(verdict);
	bool shown = focus == td_verdict_last(verdict) && outcome != OUTCOME_EMPTY &&
		     outcome != OUTCOME_SHORT;

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
 * Keep the competitor of the path's last node: its sibling, or a sibling of an ancestor
 * that is above its threshold and a larger share of the slots.
 */
static void keep_larger(struct td_verdict *verdict, const struct td_found *sibling)
{
	const struct td_found *outer = &verdict->runner_up;

	if (outer->node && outer->clear && !(sibling->slots_pct >= outer->slots_pct))
		return;
	verdict->runner_up = *sibling;
}

/* Follow the largest nodes down from the end of the path. */
static void descend(struct td_verdict *verdict, const struct td_report *report)
{
	struct ranking ranking = { .outcome = OUTCOME_WON };
	struct siblings siblings;

	while (ranking.outcome == OUTCOME_WON) {
		find_siblings(&siblings, report, verdict->row, td_verdict_last(verdict));
		rank(&siblings, &ranking);
		if (ranking.outcome == OUTCOME_WON) {
			push(verdict, &ranking.first);
			keep_larger(verdict, &ranking.second);
		}
	}
	if (ranking.outcome == OUTCOME_TIED) {
		verdict->tied[0] = ranking.first;
		verdict->tied[1] = ranking.second;
	}
	if (ranking.outcome == OUTCOME_UNLIKE) {
		verdict->over[0] = ranking.first;
		verdict->over[1] = ranking.second;
	}
	verdict->short_below = ranking.outcome == OUTCOME_SHORT;
	/* otherwise, counting these nodes again or for longer would not help */
	if (ranking.outcome != OUTCOME_BELOW && !verdict->over[1].node)
		go_deeper(verdict, ranking.outcome);
}

/* Below retiring, only heavy operations are a problem. */
static void descend_to_heavy(struct td_verdict *verdict, const struct td_report *report)
{
	struct siblings siblings;
	const struct td_node *heavy;

	find_siblings(&siblings, report, verdict->row, td_verdict_last(verdict));
	if (!siblings.nr)
		go_deeper(verdict, OUTCOME_EMPTY);
	heavy = remove_sibling(&siblings, "heavy_operations");
	if (heavy && cell_of(&siblings, heavy)->clear_of_threshold) {
		const struct td_found found = found_of(&siblings, heavy);

		push(verdict, &found);
		go_deeper(verdict, OUTCOME_EMPTY);
	}
}

/* Set the verdict if most slots did work: retiring, and the losses. */
static void judge_work(struct td_verdict *verdict, const struct td_report *report,
		       const struct td_found *retiring, const struct ranking *losses)
{
	verdict->situation = TD_SITUATION_RETIRING;
	push(verdict, retiring);
	if (losses->outcome == OUTCOME_TIED) {
		verdict->tied[0] = losses->first;
		verdict->tied[1] = losses->second;
	} else {
		verdict->runner_up = losses->first;
	}
	verdict->no_loss = losses->outcome == OUTCOME_BELOW;
	descend_to_heavy(verdict, report);
}

/* Is the work above its threshold, and more than the largest loss? */
static bool retires_most(const struct siblings *siblings, const struct td_node *work,
			 const struct ranking *losses)
{
	const struct td_cell *cell;

	if (!work)
		return false;
	cell = cell_of(siblings, work);
	if (!cell->clear_of_threshold && !siblings->by_size)
		return false;
	return !losses->first.node ||
	       cell->value - cell->error > losses->first.value + losses->first.error;
}

static enum td_situation situation_of(enum outcome outcome)
{
	switch (outcome) {
	case OUTCOME_BELOW:
		return TD_SITUATION_NOTHING;
	case OUTCOME_NEAR:
		return TD_SITUATION_NEAR;
	case OUTCOME_SHORT:
		return TD_SITUATION_SHORT;
	case OUTCOME_TIED:
		return TD_SITUATION_TIE;
	case OUTCOME_WON:
		return TD_SITUATION_CLEAR;
	case OUTCOME_UNLIKE:
		return TD_SITUATION_UNLIKE;
	case OUTCOME_EMPTY:
	case OUTCOME_UNKNOWN:
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

/*
 * Remove the nodes that did work from the uppermost nodes, and return one of them: retiring or, if
 * only level 2 is shown, light operations.  Heavy operations are not lost slots either.
 */
static const struct td_node *remove_work(struct siblings *top)
{
	const struct td_node *retiring = remove_sibling(top, "retiring");

	if (retiring)
		return retiring;
	remove_sibling(top, "heavy_operations");
	return remove_sibling(top, "light_operations");
}

/* Rank the uppermost nodes, then descend from the largest. */
static void judge(struct td_verdict *verdict, const struct td_report *report, struct siblings *top)
{
	const struct td_node *work = remove_work(top);
	struct ranking ranking;

	rank(top, &ranking);
	verdict->situation = situation_of(ranking.outcome);
	if (retires_most(top, work, &ranking)) {
		const struct td_found found = found_of(top, work);

		judge_work(verdict, report, &found, &ranking);
	} else if (ranking.outcome == OUTCOME_WON) {
		push(verdict, &ranking.first);
		verdict->runner_up = ranking.second;
		descend(verdict, report);
	} else if (ranking.outcome == OUTCOME_TIED) {
		verdict->tied[0] = ranking.first;
		verdict->tied[1] = ranking.second;
		verdict->level = deepest_level(verdict->row) + 1;
		if (verdict->level <= TD_VERDICT_DEPTH)
			verdict->deeper = TD_DEEPER_LEVEL;
	} else if (ranking.outcome == OUTCOME_NEAR) {
		verdict->runner_up = ranking.first;
	}
}

/* Return why the nodes cannot be ranked, or TD_SITUATION_CLEAR if they can be. */
static enum td_situation check_top(const struct siblings *top)
{
	bool errors = false, too_short = false;

	for (size_t i = 0; i < top->nr; i++) {
		const struct td_cell *cell = cell_of(top, top->nodes[i]);

		errors |= !isnan(cell->error);
		too_short |= cell->too_short;
	}
	if (!top->nr)
		return TD_SITUATION_NONE;
	if (errors)
		return TD_SITUATION_CLEAR;
	return too_short ? TD_SITUATION_SHORT : TD_SITUATION_UNKNOWN;
}

#define STEADY_PCT    90 /* a start or an end of less than 10 % of the time is not a phase */
#define STEADY_POINTS 10 /* a smaller range: nodes of similar size alternate as the largest */

static bool has_changed(const struct td_row *row)
{
	const struct td_phases *phases = &row->phases;
	const struct td_cell *cell;

	if (!(phases->first_pct > 0) || phases->first_pct >= STEADY_PCT)
		return false;
	cell = &row->cells[phases->first];
	return cell->high - cell->low > STEADY_POINTS;
}

/* Minimum share of the row with most slots; below it, slots of other rows were not counted. */
#define HARDLY_ANY_PCT 1

/* Is level 1 marked because it does not sum to 100 %?  Sets *sum. */
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
	/* Intel's nodes always sum to 100 %, because they are shares of the sum of the fields */
	if (!isnan(row->fields_sum))
		*sum = 100 * row->fields_sum;
	return marked;
}

/* Find the verdict of verdict->row. */
static void find_of_row(struct td_verdict *verdict, const struct td_report *report)
{
	struct siblings top;

	verdict->waits = report->mostly_waited;
	verdict->held = report->held;
	verdict->busy_pct = isnan(report->tasks_pct) ? verdict->row->busy_pct : report->tasks_pct;
	find_siblings(&top, report, verdict->row, NULL);
	verdict->by_size = top.by_size;
	verdict->situation = check_top(&top);
	if (verdict->situation == TD_SITUATION_NONE)
		return;
	/* only CPUs are idle; a thread that slept is judged like any command */
	if (verdict->row->idle && verdict->row->activity.cpus)
		verdict->situation = TD_SITUATION_IDLE;
	else if (verdict->situation != TD_SITUATION_SHORT &&
		 is_not_all(verdict->row, &verdict->sum_pct))
		verdict->situation = TD_SITUATION_SUM;
	else if (verdict->situation == TD_SITUATION_CLEAR)
		judge(verdict, report, &top);
	verdict->changed = verdict->situation != TD_SITUATION_IDLE &&
			   verdict->situation != TD_SITUATION_SUM && has_changed(verdict->row);
}

/* Is it the row of the time between functions, which does not belong to any code? */
static bool is_between(const struct td_row *row)
{
	return row->region && row->region->outside && row->region->function;
}

/*
 * Can the verdict name the row?  Inner cgroups are named rather than the outer ones that contain
 * them.
 */
static bool is_loser(const struct td_row *row)
{
	return !is_between(row) && !row->holds_others && row->lost_pct > 0;
}

/*
 * Sum the losses of the rows of one id, which are on different core types, starting at first.
 * Returns false if they are not worth naming, such as rows of idle CPUs.
 */
static bool add_up(const struct td_report *report, size_t first, size_t *end, bool idle_too,
		   struct td_row *sum)
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
		sum->lost_error =
			hypot(sum->lost_error, isnan(row->lost_error) ? 0 : row->lost_error);
		tells |= idle_too || !row->idle || !row->activity.cpus;
	}
	return tells;
}

/* Losses that differ by less than a tenth are alike. */
#define TIED_SHARE 0.9

static void count_losers(struct td_verdict *verdict, const struct td_report *report, bool idle_too)
{
	struct td_row sum;
	size_t end;

	for (size_t i = 0; verdict->losers[0].id && i < report->nr_rows; i = end) {
		if (!add_up(report, i, &end, idle_too, &sum))
			continue;
		verdict->nr_losers++;
		verdict->nr_tied +=
			sum.lost_pct >= TIED_SHARE * verdict->losers[0].lost_pct ||
			sum.lost_pct + sum.lost_error >=
				verdict->losers[0].lost_pct - verdict->losers[0].lost_error;
	}
}

static void find_losers(struct td_verdict *verdict, const struct td_report *report, bool idle_too)
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

/* Return the biggest loss of a row, if it is significant, or NULL. */
static const char *find_loss(const struct td_report *report, const struct td_row *row)
{
	struct td_verdict of_row = { .row = row, .busy_pct = NAN };
	const struct td_found *last;

	find_of_row(&of_row, report);
	last = td_verdict_last(&of_row);
	return of_row.situation == TD_SITUATION_CLEAR && last ? last->name : NULL;
}

/* If all rows lost alike, return the biggest loss that they have in common; NULL: none. */
static const char *find_common(const struct td_verdict *verdict, const struct td_report *report)
{
	const char *common = NULL;

	if (verdict->nr_tied < 2 || verdict->nr_tied < verdict->nr_losers)
		return NULL;
	for (size_t i = 0; i < report->nr_rows; i++) {
		const char *loss;

		if (!is_loser(&report->rows[i]))
			continue;
		loss = find_loss(report, &report->rows[i]);
		if (!loss || (common && strcmp(common, loss) != 0))
			return NULL;
		common = loss;
	}
	return common;
}

/* Were the CPUs idle, each row and all together?  A little work on each of many CPUs is a lot. */
static bool are_idle(const struct td_report *report, double *busy_pct)
{
	double busy = 0, whole = 0;
	unsigned int cpus = 0;

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (isnan(row->slots)) /* the row of a package */
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
		for (size_t i = 0; report->has_lost && i < report->nr_rows; i++) {
			if (is_between(&report->rows[i]) && report->rows[i].lost_pct > 0)
				verdict->between_pct += report->rows[i].lost_pct;
		}
		verdict->common = find_common(verdict, report);
		return;
	}
	/* the row with most slots */
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (was_counted(row) && !row->package &&
		    (!verdict->row || !(row->share_pct <= verdict->row->share_pct)))
			verdict->row = row;
	}
	if (!verdict->row || verdict->row->share_pct < HARDLY_ANY_PCT)
		verdict->situation = TD_SITUATION_NOT_COUNTED;
	else
		find_of_row(verdict, report);
}

/* A core type with fewer slots hardly affects the duration. */
#define WORTH_A_VERDICT_PCT 20

size_t td_verdict_find_others(struct td_verdict others[TD_VERDICT_OTHERS],
			      const struct td_verdict *verdict, const struct td_report *report)
{
	size_t nr = 0;

	for (size_t i = 0; verdict->row && i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (row == verdict->row || row->package || !was_counted(row) ||
		    !(row->share_pct > WORTH_A_VERDICT_PCT) || nr == TD_VERDICT_OTHERS)
			continue;
		others[nr] = (struct td_verdict){ .row = row, .busy_pct = NAN };
		find_of_row(&others[nr], report);
		/* tasks that waited have no verdict worth printing */
		nr += others[nr].situation != TD_SITUATION_NONE &&
		      !(others[nr].situation == TD_SITUATION_SHORT && others[nr].waits);
	}
	return nr;
}
