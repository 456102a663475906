/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_MEANT_H
#define TD_CMD_OPTS_MEANT_H

#include "cmd/opts/command.h"

/*
 * What a user probably meant.  Each of these adds the second line to an error,
 * or finds one that the rest of the program would explain worse.
 */

/*
 * Options that the subcommand has not, among the words that argp will look at.
 * argv: without the subcommand's own word.
 */
int td_meant_options(char **argv, const struct td_command *command,
		     const struct td_command *const *commands,
		     struct td_err *err);

/* meant_command.c: a command that is no program, but like a subcommand's name */
int td_meant_subcommand(const struct td_opts *opts, struct td_err *err);
/* The subcommand whose name is like this one, which is none. */
int td_meant_command_name(const char *name, const struct td_opts *opts,
			  struct td_err *err);
/* A command that was not found. */
int td_meant_command(const struct td_opts *opts, struct td_err *err);
/* A file that is no recording. */
int td_meant_recording(const char *path, struct td_err *err);

#endif
