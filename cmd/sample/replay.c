// SPDX-License-Identifier: GPL-2.0-only
/* Samples of a recording, shown as if they had just been taken. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/sample/where.h"
#include "cmd/view/sink.h"
#include "lib/base/util.h"
#include "lib/sample/function_counts.h"

/* --- locate ----------------------------------------------------------------- */

struct located {
	const struct td_recording *rec;
	bool keeps; /* the samples themselves, for -vv */
	struct td_hits hits;
	struct td_where_sample *samples;
	size_t nr_samples;
};

static int keep(struct located *l, const struct td_record *record, int event,
		int spot)
{
	return td_array_push(&l->samples, &l->nr_samples,
			     &(struct td_where_sample){
				     .time_ns = record->time_ns,
				     .period = record->period,
				     .cpu = record->cpu,
				     .pid = record->pid,
				     .tid = record->tid,
				     .spot = spot,
				     .event = l->rec->plan.events.v[event].name,
			     },
			     sizeof(struct td_where_sample));
}

static int take_hit(void *ctx, const struct td_record *record, int event,
		    int spot, int caller)
{
	struct located *l = ctx;

	if (record->kind != TD_RECORD_SAMPLE)
		return 0;
	if (l->keeps && keep(l, record, event, spot))
		return -ENOMEM;
	return td_hits_add(&l->hits, event, spot, caller, record->period);
}

/* None of them is the recording, which would be lost. */
static int open_stack_files(const struct td_recording *rec,
			    struct td_sample_files *files, struct td_err *err)
{
	if (td_stack_files_open(files, err))
		return err->code;
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		if (files->fps[i] &&
		    td_recording_is_written(rec, fileno(files->fps[i])))
			return td_err_usage(err,
					    "%s is the recording that is "
					    "being read",
					    rec->path);
	}
	return 0;
}

static int show(const struct td_recording *rec, const struct td_where *where,
		const struct td_opts *opts, struct td_err *err)
{
	const struct td_frame frame = { .big_num = !opts->show.no_big_num,
					.runs = 1,
					.target = rec->info.target.text,
					.target_kind = rec->info.target.kind,
					.identity = &rec->info.identity,
					.machine = &rec->machine,
					.start_ns = rec->info.start_ns };
	const struct td_sheet sheet = td_out_where_sheet();
	struct td_sink sink = { .unseen = td_where_is_displaced(opts) };
	struct td_sample_files files = opts->files;
	int rc = td_sink_open(&sink, opts, &frame, err);

	if (!rc && td_recording_is_written(rec, fileno(sink.writer.fp)))
		rc = td_err_usage(err, "%s is the recording that is being read",
				  sink.name);
	if (!rc)
		rc = td_append_check(&sink, NULL, &sheet, err);
	if (!rc)
		rc = open_stack_files(rec, &files, err);
	if (!rc)
		rc = td_sink_begin(&sink, err);
	if (!rc)
		sink.writer.out->where(&sink.writer, where);
	if (!rc)
		rc = td_stack_files_write(&files, where, &sink.frame, err);
	td_stack_files_close(&files, !rc);
	return td_sink_end(&sink, rc, err);
}

int td_replay_locate(struct td_recording *rec, const struct td_opts *opts,
		     struct td_err *err)
{
	struct td_samples samples;
	struct located l = { .rec = rec, .keeps = opts->verbose > 1 };
	struct td_where where = { 0 };
	int rc = td_samples_read(&samples, rec, take_hit, &l, err);

	td_where_want(&where, opts);
	where.node = samples.node[0] ? samples.node : NULL;
	where.samples = l.samples;
	where.nr_samples = l.nr_samples;
	if (!rc)
		rc = td_where_make(&where, &rec->plan, &rec->machine,
				   &samples.spots, &l.hits, err);
	if (!rc)
		rc = show(rec, &where, opts, err);
	td_where_free(&where);
	td_hits_free(&l.hits);
	free(l.samples);
	td_samples_free(&samples);
	return rc;
}

/* --- profile ---------------------------------------------------------------- */

static int sum_up(struct td_recording *rec, const struct td_windows *windows,
		  const struct td_spots *spots, struct td_batched *counts)
{
	struct td_function_counts sums = { 0 };
	int rc = td_function_counts_add(&sums, windows, spots);

	if (!rc)
		rc = td_function_counts_to_regions(&sums, &rec->plan, spots,
						   &rec->regions, counts);
	td_function_counts_free(&sums);
	return rc;
}

static int read_windows(struct td_recording *rec, struct td_samples *samples,
			struct td_hits *hits, struct td_batched *counts,
			struct td_err *err)
{
	td_autofree int *groups = td_plan_groups(&rec->plan);
	struct td_windows windows = { .plan = &rec->plan,
				      .of_cpus = !rec->info.tasks };
	struct td_windows_taker taker = { &windows, groups, samples, hits };
	int rc = groups ? td_samples_read(samples, rec, td_windows_take, &taker,
					  err)
			: td_err_nomem(err);

	if (!rc && sum_up(rec, &windows, &samples->spots, counts))
		rc = td_err_nomem(err);
	td_windows_free(&windows);
	return rc;
}

static int put_profile(struct td_recording *rec, struct td_view *view,
		       struct td_batched *counts, struct td_err *err)
{
	const struct td_counted counted = { .time_ns = rec->usage.elapsed_ns,
					    .times = &rec->times,
					    .readings = &counts->readings,
					    .course = &counts->course };
	int rc = td_view_begin(view, err);

	return !rc && counts->readings.nr ? td_view_put(view, &counted, err)
					  : rc;
}

int td_replay_profile(struct td_recording *rec, struct td_view *view,
		      uint64_t *time_ns, const struct td_sample_files *asked,
		      struct td_err *err)
{
	struct td_sample_files files = *asked;
	struct td_samples samples = { 0 };
	struct td_batched counts = { 0 };
	struct td_hits hits = { 0 };
	int rc = rec->info.of_events
			 ? td_err_set(err, -EINVAL,
				      "%s has samples without counts: report "
				      "--locate shows them",
				      rec->path)
			 : open_stack_files(rec, &files, err);

	if (!rc)
		rc = read_windows(rec, &samples,
				  td_hues_want_stacks(view, &files) ? &hits
								    : NULL,
				  &counts, err);
	*time_ns = rec->usage.elapsed_ns;
	if (!rc)
		rc = put_profile(rec, view, &counts, err);
	if (!rc)
		rc = td_hues_put_stacks(view, &samples.spots, &hits, &files,
					err);
	td_stack_files_close(&files, !rc);
	td_batched_free(&counts);
	td_hits_free(&hits);
	td_samples_free(&samples);
	return rc;
}
