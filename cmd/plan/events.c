// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/catalog.h"
#include "lib/base/util.h"
#include "lib/event/resolve.h"

/* What perf stat counts without -e, and with -d, -dd, -ddd. */
static const struct {
	int detail; /* from so many -d on */
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

static int add_detail(struct td_run *run, struct td_err *err)
{
	struct td_event_text *text = &run->text;
	int rc = td_event_text_parse(
		text, run->target.system_wide ? "cpu-clock" : "task-clock",
		err);

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(defaults); i++) {
		if (defaults[i].detail <= run->opts->detail)
			rc = td_event_text_parse(text, defaults[i].list, err);
	}
	return rc;
}

static int parse_all(struct td_run *run, struct td_err *err)
{
	const struct td_opts *opts = run->opts;
	int rc = 0;

	for (size_t i = 0; !rc && i < opts->nr_events; i++)
		rc = td_event_text_parse(&run->text, opts->events[i].list, err);
	if (!rc && opts->detail)
		rc = add_detail(run, err);
	return rc;
}

static int check_filter(const struct td_event *event, const char *filter,
			struct td_err *err)
{
	td_autofree char *system = strdup(event->tracepoint);
	char *name = system;

	if (!system)
		return td_err_nomem(err);
	strsep(&name, ":");
	return td_tracepoint_check_filter(system, name, filter, err);
}

/* --filter, for the tracepoints of the -e before it: all of them must be. */
static int add_filter(struct td_run *run, const struct td_event_arg *arg,
		      struct td_err *err)
{
	for (size_t i = 0; i < run->plan.nr_events; i++) {
		struct td_event *event = &run->plan.events[i];
		const struct td_spec *spec = &run->text.specs[event->spec];
		int rc;

		if (spec->span.text != arg->list)
			continue;
		if (spec->kind != TD_SPEC_TRACEPOINT)
			return td_span_error(err, &spec->span,
					     "--filter: this is not a "
					     "tracepoint");
		rc = check_filter(event, arg->filter, err);
		if (!rc && td_event_set_filter(event, arg->filter))
			rc = td_err_nomem(err);
		if (rc)
			return rc;
	}
	return 0;
}

static int refuse(struct td_run *run, struct td_event *event, const char *why,
		  struct td_err *err)
{
	return td_event_refuse(event, why, &run->notes) ? td_err_nomem(err) : 0;
}

/* None of -C's CPUs has the event's PMU. */
static int check_cpus(struct td_run *run, struct td_event *event,
		      struct td_err *err)
{
	const struct td_pmu *pmu = &run->machine.pmus[event->pmu];
	struct td_ints cpus;
	char why[128];
	bool none;

	if (!run->target.has_cpus || event->tool)
		return 0;
	if (td_plan_cpus(pmu, &run->target, &cpus))
		return td_err_nomem(err);
	none = cpus.nr == 0;
	td_ints_free(&cpus);
	snprintf(why, sizeof(why), "none of the CPUs of -C is of %s",
		 pmu->name);
	return none ? refuse(run, event, why, err) : 0;
}

/*
 * What can be known before anything is opened.  Retire latencies come from
 * sampled records, which nobody collects here.
 */
static int refuse_impossible(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < run->plan.nr_events; i++) {
		struct td_event *event = &run->plan.events[i];

		if (event->refusal)
			continue;
		if (event->mods.retire_latency)
			rc = refuse(run, event,
				    "modifier R: a latency needs samples, and "
				    "tdstat only counts",
				    err);
		else
			rc = check_cpus(run, event, err);
	}
	return rc;
}

/*
 * Units outside of the cores count whole CPUs: a command with such events
 * alone is measured as the machine is while it runs, as perf stat does.
 */
static void widen_target(struct td_run *run)
{
	struct td_target *target = &run->target;
	bool units = false;

	for (size_t i = 0; i < run->plan.nr_events; i++) {
		const struct td_event *event = &run->plan.events[i];

		if (run->machine.pmus[event->pmu].kind == TD_PMU_OTHER)
			units = true;
		else if (!event->tool && !event->refusal)
			return;
	}
	if (!units || target->system_wide || td_opts_attaches(run->opts))
		return;
	target->system_wide = true;
	target->enable_on_exec = target->inherit = false;
	td_notes_add(&run->notes, "these events are counted on the whole "
				  "machine, not in the command alone");
}

/* The kernel's list is not there: these may not be all. */
static void note_cpus(struct td_run *run)
{
	td_autofree char *cpus = td_ints_format(&run->machine.online);

	if (cpus && run->machine.no_sysfs.code && run->target.system_wide &&
	    !run->target.has_cpus)
		td_notes_add(&run->notes,
			     "%s: counting on CPUs %s, which this "
			     "program may run on",
			     run->machine.no_sysfs.msg, cpus);
}

/* What a row cannot show as it was asked. */
static void note_rows(struct td_run *run)
{
	bool of_command = run->opts->command && !run->target.system_wide;

	for (size_t i = 0; i < run->plan.nr_events; i++) {
		if (run->plan.events[i].percore &&
		    td_opts_aggregation(run->opts) == TD_AGGREGATE_CPU)
			td_notes_add(&run->notes, "percore: -A shows a row a "
						  "CPU, not a core");
		if (run->plan.events[i].tool > TD_TOOL_DURATION_TIME &&
		    of_command && run->opts->interval_ms)
			td_notes_add(&run->notes,
				     "%s of a command is known at its end, not "
				     "in intervals",
				     run->plan.events[i].name);
	}
}

/* --null apart, something must be left to measure. */
static int check_any(const struct td_plan *plan, struct td_err *err)
{
	for (size_t i = 0; i < plan->nr_events; i++) {
		if (!plan->events[i].refusal)
			return 0;
	}
	if (plan->nr_events == 0)
		return 0;
	return td_err_set(err, -ENODEV, "no event is left to count");
}

/*
 * perf stat's defaults (-d) are not what somebody typed: that the machine has not
 * all of them, the table says, and -v why.
 */
static void forget_notes_of_defaults(struct td_run *run, size_t before)
{
	if (run->opts->nr_events || run->opts->verbose)
		return;
	td_notes_truncate(&run->notes, before);
}

int td_events_plan(struct td_run *run, struct td_err *err)
{
	struct td_catalog catalog;
	size_t before = run->notes.nr;
	int rc = td_machine_add_builtin(&run->machine, err);

	td_catalog_init(&catalog, &run->fs, &run->machine,
			run->opts->metrics_dir);
	if (!rc)
		rc = parse_all(run, err);
	if (!rc)
		rc = td_catalog_resolve(&catalog, &run->plan, &run->text,
					&run->notes, err);
	for (size_t i = 0; !rc && i < run->opts->nr_events; i++) {
		if (run->opts->events[i].filter)
			rc = add_filter(run, &run->opts->events[i], err);
	}
	if (!rc)
		rc = refuse_impossible(run, err);
	if (!rc)
		rc = check_any(&run->plan, err);
	td_catalog_free(&catalog);
	if (rc)
		return rc;
	forget_notes_of_defaults(run, before);
	widen_target(run);
	note_cpus(run);
	note_rows(run);
	run->plan.gathers = run->target.system_wide && !run->opts->control &&
			    !run->opts->cgroups && !run->opts->each_cgroup;
	return td_plan_arrange(&run->plan, &run->machine, &run->notes, err);
}
