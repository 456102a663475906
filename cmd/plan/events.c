// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/catalog.h"
#include "cmd/rights.h"
#include "lib/base/util.h"
#include "lib/counter/probe.h"
#include "lib/event/resolve.h"
#include "lib/machine/kernel.h"

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

static int add_detail(struct td_typing *t, struct td_err *err)
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

static int parse_all(struct td_typing *t, struct td_err *err)
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
static int add_filter(struct td_typing *t, const struct td_event_arg *arg, struct td_err *err)
{
	for (size_t i = 0; i < t->plan->events.nr; i++) {
		struct td_event *event = &t->plan->events.v[i];
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
static void check_cpus(struct td_typing *t, struct td_event *event)
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
static bool is_forbidden(const struct td_typing *t, const struct td_event *event)
{
	const char *pmu = t->machine->pmus[event->pmu].name;

	return td_rights_exceed_user() &&
	       (strcmp(pmu, "kprobe") == 0 || strcmp(pmu, "uprobe") == 0);
}

/*
 * Move an event to the sampled events, because a retire latency is a mean of samples and not a
 * count.
 */
static void sample(struct td_typing *t, struct td_event *event)
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
static void refuse_impossible(struct td_typing *t)
{
	for (size_t i = 0; i < t->plan->events.nr; i++) {
		struct td_event *event = &t->plan->events.v[i];

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
static void widen_target(struct td_typing *t)
{
	struct td_target *target = t->target;
	bool units = false;

	for (size_t i = 0; i < t->plan->events.nr; i++) {
		const struct td_event *event = &t->plan->events.v[i];

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
static void note_cpus(struct td_typing *t)
{
	td_autofree char *cpus = td_ints_format(&t->machine->online);

	if (t->machine->no_sysfs.code && t->target->system_wide && !t->target->has_cpus)
		td_notes_add(t->notes, "%s: counting on CPUs %s, which this program may run on",
			     t->machine->no_sysfs.msg, cpus);
}

/* Note sampling periods, which have no effect on counting. */
static void note_periods(struct td_typing *t)
{
	for (size_t i = 0; i < t->plan->events.nr; i++) {
		const struct td_event *event = &t->plan->events.v[i];

		if (event->period && !t->request->does.samples)
			td_notes_add(t->notes, "%s: period= is for sampling: ignored",
				     t->text->specs[event->spec].text);
	}
}

/* Note requests that rows cannot show. */
static void note_rows(struct td_typing *t)
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
static void note_counters(struct td_typing *t)
{
	const struct td_machine *machine = t->machine;

	for (size_t i = 0; i < t->plan->events.nr; i++) {
		const struct td_event *event = &t->plan->events.v[i];
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
static int check_any(const struct td_typing *t, struct td_err *err)
{
	const struct td_plan *plan = t->plan;

	if (t->sampled && t->sampled->nr)
		return 0;
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (!plan->events.v[i].refusal)
			return 0;
	}
	if (plan->events.nr == 0)
		return 0;
	return td_err_set(err, -ENODEV, "no event is left to count");
}

int td_events_plan(struct td_typing *t, struct td_err *err)
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
