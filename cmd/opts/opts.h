/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/opts: the command line.
 *
 * In: argv.
 * Out: struct td_opts.  Options that exclude each other are refused here.  No
 * other folder uses argp.
 */
#ifndef TD_CMD_OPTS_OPTS_H
#define TD_CMD_OPTS_OPTS_H

#include <stdbool.h>

#include "cmd/request.h"
#include "lib/base/err.h"
#include "metrics/diff/diff.h"

struct td_command;

/* What the user typed.  Strings are argv's. */
struct td_opts {
	struct td_request request;
	const struct td_command *chosen;
	const struct td_command *const *commands; /* all; the last is NULL */
	bool cgroups_first; /* -G came before all events */
	bool print;         /* list: the events' encodings */
	bool locate;        /* report: the places of samples */
	const char *listen; /* serve: ADDR:PORT, unix:PATH; NULL: default */
	struct td_diff_ask diff;
	struct {
		bool one_line;
		bool evidence;       /* of the known programs, in a file */
		const char *program; /* one of them; NULL: all */
	} doctor;
	/* arguments of list, explain, help; the recordings of diff */
	const char **patterns;
	size_t nr_patterns;
	bool behind_dashes; /* the command, or a word, comes after "--" */
};

/*
 * May print help or the version and exit.  Free with td_opts_free().  commands
 * ends with NULL; the first is taken if argv names none.  The name of the
 * subcommand is removed from argv.
 */
int td_opts_parse(struct td_opts *opts,
		  const struct td_command *const *commands, int argc,
		  char **argv, struct td_err *err);
void td_opts_free(struct td_opts *opts);

/* A usage error if two options exclude each other; it names both. */
int td_opts_check(const struct td_opts *opts, struct td_err *err);
/* The same for the options that only counting has. */
int td_opts_check_counting(const struct td_opts *opts, struct td_err *err);

#endif
