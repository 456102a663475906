// SPDX-License-Identifier: GPL-2.0-only
/* tdstat record: counts like tdstat and writes the counts to a file. */
#include <stddef.h>
#include <string.h>

#include "cmd/always.h"
#include "cmd/opts/check.h"
#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/rows.h"
#include "cmd/opts/value.h"
#include "cmd/say.h"

/* Refuses "-o -": unlike results, a recording needs a file. */
static int take_output(struct td_opts *opts, const char *arg,
		       struct td_err *err)
{
	if (strcmp(arg, "-") != 0)
		return td_value_output(opts, arg, err);
	td_err_usage(err, "-o -: a recording needs the name of a file");
	return td_err_hint(err, "for standard output, give /dev/stdout");
}

/*
 * The name is said only where the user did not choose it, and at the end, where
 * it is seen.
 */
static int record(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_opts filled = *opts;
	bool counted;
	int rc;

	if (!filled.show.output)
		filled.show.output = TD_RECORDING_NAME;
	rc = td_always_run(&filled, NULL, &counted, status, err);
	if (!rc && counted && !opts->show.output && !opts->show.quiet &&
	    !opts->dry_run)
		td_say("tdstat: recorded in %s: tdstat report shows it\n",
		       filled.show.output);
	return rc;
}

/* clang-format off */
static const struct td_option recording[] = {
	{ "output", 'o', "FILE", "the recording (default: " TD_RECORDING_NAME ")",
	  TD_OPTION_FUNCTION, .set = take_output },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_recording = { TD_SECTION_HOW,
							recording };

static const struct td_option_group *const groups[] = {
	&td_group_target,       &td_group_cgroups, &td_group_cores,
	&td_group_files,        &td_group_model,   &td_group_tree,
	&td_group_events,       &td_group_tpebs,   &td_group_scale,
	&td_group_when,         &td_group_require, &td_group_rows,
	&td_group_aggregations, &td_group_formats, &group_recording,
	&td_group_stream,       &td_group_head,    &td_group_perf,
	&td_group_dry_run,      &td_group_verbose, NULL,
};

const struct td_command td_command_record = {
	.name = "record",
	.line = "count, show the result and save the counts in a file",
	.args = "[-o FILE] [--] [COMMAND [ARG...]]",
	.doc = "Counts and shows the result as tdstat does without a "
	       "subcommand, and writes the counts to a file for tdstat report.",
	.what = "What to count:",
	.examples = "  tdstat record -- make\n"
		    "  tdstat record -o td.jsonl -a -I 1000 --timeout 10s",
	.groups = groups,
	.does = { .records = true, .latencies = true, .always = true },
	.check = td_opts_check_counting,
	.counts = true,
	.run = record,
};
