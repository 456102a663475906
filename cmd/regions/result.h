/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REGIONS_RESULT_H
#define TD_CMD_REGIONS_RESULT_H

#include "cmd/opts/option.h"
#include "cmd/plan/job.h"
#include "cmd/run/recorder.h"
#include "cmd/run/signals.h"
#include "cmd/view/view.h"
#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/count/report.h"
#include "lib/recording/region_sums.h"

/* The counts of regions, shown and recorded. */
struct td_region_result {
	struct td_job *job;
	struct td_source source;
	struct td_view view;
	struct td_recorder recorder;
};

/*
 * Opens the outputs, before a program runs; regions are filled in later.  Close
 * it even after an error.
 */
int td_region_result_open(struct td_region_result *result, struct td_job *job,
			  const struct td_regions *regions, struct td_err *err);
/* status: of the program. */
int td_region_result_show(struct td_region_result *result,
			  const struct td_batched *counts,
			  const struct td_usage *usage, int status,
			  struct td_err *err);
/* Returns rc, or an error from closing the outputs. */
int td_region_result_close(struct td_region_result *result, int rc,
			   struct td_err *err);

/*
 * Says once what is not as it was asked for: what was lost, and why.  folder: where
 * the files were to be.
 */
void td_regions_say(const struct td_job *job,
		    const struct td_region_files *files, const char *folder);

/*
 * Says what to type next, if the largest cause of a function's slow calls is a node:
 * one more level, or where the program loses slots to it.
 */
void td_calls_say_next(const struct td_job *job,
		       const struct td_report *report);

/* --- regions.c: the subcommand, for tdstat calls -------------------------- */

/*
 * Runs the command of the options, and shows its marked regions: of tdstat calls, only
 * the calls of those that it names.  As run() of struct td_command.
 */
int td_regions_run(const struct td_request *request,
		   struct td_inherited *inherited, int *status,
		   struct td_err *err);

#endif
