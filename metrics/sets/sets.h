/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/sets: which metrics there are on each kind of core.
 *
 * In: a machine and the model's files.
 * Out: struct td_metric_set, one for each core PMU: the built-in levels 1 and 2,
 * and what the files have.  ask.h says which of them are wanted.
 */
#ifndef TD_METRICS_SETS_SETS_H
#define TD_METRICS_SETS_SETS_H

#include "lib/base/notes.h"
#include "lib/machine/machine.h"
#include "metrics/sets/set.h"

/* A set that is put together at run time. */
struct td_made_set {
	struct td_metric_set set;
	struct td_metric_def *defs; /* its metrics */
	size_t nr;
};

/* What can be computed on each core PMU of a machine. */
struct td_sets {
	const struct td_metric_set **v; /* one a core PMU; NULL: nothing */
	size_t nr;
	struct td_made_set *made; /* from files: what some of v are */
};

/* The built-in levels 1 and 2.  Free with td_sets_free(), whatever the result. */
int td_sets_builtin(struct td_sets *sets, const struct td_machine *machine,
		    struct td_err *err);
/*
 * All that the files have, the built-in levels 1 and 2 on a PMU that they have
 * no tree of (notes say so), and L2Requests where the core has its event.
 * Borrows from files, which outlive it; those of a model without files have
 * nothing.
 */
int td_sets_from_files(struct td_sets *sets, const struct td_machine *machine,
		       const struct td_pmu_events *files,
		       struct td_notes *notes, struct td_err *err);
void td_sets_free(struct td_sets *sets);

/* NULL: there is none of that name. */
const struct td_metric_def *td_set_find(const struct td_metric_set *set,
					const char *name);
/* Calls fn for the name of each group, as often as there are members. */
void td_metric_def_each_group(const struct td_metric_def *def,
			      void (*fn)(void *ctx, const char *group),
			      void *ctx);

#endif
