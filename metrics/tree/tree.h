/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/tree: compiles the metrics that were asked for.
 *
 * In: sets of metrics, and the request (struct td_ask).
 * Out: struct td_tree, with compiled formulas, their order and columns, and the
 * events that they need, for lib/plan.
 */
#ifndef TD_METRICS_TREE_TREE_H
#define TD_METRICS_TREE_TREE_H

#include "lib/count/latencies.h"
#include "lib/count/report.h"
#include "lib/event/resolve.h"
#include "lib/plan/plan.h"
#include "metrics/formula/expr.h"
#include "metrics/sets/set.h"
#include "metrics/sets/sets.h"

/* The kinds of operands, which names in formulas refer to. */
enum td_operand_kind {
	TD_OPERAND_CONSTANT,
	TD_OPERAND_EVENT,   /* the sum of its events' counts */
	TD_OPERAND_METRIC,  /* another metric's value */
	TD_OPERAND_SOURCES, /* the number of units that count an event */
	TD_OPERAND_CPUS,    /* the number of CPUs that count an event */
	/*
	 * What a clock, such as the TSC, counts in the time of the row at one
	 * place.  Beside an event, in as many places as the event: the most that
	 * the event can count.
	 */
	TD_OPERAND_CLOCK,
	/*
	 * The number of places (CPUs, packages) in the row: those of the event
	 * beside it, else the CPUs of the operand's PMU.  Of tasks it is 1.
	 */
	TD_OPERAND_PLACES,
	TD_OPERAND_TIME, /* duration_time and such, in seconds */
	/* a retire latency that samples tell, in tree->constants */
	TD_OPERAND_LATENCY,
};

enum td_operand_state {
	TD_OPERAND_NEW, /* named in a formula, but maybe not needed */
	TD_OPERAND_BUSY,
	TD_OPERAND_READY,
	TD_OPERAND_REFUSED,
};

struct td_operand {
	char *name;
	int pmu;
	/* modifiers of the metric that names it, for all its events */
	const char *mods;
	int owner; /* index of the only metric that uses it; -1: shared */
	enum td_operand_kind kind;
	enum td_operand_state state;
	const struct td_metric_def *def; /* if it is a metric */
	/* if it is a built-in event; may be NULL */
	const struct td_event_def *event;
	struct td_ints events; /* indices in the list of events */
	enum td_tool tool;     /* if it is a time */
	bool scaled; /* multiply counts by the events' scale of sysfs */
	/*
	 * on a hybrid: what software and MSRs count is that of the PMU's own CPUs, not of
	 * all
	 */
	bool own_cpus;
	int beside;    /* of clocks and places: another operand; -1: none */
	char *refusal; /* why there is no value */
};

/* A metric on one PMU, ready to be computed. */
struct td_metric {
	const struct td_metric_def *def;
	char *name; /* the name with its modifiers: "tma_retiring:u" */
	int pmu;    /* index of the PMU in the machine */
	int slot;   /* index of its operand, and of its value */
	int column; /* column of the report; -1: not shown */
	int parent; /* index of the metric above it; -1: none that is shown */
	int family; /* 1 + its index in the tree's families; 0: none */
	bool shown; /* the user asked for it */
	bool named; /* asked for by name, not by level: always worth showing */
	bool kept;  /* its events are counted: it is shown, or is an operand */
	/* of half of the core's clocks while its other thread runs, too */
	bool halved;
	int order; /* the order in which metrics were asked for */
	/* position in the whole tree of its set; 0: outside of it */
	int position;
	/* NULL: it has no value, see its operand's refusal */
	struct td_expr *value;
	struct td_expr *threshold; /* NULL: none */
	struct td_ints events;     /* the events of its formula */
	struct td_ints extra;      /* the events of its threshold */
	struct td_ints latencies;  /* of its formula: indices in the tree's */
};

/*
 * The children of one node, at level 3 or deeper: with td_ask.drill, they are
 * counted only while that node is over its threshold.
 */
struct td_tree_family {
	int pmu;
	int node;    /* index of the metric above them */
	int above;   /* the node's own family, as in td_metric.family */
	bool shares; /* it needs an event that belongs to a pool */
};

/* The retire latency of an event, in cycles, which formulas call EVENT:R. */
struct td_tree_latency {
	char *event; /* "cpu_core/MEM_INST_RETIRED.LOCK_LOADS/" */
	int operand;
	double usual; /* the mean of the model's files; NaN: they have none */
	int sampled;  /* index in the events to sample; -1: of a recording */
	bool used;    /* a metric that can be computed needs it */
	char *why;    /* why metrics have no value without it */
};

/*
 * All metrics that are computed from one set of counts, each after those that
 * it refers to.  Free with td_tree_free().
 */
struct td_tree {
	const struct td_machine *machine;  /* borrowed */
	const struct td_metric_set **sets; /* one for each PMU; NULL: none */
	int *levels; /* one for each PMU: its deepest level that is shown */
	/* one for each PMU: metrics that were asked for, but not recorded */
	size_t *nr_dropped;
	size_t nr_pmus;
	struct td_operand *operands;
	/* one for each operand; NaN: not a constant, or a latency not known */
	double *constants;
	size_t nr_operands;
	struct td_tree_latency *latencies; /* that samples tell */
	size_t nr_latencies;
	struct td_metric *metrics;
	size_t nr_metrics, nr_shown;
	bool fixed; /* the events are those of a recording */
	/* show all metrics: there are no thresholds, or only one level */
	bool all_matter;
	struct td_column *columns;
	size_t nr_columns;
	struct td_node **nodes; /* one list for each PMU, in tree order */
	size_t *nr_nodes;
	struct td_node *package_nodes; /* of the row of the whole package */
	size_t nr_package_nodes;
	struct td_need *needs; /* one for each shown metric, level 1 first */
	size_t nr_needs;
	struct td_tree_family
		*families; /* a node's family comes after its own */
	size_t nr_families;
	/*
	 * For each event what it is counted for, as a td_tree_label(), which is
	 * what td_schedule.families has; NULL without families.
	 */
	int *families_of_events;
	int *references; /* one for each PMU, for td_plan_build(); -1: none */
	/* one for each PMU: the operand with the number of slots; -1: none */
	int *slots;
	double tsc_hz; /* of the time-stamp counter; NaN: unknown */
	/* of the machine; NaN: unknown */
	double nr_cpus, nr_cores, nr_dies, nr_packages;
};

/* What events and their groups are counted for. */
enum td_use_kind {
	TD_USE_ALWAYS, /* levels 1 and 2 */
	TD_USE_FAMILY,
	/* its pool: only several families below this one need them */
	TD_USE_POOL,
	/* several families that have none above them in common: any of all */
	TD_USE_ANY,
};

/* The number that stands for it in plans and counters: 0 for ALWAYS. */
static inline int td_tree_label(const struct td_tree *tree,
				enum td_use_kind kind, int family)
{
	return kind == TD_USE_ALWAYS
		       ? 0
		       : ((int)kind - 1) * (int)tree->nr_families + family + 1;
}

/* *family: the index of the one that it is about. */
static inline enum td_use_kind td_tree_use(const struct td_tree *tree,
					   int label, int *family)
{
	int nr = (int)tree->nr_families;

	*family = label ? (label - 1) % nr : 0;
	return label ? (enum td_use_kind)((label - 1) / nr + 1) : TD_USE_ALWAYS;
}

/* The input of td_tree_build(); all of it must outlive the tree. */
struct td_tree_setup {
	const struct td_machine *machine;
	const struct td_sets *sets;
	const struct td_ask *ask;
	const struct td_literals *literals;
	/* of the names in formulas of files */
	const struct td_event_source *source;
	struct td_pmu_events *files; /* for retire latencies; may be NULL */
	bool fixed; /* the list has the events of a recording */
	/* samples tell, or have told, retire latencies; else the files do */
	bool latencies;
	/* to which the events to sample are appended; NULL: a recording */
	struct td_events *sampled;
	/* is an unknown name a metric or group of other processors? */
	bool (*is_elsewhere)(const char *name);
};

/*
 * Builds the tree of the metrics in setup->ask.  The events that they need are
 * appended to events; or found there if these were recorded (fixed), and
 * metrics that were not recorded are not shown.  An unknown name is an error
 * whose hint has the closest one.
 */
int td_tree_build(struct td_tree *tree, struct td_events *events,
		  const struct td_tree_setup *setup, struct td_err *err);
void td_tree_free(struct td_tree *tree);
/*
 * Sets the latencies to the means of samples, or to the files' where there are too
 * few of them.
 */
void td_tree_set_latencies(const struct td_tree *tree,
			   const struct td_latencies *latencies);
/* Why a metric has no value, if it lacks a latency; else NULL. */
const char *td_tree_latency_gap(const struct td_tree *tree,
				const struct td_metric *metric);
/* Returns the reason why a metric can have no value, or NULL. */
const char *td_metric_refusal(const struct td_tree *tree,
			      const struct td_metric *metric);

#endif
