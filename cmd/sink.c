// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "metrics/eval.h"

static int check_stream(struct td_sink *sink, struct td_err *err)
{
	return td_out_check(sink->writer.fp, sink->name, err);
}

static int open_stream(struct td_sink *sink, const struct td_opts *opts,
		       struct td_err *err)
{
	if (opts->output && opts->subcommand != TD_RECORD) {
		sink->name = opts->output;
		sink->to_file = true;
		sink->writer.fp =
			fopen(opts->output, opts->append ? "ae" : "we");
		if (!sink->writer.fp)
			return td_err_set(err, -errno, "%s: %s", opts->output,
					  strerror(errno));
		return 0;
	}
	sink->name = opts->command ? "standard error" : "standard output";
	sink->writer.fp = opts->command ? stderr : stdout;
	return 0;
}

/* What is appended to has its header. */
static bool has_content(FILE *fp)
{
	struct stat st;

	return fstat(fileno(fp), &st) == 0 && st.st_size > 0;
}

static void look_at_terminal(struct td_sink *sink)
{
	const char *term = getenv("TERM");
	int fd = fileno(sink->writer.fp);
	struct winsize size;

	if (!isatty(fd))
		return;
	sink->frame.colour =
		term && strcmp(term, "dumb") != 0 && !getenv("NO_COLOR");
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		sink->frame.screen_lines = size.ws_row;
}

/* perf stat's first line of a file for people. */
static void put_started(FILE *fp)
{
	time_t now = time(NULL);
	char text[32];

	if (ctime_r(&now, text))
		fprintf(fp, "# started on %s\n", text);
}

/* A table of more columns is no table: so many fit 150 characters. */
#define MAX_COLUMNS 15

static bool is_too_wide(const struct td_tree *tree)
{
	size_t nr = 0;

	for (size_t i = 0; i < tree->nr_columns; i++)
		nr += tree->columns[i].present;
	return nr > MAX_COLUMNS;
}

int td_sink_open(struct td_sink *sink, const struct td_opts *opts,
		 const char *target, bool interval, struct td_err *err)
{
	int rc = open_stream(sink, opts, err);

	if (rc)
		return rc;
	sink->how = opts->per_cpu ? TD_AGGREGATE_CPU : TD_AGGREGATE_ALL;
	sink->merge = opts->hybrid_merge;
	sink->frame = (struct td_frame){
		.target = target,
		.interval = interval,
		.show_pmu = sink->machine->nr_core > 1,
		.show_id = opts->per_cpu,
		.trees = is_too_wide(sink->tree),
		.all = opts->all_nodes,
		.describe = opts->verbose > 0,
		.big_num = opts->big_num,
	};
	look_at_terminal(sink);
	sink->writer.out = td_out_find(opts->format);
	sink->writer.frame = &sink->frame;
	sink->writer.separator = opts->separator;
	sink->writer.header_done = opts->append &&
				   opts->format == TD_FORMAT_CSV &&
				   has_content(sink->writer.fp);
	if (sink->to_file && opts->format == TD_FORMAT_TEXT)
		put_started(sink->writer.fp);
	return 0;
}

int td_sink_begin(struct td_sink *sink, struct td_err *err)
{
	sink->writer.out->begin(&sink->writer);
	return check_stream(sink, err);
}

static int put_tree(struct td_sink *sink, uint64_t time_ns,
		    const struct td_times *times,
		    const struct td_totals *totals, struct td_err *err)
{
	struct td_report report;
	int rc = td_eval(sink->tree, totals, times, sink->merge, &report, err);

	report.time_ns = time_ns;
	if (!rc)
		sink->writer.out->report(&sink->writer, &report);
	td_report_free(&report);
	return rc;
}

static int put_events(struct td_sink *sink, uint64_t time_ns,
		      const struct td_times *times,
		      const struct td_totals *totals, struct td_err *err)
{
	struct td_event_report report;
	int rc = td_event_rows(sink->plan, totals, times, &report, err);

	report.time_ns = time_ns;
	if (!rc)
		sink->writer.out->events(&sink->writer, &report);
	td_event_report_free(&report);
	return rc;
}

int td_sink_counts(struct td_sink *sink, uint64_t time_ns,
		   const struct td_times *times,
		   const struct td_readings *delta, struct td_err *err)
{
	struct td_totals totals = { 0 };
	int rc = td_count_aggregate(delta, sink->plan, sink->how, &totals, err);

	if (!rc)
		rc = sink->plan->asked
			     ? put_events(sink, time_ns, times, &totals, err)
			     : put_tree(sink, time_ns, times, &totals, err);
	td_totals_free(&totals);
	return rc ? rc : check_stream(sink, err);
}

int td_sink_end(struct td_sink *sink, const struct td_usage *usage,
		struct td_err *err)
{
	sink->writer.out->end(&sink->writer, usage);
	return check_stream(sink, err);
}

int td_sink_close(struct td_sink *sink, struct td_err *err)
{
	FILE *fp = sink->writer.fp;
	int rc = 0;

	sink->writer.fp = NULL;
	if (fp && sink->to_file && fclose(fp))
		rc = td_err_set(err, -errno, "cannot write %s: %s", sink->name,
				strerror(errno));
	return rc;
}
