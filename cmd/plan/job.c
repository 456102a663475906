// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/job.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "cmd/plan/catalog.h"
#include "cmd/plan/select.h"
#include "cmd/rights.h"
#include "cmd/say.h"
#include "cmd/version.h"
#include "lib/count/regions.h"
#include "lib/counter/probe.h"
#include "lib/event/resolve.h"
#include "lib/machine/kernel.h"
#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"
#include "lib/target/target.h"
#include "metrics/tree/tree.h"

/* Input and output of events_plan(), owned by the caller. */
struct typing {
	const struct td_request *request;
	const struct td_sysfs *fs;
	struct td_machine *machine; /* gets the PMUs that events name */
	struct td_event_text *text; /* filled in: the parsed -e */
	struct td_target *target;   /* becomes system-wide if events need it */
	struct td_plan *plan;       /* filled in */
	struct td_events *sampled;  /* filled in: events with R; NULL: R is refused */
	struct td_notes *notes;
};

static void add_labels(struct td_identity *identity, const struct td_head_ask *ask)
{
	for (size_t i = 0; i < ask->nr_labels; i++)
		td_identity_label(identity, ask->labels[i]);
}

void td_identity_make(struct td_identity *identity, const struct td_head_ask *ask,
		      char *const *command)
{
	td_identity_of_machine(identity, !ask->no_host);
	identity->version = td_strdup(td_version);
	if (command)
		td_identity_set_command(identity, command);
	add_labels(identity, ask);
}

void td_identity_ask(struct td_identity *identity, const struct td_head_ask *ask,
		     const struct td_target_name *target)
{
	identity->unnamed = ask->no_host;
	/* older recordings contain the command only in the name of the target, unquoted */
	if (!identity->command && target->kind == TD_TARGET_COMMAND)
		identity->command = td_strdup(target->text);
	add_labels(identity, ask);
}

/* The events that perf stat counts without -e, and with -d, -dd, -ddd. */
static const struct {
	int detail; /* minimum number of -d */
	const char *list;
} defaults[] = {
	{ 1, "context-switches,cpu-migrations,page-faults" },
	{ 1, "cycles,instructions,branches,branch-misses" },
	{ 2, "L1-dcache-loads,L1-dcache-load-misses" },
	{ 2, "LLC-loads,LLC-load-misses" },
	{ 3, "L1-icache-loads,L1-icache-load-misses" },
	{ 3, "dTLB-loads,dTLB-load-misses" },
	{ 3, "iTLB-loads,iTLB-load-misses" },
	{ 4, "L1-dcache-prefetches,L1-dcache-prefetch-misses" },
};

static int add_detail(struct typing *t, struct td_err *err)
{
	struct td_event_text *text = t->text;
	int rc =
		td_event_text_parse(text, t->target->system_wide ? "cpu-clock" : "task-clock", err);

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(defaults); i++) {
		if (defaults[i].detail <= t->request->detail)
			rc = td_event_text_parse(text, defaults[i].list, err);
	}
	return rc;
}

static int parse_all(struct typing *t, struct td_err *err)
{
	const struct td_request *request = t->request;

	for (size_t i = 0; i < request->nr_events; i++) {
		if (td_event_text_parse(t->text, request->events[i].list, err))
			return err->code;
	}
	return request->detail ? add_detail(t, err) : 0;
}

static int check_filter(const struct td_event *event, const char *filter, struct td_err *err)
{
	const char *colon = strchr(event->tracepoint, ':');

	if (!td_tracepoint_ask(event->config[0], filter))
		return 0;
	td_err_usage(err, "--filter: the kernel refuses it for %s", event->tracepoint);
	td_err_hint(err, "/sys/kernel/tracing/events/%.*s/%s/format lists the fields",
		    (int)(colon - event->tracepoint), event->tracepoint, colon + 1);
	return td_err_point(err, filter, 0, strlen(filter));
}

/* Set a --filter on the events of the preceding -e, which must all be tracepoints. */
static int add_filter(struct typing *t, const struct td_event_arg *arg, struct td_err *err)
{
	td_for_each(struct td_event, event, t->plan->events.v, t->plan->events.nr) {
		const struct td_spec *spec = &t->text->specs[event->spec];

		if (spec->span.text != arg->list)
			continue;
		if (spec->kind != TD_SPEC_TRACEPOINT)
			return td_span_error(err, &spec->span,
					     "--filter: this is not a tracepoint");
		if (check_filter(event, arg->filter, err))
			return err->code;
		td_event_set_filter(event, arg->filter);
	}
	return 0;
}

/* Refuse an event if none of the CPUs of -C has its PMU. */
static void check_cpus(struct typing *t, struct td_event *event)
{
	td_autofree char *why = td_plan_lacks_cpus(&t->machine->pmus[event->cpu_pmu], t->target);

	if (event->cpu_pmu != event->pmu && !t->target->system_wide)
		td_event_refuse(event, "cpu= counts CPUs: it takes -a or -C", t->notes);
	else if (!event->tool && why)
		td_event_refuse(event, why, t->notes);
}

/*
 * Is it a breakpoint, which may be at any address of the kernel or of a program?  The capability of
 * tdstat's file must not let all users set them.
 */
static bool is_forbidden(const struct typing *t, const struct td_event *event)
{
	const char *pmu = t->machine->pmus[event->pmu].name;

	return td_rights_exceed_user() &&
	       (strcmp(pmu, "kprobe") == 0 || strcmp(pmu, "uprobe") == 0);
}

/*
 * Move an event to the sampled events, because a retire latency is a mean of samples and not a
 * count.
 */
static void sample(struct typing *t, struct td_event *event)
{
	const struct td_pmu *pmu = &t->machine->pmus[event->pmu];
	struct td_event *added;

	if (!td_uarch_has(pmu->uarch, TD_CORE_LATENCIES)) {
		td_event_refuse(
			event,
			"modifier R: samples of this processor do not contain retire latencies",
			t->notes);
		return;
	}
	if (!t->sampled) {
		td_event_refuse(
			event,
			"modifier R: there is no sampling in cgroups, or with --no-record-tpebs",
			t->notes);
		return;
	}
	added = td_events_add(t->sampled);
	*added = *event;
	added->name = td_strdup(event->name);
	added->unit = added->filter = added->tracepoint = added->refusal = NULL;
	td_event_set_refusal(event, "its retire latency is sampled");
}

/* Refuse events that are known to be impossible, and events that are sampled instead. */
static void refuse_impossible(struct typing *t)
{
	td_for_each(struct td_event, event, t->plan->events.v, t->plan->events.nr) {
		if (event->refusal)
			continue;
		if (event->mods.retire_latency)
			sample(t, event);
		else if (is_forbidden(t, event))
			td_event_refuse(event,
					"tdstat's file capability is for counting: tdstat sets no "
					"probes with it",
					t->notes);
		else
			check_cpus(t, event);
	}
}

/*
 * Measure a command with only uncore events, which count whole CPUs, system-wide while it
 * runs, as perf stat does.
 */
static void widen_target(struct typing *t)
{
	struct td_target *target = t->target;
	bool units = false;

	td_for_each(const struct td_event, event, t->plan->events.v, t->plan->events.nr) {
		if (t->machine->pmus[event->pmu].kind == TD_PMU_OTHER)
			units = true;
		else if (!event->tool && !event->refusal)
			return;
	}
	if (!units || target->system_wide || td_target_attaches(&t->request->target))
		return;
	target->system_wide = true;
	target->enable_on_exec = target->inherit = false;
	td_notes_add(t->notes,
		     "these events are counted on the whole machine, not only in the command");
}

/* Warn that the list of CPUs may be incomplete because sysfs does not contain it. */
static void note_cpus(struct typing *t)
{
	td_autofree char *cpus = td_ints_format(&t->machine->online);

	if (t->machine->no_sysfs.code && t->target->system_wide && !t->target->has_cpus)
		td_notes_add(t->notes, "%s: counting on CPUs %s, which this program may run on",
			     t->machine->no_sysfs.msg, cpus);
}

/* Note sampling periods, which have no effect on counting. */
static void note_periods(struct typing *t)
{
	td_for_each(const struct td_event, event, t->plan->events.v, t->plan->events.nr) {
		if (event->period && !t->request->does.samples)
			td_notes_add(t->notes, "%s: period= is for sampling: ignored",
				     t->text->specs[event->spec].text);
	}
}

/* Note requests that rows cannot show. */
static void note_rows(struct typing *t)
{
	bool of_command = t->request->target.command && !t->target->system_wide;

	for (size_t i = 0; i < t->plan->events.nr; i++) {
		if (t->plan->events.v[i].percore &&
		    td_request_aggregation(t->request) == TD_AGGREGATE_CPU)
			td_notes_add(t->notes, "percore: -A shows CPUs, not cores");
		if (t->plan->events.v[i].tool > TD_TOOL_DURATION_TIME && of_command &&
		    t->request->when.interval_ms)
			td_notes_add(t->notes,
				     "%s of a command is known at its end, not in intervals",
				     t->plan->events.v[i].name);
	}
}

/* Note events that the kernel may put on a wrong counter, except precise ones. */
static void note_counters(struct typing *t)
{
	const struct td_machine *machine = t->machine;

	td_for_each(const struct td_event, event, t->plan->events.v, t->plan->events.nr) {
		enum td_uarch uarch = machine->pmus[event->pmu].uarch;

		if (event->refusal || event->mods.precise || t->request->does.samples ||
		    machine->pmus[event->pmu].kind != TD_PMU_CORE ||
		    !td_uarch_miscounts(uarch, event->config[0], machine->kernel))
			continue;
		td_notes_add(
			t->notes,
			"%s: too small if Linux %s chooses a counter that does not count it; Linux "
			"%s knows which do",
			event->name, machine->release,
			td_kernel_fixed(machine->kernel,
					uarch == TD_PANTHER_COVE || uarch == TD_COYOTE_COVE
						? TD_FAULT_PANTHER
						: TD_FAULT_GOLDEN));
	}
}

/* Return an error if all events were refused; with --null there are none, which is fine. */
static int check_any(const struct typing *t, struct td_err *err)
{
	const struct td_plan *plan = t->plan;

	if (t->sampled && t->sampled->nr)
		return 0;
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (!plan->events.v[i].refusal)
			return 0;
	}
	return plan->events.nr == 0 ? 0 : td_err_set(err, -ENODEV, "no event is left to count");
}

/* Plan the events of -e, -d, --filter and --null. */
static int events_plan(struct typing *t, struct td_err *err)
{
	struct td_catalog catalog;
	size_t before = t->notes->nr;
	int rc;

	td_machine_add_builtin(t->machine);
	td_catalog_init(&catalog, t->fs, t->machine, t->request->metrics_dir);
	rc = parse_all(t, err);
	if (!rc)
		rc = td_event_resolve(&t->plan->events, t->text, t->machine, &catalog.source,
				      t->notes, err);
	for (size_t i = 0; !rc && i < t->request->nr_events; i++) {
		if (t->request->events[i].filter)
			rc = add_filter(t, &t->request->events[i], err);
	}
	if (!rc)
		refuse_impossible(t);
	if (!rc)
		rc = check_any(t, err);
	td_catalog_free(&catalog);
	if (rc)
		return rc;
	/* the table shows which events of -d the machine lacks, and -v why */
	if (!t->request->nr_events && !t->request->verbose)
		td_notes_truncate(t->notes, before);
	widen_target(t);
	note_cpus(t);
	note_periods(t);
	note_rows(t);
	note_counters(t);
	t->plan->gathers = t->target->system_wide && !t->request->when.control &&
			   !td_target_has_cgroups(&t->request->target);
	return td_plan_arrange(t->plan, t->machine, t->notes, err);
}

/* --- latencies ------------------------------------------------------------- */

/*
 * Are retire latencies sampled if metrics need them?  With --no-multiplex no counter is left
 * for samples, and samples of CPUs do not contain the cgroup.  At switches, groups that take
 * samples would displace those that count.
 */
static bool wants_latencies(const struct td_request *request)
{
	if (!request->does.latencies)
		return false;
	return request->record_tpebs ||
	       (!request->no_record_tpebs && !request->no_multiplex &&
		!td_target_has_cgroups(&request->target) && !td_request_by_switches(request));
}

static bool has_latencies(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip &&
		    td_uarch_has(machine->pmus[i].uarch, TD_CORE_LATENCIES))
			return true;
	}
	return false;
}

/* Add the event to the last group.  Returns false if that is not possible. */
static bool join(struct td_plan *plan, const struct td_machine *machine, int event)
{
	size_t last = plan->nr_groups - 1;

	if (!plan->nr_groups || plan->groups[last].pmu != plan->events.v[event].pmu)
		return false;
	td_group_add(&plan->groups[last], &event, 1);
	if (td_plan_group_fits(plan, machine, last) &&
	    !td_plan_needs_watchdogs_counter(plan, machine, last))
		return true;
	plan->groups[last].nr--;
	return false;
}

/* Does a metric of the tree need the event?  Typed events are all needed. */
static bool is_used(const struct td_tree *tree, int event)
{
	for (size_t i = 0; tree && i < tree->nr_latencies; i++) {
		if (tree->latencies[i].sampled == event && tree->latencies[i].used)
			return true;
	}
	return !tree;
}

/*
 * Put the events to sample into groups that the kernel may break up.  Their number is minimal,
 * because each takes time from all other groups.
 */
static void plan_latencies(struct td_job *job)
{
	struct td_plan *sampled = &job->sampled;

	for (int i = 0; i < (int)sampled->events.nr; i++) {
		struct td_group *group;

		if (!is_used(job->tree, i) || join(sampled, &job->machine, i))
			continue;
		group = td_plan_new_group(sampled, sampled->events.v[i].pmu);
		group->weak = true;
		td_group_add(group, &i, 1);
	}
	if (job->request->record_tpebs && !has_latencies(&job->machine))
		td_notes_add(&job->notes,
			     "--record-tpebs: samples of this processor do not contain retire "
			     "latencies: metrics use the means of the files, if there are any");
}

/* --- the job --------------------------------------------------------------- */

int td_job_read_places(struct td_job *job, bool caches, struct td_err *err)
{
	const struct td_ints *cpus = &job->machine.online;

	if (!job->places && td_places_read(&job->fs, cpus, &job->places, err))
		return err->code;
	if (!caches || job->has_caches)
		return 0;
	if (td_places_read_caches(&job->fs, job->places, cpus->nr, err))
		return err->code;
	job->has_caches = true;
	return 0;
}

int td_job_add_cpus(struct td_job *job, const struct td_ints *cpus, struct td_ints *added,
		    struct td_err *err)
{
	const struct td_ints *online = &job->machine.online;
	struct td_place *now = NULL;
	size_t nr = online->nr;
	int rc = td_machine_add_cpus(&job->fs, &job->machine, cpus, added, err);

	if (rc || !job->places)
		return rc;
	rc = td_places_read(&job->fs, online, &now, err);
	if (!rc && job->has_caches)
		rc = td_places_read_caches(&job->fs, now, online->nr, err);
	if (!rc)
		td_places_keep(now, online->nr, job->places, nr);
	if (rc) {
		td_ints_free(added);
		free(now);
		return rc;
	}
	free(job->places);
	job->places = now;
	return 0;
}

/* Is all that runs on the cores counted, and not only the tasks of a cgroup? */
static bool has_whole_cores(const struct td_job *job)
{
	return job->target.system_wide && !job->target.tells_tasks &&
	       !td_target_has_cgroups(&job->request->target);
}

static int build_measure(struct td_job *job, struct td_err *err)
{
	struct td_measuring how = {
		.machine = &job->machine,
		.fs = &job->fs,
		.request = job->request,
		.notes = &job->notes,
		.tsc_hz = job->tsc_hz,
		.core_wide = has_whole_cores(job),
		.in_turns = job->target.by_mode,
		.latencies = wants_latencies(job->request),
		.sampled = &job->sampled.events,
	};

	if (td_job_read_places(job, false, err))
		return err->code;
	how.places = job->places;
	return td_measure_build(&job->measure, &job->plan.events, &how, err);
}

static int check_cores(struct td_job *job, struct td_err *err)
{
	if (!has_whole_cores(job))
		return td_check_cores_of_tasks(&job->fs, job->tree, &job->machine, job->request,
					       err);
	return td_select_whole_cores(&job->fs, job->tree, &job->machine, &job->target, &job->notes,
				     err);
}

static bool has_clocks(const struct td_machine *machine)
{
	return machine->nr_core && td_clocks_has(machine, 0);
}

/*
 * A dry run opens no event, not even to read the frequency: its plan is that of a machine
 * with a known one.  Files of perf stat do not contain it, so that perf has to count msr/tsc/.
 */
static void find_tsc(struct td_job *job)
{
	if (job->request->dry_run) {
		job->tsc_hz = has_clocks(&job->machine) && !job->request->show.print_perf;
		return;
	}
	job->tsc_hz = td_tsc_hz();
	if (!job->tsc_hz && has_clocks(&job->machine))
		job->tsc_hz = td_tsc_hz_of_kernel();
}

/* Are clocks added?  Those of only user space or the kernel do not measure how busy CPUs are. */
static bool wants_clocks(const struct td_job *job)
{
	const struct td_target *target = &job->target;

	/* each event adds time to the beginning and the end of a region */
	if (job->request->does.regions)
		return false;
	/* a clock is sampled */
	if (job->request->does.samples)
		return true;
	return !target->system_wide || (!target->all_user && !target->all_kernel);
}

static int make_tree(struct td_job *job, struct td_err *err)
{
	int rc = td_machine_check_known(&job->machine, err);

	job->tree = &job->measure.tree;
	if (rc)
		return rc;
	find_tsc(job);
	rc = build_measure(job, err);
	return rc ? rc : check_cores(job, err);
}

/* Pin starved groups, unless modes of several targets are multiplexed. */
static void pin_starved(struct td_job *job)
{
	if (!job->target.system_wide && !job->target.by_mode && !job->request->dry_run)
		td_pin_starved(&job->plan, &job->machine, &job->target);
}

static int plan_metrics(struct td_job *job, struct td_err *err)
{
	struct td_schedule schedule = { .single = job->request->no_group };
	int rc = make_tree(job, err);

	if (rc)
		return rc;
	schedule.needs = job->tree->needs;
	schedule.nr_needs = job->tree->nr_needs;
	schedule.references = job->tree->references;
	schedule.clocks = wants_clocks(job);
	schedule.families = job->tree->families_of_events;
	schedule.always = td_ask_wants_files(&job->measure.ask) || job->request->metrics_dir;
	rc = td_plan_build(&job->plan, &job->machine, &schedule, err);
	if (!rc && !job->request->does.regions && !job->request->does.samples)
		pin_starved(job);
	return rc;
}

static int plan_events(struct td_job *job, struct td_err *err)
{
	struct typing typing = {
		.request = job->request,
		.fs = &job->fs,
		.machine = &job->machine,
		.text = &job->text,
		.target = &job->target,
		.plan = &job->plan,
		.sampled = wants_latencies(job->request) ? &job->sampled.events : NULL,
		.notes = &job->notes,
	};
	return events_plan(&typing, err);
}

/* Return the number of events before -G. */
static int specs_before_cgroup(const struct td_job *job)
{
	const struct td_request *request = job->request;
	const char *next = request->cgroups_at < request->nr_events
				   ? request->events[request->cgroups_at].list
				   : NULL;

	for (size_t i = 0; next && i < job->text.nr_specs; i++) {
		if (job->text.specs[i].span.text == next)
			return (int)i;
	}
	return INT_MAX;
}

static int assign_cgroups(struct td_job *job, struct td_err *err)
{
	const struct td_cgroups *cgroups = &job->target.cgroups;

	if (cgroups->nr > 1 && !td_request_has_events(job->request))
		return td_err_usage(
			err,
			"-G: metrics are counted for one cgroup: use --for-each-cgroup for more");
	return td_cgroups_assign(&job->plan, cgroups, specs_before_cgroup(job), err)
		       ? td_err_wrap(err, "-G")
		       : 0;
}

/* Leave guests out, with a note unless a command is counted, which rarely is a VMM. */
static void leave_guests_out(struct td_job *job)
{
	job->target.exclude_guest = true;
	if (!job->target.system_wide && !td_target_attaches(&job->request->target))
		return;
	td_notes_add(&job->notes,
		     "not counting guests: KVM gives virtual machines the counters for themselves "
		     "(enable_mediated_pmu), and while guests are counted none can start");
}

/*
 * Count modes separately if all tasks are virtual machine monitors and the result is one row.
 * A recording does not contain modes.
 */
static bool wants_modes(const struct td_job *job)
{
	const struct td_request *request = job->request;
	const struct td_target_ask *ask = &request->target;
	bool is_one = !request->show.aggregations && !request->does.records &&
		      !request->does.samples && !td_request_exposes(request);

	if (!is_one || !ask->pids.nr || ask->tids.nr || ask->all_user || ask->all_kernel ||
	    job->target.system_wide || td_request_has_events(request) || request->ask.nr_names)
		return false;
	for (size_t i = 0; i < ask->pids.nr; i++) {
		if (!td_tasks_has_guest(&job->fs, ask->pids.v[i]))
			return false;
	}
	return true;
}

/* Is this a PID namespace of a container, in which samples of other tasks have the number 0? */
static bool is_in_pid_namespace(void)
{
	const ino_t inode_of_first = 0xEFFFFFFC; /* PROC_PID_INIT_INO in include/linux/proc_ns.h */
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != inode_of_first;
}

static int make_target(struct td_job *job, struct td_err *err)
{
	const struct td_request *request = job->request;
	enum td_aggregation how = td_request_aggregation(request);
	bool of_tasks = td_aggregation_names_tasks(how),
	     by_switches = td_request_by_switches(request);
	int rc = 0;

	if (by_switches && of_tasks && !request->dry_run && is_in_pid_namespace()) {
		if (how != TD_AGGREGATE_THREAD)
			return td_err_set(err, -ENOTSUP,
					  "%s needs the PID namespace of the machine, as "
					  "docker run --pid=host provides it",
					  td_aggregation_option(how));
		by_switches = false;
	}
	td_target_make(&job->target, &request->target, of_tasks && !by_switches);
	job->target.by_switches = by_switches;
	job->target.tells_tasks = by_switches && of_tasks;
	job->target.enable_on_exec &= !request->when.delay_ms;
	if (request->target.overridden)
		td_notes_add(&job->notes, "-p and -t count tasks: %s is ignored",
			     request->target.overridden);
	if (!rc && job->machine.guests_have_pmus)
		leave_guests_out(job);
	if (!rc)
		job->target.by_mode = wants_modes(job) && td_select_general(&job->machine);
	if (!rc)
		rc = td_target_open_cgroups(&job->target, &job->fs, &request->target, &job->notes,
					    err);
	return rc;
}

/* Read the machine.  With --null and a command, errors do not matter. */
static int select_machine(struct td_job *job, struct td_err *err)
{
	const struct td_request *request = job->request;
	int rc = td_select_machine(&job->fs, &job->machine, request, err);

	if (!rc || !request->nothing || !request->target.command ||
	    td_target_is_wide(&request->target))
		return rc;
	*err = (struct td_err){ 0 };
	return 0;
}

static int begin(struct td_job *job, const struct td_request *request, struct td_err *err)
{
	*job = (struct td_job){ .request = request, .fs = { -1, -1 } };
	td_identity_make(&job->identity, &request->show.head, request->target.command);
	return select_machine(job, err);
}

/* Plan the request on job->machine. */
static int plan(struct td_job *job, struct td_err *err)
{
	const struct td_request *request = job->request;
	int rc = make_target(job, err);

	if (!rc)
		rc = td_request_has_events(request) ? plan_events(job, err)
						    : plan_metrics(job, err);
	if (rc)
		return rc;
	plan_latencies(job);
	if (request->target.cgroups)
		rc = assign_cgroups(job, err);
	if (!rc && request->no_multiplex)
		rc = td_plan_make_sets(&job->plan, &job->machine, err);
	if (!rc && request->drill_off)
		td_notes_add(&job->notes,
			     "--no-multiplex counts level 1 unless -l names a deeper one: -l "
			     "auto, the usual default, decides during the run");
	return rc ? rc : td_target_find_tasks(&job->target, &job->fs, err);
}

/* Do other programs hold counters that the plan needs?  See td_find_held(). */
static bool is_disturbed(struct td_job *job)
{
	return job->tree && !job->request->dry_run &&
	       td_find_held(&job->plan, &job->machine, &job->target);
}

int td_job_plan_beside(struct td_job *job, const struct td_request *request,
		       const struct td_machine *found, struct td_err *err)
{
	int rc = begin(job, request, err);

	job->machine.nmi_watchdog = found->nmi_watchdog;
	job->machine.idle_watchdog = found->idle_watchdog;
	for (size_t i = 0; !rc && i < job->machine.nr_core; i++) {
		job->machine.pmus[i].held_general = found->pmus[i].held_general;
		job->machine.pmus[i].held_fixed = found->pmus[i].held_fixed;
		job->machine.pmus[i].held_cpu = found->pmus[i].held_cpu;
	}
	if (rc)
		return rc;
	td_held_text(&job->machine, &job->held);
	return plan(job, err);
}

/* Make the plan again, with the counters that are left. */
static int plan_with_free_counters(struct td_job *job, struct td_err *err)
{
	const struct td_request *request = job->request;
	struct td_machine before = job->machine;
	int rc;

	job->machine = (struct td_machine){ 0 };
	td_job_free(job);
	rc = td_job_plan_beside(job, request, &before, err);
	td_machine_free(&before);
	return rc;
}

/* Level 1 by PERF_METRICS needs no counter that the watchdog may hold. */
static bool needs_watchdogs_counter(const struct td_job *job)
{
	const struct td_request *request = job->request;
	bool fields = true;

	for (size_t i = 0; i < job->machine.nr_core; i++)
		fields &= td_pmu_has_slots(&job->machine.pmus[i]);
	return job->machine.nmi_watchdog && !request->dry_run && !td_request_has_events(request) &&
	       !(fields && request->ask.level == 1);
}

int td_job_plan(struct td_job *job, const struct td_request *request, struct td_err *err)
{
	int rc = begin(job, request, err);

	if (!rc && needs_watchdogs_counter(job)) {
		job->machine.idle_watchdog = td_watchdog_is_idle(&job->machine);
		job->machine.nmi_watchdog = !job->machine.idle_watchdog;
	}
	if (!rc)
		rc = plan(job, err);
	/* events to sample are multiplexed one by one, or td_job_join() plans again */
	return !rc && !request->does.samples && is_disturbed(job)
		       ? plan_with_free_counters(job, err)
		       : rc;
}

void td_job_free(struct td_job *job)
{
	td_notes_free(&job->notes);
	free(job->held);
	td_identity_free(&job->identity);
	free(job->places);
	td_target_free(&job->target);
	td_measure_free(&job->measure);
	td_plan_free(&job->plan);
	td_plan_free(&job->sampled);
	td_event_text_free(&job->text);
	td_machine_free(&job->machine);
	td_sysfs_close(&job->fs);
}

/* --- one group per PMU ------------------------------------------------------ */

static bool is_left_out(const struct td_job *job, int event)
{
	const char *refusal = job->plan.events.v[event].refusal;

	return refusal && strcmp(refusal, TD_NO_COUNTER_LEFT) == 0;
}

static bool lacks_counters(const struct td_job *job, const struct td_metric *metric)
{
	for (size_t i = 0; i < metric->events.nr; i++) {
		if (is_left_out(job, metric->events.v[i]))
			return true;
	}
	return false;
}

static void note_left_out(struct td_job *job, int pmu)
{
	const struct td_tree *tree = job->tree;
	td_autofree char *names = NULL;
	const char *between = "";
	size_t size;
	FILE *fp = td_open_memstream(&names, &size);

	for (size_t i = 0; tree && i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu != pmu || !metric->shown || !lacks_counters(job, metric))
			continue;
		fprintf(fp, "%s%s", between, metric->name);
		between = ", ";
	}
	for (size_t i = 0; !tree && i < job->plan.events.nr; i++) {
		if (job->plan.events.v[i].pmu != pmu || !is_left_out(job, (int)i))
			continue;
		fprintf(fp, "%s%s", between, job->plan.events.v[i].name);
		between = ", ";
	}
	td_text_close(fp, &names);
	if (*names)
		td_notes_add(
			&job->notes,
			"%s: not counted, because there are too few counters for all events at "
			"once, and none is multiplexed: %s",
			job->machine.pmus[pmu].name, names);
}

int td_job_join(struct td_job *job, struct td_err *err)
{
	/* with Processor Trace each event is sampled by itself, and multiplexed */
	bool whole = job->request->calls.engine != TD_BY_PT;

	td_plan_join(&job->plan, &job->machine);
	if (whole && !job->held && is_disturbed(job)) {
		if (plan_with_free_counters(job, err))
			return err->code;
		td_plan_join(&job->plan, &job->machine);
	}
	for (int i = 0; i < (int)job->machine.nr_pmus; i++)
		note_left_out(job, i);
	if (job->request->does.samples)
		pin_starved(job);
	return 0;
}

bool td_job_has_kind(const struct td_job *job, enum td_pmu_kind kind)
{
	const struct td_events *events = &job->plan.events;

	for (size_t i = 0; i < events->nr; i++)
		if (job->machine.pmus[events->v[i].pmu].kind == kind)
			return true;
	return false;
}

/* --- messages --------------------------------------------------------------- */

void td_job_say(const struct td_job *job, const char *fmt, ...)
{
	va_list ap;

	if (job->request->show.quiet)
		return;
	va_start(ap, fmt);
	td_vsay(fmt, ap);
	va_end(ap);
}

void td_job_say_notes(struct td_job *job)
{
	if (!job->request->show.quiet)
		td_say_notes(&job->notes);
}
