/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/opts/option.h"

/*
 * Each function adds a hint to an error, or sets an error that is clearer than the one that
 * would follow.
 */

/* Return an error for an option that the subcommand lacks; argv does not contain its name. */
int td_suggest_options(char **argv, const struct td_command *command,
		       const struct td_command *const *commands, struct td_err *err);

/* Return an error if the command is not a program, but similar to a subcommand. */
int td_suggest_subcommand(const struct td_opts *opts, struct td_err *err);
/* Add a hint for an unknown name of a subcommand. */
int td_suggest_command_name(const char *name, const struct td_opts *opts, struct td_err *err);
/* Add a hint for a command that was not found. */
int td_suggest_command(const struct td_opts *opts, struct td_err *err);

/* Add a hint for an argument of option 'C', 'p' or 't' that is not a list of numbers. */
int td_suggest_list(int option, const char *arg, struct td_err *err);
/* Add a hint for names of levels, "-l TopdownL2". */
int td_suggest_level(const char *arg, struct td_err *err);
