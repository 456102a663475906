// SPDX-License-Identifier: GPL-2.0-only
/* Takes the records of the rings, and adds rings of further CPUs. */
#include <linux/perf_event.h>

#include "cmd/sample/parts.h"

/*
 * Returns the location of an address.  If the kernel hides its addresses from this user, they
 * all have one location, because one address would reveal all others.
 */
static int find_location(struct td_gathering *g, int pid, uint64_t address, bool kernel)
{
	bool secret = g->hides_kernel && (kernel || address >> 63);

	return td_spaces_find(g->spaces, &g->locations, pid, secret ? 0 : address, kernel);
}

/* Returns -1 for an unmapped address, which code without frame pointers puts in chains. */
static int find_known(struct td_gathering *g, int pid, uint64_t address, bool kernel)
{
	if (!kernel && !td_spaces_has(g->spaces, pid, address))
		return -1;
	return find_location(g, pid, address, kernel);
}

/* --- chains ----------------------------------------------------------------- */

/* Adds a caller.  All frames in a kernel that hides its addresses are one. */
static void push(struct td_gathering *g, int location, bool kernel)
{
	if (!kernel || !g->hides_kernel || location != g->chain.v[g->chain.nr - 1])
		g->chain.v[g->chain.nr++] = location;
}

/* Adds a caller.  Returns false if it is unknown, and the chain ends. */
static bool add_caller(struct td_gathering *g, int pid, uint64_t address, bool kernel)
{
	int location = find_known(g, pid, address, kernel);

	if (g->chain.nr >= TD_MAX_FRAMES)
		location = -1;
	push(g, location, kernel);
	return location >= 0;
}

/*
 * Adds the addresses of a record.  The first one is the sample's own.  A marker precedes the
 * addresses in the kernel, and another one those in user space.  After a marker, all but the
 * first are return addresses, which follow their calls.  A precise sample is older than its
 * interrupt, which may have come in the kernel.  Returns false if the chain ends.
 */
static bool read_chain(struct td_gathering *g, const struct td_record *record)
{
	bool kernel = record->kernel, returns = false;
	size_t nr = 0;

	for (size_t i = 0; i < record->nr_chain; i++) {
		uint64_t address = record->chain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
			returns = false;
			continue;
		}
		if (kernel && !record->kernel)
			continue;
		if ((returns || kernel != record->kernel) &&
		    !add_caller(g, record->pid, address - returns, kernel))
			return false;
		returns = true;
		nr++;
	}
	/* the kernel's maximum: there may be more */
	if (nr == TD_MAX_FRAMES)
		push(g, -1, false);
	return true;
}

/* Processors keep the last 8, 16 or 32 branches (SDM 3B, 18.4: LBR). */
#define MIN_BRANCHES 8

/* Returns true if the record has all branches that the processor keeps: there may be more. */
static bool are_all(const struct td_gathering *g, const struct td_record *record)
{
	size_t room = g->nr_branches ? g->nr_branches : MIN_BRANCHES;

	return record->nr_branches >= room &&
	       record->branches[TD_BRANCH_WORDS * (record->nr_branches - 1)];
}

/*
 * Returns true for a call in the program before execve(): neither of its ends is mapped any more.
 */
static bool is_stale(const struct td_gathering *g, int pid, const uint64_t *branch)
{
	return !td_spaces_has(g->spaces, pid, branch[0]) &&
	       !td_spaces_has(g->spaces, pid, branch[1]);
}

/*
 * Adds calls that have not returned, the last one first.  If the sample is in the kernel, the
 * last call's target called the kernel.
 */
static void read_branches(struct td_gathering *g, const struct td_record *record)
{
	if (record->kernel && record->nr_branches && record->branches[1] &&
	    !add_caller(g, record->pid, record->branches[1], false))
		return;
	for (size_t i = 0; i < record->nr_branches; i++) {
		const uint64_t *branch = &record->branches[TD_BRANCH_WORDS * i];

		if (!branch[0])
			break;
		if (is_stale(g, record->pid, branch) ||
		    !add_caller(g, record->pid, branch[0], false))
			return;
	}
	if (are_all(g, record))
		push(g, -1, false);
}

/* --- stacks ----------------------------------------------------------------- */

/*
 * Adds the caller of a location, and sets the registers to the caller's.  Returns false at the
 * end of the chain.
 */
static bool add_frame(struct td_gathering *g, const struct td_record *record,
		      struct td_registers *regs, int location)
{
	const struct td_caller_rule *rule = td_unwinder_find(g->unwinder, &g->locations, location);
	int rc = td_unwind(regs, rule, record);

	g->losses.cut += rc == -E2BIG;
	if (rc < 0)
		push(g, -1, false);
	return rc > 0 && add_caller(g, record->pid, regs->v[TD_REG_RIP] - !rule->signal, false);
}

/*
 * Copies registers and stack.  The registers of 32-bit programs are unknown, and kernel threads
 * have none.
 */
static void read_stack(struct td_gathering *g, const struct td_record *record)
{
	struct td_registers regs;
	int location;

	td_registers_read(&regs, record);
	if (!regs.known)
		return;
	location = record->wide ? find_known(g, record->pid, regs.v[TD_REG_RIP], false) : -1;
	/* in the kernel: the program is the caller */
	if (location < 0 || record->kernel)
		push(g, location, false);
	while (location >= 0 && add_frame(g, record, &regs, location))
		location = g->chain.v[g->chain.nr - 1];
}

/* Counts chains without a known caller, for example in code without frame pointers. */
static void note_frames(struct td_gathering *g, const struct td_record *record)
{
	if (record->kernel || !record->nr_chain || g->unwinder || g->format.branches)
		return;
	g->losses.framed++;
	g->losses.frameless += g->chain.nr < 2 || g->chain.v[1] < 0;
}

/* Returns the call to a sample's location, or -1.  Chains share their outer calls. */
static int find_call(struct td_gathering *g, const struct td_record *record, int location)
{
	int call = -1;
	bool more;

	g->chain.v[0] = location;
	g->chain.nr = 1;
	more = read_chain(g, record);
	note_frames(g, record);
	if (more && g->unwinder)
		read_stack(g, record);
	else if (more)
		read_branches(g, record);
	for (size_t i = g->chain.nr; i-- > 1;) {
		call = td_locations_add_call(&g->locations, g->chain.v[i], call);
		if (call < 0) {
			g->losses.chains++;
			return -1;
		}
	}
	return call;
}

/* --- records ---------------------------------------------------------------- */

static void pass_on(struct td_gathering *g, const struct td_record *record, int event, int location,
		    int caller)
{
	td_samples_write(&g->writer, &g->locations, record, event, location, caller);
	g->take(g->ctx, record, event, location, caller);
}

/*
 * Returns the weight of a sample.  When a node is located with IBS, this is the latency in cycles.
 */
static uint64_t weigh(const struct td_gathering *g, const struct td_record *record, int event)
{
	int pmu = g->job->plan.events.v[event].pmu;

	if (!g->format.raw || g->job->machine.pmus[pmu].kind != TD_PMU_IBS)
		return record->period;
	return record->period * (strcmp(g->job->machine.pmus[pmu].name, "ibs_fetch") == 0
					 ? td_ibs_fetch_wait(record->raw, record->nr_raw)
					 : td_ibs_load_wait(record->raw, record->nr_raw));
}

static bool is_unwanted(const struct td_target *target, bool kernel)
{
	return kernel ? target->exclude_kernel || target->all_user : target->all_kernel;
}

static void take_sample(struct td_gathering *g, const struct td_record *record, int event)
{
	struct td_record weighed = *record;
	int location;

	g->losses.samples++;
	g->losses.weight += (double)record->period;
	weighed.period = weigh(g, record, event);
	/* a late interrupt may come in the kernel; operations without latency are not counted */
	if (is_unwanted(&g->job->target, record->kernel) || (record->period && !weighed.period))
		return;
	g->losses.kept++;
	location = find_location(g, record->pid, record->address, record->kernel);
	pass_on(g, &weighed, event, location, find_call(g, record, location));
}

static void take_map(struct td_gathering *g, const struct td_record *record)
{
	const struct td_mapping mapping = {
		.start = record->address,
		.length = record->length,
		.offset = record->offset,
		.path = record->path,
		.build_id = record->build_id,
	};

	td_spaces_map(g->spaces, &g->locations, record->pid, &mapping);
}

void td_gathering_take(void *ctx, const struct td_record *record, int event)
{
	struct td_gathering *g = ctx;

	switch (record->kind) {
	case TD_RECORD_SAMPLE:
		/* companions and events beside a trace need no location */
		if (event >= (int)g->job->plan.events.nr || (event >= 0 && g->trace.type))
			g->take(g->ctx, record, event, -1, -1);
		else if (event >= 0)
			take_sample(g, record, event);
		return;
	case TD_RECORD_MAP:
		take_map(g, record);
		return;
	case TD_RECORD_FORK:
		td_spaces_fork(g->spaces, record->parent, record->pid);
		return;
	case TD_RECORD_EXEC:
	case TD_RECORD_END:
	case TD_RECORD_TRACE:
		if (record->kind == TD_RECORD_EXEC)
			td_spaces_exec(g->spaces, record->pid);
		if (g->nr_companions)
			g->take(g->ctx, record, -1, -1, -1);
		return;
	case TD_RECORD_LOST:
		g->losses.records += record->lost;
		break;
	case TD_RECORD_THROTTLE:
		g->losses.throttled++;
		break;
	case TD_RECORD_SWITCH:
	case TD_RECORD_UNTHROTTLE:
	case TD_RECORD_NAME:
	case TD_RECORD_THREAD:
	case TD_RECORD_CGROUP:
	case TD_RECORD_OTHER:
		break;
	}
	pass_on(g, record, event, -1, -1);
}
