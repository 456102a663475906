// SPDX-License-Identifier: GPL-2.0-only
/* tdstat locate: the functions that lose slots to a node of the tree. */
#include <inttypes.h>
#include <math.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/output/advice.h"
#include "cmd/plan/catalog.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/select.h"
#include "cmd/sample/parts.h"
#include "cmd/say.h"
#include "cmd/wing.h"
#include "lib/base/suggest.h"
#include "lib/count/report.h"
#include "lib/machine/uarch.h"
#include "metrics/explain/explain.h"
#include "metrics/sets/sets.h"
#include "metrics/verdict/verdict.h"

/* --- events of a node ------------------------------------------------------- */

static void choice_free(struct td_choice *choice)
{
	free(choice->events);
	free(choice->without);
	*choice = (struct td_choice){ 0 };
}

/* Adds an event to a list, or a PMU without events. */
static void put_item(FILE *fp, const char *pmu, const char *event)
{
	fputs(ftell(fp) > 0 ? "," : "", fp);
	if (event && strchr(event, '/'))
		fputs(event, fp);
	else if (event)
		fprintf(fp, "%s/%s/P", pmu, event);
	else
		fputs(pmu, fp);
}

static bool has_node(const struct td_pmu_events *files, const char *pmu, const char *node)
{
	td_for_each(const struct td_model_metric, metric, files->metrics, files->nr_metrics) {
		if (strcmp(metric->pmu, pmu) == 0 && strcasecmp(metric->name, node) == 0)
			return true;
	}
	return false;
}

/* --- nodes ------------------------------------------------------------------ */

/* Returns the only node that the name is short for, or NULL. */
static const struct td_model_metric *find_short(const struct td_pmu_events *files, const char *name)
{
	const struct td_model_metric *found = NULL;

	td_for_each(const struct td_model_metric, metric, files->metrics, files->nr_metrics) {
		if (!td_node_is_short_for(name, strlen(name), metric->name))
			continue;
		if (found && strcmp(found->name, metric->name) != 0)
			return NULL;
		found = metric;
	}
	return found;
}

/* Finds a node by its name, with or without "tma_", or by a short form of its name. */
static const struct td_model_metric *find_node(const struct td_pmu_events *files, const char *name)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const char *of = files->metrics[i].name;

		if (strcasecmp(of, name) == 0 ||
		    (strncasecmp(of, "tma_", 4) == 0 && strcasecmp(of + 4, name) == 0))
			return &files->metrics[i];
	}
	return find_short(files, name);
}

/* Is it a node of any processor, with or without "tma_"? */
static bool is_explained(const char *node)
{
	char name[64];

	snprintf(name, sizeof(name), "tma_%s", node);
	return td_explanation_find(node) || td_explanation_find(name);
}

/* Returns true if the shell finds a command with this name. */
static bool is_program(const char *name)
{
	td_autofree char *file = td_find_program(name, X_OK);

	return file;
}

static int no_such_node(const struct td_pmu_events *files, const char *node, struct td_err *err)
{
	struct td_suggest suggest = { .wanted = node };
	char names[sizeof(err->hint) / 2];

	td_err_usage(err, "%s: this processor has no such node", node);
	err->elsewhere = is_explained(node);
	for (size_t i = 0; i < files->nr_metrics; i++)
		td_suggest_offer(&suggest, files->metrics[i].name, files->metrics[i].desc);
	td_suggest_format(&suggest, names, sizeof(names));
	return names[0]
		       ? td_err_hint(err, "did you mean %s?", names)
		       : td_err_hint(err,
				     "tdstat list metrics lists all nodes, and tdstat explain WORD "
				     "those about a word");
}

/* Returns true if the node's event needs a PMU that this machine does not have. */
static bool lacks_pmu(const struct td_catalog *catalog, const char *name)
{
	const struct td_model_metric *node = find_node(&catalog->events, name);
	const char *events = node ? td_node_events_find(node->name) : NULL;

	return events && strchr(events, '/');
}

static int no_events(const struct td_catalog *catalog, const char *node, struct td_err *err)
{
	if (catalog->missing.code) {
		*err = catalog->missing;
		return td_err_wrap(err, "the events to sample for %s", node);
	}
	if (!find_node(&catalog->events, node))
		return no_such_node(&catalog->events, node, err);
	td_err_set(err, -ENOENT, "%s: no event is known to sample for it or the nodes above it",
		   node);
	return lacks_pmu(catalog, node)
		       ? td_err_hint(
				 err,
				 "it needs instruction-based sampling (IBS), which this machine "
				 "lacks: a host may hide it from virtual machines")
		       : td_err_hint(
				 err,
				 "tdstat locate -e cycles shows where the time goes, and -e EVENT "
				 "where any event happens");
}

/* A search for a node with events. */
struct search {
	struct td_choice *choice;
	const struct td_machine *machine;
	struct td_catalog *catalog;
	bool strict; /* each core type that has the node must also have an event for it */
};

/* Chooses the events of a node.  Returns false if the node has none. */
static bool try_node(const struct search *search, const char *node)
{
	struct td_choice *choice = search->choice;
	FILE *events, *without;
	bool lacks = false;
	size_t size;

	choice_free(choice);
	snprintf(choice->node, sizeof(choice->node), "%s", node);
	events = td_open_memstream(&choice->events, &size);
	without = td_open_memstream(&choice->without, &size);
	td_for_each(const struct td_pmu, pmu, search->machine->pmus, search->machine->nr_core) {
		struct td_metric_facts facts;

		if (pmu->skip)
			continue;
		td_facts_find(search->catalog, pmu->name, node, &facts);
		for (size_t j = 0; j < facts.nr_events; j++)
			put_item(events, pmu->name, facts.events[j]);
		if (facts.nr_events)
			continue;
		put_item(without, pmu->name, NULL);
		lacks |= has_node(&search->catalog->events, pmu->name, node);
	}
	td_text_close(events, &choice->events);
	td_text_close(without, &choice->without);
	return *choice->events && !(search->strict && lacks);
}

/* More than the depth of any tree in the metric files. */
#define MAX_DEPTH 10

/* Tries the nodes, then the parents of the first one. */
static bool try_all(const struct search *search, const char *const *nodes, size_t nr)
{
	const struct td_pmu_events *files = &search->catalog->events;
	const struct td_model_metric *node;

	for (size_t i = 0; i < nr; i++) {
		if (try_node(search, nodes[i]))
			return true;
	}
	node = find_node(files, nodes[0]);
	for (int i = 0; node && i < MAX_DEPTH; i++) {
		if (try_node(search, node->name))
			return true;
		node = node->parent ? find_node(files, node->parent) : NULL;
	}
	return false;
}

/*
 * Chooses the events of the first node that has any on each core type; if there is none, those of
 * the nearest parent of the first node.  Names may be without "tma_".  Returns -ENOENT if there are
 * none; the error distinguishes an unknown node from one without events.
 */
static int choose_events(struct td_choice *choice, const struct td_request *request,
			 const char *const *nodes, size_t nr, struct td_err *err)
{
	struct td_sysfs fs = { -1, -1 };
	struct td_machine machine = { 0 };
	struct td_catalog catalog;
	struct search search = { choice, &machine, &catalog, true };
	int rc = td_select_machine(&fs, &machine, request, err);

	*choice = (struct td_choice){ 0 };
	td_catalog_init(&catalog, &fs, &machine, request->metrics_dir);
	rc = rc ?: td_machine_check_known(&machine, err);
	if (!rc && !machine.nr_core)
		rc = td_why_no_tree(&machine, err);
	rc = rc ?: td_catalog_read(&catalog, err);
	if (!rc && !try_all(&search, nodes, nr)) {
		search.strict = false;
		if (!try_all(&search, nodes, nr))
			rc = no_events(&catalog, nodes[0], err);
	}
	td_catalog_free(&catalog);
	td_machine_free(&machine);
	td_sysfs_close(&fs);
	return rc;
}

/* --- the node to locate ----------------------------------------------------- */

/* Duration for which the machine or a process is counted before it is sampled. */
#define COUNT_MS 2000

static void report_parent(const char *from, const char *to)
{
	td_say("tdstat: %s: no event is known to sample for it; sampling %s above it\n", from, to);
}

static void report_found(const struct td_focus *focus, const char *node,
			 const struct td_request *request)
{
	const char *first = focus->nodes[0];
	const char *next = request->target.command ? "running the command again to sample it"
						   : "sampling it now";
	char share[32] = "";

	if (request->show.quiet)
		return;
	if (!isnan(focus->slots_pct))
		snprintf(share, sizeof(share), " (%.0f %% of its slots)", focus->slots_pct);
	if (focus->unsure)
		td_say("tdstat: %s: no clear biggest loss; guessing %s%s; %s\n", focus->pmu, first,
		       share, next);
	else
		td_say("tdstat: biggest loss on %s: %s%s; %s\n", focus->pmu, first, share, next);
	if (strcmp(first, node) != 0)
		report_parent(first, node);
}

/* Returns the timeout of the counting: without a command, half of --timeout or less. */
static int counting_ms(const struct td_request *request)
{
	if (request->target.command)
		return request->when.timeout_ms;
	return request->when.timeout_ms && request->when.timeout_ms < 2 * COUNT_MS
		       ? request->when.timeout_ms / 2
		       : COUNT_MS;
}

static int choose_found(struct td_choice *choice, const struct td_focus *focus,
			const struct td_request *request, struct td_err *err)
{
	const char *nodes[TD_VERDICT_DEPTH + 1];
	int rc;

	if (focus->interrupted)
		return td_err_set(err, -EINTR, "interrupted while counting: nothing was sampled");
	if (!focus->nr) {
		td_err_set(err, -ENODATA, "cannot choose a node to locate: %s",
			   td_focus_why(focus));
		return td_err_hint(
			err, "tdstat shows the tree; tdstat locate NODE takes any node of it");
	}
	for (size_t i = 0; i < focus->nr; i++)
		nodes[i] = focus->nodes[i];
	rc = choose_events(choice, request, nodes, focus->nr, err);
	snprintf(choice->pmu, sizeof(choice->pmu), "%s", focus->pmu);
	if (!rc)
		report_found(focus, choice->node, request);
	return rc;
}

/* Counts the tree before sampling, because there are not enough counters for both. */
static int count_first(struct td_choice *choice, const struct td_request *request,
		       const struct td_inherited *inherited, struct td_attempt *attempt,
		       int *status, struct td_err *err)
{
	struct td_progress progress = td_progress_make(request, 1);
	struct td_request counting = *request;
	struct td_focus focus;
	int rc;

	counting.when.timeout_ms = counting_ms(request);
	td_progress_stage(&progress, "finding the node");
	rc = td_session_find(&counting, inherited, &focus, attempt, status, err);
	td_progress_clear(&progress);
	return rc ?: choose_found(choice, &focus, request, err);
}

static int take_named(struct td_choice *choice, const struct td_request *request,
		      struct td_err *err)
{
	const char *name = request->sampling.node, *node = choice->node;
	size_t prefix = strncasecmp(name, "tma_", 4) == 0 ? 0 : 4;
	int rc = choose_events(choice, request, &request->sampling.node, 1, err);

	if (!rc && !request->show.quiet && strcasecmp(name, node + prefix) != 0 &&
	    strcasecmp(name, node) != 0)
		report_parent(name, node);
	return rc;
}

/* Did the user name a node other than auto? */
static bool node_is_named(const struct td_request *request)
{
	return request->sampling.node && strcmp(request->sampling.node, "auto") != 0;
}

/*
 * Refuses -c default before anything is counted if nodes are sampled by IBS, which has no
 * recommended periods.
 */
static int check_period(const struct td_request *request, struct td_err *err)
{
	struct td_sysfs fs = { -1, -1 };
	struct td_machine machine = { 0 };
	struct td_err unused = { 0 };
	int rc = 0;

	if (!request->sampling.usual_period)
		return 0;
	if (!td_select_machine(&fs, &machine, request, &unused) && machine.nr_core &&
	    td_uarch_has(machine.pmus[0].uarch, TD_CORE_IBS)) {
		rc = td_period_missing("a node of AMD", err);
		err->elsewhere = true;
	}
	td_machine_free(&machine);
	td_sysfs_close(&fs);
	return rc;
}

#define USUAL_RATE 1000
/* A high rate, because most samples of IBS have no latency. */
#define IBS_RATE 4000

/*
 * Chooses the events of the node that the user named, or counts the tree first and takes the
 * biggest loss.  *status is the status of the counted command.
 */
static int choose(struct td_locating *l, const struct td_inherited *inherited, int *status,
		  struct td_err *err)
{
	const struct td_request *request = l->request;
	int rc;

	l->sampled = *request;
	if (request->nr_events)
		return 0;
	rc = check_period(request, err);
	if (rc)
		return rc;
	rc = node_is_named(request)
		     ? take_named(&l->choice, request, err)
		     : count_first(&l->choice, request, inherited, &l->attempt, status, err);
	l->arg.list = l->choice.events;
	l->sampled.events = &l->arg;
	l->sampled.nr_events = 1;
	return rc;
}

/* --- groups with :S --------------------------------------------------------- */

/*
 * Returns the index of the first member that can be sampled; -1: none.  The kernel does not sample
 * fields of slots, nor slots if its group has fields.
 */
static int find_sampled(const struct td_plan *plan, const struct td_group *group, bool fields)
{
	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event = &plan->events.v[group->members[i]];

		if (!fields || (!td_event_is_slots(event) && !td_event_is_metric(event)))
			return (int)i;
	}
	return -1;
}

/* With :S, samples one member of the group, and counts the others at its samples. */
static int choose_sampled(struct td_locating *l, const struct td_group *group, struct td_err *err)
{
	const struct td_plan *plan = &l->job.plan;
	const struct td_event *field = NULL;
	bool reads = false;
	int sampled;

	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event = &plan->events.v[group->members[i]];

		reads = reads || (group->nr > 1 && event->mods.sample_read);
		if (!field && td_event_is_metric(event))
			field = event;
	}
	sampled = find_sampled(plan, group, field);
	if (field && (!reads || sampled < 0)) {
		td_err_set(err, -EINVAL, "%s: a field of slots is counted, and cannot be sampled",
			   field->name);
		return td_err_hint(
			err, "{slots,cycles,topdown-retiring}:S samples cycles, and counts the "
			     "field from sample to sample");
	}
	if (!reads)
		return 0;
	if (l->filter || l->request->sampling.files.samples)
		return td_err_usage(err,
				    "%s: --in and --samples cannot show the counts of a group "
				    "with :S",
				    l->request->events[0].list);
	for (size_t i = 0; i < group->nr; i++) {
		if ((int)i != sampled)
			l->gathering.how[group->members[i]] = (struct td_sampling){ 0 };
	}
	l->gathering.format.values = true;
	return 0;
}

static int choose_all_sampled(struct td_locating *l, struct td_err *err)
{
	const struct td_plan *plan = &l->job.plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (choose_sampled(l, &plan->groups[g], err))
			return err->code;
	}
	if (l->gathering.format.values) {
		l->groups = td_plan_groups(plan);
		l->beside = td_calloc(plan->events.nr + 1, sizeof(*l->beside));
	}
	l->windows.plan = plan;
	l->windows.of_cpus = l->job.target.system_wide;
	return 0;
}

/* Is the event counted between the samples of its group? */
static bool is_beside(const struct td_locating *l, int event)
{
	return l->groups && l->groups[event] >= 0 && !l->gathering.how[event].period &&
	       !l->job.plan.events.v[event].hidden;
}

/*
 * Adds what the other members of the group have counted since the last sample, at its location,
 * except before the first sample, because the functions are unknown.
 */
static void add_counts(struct td_locating *l, int location, int caller)
{
	td_for_each(const struct td_window, window, l->windows.v, l->windows.nr) {
		const struct td_group *group = &l->job.plan.groups[window->group];

		for (size_t i = 0; i < group->nr; i++) {
			int event = group->members[i];
			uint64_t value = window->values[i];

			if (!value || !is_beside(l, event))
				continue;
			if (window->paired)
				td_hits_add(&l->hits, event, location, caller, value);
			else
				l->beside[event].unplaced += (double)value;
			l->beside[event].counted += (double)value;
		}
	}
	td_windows_clear(&l->windows);
}

/* --- sampling --------------------------------------------------------------- */

static void take(void *ctx, const struct td_record *record, int event, int location, int caller)
{
	struct td_locating *l = ctx;
	struct td_windows_taker taker = { .windows = &l->windows,
					  .groups = l->groups,
					  .hits = &l->hits };

	if (l->filter) {
		l->filter->take(l, record, event, location, caller);
	} else if (l->groups) {
		td_windows_take(&taker, record, event, location, caller);
		add_counts(l, location, caller);
	} else if (record->kind == TD_RECORD_SAMPLE) {
		td_hits_add(&l->hits, event, location, caller, record->period);
	}
}

/* Measures the overhead with cycles, because a node's event may be rare. */
static int limit(struct td_locating *l, struct td_err *err)
{
	struct td_event_arg cycles = { .list = "cycles" };
	struct td_request request = l->sampled;
	struct td_gathering *g = &l->gathering;
	td_autofree struct td_sampling *how = NULL;
	struct td_job by;
	int rc;

	if (l->request->nr_events)
		return td_overhead_limit(&l->job, g->how, &l->job, g->how, &g->format, err);
	request.events = &cycles;
	rc = td_job_plan(&by, &request, err);
	if (!rc) {
		how = td_rate_make(&by, USUAL_RATE);
		rc = td_overhead_limit(&l->job, g->how, &by, how, &g->format, err);
	}
	td_job_free(&by);
	return rc;
}

static int plan(struct td_locating *l, struct td_err *err)
{
	struct td_gathering *g = &l->gathering;
	bool waits;
	int rc = td_job_plan(&l->job, &l->sampled, err);

	if (rc)
		return rc;
	if (l->choice.without && *l->choice.without)
		td_notes_add(&l->job.notes,
			     "%s: no event is known to sample for %s; functions on this core type "
			     "are not shown",
			     l->choice.without, l->choice.node);
	/* samples of IBS contain latencies */
	waits = !l->request->nr_events && td_job_has_kind(&l->job, TD_PMU_IBS);
	g->job = &l->job;
	g->how = td_rate_make(&l->job, waits ? IBS_RATE : USUAL_RATE);
	if (choose_all_sampled(l, err))
		return err->code;
	if (td_period_set(&l->job, g->how, err)) {
		err->elsewhere = !l->request->nr_events;
		return err->code;
	}
	td_gathering_want(g, l->request);
	g->format.raw = waits;
	g->lines = l->request->verbose || l->request->sampling.files.samples ||
		   l->request->sampling.files.pprof;
	g->node = l->request->nr_events ? NULL : l->choice.node;
	g->take = take;
	g->ctx = l;
	if (l->filter && l->filter->open(l, err))
		return err->code;
	return l->request->sampling.overhead_pct > 0 && !l->request->dry_run ? limit(l, err) : 0;
}

/* --- notes ------------------------------------------------------------------ */

/* The scheduler may run the command on the other core type the second time. */
static bool report_elsewhere(const struct td_locating *l)
{
	const struct td_machine *machine = &l->job.machine;
	int pmu = td_machine_find_pmu(machine, l->choice.pmu);
	td_autofree char *cpus = NULL;
	double pct;

	if (pmu < 0 || machine->nr_core < 2 || !l->request->target.command ||
	    l->job.target.system_wide)
		return false;
	pct = td_sampler_ran_pct(l->gathering.sampler, pmu);
	cpus = td_ints_format(&machine->pmus[pmu].cpus);
	if (!(pct < 50))
		return false;
	td_job_say(&l->job,
		   "tdstat: the node was measured on %s, where this run spent %.0f %% of its "
		   "time; taskset -c %s before the command keeps both runs there\n",
		   l->choice.pmu, pct, cpus);
	return true;
}

/* With fewer samples, a share of 50 % has an error above 18 %. */
#define FEW_SAMPLES 30

static void report_few(const struct td_locating *l)
{
	uint64_t nr = l->filter ? l->nr_within : l->gathering.losses.kept;
	const char *longer = l->request->target.command ? "run" : "--timeout";

	if (!nr)
		td_job_say(&l->job,
			   "tdstat: no sample was taken: a longer %s may take some, and -F takes "
			   "more\n",
			   longer);
	else if (nr < FEW_SAMPLES)
		td_job_say(&l->job,
			   "tdstat: too few samples to tell functions apart, %" PRIu64
			   ": a longer %s takes more, and so does -F\n",
			   nr, longer);
}

#define MUCH_PCT 5

/* Reports the event of a group with :S that is least in functions. */
static void report_unplaced(const struct td_locating *l)
{
	double max = 0;
	size_t worst = 0;

	for (size_t i = 0; l->beside && i < l->job.plan.events.nr; i++) {
		double pct = l->beside[i].counted > 0
				     ? 100 * l->beside[i].unplaced / l->beside[i].counted
				     : 0;

		worst = pct > max ? i : worst;
		max = fmax(pct, max);
	}
	if (max >= MUCH_PCT)
		td_job_say(&l->job,
			   "tdstat: %s: %.0f %% of the events precede the first sample of a %s; "
			   "they are in no function\n",
			   l->job.plan.events.v[worst].name, max,
			   l->windows.of_cpus ? "CPU" : "thread");
}

/* --- showing ---------------------------------------------------------------- */

/* Sets the sampled events of groups with :S. */
static void name_sampled(struct td_locating *l)
{
	const struct td_plan *plan = &l->job.plan;

	td_for_each(struct td_where_event, event, l->where.events, l->where.nr) {
		const struct td_group *group;

		if (!is_beside(l, event->index))
			continue;
		group = &plan->groups[l->groups[event->index]];
		for (size_t j = 0; j < group->nr; j++) {
			if (l->gathering.how[group->members[j]].period)
				event->sampled = plan->events.v[group->members[j]].name;
		}
	}
}

static int open_sink(struct td_locating *l, struct td_err *err)
{
	const struct td_frame frame = {
		.big_num = !l->request->show.no_big_num,
		.runs = 1,
		.target = l->job.target.name.text,
		.target_kind = l->job.target.name.kind,
		.identity = &l->job.identity,
		.machine = &l->job.machine,
		.in = l->request->calls.in,
		.slower_ns = l->request->calls.slower_ns,
	};

	const struct td_sheet sheet = td_out_where_sheet();
	int rc;

	l->files = l->request->sampling.files;
	l->sink.unseen = td_where_is_displaced(l->request);
	rc = td_sink_open(&l->sink, &l->sampled, &frame, err);
	rc = rc ?: td_append_check(&l->sink, NULL, &sheet, err);
	return rc ?: td_stack_files_open(&l->files, err);
}

static int show(struct td_locating *l, struct td_err *err)
{
	struct td_writer *writer = &l->sink.writer;
	struct td_where *where = &l->where;
	int rc;

	where->node = l->request->nr_events ? NULL : l->choice.node;
	where->in = l->request->calls.in;
	where->slower_ns = l->request->calls.slower_ns;
	td_where_want(where, l->request);
	td_where_make(where, &l->job.plan, &l->job.machine, &l->gathering.locations, &l->hits);
	name_sampled(l);
	rc = td_sink_begin(&l->sink, err);
	if (!rc)
		writer->out->where(writer, &l->where);
	return rc ?: td_stack_files_write(&l->files, where, writer->frame, err);
}

static int sample(struct td_locating *l, struct td_inherited *inherited, int *status,
		  struct td_err *err)
{
	struct td_gathering *g = &l->gathering;
	int rc = open_sink(l, err);

	l->sink.frame.start_ns = td_wall_ns();
	if (!rc) {
		rc = td_gather(g, inherited, err);
		*status = g->status;
		l->attempt.over = l->attempt.over || g->over;
	}
	td_gathering_report(g);
	if (rc)
		return rc;
	report_unplaced(l);
	if (l->filter)
		l->filter->report(l);
	if (!report_elsewhere(l))
		report_few(l);
	return show(l, err);
}

static int close_all(struct td_locating *l, int rc, struct td_err *err)
{
	rc = td_sink_end(&l->sink, rc, err);
	td_stack_files_close(&l->files, !rc);
	td_where_free(&l->where);
	td_hits_free(&l->hits);
	td_windows_free(&l->windows);
	free(l->groups);
	free(l->beside);
	free(l->gathering.how);
	rc = td_gathering_close(&l->gathering, rc, err);
	if (l->filter)
		l->filter->close(l);
	td_job_free(&l->job);
	choice_free(&l->choice);
	return rc;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_locating l = { .request = &opts->request,
				 .job.fs = { -1, -1 },
				 .filter = opts->request.calls.in ? td_wing_filter() : NULL };
	int rc;

	td_inherited_change(&inherited);
	rc = choose(&l, &inherited, status, err);
	rc = rc ?: plan(&l, err);
	if (!rc)
		rc = opts->request.dry_run ? td_dry_run(&l.job, err)
					   : sample(&l, &inherited, status, err);
	rc = close_all(&l, rc, err);
	return rc ? td_always_continue(&opts->request, &inherited, &l.attempt, status, err) : 0;
}

/* --- the subcommand --------------------------------------------------------- */

/* The first word is a node, unless it is a program.  The next one starts the command. */
static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	(void)err;
	if (opts->request.sampling.node ||
	    (opts->request.nr_events && strncmp(word, "tma_", 4) != 0))
		return 1;
	if (strcmp(word, "auto") != 0 && !is_explained(word) && is_program(word))
		return 1;
	opts->request.sampling.node = word;
	return 0;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	const struct td_sampling_ask *sampling = &opts->request.sampling;

	if (td_sampling_has_period(sampling) && (sampling->freq || sampling->overhead_pct > 0))
		return td_err_usage(err,
				    "-c fixes the number of events between two samples: it "
				    "excludes %s",
				    sampling->freq ? "-F" : "--overhead");
	if (opts->request.sampling.node && opts->request.nr_events)
		return td_err_usage(err,
				    "-e %s is sampled instead of a node: it excludes the node %s",
				    opts->request.events[0].list, opts->request.sampling.node);
	if (opts->request.calls.in && td_request_is_wide(&opts->request))
		return td_err_usage(err,
				    "--in follows calls of threads: it needs a command, -p or -t");
	if (opts->request.calls.in && opts->request.sampling.files.samples)
		return td_err_usage(err, "--samples keeps all samples: --in excludes it");
	if (opts->request.calls.slower_ns && !opts->request.calls.in)
		return td_err_usage(err, "--slower selects calls of a function: it needs --in");
	if (opts->request.dry_run && !opts->request.nr_events && !node_is_named(&opts->request))
		return td_err_usage(
			err, "--dry-run counts nothing, so it cannot choose a node: name one");
	return td_stack_files_check(&opts->request.sampling.files, err);
}

/* clang-format off */
static const struct td_option sampling[] = {
	{ "event", 'e', "LIST",
	  "sample these events, as in perf record -e, instead of a node's",
	  TD_OPTION_FUNCTION, .set = td_value_events },
	{ "count", 'c', "N|default",
	  "sample every N events, or with Intel's recommended period, instead of -F",
	  TD_OPTION_FUNCTION, .set = td_value_count },
	{ NULL },
};

static const struct td_option showing[] = {
	{ "samples", 0, "FILE",
	  "also save each sample, for tdstat report --locate",
	  TD_OPTION_FILE, offsetof(struct td_opts, request.sampling.files.samples) },
	{ "callers", 0, NULL,
	  "show the callers of each function, from frame pointers",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.sampling.callers) },
	{ "all", 0, NULL, "show all functions, even those with small shares",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.all_nodes) },
	{ "no-big-num", 0, NULL, "no thousands separators",
	  TD_OPTION_FUNCTION, .set = td_value_no_big_num },
	{ "verbose", 'v', NULL,
	  "also show source lines and the counters that are opened",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_sampling = { TD_SECTION_WHAT, sampling };
static const struct td_option_group group_showing = { TD_SECTION_HOW, showing };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,    &td_group_tasks,   &td_group_cores,
	&td_group_files,   &group_sampling,   &td_group_rate,
	&td_group_timeout, &td_group_require, &group_showing,
	&td_group_formats, &td_group_output,  &td_group_head,
	&td_group_stream,  &td_group_dry_run, NULL,
};

const struct td_command td_command_locate = {
	.name = "locate",
	.line = "find the functions that lose slots to a node",
	.args = "[NODE|auto] [--] [COMMAND [ARG...]]",
	.doc = "Samples the event that the processor's files name for a node of the tree, and "
	       "shows the functions in which it happens. Without a node, or with auto, the tree "
	       "is measured first, in a separate run, and the node with the biggest loss is taken.",
	.what = "What to sample:",
	.examples = "  tdstat locate -- ./program\n"
		    "  tdstat locate tma_dram_bound -v -- ./program\n"
		    "  tdstat locate tma_lock_latency -p 1234 --timeout 10s",
	.groups = groups,
	.does = { .samples = true, .always = true },
	.word = take_word,
	.runs = true,
	.check = check,
	.counts = true,
	.run = run,
};
