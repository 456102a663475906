/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_MEANT_H
#define TD_CMD_OPTS_MEANT_H

#include <argp.h>

#include "cmd/opts/opts.h"

/*
 * What a user probably meant.  Each of these adds the second line to an error,
 * or finds one that the rest of the program would explain worse.
 */

/* Does an option's argument stand in the word behind it? */
bool td_option_takes_next(const struct argp_option *options, const char *word);
/* Options that do not exist, as far as argp will look at argv. */
int td_meant_options(char **argv, const struct argp_option *options,
		     struct td_err *err);
/* A list of option 'C', 'p' or 't' that is none. */
int td_meant_list(int option, const char *arg, struct td_err *err);
/* "-l TopdownL2" */
int td_meant_level(const char *arg, struct td_err *err);
/* meant_command.c: a command that was not found */
int td_meant_command(const struct td_opts *opts, struct td_err *err);
/* A file that is no recording. */
int td_meant_recording(const char *path, struct td_err *err);

#endif
