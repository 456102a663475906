// SPDX-License-Identifier: GPL-2.0-only
/* tdstat without a subcommand: counts, and shows the results. */
#include <limits.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/opts.h"
#include "cmd/session.h"

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	return td_always_run(&opts->request, NULL, NULL, status, err);
}

/* clang-format off */
static const struct td_option runs[] = {
	{ "repeat", 'r', "N",
	  "run the command N times, show means; 0: forever",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, request.when.repeat),
	  offsetof(struct td_opts, request.when.has_repeat), 0, INT_MAX },
	{ "no-multiplex", 0, NULL,
	  "repeat the command so that nothing is multiplexed",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.no_multiplex) },
	{ NULL },
};

static const struct td_option shown[] = {
	{ "table", 0, NULL, "show the time of each run of -r",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.table) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_runs = { TD_SECTION_WHEN, runs };
static const struct td_option_group group_shown = { TD_SECTION_HOW, shown };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,
	&td_group_tasks,
	&td_group_cgroups,
	&td_group_cores,
	&td_group_files,
	&td_group_model,
	&td_group_tree,
	&td_group_events,
	&td_group_scale,
	&td_group_when,
	&td_group_require,
	&group_runs,
	&td_group_rows,
	&td_group_aggregations,
	&td_group_processes,
	&group_shown,
	&td_group_formats,
	&td_group_output,
	&td_group_stream,
	&td_group_head,
	&td_group_perf,
	&td_group_dry_run,
	&td_group_print_perf,
	&td_group_verbose,
	NULL,
};

const struct td_command td_command_stat = {
	.name = "stat",
	.line = "count and show the result (the default)",
	.args = "[--] [COMMAND [ARG...]]\nSUBCOMMAND [ARG...]",
	.doc = "Top-down analysis: shows where the pipeline slots of the processor go.",
	.what = "What to count:",
	.examples = "  tdstat -l 2 -- make\n"
		    "  tdstat -a -I 1000",
	.groups = groups,
	.does = { .drills = true, .always = true, .latencies = true, .reopens = true },
	.check = td_opts_check_counting,
	.counts = true,
	.run = run,
};
