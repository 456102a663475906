// SPDX-License-Identifier: GPL-2.0-only
/* tdstat report: a recording through the same formulas and writers. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/meant.h"
#include "cmd/opts/rows.h"
#include "cmd/out/sink.h"
#include "cmd/plan/measure.h"
#include "cmd/plan/select.h"
#include "cmd/say.h"
#include "lib/counter/counter.h"
#include "lib/recording/recording.h"

static void warn_if_cut_off(const struct td_recording *rec)
{
	if (rec->cut_off)
		td_say("tdstat: %s: cut off in line %zu: shown up to its last "
		       "whole line\n",
		       rec->path, rec->line + 1);
	else if (!rec->ended)
		td_say("tdstat: %s: no end line: the recording was "
		       "interrupted\n",
		       rec->path);
}

/* What was counted in threads cannot be told by CPU, and the reverse. */
static int check_readings(const struct td_recording *rec,
			  const struct td_sink *sink,
			  const struct td_readings *delta, struct td_err *err)
{
	enum td_aggregation how = sink->aggregator->how;
	bool tasks = delta->nr && delta->v[0].cpu < 0;

	if (!delta->nr || how == TD_AGGREGATE_ALL)
		return 0;
	if (how == TD_AGGREGATE_THREAD)
		return tasks && delta->v[0].tid >= 0
			       ? 0
			       : td_err_usage(err,
					      "--per-thread: %s was recorded "
					      "on CPUs, not in threads",
					      rec->path);
	return tasks ? td_err_usage(err,
				    "%s: %s was recorded in tasks, not "
				    "on CPUs",
				    td_aggregation_option(how), rec->path)
		     : 0;
}

/* The output begins when there is something to show: until then it stays. */
static int show_rows(struct td_recording *rec, struct td_counter *counter,
		     struct td_sink *sink, uint64_t *time_ns,
		     struct td_err *err)
{
	struct td_readings delta;
	bool begun = false;
	int rc = 0;

	while (!rc) {
		rc = counter->ops->read(counter, 0, time_ns, &delta, err);
		if (!rc)
			rc = check_readings(rec, sink, &delta, err);
		if (rc >= 0 && !begun && td_sink_begin(sink, err))
			return err->code;
		begun = true;
		if (!rc)
			rc = td_sink_counts(sink, *time_ns, &rec->times, &delta,
					    err);
	}
	return rc < 0 ? rc : 0;
}

static int show(struct td_recording *rec, struct td_sink *sink,
		struct td_err *err)
{
	struct td_counter *counter = NULL;
	uint64_t time_ns = 0;
	int rc = td_counter_replay_open(&counter, rec, err);

	if (!rc)
		rc = show_rows(rec, counter, sink, &time_ns, err);
	td_counter_close(counter);
	if (rc)
		return rc;
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	warn_if_cut_off(rec);
	return td_sink_end_run(sink, &rec->usage, err);
}

/* --cputype: the other kinds' events are not shown. */
static void hide_skipped(struct td_recording *rec)
{
	for (size_t i = 0; i < rec->plan.events.nr; i++) {
		struct td_event *event = &rec->plan.events.v[i];

		event->hidden |= rec->machine.pmus[event->pmu].skip;
	}
}

/* The words that make no sense are the recording's, not the user's. */
static void blame_recording(const struct td_recording *rec, struct td_err *err)
{
	err->usage = false;
	td_err_wrap(err, "%s", rec->path);
}

/* The metrics, unless -e was what was recorded: then the events. */
static int make_tree(struct td_recording *rec, const struct td_opts *opts,
		     struct td_measure *measure, struct td_notes *notes,
		     struct td_err *err)
{
	const struct td_measuring how = {
		.machine = &rec->machine,
		.opts = opts,
		.notes = notes,
		.places = rec->places,
		.tsc_hz = rec->info.tsc_hz,
		.core_wide = !rec->info.tasks,
	};
	int rc;

	if (rec->plan.asked &&
	    (opts->level > 1 || opts->only_level || opts->nr_metrics))
		return td_err_usage(err,
				    "%s has events and no tree: --level and "
				    "-M do not apply",
				    rec->path);
	if (rec->plan.asked) {
		hide_skipped(rec);
		return 0;
	}
	rc = td_measure_build(measure, &rec->plan, &how, err);
	if (!rc)
		rc = td_check_shown_metrics(&measure->tree, &rec->machine, opts,
					    notes, err);
	if (!rc)
		rc = td_check_rows_of_cpus(&measure->tree, &rec->machine, opts,
					   err);
	if (rc && err->usage && opts->nr_metrics &&
	    opts->metrics == rec->info.metrics)
		blame_recording(rec, err);
	return rc;
}

/* As it was recorded, unless another aggregation is asked for. */
static int build_aggregator(struct td_aggregator *agg,
			    const struct td_recording *rec,
			    const struct td_opts *opts, struct td_err *err)
{
	enum td_aggregation how = td_opts_aggregation(opts);
	int rc;

	if (!opts->aggregations)
		how = rec->info.how;
	if (rec->info.sums && how == TD_AGGREGATE_CPU && how != rec->info.how)
		return td_err_set(err, -ENODATA,
				  "-A: %s has %s, not single "
				  "CPUs",
				  rec->path,
				  rec->info.how == TD_AGGREGATE_ALL
					  ? "one sum"
					  : "sums of more than one CPU");
	if (td_aggregation_wants_places(how) && !rec->places)
		return td_err_set(err, -ENODATA,
				  "%s does not have the topology of its CPUs",
				  rec->path);
	rc = td_aggregator_build(agg, how,
				 opts->aggregations ? opts->cache_level
						    : rec->info.cache_level,
				 rec->places, rec->machine.online.nr, err);
	if (rc == -ENODATA)
		td_err_wrap(err, "%s", rec->path);
	agg->raw = opts->no_scale;
	/* as it was live: most of a machine's threads sleep */
	agg->skip_idle = rec->info.how == TD_AGGREGATE_THREAD &&
			 strcmp(rec->info.target, "system wide") == 0;
	agg->names = &rec->names;
	agg->cgroups = rec->info.cgroups;
	agg->nr_cgroups = rec->info.nr_cgroups;
	return rc;
}

/* Opened, nothing is written to it yet: it would be lost, or have no end. */
static int check_not_input(const struct td_recording *rec,
			   const struct td_sink *sink, struct td_err *err)
{
	if (!td_recording_is_written(rec, fileno(sink->writer.fp)))
		return 0;
	return td_err_usage(err, "%s is the recording that is being read",
			    sink->name);
}

static int report_from(struct td_recording *rec, const struct td_opts *opts,
		       struct td_notes *notes, struct td_err *err)
{
	struct td_measure measure = { 0 };
	struct td_aggregator aggregator = { 0 };
	struct td_ratio_table ratios = { 0 };
	struct td_sink sink = { &measure.tree, &rec->plan, &rec->machine,
				&aggregator };
	struct td_err late = { 0 };
	int rc = make_tree(rec, opts, &measure, notes, err);

	if (!rc)
		rc = build_aggregator(&aggregator, rec, opts, err);
	if (!rc && opts->metric_only && rec->plan.asked) {
		rc = td_ratio_table_build(&ratios, &rec->plan, &rec->machine,
					  opts->hybrid_merge, err);
		sink.ratios = &ratios;
	}

	if (!rc)
		rc = td_sink_open(&sink, opts, rec->info.target,
				  rec->info.interval_ms > 0, err);
	if (!rc)
		rc = check_not_input(rec, &sink, err);
	for (size_t i = 0; !rc && !opts->quiet && i < notes->nr; i++)
		td_say("tdstat: %s\n", notes->v[i]);
	if (!rc)
		rc = show(rec, &sink, err);
	if (td_sink_close(&sink, rc ? &late : err) && !rc)
		rc = err->code;
	td_ratio_table_free(&ratios);
	td_aggregator_free(&aggregator);
	td_measure_free(&measure);
	return rc;
}

/* What was asked for when it was recorded, unless the user asks anew. */
static struct td_opts with_defaults(const struct td_opts *asked,
				    const struct td_recording *rec)
{
	struct td_opts opts = *asked;

	if (opts.level || opts.only_level || opts.nr_metrics)
		return opts;
	opts.level = rec->info.level;
	opts.only_level = rec->info.only_level;
	opts.metrics = rec->info.metrics;
	opts.nr_metrics = rec->info.nr_metrics;
	if (!opts.level && !opts.only_level && !opts.nr_metrics)
		opts.level = 1;
	return opts;
}

static int report(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_notes notes = { 0 };
	struct td_opts filled;
	struct td_recording rec;
	int rc = td_recording_open(&rec, opts->input, err);

	(void)status;
	if (rc)
		td_meant_recording(opts->input, err);
	if (!rc)
		rc = td_select_pmus(&rec.machine, opts, err);
	if (!rc)
		filled = with_defaults(opts, &rec);
	if (!rc)
		rc = report_from(&rec, &filled, &notes, err);
	td_recording_close(&rec);
	td_notes_free(&notes);
	return rc;
}

/* --- the subcommand ------------------------------------------------------------ */

static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	if (!opts->input) {
		opts->input = word;
		return *word ? 0 : td_err_usage(err, "report: an empty name");
	}
	td_err_usage(err,
		     "tdstat report shows one file, %s, and runs no command: "
		     "'%s' is one too many",
		     opts->input, word);
	return td_err_hint(err, "for each file: tdstat report FILE");
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->input)
		return 0;
	td_err_usage(err, "tdstat report needs a FILE");
	return td_err_hint(err, "tdstat record -o FILE makes one");
}

/* clang-format off */
static const struct td_option recording[] = {
	{ "input", 'i', "FILE", "the recording to show; - is standard input",
	  TD_OPTION_FILE, offsetof(struct td_opts, input) },
	{ "total", 0, NULL, "the sum of all, whatever was recorded",
	  TD_OPTION_BIT, offsetof(struct td_opts, aggregations),
	  .min = TD_AGGREGATE_ALL },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_recording = { TD_SECTION_HOW,
							recording };

static const struct td_option_group *const groups[] = {
	&group_recording,       &td_group_cores,   &td_group_files,
	&td_group_tree,         &td_group_scale,   &td_group_rows,
	&td_group_aggregations, &td_group_formats, &td_group_output,
	&td_group_stream,       &td_group_verbose, NULL,
};

const struct td_command td_command_report = {
	.name = "report",
	.line = "show a recording, or what perf stat -x or -j wrote",
	.args = "[-i] FILE",
	.doc = "Shows a recording again, if asked with another aggregation, "
	       "with other metrics, or as CSV or JSON.",
	.what = "What to show:",
	.examples = "  tdstat report td.jsonl -A\n"
		    "  tdstat report td.jsonl -l 2 --summary -x,",
	.status = "Exit status: 0; 64 for a wrong option; 1 if the recording "
		  "cannot be read, or the result cannot be written.",
	.groups = groups,
	.subcommand = TD_REPORT,
	.word = take_word,
	.check = check,
	.run = report,
};
