// SPDX-License-Identifier: GPL-2.0-only
/* tdstat report: shows a recording through the same formulas and writers. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/meant.h"
#include "cmd/opts/rows.h"
#include "cmd/plan/facts.h"
#include "cmd/plan/measure.h"
#include "cmd/plan/select.h"
#include "cmd/sample/replay.h"
#include "cmd/say.h"
#include "cmd/view/recorded.h"
#include "cmd/view/view.h"
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

static int put(const struct td_recording *rec, struct td_view *view,
	       const struct td_readings *delta, uint64_t time_ns,
	       struct td_err *err)
{
	const struct td_counted counted = { time_ns, &rec->times, delta,
					    &rec->course };

	if (view->source->tree)
		td_tree_set_latencies(view->source->tree, &rec->latencies);
	return td_view_put(view, &counted, err);
}

/* Opens the output, and empties it, only when there is something to show. */
static int show_rows(struct td_recording *rec, struct td_view *view,
		     struct td_readings *delta, uint64_t *time_ns,
		     struct td_err *err)
{
	bool begun = false;
	int rc = 0;

	while (!rc) {
		rc = td_recording_next(rec, time_ns, delta, err);
		if (!rc)
			rc = td_recorded_check_readings(rec, view->source->how,
							delta, err);
		if (rc >= 0 && !begun && td_view_begin(view, err))
			return err->code;
		begun = true;
		if (!rc)
			rc = put(rec, view, delta, *time_ns, err);
	}
	return rc < 0 ? rc : 0;
}

static int show(struct td_recording *rec, struct td_view *view, bool functions,
		struct td_err *err)
{
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = functions ? td_replay_profile(rec, view, &time_ns, err)
			   : show_rows(rec, view, &delta, &time_ns, err);

	free(delta.v);
	if (rc)
		return rc;
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	warn_if_cut_off(rec);
	return td_view_end_run(view, &rec->usage, err);
}

/* --cputype: hides the events of other kinds of core. */
static void hide_skipped(struct td_recording *rec)
{
	for (size_t i = 0; i < rec->plan.events.nr; i++) {
		struct td_event *event = &rec->plan.events.v[i];

		event->hidden |= rec->machine.pmus[event->pmu].skip;
	}
}

/* Turns a usage error into one of the recording, whose words are wrong. */
static void blame_recording(const struct td_recording *rec, struct td_err *err)
{
	err->usage = false;
	td_err_wrap(err, "%s", rec->path);
}

/* Builds the tree; a recording of -e has only events. */
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
		.latencies = rec->info.latencies,
	};
	int rc;

	if (rec->info.of_events && (opts->level > 1 || opts->only_level ||
				    opts->nr_metrics || opts->bottlenecks))
		return td_err_usage(err,
				    "%s has events and no tree: --level, -M "
				    "and --bottlenecks do not apply",
				    rec->path);
	if (rec->info.of_events) {
		hide_skipped(rec);
		return 0;
	}
	rc = td_measure_build(measure, &rec->plan.events, &how, err);
	if (rc && err->usage && opts->nr_metrics &&
	    opts->metrics == rec->info.metrics)
		blame_recording(rec, err);
	return rc;
}

/* The recorded aggregation, unless another one is asked for. */
static enum td_aggregation choose_aggregation(const struct td_recording *rec,
					      const struct td_opts *opts)
{
	if (opts->profile)
		return TD_AGGREGATE_REGION;
	return opts->aggregations ? td_opts_aggregation(opts) : rec->info.how;
}

static struct td_source make_source(const struct td_recording *rec,
				    struct td_measure *measure,
				    const struct td_opts *opts)
{
	const struct td_recording_info *info = &rec->info;

	return (struct td_source){
		.machine = &rec->machine,
		.plan = &rec->plan,
		.tree = info->of_events ? NULL : &measure->tree,
		.facts = { &measure->catalog, td_facts_find },
		.target = &info->target,
		.interval = info->interval_ms > 0,
		.start_ns = info->start_ns,
		.how = choose_aggregation(rec, opts),
		.cache_level = opts->aggregations ? opts->cache_level
						  : info->cache_level,
		.places = rec->places,
		/* as in the live run: most threads of a machine sleep */
		.skip_idle = info->how == TD_AGGREGATE_THREAD &&
			     info->target.kind == TD_TARGET_SYSTEM,
		.names = &rec->names,
		.latencies = &rec->latencies,
		.regions = &rec->regions,
		.cgroups = info->cgroups,
		.nr_cgroups = info->nr_cgroups,
	};
}

/* Refuses to write to the input: it would be lost, or grow without end. */
static int check_not_input(const struct td_recording *rec,
			   const struct td_sink *sink, struct td_err *err)
{
	if (!td_recording_is_written(rec, fileno(sink->writer.fp)))
		return 0;
	return td_err_usage(err, "%s is the recording that is being read",
			    sink->name);
}

static int open_view(struct td_view *view, const struct td_source *source,
		     const struct td_recording *rec, const struct td_opts *opts,
		     struct td_err *err)
{
	int rc = td_recorded_check(rec, source->how, opts, err);

	if (rc)
		return rc;
	rc = td_view_init(view, source, opts, err);
	if (rc == -ENODATA)
		td_err_wrap(err, "%s", rec->path);
	if (!rc)
		rc = td_view_open(view, opts, err);
	return rc ? rc : check_not_input(rec, &view->sink, err);
}

static int report_from(struct td_recording *rec, const struct td_opts *opts,
		       struct td_notes *notes, struct td_err *err)
{
	struct td_measure measure = { 0 };
	struct td_view view = { 0 };
	struct td_source source;
	struct td_err late = { 0 };
	int rc = make_tree(rec, opts, &measure, notes, err);

	source = make_source(rec, &measure, opts);
	if (!rc)
		rc = open_view(&view, &source, rec, opts, err);
	if (!rc && !opts->quiet)
		td_say_notes(notes);
	if (!rc)
		rc = show(rec, &view, opts->profile, err);
	if (td_view_close(&view, rc ? &late : err) && !rc)
		rc = err->code;
	td_measure_free(&measure);
	return rc;
}

/* Fills in what the recording was asked for, unless the user asks again. */
static struct td_opts with_defaults(const struct td_opts *asked,
				    const struct td_recording *rec)
{
	struct td_opts opts = *asked;

	if (td_opts_want_metrics(&opts))
		return opts;
	opts.level = rec->info.level;
	opts.drill = rec->info.drill;
	opts.only_level = rec->info.only_level;
	opts.metrics = rec->info.metrics;
	opts.nr_metrics = rec->info.nr_metrics;
	opts.bottlenecks = rec->info.bottlenecks;
	if (!td_opts_want_metrics(&opts))
		opts.level = 1;
	return opts;
}

static int locate(struct td_recording *rec, const struct td_opts *opts,
		  struct td_err *err)
{
	int rc = td_replay_locate(rec, opts, err);

	if (!rc && !opts->quiet)
		warn_if_cut_off(rec);
	return rc;
}

static int open_recording(struct td_recording *rec, const struct td_opts *opts,
			  const char *name, struct td_err *err)
{
	int rc = td_recording_open(rec, name, err);

	if (rc == -ENOENT && !opts->input)
		return td_err_hint(err, "tdstat record makes it; for another "
					"file: tdstat report FILE");
	return rc ? td_meant_recording(name, err) : 0;
}

static int report(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_notes notes = { 0 };
	struct td_opts asked = *opts, filled;
	struct td_recording rec;
	int rc;

	(void)status;
	if (!opts->input)
		asked.input = TD_RECORDING_NAME;
	rc = open_recording(&rec, opts, asked.input, err);
	if (!rc)
		rc = td_select_pmus(&rec.machine, &asked, err);
	if (!rc)
		filled = with_defaults(&asked, &rec);
	if (!rc)
		rc = opts->locate ? locate(&rec, &asked, err)
				  : report_from(&rec, &filled, &notes, err);
	td_recording_close(&rec);
	td_notes_free(&notes);
	return rc;
}

/* --- the subcommand ------------------------------------------------------- */

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
	if (opts->locate && opts->profile)
		return td_err_usage(
			err, "--locate and --profile exclude each other");
	return 0;
}

/* clang-format off */
static const struct td_option recording[] = {
	{ "input", 'i', "FILE", "the recording to show (default: "
	  TD_RECORDING_NAME "); - is standard input",
	  TD_OPTION_FILE, offsetof(struct td_opts, input) },
	{ "total", 0, NULL, "the sum of all, whatever was recorded",
	  TD_OPTION_BIT, offsetof(struct td_opts, aggregations),
	  .min = TD_AGGREGATE_ALL },
	{ "per-region", 0, NULL, "a row for each region of the program",
	  TD_OPTION_BIT, offsetof(struct td_opts, aggregations),
	  .min = TD_AGGREGATE_REGION },
	{ "locate", 0, NULL, "the functions of samples of tdstat locate",
	  TD_OPTION_FLAG, offsetof(struct td_opts, locate) },
	{ "callers", 0, NULL, "and from where they were called",
	  TD_OPTION_FLAG, offsetof(struct td_opts, callers) },
	{ "profile", 0, NULL, "where the slots went in functions, by samples "
	  "of tdstat profile",
	  TD_OPTION_FLAG, offsetof(struct td_opts, profile) },
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
	.args = "[[-i] FILE]",
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
