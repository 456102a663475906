// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/replay/recorded.h"

#include "cmd/plan/catalog.h"
#include "cmd/plan/job.h"
#include "cmd/plan/select.h"
#include "cmd/say.h"
#include "cmd/wing.h"
#include "lib/count/aggregation.h"

/* --- the recording --------------------------------------------------------- */

int td_recorded_put(const struct td_recording *rec, struct td_view *view,
		    const struct td_readings *delta, uint64_t time_ns, struct td_err *err)
{
	const struct td_counted counted = { time_ns, &rec->times, delta, &rec->timeline };

	if (view->source->tree)
		td_tree_set_latencies(view->source->tree, &rec->latencies);
	return td_view_put(view, &counted, err);
}

void td_recorded_warn(const struct td_recording *rec)
{
	if (rec->cut_off)
		td_say("tdstat: %s: truncated in line %zu; shown up to its last complete line\n",
		       rec->path, rec->line + 1);
	else if (!rec->ended)
		td_say("tdstat: %s: no end line: the recording was interrupted\n", rec->path);
}

/* Build the tree; a recording of -e has only events. */
static int make_tree(struct td_recorded *recorded, struct td_notes *notes, struct td_err *err)
{
	struct td_recording *rec = &recorded->rec;
	const struct td_request *request = &recorded->request;
	const struct td_measuring how = {
		.machine = &rec->machine,
		.request = request,
		.notes = notes,
		.places = rec->places,
		.tsc_hz = rec->info.tsc_hz,
		.core_wide = !rec->info.tasks && !rec->info.nr_cgroups,
		.smt_unknown = recorded->imported.smt_unknown,
		.latencies = rec->info.latencies,
	};
	int rc;

	if (rec->info.of_events &&
	    (request->ask.level > 1 || request->ask.only_level || request->ask.nr_names ||
	     request->ask.bottlenecks || request->ask.energy))
		return td_err_usage(
			err,
			"%s has events and no tree: --level, -M, --bottlenecks and --energy do not "
			"apply",
			rec->path);
	if (rec->info.of_events) {
		/* hide the events of other core types */
		td_for_each(struct td_event, event, rec->plan.events.v, rec->plan.events.nr)
			event->hidden |= request->cputype && rec->machine.pmus[event->pmu].skip;
		return 0;
	}
	rc = td_measure_build(&recorded->measure, &rec->plan.events, &how, err);
	/* names from the recording are not a usage error */
	if (rc && err->usage && request->ask.nr_names &&
	    request->ask.names == rec->info.ask.names) {
		err->usage = false;
		td_err_wrap(err, "%s", rec->path);
	}
	return rc;
}

/* Return the requested aggregation, or else the recorded one. */
static enum td_aggregation choose_aggregation(const struct td_recording *rec,
					      const struct td_request *request)
{
	if (request->profile)
		return TD_AGGREGATE_REGION;
	return request->show.aggregations ? td_request_aggregation(request) : rec->info.how;
}

static struct td_source make_source(struct td_recorded *recorded)
{
	const struct td_recording *rec = &recorded->rec;
	const struct td_request *request = &recorded->request;
	struct td_measure *measure = &recorded->measure;
	const struct td_recording_info *info = &rec->info;

	return (struct td_source){
		.machine = &rec->machine,
		.plan = &rec->plan,
		.tree = info->of_events ? NULL : &measure->tree,
		.find_facts = td_facts_find,
		.facts_ctx = &measure->catalog,
		.files_version = measure->catalog.events.version,
		.target = &info->target,
		.identity = &info->identity,
		.interval = info->interval_ms > 0,
		.of_perf = rec->perf != NULL,
		.start_ns = info->start_ns,
		.clocks = info->clocks,
		.how = choose_aggregation(rec, request),
		.cache_level =
			request->show.aggregations ? request->show.cache_level : info->cache_level,
		.as_counted = !info->sums || choose_aggregation(rec, request) == info->how,
		.places = &rec->places,
		/* like the live run: most threads of a machine sleep */
		.skip_idle = td_aggregation_names_tasks(info->how) &&
			     info->target.kind == TD_TARGET_SYSTEM,
		.names = &rec->names,
		.latencies = &rec->latencies,
		.regions = &rec->regions,
		.cgroups = info->cgroups,
		.containers = info->nr_containers == info->nr_cgroups ? info->containers : NULL,
		.nr_cgroups = info->nr_cgroups,
	};
}

/* Return true if energy was recorded, and the aggregation of the report shows it. */
static bool shows_energy(const struct td_request *asked, const struct td_recording *rec)
{
	enum td_aggregation how = choose_aggregation(rec, asked);

	return rec->info.ask.energy && (how == TD_AGGREGATE_ALL || how == TD_AGGREGATE_SOCKET);
}

/* Return the request, with the recorded one for options that were not given. */
static struct td_request with_defaults(const struct td_request *asked,
				       const struct td_recording *rec)
{
	struct td_request request = *asked;

	if (!request.show.aggregations && rec->info.how == TD_AGGREGATE_REGION)
		request.show.aggregations = 1U << TD_AGGREGATE_REGION;
	/* whether groups were idle depends on the recording */
	request.ask.drill = rec->info.ask.drill && request.ask.level;
	if (td_ask_is_made(&request.ask))
		return request;
	request.ask = rec->info.ask;
	request.ask.energy = asked->ask.energy || shows_energy(asked, rec);
	request.ask.no_threshold = asked->ask.no_threshold;
	request.ask.no_merge = asked->ask.no_merge;
	if (!td_ask_is_made(&request.ask))
		request.ask.level = 1;
	return request;
}

const struct td_foreign *td_recorded_foreign(void)
{
	const struct td_importer *importer = td_wing_importer();

	return importer ? importer->file : NULL;
}

int td_recorded_open(struct td_recorded *recorded, const char *path,
		     const struct td_request *request, struct td_err *err)
{
	struct td_recording *rec = &recorded->rec;
	int rc;

	*recorded = (struct td_recorded){ 0 };
	recorded->importer = td_wing_importer();
	rc = td_recording_open(rec, path, td_recorded_foreign(), err);
	if (rc == -EINVAL && !recorded->importer)
		return td_err_hint(
			err, "this tdstat was built without 'import': it reads only recordings");
	if (rc)
		return rc;
	td_identity_ask(&rec->info.identity, &request->show.head, &rec->info.target);
	if (rec->perf && recorded->importer->tree(&recorded->imported, rec, request, err))
		return err->code;
	if (td_select_pmus(&rec->machine, request, err))
		return err->code;
	recorded->wants_tree = td_ask_is_made(&request->ask);
	recorded->request = with_defaults(request, rec);
	recorded->request.input = path;
	recorded->request.does.imports = rec->perf;
	return 0;
}

/* Build the tree of a file of perf stat; if that fails, show events unless a tree is requested. */
static int make_imported(struct td_recorded *recorded, struct td_notes *notes, struct td_err *err)
{
	struct td_recording *rec = &recorded->rec;
	size_t nr_notes = notes->nr;
	int rc;

	recorded->importer->note(&recorded->imported, rec, notes);
	rc = make_tree(recorded, notes, err);
	if (!rc || recorded->wants_tree)
		return rc;
	td_measure_free(&recorded->measure);
	recorded->measure = (struct td_measure){ 0 };
	td_notes_truncate(notes, nr_notes);
	recorded->importer->why(&recorded->imported, rec, err, notes);
	recorded->importer->undo(&recorded->imported, rec);
	*err = (struct td_err){ 0 };
	recorded->request.ask.level = 0;
	return make_tree(recorded, notes, err);
}

int td_recorded_measure(struct td_recorded *recorded, struct td_notes *notes, struct td_err *err)
{
	int rc;

	if (!recorded->rec.perf && recorded->request.model)
		td_notes_add(notes, "%s: --model is ignored: recordings contain their processor",
			     recorded->rec.path);
	rc = recorded->imported.tree ? make_imported(recorded, notes, err)
				     : make_tree(recorded, notes, err);
	recorded->source = make_source(recorded);
	return rc;
}

void td_recorded_close(struct td_recorded *recorded)
{
	td_measure_free(&recorded->measure);
	if (recorded->rec.perf)
		recorded->importer->free(&recorded->imported);
	td_recording_close(&recorded->rec);
}

/* --- checks ----------------------------------------------------------------- */

static int check_aggregation(const struct td_recording *rec, enum td_aggregation how,
			     struct td_err *err)
{
	if (rec->info.sums && how == TD_AGGREGATE_CPU && how != rec->info.how)
		return td_err_set(err, -ENODATA, "-A: %s has %s, not single CPUs", rec->path,
				  rec->info.how == TD_AGGREGATE_ALL ? "one sum"
								    : "sums of more than one CPU");
	if (td_aggregation_wants_places(how) && !rec->places)
		return td_err_set(err, -ENODATA, "%s does not contain the topology of its CPUs",
				  rec->path);
	return 0;
}

static int check_time(const struct td_recording *rec, enum td_time_format format,
		      struct td_err *err)
{
	const char *name = td_time_format_name(format);

	if (!rec->info.interval_ms)
		return td_err_set(err, -ENODATA, "--time-format %s: %s was recorded without -I",
				  name, rec->path);
	if (rec->info.start_ns)
		return 0;
	td_err_set(err, -ENODATA, "--time-format %s: %s does not contain its start time", name,
		   rec->path);
	return td_err_hint(err, "recordings of an older tdstat and files of perf stat do not "
				"contain it");
}

int td_recorded_check(const struct td_recording *rec, enum td_aggregation how,
		      const struct td_request *request, struct td_err *err)
{
	if (check_aggregation(rec, how, err))
		return err->code;
	if (request->show.format == TD_FORMAT_PERFETTO && !rec->info.interval_ms)
		return td_err_set(err, -ENODATA, "--perfetto: %s was recorded without -I",
				  rec->path);
	if (td_when_is_part(&request->when) && !rec->info.interval_ms)
		return td_err_set(err, -ENODATA,
				  "--from and --to choose intervals: %s was recorded without -I",
				  rec->path);
	return request->show.time ? check_time(rec, request->show.time, err) : 0;
}

static int check_readings(const struct td_recording *rec, enum td_aggregation how,
			  const struct td_readings *delta, struct td_err *err)
{
	bool tasks = delta->nr && delta->v[0].cpu < 0;

	if (!delta->nr || how == TD_AGGREGATE_ALL)
		return 0;
	if (how == TD_AGGREGATE_REGION && !rec->regions.nr)
		return td_err_set(err, -ENODATA, "--per-region: %s has no regions", rec->path);
	if (how == TD_AGGREGATE_THREAD && (!tasks || delta->v[0].tid < 0))
		return td_err_usage(err, "--per-thread: %s has counts per CPU, not per thread",
				    rec->path);
	if (td_aggregation_sums_tasks(how) && rec->info.how != how)
		return td_err_usage(err, "%s: %s was recorded without it",
				    td_aggregation_option(how), rec->path);
	if (how == TD_AGGREGATE_THREAD && td_aggregation_sums_tasks(rec->info.how))
		return td_err_usage(err, "--per-thread: %s was recorded with %s", rec->path,
				    td_aggregation_option(rec->info.how));
	if (how == TD_AGGREGATE_REGION || td_aggregation_names_tasks(how) || !tasks)
		return 0;
	return td_err_usage(
		err, "%s: %s has counts per %s, not per CPU", td_aggregation_option(how), rec->path,
		td_aggregation_sums_tasks(rec->info.how) ? td_aggregation_row(rec->info.how)->name
							 : "thread");
}

int td_recorded_next(struct td_recording *rec, enum td_aggregation how, uint64_t *time_ns,
		     struct td_readings *delta, struct td_err *err)
{
	int rc = td_recording_next(rec, time_ns, delta, err);

	return rc ?: check_readings(rec, how, delta, err);
}
