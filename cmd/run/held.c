// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/held.h"

#include <errno.h>

#include "lib/base/util.h"

static int all_held(const struct td_job *job, int pmu, struct td_err *err)
{
	td_err_set(err, -EBUSY, "%s: its counters are taken by somebody else",
		   job->machine.pmus[pmu].name);
	return td_err_hint(err, "end the other profiler, or the virtual "
				"machine, that holds them");
}

static bool has_groups(const struct td_plan *plan, int pmu)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu == pmu)
			return true;
	}
	return false;
}

static void note_held(struct td_job *job, int pmu, const struct td_ints *held)
{
	const char *name = job->machine.pmus[pmu].name;
	td_autofree char *text = td_ints_format(held);

	if (!text || !text[0])
		return;
	if (!job->tree && job->machine.nmi_watchdog)
		td_notes_add(&job->notes,
			     "%s: its counters on CPU(s) %s are taken, one of "
			     "them by the NMI watchdog (sysctl "
			     "kernel.nmi_watchdog): not counted there",
			     name, text);
	else
		td_notes_add(&job->notes,
			     "%s: somebody else has the counters of CPU(s) "
			     "%s: not counted there",
			     name, text);
}

/* The CPUs on which somebody else holds the counters. */
struct held {
	bool some, all;
	int pmu; /* the first PMU with such a CPU */
};

static int check_pmu_held(struct td_job *job, const struct td_readings *delta,
			  int pmu, bool last, struct held *found)
{
	struct td_ints held, cpus;
	int rc = td_readings_held_cpus(delta, &job->plan, pmu, &held);

	if (!rc)
		rc = td_plan_cpus(&job->machine.pmus[pmu], &job->target, &cpus);
	if (rc)
		return rc;
	if (held.nr && !found->some)
		found->pmu = pmu;
	found->some = found->some || held.nr;
	found->all = found->all && held.nr == cpus.nr;
	if (last)
		note_held(job, pmu, &held);
	td_ints_free(&cpus);
	td_ints_free(&held);
	return 0;
}

int td_find_held(struct td_job *job, const struct td_readings *delta, bool last,
		 struct td_err *err)
{
	struct held found = { .all = true };

	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		if (has_groups(&job->plan, pmu) &&
		    check_pmu_held(job, delta, pmu, last, &found))
			return td_err_nomem(err);
	}
	if (last && found.some && found.all && job->tree)
		return all_held(job, found.pmu, err);
	return found.some;
}
