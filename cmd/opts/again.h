/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_AGAIN_H
#define TD_CMD_OPTS_AGAIN_H

#include <stdio.h>

#include "cmd/request.h"

/*
 * Write the part of a command line that counts the same target again: options
 * and command, quoted for a shell, with a blank before each word.
 */

/* For tdstat: options of who is counted, on which cores, from which files, when. */
void td_again_put_options(FILE *fp, const struct td_request *request);
struct td_option_group;
/* The options of these groups; but not how often it is run. */
void td_again_put_groups(FILE *fp, const struct td_request *request,
			 const struct td_option_group *const *groups);
/*
 * For tdstat: that the command is to be run more than once.  Not with -I, which
 * has no means.
 */
void td_again_put_runs(FILE *fp, const struct td_request *request);
/*
 * For tdstat, instead of these two: the same for ten times as many runs, or for
 * ten times as long, and ten seconds at least.
 */
void td_again_put_more(FILE *fp, const struct td_request *request, bool runs);
/* How many runs these are. */
long long td_again_more_runs(const struct td_request *request);
/* "-- command" */
void td_again_put_command(FILE *fp, const struct td_request *request);
/*
 * For tdstat locate: the same target, for ten seconds if no command says how
 * long.
 */
void td_again_put_target(FILE *fp, const struct td_request *request);

#endif
