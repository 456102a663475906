// SPDX-License-Identifier: GPL-2.0-only
/* tdstat help: shows the --help of tdstat or of a subcommand, or the legend. */

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/suggest.h"
#include "cmd/output/out.h"
#include "cmd/wing.h"

/* Legend, which is also in tdstat-glossary(7). */
static const char legend[] =
	"Marks in trees and tables:\n"
	"  <-- or *         the value is above its threshold: look here\n"
	"  ±0.3             the error: in 95 of 100 cases the true value of this\n"
	"                   run is at most 0.3 away; no ± means too few readings\n"
	"                   to estimate it\n"
	"  ±?               too little was measured to know the value\n"
	"  ?                the value is impossible: something disturbed the\n"
	"                   measurement\n"
	"  ~                the true value may be 0: the formula subtracts a\n"
	"                   correction that is larger than the value\n"
	"  (16.1 %)         measured for this share of the time; without it, for\n"
	"                   the time in the heading\n"
	"  (14 to 69 %)     the value varied between these during the run\n"
	"  red              the same as <--; dim: a CPU or thread that was almost\n"
	"                   idle (busy less than 5 % of the time) has no marks\n"
	"  -                the value is unknown\n"
	"  <not counted>    no value: the program did not run there, or an event\n"
	"                   had no counter\n"
	"  <not supported>  no value: this machine cannot count the event\n"
	"\n"
	"tdstat-glossary(7) explains more terms, tdstat-output(5) all of the output.\n";

static int no_such(const struct td_opts *opts, const char *name, struct td_err *err)
{
	if (td_wing_refuse(name, strlen(name), err))
		return err->code;
	td_err_usage(err, "tdstat has no subcommand '%s'", name);
	td_suggest_command_name(name, opts, err);
	return err->hint[0] ? err->code : td_err_hint(err, "tdstat help lists them");
}

static int help(const struct td_opts *opts, int *status, struct td_err *err)
{
	const struct td_command *command = opts->commands[0];
	const char *name = opts->nr_patterns ? opts->patterns[0] : NULL;
	int rc = 0;

	(void)status;
	if (name && strcmp(name, command->name) != 0)
		command = td_command_find(opts->commands, name);
	if (name && !strcmp(name, "legend"))
		fputs(legend, stdout);
	else if (command)
		td_usage_show(command, opts->commands);
	else if (name)
		rc = no_such(opts, name, err);
	return rc ?: td_out_check(stdout, "standard output", err);
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->nr_patterns <= 1)
		return 0;
	return td_err_usage(err, "tdstat help takes one subcommand: '%s' is one too many",
			    opts->patterns[1]);
}

static const struct td_option_group *const groups[] = { NULL };

const struct td_command td_command_help = {
	.name = "help",
	.line = "show the options of a subcommand",
	.args = "[SUBCOMMAND | legend]",
	.doc = "Shows the options of a subcommand, with examples. Without a subcommand, shows "
	       "those of tdstat and lists the subcommands. \"legend\" shows what the marks in the "
	       "output "
	       "mean.",
	.examples = "  tdstat help\n"
		    "  tdstat help report\n"
		    "  tdstat help legend",
	.status = "Exit status: 0; 64 if there is no such subcommand; 1 for any other failure.",
	.groups = groups,
	.word = td_value_pattern,
	.check = check,
	.run = help,
};
