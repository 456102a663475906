/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/request.h"
#include "lib/machine/machine.h"
#include "lib/target/target.h"
#include "metrics/tree/tree.h"

/*
 * Leave PERF_METRICS out.  The kernel does not restart it for a group whose slots are still 0
 * (icl_set_topdown_event_period()): such a group gets the counts of the previous one, for example
 * if idle guests are multiplexed with the host.  Returns false without a change if a core has no
 * other events instead.
 */
bool td_select_general(struct td_machine *machine);
/*
 * Read this machine, or the one that SYSFS_PATH, PROCFS_PATH and PERF_CPUID describe, or make
 * up that of --model, and call td_select_pmus().  Close fs and free machine on error as well.
 */
int td_select_machine(struct td_sysfs *fs, struct td_machine *machine,
		      const struct td_request *request, struct td_err *err);
/* Mark the PMUs that --cputype and -C leave out.  If all are left out, the error lists them. */
int td_select_pmus(struct td_machine *machine, const struct td_request *request,
		   struct td_err *err);
/*
 * Note trees that do not reach the requested level, and metrics without a value.  Returns
 * -ENODEV, with the reason, if no metric has a value.
 */
int td_check_shown_metrics(const struct td_tree *tree, const struct td_machine *machine,
			   const struct td_request *request, struct td_notes *notes,
			   struct td_err *err);
/*
 * Returns -ENODEV if the kernel refused events of all metrics.  Call it after the counters
 * were opened.
 */
int td_check_opened_metrics(const struct td_tree *tree, const struct td_events *events,
			    struct td_err *err);
/*
 * Refuse -A if the threads of a core share their slots, which cannot be shown for one
 * thread.
 */
int td_check_rows_of_cpus(const struct td_tree *tree, const struct td_machine *machine,
			  const struct td_request *request, struct td_err *err);
/*
 * Refuse tasks and cgroups on cores whose threads share their slots, unless the formulas of files
 * estimate their share; the hint contains the options that use these formulas.
 */
int td_check_cores_of_tasks(const struct td_sysfs *fs, const struct td_tree *tree,
			    struct td_machine *machine, const struct td_request *request,
			    struct td_err *err);
/*
 * Add the other threads of the target's CPUs, with a note, if the threads of a core share
 * their slots, which are then only known for whole cores.
 */
int td_select_whole_cores(const struct td_sysfs *fs, const struct td_tree *tree,
			  const struct td_machine *machine, struct td_target *target,
			  struct td_notes *notes, struct td_err *err);
