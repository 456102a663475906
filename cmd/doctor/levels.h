/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_LEVELS_H
#define TD_CMD_DOCTOR_LEVELS_H

#include "cmd/doctor/report.h"
#include "cmd/opts/opts.h"
#include "lib/machine/machine.h"

/* What the plans of tdstat say; nothing is opened. */
struct td_levels {
	/* a finding for each level and PMU, and what was noted */
	struct td_doctor found;
	int deepest;              /* the deepest level that can be planned */
	struct td_err no_level_1; /* code 0: it can be planned */
	/* why one program alone cannot be counted; code 0: it can */
	struct td_err no_task;
	char *dir, *version;    /* of the model's files; NULL: none, unknown */
	size_t nr_metrics;      /* in these files */
	struct td_err no_files; /* why there are none; code 0: there are */
	uint64_t nr_files;      /* descriptors that the deepest level opens */
};

/*
 * Plans each level on the machine, which is that of opts.  Returns -ENOMEM; free
 * it even then.
 */
int td_levels_plan(struct td_levels *levels, const struct td_opts *opts,
		   struct td_machine *machine, struct td_err *err);
/*
 * Plans tdstat -l 1 -- COMMAND; the word is not run.  why: why a program alone cannot
 * be counted on this kind of core, or on all (NULL); as it was if it can.
 */
void td_levels_plan_task(const struct td_opts *opts, const char *cputype,
			 struct td_err *why);
void td_levels_free(struct td_levels *levels);

#endif
