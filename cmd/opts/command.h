/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_COMMAND_H
#define TD_CMD_OPTS_COMMAND_H

#include "cmd/opts/option.h"

/*
 * A subcommand.  Each has a file of its own with this row in it, and a line in
 * the table of cmd/commands.c.  Texts are for --help.
 */
struct td_command {
	const char *name;
	const char *line; /* what it does, in the list of subcommands */
	const char *args; /* its arguments, each form on a line */
	const char *doc;
	const char *what;     /* the heading of the first options */
	const char *examples; /* a line each */
	const char *status;   /* what its exit status says; NULL: the usual */
	const struct td_option_group *const *groups; /* the last one is NULL */
	struct td_does does;
	/*
	 * Takes a word that is no option; returns 1 if it begins a command to
	 * run, as any does for NULL.
	 */
	int (*word)(struct td_opts *opts, const char *word, struct td_err *err);
	bool runs;   /* a word behind "--" begins a command, even with word */
	bool counts; /* opens counters, unless it is given a recording */
	/* Checks options against each other, after the last; NULL: no check. */
	int (*check)(const struct td_opts *opts, struct td_err *err);
	/* Sets *status to the status of the command if one ran. */
	int (*run)(const struct td_opts *opts, int *status, struct td_err *err);
	/* In place of it, if *err keeps the result from being written; NULL:
	 * td_always_run_unseen(). */
	int (*unseen)(const struct td_opts *opts, int *status,
		      struct td_err *err);
};

#define TD_TITLE_SIZE 48

/* Writes "tdstat report" to title, or "tdstat" for the first one. */
const char *td_command_title(const struct td_command *command,
			     const struct td_command *const *commands,
			     char title[TD_TITLE_SIZE]);
/* NULL if no subcommand has the name.  The first one cannot be named. */
const struct td_command *
td_command_find(const struct td_command *const *commands, const char *name);
/*
 * The groups of options of all subcommands, with duplicates.  The caller frees
 * the array; NULL if out of memory.
 */
const struct td_option_group **
td_command_join_groups(const struct td_command *const *commands);

#endif
