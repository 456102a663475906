// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline and come back, for example by hotplug: a suspend to RAM does that to all
 * CPUs but one while tasks sleep.  Also CPUs that were offline when counting began, and new
 * cgroups.
 */

#include "cmd/run/parts.h"
#include "lib/counter/probe.h"

/* A CPU that went offline, which removed its counters. */
struct td_offline_cpu {
	int cpu;
	uint64_t since_ns; /* counted at least up to this time */
	bool said;         /* a message said that it went offline */
	bool refused;      /* it is back, and could not be counted */
};

static bool is_known(const struct td_offline *offline, int cpu)
{
	for (size_t i = 0; i < offline->nr; i++) {
		if (offline->v[i].cpu == cpu)
			return true;
	}
	return false;
}

static void add_new(struct td_offline *offline, const struct td_ints *dead)
{
	for (size_t i = 0; i < dead->nr; i++) {
		const struct td_offline_cpu cpu = { dead->v[i], .since_ns = offline->read_ns };

		if (!is_known(offline, cpu.cpu))
			td_array_push(&offline->v, &offline->nr, &cpu, sizeof(cpu));
	}
}

/* Print once that CPUs have gone offline. */
static void say_gone(struct td_offline *offline, const struct td_job *job,
		     const struct td_ints *gone)
{
	td_autofree char *text = NULL;
	struct td_ints fresh = { 0 };

	td_for_each(struct td_offline_cpu, cpu, offline->v, offline->nr) {
		if (!cpu->said && td_ints_has(gone, cpu->cpu))
			td_ints_add(&fresh, cpu->cpu);
		cpu->said = cpu->said || td_ints_has(gone, cpu->cpu);
	}
	text = td_ints_format(&fresh);
	if (text[0])
		td_job_say(job, "tdstat: CPU(s) %s went offline: not counted until they are back\n",
			   text);
	td_ints_free(&fresh);
}

/*
 * Remove the first CPU that is back from the list, with all others that are back and went offline
 * at the same time.  Returns that time.
 */
static uint64_t remove_back(struct td_offline *offline, const struct td_ints *dead,
			    struct td_ints *back)
{
	uint64_t since_ns = 0;
	size_t kept = 0;

	for (size_t i = 0; i < offline->nr; i++) {
		struct td_offline_cpu cpu = offline->v[i];
		bool is_back = !td_ints_has(dead, cpu.cpu);

		if (is_back && !back->nr)
			since_ns = cpu.since_ns;
		if (is_back && cpu.since_ns == since_ns)
			td_ints_add(back, cpu.cpu);
		else
			offline->v[kept++] = cpu;
	}
	offline->nr = kept;
	return since_ns;
}

/* Print which CPUs are back, and how long they were offline. */
static void report_online(struct td_offline *offline, const struct td_job *job,
			  const struct td_ints *dead, uint64_t now_ns)
{
	for (;;) {
		td_autofree char *text = NULL;
		struct td_ints back = { 0 };
		uint64_t since_ns = remove_back(offline, dead, &back);

		text = td_ints_format(&back);
		td_ints_free(&back);
		if (!text[0])
			return;
		td_job_say(job,
			   "tdstat: CPU(s) %s were offline and are back: not counted from "
			   "%.1f to %.1f seconds\n",
			   text, (double)since_ns / TD_NS_A_SECOND,
			   (double)now_ns / TD_NS_A_SECOND);
	}
}

void td_offline_note_rights(struct td_job *job, int rc)
{
	char paranoid[16];

	if (rc != -EACCES || td_sysfs_read_at(job->fs.proc, "sys/kernel/perf_event_paranoid",
					      paranoid, sizeof(paranoid)) <= 0)
		return;
	td_notes_add(
		&job->notes,
		"that needs a kernel.perf_event_paranoid of 2 or below (it is %s), or more rights "
		"than are left",
		paranoid);
}

/* Note, once for each CPU, that it cannot be counted. */
static void note_refused(struct td_offline *offline, struct td_job *job, const struct td_ints *dead,
			 int rc)
{
	td_autofree char *text = NULL;
	struct td_ints fresh = { 0 };

	td_for_each(struct td_offline_cpu, cpu, offline->v, offline->nr) {
		if (cpu->refused || !td_ints_has(dead, cpu->cpu))
			continue;
		cpu->refused = true;
		td_ints_add(&fresh, cpu->cpu);
	}
	text = td_ints_format(&fresh);
	td_ints_free(&fresh);
	if (!text[0])
		return;
	td_notes_add(&job->notes, "CPU(s) %s are back, but their counters cannot be reopened: %s",
		     text, strerror(-rc));
	td_offline_note_rights(job, rc);
}

/* Reopen the counters of CPUs that are back.  Leaves those that failed in *dead. */
static void open_back(struct td_offline *offline, struct td_job *job, struct td_counter *counter,
		      const struct td_ints *gone, struct td_ints *dead)
{
	struct td_ints back = { 0 }, stay = { 0 };
	int refused = 0;

	td_ints_copy(&back, dead);
	td_ints_remove(&back, gone);
	if (back.nr) {
		refused = td_counter_open_cpus(counter, &back);
		td_ints_free(dead);
		td_counter_list_dead(counter, dead);
	}
	/* ENODEV: the CPU is offline again */
	if (refused && refused != -ENODEV)
		td_ints_and(&stay, &back, dead);
	if (stay.nr)
		note_refused(offline, job, &stay, refused);
	td_ints_free(&stay);
	td_ints_free(&back);
}

/* List the dead CPUs that are not online; none if the online CPUs are unknown. */
static void list_gone(const struct td_job *job, const struct td_ints *dead, struct td_ints *gone)
{
	struct td_ints online;
	struct td_err unused = { 0 };

	if (td_online_read(&job->fs, &online, &unused))
		return;
	td_ints_copy(gone, dead);
	td_ints_remove(gone, &online);
	td_ints_free(&online);
}

void td_offline_follow(struct td_offline *offline, struct td_job *job, struct td_counter *counter,
		       uint64_t now_ns)
{
	struct td_ints dead, gone = { 0 };

	td_counter_list_dead(counter, &dead);
	if (dead.nr) {
		add_new(offline, &dead);
		list_gone(job, &dead, &gone);
		say_gone(offline, job, &gone);
		open_back(offline, job, counter, &gone, &dead);
		report_online(offline, job, &dead, now_ns);
	}
	offline->read_ns = now_ns;
	td_ints_free(&gone);
	td_ints_free(&dead);
}

void td_offline_free(struct td_offline *offline)
{
	free(offline->v);
	*offline = (struct td_offline){ 0 };
}

/* --- CPUs that were offline when counting began ---------------------------- */

#define LOOK_NS (TD_NS_A_SECOND / 2)

/* Count on CPUs; if they cannot be opened, the next read tries again. */
static void count_on(struct td_ints *known, struct td_job *job, struct td_counter *counter,
		     const struct td_ints *cpus, uint64_t now_ns)
{
	td_autofree char *text = td_ints_format(cpus);
	struct td_target *target = &job->target;
	int rc;

	if (target->has_cpus)
		td_ints_add_all(&target->cpus, cpus);
	rc = td_counter_add_cpus(counter, cpus);
	if (rc && rc != -ENODEV) /* ENODEV: gone again */
		td_notes_add(&job->notes, "CPU(s) %s came online, and are not counted: %s", text,
			     strerror(-rc));
	if (rc)
		return;
	td_job_say(job, "tdstat: CPU(s) %s came online: counted starting at %.1f seconds\n", text,
		   (double)now_ns / TD_NS_A_SECOND);
	td_ints_add_all(known, cpus);
}

/* Leave out CPUs of a hybrid's PMU that is not in the plan, because it had no CPU at the start. */
static void leave_out(struct td_ints *known, struct td_job *job, const struct td_ints *cpus)
{
	td_autofree char *text = td_ints_format(cpus);

	if (text[0])
		td_job_say(job,
			   "tdstat: CPU(s) %s came online, and are not counted: no core of their "
			   "type was online when counting began\n",
			   text);
	td_ints_add_all(known, cpus);
}

static int take_new(struct td_ints *known, struct td_job *job, struct td_counter *counter,
		    struct td_ints *fresh, uint64_t now_ns, struct td_err *err)
{
	struct td_ints added;
	int rc = td_job_add_cpus(job, fresh, &added, err);

	if (rc)
		return rc;
	td_ints_remove(fresh, &added);
	leave_out(known, job, fresh);
	if (added.nr)
		count_on(known, job, counter, &added, now_ns);
	td_ints_free(&added);
	return 0;
}

int td_newcomers_follow(struct td_newcomers *newcomers, struct td_job *job,
			struct td_counter *counter, uint64_t now_ns, struct td_err *err)
{
	struct td_ints *known = &newcomers->known;
	struct td_ints fresh;
	struct td_err unused;
	int rc = 0;

	if (known->nr && now_ns - newcomers->looked_ns < LOOK_NS)
		return 0;
	newcomers->looked_ns = now_ns;
	/* the CPUs of -C are online already; without sysfs, online CPUs are unknown */
	if (job->request->target.has_cpus || td_online_read(&job->fs, &fresh, &unused))
		return 0;
	if (!known->nr) /* some may have gone while the counters were opened */
		td_ints_copy(known,
			     job->target.has_cpus ? &job->target.cpus : &job->machine.online);
	td_ints_remove(&fresh, known);
	if (fresh.nr)
		rc = take_new(known, job, counter, &fresh, now_ns, err);
	td_ints_free(&fresh);
	return rc;
}

/* --- cgroups --------------------------------------------------------------- */

/* A walk through all cgroups takes a few milliseconds if there are many. */
#define LOOK_FOR_CGROUPS_NS (5 * TD_NS_A_SECOND)

static void say_refused(struct td_newcomers *newcomers, struct td_job *job, const char *name,
			int rc)
{
	/* the kernel may not know its events yet; the next look tries again */
	if (rc == -ENOENT || rc == -ENODEV || newcomers->said_refused)
		return;
	newcomers->said_refused = true;
	td_job_say(job, "tdstat: cgroup %s is new, and is not counted: %s\n", name, strerror(-rc));
}

int td_count_cgroup(const struct td_job *job, struct td_counter *counter, size_t index, bool added)
{
	if (counter)
		return added ? td_counter_add_cgroup(counter, index)
			     : td_counter_open_cgroup(counter, index);
	/* switches count all cgroups */
	return td_cgroup_probe(job->target.cgroups.fds[index], job->machine.online.v[0]) ? 0
											 : -ENOENT;
}

/* Count in a cgroup that was added or replaces a removed one. */
static void count_in(struct td_newcomers *newcomers, struct td_job *job, struct td_counter *counter,
		     size_t index, bool added)
{
	struct td_cgroups *cgroups = &job->target.cgroups;
	int rc = td_count_cgroup(job, counter, index, added);

	if (rc) {
		say_refused(newcomers, job, cgroups->names[index], rc);
		if (added)
			td_cgroups_drop_last(cgroups);
		return;
	}
	td_cgroup_set_gone(cgroups, index, false);
	if (!job->request->does.follows)
		td_job_say(job, "tdstat: cgroup %s is new; it is now counted\n",
			   cgroups->names[index]);
}

void td_newcomers_look_for_cgroups(struct td_newcomers *newcomers, struct td_job *job,
				   struct td_counter *counter, uint64_t now_ns, bool has_new)
{
	struct td_cgroups *cgroups = &job->target.cgroups;
	const char *list = job->request->target.each_cgroup;
	size_t nr = cgroups->nr, index;

	if (!list || (!has_new && now_ns - newcomers->looked_cgroups_ns < LOOK_FOR_CGROUPS_NS))
		return;
	newcomers->looked_cgroups_ns = now_ns;
	if (td_new_cgroups_find(&newcomers->cgroups, &job->fs, list))
		return;
	while (!td_new_cgroups_next(&newcomers->cgroups, cgroups, &index)) {
		td_container_look(cgroups, index, &job->fs);
		count_in(newcomers, job, counter, index, index == nr);
		nr = cgroups->nr;
	}
}

void td_newcomers_free(struct td_newcomers *newcomers)
{
	td_ints_free(&newcomers->known);
	td_new_cgroups_free(&newcomers->cgroups);
}

/* --- the same CPUs, of a sampler ------------------------------------------ */

#define LOOK_NS (TD_NS_A_SECOND / 2)

struct sampled {
	struct td_sampled_cpus *cpus;
	struct td_job *job;
	struct td_sampler *sampler;
	const char *verb; /* "sampled" or "counted" */
};

/* Reports once that CPUs have gone offline. */
static void report_gone(const struct sampled *s, const struct td_ints *gone)
{
	td_autofree char *text = NULL;
	struct td_ints fresh;

	td_ints_copy(&fresh, gone);
	td_ints_remove(&fresh, &s->cpus->gone);
	td_ints_add_all(&s->cpus->gone, gone);
	text = td_ints_format(&fresh);
	if (text[0])
		td_job_say(s->job, "tdstat: CPU(s) %s went offline: not %s until they are back\n",
			   text, s->verb);
	td_ints_free(&fresh);
}

/* Samples on CPUs.  A failure is retried later; -ENODEV: the CPU went offline again. */
static void sample_on(const struct sampled *s, const struct td_ints *cpus, bool again,
		      double seconds)
{
	struct td_err err = { 0 };
	int rc = td_sampler_add_cpus(s->sampler, cpus, &err);
	td_autofree char *text = td_ints_format(cpus);

	if (rc && rc != -ENODEV)
		td_notes_add(&s->job->notes, "CPUs came online, and are not %s: %s", s->verb,
			     err.msg);
	if (rc)
		return;
	td_job_say(s->job,
		   again ? "tdstat: CPU(s) %s were offline and are back: %s again starting at %.1f "
			   "seconds\n"
			 : "tdstat: CPU(s) %s came online: %s starting at %.1f seconds\n",
		   text, s->verb, seconds);
	td_ints_remove(&s->cpus->gone, cpus);
}

static void follow_back(const struct sampled *s, const struct td_ints *online, double seconds)
{
	struct td_ints dead = { 0 }, back = { 0 };

	td_sampler_list_dead(s->sampler, &dead);
	td_ints_and(&back, &dead, online);
	td_ints_remove(&dead, online);
	report_gone(s, &dead);
	if (back.nr)
		sample_on(s, &back, true, seconds);
	td_ints_free(&dead);
	td_ints_free(&back);
}

/*
 * Samples on new CPUs, except on those of a PMU that had no CPUs at the start, for which there is
 * no plan.
 */
static void follow_new(const struct sampled *s, const struct td_ints *online, double seconds)
{
	struct td_job *job = s->job;
	struct td_ints fresh, added = { 0 };
	struct td_err unused = { 0 };

	if (job->target.has_cpus)
		return;
	td_ints_copy(&fresh, online);
	td_ints_remove(&fresh, &job->machine.online);
	if (fresh.nr && !td_job_add_cpus(job, &fresh, &added, &unused) && added.nr)
		sample_on(s, &added, false, seconds);
	td_ints_free(&fresh);
	td_ints_free(&added);
}

void td_sampled_cpus_follow(struct td_sampled_cpus *cpus, struct td_job *job,
			    struct td_sampler *sampler, const char *verb)
{
	const struct sampled s = { cpus, job, sampler, verb };
	uint64_t now_ns = td_now_ns();
	double seconds = (double)(now_ns - cpus->start_ns) / TD_NS_A_SECOND;
	struct td_ints online;
	struct td_err unused = { 0 };

	if (now_ns - cpus->looked_ns < LOOK_NS)
		return;
	cpus->looked_ns = now_ns;
	if (td_online_read(&job->fs, &online, &unused))
		return;
	follow_back(&s, &online, seconds);
	follow_new(&s, &online, seconds);
	td_ints_free(&online);
}
