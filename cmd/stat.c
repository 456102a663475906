// SPDX-License-Identifier: GPL-2.0-only
/* tdstat without a subcommand: counts, and shows the results. */
#include <limits.h>
#include <stddef.h>

#include "cmd/always.h"
#include "cmd/opts/check.h"
#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/rows.h"
#include "cmd/textfile.h"

static int stat(const struct td_opts *opts, int *status, struct td_err *err)
{
	return opts->openmetrics ? td_textfile_run(opts, status, err)
				 : td_always_run(opts, NULL, NULL, status, err);
}

/* clang-format off */
static const struct td_option runs[] = {
	{ "repeat", 'r', "N",
	  "run the command N times, show means; 0: for ever",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, when.repeat),
	  offsetof(struct td_opts, when.has_repeat), 0, INT_MAX },
	{ NULL },
};

static const struct td_option multiplex[] = {
	{ "no-multiplex", 0, NULL,
	  "repeat the command so that no groups take turns",
	  TD_OPTION_FLAG, offsetof(struct td_opts, no_multiplex) },
	{ NULL },
};

static const struct td_option table[] = {
	{ "table", 0, NULL, "show the time of each run of -r",
	  TD_OPTION_FLAG, offsetof(struct td_opts, show.table) },
	{ NULL },
};

static const struct td_option exposed[] = {
	{ "openmetrics", 0, NULL,
	  "with -o FILE: counters for Prometheus, rewritten at each interval",
	  TD_OPTION_FLAG, offsetof(struct td_opts, openmetrics) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_runs = { TD_SECTION_WHEN, runs };
static const struct td_option_group group_multiplex = { TD_SECTION_WHEN,
							multiplex };
static const struct td_option_group group_table = { TD_SECTION_HOW, table };
static const struct td_option_group group_exposed = { TD_SECTION_HOW, exposed };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,     &td_group_tasks,
	&td_group_cgroups,  &td_group_cores,
	&td_group_files,    &td_group_model,
	&td_group_tree,     &td_group_events,
	&td_group_tpebs,    &td_group_scale,
	&td_group_when,     &td_group_require,
	&group_runs,        &group_multiplex,
	&td_group_rows,     &td_group_aggregations,
	&group_table,       &td_group_formats,
	&td_group_perfetto, &group_exposed,
	&td_group_series,   &td_group_output,
	&td_group_stream,   &td_group_head,
	&td_group_perf,     &td_group_dry_run,
	&td_group_verbose,  NULL,
};

const struct td_command td_command_stat = {
	.name = "stat",
	.line = "count and show the result (the default)",
	.args = "[--] [COMMAND [ARG...]]\nSUBCOMMAND [ARG...]",
	.doc = "Shows where the pipeline slots of the processor go: top-down "
	       "analysis of a command, of processes or of the whole machine.",
	.what = "What to count:",
	.examples = "  tdstat -l 2 -- make\n"
		    "  tdstat -a -I 1000",
	.groups = groups,
	.does = { .drills = true,
		  .always = true,
		  .latencies = true,
		  .reopens = true },
	.check = td_opts_check_counting,
	.counts = true,
	.run = stat,
};
