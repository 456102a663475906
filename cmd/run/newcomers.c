// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that were offline when counting began, and cgroups that were not there. */
#include <errno.h>
#include <string.h>

#include "cmd/run/parts.h"
#include "lib/base/util.h"

#define LOOK_NS (TD_NS_A_SECOND / 2)

static void say(struct td_job *job, const struct td_ints *cpus, uint64_t now_ns,
		int rc)
{
	td_autofree char *text = td_ints_format(cpus);

	if (text && !rc)
		td_job_say(job,
			   "tdstat: CPU(s) %s came online: counted from %.1f "
			   "seconds on\n",
			   text, (double)now_ns / TD_NS_A_SECOND);
	else if (text && rc != -ENODEV) /* gone again */
		td_notes_add(&job->notes,
			     "CPU(s) %s came online, and are not counted: %s",
			     text, strerror(-rc));
}

/* What cannot be opened is tried again at the next read. */
static int count_on(struct td_ints *known, struct td_job *job,
		    struct td_counter *counter, const struct td_ints *cpus,
		    uint64_t now_ns)
{
	struct td_target *target = &job->target;
	int rc = target->has_cpus ? td_ints_add_all(&target->cpus, cpus) : 0;

	if (!rc)
		rc = td_counter_add_cpus(counter, cpus);
	say(job, cpus, now_ns, rc);
	if (!rc)
		rc = td_ints_add_all(known, cpus);
	return rc == -ENOMEM ? rc : 0;
}

/* A hybrid's PMU that had no CPU at the start is not part of the plan. */
static int leave_out(struct td_ints *known, struct td_job *job,
		     const struct td_ints *cpus)
{
	td_autofree char *text = td_ints_format(cpus);

	if (text && text[0])
		td_job_say(job,
			   "tdstat: CPU(s) %s came online, and are not "
			   "counted: no core of their kind was there when "
			   "counting began\n",
			   text);
	return td_ints_add_all(known, cpus);
}

static int take_new(struct td_ints *known, struct td_job *job,
		    struct td_counter *counter, struct td_ints *fresh,
		    uint64_t now_ns, struct td_err *err)
{
	struct td_ints added;
	int rc = td_job_add_cpus(job, fresh, &added, err);

	if (rc)
		return rc;
	rc = td_ints_remove(fresh, &added);
	if (!rc)
		rc = leave_out(known, job, fresh);
	if (!rc && added.nr)
		rc = count_on(known, job, counter, &added, now_ns);
	td_ints_free(&added);
	return rc ? td_err_nomem(err) : 0;
}

int td_newcomers_follow(struct td_newcomers *newcomers, struct td_job *job,
			struct td_counter *counter, uint64_t now_ns,
			struct td_err *err)
{
	struct td_ints *known = &newcomers->known;
	struct td_ints fresh;
	struct td_err unused;
	int rc = 0;

	if (known->nr && now_ns - newcomers->looked_ns < LOOK_NS)
		return 0;
	newcomers->looked_ns = now_ns;
	/* -C names CPUs, which are online; without sysfs nobody knows */
	if (job->opts->target.has_cpus ||
	    td_online_read(&job->fs, &fresh, &unused))
		return 0;
	if (!known->nr) /* some may have gone while the counters were opened */
		rc = td_ints_copy(known, job->target.has_cpus
						 ? &job->target.cpus
						 : &job->machine.online);
	if (!rc)
		rc = td_ints_remove(&fresh, known);
	if (rc)
		td_err_nomem(err);
	else if (fresh.nr)
		rc = take_new(known, job, counter, &fresh, now_ns, err);
	td_ints_free(&fresh);
	return rc;
}

/* --- cgroups --------------------------------------------------------------- */

/* A walk through all cgroups takes some milliseconds where there are many. */
#define LOOK_FOR_CGROUPS_NS (5 * TD_NS_A_SECOND)

static void say_refused(struct td_newcomers *newcomers, struct td_job *job,
			const char *name, int rc)
{
	/* the kernel may not know its events yet: another look will tell */
	if (rc == -ENOENT || rc == -ENODEV || newcomers->said_refused)
		return;
	newcomers->said_refused = true;
	td_job_say(job, "tdstat: cgroup %s is new, and is not counted: %s\n",
		   name, strerror(-rc));
}

/* In the place of one that is gone, or behind the others. */
static void count_in(struct td_newcomers *newcomers, struct td_job *job,
		     struct td_counter *counter, size_t index, bool behind)
{
	struct td_cgroups *cgroups = &job->target.cgroups;
	int rc = behind ? td_counter_add_cgroup(counter, index)
			: td_counter_open_cgroup(counter, index);

	if (rc) {
		say_refused(newcomers, job, cgroups->names[index], rc);
		if (behind)
			td_cgroups_drop_last(cgroups);
		return;
	}
	td_cgroup_set_gone(cgroups, index, false);
	td_job_say(job, "tdstat: cgroup %s is new: counted from now on\n",
		   cgroups->names[index]);
}

void td_newcomers_look_for_cgroups(struct td_newcomers *newcomers,
				   struct td_job *job,
				   struct td_counter *counter, uint64_t now_ns)
{
	struct td_cgroups *cgroups = &job->target.cgroups;
	const char *list = job->opts->target.each_cgroup;
	size_t nr = cgroups->nr, index;

	if (!list ||
	    now_ns - newcomers->looked_cgroups_ns < LOOK_FOR_CGROUPS_NS)
		return;
	newcomers->looked_cgroups_ns = now_ns;
	if (td_cgroup_news_look(&newcomers->news, &job->fs, list))
		return;
	while (!td_cgroup_news_take(&newcomers->news, cgroups, &index)) {
		td_container_look(cgroups, index, &job->fs);
		count_in(newcomers, job, counter, index, index == nr);
		nr = cgroups->nr;
	}
}

void td_newcomers_free(struct td_newcomers *newcomers)
{
	td_ints_free(&newcomers->known);
	td_cgroup_news_free(&newcomers->news);
}
