// SPDX-License-Identifier: GPL-2.0-only
/* tdstat without a subcommand: counts, and shows the results. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/opts.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/view/exposed.h"
#include "cmd/view/viewer.h"
#include "lib/base/util.h"

/* --- --openmetrics --------------------------------------------------------- */

/* node_exporter reads the file as often as it is asked, at most every 15 s. */
#define INTERVAL_MS 15000

struct textfile {
	const struct td_request *request;
	char *path, *temporary; /* in one folder, so that rename(2) replaces */
	enum td_exposition how;
	bool failed; /* the last time, and that was said */
	struct td_exposed exposed;
};

static int fail(const struct textfile *file, int error, struct td_err *err)
{
	return td_err_set(err, -error, "cannot write %s: %s", file->path,
			  strerror(error));
}

/* Does not follow a link that somebody put there. */
static int write_temporary(const struct textfile *file, const char *text,
			   size_t size)
{
	int fd, rc;

	unlink(file->temporary);
	fd = open(file->temporary,
		  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno;
	rc = -td_write_all(fd, text, size);
	return close(fd) && !rc ? errno : rc;
}

/* A reader sees the old counters or the new ones, never a part. */
static int replace(const struct textfile *file, struct td_err *err)
{
	size_t size = 0;
	td_autofree char *text =
		td_exposed_text(&file->exposed, file->how, &size);
	int rc;

	if (!text)
		return td_err_nomem(err);
	rc = write_temporary(file, text, size);
	if (!rc && rename(file->temporary, file->path))
		rc = errno;
	if (!rc)
		return 0;
	unlink(file->temporary);
	return fail(file, rc, err);
}

/* What cannot be written at all is told before a command is run. */
static int check_place(const struct textfile *file, struct td_err *err)
{
	int rc = write_temporary(file, "", 0);

	if (rc)
		return fail(file, rc, err);
	unlink(file->temporary);
	return 0;
}

/* The command runs already, and its status is all that may be seen. */
static int begin(void *ctx, const struct td_source *source, struct td_err *err)
{
	struct textfile *file = ctx;
	int rc;

	td_exposed_begin(&file->exposed, file->request, source);
	rc = replace(file, err);
	file->failed = rc != 0;
	return rc;
}

/*
 * A full disk need not stay full, and a command is not to be harmed: the old file
 * stays, the counters go on, and this is said once.
 */
static int report(void *ctx, const struct td_report *report, struct td_err *err)
{
	struct textfile *file = ctx;
	struct td_err failed = { 0 };
	int rc = td_exposed_add(&file->exposed, report, err);

	if (rc)
		return rc;
	if (replace(file, &failed) && !file->failed)
		td_say_error(&failed);
	file->failed = failed.code;
	return 0;
}

/* A link stays, and what it points to is replaced; a device must not be. */
static int find_path(struct textfile *file, const char *name,
		     struct td_err *err)
{
	struct stat st;

	file->path = realpath(name, NULL);
	if (file->path && stat(file->path, &st) == 0 && !S_ISREG(st.st_mode))
		return td_err_set(err, -EINVAL,
				  "-o %s: it would be replaced, and is not a "
				  "file",
				  name);
	if (!file->path)
		file->path = strdup(name);
	if (!file->path || asprintf(&file->temporary, "%s.tmp", file->path) < 0)
		return td_err_nomem(err);
	return 0;
}

/*
 * --openmetrics: counts as tdstat does, and replaces the file of -o by the counters so
 * far at each interval, as a whole.  It is in Prometheus's text format if its
 * name ends in ".prom", else in OpenMetrics.
 */
static int textfile_run(struct td_request request, int *status,
			struct td_err *err)
{
	struct textfile file = {
		.request = &request,
		.how = td_ends_with(request.show.output, ".prom")
			       ? TD_EXPOSE_TEXT
			       : TD_EXPOSE_OPENMETRICS,
	};
	const struct td_viewer viewer = {
		.begin = begin, .report = report, .fd = -1, .ctx = &file
	};
	int rc = find_path(&file, request.show.output, err);

	if (!request.when.interval_ms)
		request.when.interval_ms = INTERVAL_MS;
	if (!rc && file.temporary && !request.dry_run)
		rc = check_place(&file, err);
	rc = rc ? td_always_run_unseen(&request, status, err)
		: td_always_run(&request, &viewer, NULL, status, err);
	if (!rc && file.failed && !*status)
		*status = EXIT_FAILURE;
	td_exposed_free(&file.exposed);
	free(file.path);
	free(file.temporary);
	return rc;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	return opts->request.openmetrics
		       ? textfile_run(opts->request, status, err)
		       : td_always_run(&opts->request, NULL, NULL, status, err);
}

/* clang-format off */
static const struct td_option runs[] = {
	{ "repeat", 'r', "N",
	  "run the command N times, show means; 0: for ever",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, request.when.repeat),
	  offsetof(struct td_opts, request.when.has_repeat), 0, INT_MAX },
	{ "no-multiplex", 0, NULL,
	  "repeat the command so that no groups take turns",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.no_multiplex) },
	{ NULL },
};

static const struct td_option shown[] = {
	{ "table", 0, NULL, "show the time of each run of -r",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.table) },
	{ "openmetrics", 0, NULL,
	  "with -o FILE: counters for Prometheus, rewritten at each interval",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.openmetrics) },
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
	&group_shown,
	&td_group_formats,
	&td_group_perfetto,
	&td_group_series,
	&td_group_output,
	&td_group_stream,
	&td_group_head,
	&td_group_perf,
	&td_group_dry_run,
	&td_group_verbose,
	NULL,
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
	.run = run,
};
