// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/view.h"

static const struct td_place *places_of(const struct td_source *source)
{
	return source->places ? *source->places : NULL;
}

/* Return true if formats that support it show a verdict. */
static bool has_verdict(const struct td_request *request)
{
	/* bottlenecks are sorted, so that the first line is the verdict */
	if (request->ask.bottlenecks)
		return false;
	/* a verdict needs thresholds */
	if (request->ask.no_threshold)
		return false;
	if (td_request_exposes(request))
		return false;
	/* programs get a verdict only with --verdict, because it is another kind of line */
	return request->show.verdict || ((request->show.format == TD_FORMAT_TEXT ||
					  td_out_find(request->show.format)->whole) &&
					 !request->show.no_verdict);
}

int td_view_init(struct td_view *view, const struct td_source *source,
		 const struct td_request *request, struct td_err *err)
{
	struct td_aggregator *agg = &view->aggregator;
	int rc;

	*view = (struct td_view){
		.source = source,
		.merge = request->show.hybrid_merge,
		.ranked = request->ask.bottlenecks,
		.by_lost = request->show.top || source->skip_idle,
		.top = request->show.top,
		.events = { .plan = source->plan, .hybrid = request->show.hybrid_merge },
		.only_ratios = request->show.metric_only && !source->tree,
		.summary = (request->show.summary || td_out_find(request->show.format)->whole) &&
			   source->interval,
		.verdict = has_verdict(request) ? request : NULL,
		.mean = request->when.repeat > 1 && !source->interval,
		.table = request->show.table,
		.nr_joined = source->plan->nr_sets > 1 ? source->plan->nr_sets : 0,
	};
	rc = td_aggregator_build(agg, source->how, source->cache_level, places_of(source),
				 source->machine->online.nr, err);
	if (!rc && agg->unknown && !source->as_counted)
		rc = td_err_set(err, -ENODATA, "%s: the topology of the CPUs is not known",
				td_aggregation_option(source->how));
	agg->raw = request->no_scale;
	agg->skip_idle = source->skip_idle;
	agg->names = source->names;
	agg->regions = source->regions;
	agg->own = source->how != TD_AGGREGATE_REGION;
	agg->cgroups = source->cgroups;
	agg->containers = source->containers;
	agg->nr_cgroups = source->nr_cgroups;
	return rc;
}

void td_view_note(const struct td_view *view, const struct td_request *request,
		  struct td_notes *notes)
{
	const struct td_aggregation_row *row = td_aggregation_row(view->source->how);

	if (view->aggregator.unknown && td_out_find(request->show.format)->for_people)
		td_notes_add(notes, "%s: it is not known which CPUs share a %s; its number is -1",
			     row->option, row->name);
}

void td_view_note_step(struct td_view *view, struct td_notes *notes)
{
	if (view->in_step && !view->noted_step)
		td_notes_add(
			notes,
			"multiplexed groups counted different parts of the program, so the errors "
			"of their values are unknown; use another level or --no-multiplex");
	view->noted_step |= view->in_step;
}

int td_view_follow(struct td_view *view, struct td_err *err)
{
	const struct td_source *source = view->source;

	view->aggregator.cgroups = source->cgroups;
	view->aggregator.containers = source->containers;
	view->aggregator.nr_cgroups = source->nr_cgroups;
	return td_aggregator_follow(&view->aggregator, source->cache_level, places_of(source),
				    source->machine->online.nr, err);
}

static bool is_too_wide(const struct td_tree *tree)
{
	size_t nr = 0;

	for (size_t i = 0; tree && i < tree->nr_columns; i++)
		nr += tree->columns[i].present;
	return nr > TD_MAX_COLUMNS;
}

/* Return true for a first look at a command: no options for details, and no repetition. */
static bool is_brief(const struct td_view *view, const struct td_request *request)
{
	return request->ask.drill && request->level_or_less && request->target.command &&
	       !view->mean && !request->show.all_nodes && !request->verbose;
}

static struct td_frame make_frame(const struct td_view *view, const struct td_request *request)
{
	const struct td_source *source = view->source;

	return (struct td_frame){
		.target = source->target->text,
		.target_kind = source->target->kind,
		.identity = source->identity,
		.host = request->show.hosts ? source->identity->host : NULL,
		.files = source->files_version,
		.held = source->held,
		.perf = request->show.perf,
		.perf_rows = !source->tree && !view->only_ratios,
		.interval = source->interval,
		.instead = view->instead && !request->nothing,
		.times_only = view->instead && request->nothing,
		.of_perf = source->of_perf,
		.time = request->show.time,
		.start_ns = source->start_ns,
		.machine = source->machine,
		.clocks = source->clocks,
		.show_pmu = source->machine->nr_core > 1 ||
			    (source->tree && source->tree->nr_package_nodes),
		.show_id = source->how != TD_AGGREGATE_ALL || source->nr_cgroups,
		.how = source->how,
		.timed = source->regions && source->regions->nr_timed,
		.show_cgroup = source->nr_cgroups > 0,
		.trees = is_too_wide(source->tree),
		.all = request->show.all_nodes,
		.describe = request->verbose > 0,
		.brief = is_brief(view, request),
		.big_num = !request->show.no_big_num,
		.clear = request->show.interval_clear,
		.runs = view->mean ? request->when.repeat : 1,
		.summary_word = !request->show.no_csv_summary,
		.errors = request->show.csv_error,
	};
}

/* Refuse events for a chart, which only shows a tree. */
static int check_events(const struct td_source *source, const struct td_request *request,
			struct td_err *err)
{
	if (source->tree || td_out_find(request->show.format)->events)
		return 0;
	td_err_usage(err, "%s is a chart of the tree, and these are events",
		     td_out_option(request->show.format));
	return td_err_hint(err, "--html has a table of them");
}

int td_view_open(struct td_view *view, const struct td_request *request, struct td_err *err)
{
	const struct td_source *source = view->source;
	const struct td_frame frame = make_frame(view, request);
	int rc = check_events(source, request, err);

	if (!rc && view->only_ratios)
		rc = td_ratio_table_build(&view->ratios, source->plan, source->machine, view->merge,
					  err);
	if (rc == -ENODATA)
		td_err_wrap(err, "--metric-only");
	if (!rc && source->tree)
		td_evaluation_make(&view->evaluation, source->tree, source->plan);
	view->evaluation.part = request->target.all_user || request->target.all_kernel;
	view->sink.unseen = view->viewer;
	return rc ?: td_sink_open(&view->sink, request, &frame, err);
}

int td_view_check_append(struct td_view *view, struct td_err *err)
{
	const struct td_tree *tree = view->source->tree;
	const struct td_report columns = {
		.columns = tree ? tree->columns : view->ratios.columns,
		.nr_columns = tree ? tree->nr_columns : view->ratios.nr,
	};

	return td_append_check(&view->sink, tree || view->only_ratios ? &columns : NULL, NULL, err);
}

void td_view_start(struct td_view *view, uint64_t start_ns, const struct td_clocks *clocks)
{
	view->sink.frame.start_ns = start_ns;
	view->sink.frame.clocks = *clocks;
	/* the kernel may have accepted other events than in the previous run */
	td_event_table_free(&view->events);
}

void td_view_move_start(struct td_view *view, uint64_t mono_ns)
{
	view->sink.frame.clocks.mono_ns = mono_ns;
}

int td_view_begin(struct td_view *view, struct td_err *err)
{
	const struct td_viewer *viewer = view->viewer;
	int rc = td_sink_begin(&view->sink, err);

	if (!rc && viewer && viewer->begin)
		rc = viewer->begin(viewer->ctx, view->source, err);
	return rc;
}

void td_view_drop_kept(struct td_view *view)
{
	for (size_t i = 0; i < view->nr_kept; i++) {
		free(view->kept[i].readings.v);
		td_timeline_free(&view->kept[i].timeline);
	}
	free(view->kept);
	view->kept = NULL;
	view->nr_kept = 0;
}

int td_view_close(struct td_view *view, struct td_err *err)
{
	td_aggregator_free(&view->aggregator);
	td_totals_free(&view->totals);
	td_report_free(&view->report);
	td_event_table_free(&view->events);
	td_ratio_table_free(&view->ratios);
	td_evaluation_free(&view->evaluation);
	td_totals_sum_free(&view->sum);
	td_totals_sum_free(&view->joined);
	td_view_drop_kept(view);
	free(view->whole.v);
	view->whole = (struct td_readings){ 0 };
	td_index_free(&view->whole_index);
	td_timeline_free(&view->whole_timeline);
	td_spreads_free(&view->spreads);
	free(view->runs_ns);
	view->runs_ns = NULL;
	view->nr_runs = 0;
	return td_sink_close(&view->sink, err);
}
