/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_MEANT_H
#define TD_CMD_OPTS_MEANT_H

#include "cmd/opts/option.h"
#include "lib/base/err.h"

/*
 * Guesses what the user meant.  Each function adds a hint to an error, or sets
 * an error that says more than the one that would come later.
 */

/*
 * An error if argv has an option that the subcommand does not have.  argv is
 * without the name of the subcommand.
 */
int td_meant_options(char **argv, const struct td_command *command,
		     const struct td_command *const *commands,
		     struct td_err *err);

/* An error if the command is no program, but similar to a subcommand. */
int td_meant_subcommand(const struct td_opts *opts, struct td_err *err);
/* A hint for an unknown name of a subcommand. */
int td_meant_command_name(const char *name, const struct td_opts *opts,
			  struct td_err *err);
/* A hint for a command that was not found. */
int td_meant_command(const struct td_opts *opts, struct td_err *err);
/* A hint for a file that is no recording. */
int td_meant_recording(const char *path, struct td_err *err);

/* These add a hint to an error: what the user probably meant. */

/* For an argument of option 'C', 'p' or 't' that is no list of numbers. */
int td_meant_list(int option, const char *arg, struct td_err *err);
/* For names of levels, "-l TopdownL2". */
int td_meant_level(const char *arg, struct td_err *err);

#endif
