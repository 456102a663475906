// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/where.h"

#include "cmd/output/out.h"
#include "cmd/view/sink.h"
#include "lib/sample/windows.h"

void td_where_want(struct td_where *where, const struct td_request *request)
{
	where->lines = request->verbose > 0;
	where->callers = request->sampling.callers;
	where->all = request->show.all_nodes;
}

bool td_where_is_displaced(const struct td_request *request)
{
	return td_stack_files_take_stdout(&request->sampling.files) && !request->target.command &&
	       !request->show.output && !request->show.log_fd;
}

int td_where_check_room(const struct td_request *request, struct td_err *err)
{
	return td_where_is_displaced(request)
		       ? td_err_usage(err,
				      "stacks on standard output: the table goes there, unless -o "
				      "names a file")
		       : 0;
}

static void add_event(struct td_where *where, const struct td_event *event,
		      const struct td_machine *machine, const struct td_hits *hits, int index)
{
	struct td_where_event *of = &where->events[where->nr++];

	of->pmu = machine->pmus[event->pmu].name;
	of->name = event->name;
	of->index = index;
	td_hot_functions_make(&of->functions, hits, where->locations, index);
}

/* In a group, only one event may be sampled.  With :S, its samples have the counts of all. */
static bool is_sampled(const struct td_plan *plan, const int *groups, int event,
		       const struct td_hits *hits)
{
	for (size_t i = 0; i < hits->nr; i++) {
		if (hits->v[i].event == event)
			return true;
	}
	return groups[event] < 0 || plan->groups[groups[event]].nr < 2 ||
	       (plan->events.v[event].mods.sample_read && !plan->events.v[event].hidden);
}

static int by_size(const void *a, const void *b)
{
	const struct td_where_event *x = a, *y = b;
	double of_x = x->functions.weight, of_y = y->functions.weight;

	return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : x->index - y->index;
}

void td_where_make(struct td_where *where, const struct td_plan *plan,
		   const struct td_machine *machine, const struct td_locations *locations,
		   const struct td_hits *hits)
{
	td_autofree int *groups = td_plan_groups(plan);
	const struct td_events *events = &plan->events;

	where->locations = locations;
	where->hits = hits;
	where->events = td_calloc(events->nr + 1, sizeof(*where->events));
	for (size_t i = 0; i < events->nr; i++) {
		if (!events->v[i].refusal && !machine->pmus[events->v[i].pmu].skip &&
		    is_sampled(plan, groups, (int)i, hits))
			add_event(where, &events->v[i], machine, hits, (int)i);
	}
	qsort(where->events, where->nr, sizeof(*where->events), by_size);
}

void td_where_free(struct td_where *where)
{
	for (size_t i = 0; i < where->nr; i++)
		td_hot_functions_free(&where->events[i].functions);
	free(where->events);
	where->events = NULL;
	where->nr = 0;
}

/* --- stacks, in the colours of level 1 ------------------------------------ */

static enum td_part largest_part(const struct td_report *report, const struct td_row *row)
{
	enum td_part largest = TD_NR_PARTS;
	double most = 0;

	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		double value = td_cell_value(&row->cells[node->column]);
		enum td_part part = td_part_of(report->columns[node->column].name);

		if (node->level != 1 || part == TD_NR_PARTS || !(value > most))
			continue;
		most = value;
		largest = part;
	}
	return largest;
}

/* Sets the hue of the row's functions, unless they have more slots on another PMU. */
static void take_row(int *hues, double *slots, const struct td_report *report,
		     const struct td_row *row, const struct td_locations *locations,
		     const struct td_index *by_name)
{
	enum td_part part = largest_part(report, row);
	uint64_t hash = td_hash_text(row->id);
	size_t step = 0, i;

	while (part != TD_NR_PARTS && (i = td_index_next(by_name, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(locations->functions[i].name, row->id) != 0 || !(row->slots > slots[i]))
			continue;
		hues[i] = (int)part;
		slots[i] = row->slots;
	}
}

/*
 * Returns the level 1 node with most of the slots of each function, from the rows with its name;
 * TD_NR_PARTS: unknown.  The caller frees it.
 */
static int *make_hues(const struct td_report *report, const struct td_locations *locations)
{
	td_autofree double *slots = td_calloc(locations->nr_functions + 1, sizeof(*slots));
	int *hues = td_calloc(locations->nr_functions + 1, sizeof(*hues));
	struct td_index by_name = { 0 };

	for (size_t i = 0; i < locations->nr_functions; i++) {
		hues[i] = TD_NR_PARTS;
		if (locations->functions[i].name)
			td_index_add(&by_name, td_hash_text(locations->functions[i].name), i);
	}
	for (size_t i = 0; i < report->nr_rows; i++)
		take_row(hues, slots, report, &report->rows[i], locations, &by_name);
	td_index_free(&by_name);
	return hues;
}

/* Do files or the page need the stacks of the view's samples? */
static bool want_stacks(const struct td_view *view, const struct td_sample_files *files)
{
	return td_stack_files_any(files) || view->sink.writer.out->stacks;
}

int td_hues_put_stacks(struct td_view *view, const struct td_locations *locations,
		       const struct td_hits *hits, const struct td_sample_files *files,
		       struct td_err *err)
{
	struct td_writer *writer = &view->sink.writer;
	td_autofree int *hues = NULL;
	struct td_where where = { 0 };
	int rc;

	if (!want_stacks(view, files))
		return 0;
	where.hues = hues = make_hues(&view->report, locations);
	td_where_make(&where, view->source->plan, view->source->machine, locations, hits);
	if (writer->out->stacks)
		writer->out->stacks(writer, &where);
	rc = td_stack_files_write(files, &where, writer->frame, err);
	td_where_free(&where);
	return rc;
}

/* --- samples of profile --------------------------------------------------- */

/* The counts are in the order in which the group's events were opened. */
static void take_sample(const struct td_windows_taker *taker, const struct td_record *record,
			int event, int location)
{
	int group = taker->groups[event];
	const struct td_window_end end = {
		.time_ns = record->time_ns,
		.group = group,
		.cpu = record->cpu,
		.tid = record->tid,
		.location = location,
		.pairs = record->values,
	};

	if (group >= 0 && record->nr_values == taker->windows->plan->groups[group].nr)
		td_windows_add(taker->windows, &end);
}

void td_windows_take(void *ctx, const struct td_record *record, int event, int location, int caller)
{
	const struct td_windows_taker *taker = ctx;

	if (taker->samples)
		taker->windows->longest_ns = taker->samples->longest_ns;
	switch (record->kind) {
	case TD_RECORD_SAMPLE:
		if (taker->hits)
			td_hits_add(taker->hits, event, location, caller, record->period);
		take_sample(taker, record, event, location);
		break;
	case TD_RECORD_SWITCH:
		td_windows_break(taker->windows, false, record->tid, record->time_ns);
		break;
	case TD_RECORD_UNTHROTTLE:
		td_windows_resume(taker->windows, record->cpu, record->tid, record->time_ns);
		break;
	case TD_RECORD_LOST:
		td_windows_break(taker->windows, true, record->cpu, record->time_ns);
		break;
	default:
		break;
	}
}

/* --- report --locate -------------------------------------------------------- */

struct located {
	const struct td_recording *rec;
	bool keeps; /* keep all samples, for -vv */
	struct td_hits hits;
	struct td_where_sample *samples;
	size_t nr_samples;
};

static void take_hit(void *ctx, const struct td_record *record, int event, int location, int caller)
{
	struct located *l = ctx;

	if (record->kind != TD_RECORD_SAMPLE)
		return;
	if (l->keeps)
		td_array_push(&l->samples, &l->nr_samples,
			      &(struct td_where_sample){
				      .time_ns = record->time_ns,
				      .period = record->period,
				      .cpu = record->cpu,
				      .pid = record->pid,
				      .tid = record->tid,
				      .location = location,
				      .event = l->rec->plan.events.v[event].name,
			      },
			      sizeof(struct td_where_sample));
	td_hits_add(&l->hits, event, location, caller, record->period);
}

/* Refuses to overwrite the recording. */
static int open_stack_files(const struct td_recording *rec, struct td_sample_files *files,
			    struct td_err *err)
{
	if (td_stack_files_open(files, err))
		return err->code;
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		if (files->fps[i] && td_recording_is_written(rec, fileno(files->fps[i])))
			return td_err_usage(err, "%s is the recording that is being read",
					    rec->path);
	}
	return 0;
}

static int show(const struct td_recording *rec, const struct td_where *where,
		const struct td_request *request, struct td_err *err)
{
	const struct td_frame frame = { .big_num = !request->show.no_big_num,
					.runs = 1,
					.target = rec->info.target.text,
					.target_kind = rec->info.target.kind,
					.identity = &rec->info.identity,
					.machine = &rec->machine,
					.start_ns = rec->info.start_ns };
	const struct td_sheet sheet = td_out_where_sheet();
	struct td_sink sink = { .unseen = td_where_is_displaced(request) };
	struct td_sample_files files = request->sampling.files;
	int rc = td_sink_open(&sink, request, &frame, err);

	if (!rc && td_recording_is_written(rec, fileno(sink.writer.fp)))
		rc = td_err_usage(err, "%s is the recording that is being read", sink.name);
	rc = rc ?: td_append_check(&sink, NULL, &sheet, err);
	rc = rc ?: open_stack_files(rec, &files, err);
	rc = rc ?: td_sink_begin(&sink, err);
	if (!rc)
		sink.writer.out->where(&sink.writer, where);
	rc = rc ?: td_stack_files_write(&files, where, &sink.frame, err);
	td_stack_files_close(&files, !rc);
	return td_sink_end(&sink, rc, err);
}

int td_replay_locate(struct td_recording *rec, const struct td_request *request, struct td_err *err)
{
	struct td_samples samples;
	struct located l = { .rec = rec, .keeps = request->verbose > 1 };
	struct td_where where = { 0 };
	int rc = td_samples_read(&samples, rec, take_hit, &l, err);

	td_where_want(&where, request);
	where.node = samples.node[0] ? samples.node : NULL;
	where.samples = l.samples;
	where.nr_samples = l.nr_samples;
	if (!rc)
		td_where_make(&where, &rec->plan, &rec->machine, &samples.locations, &l.hits);
	rc = rc ?: show(rec, &where, request, err);
	td_where_free(&where);
	td_hits_free(&l.hits);
	free(l.samples);
	td_samples_free(&samples);
	return rc;
}

/* --- report --profile ------------------------------------------------------- */

static int read_windows(struct td_recording *rec, struct td_samples *samples, struct td_hits *hits,
			struct td_batched *counts, struct td_err *err)
{
	td_autofree int *groups = td_plan_groups(&rec->plan);
	struct td_windows windows = { .plan = &rec->plan, .of_cpus = !rec->info.tasks };
	struct td_windows_taker taker = { &windows, groups, samples, hits };
	struct td_function_counts sums = { 0 };
	int rc = td_samples_read(samples, rec, td_windows_take, &taker, err);

	if (!rc) {
		td_function_counts_add(&sums, &windows, &samples->locations);
		td_function_counts_to_regions(&sums, &rec->plan, &samples->locations, &rec->regions,
					      counts);
	}
	td_function_counts_free(&sums);
	td_windows_free(&windows);
	return rc;
}

static int put_profile(struct td_recording *rec, struct td_view *view, struct td_batched *counts,
		       struct td_err *err)
{
	const struct td_counted counted = { .time_ns = rec->usage.elapsed_ns,
					    .times = &rec->times,
					    .readings = &counts->readings,
					    .timeline = &counts->timeline };
	int rc = td_view_begin(view, err);

	return !rc && counts->readings.nr ? td_view_put(view, &counted, err) : rc;
}

int td_replay_profile(struct td_recording *rec, struct td_view *view, uint64_t *time_ns,
		      const struct td_sample_files *asked, struct td_err *err)
{
	struct td_sample_files files = *asked;
	struct td_samples samples = { 0 };
	struct td_batched counts = { 0 };
	struct td_hits hits = { 0 };
	int rc = rec->info.of_events
			 ? td_err_set(err, -EINVAL,
				      "%s has samples without counts: report --locate shows them",
				      rec->path)
			 : open_stack_files(rec, &files, err);

	if (!rc)
		rc = read_windows(rec, &samples, want_stacks(view, &files) ? &hits : NULL, &counts,
				  err);
	*time_ns = rec->usage.elapsed_ns;
	rc = rc ?: put_profile(rec, view, &counts, err);
	rc = rc ?: td_hues_put_stacks(view, &samples.locations, &hits, &files, err);
	td_stack_files_close(&files, !rc);
	td_batched_free(&counts);
	td_hits_free(&hits);
	td_samples_free(&samples);
	return rc;
}
