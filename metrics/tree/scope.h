/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TREE_SCOPE_H
#define TD_METRICS_TREE_SCOPE_H

/* The parts of td_tree_build(). */
#include "lib/event/resolve.h"
#include "metrics/tree/tree.h"

/* The context in which names of a formula are looked up. */
struct td_scope {
	struct td_tree *tree;
	struct td_events *events; /* all events of the metrics */
	const struct td_tree_setup *setup;
	/* in recordings: a key for each event, made when needed */
	char **keys;
	int pmu;
	const char *mods;
	int owner; /* see td_operand */
	/* the metric whose formula is compiled */
	const struct td_metric_def *def;
	/* in its formula, its name means an event */
	const struct td_metric_def *self;
	/*
	 * a generic event that has_event() was asked for in vain; a formula that
	 * then needs no event says nothing
	 */
	const char *lacking;
	bool no_new; /* add no event */
	int depth;
	struct td_err *err;
};

/* events.c: finds the events whose sum the operand is. */
int td_tree_find_events(struct td_scope *scope, struct td_operand *operand);
/*
 * event_key.c: writes a key that is the same for each way to write an event: its
 * terms from the model's files, sorted and without zeros, or else its name in lower
 * case.  Formulas find recorded events by it, as a recording does not have their
 * bits.
 * pmu: the PMU of a name that has none.  *out is to be freed even after an
 * error.
 */
int td_event_key(const struct td_machine *machine,
		 const struct td_event_source *source, int pmu, const char *id,
		 char **out, struct td_err *err);

/*
 * operands.c: appends the events that a text means to found.  Returns -ENOMEM with scope->err,
 * or another error with why.
 */
int td_tree_resolve(const struct td_scope *scope, const char *text,
		    struct td_events *found, struct td_err *why);

/* operands.c: finds the retire latency that an operand means; *is: it is one. */
int td_tree_find_latency(struct td_scope *scope, struct td_operand *operand,
			 bool *is);
/* Finds which metrics need which latencies.  Returns 0 or -ENOMEM. */
int td_tree_spread_latencies(struct td_tree *tree);
/*
 * Sets td_metric.halved: before Ice Lake, formulas infer the clocks of a core from
 * those of one of its threads if the other one is not counted.  Returns 0 or
 * -ENOMEM.
 */
int td_tree_find_halved(struct td_tree *tree,
			const struct td_literals *literals);

/*
 * Do both count the same privilege levels and guests, with the same precision?
 */
bool td_tree_same_rings(const struct td_modifiers *a,
			const struct td_modifiers *b);

/* want.c: compiles the metrics that setup->ask means; marks them as shown. */
int td_tree_want_all(struct td_scope *scope);
/* Adds the PMU's number of slots, for merging, if that needs no further event. */
int td_tree_want_weight(struct td_scope *scope);
/* Calls fn with scope->pmu set to each PMU that has metrics; stops if not 0. */
int td_tree_each_pmu(struct td_scope *scope, int (*fn)(struct td_scope *scope));

/* compile.c: drops the events that no metric needs, and adds SLOTS. */
int td_tree_finish_events(struct td_scope *scope);
/* The first event of a PMU for which is() holds, or -1. */
int td_tree_first_event(const struct td_events *events, int pmu,
			bool (*is)(const struct td_event *event));

/*
 * names.c: the lookup function for td_expr_parse(); ctx is the scope.  Returns
 * the index of an operand.
 */
int td_tree_lookup(void *ctx, const char *name);
/* Does the name mean the time-stamp counter: "TSC", "msr/tsc/"? */
bool td_tree_is_tsc(const char *name);

/*
 * places.c: gives the clocks and the numbers of places in a formula, whose operands
 * are these and ready, the places of its events.  Returns 0 or -ENOMEM.
 */
int td_tree_place(struct td_scope *scope, struct td_expr *expr,
		  const struct td_ints *slots);

/* operands.c */
struct td_operand td_tree_new_operand(const struct td_scope *scope,
				      enum td_operand_kind kind);
/*
 * Returns the index of the operand of that name, which is made from like if
 * there is none.
 */
int td_tree_intern(struct td_scope *scope, const struct td_operand *like,
		   const char *name, double value);
/* Frees metrics and operands from these indices on. */
void td_tree_drop(struct td_tree *tree, size_t nr_metrics, size_t nr_operands);
/* Sets the reason why an operand has no value.  Returns 0 or -ENOMEM. */
int td_operand_refuse(struct td_operand *operand, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* compile.c: compiles a metric; *index is its index in tree->metrics. */
int td_tree_compile(struct td_scope *scope, const struct td_metric_def *def,
		    int *index);
int td_tree_compile_thresholds(struct td_scope *scope);

/* nodes.c: adds the columns, and each PMU's nodes in tree order. */
int td_tree_add_nodes(struct td_tree *tree, const struct td_ask *ask);

#endif
