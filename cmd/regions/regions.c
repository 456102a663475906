// SPDX-License-Identifier: GPL-2.0-only
/* tdstat regions: counts the regions that a program marks with libtdstat. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include "cmd/opts/check.h"
#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/rows.h"
#include "cmd/opts/value.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/job.h"
#include "cmd/regions/program.h"
#include "cmd/regions/remarks.h"
#include "cmd/regions/result.h"
#include "lib/plan/join.h"

/* --- counting --------------------------------------------------------------- */

/* What a run of the program needs; outputs are opened before it begins. */
struct session {
	struct td_job *job;
	struct td_region_spec spec;
	struct td_region_files files;
	struct td_program program;
	struct td_region_result result;
};

static int open_session(struct session *session, struct td_job *job,
			struct td_err *err)
{
	int rc;

	*session = (struct session){ .job = job };
	rc = td_region_spec_make(&session->spec, job, err);
	session->files.values = session->spec.values;
	session->files.nr_values = session->spec.nr;
	return rc ? rc
		  : td_region_result_open(&session->result, job,
					  &session->files.regions, err);
}

static int close_session(struct session *session, int rc, struct td_err *err)
{
	rc = td_region_result_close(&session->result, rc, err);
	td_region_files_free(&session->files);
	td_program_free(&session->program);
	return rc;
}

static int count(struct td_job *job, struct td_inherited *inherited,
		 int *status, struct td_err *err)
{
	struct session session;
	int rc = open_session(&session, job, err);

	if (!rc) {
		td_job_say_notes(job);
		rc = td_program_run(&session.program, job, inherited, err);
		*status = session.program.status;
	}
	if (!rc)
		rc = td_region_files_read(&session.files,
					  session.program.prefix, err);
	if (!rc)
		rc = td_region_result_show(
			&session.result, &session.files.counts,
			&session.program.usage, session.program.status, err);
	if (!rc)
		td_regions_say(job, &session.files, session.program.folder);
	return close_session(&session, rc, err);
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_job job;
	int rc;

	td_inherited_change(&inherited);
	rc = td_job_plan(&job, opts, err);
	if (!rc)
		rc = td_plan_join(&job.plan, &job.machine, &job.notes, err);
	if (!rc)
		rc = opts->dry_run ? td_dry_run(&job, err)
				   : count(&job, &inherited, status, err);
	td_job_free(&job);
	return rc;
}

#define MOST_LEVELS 2

/* --- the subcommand --------------------------------------------------------- */

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->target.command) {
		td_err_usage(err, "tdstat regions needs a command");
		return td_err_hint(err, "tdstat regions -- ./program");
	}
	if (opts->ask.level > MOST_LEVELS && !opts->ask.drill)
		return td_err_usage(err,
				    "-l %d: nothing takes turns in "
				    "regions, and there is room for levels "
				    "1 and 2",
				    opts->ask.level);
	if (opts->ask.drill)
		return td_err_usage(err, "-l auto chooses while it counts: "
					 "regions are counted at level 1 or 2");
	if (td_opts_want_events(opts) && td_ask_is_made(&opts->ask))
		return td_err_usage(err, "-e shows counts, --level and -M "
					 "metrics: they exclude each other");
	return 0;
}

/* clang-format off */
static const struct td_option counting[] = {
	{ "level", 'l', "N", "level 1, or levels 1 and 2 (default: 1)",
	  TD_OPTION_FUNCTION, .set = td_value_level },
	{ "metrics", 'M', "LIST", "metrics and groups of them: names, tma_*",
	  TD_OPTION_FUNCTION, .set = td_value_metrics },
	{ "event", 'e', "LIST",
	  "events instead of the tree, in the syntax of perf stat -e",
	  TD_OPTION_FUNCTION, .set = td_value_events },
	{ "every", 0, "N", "count one of N calls of a region, by chance",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, every), 0, 1, INT_MAX },
	{ "read", 0, NULL, "by system calls, not by RDPMC",
	  TD_OPTION_FLAG, offsetof(struct td_opts, by_read) },
	{ NULL },
};

static const struct td_option showing[] = {
	{ "record", 0, "FILE", "write a recording, too, for tdstat report",
	  TD_OPTION_FILE, offsetof(struct td_opts, record) },
	{ "hybrid-merge", 0, NULL, "one row for all kinds of core",
	  TD_OPTION_FLAG, offsetof(struct td_opts, hybrid_merge) },
	{ "error", 0, NULL, "CSV: a column for the error of each metric",
	  TD_OPTION_FLAG, offsetof(struct td_opts, csv_error) },
	{ "no-big-num", 0, NULL, "no thousands separators",
	  TD_OPTION_FUNCTION, .set = td_value_no_big_num },
	{ "verbose", 'v', NULL, "the tree of each region, too",
	  TD_OPTION_COUNT, offsetof(struct td_opts, verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_counting = { TD_SECTION_WHAT,
						       counting };
static const struct td_option_group group_showing = { TD_SECTION_HOW, showing };

static const struct td_option_group *const groups[] = {
	&group_counting,  &td_group_cores,   &td_group_files,
	&group_showing,   &td_group_formats, &td_group_output,
	&td_group_stream, &td_group_dry_run, NULL,
};

const struct td_command td_command_regions = {
	.name = "regions",
	.line = "count the regions that a program marks with libtdstat",
	.args = "[--] COMMAND [ARG...]",
	.doc = "Runs a command, and shows where the pipeline slots go in the "
	       "regions that it marks with td_begin() and td_end() of "
	       "libtdstat; see tdstat-regions(3).",
	.what = "What to count:",
	.examples = "  tdstat regions -- ./program\n"
		    "  tdstat regions -l 2 -v -- ./program",
	.groups = groups,
	.does = { .regions = true },
	.check = check,
	.counts = true,
	.run = run,
};
