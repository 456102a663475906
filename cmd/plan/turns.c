// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/turns.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/plan/fit.h"
#include "lib/plan/sets.h"

/* The groups of a PMU that take turns. */
struct turns {
	size_t nr, nr_always;
	double least, most; /* parts of the time */
};

static struct turns find_turns(const struct td_plan *plan, int pmu,
			       const double *shares)
{
	struct turns turns = { .least = 1 };

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu != pmu)
			continue;
		if (shares[g] >= 1) {
			turns.nr_always++;
			continue;
		}
		turns.nr++;
		turns.least = shares[g] < turns.least ? shares[g] : turns.least;
		turns.most = shares[g] > turns.most ? shares[g] : turns.most;
	}
	return turns;
}

/* "20 %", "8 to 17 %" */
static void put_shares(FILE *fp, const struct turns *turns)
{
	if (turns->most - turns->least < 0.005)
		fprintf(fp, "%.3g %%", 100 * turns->least);
	else
		fprintf(fp, "%.3g to %.3g %%", 100 * turns->least,
			100 * turns->most);
}

/* Does hyper-threading leave an event of the PMU half of the counters? */
static bool is_halved(const struct td_plan *plan,
		      const struct td_machine *machine, int pmu)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->pmu == pmu && !event->refusal &&
		    td_claim_of(machine, event).most)
			return true;
	}
	return false;
}

/* "its 8 general counters do not hold them at once, ..." */
static void put_reason(FILE *fp, const struct td_plan *plan,
		       const struct td_machine *machine, int pmu)
{
	int nr = td_uarch_general(machine->pmus[pmu].uarch);

	fprintf(fp, ", because its %d general counters do not hold all of them",
		nr);
	if (machine->nmi_watchdog)
		fputs("; the NMI watchdog holds one more counter "
		      "(kernel.nmi_watchdog=0 frees it)",
		      fp);
	if (is_halved(plan, machine, pmu))
		fprintf(fp,
			"; with hyper-threading on, a group with some events "
			"has only %d",
			nr / 2);
}

/* "5 groups, each counted 20 % of the time" */
static void put_groups(FILE *fp, const struct td_plan *plan,
		       const struct turns *turns)
{
	size_t nr = turns->nr + turns->nr_always;

	fprintf(fp, "%zu group%s, ", nr, nr == 1 ? "" : "s");
	if (!turns->nr) {
		fputs("counted all of the time: nothing takes turns", fp);
		return;
	}
	if (plan->nr_sets > 1) {
		fprintf(fp,
			"counted all of the time in %u runs: nothing takes "
			"turns",
			plan->nr_sets);
		return;
	}
	if (turns->nr_always)
		fprintf(fp, "%zu counted all of the time, the others ",
			turns->nr_always);
	else
		fputs("each counted ", fp);
	put_shares(fp, turns);
	fputs(" of the time", fp);
}

/* "cpu_core: 5 groups, each counted 20 % of the time, because its ..." */
static void put_pmu(const struct td_plan *plan,
		    const struct td_machine *machine, int pmu,
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

bool td_put_turns_of(FILE *fp, const struct td_machine *machine,
		     const struct td_plan *plan, int pmu, bool why)
{
	td_autofree double *shares =
		calloc(plan->nr_groups + 1, sizeof(*shares));
	struct turns turns;

	if (!shares)
		return false;
	td_plan_shares(plan, machine, shares);
	turns = find_turns(plan, pmu, shares);
	put_groups(fp, plan, &turns);
	if (turns.nr && why)
		put_reason(fp, plan, machine, pmu);
	return turns.nr;
}

static void put_plan(const struct td_machine *machine,
		     const struct td_plan *plan, double *shares)
{
	td_plan_shares(plan, machine, shares);
	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++)
		put_pmu(plan, machine, pmu, shares);
}

/* -l auto: the groups that count at first, then how many may follow. */
static int put_awake(const struct td_machine *machine,
		     const struct td_plan *plan, double *shares)
{
	td_autofree struct td_group *groups =
		calloc(plan->nr_groups + 1, sizeof(*groups));
	struct td_plan awake = *plan;

	if (!groups)
		return -ENOMEM;
	awake.groups = groups;
	awake.nr_groups = 0;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (!plan->groups[g].family)
			groups[awake.nr_groups++] = plan->groups[g];
	}
	put_plan(machine, &awake, shares);
	if (awake.nr_groups < plan->nr_groups)
		printf("%zu more groups rest until a node above them is over "
		       "its threshold\n",
		       plan->nr_groups - awake.nr_groups);
	return 0;
}

int td_put_turns(const struct td_machine *machine, const struct td_plan *plan)
{
	td_autofree double *shares =
		calloc(plan->nr_groups + 1, sizeof(*shares));
	unsigned int nr;

	if (!shares)
		return -ENOMEM;
	if (td_plan_has_families(plan))
		return put_awake(machine, plan, shares);
	put_plan(machine, plan, shares);
	nr = td_plan_count_sets(plan, machine);
	if (nr > 1 && plan->nr_sets < 2)
		printf("--no-multiplex runs a command %u times, and nothing "
		       "takes turns\n",
		       nr);
	return nr ? 0 : -ENOMEM;
}
