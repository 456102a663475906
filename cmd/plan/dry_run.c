// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/dry_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/out/out.h"
#include "cmd/plan/attr.h"
#include "cmd/plan/turns.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/counter/probe.h"
#include "lib/plan/sets.h"

static void put_line(FILE *fp, const char *words, const char *name)
{
	fputs(words, fp);
	td_put_printable(fp, name);
	fputc('\n', fp);
}

/* Cores of which there is no evidence. */
static void put_unchecked(FILE *fp, const struct td_machine *machine)
{
	bool any = false;

	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (td_uarch_has(pmu->uarch, TD_CORE_CHECKED))
			continue;
		fprintf(fp, "%s%s",
			any ? ", " : "; not yet checked on this core: ",
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
		machine->nmi_watchdog ? "on" : "off");
	if (held)
		fprintf(fp, "; others hold %s", held);
	put_unchecked(fp, machine);
	fputc('\n', fp);
}

/* Prints where a group counts: "CPUs 0-3", "threads 123" or "the command". */
static int put_where(FILE *fp, const struct td_pmu *pmu,
		     const struct td_target *target)
{
	td_autofree char *text = NULL;
	struct td_ints cpus;

	if (!target->system_wide && !target->tids.nr) {
		fputs("the command", fp);
		return 0;
	}
	if (!target->system_wide) {
		text = td_ints_format(&target->tids);
	} else if (td_plan_cpus(pmu, target, &cpus) == 0) {
		text = td_ints_format(&cpus);
		td_ints_free(&cpus);
	}
	fprintf(fp, "%s %s", target->system_wide ? "CPUs" : "threads",
		text ? text : "?");
	return text ? 0 : -ENOMEM;
}

/* --no-multiplex: ": run 2 of 5", or "runs 1, 3, 5 of 5" of a PMU with two. */
static void put_set(FILE *fp, const struct td_plan *plan,
		    const struct td_group *group)
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

static int put_group(FILE *fp, size_t index, const struct td_machine *machine,
		     const struct td_tree *tree, const struct td_plan *plan,
		     const struct td_target *target)
{
	const struct td_group *group = &plan->groups[index];
	const struct td_pmu *pmu = &machine->pmus[group->pmu];
	const struct td_metric_set *set = tree && pmu->kind == TD_PMU_CORE
						  ? tree->sets[group->pmu]
						  : NULL;
	int rc;

	fprintf(fp, "group %zu: ", index);
	td_put_printable(fp, pmu->name);
	fprintf(fp, ", %zu event%s, ", group->nr,
		group->nr == 1 && !tree ? "" : "s");
	rc = put_where(fp, pmu, target);
	if (pmu->kind == TD_PMU_CORE)
		fprintf(fp, " (%s%s%s)", td_uarch_name(pmu->uarch),
			tree ? ": " : "",
			!tree ? ""
			: set ? set->name
			      : "no tree");
	if (group->family)
		fputs(": rests at first", fp);
	put_set(fp, plan, group);
	fputc('\n', fp);
	return rc;
}

struct flags {
	FILE *fp;
	bool any;
};

static void put_flag(void *ctx, const char *name, unsigned int value)
{
	struct flags *flags = ctx;

	(void)value;
	/* put_attr() shows it behind the flags */
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

/* Prints a config word that is rarely used, unless it is 0. */
static void put_word(FILE *fp, const char *name, uint64_t value)
{
	if (value)
		fprintf(fp, "  %s 0x%" PRIx64, name, value);
}

static void put_attr(FILE *fp, const char *name,
		     const struct perf_event_attr *attr)
{
	fputs("  ", fp);
	td_put_padded(fp, -40, name);
	fprintf(fp, " type %u  config 0x%" PRIx64 "  config1 0x%" PRIx64,
		attr->type, (uint64_t)attr->config, (uint64_t)attr->config1);
	put_word(fp, "config2", attr->config2);
	put_word(fp, "config3", attr->config3);
	fprintf(fp, "  read_format 0x%" PRIx64, (uint64_t)attr->read_format);
	put_flags(fp, attr);
	if (attr->precise_ip)
		fprintf(fp, "  precise_ip %u", attr->precise_ip);
	if (attr->bp_type)
		fprintf(fp, "  bp_type %u", attr->bp_type);
	fputc('\n', fp);
}

/*
 * Prints events in no group: those that tdstat measures itself, and those that
 * cannot be counted.
 */
static void put_rest(FILE *fp, const struct td_tree *tree,
		     const struct td_plan *plan)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		/* metrics tell their reason themselves */
		if (event->refusal && !tree)
			put_line(fp, "not counted: ", event->refusal);
		else if (event->tool)
			put_line(fp, "without the kernel: ", event->name);
	}
}

static void put_name(FILE *fp, const char *name,
		     const struct perf_event_attr *attr)
{
	(void)attr;
	put_line(fp, "  ", name);
}

/* Prints the machine and the groups, each event by put.  0 or -ENOMEM. */
static int put_plan(FILE *fp, const struct td_machine *machine,
		    const struct td_tree *tree, const struct td_plan *plan,
		    const struct td_target *target,
		    void (*put)(FILE *fp, const char *name,
				const struct perf_event_attr *attr))
{
	int rc = 0;

	put_machine(fp, machine);
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (put_group(fp, g, machine, tree, plan, target))
			rc = -ENOMEM;
		for (size_t i = 0; i < group->nr; i++) {
			struct perf_event_attr attr =
				td_plan_attr(plan, group, i, target);

			put(fp, plan->events.v[group->members[i]].name, &attr);
		}
	}
	put_rest(fp, tree, plan);
	return rc;
}

static void put_sampled(const struct td_plan *sampled)
{
	for (size_t g = 0; g < sampled->nr_groups; g++) {
		const struct td_group *group = &sampled->groups[g];

		for (size_t i = 0; i < group->nr; i++)
			put_line(stdout, "sampled for its latency: ",
				 sampled->events.v[group->members[i]].name);
	}
}

int td_dry_run(struct td_job *job, struct td_err *err)
{
	int rc;

	td_job_say_notes(job);
	rc = put_plan(stdout, &job->machine, job->tree, &job->plan,
		      &job->target, put_attr);
	put_sampled(&job->sampled);
	if (td_put_turns(&job->machine, &job->plan) || rc)
		return td_err_nomem(err);
	return td_out_check(stdout, "standard output", err);
}

void td_describe(const struct td_machine *machine, const struct td_tree *tree,
		 const struct td_plan *plan, const struct td_target *target)
{
	put_plan(stderr, machine, tree, plan, target, put_name);
}

void td_describe_shares(const struct td_machine *machine,
			const struct td_plan *plan,
			const struct td_readings *readings)
{
	fprintf(stderr, "%zu group%s:\n", plan->nr_groups,
		plan->nr_groups == 1 ? "" : "s");
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
