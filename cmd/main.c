// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/opts/opts.h"
#include "cmd/opts/suggest.h"
#include "cmd/output/out.h"
#include "cmd/rights.h"
#include "cmd/run/engine.h"
#include "cmd/run/signals.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/wing.h"
#include "lib/recording/recording.h"

/* --- do not overwrite recordings -------------------------------------------- */

/* Return true if the name of an input is this file.  "-" is standard input. */
static bool is_input(const char *name, const struct stat *file)
{
	struct stat st;
	int rc = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(name, &st);

	return rc == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* Return true for an input file: writing to it is refused later, even with --force. */
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
 * Return an error if a result would overwrite a recording or be appended to it.  This is only
 * allowed with --force, and for the file of tdstat record itself.
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

	for (size_t i = 0; !opts->request.show.force && i < TD_ARRAY_SIZE(names); i++) {
		if (!names[i] || !td_recording_is_at(names[i]) || is_read(opts, names[i]))
			continue;
		td_err_set(err, -EEXIST, "%s is a recording: no result is written over it",
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

#define NOT_FOUND 127 /* exit status of shells for a command that does not exist */

static bool parsed; /* the options are parsed; until then only argp exits */

/* Check the output at exit: argp exits after --help and --version without doing so. */
static void check_help(void)
{
	struct td_err err;

	if (!parsed && td_out_check(stdout, "standard output", &err))
		_exit(print_error(&err));
}

static bool counts(const struct td_opts *opts)
{
	return opts->chosen->counts && !opts->request.input && !opts->nr_patterns &&
	       !opts->request.dry_run;
}

/* Give up lent rights before files of other users are read, if the subcommand does not count. */
static int check_rights(const struct td_opts *opts, struct td_err *err)
{
	if (!td_rights_exceed_user())
		return 0;
	if (!opts->request.show.quiet)
		td_rights_say_ignored();
	return counts(opts) ? 0 : td_rights_drop_all(err);
}

/* Run the subcommand.  A mistyped one, or one of perf, is reported before other errors. */
static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	const struct td_addition *addition;

	if (td_suggest_subcommand(opts, err)) {
		*status = err->usage ? 0 : NOT_FOUND;
		return err->code;
	}
	if (check_rights(opts, err))
		return err->code;
	if (spare_recordings(opts, err))
		return opts->chosen->unseen ? opts->chosen->unseen(opts, status, err)
					    : td_always_run_unseen(&opts->request, status, err);
	if (opts->request.does.always && !opts->request.dry_run)
		td_engine_handle_no_memory(opts->request.target.command,
					   opts->request.when.require ? TD_NOT_STARTED : 0);
	addition = td_addition_wanted(opts);
	return addition ? addition->run(opts, status, err) : opts->chosen->run(opts, status, err);
}

static void do_nothing(int signal)
{
	(void)signal;
}

/*
 * Let write(2) return an error instead of ending tdstat.  Commands do not inherit a handler.
 * If the signal is already ignored, it stays ignored, also for commands.
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
		argv[0] = name; /* the start of all messages, including argp's */
	td_engine_handle_no_memory(NULL, 0);
	atexit(check_help);
	rc = td_opts_parse(&opts, td_commands(), argc, argv, &err);
	parsed = true;
	if (rc)
		return print_error(&err);
	survive(SIGPIPE);
	survive(SIGXFSZ); /* a file reached the limit of "ulimit -f" */
	rc = run(&opts, &status, &err);
	if (rc && !status)
		td_inherited_hint(&err);
	else if (rc && status == NOT_FOUND && opts.request.target.command && !err.hint[0])
		td_suggest_command(&opts, &err);
	td_opts_free(&opts);
	if (!rc)
		return status;
	rc = print_error(&err);
	return status ? status : rc;
}
