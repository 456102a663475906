/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/sets: the metrics that exist on each core type.
 *
 * In: a machine and the model's files.
 * Out: a struct td_metric_set for each core PMU, with the built-in levels 1 and
 * 2 and the metrics of the files.  set.h selects those in the request.
 */
#pragma once

#include "lib/machine/machine.h"
#include "metrics/sets/set.h"

/* The metric sets of all core PMUs of a machine. */
struct td_sets {
	/*
	 * one for each core PMU; NULL: no metrics.  On a machine without core PMUs,
	 * td_sets_from_files() makes one for the first PMU.
	 */
	const struct td_metric_set **v;
	size_t nr;
	/* the sets in v that were built at run time */
	struct td_made_set *made;
};

/* Fills in sets with the built-in levels 1 and 2. */
void td_sets_builtin(struct td_sets *sets, const struct td_machine *machine);
/*
 * Fills in sets with all metrics of the files.  A PMU without a tree in the files gets the
 * built-in levels 1 and 2, with a note.  A core with event L2_RQSTS gets the L2Requests
 * metrics.  files must outlive the sets.
 */
void td_sets_from_files(struct td_sets *sets, const struct td_machine *machine,
			const struct td_pmu_events *files, struct td_notes *notes);
/*
 * Does ask contain a name without a metric in td_sets_from_files()?  It may be a metric of
 * an uncore unit, whose files were not read yet.
 */
bool td_sets_lack_name(const struct td_ask *ask, const struct td_machine *machine,
		       const struct td_pmu_events *files);
void td_sets_free(struct td_sets *sets);

#define TD_L2_REQUESTS "L2Requests"

/*
 * Returns metric number i of group L2Requests on any processor, or NULL after the last one.
 * Sets *cores to the names of the cores that have it.
 */
const struct td_metric_def *td_l2_request_at(size_t i, const char **cores);

/*
 * Sets err to the reason why no PMU of the machine has a top-down tree,
 * with a hint; returns -ENODEV.
 */
int td_why_no_tree(const struct td_machine *machine, struct td_err *err);
/*
 * Returns the first Linux that supports the processor, if the machine's is older; NULL if
 * it is not, or if the processor is not in the table.
 */
const char *td_kernel_too_old(const struct td_machine *machine);
/* Does the kernel count only architectural events, on a core that tdstat knows? */
bool td_kernel_lacks_core(const struct td_machine *machine);

/* --- the metrics of --energy ---------------------------------------------- */

/*
 * The metrics of --energy, which are of whole packages: energy in joules and power in watts, from
 * the kernel's PMU "power" (RAPL), and the memory bandwidth in GB/s, from the model's files.  They
 * are the same for all machines, so that CSV files have the same columns everywhere.
 */
extern const struct td_metric_def td_package_metrics[];
extern const size_t td_nr_package_metrics;

/* Is it the main metric of energy or of bandwidth, without which users need a reason? */
bool td_package_is_main(const struct td_metric_def *def);

/* Is it a metric for which the files have no formula? */
bool td_package_lacks_formula(const struct td_metric_def *def);

/*
 * Adds the metrics of --energy to the set of one core PMU, because trees look for metrics there;
 * they are shown in rows of packages.  files: files of the model, which may be empty, and must
 * outlive sets.
 */
void td_sets_add_package(struct td_sets *sets, const struct td_pmu_events *files);
