// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/turns.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/plan/fit.h"
#include "lib/plan/sets.h"

/* The multiplexed groups of a PMU. */
struct turns {
	size_t nr, nr_always;
	double min, max; /* shares of the time */
};

static struct turns find_turns(const struct td_plan *plan, int pmu, const double *shares)
{
	struct turns turns = { .min = 1 };

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu != pmu)
			continue;
		if (shares[g] >= 1) {
			turns.nr_always++;
			continue;
		}
		turns.nr++;
		turns.min = shares[g] < turns.min ? shares[g] : turns.min;
		turns.max = shares[g] > turns.max ? shares[g] : turns.max;
	}
	return turns;
}

/* Print "20 %" or "8 to 17 %". */
static void put_shares(FILE *fp, const struct turns *turns)
{
	if (turns->max - turns->min < 0.005)
		fprintf(fp, "%.3g %%", 100 * turns->min);
	else
		fprintf(fp, "%.3g to %.3g %%", 100 * turns->min, 100 * turns->max);
}

/* Does hyper-threading halve the counters that an event of the PMU can use? */
static bool is_halved(const struct td_plan *plan, const struct td_machine *machine, int pmu)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];
		int max = td_claim_of(machine, event).most;

		if (event->pmu == pmu && !event->refusal && machine->smt && max &&
		    max < td_uarch_general(machine->pmus[pmu].uarch) -
				    machine->pmus[pmu].held_general)
			return true;
	}
	return false;
}

/* Print ", because its 8 general counters do not hold all of them", and why there are so few. */
static void put_reason(FILE *fp, const struct td_plan *plan, const struct td_machine *machine,
		       int pmu)
{
	int nr = td_uarch_general(machine->pmus[pmu].uarch);

	fprintf(fp, ", because its %d general counters", nr);
	if (machine->pmus[pmu].held_general)
		fprintf(fp, ", of which %d are already in use,", machine->pmus[pmu].held_general);
	fputs(" do not hold all of them", fp);
	if (machine->nmi_watchdog)
		fputs("; the NMI watchdog holds one more counter (kernel.nmi_watchdog=0 frees it)",
		      fp);
	if (is_halved(plan, machine, pmu))
		fprintf(fp, "; with hyper-threading on, a group with some events has only %d",
			nr / 2);
}

/* Print "5 groups, each counted 20 % of the time". */
static void put_groups(FILE *fp, const struct td_plan *plan, const struct turns *turns)
{
	size_t nr = turns->nr + turns->nr_always;

	fprintf(fp, "%zu group%s, ", nr, nr == 1 ? "" : "s");
	if (!turns->nr) {
		fputs("counted all of the time: not multiplexed", fp);
		return;
	}
	if (plan->nr_sets > 1) {
		fprintf(fp, "counted all of the time in %u runs: not multiplexed", plan->nr_sets);
		return;
	}
	if (turns->nr_always)
		fprintf(fp, "%zu counted all of the time, the others ", turns->nr_always);
	else
		fputs("each counted ", fp);
	put_shares(fp, turns);
	fputs(" of the time", fp);
}

/* Print "cpu_core: 5 groups, each counted 20 % of the time, because its ...". */
static void put_pmu(const struct td_plan *plan, const struct td_machine *machine, int pmu,
		    const double *shares)
{
	struct turns turns = find_turns(plan, pmu, shares);

	if (!turns.nr && !turns.nr_always)
		return;
	td_put_printable(stdout, machine->pmus[pmu].name);
	fputs(": ", stdout);
	put_groups(stdout, plan, &turns);
	if (turns.nr && plan->nr_sets < 2)
		put_reason(stdout, plan, machine, pmu);
	fputc('\n', stdout);
}

bool td_put_turns_of(FILE *fp, const struct td_machine *machine, const struct td_plan *plan,
		     int pmu, bool why)
{
	td_autofree double *shares = td_calloc(plan->nr_groups + 1, sizeof(*shares));
	struct turns turns;

	td_plan_shares(plan, machine, shares);
	turns = find_turns(plan, pmu, shares);
	put_groups(fp, plan, &turns);
	if (turns.nr && why)
		put_reason(fp, plan, machine, pmu);
	return turns.nr;
}

static void put_plan(const struct td_machine *machine, const struct td_plan *plan, double *shares)
{
	td_plan_shares(plan, machine, shares);
	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++)
		put_pmu(plan, machine, pmu, shares);
}

/* -l auto: print the groups that are enabled at first, and the number of all others. */
static void put_enabled(const struct td_machine *machine, const struct td_plan *plan,
			double *shares)
{
	td_autofree struct td_group *groups = td_calloc(plan->nr_groups + 1, sizeof(*groups));
	struct td_plan enabled = *plan;

	enabled.groups = groups;
	enabled.nr_groups = 0;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (!plan->groups[g].family)
			groups[enabled.nr_groups++] = plan->groups[g];
	}
	put_plan(machine, &enabled, shares);
	if (enabled.nr_groups < plan->nr_groups)
		printf("%zu more groups are disabled until their parent is above its threshold\n",
		       plan->nr_groups - enabled.nr_groups);
}

void td_put_turns(const struct td_machine *machine, const struct td_plan *plan)
{
	td_autofree double *shares = td_calloc(plan->nr_groups + 1, sizeof(*shares));
	unsigned int nr;

	if (td_plan_has_families(plan)) {
		put_enabled(machine, plan, shares);
		return;
	}
	put_plan(machine, plan, shares);
	nr = td_plan_count_sets(plan, machine);
	if (nr > 1 && plan->nr_sets < 2)
		printf("--no-multiplex runs a command %u times without multiplexing\n", nr);
}
