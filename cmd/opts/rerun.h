/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/request.h"

/*
 * Write the part of a command line that counts the same target again: its options and command,
 * quoted for a shell, each word after a blank.
 */

/* Write for tdstat the options of the target, its cores, the metric files and the time. */
void td_rerun_put_options(FILE *fp, const struct td_request *request);
struct td_option_group;
/* Write the options of these groups, except -r and -I. */
void td_rerun_put_groups(FILE *fp, const struct td_request *request,
			 const struct td_option_group *const *groups);
/* Write for tdstat -r and --no-multiplex.  Do not call it for -I, which does not show means. */
void td_rerun_put_runs(FILE *fp, const struct td_request *request);
/*
 * Write for tdstat the options of td_rerun_put_options() and td_rerun_put_runs(), but with ten
 * times as many runs, or for ten times as long, and at least ten seconds.
 */
void td_rerun_put_more(FILE *fp, const struct td_request *request, bool runs);
/* Returns the -r of td_rerun_put_more(). */
long long td_rerun_more_runs(const struct td_request *request);
/* Write the options of perf stat for the target, the rows and the times. */
void td_rerun_put_perf(FILE *fp, const struct td_request *request);
/* Write for tdstat report the level, the metrics and how to show them. */
void td_rerun_put_report(FILE *fp, const struct td_request *request);
/* Write "-- command". */
void td_rerun_put_command(FILE *fp, const struct td_request *request);
/* Write for tdstat locate the same target, and ten seconds unless a command ends the run. */
void td_rerun_put_target(FILE *fp, const struct td_request *request);
