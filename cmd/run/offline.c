// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline and come back, as by hotplug; a suspend to RAM is both at
 * once for all CPUs but one, as tasks sleep in between.  And those that were offline
 * when counting began, as well as cgroups that were not there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/run/parts.h"
#include "lib/base/util.h"

static bool is_known(const struct td_offline *offline, int cpu)
{
	for (size_t i = 0; i < offline->nr; i++) {
		if (offline->v[i].cpu == cpu)
			return true;
	}
	return false;
}

static int add_new(struct td_offline *offline, const struct td_ints *dead)
{
	for (size_t i = 0; i < dead->nr; i++) {
		struct td_offline_cpu *cpu;

		if (is_known(offline, dead->v[i]))
			continue;
		cpu = td_array_add(&offline->v, offline->nr, sizeof(*cpu));
		if (!cpu)
			return -ENOMEM;
		*cpu = (struct td_offline_cpu){
			.cpu = dead->v[i],
			.since_ns = offline->read_ns,
		};
		offline->nr++;
	}
	return 0;
}

/* Says once that CPUs have gone. */
static int say_gone(struct td_offline *offline, const struct td_job *job,
		    const struct td_ints *gone)
{
	td_autofree char *text = NULL;
	struct td_ints fresh = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < offline->nr; i++) {
		struct td_offline_cpu *cpu = &offline->v[i];

		if (!cpu->said && td_ints_has(gone, cpu->cpu))
			rc = td_ints_add(&fresh, cpu->cpu);
		cpu->said = cpu->said || td_ints_has(gone, cpu->cpu);
	}
	text = rc ? NULL : td_ints_format(&fresh);
	if (text && text[0])
		td_job_say(job,
			   "tdstat: CPU(s) %s went offline: not counted until "
			   "they are back\n",
			   text);
	td_ints_free(&fresh);
	return text ? 0 : -ENOMEM;
}

/* Takes the CPUs that went at the same time as the first one out of the list. */
static int take_first(struct td_offline *offline, const struct td_ints *dead,
		      uint64_t *since_ns, struct td_ints *back)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < offline->nr; i++) {
		struct td_offline_cpu cpu = offline->v[i];
		bool is_back = !rc && !td_ints_has(dead, cpu.cpu);

		if (is_back && !back->nr)
			*since_ns = cpu.since_ns;
		if (is_back && cpu.since_ns == *since_ns)
			rc = td_ints_add(back, cpu.cpu);
		else
			offline->v[kept++] = cpu;
	}
	offline->nr = kept;
	return rc;
}

/* Says of CPUs that are no longer dead since when they were. */
static int say_back(struct td_offline *offline, const struct td_job *job,
		    const struct td_ints *dead, uint64_t now_ns)
{
	int rc = 0;

	for (size_t nr = offline->nr + 1; !rc && nr > offline->nr;) {
		td_autofree char *text = NULL;
		struct td_ints back = { 0 };
		uint64_t since_ns = 0;

		nr = offline->nr;
		rc = take_first(offline, dead, &since_ns, &back);
		text = rc ? NULL : td_ints_format(&back);
		rc = text ? rc : -ENOMEM;
		if (text && text[0])
			td_job_say(job,
				   "tdstat: CPU(s) %s were offline and are "
				   "back: not counted from %.1f to %.1f "
				   "seconds\n",
				   text, (double)since_ns / TD_NS_A_SECOND,
				   (double)now_ns / TD_NS_A_SECOND);
		td_ints_free(&back);
	}
	return rc;
}

void td_offline_note_rights(struct td_job *job, int rc)
{
	char paranoid[16];

	if (rc != -EACCES ||
	    td_sysfs_read_at(job->fs.proc, "sys/kernel/perf_event_paranoid",
			     paranoid, sizeof(paranoid)) <= 0)
		return;
	td_notes_add(&job->notes,
		     "that takes a kernel.perf_event_paranoid of 2 or below "
		     "(it is %s), or more rights than are left",
		     paranoid);
}

/* Notes once of each CPU that stays dead. */
static int note_refused(struct td_offline *offline, struct td_job *job,
			const struct td_ints *dead, int rc)
{
	td_autofree char *text = NULL;
	struct td_ints fresh = { 0 };
	bool none = true;

	for (size_t i = 0; i < offline->nr; i++) {
		struct td_offline_cpu *cpu = &offline->v[i];

		if (cpu->refused || !td_ints_has(dead, cpu->cpu))
			continue;
		none = false;
		cpu->refused = true;
		if (td_ints_add(&fresh, cpu->cpu))
			break;
	}
	text = td_ints_format(&fresh);
	td_ints_free(&fresh);
	if (none)
		return 0;
	if (!text)
		return -ENOMEM;
	td_notes_add(&job->notes,
		     "CPU(s) %s are there again, but the counters cannot be "
		     "opened anew: %s",
		     text, strerror(-rc));
	td_offline_note_rights(job, rc);
	return 0;
}

/* Opens what can be opened; *dead is then what cannot. */
static int open_back(struct td_offline *offline, struct td_job *job,
		     struct td_counter *counter, const struct td_ints *gone,
		     struct td_ints *dead)
{
	struct td_ints back = { 0 }, stay = { 0 };
	int rc = td_ints_copy(&back, dead), refused = 0;

	if (!rc)
		rc = td_ints_remove(&back, gone);
	if (!rc && back.nr) {
		refused = td_counter_open_cpus(counter, &back);
		td_ints_free(dead);
		rc = td_counter_list_dead(counter, dead);
	}
	/* ENODEV: gone again */
	if (!rc && refused && refused != -ENODEV)
		rc = td_ints_and(&stay, &back, dead);
	if (!rc && stay.nr)
		rc = note_refused(offline, job, &stay, refused);
	td_ints_free(&stay);
	td_ints_free(&back);
	return rc;
}

/* Lists those that are not online; none if that is unknown. */
static int list_gone(const struct td_job *job, const struct td_ints *dead,
		     struct td_ints *gone)
{
	struct td_ints online;
	struct td_err unused = { 0 };
	int rc;

	if (td_online_read(&job->fs, &online, &unused))
		return 0;
	rc = td_ints_copy(gone, dead);
	if (!rc)
		rc = td_ints_remove(gone, &online);
	td_ints_free(&online);
	return rc;
}

static int follow(struct td_offline *offline, struct td_job *job,
		  struct td_counter *counter, uint64_t now_ns,
		  struct td_ints *dead)
{
	struct td_ints gone = { 0 };
	int rc = add_new(offline, dead);

	if (!rc)
		rc = list_gone(job, dead, &gone);
	if (!rc)
		rc = say_gone(offline, job, &gone);
	if (!rc)
		rc = open_back(offline, job, counter, &gone, dead);
	if (!rc)
		rc = say_back(offline, job, dead, now_ns);
	td_ints_free(&gone);
	return rc;
}

int td_offline_follow(struct td_offline *offline, struct td_job *job,
		      struct td_counter *counter, uint64_t now_ns,
		      struct td_err *err)
{
	struct td_ints dead;
	int rc = td_counter_list_dead(counter, &dead);

	if (!rc && dead.nr)
		rc = follow(offline, job, counter, now_ns, &dead);
	offline->read_ns = now_ns;
	td_ints_free(&dead);
	return rc ? td_err_nomem(err) : 0;
}

void td_offline_free(struct td_offline *offline)
{
	free(offline->v);
	*offline = (struct td_offline){ 0 };
}

/* --- CPUs and cgroups that were not there when counting began ------------- */

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
	if (job->request->target.has_cpus ||
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
	const char *list = job->request->target.each_cgroup;
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
