// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/dry_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/opts/rerun.h"
#include "cmd/output/out.h"
#include "cmd/plan/attr.h"
#include "cmd/plan/turns.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/counter/probe.h"
#include "lib/plan/sets.h"

static void put_line(FILE *fp, const char *label, const char *name)
{
	fputs(label, fp);
	td_put_printable(fp, name);
	fputc('\n', fp);
}

/* Print the cores without evidence from real hardware. */
static void put_unchecked(FILE *fp, const struct td_machine *machine)
{
	bool any = false;

	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (td_uarch_has(pmu->uarch, TD_CORE_CHECKED))
			continue;
		fprintf(fp, "%s%s", any ? ", " : "; not yet validated on real hardware: ",
			td_uarch_name(pmu->uarch));
		any = true;
	}
}

static void put_machine(FILE *fp, const struct td_machine *machine)
{
	td_autofree char *held = NULL;
	char cpuid[48];

	td_held_text(machine, &held);
	td_cpuid_format(&machine->cpuid, cpuid);
	fputs("machine ", fp);
	td_put_printable(fp, cpuid);
	fprintf(fp, ": %s, hyper-threading %s, NMI watchdog %s",
		machine->model ? machine->model->name : "not in the table",
		machine->smt ? "on" : "off",
		machine->nmi_watchdog    ? "on"
		: machine->idle_watchdog ? "on (counter of cycles free)"
					 : "off");
	if (held)
		fprintf(fp, "; already in use: %s", held);
	put_unchecked(fp, machine);
	fputc('\n', fp);
}

/* Print where a group counts: "CPUs 0-3", "threads 123" or "the command"; or why not. */
static void put_where(FILE *fp, const struct td_pmu *pmu, const struct td_target *target)
{
	td_autofree char *text = NULL, *why = NULL;
	struct td_ints cpus;

	if (!target->system_wide && !target->tids.nr) {
		fputs("the command", fp);
		return;
	}
	why = td_plan_lacks_cpus(pmu, target);
	if (why) {
		fprintf(fp, "not counted: %s", why);
		return;
	}
	if (!target->system_wide) {
		text = td_ints_format(&target->tids);
	} else {
		td_plan_cpus(pmu, target, &cpus);
		text = td_ints_format(&cpus);
		td_ints_free(&cpus);
	}
	fprintf(fp, "%s %s", target->system_wide ? "CPUs" : "threads", text);
}

/* --no-multiplex: print ": run 2 of 5"; for a PMU with two sets, "runs 1, 3, 5 of 5". */
static void put_set(FILE *fp, const struct td_plan *plan, const struct td_group *group)
{
	unsigned int nr = 0;

	if (plan->nr_sets < 2)
		return;
	if (!group->set) {
		fputs(": every run", fp);
		return;
	}
	for (unsigned int run = 0; run < plan->nr_sets; run++)
		nr += td_plan_run_counts(plan, group, run);
	fputs(nr == 1 ? ": run" : ": runs", fp);
	for (unsigned int run = 0, put = 0; run < plan->nr_sets; run++) {
		if (td_plan_run_counts(plan, group, run))
			fprintf(fp, "%s %u", put++ ? "," : "", run + 1);
	}
	fprintf(fp, " of %u", plan->nr_sets);
}

static void put_group(FILE *fp, size_t index, const struct td_machine *machine,
		      const struct td_tree *tree, const struct td_plan *plan,
		      const struct td_target *target)
{
	const struct td_group *group = &plan->groups[index];
	const struct td_pmu *pmu = &machine->pmus[group->pmu];
	const struct td_metric_set *set =
		tree && pmu->kind == TD_PMU_CORE ? tree->sets[group->pmu] : NULL;

	fprintf(fp, "group %zu: ", index);
	td_put_printable(fp, pmu->name);
	fprintf(fp, ", %zu event%s, ", group->nr, group->nr == 1 ? "" : "s");
	put_where(fp, pmu, target);
	if (pmu->kind == TD_PMU_CORE)
		fprintf(fp, " (%s%s%s)", td_uarch_name(pmu->uarch), tree ? ": " : "",
			!tree ? ""
			: set ? set->name
			      : "no tree");
	if (group->family)
		fputs(": disabled at first", fp);
	put_set(fp, plan, group);
	fputc('\n', fp);
}

struct flags {
	FILE *fp;
	bool any;
};

static void put_flag(void *ctx, const char *name, unsigned int value)
{
	struct flags *flags = ctx;

	(void)value;
	/* put_attr() prints it after the flags */
	if (strcmp(name, "precise_ip") == 0)
		return;
	fprintf(flags->fp, "%s%s", flags->any ? "," : "", name);
	flags->any = true;
}

static void put_flags(FILE *fp, const struct perf_event_attr *attr)
{
	struct flags flags = { fp, false };

	fputs("  flags ", fp);
	td_attr_each_flag(attr, put_flag, &flags);
	fputs(flags.any ? "" : "none", fp);
}

/* Print the config words, of those after the first nr only the ones that are not 0. */
static void put_config(FILE *fp, const char *before, const char *between,
		       const uint64_t config[TD_NR_CONFIGS], int nr)
{
	static const char *const words[TD_NR_CONFIGS] = { "config", "config1", "config2",
							  "config3" };

	for (int i = 0; i < TD_NR_CONFIGS; i++) {
		if (i < nr || config[i])
			fprintf(fp, "%s%s%s0x%" PRIx64, before, words[i], between, config[i]);
	}
}

static void put_attr(FILE *fp, const char *name, const struct perf_event_attr *attr)
{
	const uint64_t config[TD_NR_CONFIGS] = { attr->config, attr->config1, attr->config2,
						 attr->config3 };

	fputs("  ", fp);
	td_put_padded(fp, -40, name);
	fprintf(fp, " type %u", attr->type);
	put_config(fp, "  ", " ", config, 2);
	fprintf(fp, "  read_format 0x%" PRIx64, (uint64_t)attr->read_format);
	put_flags(fp, attr);
	if (attr->precise_ip)
		fprintf(fp, "  precise_ip %u", attr->precise_ip);
	if (attr->bp_type)
		fprintf(fp, "  bp_type %u", attr->bp_type);
	fputc('\n', fp);
}

/* Print events without a group: refused events, and those that tdstat measures itself. */
static void put_others(FILE *fp, const struct td_tree *tree, const struct td_plan *plan)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->refusal && !tree)
			put_line(fp, "not counted: ", event->refusal);
		else if (event->tool)
			put_line(fp, "without the kernel: ", event->name);
	}
}

static void put_name(FILE *fp, const char *name, const struct perf_event_attr *attr)
{
	(void)attr;
	put_line(fp, "  ", name);
}

/* Print the machine and the groups, and with put each event. */
static void put_plan(FILE *fp, const struct td_machine *machine, const struct td_tree *tree,
		     const struct td_plan *plan, const struct td_target *target,
		     void (*put)(FILE *fp, const char *name, const struct perf_event_attr *attr))
{
	put_machine(fp, machine);
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		put_group(fp, g, machine, tree, plan, target);
		for (size_t i = 0; i < group->nr; i++) {
			struct perf_event_attr attr = td_plan_attr(plan, group, i, target);

			put(fp, plan->events.v[group->members[i]].name, &attr);
		}
	}
	put_others(fp, tree, plan);
}

int td_dry_run(struct td_job *job, struct td_err *err)
{
	td_job_say_notes(job);
	put_plan(stdout, &job->machine, job->tree, &job->plan, &job->target, put_attr);
	for (size_t i = 0; i < job->sampled.nr_groups; i++) {
		const struct td_group *group = &job->sampled.groups[i];

		for (size_t m = 0; m < group->nr; m++)
			put_line(stdout, "sampled for its latency: ",
				 job->sampled.events.v[group->members[m]].name);
	}
	td_put_turns(&job->machine, &job->plan);
	return td_out_check(stdout, "standard output", err);
}

/* Is it an event of a unit, such as UNC_M_CAS_COUNT.RD, whose name does not contain the PMU? */
static bool is_of_unit(const struct td_machine *machine, const struct td_event *event)
{
	return machine->pmus[event->pmu].kind == TD_PMU_OTHER && !strchr(event->name, '/');
}

/* Does a group of another unit of this kind precede, with which perf counts those of all units? */
static bool is_repeated(const struct td_machine *machine, const struct td_plan *plan, size_t group)
{
	const struct td_event *event = &plan->events.v[plan->groups[group].members[0]];
	const char *unit = machine->pmus[event->pmu].name;
	size_t len = td_pmu_stem_length(unit);

	for (size_t g = 0; g < group && is_of_unit(machine, event); g++) {
		const struct td_event *other = &plan->events.v[plan->groups[g].members[0]];
		const char *other_unit = machine->pmus[other->pmu].name;

		if (strcmp(other->name, event->name) == 0 &&
		    td_pmu_stem_length(other_unit) == len && strncmp(other_unit, unit, len) == 0)
			return true;
	}
	return false;
}

/*
 * Print an event for perf, which knows the fields of PERF_METRICS and events in sysfs by name.
 * Others are encoded, because it may not know the processor.  Events of cores are named
 * "ID:MODIFIERS[PMU:GROUP]", which perf prints and tdstat report reads.
 */
static void put_perf_event(FILE *fp, const struct td_machine *machine, const struct td_event *event,
			   size_t group)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];
	const char *begin = strchr(event->name, '/'), *end = strrchr(event->name, '/');
	char mods[TD_MODIFIERS_SIZE];

	td_modifiers_format(&event->mods, TD_RING_LETTERS, mods);
	if (is_of_unit(machine, event)) {
		fprintf(fp, "%.*s/name='%s'", (int)td_pmu_stem_length(pmu->name), pmu->name,
			event->name);
	} else if (pmu->kind == TD_PMU_CORE && begin != end && !td_event_is_metric(event)) {
		fprintf(fp, "%s/name='%.*s%s%s[%s:%zu]'", pmu->name, (int)(end - begin - 1),
			begin + 1, *mods ? ":" : "", mods, pmu->name, group);
	} else {
		fputs(event->name, fp);
		return;
	}
	put_config(fp, ",", "=", event->config, 1);
	fprintf(fp, "/%s", mods);
}

static void put_perf_group(FILE *fp, const struct td_machine *machine, const struct td_plan *plan,
			   size_t index)
{
	const struct td_group *group = &plan->groups[index];
	/* perf would not split a group of several units */
	bool alone = machine->pmus[group->pmu].kind == TD_PMU_OTHER && group->nr == 1;

	fprintf(fp, " \\\n  -e \"%s", alone ? "" : "{");
	for (size_t i = 0; i < group->nr; i++) {
		fputs(i ? "," : "", fp);
		put_perf_event(fp, machine, &plan->events.v[group->members[i]], index);
	}
	fprintf(fp, "%s%s\"", alone ? "" : "}", group->pinned ? ":D" : "");
}

/* Say which metrics report will not show, or only with a newer perf. */
static void say_gaps(const struct td_job *job)
{
	const struct td_events *events = &job->plan.events;
	size_t placed = 0;

	if (job->sampled.nr_groups)
		td_job_say(job,
			   "tdstat: --print-perf leaves out metrics that need samples of retire "
			   "latencies\n");
	while (placed < events->nr && events->v[placed].cpu_pmu == events->v[placed].pmu)
		placed++;
	if (placed < events->nr)
		td_job_say(job, "tdstat: %s needs a perf as new as that of Linux 7.2\n",
			   events->v[placed].name);
	for (size_t i = 0; job->tree && i < job->tree->nr_operands; i++) {
		if (strcasecmp(job->tree->operands[i].name, "#system_tsc_freq") == 0)
			td_job_say(job, "tdstat: report will show no metric with #SYSTEM_TSC_FREQ, "
					"which perf does not write\n");
	}
}

int td_print_perf(struct td_job *job, struct td_err *err)
{
	char cpuid[48];

	td_job_say_notes(job);
	say_gaps(job);
	fputs("perf stat -x ';' -o perf.csv", stdout);
	td_rerun_put_perf(stdout, job->request);
	for (size_t g = 0; g < job->plan.nr_groups; g++) {
		if (!is_repeated(&job->machine, &job->plan, g))
			put_perf_group(stdout, &job->machine, &job->plan, g);
	}
	/* with -I, rows contain times; with other aggregations, the time is not for all rows */
	if (!job->request->when.interval_ms && job->request->when.repeat == 1 &&
	    td_request_aggregation(job->request) == TD_AGGREGATE_ALL)
		fputs(" \\\n  -e duration_time", stdout);
	if (job->request->target.command) {
		fputs(" \\\n ", stdout);
		td_rerun_put_command(stdout, job->request);
	}
	td_cpuid_format(&job->machine.cpuid, cpuid);
	fprintf(stdout, "\n# tdstat report --model %s", cpuid);
	td_rerun_put_report(stdout, job->request);
	fputs(" perf.csv\n", stdout);
	return td_out_check(stdout, "standard output", err);
}

void td_describe(const struct td_machine *machine, const struct td_tree *tree,
		 const struct td_plan *plan, const struct td_target *target)
{
	put_plan(stderr, machine, tree, plan, target, put_name);
}

void td_describe_shares(const struct td_machine *machine, const struct td_plan *plan,
			const struct td_readings *readings)
{
	fprintf(stderr, "%zu group%s:\n", plan->nr_groups, plan->nr_groups == 1 ? "" : "s");
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		bool read = readings->nr && group->nr;
		const struct td_readings leader = {
			.v = read ? readings->v + group->members[0] : NULL,
			.nr = read ? 1 : 0,
		};
		double share = td_readings_share(&leader, group);

		fprintf(stderr, "group %zu: ", g);
		td_put_printable(stderr, machine->pmus[group->pmu].name);
		if (isnan(share))
			fputs(", was never enabled\n", stderr);
		else
			fprintf(stderr, ", %.1f %% of the time\n", share);
	}
}
