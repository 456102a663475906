// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel writes into its rings while it samples, and rings of further CPUs. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "cmd/sample/parts.h"
#include "lib/base/util.h"

/*
 * Addresses of the kernel are a secret, from which its other addresses follow.  We
 * do not tell a user what the kernel does not: all its places are one.
 */
static int find_spot(struct td_gathering *g, int pid, uint64_t address,
		     bool kernel)
{
	bool secret = g->hides_kernel && (kernel || address >> 63);

	return td_spaces_find(g->spaces, &g->spots, pid, secret ? 0 : address,
			      kernel);
}

/* Without frame pointers in the code, what seems to be one is anything. */
static int find_known(struct td_gathering *g, int pid, uint64_t address,
		      bool kernel)
{
	if (!kernel && !td_spaces_has(g->spaces, pid, address))
		return -1;
	return find_spot(g, pid, address, kernel);
}

/* --- chains ----------------------------------------------------------------- */

/* What runs in secret places of the kernel is one caller, with all its frames. */
static void push(struct td_gathering *g, int spot, bool kernel)
{
	if (!kernel || !g->hides_kernel || spot != g->chain.v[g->chain.nr - 1])
		g->chain.v[g->chain.nr++] = spot;
}

/* Adds a caller: 1, 0 if none is known behind it, or -ENOMEM. */
static int add_caller(struct td_gathering *g, int pid, uint64_t address,
		      bool kernel)
{
	int spot = find_known(g, pid, address, kernel);

	if (spot == -ENOMEM)
		return -ENOMEM;
	/* there may be more */
	if (g->chain.nr >= TD_MOST_FRAMES)
		spot = -1;
	push(g, spot, kernel);
	return spot >= 0;
}

/*
 * A record's addresses begin with the sample's own.  Markers tell where those of
 * the kernel begin and of user space, whose first is no return address: only
 * these are behind their calls.  A precise sample is older than its interrupt,
 * which may have come in the kernel.
 */
static int read_chain(struct td_gathering *g, const struct td_record *record)
{
	bool kernel = record->kernel, returns = false;
	size_t nr = 0;
	int rc = 1;

	for (size_t i = 0; i < record->nr_chain && rc > 0; i++) {
		uint64_t address = record->chain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
			returns = false;
			continue;
		}
		if (kernel && !record->kernel)
			continue;
		if (returns || kernel != record->kernel)
			rc = add_caller(g, record->pid, address - returns,
					kernel);
		returns = true;
		nr++;
	}
	/* as many as the kernel gives: there may be more */
	if (rc > 0 && nr == TD_MOST_FRAMES)
		push(g, -1, false);
	return rc;
}

/* Processors note the last 8, 16 or 32 (SDM 3B, 18.4: LBR). */
#define LEAST_BRANCHES 8

/* All that a processor has: there may be more.  The kernel leaves empty ones out. */
static bool are_all(const struct td_gathering *g,
		    const struct td_record *record)
{
	size_t room = g->nr_noted ? g->nr_noted : LEAST_BRANCHES;

	return record->nr_branches >= room &&
	       record->branches[TD_BRANCH_WORDS * (record->nr_branches - 1)];
}

/* A call of the program that the process was before execve(): neither end is there. */
static bool is_stale(const struct td_gathering *g, int pid,
		     const uint64_t *branch)
{
	return !td_spaces_has(g->spaces, pid, branch[0]) &&
	       !td_spaces_has(g->spaces, pid, branch[1]);
}

/*
 * Calls that have not returned, the last one first.  Of a sample in the kernel it
 * led to the function that is there.
 */
static int read_branches(struct td_gathering *g, const struct td_record *record)
{
	int rc = 1;

	if (record->kernel && record->nr_branches && record->branches[1])
		rc = add_caller(g, record->pid, record->branches[1], false);
	for (size_t i = 0; i < record->nr_branches && rc > 0; i++) {
		const uint64_t *branch = &record->branches[TD_BRANCH_WORDS * i];

		if (!branch[0])
			break;
		if (is_stale(g, record->pid, branch))
			return 0;
		rc = add_caller(g, record->pid, branch[0], false);
	}
	if (rc > 0 && are_all(g, record))
		push(g, -1, false);
	return rc;
}

/* --- stacks ----------------------------------------------------------------- */

/* Adds what called a spot, as add_caller() does, and makes its registers. */
static int add_frame(struct td_gathering *g, const struct td_record *record,
		     struct td_registers *regs, int spot)
{
	const struct td_caller_rule *rule =
		td_unwinder_find(g->unwinder, &g->spots, spot);
	int rc = rule ? td_unwind(regs, rule, record) : -ENOMEM;

	g->losses.cut += rc == -E2BIG;
	if (rc == -E2BIG || rc == -ENODATA) {
		push(g, -1, false);
		return 0;
	}
	return rc > 0 ? add_caller(g, record->pid,
				   regs->v[TD_REG_RIP] - !rule->signal, false)
		      : rc;
}

/* A program of 32 bits has other registers; a thread of the kernel has none. */
static int read_stack(struct td_gathering *g, const struct td_record *record)
{
	struct td_registers regs;
	int spot, rc = 1;

	td_registers_take(&regs, record);
	if (!regs.known)
		return 1;
	spot = record->wide
		       ? find_known(g, record->pid, regs.v[TD_REG_RIP], false)
		       : -1;
	if (spot == -ENOMEM)
		return -ENOMEM;
	/* it called the kernel */
	if (spot < 0 || record->kernel)
		push(g, spot, false);
	while (rc > 0 && spot >= 0) {
		rc = add_frame(g, record, &regs, spot);
		spot = g->chain.v[g->chain.nr - 1];
	}
	return rc;
}

/* Of code without frame pointers, the chain has no caller, or a place that is none. */
static void note_frames(struct td_gathering *g, const struct td_record *record)
{
	if (record->kernel || !record->nr_chain || g->unwinder ||
	    g->format.branches)
		return;
	g->losses.framed++;
	g->losses.frameless += g->chain.nr < 2 || g->chain.v[1] < 0;
}

/* The call that a sample was in.  Chains share calls from their ends on. */
static int find_call(struct td_gathering *g, const struct td_record *record,
		     int spot)
{
	int call = -1, rc;

	g->chain.v[0] = spot;
	g->chain.nr = 1;
	rc = read_chain(g, record);
	note_frames(g, record);
	if (rc > 0 && g->unwinder)
		rc = read_stack(g, record);
	else if (rc > 0)
		rc = read_branches(g, record);
	if (rc < 0)
		return rc;
	for (size_t i = g->chain.nr; i-- > 1;) {
		call = td_spots_add_call(&g->spots, g->chain.v[i], call);
		if (call < 0)
			break;
	}
	g->losses.chains += call == -E2BIG;
	return call == -E2BIG ? -1 : call;
}

/* --- records ---------------------------------------------------------------- */

static int give(struct td_gathering *g, const struct td_record *record,
		int event, int spot, int caller)
{
	if (td_samples_write(&g->writer, &g->spots, record, event, spot,
			     caller))
		return -ENOMEM;
	return g->take(g->ctx, record, event, spot, caller);
}

/* For a node, a sample of IBS stands for the cycles that its kind has waited. */
static uint64_t weigh(const struct td_gathering *g,
		      const struct td_record *record, int event)
{
	int pmu = g->job->plan.events.v[event].pmu;

	if (!g->format.raw || g->job->machine.pmus[pmu].kind != TD_PMU_IBS)
		return record->period;
	return record->period *
	       (strcmp(g->job->machine.pmus[pmu].name, "ibs_fetch") == 0
			? td_ibs_fetch_wait(record->raw, record->nr_raw)
			: td_ibs_load_wait(record->raw, record->nr_raw));
}

static bool is_unwanted(const struct td_target *target, bool kernel)
{
	return kernel ? target->exclude_kernel || target->all_user
		      : target->all_kernel;
}

static int take_sample(struct td_gathering *g, const struct td_record *record,
		       int event)
{
	struct td_record weighed = *record;
	int spot, caller;

	g->losses.samples++;
	g->losses.weight += (double)record->period;
	weighed.period = weigh(g, record, event);
	/*
	 * an interrupt may come so late that the kernel runs already; what did not
	 * wait is no sample of the node
	 */
	if (is_unwanted(&g->job->target, record->kernel) ||
	    (record->period && !weighed.period))
		return 0;
	g->losses.kept++;
	spot = find_spot(g, record->pid, record->address, record->kernel);
	caller = spot < 0 ? spot : find_call(g, record, spot);
	if (caller == -ENOMEM)
		return -ENOMEM;
	return give(g, &weighed, event, spot, caller);
}

/* It is at a place that is known, or beside a trace: its place is of no interest. */
static bool has_no_spot(const struct td_gathering *g, int event)
{
	return event >= (int)g->job->plan.events.nr ||
	       (event >= 0 && g->trace.type);
}

/* Who has companions follows threads. */
static int tell_companion(const struct td_gathering *g,
			  const struct td_record *record)
{
	return g->nr_companions ? g->take(g->ctx, record, -1, -1, -1) : 0;
}

static int take_map(struct td_gathering *g, const struct td_record *record)
{
	const struct td_mapping mapping = {
		.start = record->address,
		.length = record->length,
		.offset = record->offset,
		.path = record->path,
		.build_id = record->build_id,
	};

	return td_spaces_map(g->spaces, &g->spots, record->pid, &mapping);
}

int td_gathering_take(void *ctx, const struct td_record *record, int event)
{
	struct td_gathering *g = ctx;

	switch (record->kind) {
	case TD_RECORD_SAMPLE:
		if (has_no_spot(g, event))
			return g->take(g->ctx, record, event, -1, -1);
		return event < 0 ? 0 : take_sample(g, record, event);
	case TD_RECORD_MAP:
		return take_map(g, record);
	case TD_RECORD_FORK:
		return td_spaces_fork(g->spaces, record->parent, record->pid);
	case TD_RECORD_EXEC:
		td_spaces_exec(g->spaces, record->pid);
		return tell_companion(g, record);
	case TD_RECORD_END:
	case TD_RECORD_TRACE:
		return tell_companion(g, record);
	case TD_RECORD_LOST:
		g->losses.records += record->lost;
		break;
	case TD_RECORD_THROTTLE:
		g->losses.throttled++;
		break;
	case TD_RECORD_SWITCH:
	case TD_RECORD_UNTHROTTLE:
	case TD_RECORD_OTHER:
		break;
	}
	return give(g, record, event, -1, -1);
}

/* --- CPUs that go and come, by hotplug or a suspend to RAM ---------------- */

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
