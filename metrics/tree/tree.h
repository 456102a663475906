/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/tree: compiles the requested metrics.
 *
 * In: sets of metrics, and the request (struct td_ask).
 * Out: struct td_tree, with compiled formulas, their order and columns, and the
 * events that they need, for lib/plan.
 */
#pragma once

#include "lib/count/latencies.h"
#include "lib/count/report.h"
#include "lib/event/resolve.h"
#include "lib/plan/plan.h"
#include "metrics/formula/expr.h"
#include "metrics/sets/set.h"
#include "metrics/sets/sets.h"

/* Kinds of operands, to which names in formulas refer. */
enum td_operand_kind {
	TD_OPERAND_CONSTANT,
	TD_OPERAND_EVENT,   /* the sum of its events' counts */
	TD_OPERAND_METRIC,  /* another metric's value */
	TD_OPERAND_SOURCES, /* the number of units that count an event */
	TD_OPERAND_CPUS,    /* the number of CPUs that count an event */
	/*
	 * the count of a clock, such as the TSC, at one place during the row.  If another event is
	 * beside it, the count at all places of that event, which is the maximum that the event can
	 * count.
	 */
	TD_OPERAND_CLOCK,
	/*
	 * the number of places (CPUs, packages) in the row: the places of the event beside it, or
	 * else the CPUs of the operand's PMU; 1 for tasks
	 */
	TD_OPERAND_PLACES,
	TD_OPERAND_TIME,    /* duration_time and the like, in seconds */
	TD_OPERAND_LATENCY, /* a sampled retire latency, in tree->constants */
};

enum td_operand_state {
	TD_OPERAND_NEW, /* used in a formula, but perhaps not needed */
	TD_OPERAND_BUSY,
	TD_OPERAND_READY,
	TD_OPERAND_REFUSED,
};

struct td_operand {
	char *name;
	int pmu;
	const char *mods; /* modifiers of the operand's metric, which apply to all its events */
	int owner;        /* index of the only metric that uses it; -1: shared */
	enum td_operand_kind kind;
	enum td_operand_state state;
	const struct td_metric_def *def;  /* the metric that it is, or NULL */
	const struct td_event_def *event; /* the built-in event that it is, or NULL */
	struct td_ints events;            /* indices in the list of events */
	enum td_tool tool;                /* for TD_OPERAND_TIME */
	bool scaled;                      /* multiply counts by the events' scale in sysfs */
	bool own_cpus; /* on a hybrid: software events and MSRs count on the PMU's CPUs only */
	int beside;    /* for clocks and places: another operand; -1: none */
	char *refusal; /* why there is no value */
};

/* A compiled metric on one PMU. */
struct td_metric {
	const struct td_metric_def *def;
	char *name;            /* name with modifiers: "tma_retiring:u" */
	int pmu;               /* index of the PMU in the machine */
	int slot;              /* index of the operand that contains its value */
	int column;            /* column of the report; -1: not shown */
	int parent;            /* index of its parent; -1: the parent is not shown */
	int family;            /* 1 + index of its family in the tree; 0: none */
	bool shown;            /* the user requested it */
	bool named;            /* requested by name, not by level: always worth showing */
	bool kept;             /* its events are counted, because it is shown or an operand */
	bool halved;           /* uses half of the core's clocks even if the other thread runs */
	int order;             /* the order in which metrics were requested */
	int position;          /* position in the whole tree of its set; 0: outside of it */
	struct td_expr *value; /* NULL: no value; its operand's refusal is the reason */
	struct td_expr *threshold; /* NULL: none */
	struct td_ints events;     /* events of its formula */
	struct td_ints extra;      /* events of its threshold */
	struct td_ints latencies;  /* latencies in its formula, as indices in td_tree.latencies */
};

/*
 * The children of one node, at level 3 or deeper.  With td_ask.drill, they are counted only while
 * that node is above its threshold.
 */
struct td_tree_family {
	int pmu;
	int node;    /* index of their parent */
	int above;   /* td_metric.family of the parent */
	bool shares; /* the family needs an event that belongs to a pool */
};

/*
 * All metrics that are computed from one set of counts.  Each metric follows the metrics to which
 * its formula refers.
 */
struct td_tree {
	const struct td_machine *machine;  /* borrowed */
	const struct td_metric_set **sets; /* one for each PMU; NULL: none */
	int *levels;                       /* one for each PMU: deepest shown level */
	size_t *nr_dropped;                /* one for each PMU: requested metrics not recorded */
	size_t nr_pmus;
	struct td_operand *operands;
	double *constants; /* one for each operand; NaN: not a constant, or unknown */
	size_t nr_operands;
	/* retire latencies, in cycles, that formulas use as EVENT:R */
	struct td_tree_latency {
		char *event; /* "cpu_core/MEM_INST_RETIRED.LOCK_LOADS/" */
		int operand;
		double usual; /* mean in the model's files; NaN: none */
		int sampled;  /* index in the events to sample; -1: recorded */
		bool used;    /* a metric that can be computed needs it */
		char *why;    /* reason why metrics have no value without it */
	} * latencies;
	size_t nr_latencies;
	struct td_metric *metrics;
	size_t nr_metrics, nr_shown;
	bool fixed;      /* the events are those of a recording */
	bool all_matter; /* show all metrics: there are no thresholds, or only one level */
	struct td_column *columns;
	size_t nr_columns;
	struct td_node **nodes; /* one list for each PMU, in tree order */
	size_t *nr_nodes;
	struct td_node *package_nodes; /* for the row of the package */
	size_t nr_package_nodes;
	struct td_need *needs; /* one for each shown metric, level 1 first */
	size_t nr_needs;
	struct td_tree_family *families; /* ancestors come first */
	size_t nr_families;
	int *families_of_events; /* one td_tree_label() for each event; NULL without families */
	int *references;         /* one reference event for each PMU (td_schedule); -1: none */
	int *slots;              /* for each PMU, the operand with the number of slots; -1: none */
	double tsc_hz;           /* frequency of the time-stamp counter; NaN: unknown */
	double nr_cpus, nr_cores, nr_dies, nr_packages; /* of the machine; NaN: unknown */
};

/* Kinds of users of events and groups, which may be paused with -l auto. */
enum td_use_kind {
	TD_USE_ALWAYS, /* levels 1 and 2 */
	TD_USE_FAMILY,
	TD_USE_POOL, /* several descendants of a family, but not the family itself */
	TD_USE_ANY,  /* several families without a common ancestor */
};

/* Returns the number of a user in plans and counters: 0 for ALWAYS. */
static inline int td_tree_label(const struct td_tree *tree, enum td_use_kind kind, int family)
{
	return kind == TD_USE_ALWAYS ? 0 : ((int)kind - 1) * (int)tree->nr_families + family + 1;
}

/* Returns the kind of user of a label; *family becomes the index of its family. */
static inline enum td_use_kind td_tree_use(const struct td_tree *tree, int label, int *family)
{
	int nr = (int)tree->nr_families;

	*family = label ? (label - 1) % nr : 0;
	return label ? (enum td_use_kind)((label - 1) / nr + 1) : TD_USE_ALWAYS;
}

/* Input of td_tree_build(), which must outlive the tree. */
struct td_tree_setup {
	const struct td_machine *machine;
	const struct td_sets *sets;
	const struct td_ask *ask;
	const struct td_literals *literals;
	const struct td_event_source *source; /* for names in formulas of files */
	struct td_pmu_events *files;          /* for retire latencies; may be NULL */
	bool fixed;                           /* the events are those of a recording */
	bool latencies; /* retire latencies are sampled; otherwise they come from the files */
	struct td_events *sampled; /* receives the events to sample; NULL: a recording */
	bool (*is_elsewhere)(const char *name); /* is it a name of other processors? */
};

/*
 * Builds the tree of the metrics in setup->ask, and appends the events that they need to events.
 * For a recording (fixed), events already contains all events, and metrics whose events are missing
 * are not shown.  An unknown name is an error, with a hint.
 */
int td_tree_build(struct td_tree *tree, struct td_events *events, const struct td_tree_setup *setup,
		  struct td_err *err);
void td_tree_free(struct td_tree *tree);
/* Sets the latencies to the means of samples, or to the files' if there are too few samples. */
void td_tree_set_latencies(const struct td_tree *tree, const struct td_latencies *latencies);
/* Returns the reason if a metric has no value because a latency is unknown, or NULL. */
const char *td_tree_latency_gap(const struct td_tree *tree, const struct td_metric *metric);
/* Returns the reason why a metric cannot have a value, or NULL. */
const char *td_metric_refusal(const struct td_tree *tree, const struct td_metric *metric);
