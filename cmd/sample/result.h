/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/opts/option.h"
#include "cmd/plan/job.h"
#include "cmd/run/recorder.h"
#include "cmd/run/signals.h"
#include "cmd/view/view.h"
#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/count/report.h"

/* Outputs for the counts of regions. */
struct td_region_result {
	struct td_job *job;
	struct td_source source;
	struct td_view view;
	struct td_recorder recorder;
};

/*
 * Opens the outputs, before the program runs; regions may be filled in later.  Call
 * td_region_result_close() on error as well.
 */
int td_region_result_open(struct td_region_result *result, struct td_job *job,
			  const struct td_regions *regions, struct td_err *err);
/* Shows and records the counts.  status: the exit status of the program. */
int td_region_result_show(struct td_region_result *result, const struct td_batched *counts,
			  const struct td_usage *usage, int status, struct td_err *err);
/* Returns rc, or an error from closing the outputs. */
int td_region_result_close(struct td_region_result *result, int rc, struct td_err *err);

/*
 * Suggests a command if the largest cause of a function's slow calls is a node: to measure one more
 * level, or to locate where the program loses slots to the node.
 */
void td_calls_suggest_next(const struct td_job *job, const struct td_report *report);
