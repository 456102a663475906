/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_SELECT_H
#define TD_CMD_PLAN_SELECT_H

#include "cmd/opts/opts.h"
#include "lib/base/notes.h"
#include "lib/machine/machine.h"
#include "lib/target/target.h"
#include "metrics/tree/tree.h"

/*
 * Reads this machine, or the one that SYSFS_PATH, PROCFS_PATH and PERF_CPUID
 * say; PMUs that are left out are marked.  Close fs, and free machine, whatever
 * the result.
 */
int td_select_machine(struct td_sysfs *fs, struct td_machine *machine,
		      const struct td_opts *opts, struct td_err *err);
/*
 * Marks the PMUs that --cputype and -C leave out.  Neither kind of core
 * left: the error says what there is.
 */
int td_select_pmus(struct td_machine *machine, const struct td_opts *opts,
		   struct td_err *err);
/*
 * Notes what is not as deep as asked for, and what has no value.  -ENODEV:
 * nothing has, and why.
 */
int td_select_check(const struct td_tree *tree,
		    const struct td_machine *machine,
		    const struct td_opts *opts, struct td_notes *notes,
		    struct td_err *err);
/* Once the counters are open: what was refused may have left no value at all. */
int td_select_check_open(const struct td_tree *tree, struct td_err *err);
/* select_cores.c: slots that the threads of a core share cannot be shown a thread (-A). */
int td_select_rows(const struct td_tree *tree, const struct td_machine *machine,
		   const struct td_opts *opts, struct td_err *err);
/*
 * Slots that the threads of a core share are only known for whole cores: more
 * CPUs than asked for (a note says so), or an error for tasks, which names what
 * estimates theirs.
 */
int td_select_whole_cores(const struct td_sysfs *fs, const struct td_tree *tree,
			  struct td_machine *machine,
			  const struct td_opts *opts, struct td_target *target,
			  struct td_notes *notes, struct td_err *err);

#endif
