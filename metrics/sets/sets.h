/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/sets: the metrics that exist on each kind of core.
 *
 * In: a machine and the model's files.
 * Out: a struct td_metric_set for each core PMU, with the built-in levels 1 and
 * 2 and the metrics of the files.  set.h tells which of them the user wants.
 */
#ifndef TD_METRICS_SETS_SETS_H
#define TD_METRICS_SETS_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/machine/machine.h"
#include "metrics/sets/set.h"

/* The metric sets of all core PMUs of a machine. */
struct td_sets {
	/*
	 * One for each core PMU; NULL: no metrics.  From files, on a machine
	 * without core PMUs, one for its first PMU.
	 */
	const struct td_metric_set **v;
	size_t nr;
	/* owns the sets in v that were built from files */
	struct td_made_set *made;
};

/*
 * The built-in levels 1 and 2.  Free with td_sets_free() even after an error.
 */
int td_sets_builtin(struct td_sets *sets, const struct td_machine *machine,
		    struct td_err *err);
/*
 * All metrics of the files.  A PMU for which the files have no tree gets the
 * built-in levels 1 and 2 (a note says so), and a core with event L2_RQSTS gets
 * the L2Requests metrics.  Borrows from files, which must outlive the sets.
 * Free with td_sets_free() even after an error.
 */
int td_sets_from_files(struct td_sets *sets, const struct td_machine *machine,
		       const struct td_pmu_events *files,
		       struct td_notes *notes, struct td_err *err);
/*
 * Is there a name in ask that no metric of td_sets_from_files() has?  It may be
 * a metric of an uncore unit, whose files were not read yet.
 */
bool td_sets_lack_name(const struct td_ask *ask,
		       const struct td_machine *machine,
		       const struct td_pmu_events *files);
void td_sets_free(struct td_sets *sets);

/*
 * no_tree.c: sets err to the reason why no PMU of the machine has a top-down tree,
 * with a hint; returns -ENODEV.
 */
int td_why_no_tree(const struct td_machine *machine, struct td_err *err);
/*
 * The first Linux that knows the processor, if the machine's is older; NULL: it
 * is not, or the processor is not in the table.
 */
const char *td_kernel_too_old(const struct td_machine *machine);

/* --- package.c: the metrics of --energy ----------------------------------- */

/*
 * The metrics of --energy, which are of whole packages: energy in joules and
 * power in watts, from the kernel's PMU "power" (RAPL), and the memory bandwidth
 * in GB/s, from the model's files.  They are the same for all machines, so that
 * CSV files have the same columns everywhere.
 */
extern const struct td_metric_def td_package_metrics[];
extern const size_t td_nr_package_metrics;

/* Is it one of them, from its name? */
bool td_package_has(const char *name);

/* Without this metric, there are none of its kind: it is to be said why. */
bool td_package_is_main(const struct td_metric_def *def);

/* True if the files had no formula for it. */
bool td_package_lacks_formula(const struct td_metric_def *def);

/*
 * Adds them to the set of one core PMU, where the tree finds what it shows; their
 * rows are not that PMU's.  files: the model's, or without metrics.  The sets
 * borrow from files.  Returns 0 or -ENOMEM.
 */
int td_sets_add_package(struct td_sets *sets,
			const struct td_pmu_events *files);

#endif
