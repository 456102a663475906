/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_PACKAGE_H
#define TD_METRICS_SETS_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/sets/sets.h"

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
