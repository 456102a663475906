/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/event/resolve.h"
#include "metrics/tree/tree.h"

/* The context in which names of a formula are looked up.  The parts of td_tree_build() share it. */
struct td_scope {
	struct td_tree *tree;
	struct td_events *events; /* all events of the metrics */
	const struct td_tree_setup *setup;
	char **keys; /* for recordings: one event_key() for each event, made when needed */
	int pmu;
	const char *mods;
	int owner;                       /* see td_operand */
	const struct td_metric_def *def; /* the metric whose formula is compiled */
	/* the metric whose name means the event of that name in its own formula */
	const struct td_metric_def *self;
	/*
	 * generic event that has_event() has not found; formulas without other events get no value
	 */
	const char *lacking;
	bool no_new; /* do not add events */
	int depth;
	struct td_err *err;
};

/* --- operands.c ------------------------------------------------------------- */

struct td_operand td_tree_new_operand(const struct td_scope *scope, enum td_operand_kind kind);
/* Returns the index of the operand of that name.  If there is none, adds a copy of like. */
int td_tree_intern(struct td_scope *scope, const struct td_operand *like, const char *name,
		   double value);
/* Sets the reason why an operand has no value. */
void td_operand_refuse(struct td_operand *operand, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Finds the events that add up to the operand. */
int td_tree_find_events(struct td_scope *scope, struct td_operand *operand);
/* Frees metrics and operands, starting at these indices. */
void td_tree_drop(struct td_tree *tree, size_t nr_metrics, size_t nr_operands);
/* Do both count the same privilege levels and guests, with the same precision? */
bool td_tree_same_rings(const struct td_modifiers *a, const struct td_modifiers *b);
/* Finds which metrics need which latencies. */
void td_tree_spread_latencies(struct td_tree *tree);
/*
 * Sets td_metric.halved: before Ice Lake, formulas infer the clocks of a core from those of one
 * thread if the other one is not counted.
 */
void td_tree_find_halved(struct td_tree *tree, const struct td_literals *literals);

/* --- compile.c -------------------------------------------------------------- */

/* Compiles a metric; *index is its index in tree->metrics. */
int td_tree_compile(struct td_scope *scope, const struct td_metric_def *def, int *index);
int td_tree_compile_thresholds(struct td_scope *scope);
/* Drops the events that no metric needs, and adds SLOTS. */
int td_tree_finish_events(struct td_scope *scope);
/* Returns the first event of a PMU for which is() holds, or -1. */
int td_tree_first_event(const struct td_events *events, int pmu,
			bool (*is)(const struct td_event *event));

/* --- want.c ----------------------------------------------------------------- */

/* Compiles the requested metrics and marks them as shown. */
int td_tree_want_all(struct td_scope *scope);
/* Adds the PMU's number of slots, for merging, if that needs no further events. */
int td_tree_want_weight(struct td_scope *scope);
/* Calls fn with scope->pmu set to each PMU that has metrics; stops if it does not return 0. */
int td_tree_each_pmu(struct td_scope *scope, int (*fn)(struct td_scope *scope));
