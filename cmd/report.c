// SPDX-License-Identifier: GPL-2.0-only
/* tdstat report: shows a recording through the same formulas and writers. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/rows.h"
#include "cmd/opts/value.h"
#include "cmd/replay/check.h"
#include "cmd/replay/recorded.h"
#include "cmd/sample/replay.h"
#include "cmd/say.h"
#include "cmd/view/view.h"
#include "lib/recording/follow.h"
#include "lib/recording/recording.h"

/* The files behind the first one, each of which goes on from the one before. */
struct rest {
	const char *const *paths;
	size_t nr;
};

/* The next interval of all files; 1 at the end of the last one. */
static int next_of_all(struct td_recording *rec, struct rest *rest,
		       const struct td_view *view, uint64_t *time_ns,
		       struct td_readings *delta, struct td_err *err)
{
	int rc = td_recorded_next(rec, view->source->how, time_ns, delta, err);

	while (rc > 0 && rest->nr) {
		td_recorded_warn(rec);
		rc = td_recording_follow(rec, *rest->paths, err);
		rest->paths++;
		rest->nr--;
		if (!rc)
			rc = td_recorded_next(rec, view->source->how, time_ns,
					      delta, err);
	}
	return rc;
}

/* Opens the output, and empties it, only when there is something to show. */
static int show_rows(struct td_recording *rec, struct rest rest,
		     struct td_view *view, struct td_readings *delta,
		     uint64_t *time_ns, struct td_err *err)
{
	bool begun = false;
	int rc = 0;

	while (!rc) {
		rc = next_of_all(rec, &rest, view, time_ns, delta, err);
		if (rc >= 0 && !begun && td_view_begin(view, err))
			return err->code;
		begun = true;
		if (!rc)
			rc = td_recorded_put(rec, view, delta, *time_ns, err);
	}
	return rc < 0 ? rc : 0;
}

static int show(struct td_recording *rec, const struct td_opts *opts,
		struct td_view *view, struct td_err *err)
{
	const struct rest rest = { opts->patterns, opts->nr_patterns };
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = opts->profile
			 ? td_replay_profile(rec, view, &time_ns, err)
			 : show_rows(rec, rest, view, &delta, &time_ns, err);

	free(delta.v);
	if (rc)
		return rc;
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	rec->usage.interrupted = !rec->ended && !rec->perf;
	td_recorded_warn(rec);
	return td_view_end_run(view, &rec->usage, err);
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

/*
 * Before anything is written: can all files be read, does each go on from the one
 * before, and is none of them the output?
 */
static int check_rest(const struct td_recording *rec,
		      const struct td_opts *opts, const struct td_sink *sink,
		      struct td_err *err)
{
	uint64_t begun_ns = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < opts->nr_patterns; i++) {
		struct td_recording next;

		rc = td_recording_open(&next, opts->patterns[i], err);
		if (!rc)
			rc = td_recording_goes_on(rec, &next, begun_ns, err);
		begun_ns = next.info.start_ns;
		if (!rc)
			rc = check_not_input(&next, sink, err);
		td_recording_close(&next);
	}
	return rc;
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
	if (!rc)
		rc = check_not_input(rec, &view->sink, err);
	if (!rc)
		rc = check_rest(rec, opts, &view->sink, err);
	return rc ? rc : td_view_check_append(view, err);
}

static int report_from(struct td_recorded *recorded, struct td_notes *notes,
		       struct td_err *err)
{
	const struct td_opts *opts = &recorded->opts;
	struct td_recording *rec = &recorded->rec;
	struct td_view view = { 0 };
	struct td_err late = { 0 };
	int rc = td_recorded_measure(recorded, notes, err);

	if (!rc)
		rc = open_view(&view, &recorded->source, rec, opts, err);
	if (!rc && !opts->show.quiet)
		td_say_notes(notes);
	if (!rc)
		rc = show(rec, opts, &view, err);
	if (td_view_close(&view, rc ? &late : err) && !rc)
		rc = err->code;
	return rc;
}

static int locate(struct td_recording *rec, const struct td_opts *opts,
		  struct td_err *err)
{
	int rc = td_replay_locate(rec, opts, err);

	if (!rc && !opts->show.quiet)
		td_recorded_warn(rec);
	return rc;
}

static int open_recorded(struct td_recorded *recorded,
			 const struct td_opts *opts, struct td_err *err)
{
	const char *name = opts->input ? opts->input : TD_RECORDING_NAME;
	int rc = td_recorded_open(recorded, name, opts, err);

	if (rc == -ENOENT && !opts->input)
		td_err_hint(err, "tdstat record makes it; for another file: "
				 "tdstat report FILE");
	return rc;
}

static int report(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_notes notes = { 0 };
	struct td_recorded recorded;
	int rc = open_recorded(&recorded, opts, err);

	(void)status;
	if (!rc)
		rc = opts->locate ? locate(&recorded.rec, opts, err)
				  : report_from(&recorded, &notes, err);
	td_recorded_close(&recorded);
	td_notes_free(&notes);
	return rc;
}

/* --- the subcommand ------------------------------------------------------- */

static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	if (!*word)
		return td_err_usage(err, "report: an empty name");
	if (opts->input)
		return td_value_pattern(opts, word, err);
	opts->input = word;
	return 0;
}

/* Standard input can be read only once, and each file is looked at before. */
static int check_several(const struct td_opts *opts, struct td_err *err)
{
	bool has_stdin = opts->input && strcmp(opts->input, "-") == 0;

	if (!opts->nr_patterns)
		return 0;
	for (size_t i = 0; i < opts->nr_patterns; i++)
		has_stdin |= strcmp(opts->patterns[i], "-") == 0;
	if (has_stdin)
		return td_err_usage(err, "report: of several files, none can "
					 "be standard input");
	if (opts->locate || opts->profile)
		return td_err_usage(err, "--locate and --profile show one "
					 "file: samples have no intervals");
	return 0;
}

static int refuse_picture(const struct td_opts *opts, struct td_err *err)
{
	td_err_usage(err, "%s is a picture of the tree: --locate shows none",
		     td_out_option(opts->show.format));
	return td_err_hint(err, "--html has a table of the functions");
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->locate && opts->profile)
		return td_err_usage(
			err, "--locate and --profile exclude each other");
	if (opts->show.format == TD_FORMAT_PERFETTO &&
	    (opts->locate || opts->profile))
		return td_err_usage(err,
				    "--perfetto shows intervals: samples have "
				    "none, so --locate and --profile exclude "
				    "it");
	if (!opts->locate && td_stack_files_any(&opts->files))
		return td_err_usage(err, "stacks are of samples of tdstat "
					 "locate: --locate shows them");
	if (opts->locate && !td_out_find(opts->show.format)->where)
		return refuse_picture(opts, err);
	return check_several(opts, err);
}

/* clang-format off */
static const struct td_option recording[] = {
	{ "input", 'i', "FILE", "the recording to show (default: "
	  TD_RECORDING_NAME "); - is standard input",
	  TD_OPTION_FILE, offsetof(struct td_opts, input) },
	{ "total", 0, NULL, "the sum of all, whatever was recorded",
	  TD_OPTION_BIT, offsetof(struct td_opts, show.aggregations),
	  .min = TD_AGGREGATE_ALL },
	{ "per-region", 0, NULL, "a row for each region of the program",
	  TD_OPTION_BIT, offsetof(struct td_opts, show.aggregations),
	  .min = TD_AGGREGATE_REGION },
	{ "locate", 0, NULL, "the functions of samples of tdstat locate",
	  TD_OPTION_FLAG, offsetof(struct td_opts, locate) },
	{ "no-tree", 0, NULL, "of what perf stat wrote, the events, even if "
	  "they make a tree",
	  TD_OPTION_FLAG, offsetof(struct td_opts, no_tree) },
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
	&group_recording,
	&td_group_cores,
	&td_group_files,
	&td_group_model,
	&td_group_tree,
	&td_group_scale,
	&td_group_rows,
	&td_group_aggregations,
	&td_group_stacks,
	&td_group_formats,
	&td_group_pages,
	&td_group_perfetto,
	&td_group_output,
	&td_group_head,
	&td_group_stream,
	&td_group_verbose,
	NULL,
};

const struct td_command td_command_report = {
	.name = "report",
	.line = "show a recording, or what perf stat -x or -j wrote",
	.args = "[[-i] FILE...]",
	.doc = "Shows a recording again, if asked with another aggregation, "
	       "with other metrics, or as CSV or JSON.",
	.what = "What to show:",
	.examples = "  tdstat report td.jsonl -A\n"
		    "  tdstat report td.jsonl -l 2 --summary -x,\n"
		    "  tdstat report td.*.jsonl.zst --summary",
	.status = "Exit status: 0; 64 for a wrong option; 1 if the recording "
		  "cannot be read, or the result cannot be written.",
	.groups = groups,
	.does = { .replays = true, .leaves_level = true },
	.word = take_word,
	.check = check,
	.run = report,
};
