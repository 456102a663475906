/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_SELECT_H
#define TD_CMD_PLAN_SELECT_H

#include "cmd/request.h"
#include "lib/base/err.h"
#include "lib/machine/machine.h"
#include "lib/target/target.h"
#include "metrics/tree/tree.h"

/*
 * Leaves PERF_METRICS out.  The kernel does not start it anew for a group whose
 * slots are still 0 (icl_set_topdown_event_period()), which then has those of the
 * group before it: as when guests, which may not run, take turns with the host.
 * False, and nothing is changed, if a core has no other events for it.
 */
bool td_select_general(struct td_machine *machine);
/*
 * Reads this machine, or the one that SYSFS_PATH, PROCFS_PATH and PERF_CPUID
 * describe, or makes up that of --model, and calls td_select_pmus().  Close fs and free machine even after
 * an error.
 */
int td_select_machine(struct td_sysfs *fs, struct td_machine *machine,
		      const struct td_request *request, struct td_err *err);
/*
 * Marks the PMUs that --cputype and -C leave out.  If that is all of them, the
 * error lists the PMUs that there are.
 */
int td_select_pmus(struct td_machine *machine, const struct td_request *request,
		   struct td_err *err);
/*
 * Notes trees that are less deep than the level asked for, and metrics without
 * value.  Returns -ENODEV, with the reason, if no metric has a value.
 */
int td_check_shown_metrics(const struct td_tree *tree,
			   const struct td_machine *machine,
			   const struct td_request *request,
			   struct td_notes *notes, struct td_err *err);
/*
 * After the counters were opened: returns -ENODEV if what the kernel refused
 * leaves no metric with a value.
 */
int td_check_opened_metrics(const struct td_tree *tree,
			    const struct td_events *events, struct td_err *err);
/*
 * select_cores.c: refuses -A if the threads of a core share their slots, which
 * cannot be shown for one thread.
 */
int td_check_rows_of_cpus(const struct td_tree *tree,
			  const struct td_machine *machine,
			  const struct td_request *request, struct td_err *err);
/*
 * Tasks and cgroups on cores whose threads share their slots: an error that names
 * what estimates their share, unless the tree's files do.
 */
int td_check_cores_of_tasks(const struct td_sysfs *fs,
			    const struct td_tree *tree,
			    struct td_machine *machine,
			    const struct td_request *request,
			    struct td_err *err);
/*
 * Slots that the threads of a core share are known for whole cores only: adds
 * the other threads of the target's CPUs, and notes it.
 */
int td_select_whole_cores(const struct td_sysfs *fs, const struct td_tree *tree,
			  const struct td_machine *machine,
			  struct td_target *target, struct td_notes *notes,
			  struct td_err *err);

#endif
