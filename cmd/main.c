// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/opts/meant.h"
#include "cmd/out/out.h"
#include "cmd/run/given.h"
#include "cmd/say.h"

/* As of a program that SIGPIPE ends, which ends quietly. */
#define READER_GONE (128 + SIGPIPE)

static int print_error(const struct td_err *err)
{
	if (err->reader_gone)
		return READER_GONE;
	td_say_error(err);
	return err->usage ? EX_USAGE : 1;
}

#define NOT_FOUND 127 /* the status of a command, as of a shell's */

static bool parsed; /* the only way to tell who exits */

/* argp does, behind --help and --version, and does not look what became of it. */
static void check_help(void)
{
	struct td_err err;

	if (!parsed && td_out_check(stdout, "standard output", &err))
		_exit(print_error(&err));
}

/* A name like a subcommand's is said before anything else may fail. */
static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	if (!td_meant_subcommand(opts, err))
		return opts->chosen->run(opts, status, err);
	*status = NOT_FOUND;
	return err->code;
}

static void do_nothing(int signal)
{
	(void)signal;
}

/*
 * What cannot be written is an error to report, not our end.  Commands do not
 * inherit a handler; where the signal is ignored, they are to ignore it, too.
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
		argv[0] = name; /* as all our messages begin */
	atexit(check_help);
	rc = td_opts_parse(&opts, td_commands, argc, argv, &err);
	parsed = true;
	if (rc)
		return print_error(&err);
	survive(SIGPIPE);
	survive(SIGXFSZ); /* a file as large as "ulimit -f" lets it be */
	rc = run(&opts, &status, &err);
	if (rc && !status)
		td_given_hint(&err);
	else if (rc && status == NOT_FOUND && opts.command && !err.hint[0])
		td_meant_command(&opts, &err);
	td_opts_free(&opts);
	if (!rc)
		return status;
	rc = print_error(&err);
	return status ? status : rc;
}
