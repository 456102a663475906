// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/replay/recorded.h"

#include <errno.h>
#include <string.h>

#include "cmd/opts/meant.h"
#include "cmd/plan/catalog.h"
#include "cmd/plan/identity.h"
#include "cmd/plan/select.h"
#include "cmd/say.h"
#include "lib/count/aggregation.h"
#include "metrics/sets/set.h"

/* --- what is said of a tree of a file of perf stat ------------------------- */

static bool has_model(const struct td_machine *machine)
{
	return machine->cpuid.family;
}

static void note_pmu(const struct td_recording *rec, struct td_pmu *pmu,
		     struct td_notes *notes)
{
	const struct td_machine *machine = &rec->machine;
	const char *lacking = td_imported_lacks(
		pmu, has_model(machine)
			     ? td_model_uarch(machine->model, pmu->name)
			     : TD_GOLDEN_COVE);

	if (pmu->skip)
		return;
	if (!has_model(machine) && !td_builtin_find(machine, pmu)) {
		pmu->skip = true;
		td_notes_add(
			notes,
			"%s: %s is not shown: --model NAME would say which "
			"core it is",
			rec->path, pmu->name);
	} else if (lacking && has_model(machine)) {
		td_notes_add(notes,
			     "%s: %s has no %s, by which its shares would be "
			     "corrected",
			     rec->path, pmu->name, lacking);
	}
}

static bool has_some(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip &&
		    td_builtin_find(machine, &machine->pmus[i]))
			return true;
	}
	return false;
}

/* After the PMUs were selected: notes what is not corrected, or not shown. */
static void import_note(const struct td_imported *imported,
			struct td_recording *rec, struct td_notes *notes)
{
	struct td_machine *machine = &rec->machine;

	if (!imported->tree || (!has_model(machine) && !has_some(machine)))
		return;
	for (size_t i = 0; i < machine->nr_core; i++)
		note_pmu(rec, &machine->pmus[i], notes);
}

/* The first top-down event that is left on "cpu", which no hybrid model has. */
static const char *unplaced(const struct td_imported *imported,
			    const struct td_recording *rec)
{
	const struct td_machine *machine = &rec->machine;
	int cpu = td_machine_find_pmu(machine, "cpu");

	if (cpu < 0 || !machine->model || !td_model_is_hybrid(machine->model))
		return NULL;
	for (size_t i = 0; i < imported->nr; i++) {
		if (rec->plan.events.v[i].pmu == cpu && imported->names[i] &&
		    td_imported_is_topdown(imported->names[i]))
			return imported->names[i];
	}
	return NULL;
}

/* Why a PMU has no tree; false if it is not the reason. */
static bool note_missing(const struct td_recording *rec,
			 const struct td_pmu *pmu, struct td_notes *notes)
{
	const char *field = td_imported_missing(pmu);

	if (field && (td_pmu_has_slots(pmu) || !strcmp(pmu->name, "cpu")))
		td_notes_add(notes,
			     "%s: no tree, as %s has no %s: its events are "
			     "shown",
			     rec->path, pmu->name, field);
	else if (!has_model(&rec->machine))
		td_notes_add(notes,
			     "%s: no tree without --model NAME, which says "
			     "what core %s is: its events are shown",
			     rec->path, pmu->name);
	else
		return false;
	return true;
}

/* Notes what its counts lack for a tree; err: why it could not be built. */
static void import_why(const struct td_imported *imported,
		       const struct td_recording *rec, const struct td_err *err,
		       struct td_notes *notes)
{
	const struct td_machine *machine = &rec->machine;
	const char *name = unplaced(imported, rec);
	size_t len = strlen(rec->path);

	if (name) {
		td_notes_add(notes,
			     "%s: no tree, as both kinds of core have %s: its "
			     "events are shown",
			     rec->path, name);
		return;
	}
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (note_missing(rec, &machine->pmus[i], notes))
			return;
	}
	/* most errors begin with the path, too */
	td_notes_add(notes, "%s: no tree: %s: its events are shown", rec->path,
		     strncmp(err->msg, rec->path, len) == 0 &&
				     strncmp(err->msg + len, ": ", 2) == 0
			     ? err->msg + len + 2
			     : err->msg);
}

/* --- the recording --------------------------------------------------------- */

int td_recorded_put(const struct td_recording *rec, struct td_view *view,
		    const struct td_readings *delta, uint64_t time_ns,
		    struct td_err *err)
{
	const struct td_counted counted = { time_ns, &rec->times, delta,
					    &rec->course };

	if (view->source->tree)
		td_tree_set_latencies(view->source->tree, &rec->latencies);
	return td_view_put(view, &counted, err);
}

void td_recorded_warn(const struct td_recording *rec)
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
static int make_tree(struct td_recorded *recorded, struct td_notes *notes,
		     struct td_err *err)
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
	    (request->ask.level > 1 || request->ask.only_level ||
	     request->ask.nr_names || request->ask.bottlenecks ||
	     request->ask.energy))
		return td_err_usage(err,
				    "%s has events and no tree: --level, -M, "
				    "--bottlenecks and --energy do not apply",
				    rec->path);
	if (rec->info.of_events) {
		hide_skipped(rec);
		return 0;
	}
	rc = td_measure_build(&recorded->measure, &rec->plan.events, &how, err);
	if (rc && err->usage && request->ask.nr_names &&
	    request->ask.names == rec->info.ask.names)
		blame_recording(rec, err);
	return rc;
}

/* The recorded aggregation, unless another one is asked for. */
static enum td_aggregation choose_aggregation(const struct td_recording *rec,
					      const struct td_request *request)
{
	if (request->profile)
		return TD_AGGREGATE_REGION;
	return request->show.aggregations ? td_request_aggregation(request)
					  : rec->info.how;
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
		.cache_level = request->show.aggregations
				       ? request->show.cache_level
				       : info->cache_level,
		.as_counted = !info->sums ||
			      choose_aggregation(rec, request) == info->how,
		.places = &rec->places,
		/* as in the live run: most threads of a machine sleep */
		.skip_idle = info->how == TD_AGGREGATE_THREAD &&
			     info->target.kind == TD_TARGET_SYSTEM,
		.names = &rec->names,
		.latencies = &rec->latencies,
		.regions = &rec->regions,
		.cgroups = info->cgroups,
		.containers = info->nr_containers == info->nr_cgroups
				      ? info->containers
				      : NULL,
		.nr_cgroups = info->nr_cgroups,
	};
}

/* Was it recorded, and does the aggregation of the report have it? */
static bool shows_energy(const struct td_request *asked,
			 const struct td_recording *rec)
{
	enum td_aggregation how = choose_aggregation(rec, asked);

	return rec->info.ask.energy &&
	       (how == TD_AGGREGATE_ALL || how == TD_AGGREGATE_SOCKET);
}

/* Fills in what the recording was asked for, unless the user asks again. */
static struct td_request with_defaults(const struct td_request *asked,
				       const struct td_recording *rec)
{
	struct td_request request = *asked;

	if (!request.show.aggregations && rec->info.how == TD_AGGREGATE_REGION)
		request.show.aggregations = 1U << TD_AGGREGATE_REGION;
	/* whether groups rested is a fact of the counting */
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

int td_recorded_open(struct td_recorded *recorded, const char *path,
		     const struct td_request *asked, struct td_err *err)
{
	struct td_recording *rec = &recorded->rec;
	int rc;

	*recorded = (struct td_recorded){ 0 };
	rc = td_recording_open(rec, path, err);
	if (rc)
		td_meant_recording(path, err);
	if (!rc)
		rc = td_identity_ask(&rec->info.identity, &asked->show.head,
				     &rec->info.target, err);
	if (!rc)
		rc = td_import_tree(&recorded->imported, rec, asked, err);
	if (!rc)
		rc = td_select_pmus(&rec->machine, asked, err);
	if (rc)
		return rc;
	recorded->wants_tree = td_ask_is_made(&asked->ask);
	recorded->request = with_defaults(asked, rec);
	recorded->request.input = path;
	return 0;
}

/*
 * What perf stat wrote is a table of events, unless it can be a tree, or somebody
 * asks for one.
 */
static int make_imported(struct td_recorded *recorded, struct td_notes *notes,
			 struct td_err *err)
{
	struct td_recording *rec = &recorded->rec;
	size_t nr_notes = notes->nr;
	int rc;

	import_note(&recorded->imported, rec, notes);
	rc = make_tree(recorded, notes, err);
	if (!rc || rc == -ENOMEM || recorded->wants_tree)
		return rc;
	td_measure_free(&recorded->measure);
	recorded->measure = (struct td_measure){ 0 };
	td_notes_truncate(notes, nr_notes);
	import_why(&recorded->imported, rec, err, notes);
	td_import_undo(&recorded->imported, rec);
	*err = (struct td_err){ 0 };
	recorded->request.ask.level = 0;
	return make_tree(recorded, notes, err);
}

int td_recorded_measure(struct td_recorded *recorded, struct td_notes *notes,
			struct td_err *err)
{
	int rc = recorded->imported.tree ? make_imported(recorded, notes, err)
					 : make_tree(recorded, notes, err);

	recorded->source = make_source(recorded);
	return rc;
}

void td_recorded_close(struct td_recorded *recorded)
{
	td_measure_free(&recorded->measure);
	td_imported_free(&recorded->imported);
	td_recording_close(&recorded->rec);
}

/* --- what a report cannot show of it -------------------------------------- */

static int check_aggregation(const struct td_recording *rec,
			     enum td_aggregation how, struct td_err *err)
{
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
	return 0;
}

static int check_time(const struct td_recording *rec,
		      enum td_time_format format, struct td_err *err)
{
	const char *name = td_time_format_name(format);

	if (!rec->info.interval_ms)
		return td_err_set(
			err, -ENODATA,
			"--time-format %s: %s was recorded without -I", name,
			rec->path);
	if (rec->info.start_ns)
		return 0;
	td_err_set(err, -ENODATA,
		   "--time-format %s: %s does not say when it was started",
		   name, rec->path);
	return td_err_hint(err, "recordings of an older tdstat, and what perf "
				"stat wrote, do not");
}

static int check_perfetto(const struct td_recording *rec, struct td_err *err)
{
	if (rec->info.interval_ms)
		return 0;
	return td_err_set(err, -ENODATA,
			  "--perfetto: %s was recorded without -I", rec->path);
}

int td_recorded_check(const struct td_recording *rec, enum td_aggregation how,
		      const struct td_request *request, struct td_err *err)
{
	int rc = check_aggregation(rec, how, err);

	if (!rc && request->show.format == TD_FORMAT_PERFETTO)
		rc = check_perfetto(rec, err);
	return rc || !request->show.time
		       ? rc
		       : check_time(rec, request->show.time, err);
}

static int check_readings(const struct td_recording *rec,
			  enum td_aggregation how,
			  const struct td_readings *delta, struct td_err *err)
{
	bool tasks = delta->nr && delta->v[0].cpu < 0;

	if (!delta->nr || how == TD_AGGREGATE_ALL)
		return 0;
	if (how == TD_AGGREGATE_REGION)
		return rec->regions.nr
			       ? 0
			       : td_err_set(err, -ENODATA,
					    "--per-region: %s has no regions",
					    rec->path);
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

int td_recorded_next(struct td_recording *rec, enum td_aggregation how,
		     uint64_t *time_ns, struct td_readings *delta,
		     struct td_err *err)
{
	int rc = td_recording_next(rec, time_ns, delta, err);

	return rc ? rc : check_readings(rec, how, delta, err);
}
