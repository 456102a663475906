// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/opts/meant.h"
#include "cmd/opts/opts.h"
#include "cmd/out/out.h"
#include "cmd/rights.h"
#include "cmd/run/signals.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "lib/base/util.h"
#include "lib/recording/recording.h"

/* --- recordings are spared ------------------------------------------------- */

/* "-" is standard input. */
static bool is_input(const char *name, const struct stat *file)
{
	struct stat st;
	int rc = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &st)
					: stat(name, &st);

	return rc == 0 && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

/* What is being read is refused even with --force, later and in other words. */
static bool is_read(const struct td_opts *opts, const char *name)
{
	struct stat st;
	bool found;

	if (stat(name, &st))
		return false;
	found = opts->request.input && is_input(opts->request.input, &st);
	for (size_t i = 0; !found && i < opts->nr_patterns; i++)
		found = is_input(opts->patterns[i], &st);
	return found;
}

/*
 * An error if a file that a result shall replace, or be appended to, holds a
 * recording: that may be all that is left of a run.  Only --force, and tdstat
 * record for its own, write over one.
 */
static int spare_recordings(const struct td_opts *opts, struct td_err *err)
{
	const char *const names[] = {
		opts->request.does.records ? NULL : opts->request.show.output,
		opts->request.calls.record,
		opts->request.sampling.files.samples,
		opts->request.sampling.files.folded,
		opts->request.sampling.files.pprof,
		opts->request.sampling.files.flame,
		opts->diff.junit,
		opts->diff.page,
	};

	for (size_t i = 0;
	     !opts->request.show.force && i < TD_ARRAY_SIZE(names); i++) {
		if (!names[i] || !td_recording_is_at(names[i]) ||
		    is_read(opts, names[i]))
			continue;
		td_err_set(err, -EEXIST,
			   "%s is a recording: no result is written over it",
			   names[i]);
		return td_err_hint(err, "--force writes over it");
	}
	return 0;
}

/* The status of a program that SIGPIPE ended. */
#define READER_GONE (128 + SIGPIPE)

static int print_error(const struct td_err *err)
{
	if (err->reader_gone)
		return READER_GONE;
	td_say_error(err);
	return err->usage ? EX_USAGE : 1;
}

#define NOT_FOUND 127 /* the status that shells give for such a command */

static bool parsed; /* the options; until then only argp exits */

/* argp exits after --help and --version without checking the output. */
static void check_help(void)
{
	struct td_err err;

	if (!parsed && td_out_check(stdout, "standard output", &err))
		_exit(print_error(&err));
}

static bool counts(const struct td_opts *opts)
{
	return opts->chosen->counts && !opts->request.input &&
	       !opts->nr_patterns && !opts->request.dry_run;
}

/* Files of others may be anything: they are not read with rights of ours. */
static int check_rights(const struct td_opts *opts, struct td_err *err)
{
	if (!td_rights_are_lent())
		return 0;
	if (!opts->request.show.quiet)
		td_rights_say_ignored();
	return counts(opts) ? 0 : td_rights_drop_all(err);
}

/* Checks for a mistyped subcommand, or one of perf, before anything else may fail. */
static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	if (td_meant_subcommand(opts, err)) {
		*status = err->usage ? 0 : NOT_FOUND;
		return err->code;
	}
	if (check_rights(opts, err))
		return err->code;
	if (spare_recordings(opts, err))
		return opts->chosen->unseen
			       ? opts->chosen->unseen(opts, status, err)
			       : td_always_run_unseen(&opts->request, status,
						      err);
	return opts->chosen->run(opts, status, err);
}

static void do_nothing(int signal)
{
	(void)signal;
}

/*
 * Lets write(2) return an error, which we report, instead of ending us.
 * Commands do not inherit a handler.  If the signal is ignored already, it is
 * left ignored, for us and for commands.
 */
static void survive(int number)
{
	if (signal(number, do_nothing) == SIG_IGN)
		signal(number, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct td_err err = { 0 };
	struct td_opts opts = { 0 };
	int status = 0, rc;

	static char name[] = "tdstat";

	if (argc > 0)
		argv[0] = name; /* the start of all messages, argp's too */
	atexit(check_help);
	rc = td_opts_parse(&opts, td_commands, argc, argv, &err);
	parsed = true;
	if (rc)
		return print_error(&err);
	survive(SIGPIPE);
	survive(SIGXFSZ); /* a file reached the limit of "ulimit -f" */
	rc = run(&opts, &status, &err);
	if (rc && !status)
		td_inherited_hint(&err);
	else if (rc && status == NOT_FOUND && opts.request.target.command &&
		 !err.hint[0])
		td_meant_command(&opts, &err);
	td_opts_free(&opts);
	if (!rc)
		return status;
	rc = print_error(&err);
	return status ? status : rc;
}
