// SPDX-License-Identifier: GPL-2.0-only
/* tdstat report: shows a recording with the formulas and writers of a live run. */

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/replay/recorded.h"
#include "cmd/sample/where.h"
#include "cmd/say.h"
#include "cmd/view/view.h"
#include "lib/base/number.h"
#include "lib/recording/recording.h"

/* The files of a host, and the view that shows them in order. */
struct host {
	struct td_recorded recorded;
	struct td_view view;
	const char **more; /* files of the host after the first */
	size_t nr_more;
	uint64_t from_ns, to_ns; /* start and end of the intervals that were shown */
};

/* Read the next interval of all files.  Returns 1 at the end of the last one. */
static int next_of_all(struct host *host, size_t *nr_done, uint64_t *time_ns,
		       struct td_readings *delta, struct td_err *err)
{
	struct td_recording *rec = &host->recorded.rec;
	enum td_aggregation how = host->view.source->how;
	int rc = td_recorded_next(rec, how, time_ns, delta, err);

	while (rc > 0 && *nr_done < host->nr_more) {
		td_recorded_warn(rec);
		rc = td_recording_follow(rec, host->more[*nr_done], err);
		++*nr_done;
		rc = rc ?: td_recorded_next(rec, how, time_ns, delta, err);
	}
	return rc;
}

/* Return true if the middle of the last interval is in the part, so that parts do not overlap. */
static bool is_in_part(const struct td_when *part, const struct td_recording *rec)
{
	uint64_t middle_ns = rec->time_ns - rec->times.elapsed_ns / 2;

	return middle_ns >= part->from_ns && (!part->to_ns || middle_ns < part->to_ns);
}

/* Read the next interval of the part.  Returns an error if the part has none. */
static int next_of_part(struct host *host, size_t *nr_done, uint64_t *time_ns,
			struct td_readings *delta, struct td_err *err)
{
	const struct td_when *part = &host->recorded.request.when;
	const struct td_recording *rec = &host->recorded.rec;
	int rc = next_of_all(host, nr_done, time_ns, delta, err);

	while (!rc && !is_in_part(part, rec)) {
		/* intervals keep their numbers */
		host->view.nr_intervals++;
		rc = next_of_all(host, nr_done, time_ns, delta, err);
	}
	if (rc > 0 && td_when_is_part(part) && !host->to_ns)
		return td_err_set(err, -ENODATA,
				  "%s has no interval whose middle is in this part: it was "
				  "recorded with -I %d, and ends at %.9g s",
				  rec->path, rec->info.interval_ms,
				  (double)rec->time_ns / TD_NS_A_SECOND);
	if (rc)
		return rc;
	if (!host->to_ns)
		host->from_ns = *time_ns - rec->times.elapsed_ns;
	host->to_ns = *time_ns;
	return 0;
}

/* Show the intervals.  The output is emptied only after the first read without an error. */
static int show_rows(struct host *host, struct td_readings *delta, uint64_t *time_ns,
		     struct td_err *err)
{
	bool begun = false;
	size_t nr_done = 0;
	int rc = 0;

	while (!rc) {
		rc = next_of_part(host, &nr_done, time_ns, delta, err);
		if (rc >= 0 && !begun && td_view_begin(&host->view, err))
			return err->code;
		begun = true;
		rc = rc ?: td_recorded_put(&host->recorded.rec, &host->view, delta, *time_ns, err);
	}
	return rc < 0 ? rc : 0;
}

static int show(struct host *host, struct td_err *err)
{
	bool is_part = td_when_is_part(&host->recorded.request.when);
	struct td_recording *rec = &host->recorded.rec;
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = host->recorded.request.profile
			 ? td_replay_profile(rec, &host->view, &time_ns,
					     &host->recorded.request.sampling.files, err)
			 : show_rows(host, &delta, &time_ns, err);

	free(delta.v);
	if (rc)
		return rc;
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	if (is_part)
		rec->usage = (struct td_usage){
			.elapsed_ns = host->to_ns - host->from_ns,
			.from_ns = host->from_ns,
		};
	rec->usage.interrupted = !rec->ended && !rec->perf && (!is_part || host->to_ns == time_ns);
	td_recorded_warn(rec);
	/* a page or chart shows that there are no counts */
	if (rec->usage.interrupted && !time_ns &&
	    !td_out_find(host->recorded.request.show.format)->whole)
		return td_err_set(err, -ENODATA, "%s has no counts", rec->path);
	return td_view_end_run(&host->view, &rec->usage, err);
}

/* Refuse to write to the input: it would be lost, or grow without end. */
static int check_not_input(const struct td_recording *rec, const struct td_sink *sink,
			   struct td_err *err)
{
	if (!td_recording_is_written(rec, fileno(sink->writer.fp)))
		return 0;
	return td_err_usage(err, "%s is the recording that is being read", sink->name);
}

/*
 * Before anything is written, check that all files can be read, that each continues the previous
 * one, and that the output is not one of them.
 */
static int check_rest(const struct host *host, struct td_err *err)
{
	const struct td_recording *rec = &host->recorded.rec;
	uint64_t begun_ns = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < host->nr_more; i++) {
		struct td_recording next;

		rc = td_recording_open(&next, host->more[i], td_recorded_foreign(), err);
		rc = rc ?: td_recording_continues(rec, &next, begun_ns, err);
		begun_ns = next.info.start_ns;
		rc = rc ?: check_not_input(&next, &host->view.sink, err);
		td_recording_close(&next);
	}
	return rc;
}

static int open_view(struct host *host, struct td_err *err)
{
	const struct td_recorded *recorded = &host->recorded;
	const struct td_recording *rec = &recorded->rec;
	const struct td_source *source = &recorded->source;
	struct td_view *view = &host->view;
	int rc = td_recorded_check(rec, source->how, &recorded->request, err);

	if (rc)
		return rc;
	rc = td_view_init(view, source, &recorded->request, err);
	if (rc == -ENODATA)
		td_err_wrap(err, "%s", rec->path);
	rc = rc ?: td_view_open(view, &recorded->request, err);
	rc = rc ?: check_not_input(rec, &view->sink, err);
	return rc ?: check_rest(host, err);
}

static int open_recorded(struct td_recorded *recorded, const char *path, const struct td_opts *opts,
			 struct td_err *err)
{
	int rc = td_recorded_open(recorded, path ? path : TD_RECORDING_NAME, &opts->request, err);

	if (rc == -ENOENT && !path)
		td_err_hint(err, "tdstat record makes it; for another file: tdstat report FILE");
	return rc;
}

static int locate(const struct td_opts *opts, struct td_err *err)
{
	struct td_recorded recorded;
	int rc = open_recorded(&recorded, opts->request.input, opts, err);

	rc = rc ?: td_replay_locate(&recorded.rec, &opts->request, err);
	if (!rc && !opts->request.show.quiet)
		td_recorded_warn(&recorded.rec);
	td_recorded_close(&recorded);
	return rc;
}

/* --- hosts ------------------------------------------------------------------ */

static const char *name_of(const struct host *host)
{
	const char *name = host->recorded.rec.info.identity.host;

	return name ? name : "an unknown host";
}

/* Return the host of a file, or the first one if the file does not name it. */
static struct host *find_host(struct host *hosts, size_t nr, const struct td_recording *rec)
{
	for (size_t h = 0; h < nr; h++) {
		if (!td_recording_has_other_host(&hosts[h].recorded.rec.info, &rec->info))
			return &hosts[h];
	}
	return NULL;
}

static int add_file(struct host *hosts, size_t *nr, const struct td_opts *opts, const char *path,
		    struct td_err *err)
{
	struct td_recording rec;
	struct host *host;
	int rc = td_recording_open(&rec, path, td_recorded_foreign(), err);

	host = rc ? NULL : find_host(hosts, *nr, &rec);
	td_recording_close(&rec);
	if (rc)
		return rc;
	if (!host)
		return open_recorded(&hosts[(*nr)++].recorded, path, opts, err);
	td_array_push(&host->more, &host->nr_more, &path, sizeof(path));
	return 0;
}

static int check_hosts(const struct td_opts *opts, const struct host *hosts, size_t nr,
		       struct td_err *err)
{
	if (nr == 1)
		return 0;
	if (opts->request.show.head.no_host)
		return td_err_usage(err, "--no-host: the rows of %s and %s would look alike",
				    name_of(&hosts[0]), name_of(&hosts[1]));
	if (!td_out_find(opts->request.show.format)->own_file)
		return 0;
	return td_err_usage(err, "%s shows one host, and %s is of %s, %s of %s",
			    td_out_option(opts->request.show.format),
			    hosts[0].recorded.request.input, name_of(&hosts[0]),
			    hosts[1].recorded.request.input, name_of(&hosts[1]));
}

static bool has_columns_of(const struct td_view *a, const struct td_view *b)
{
	const struct td_tree *of_a = a->source->tree, *of_b = b->source->tree;
	size_t nr = of_a ? of_a->nr_columns : 0;

	if (!of_a != !of_b || (of_b && of_b->nr_columns != nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (of_a->columns[i].present != of_b->columns[i].present ||
		    strcmp(of_a->columns[i].name, of_b->columns[i].name) != 0)
			return false;
	}
	return true;
}

/* Append the rows of a host to those of the first one, which share one header. */
static int follow(struct host *host, const struct host *first, struct td_err *err)
{
	struct td_sink *sink = &host->view.sink;

	sink->with_date = false;
	if (!sink->writer.out->one_header)
		return 0;
	if (host->view.source->tree && has_columns_of(&host->view, &first->view))
		return 0;
	if (host->view.source->tree)
		td_err_set(err, -EINVAL, "%s of %s has other columns than %s of %s",
			   host->recorded.request.input, name_of(host),
			   first->recorded.request.input, name_of(first));
	else
		td_err_set(
			err, -EINVAL,
			"%s of %s and %s of %s: rows of events, as perf stat has them, do not name "
			"a host",
			first->recorded.request.input, name_of(first), host->recorded.request.input,
			name_of(host));
	return td_err_hint(err,
			   "-j has them all: each object names its host and its metric or event");
}

/* Build the tree and open the output, to which hosts after the first are appended. */
static int prepare(struct host *host, const struct host *first, const struct td_opts *asked,
		   struct td_notes *notes, struct td_err *err)
{
	int rc = td_recorded_measure(&host->recorded, notes, err);

	if (rc)
		return rc;
	host->recorded.request.show.append |= host != first;
	rc = open_view(host, err);
	if (!rc)
		td_view_note(&host->view, &host->recorded.request, notes);
	if (!rc && asked->request.show.append)
		rc = td_view_check_append(&host->view, err);
	return !rc && host != first ? follow(host, first, err) : rc;
}

/*
 * Show a host.  The verdict reads metric files at the end; warn if it found none.  A file of perf
 * stat does not name its processor.
 */
static int show_and_warn(struct host *host, struct td_err *err)
{
	const struct td_catalog *catalog = &host->recorded.measure.catalog;
	bool were_read = catalog->read;
	int rc = show(host, err);

	if (!rc && !were_read && catalog->missing.code && !catalog->machine->no_identity.code &&
	    !host->recorded.rec.perf)
		td_say("tdstat: the command to go deeper is unknown without metric files: "
		       "%s\n",
		       catalog->missing.msg);
	return rc;
}

static int show_hosts(struct host *hosts, size_t nr, const struct td_opts *opts,
		      struct td_notes *notes, struct td_err *err)
{
	int rc = check_hosts(opts, hosts, nr, err);

	for (size_t h = 0; !rc && h < nr; h++) {
		hosts[h].recorded.request.show.hosts = nr > 1;
		rc = prepare(&hosts[h], hosts, opts, notes, err);
	}
	if (!rc && !opts->request.show.quiet)
		td_say_notes(notes);
	for (size_t h = 0; !rc && h < nr; h++) {
		struct td_writer *writer = &hosts[h].view.sink.writer;

		writer->header_done |=
			h && writer->out->one_header && hosts[h - 1].view.sink.writer.header_done;
		rc = show_and_warn(&hosts[h], err);
		td_view_note_step(&hosts[h].view, notes);
	}
	if (!rc && !opts->request.show.quiet)
		td_say_notes(notes);
	return rc;
}

static int close_hosts(struct host *hosts, size_t nr, int rc, struct td_err *err)
{
	struct td_err late = { 0 };

	for (size_t h = 0; h < nr; h++) {
		if (td_view_close(&hosts[h].view, rc ? &late : err) && !rc)
			rc = err->code;
		free(hosts[h].more);
		td_recorded_close(&hosts[h].recorded);
	}
	free(hosts);
	return rc;
}

static int report(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_notes notes = { 0 };
	struct host *hosts;
	size_t nr = 1;
	int rc;

	(void)status;
	if (opts->locate)
		return locate(opts, err);
	hosts = td_calloc(1 + opts->nr_patterns, sizeof(*hosts));
	/* sorted by host, in the order of each host's first file */
	rc = open_recorded(&hosts[0].recorded, opts->request.input, opts, err);
	for (size_t i = 0; !rc && i < opts->nr_patterns; i++)
		rc = add_file(hosts, &nr, opts, opts->patterns[i], err);
	rc = rc ?: show_hosts(hosts, nr, opts, &notes, err);
	rc = close_hosts(hosts, nr, rc, err);
	td_notes_free(&notes);
	return rc;
}

/* --- the subcommand ------------------------------------------------------- */

static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	if (!*word)
		return td_err_usage(err, "report: an empty name");
	if (opts->request.input) {
		td_value_pattern(opts, word, err);
		return 0;
	}
	opts->request.input = word;
	return 0;
}

/* Refuse standard input, which can be read only once: all files are checked first. */
static int check_several(const struct td_opts *opts, struct td_err *err)
{
	bool has_stdin = opts->request.input && strcmp(opts->request.input, "-") == 0;

	if (!opts->nr_patterns)
		return 0;
	for (size_t i = 0; i < opts->nr_patterns; i++)
		has_stdin |= strcmp(opts->patterns[i], "-") == 0;
	if (has_stdin)
		return td_err_usage(err, "report: if there are several files, none can be "
					 "standard input");
	if (opts->locate || opts->request.profile)
		return td_err_usage(
			err, "--locate and --profile show one file: samples have no intervals");
	return 0;
}

static int check_part(const struct td_opts *opts, struct td_err *err)
{
	const struct td_when *part = &opts->request.when;

	if (td_when_is_part(part) && (opts->locate || opts->request.profile))
		return td_err_usage(
			err, "--from and --to choose intervals: samples have none, so --locate and "
			     "--profile exclude them");
	if (part->to_ns && part->from_ns >= part->to_ns)
		return td_err_usage(err, "--to %.9g s is not after --from %.9g s",
				    (double)part->to_ns / TD_NS_A_SECOND,
				    (double)part->from_ns / TD_NS_A_SECOND);
	return check_several(opts, err);
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->locate && opts->request.profile)
		return td_err_usage(err, "--locate and --profile exclude each other");
	if (opts->request.show.format == TD_FORMAT_PERFETTO &&
	    (opts->locate || opts->request.profile))
		return td_err_usage(
			err,
			"--perfetto shows intervals: samples have none, so --locate and --profile "
			"exclude it");
	if (!opts->locate && !opts->request.profile &&
	    td_stack_files_any(&opts->request.sampling.files))
		return td_err_usage(err, "stacks come from samples: they need --locate or "
					 "--profile");
	if (opts->request.sampling.callers && !opts->locate)
		return td_err_usage(
			err, "--callers shows callers of sampled functions: it needs --locate");
	if (td_stack_files_check(&opts->request.sampling.files, err))
		return err->code;
	if (opts->request.profile && td_where_check_room(&opts->request, err))
		return err->code;
	if (opts->locate && !td_out_find(opts->request.show.format)->where) {
		td_err_usage(err, "%s is a chart of the tree: --locate shows none",
			     td_out_option(opts->request.show.format));
		return td_err_hint(err, "--html has a table of the functions");
	}
	return check_part(opts, err);
}

static int take_time(const char *option, const char *arg, uint64_t *ns, struct td_err *err)
{
	if (td_parse_ns(arg, ns) == 0)
		return 0;
	return td_err_usage(err, "%s %s: not a time with a unit, such as 500ms, 1.5s or 2m", option,
			    arg);
}

static int take_from(struct td_opts *opts, const char *arg, struct td_err *err)
{
	return take_time("--from", arg, &opts->request.when.from_ns, err);
}

static int take_to(struct td_opts *opts, const char *arg, struct td_err *err)
{
	uint64_t *to_ns = &opts->request.when.to_ns;

	if (take_time("--to", arg, to_ns, err))
		return err->code;
	return *to_ns ? 0 : td_err_usage(err, "--to %s: the end must be after 0", arg);
}

/* clang-format off */
static const struct td_option recording[] = {
	{ "input", 'i', "FILE", "the recording to show (default: "
	  TD_RECORDING_NAME "); - is standard input",
	  TD_OPTION_FILE, offsetof(struct td_opts, request.input) },
	{ "from", 0, "TIME", "show intervals from this time after the start: 500ms, 1.5s, 2m",
	  TD_OPTION_FUNCTION, .set = take_from },
	{ "to", 0, "TIME", "show intervals up to this time after the start",
	  TD_OPTION_FUNCTION, .set = take_to },
	{ "total", 0, NULL, "show the sum of all CPUs or threads",
	  TD_OPTION_BIT, offsetof(struct td_opts, request.show.aggregations),
	  .min = TD_AGGREGATE_ALL },
	{ "per-region", 0, NULL, "a row for each region of the program",
	  TD_OPTION_BIT, offsetof(struct td_opts, request.show.aggregations),
	  .min = TD_AGGREGATE_REGION },
	{ "locate", 0, NULL, "show the functions of samples of tdstat locate",
	  TD_OPTION_FLAG, offsetof(struct td_opts, locate) },
	{ "no-tree", 0, NULL, "show the events of a file of perf stat, even if they make a tree",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.no_tree) },
	{ "callers", 0, NULL, "with --locate: show the callers of functions",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.sampling.callers) },
	{ "profile", 0, NULL, "show where the slots went in functions, from samples of tdstat "
			      "profile",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.profile) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_recording = { TD_SECTION_HOW, recording };

static const struct td_option_group *const groups[] = {
	&group_recording,  &td_group_cores,        &td_group_files,
	&td_group_model,   &td_group_tree,         &td_group_scale,
	&td_group_rows,    &td_group_aggregations, &td_group_processes,
	&td_group_formats, &td_group_output,       &td_group_head,
	&td_group_stream,  &td_group_verbose,      NULL,
};

const struct td_command td_command_report = {
	.name = "report",
	.line = "show a recording or the output of perf stat -x or -j",
	.args = "[[-i] FILE...]",
	.doc = "Shows a recording, also with another aggregation, with other metrics, or as CSV "
	       "or JSON.",
	.what = "What to show:",
	.examples = "  tdstat report td.jsonl -A\n"
		    "  tdstat report td.jsonl -l 2 --summary -x,\n"
		    "  tdstat report td.*.jsonl.zst --summary",
	.status =
		"Exit status: 0; 64 for a wrong option; 1 if the recording cannot be read, or the "
		"result cannot be written.",
	.groups = groups,
	.does = { .replays = true, .leaves_level = true },
	.word = take_word,
	.check = check,
	.run = report,
};
