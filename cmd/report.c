// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/report.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cmd/select.h"
#include "cmd/sink.h"
#include "lib/counter.h"
#include "lib/recording.h"

static void warn_if_cut_off(const struct td_recording *rec)
{
	if (rec->cut_off)
		fprintf(stderr,
			"tdstat: %s: cut off in line %zu: shown up to its last "
			"whole line\n",
			rec->path, rec->line + 1);
	else if (!rec->ended)
		fprintf(stderr,
			"tdstat: %s: no end line: the recording was "
			"interrupted\n",
			rec->path);
}

static int show(struct td_recording *rec, struct td_sink *sink,
		struct td_err *err)
{
	struct td_counter *counter = NULL;
	struct td_readings delta;
	uint64_t time_ns = 0;
	int rc = td_counter_replay_open(&counter, rec, err);

	if (!rc)
		rc = td_sink_begin(sink, err);
	while (!rc) {
		rc = counter->ops->read(counter, &time_ns, &delta, err);
		if (!rc && sink->how == TD_AGGREGATE_CPU && delta.nr &&
		    delta.v[0].cpu < 0)
			rc = td_err_usage(err, "-A: %s is of tasks, not CPUs",
					  rec->path);
		if (!rc)
			rc = td_sink_counts(sink, time_ns, &rec->times, &delta,
					    err);
	}
	td_counter_close(counter);
	if (rc < 0)
		return rc;
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	warn_if_cut_off(rec);
	return td_sink_end(sink, &rec->usage, err);
}

/* --cputype: the other kinds' events are not shown. */
static void hide_skipped(struct td_recording *rec)
{
	for (size_t i = 0; i < rec->plan.nr_events; i++) {
		struct td_event *event = &rec->plan.events[i];

		event->hidden |= rec->machine.pmus[event->pmu].skip;
	}
}

/* The tree, unless -e was what was recorded: then the events. */
static int make_tree(struct td_recording *rec, const struct td_opts *opts,
		     struct td_tree *tree, struct td_notes *notes,
		     struct td_err *err)
{
	int rc;

	if (rec->plan.asked && (opts->level > 1 || opts->hybrid_merge))
		return td_err_usage(err,
				    "%s holds events, no tree: --level and "
				    "--hybrid-merge make no sense",
				    rec->path);
	if (rec->plan.asked) {
		hide_skipped(rec);
		return 0;
	}
	rc = td_tree_build(tree, &rec->plan, &rec->machine, opts->level, true,
			   err);
	if (!rc && td_select_check(tree, &rec->machine, opts, notes))
		rc = td_err_set(err, -ENODEV,
				"%s: its events make up no top-down tree",
				rec->path);
	return rc ? rc : td_select_rows(tree, &rec->machine, opts, err);
}

static int report_from(struct td_recording *rec, const struct td_opts *opts,
		       struct td_notes *notes, struct td_err *err)
{
	struct td_tree tree = { 0 };
	struct td_sink sink = { &tree, &rec->plan, &rec->machine };
	struct td_err late = { 0 };
	int rc = make_tree(rec, opts, &tree, notes, err);

	if (!rc)
		rc = td_sink_open(&sink, opts, rec->info.target,
				  rec->info.interval_ms > 0, err);
	for (size_t i = 0; !rc && i < notes->nr; i++)
		fprintf(stderr, "tdstat: %s\n", notes->v[i]);
	if (!rc)
		rc = show(rec, &sink, err);
	if (td_sink_close(&sink, rc ? &late : err) && !rc)
		rc = err->code;
	td_tree_free(&tree);
	return rc;
}

/* The output would be emptied before the recording is read. */
static int check_not_input(const struct td_recording *rec, const char *output,
			   struct td_err *err)
{
	struct stat in, out;

	if (!output || fstat(fileno(rec->fp), &in) || stat(output, &out) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return td_err_usage(err, "-o %s is the recording that -i names",
			    output);
}

int td_report_run(const struct td_opts *opts, struct td_err *err)
{
	struct td_notes notes = { 0 };
	struct td_recording rec;
	int rc = td_recording_open(&rec, opts->input, err);

	if (!rc)
		rc = check_not_input(&rec, opts->output, err);
	if (!rc)
		rc = td_select_pmus(&rec.machine, opts, err);
	if (!rc)
		rc = report_from(&rec, opts, &notes, err);
	td_recording_close(&rec);
	td_notes_free(&notes);
	return rc;
}
