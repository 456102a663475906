/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_COMMAND_H
#define TD_CMD_OPTS_COMMAND_H

#include "cmd/opts/option.h"

/*
 * A subcommand.  Each has a file of its own with this row in it, and a line in
 * the table of cmd/commands.c, whose first row is what tdstat does without a
 * subcommand.  Texts are shown by --help.
 */
struct td_command {
	const char *name;
	const char *line; /* what it does, in the list of subcommands */
	const char *args; /* what stands behind the options, a form a line */
	const char *doc;
	const char *what;     /* the heading of the first options */
	const char *examples; /* a line each */
	const char *status;   /* NULL: as usual */
	const struct td_option_group *const *groups; /* the last one is NULL */
	enum td_subcommand subcommand; /* which of these it is like */
	/* Takes a word that is no option; NULL: a command begins with it. */
	int (*word)(struct td_opts *opts, const char *word, struct td_err *err);
	/* What excludes what, behind the last option; NULL: nothing. */
	int (*check)(const struct td_opts *opts, struct td_err *err);
	/* *status is that of the command that was run, if one was. */
	int (*run)(const struct td_opts *opts, int *status, struct td_err *err);
};

#define TD_TITLE_SIZE 48

/* "tdstat report", or "tdstat" of the first of all; into title */
const char *td_command_title(const struct td_command *command,
			     const struct td_command *const *commands,
			     char title[TD_TITLE_SIZE]);
/* NULL: there is none of that name; the first has none that is typed. */
const struct td_command *
td_command_find(const struct td_command *const *commands, const char *name);
/*
 * The groups of all of them, some of them more than once; to be freed.  NULL:
 * out of memory.
 */
const struct td_option_group **
td_command_join_groups(const struct td_command *const *commands);

#endif
