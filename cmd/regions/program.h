/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REGIONS_PROGRAM_H
#define TD_CMD_REGIONS_PROGRAM_H

#include "cmd/plan/job.h"
#include "cmd/regions/spec.h"
#include "cmd/run/inherited.h"
#include "lib/count/report.h"

/* A program that runs with TDSTAT_REGIONS, and a folder for what it counts. */
struct td_program {
	char *folder;
	char *prefix; /* of the files */
	struct td_usage usage;
	int status; /* as in the shell */
};

/*
 * Runs the command of the job to its end.  An error is that it could not be run;
 * then the status is 126 or 127.  Free it, which removes the folder, even then.
 */
int td_program_run(struct td_program *program, const struct td_job *job,
		   struct td_inherited *inherited, struct td_err *err);
void td_program_free(struct td_program *program);

#endif
