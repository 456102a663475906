/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/tree: the metrics that are wanted, ready to be computed.
 *
 * In: sets of metrics, and what was asked for.
 * Out: struct td_tree: compiled formulas, their order and columns, and the events
 * that they need, for lib/plan.
 */
#ifndef TD_METRICS_TREE_TREE_H
#define TD_METRICS_TREE_TREE_H

#include "lib/count/report.h"
#include "lib/event/resolve.h"
#include "lib/plan/plan.h"
#include "metrics/formula/expr.h"
#include "metrics/formula/literals.h"
#include "metrics/sets/ask.h"
#include "metrics/sets/sets.h"

/* What a name in a formula stands for. */
enum td_operand_kind {
	TD_OPERAND_CONSTANT,
	TD_OPERAND_EVENT,   /* the sum of its events' counts */
	TD_OPERAND_METRIC,  /* another metric's value */
	TD_OPERAND_SOURCES, /* on how many units an event is counted */
	TD_OPERAND_CPUS,    /* on how many CPUs */
	TD_OPERAND_TIME,    /* duration_time and its like, in seconds */
};

enum td_operand_state {
	TD_OPERAND_NEW, /* named, and not known to be needed */
	TD_OPERAND_BUSY,
	TD_OPERAND_READY,
	TD_OPERAND_REFUSED,
};

struct td_operand {
	char *name;
	int pmu;
	const char
		*mods; /* of the metric that names it: ":u" on all its events */
	int owner;     /* the metric that has it for itself, -1: it is shared */
	enum td_operand_kind kind;
	enum td_operand_state state;
	const struct td_metric_def *def;  /* of a metric */
	const struct td_event_def *event; /* of a built-in event; may be NULL */
	struct td_ints events;            /* of the plan */
	enum td_tool tool;                /* of a time */
	bool scaled;                      /* by the events' sysfs scale */
	char *refusal;                    /* why there is no value */
};

/* A metric on one PMU, ready to be computed. */
struct td_metric {
	const struct td_metric_def *def;
	char *name; /* with its modifiers: "tma_retiring:u" */
	int pmu;    /* index in the machine */
	int slot;   /* where its value goes: its operand */
	int column; /* of the report; -1: not shown */
	int parent; /* index of the metric above it, -1: that is not shown */
	bool shown; /* it was asked for */
	bool named; /* by a name, and not for its level: shown whatever it is */
	bool kept;  /* counted for: shown, or the weight of the rest */
	int order;  /* in which it was asked for */
	int place;  /* in its set's whole tree, 0: outside of it */
	struct td_expr *value;     /* NULL: there is none, see its operand */
	struct td_expr *threshold; /* NULL: none */
	struct td_ints events;     /* all that it is made of */
	struct td_ints extra;      /* and what its threshold takes */
};

/*
 * All that is computed from one set of counts, each metric behind those that
 * it refers to.  values[] holds one number an operand.  Free with
 * td_tree_free().
 */
struct td_tree {
	const struct td_plan *plan; /* borrowed, as is the machine */
	const struct td_machine *machine;
	const struct td_metric_set **sets; /* one a PMU; NULL: none */
	int *levels;        /* one a PMU: how deep it can be shown */
	size_t *nr_dropped; /* one a PMU: wanted, and not recorded */
	size_t nr_pmus;
	struct td_operand *operands;
	double *values;
	size_t nr_operands;
	struct td_metric *metrics;
	size_t nr_metrics, nr_shown;
	bool fixed;      /* of a recording */
	bool all_matter; /* no thresholds, or one level alone: all is shown */
	struct td_column *columns;
	size_t nr_columns;
	struct td_node **nodes; /* one list a PMU, in the order of the tree */
	size_t *nr_nodes;
	struct td_need *needs; /* one a metric that is shown, level 1 first */
	size_t nr_needs;
	int *references; /* for td_plan_build(): one a PMU, -1: none */
	int *slots; /* one a PMU: where the number of its slots is, -1: nowhere */
	char **gaps; /* why events did not run; made when needed */
	size_t nr_gaps;
};

/* What td_tree_build() goes by; all of it outlives the tree. */
struct td_tree_setup {
	const struct td_machine *machine;
	const struct td_sets *sets;
	const struct td_ask *ask;
	const struct td_literals *literals;
	const struct td_event_source *source; /* of names in files' formulas */
	struct td_pmu_events *files; /* for retire latencies; may be NULL */
	bool fixed;                  /* the events are recorded ones */
};

/*
 * The metrics that are asked for, and the events that they take: into
 * plan->events, or, if those are recorded ones (fixed), out of them: what was
 * not recorded is not shown.  A name that is no metric's and no group's is an
 * error with the closest one.  1: an event is of none of the PMUs in machine,
 * and it does not hold all yet: read the others, and begin again with an empty
 * plan.
 */
int td_tree_build(struct td_tree *tree, struct td_plan *plan,
		  const struct td_tree_setup *setup, struct td_err *err);
void td_tree_free(struct td_tree *tree);
/* Why a metric has no value, whatever is counted; NULL: it has. */
const char *td_metric_refusal(const struct td_tree *tree,
			      const struct td_metric *metric);

#endif
