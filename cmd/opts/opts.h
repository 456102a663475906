/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/opts: the command line.
 *
 * In: argv.
 * Out: struct td_opts.  Options that exclude each other are refused.
 *
 * Only this directory uses argp.
 */
#pragma once

#include "cmd/request.h"
#include "metrics/diff/diff.h"

struct td_command;

/* The parsed command line.  Strings are borrowed from argv. */
struct td_opts {
	struct td_request request;
	const struct td_command *chosen;
	const struct td_command *const *commands; /* all subcommands; the last is NULL */
	bool cgroups_first;                       /* -G came before all events */
	bool print;                               /* list: print the encodings of events */
	bool locate;                              /* report: show the functions of samples */
	const char *listen;                       /* serve: ADDR:PORT, unix:PATH; NULL: default */
	struct td_diff_ask diff;
	struct {
		bool one_line;
		bool evidence;       /* count the known programs, and write a file */
		const char *program; /* the only program to count; NULL: all */
	} doctor;
	/* arguments of list, explain, help; the recordings of diff */
	const char **patterns;
	size_t nr_patterns;
	bool after_dashes; /* the command or a word follows "--" */
};

/*
 * Parse the command line; may print help or the version and exit.  commands ends with NULL;
 * the first is the default.  The name of the subcommand is removed from argv.
 */
int td_opts_parse(struct td_opts *opts, const struct td_command *const *commands, int argc,
		  char **argv, struct td_err *err);
void td_opts_free(struct td_opts *opts);

/* Return a usage error that names both options if two exclude each other. */
int td_opts_check(const struct td_opts *opts, struct td_err *err);
/* Return a usage error if options of counting exclude each other. */
int td_opts_check_counting(const struct td_opts *opts, struct td_err *err);
