// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that go and come while they are sampled, by hotplug or a suspend to RAM. */
#include <errno.h>
#include <string.h>

#include "cmd/sample/parts.h"
#include "lib/base/util.h"

#define LOOK_NS (TD_NS_A_SECOND / 2)

static void say(const struct td_gathering *g, const struct td_ints *cpus,
		const char *what, double seconds)
{
	td_autofree char *text = td_ints_format(cpus);

	if (text && text[0])
		td_job_say(g->job, "tdstat: CPU(s) %s %s%.1f seconds on\n",
			   text, what, seconds);
}

/* Says once that CPUs have gone. */
static int say_gone(struct td_gathering *g, const struct td_ints *gone)
{
	td_autofree char *text = NULL;
	struct td_ints fresh;

	if (td_ints_copy(&fresh, gone) || td_ints_remove(&fresh, &g->gone) ||
	    td_ints_add_all(&g->gone, gone))
		return -ENOMEM;
	text = td_ints_format(&fresh);
	if (text && text[0])
		td_job_say(g->job,
			   "tdstat: CPU(s) %s went offline: not sampled until "
			   "they are back\n",
			   text);
	td_ints_free(&fresh);
	return text ? 0 : -ENOMEM;
}

/* What cannot be opened is tried again; -ENODEV: it has gone again. */
static int sample_on(struct td_gathering *g, const struct td_ints *cpus,
		     const char *what, double seconds)
{
	struct td_err err = { 0 };
	int rc = td_sampler_add_cpus(g->sampler, cpus, &err);

	if (rc && rc != -ENODEV)
		td_notes_add(&g->job->notes,
			     "CPUs came online, and are not sampled: %s",
			     err.msg);
	if (!rc)
		say(g, cpus, what, seconds);
	if (!rc)
		rc = td_ints_remove(&g->gone, cpus);
	return rc == -ENOMEM ? rc : 0;
}

static int take_back(struct td_gathering *g, const struct td_ints *online,
		     double seconds)
{
	struct td_ints dead = { 0 }, back = { 0 };
	int rc = td_sampler_list_dead(g->sampler, &dead);

	if (!rc)
		rc = td_ints_and(&back, &dead, online);
	if (!rc)
		rc = td_ints_remove(&dead, online);
	if (!rc)
		rc = say_gone(g, &dead);
	if (!rc && back.nr)
		rc = sample_on(g, &back,
			       "were offline and are back: sampled again from ",
			       seconds);
	td_ints_free(&dead);
	td_ints_free(&back);
	return rc;
}

/* A hybrid's PMU that had no CPU at the start is not part of the plan. */
static int take_new(struct td_gathering *g, const struct td_ints *online,
		    double seconds)
{
	struct td_job *job = g->job;
	struct td_ints fresh, added = { 0 };
	struct td_err unused = { 0 };
	int rc;

	if (job->target.has_cpus)
		return 0;
	if (td_ints_copy(&fresh, online) ||
	    td_ints_remove(&fresh, &job->machine.online)) {
		rc = -ENOMEM;
	} else {
		rc = fresh.nr ? td_job_add_cpus(job, &fresh, &added, &unused)
			      : 0;
	}
	if (!rc && added.nr)
		rc = sample_on(g, &added, "came online: sampled from ",
			       seconds);
	td_ints_free(&fresh);
	td_ints_free(&added);
	return rc == -ENOMEM ? rc : 0;
}

int td_sampling_follow(struct td_gathering *g)
{
	uint64_t now_ns = td_now_ns();
	double seconds = (double)(now_ns - g->start_ns) / TD_NS_A_SECOND;
	struct td_ints online;
	struct td_err unused = { 0 };
	int rc;

	if (!g->job->target.system_wide || now_ns - g->looked_ns < LOOK_NS)
		return 0;
	g->looked_ns = now_ns;
	/* without sysfs nobody knows */
	if (td_online_read(&g->job->fs, &online, &unused))
		return 0;
	rc = take_back(g, &online, seconds);
	if (!rc)
		rc = take_new(g, &online, seconds);
	td_ints_free(&online);
	return rc;
}
