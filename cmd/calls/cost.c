// SPDX-License-Identifier: GPL-2.0-only
/* Measures the cost of probes per call, with probes of an empty function. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cmd/calls/parts.h"
#include "cmd/doctor/parts.h"

#define CALLS 300 /* number of calls for each group, after the warm-up */
#define WARM  30
/* Pauses between runs of calls, because the load of the machine changes. */
#define RUN      30
#define PAUSE_NS (5 * TD_NS_A_MS)

/* --- the function ----------------------------------------------------------- */

/*
 * Empty functions.  The kernel emulates a push, and single-steps a move, with a second trap
 * (arch/x86/kernel/uprobes.c).
 */
extern void td_empty_pushes(void);
extern void td_empty_moves(void);
/* Labels of the return instructions of these functions. */
extern void td_empty_pushes_end(void);
extern void td_empty_moves_end(void);

__asm__(".text\n"
	".globl td_empty_pushes, td_empty_moves\n"
	".globl td_empty_pushes_end, td_empty_moves_end\n"
	".type td_empty_pushes, @function\n"
	"td_empty_pushes: push %rbp\n"
	"pop %rbp\n"
	"td_empty_pushes_end: ret\n"
	".size td_empty_pushes, . - td_empty_pushes\n"
	".type td_empty_moves, @function\n"
	"td_empty_moves: mov %rsp, %rax\n"
	"td_empty_moves_end: ret\n"
	".size td_empty_moves, . - td_empty_moves\n");

static void call_kernel(void)
{
	syscall(SYS_getppid);
}

static void (*const empty[])(void) = { td_empty_pushes, td_empty_moves, call_kernel };
static void (*const ends[])(void) = { td_empty_pushes_end, td_empty_moves_end };

static bool find_offset(uint64_t address, uint64_t *offset)
{
	FILE *fp = fopen("/proc/self/maps", "re");
	char line[512];
	bool found = false;

	while (fp && !found && fgets(line, sizeof(line), fp)) {
		uint64_t start, end, from;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &from) != 3)
			continue;
		found = address >= start && address < end;
		*offset = address - start + from;
	}
	if (fp)
		fclose(fp);
	return found;
}

#define EMPTY_IN_KERNEL "__x64_sys_getppid" /* almost empty */

int td_empty_find(struct td_entry_point *entry, int kind, struct td_err *err)
{
	bool kernel = kind == TD_EMPTY_KERNEL;

	*entry = (struct td_entry_point){ .fd = -1, .kernel = kernel };
	entry->name = td_strdup(kernel ? EMPTY_IN_KERNEL : "an empty function");
	entry->path = td_strdup(kernel ? "the kernel" : "/proc/self/exe");
	if (kernel)
		return 0;
	entry->fd = open(entry->path, O_RDONLY | O_CLOEXEC);
	if (entry->fd < 0)
		return td_err_set(err, -errno, "%s: %s", entry->path, strerror(errno));
	entry->exits = td_calloc(1, sizeof(*entry->exits));
	entry->nr_exits = 1;
	return find_offset((uintptr_t)empty[kind], &entry->offset) &&
			       find_offset((uintptr_t)ends[kind], entry->exits)
		       ? 0
		       : td_err_set(err, -ENOENT, "/proc/self/maps: it has no functions");
}

/* --- calls ------------------------------------------------------------------ */

struct trial {
	struct td_job *job;
	struct td_pairing pairing;
	size_t nr_companions;
	int kind;
	int group; /* the group that is measured */
	size_t nr;
	uint64_t times_ns[CALLS];
	uint64_t *sums; /* sums of the plan's events, for each call */
};

static void add_call(void *ctx, const struct td_paired_call *call)
{
	struct trial *t = ctx;
	size_t nr = t->job->plan.events.nr;

	if (call->group != t->group || t->nr == CALLS)
		return;
	t->times_ns[t->nr] = call->time_ns;
	memcpy(t->sums + nr * t->nr, call->sums, nr * sizeof(*t->sums));
	t->nr++;
}

static void handle_record(void *ctx, const struct td_record *record, int event)
{
	struct trial *t = ctx;
	size_t at = (size_t)event - t->job->plan.events.nr;
	size_t companion = at % t->nr_companions;
	enum td_probed what = TD_PROBED_SWITCH;

	if (record->kind != TD_RECORD_SAMPLE || event < 0)
		return;
	if (companion + 2 == t->nr_companions)
		what = TD_PROBED_ENTRY;
	else if (companion + 1 == t->nr_companions)
		what = TD_PROBED_EXIT;
	td_pairing_sample(&t->pairing, record, (int)(at / t->nr_companions), what, 0);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Calls the function, and returns the median of the durations. */
static uint64_t call_all(const struct trial *t)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t took_ns[CALLS];

	for (int i = 0; i < CALLS; i++) {
		uint64_t begin_ns;

		if (i % RUN == RUN - 1)
			nanosleep(&pause, NULL);
		begin_ns = td_now_ns();

		empty[t->kind]();
		took_ns[i] = td_now_ns() - begin_ns;
	}
	qsort(took_ns, CALLS, sizeof(*took_ns), by_size);
	return took_ns[CALLS / 2];
}

/* --- cost ------------------------------------------------------------------- */

static int by_time(const void *a, const void *b, void *ctx)
{
	const uint64_t *times_ns = ctx;
	uint64_t x = times_ns[*(const size_t *)a];
	uint64_t y = times_ns[*(const size_t *)b];

	return (x > y) - (x < y);
}

/*
 * Sets the cost to the mean of the fastest quarter of calls, without the very fastest.  Probes
 * cost more on a busy machine, and subtracting the mean of all calls would make some too short.
 * So times may be too long, in 95 % of calls by at most variation_ns.
 */
static void average(const struct trial *t, struct td_call_cost *cost)
{
	const struct td_group *group = &t->job->plan.groups[t->group];
	size_t order[CALLS], first = t->nr / 20, end = first + t->nr / 4;
	uint64_t long_ns;
	double nr = (double)(end - first), time_ns = 0;

	for (size_t i = 0; i < t->nr; i++)
		order[i] = i;
	qsort_r(order, t->nr, sizeof(*order), by_time, (void *)(uintptr_t)t->times_ns);
	for (size_t i = first; i < end; i++) {
		const uint64_t *sums = t->sums + t->job->plan.events.nr * order[i];

		time_ns += (double)t->times_ns[order[i]] / nr;
		for (size_t m = 0; m < group->nr; m++)
			cost->values[group->members[m]] +=
				(double)(int64_t)sums[group->members[m]] / nr;
	}
	cost->times_ns[t->group] = (uint64_t)time_ns;
	long_ns = t->times_ns[order[t->nr - 1 - t->nr / 20]];
	if (td_since(long_ns, cost->times_ns[t->group]) > cost->variation_ns)
		cost->variation_ns = td_since(long_ns, cost->times_ns[t->group]);
}

static void try_group(struct trial *t, struct td_sampler *sampler, int group,
		      struct td_call_cost *cost)
{
	uint64_t pair_ns, off_ns;

	t->group = group;
	td_sampler_enable(sampler, true);
	for (int i = 0; i < WARM; i++)
		empty[t->kind]();
	td_sampler_read(sampler, true, handle_record, t);
	t->nr = 0;
	pair_ns = call_all(t);
	td_sampler_enable(sampler, false);
	/* disabled probes interrupt the program, but take no samples */
	off_ns = call_all(t);
	td_sampler_read(sampler, true, handle_record, t);
	if (t->nr < CALLS / 2)
		return;
	average(t, cost);
	if (pair_ns > cost->pair_ns)
		cost->pair_ns = pair_ns;
	if (off_ns > cost->off_ns)
		cost->off_ns = off_ns;
}

static void try_groups(struct trial *t, struct td_sampler *sampler, struct td_call_cost *cost)
{
	const struct td_plan *plan = &t->job->plan;
	cpu_set_t *allowed = td_affinity_get();
	struct td_err unused;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_pmu *pmu = &t->job->machine.pmus[plan->groups[g].pmu];

		if (!td_stay_on_pmu(pmu, allowed, &unused))
			try_group(t, sampler, (int)g, cost);
	}
	td_affinity_set(allowed);
	CPU_FREE(allowed);
}

/* Measures the cost in each group, with samples of this thread. */
static int try_all(struct trial *t, const struct td_companion *companions,
		   struct td_call_cost *cost, struct td_err *err)
{
	struct td_job *job = t->job;
	struct td_target self = td_rate_self(job);
	td_autofree struct td_sampling *how = td_calloc(job->plan.events.nr + 1, sizeof(*how));
	const struct td_sampler_setup setup = {
		.plan = &job->plan,
		.how = how,
		.machine = &job->machine,
		.target = &self,
		.notes = &job->notes,
		.format = { .values = true, .stack = true },
		.companions = companions,
		.nr_companions = t->nr_companions,
	};
	struct td_sampler *sampler = NULL;
	int rc = td_sampler_open(&sampler, &setup, err);

	if (!rc)
		try_groups(t, sampler, cost);
	td_sampler_close(sampler);
	td_ints_free(&self.tids);
	return rc;
}

int td_empty_kind(const struct td_entry_point *entry)
{
	if (entry->kernel)
		return TD_EMPTY_KERNEL;
	return entry->stepped ? TD_EMPTY_STEPPED : TD_EMPTY_PUSHES;
}

int td_call_cost_measure(struct td_call_cost *cost, struct td_job *job,
			 const struct td_companion *companions, size_t nr, int kind,
			 struct td_err *err)
{
	struct trial t = { .job = job, .nr_companions = nr, .kind = kind };
	int rc;

	cost->values = td_calloc(job->plan.events.nr + 1, sizeof(*cost->values));
	cost->times_ns = td_calloc(job->plan.nr_groups + 1, sizeof(*cost->times_ns));
	t.sums = td_calloc(CALLS * job->plan.events.nr + 1, sizeof(*t.sums));
	t.pairing.plan = &job->plan;
	t.pairing.nr_functions = 1;
	t.pairing.kernel = kind == TD_EMPTY_KERNEL;
	t.pairing.call_ended = add_call;
	t.pairing.ctx = &t;
	rc = try_all(&t, companions, cost, err);
	td_pairing_free(&t.pairing);
	free(t.sums);
	if (!rc && !cost->pair_ns)
		td_notes_add(&job->notes,
			     "the cost of probes could not be measured, and is part of the calls");
	return rc;
}

/* --- the pace: probes are off at times if they cost too much ------------------- */

#define USUAL_PCT 5

#define PERIOD_NS (20 * TD_NS_A_MS)
/* Calls that take longer after the end of their period are dropped. */
#define MAX_OPEN_NS TD_NS_A_SECOND
/* Minimum share of the time with probes, whatever they cost. */
#define MIN_SHARE 0.01

static double limit_of(const struct td_pace *p)
{
	double pct = p->gathering->job->request->sampling.overhead_pct;

	/* hits of kernel functions include other programs: the share is unknown */
	if (p->pairing->kernel)
		return 1;
	return (pct > 0 ? pct : USUAL_PCT) / 100;
}

void td_pace_entry(struct td_pace *p, int tid, const struct td_call_cost *cost)
{
	p->cost_ns += (double)cost->pair_ns;
	p->off_cost_ns += (double)cost->off_ns;
	if (!td_ints_has(&p->tids, tid))
		td_ints_add(&p->tids, tid);
}

/* Returns the cost of the two samples of an interrupt, which disabled probes do not take. */
static double cost_of_interrupt(const struct td_call_cost *cost)
{
	return (double)td_since(cost->pair_ns, cost->off_ns);
}

void td_pace_interrupt(struct td_pace *p, int tid, const struct td_call_cost *cost)
{
	if (td_ints_has(&p->tids, tid))
		p->cost_ns += cost_of_interrupt(cost);
}

/* --- probes ----------------------------------------------------------------- */

/* Probes of interrupts are on while calls may be open. */
static void switch_probes(struct td_pace *p, bool exits, bool on)
{
	struct td_sampler *sampler = p->gathering->sampler;

	for (size_t i = p->interrupts; exits && i < p->first; i++)
		td_sampler_enable_companion(sampler, i, on);
	for (size_t i = p->first; i < p->gathering->nr_companions; i += 2)
		td_sampler_enable_companion(sampler, i + exits, on);
	*(exits ? &p->exits : &p->entries) = on;
}

uint64_t td_about_ns(double ns)
{
	uint32_t chance = UINT32_MAX / 2;

	if (getrandom(&chance, sizeof(chance), 0) < 0)
		chance = UINT32_MAX / 2;
	return (uint64_t)(ns * (0.5 + (double)chance / (double)UINT32_MAX));
}

/* --- shares ----------------------------------------------------------------- */

/*
 * Returns the share of time that probes take in threads with calls.  All periods are included: gaps
 * that depend on the last period would favour slow calls.
 */
static double busy_share(const struct td_pace *p, uint64_t took_ns)
{
	double threads = p->tids.nr ? (double)p->tids.nr : 1;
	double all_ns = p->on_ns + (double)took_ns * threads;

	return fmin(p->cost_ns / all_ns, 0.99);
}

/*
 * Returns the share of time that disabled probes take.  While probes are disabled, the same calls
 * follow each other faster.
 */
static double off_share(const struct td_pace *p, double busy)
{
	double ratio = p->cost_ns > 0 ? p->off_cost_ns / p->cost_ns : 0;
	double off = busy / (1 - busy) * ratio;

	return off / (1 + off);
}

/*
 * Returns how long probes have to be off to keep the average within the limit.  They were on for
 * with_ns; after that, only exit probes were on, for exits_ns, at half the cost.
 */
static double gap_after(double limit, double busy, double off, double with_ns, double exits_ns)
{
	double cost_ns = busy * (with_ns + exits_ns / 2);
	double max_ns = with_ns / MIN_SHARE;

	if (off >= limit)
		return max_ns;
	return fmin((cost_ns - limit * (with_ns + exits_ns)) / (limit - off), max_ns);
}

static void begin_period(struct td_pace *p, uint64_t from_ns, uint64_t now_ns)
{
	p->tids.nr = 0;
	p->begun_ns = from_ns;
	p->next_ns = now_ns + PERIOD_NS;
}

static void add_period(struct td_pace *p, uint64_t took_ns)
{
	double threads = p->tids.nr ? (double)p->tids.nr : 1;

	p->on_ns += (double)took_ns * threads;
	p->tids.nr = 0;
}

/* --- states ----------------------------------------------------------------- */

/* The period ends with the previous reading of the rings, because later calls are unknown. */
static void end_period(struct td_pace *p, uint64_t now_ns)
{
	uint64_t took_ns = td_since(p->read_ns, p->begun_ns);

	p->next_ns = now_ns + TD_LOOK_NS;
	if (took_ns < PERIOD_NS / 2)
		return;
	if (busy_share(p, took_ns) > limit_of(p)) {
		switch_probes(p, false, false);
		p->pairing->gaps = true;
		p->stopped_ns = now_ns;
		p->reads = 0;
		return;
	}
	add_period(p, took_ns);
	begin_period(p, p->read_ns, now_ns);
}

static void end_exits(struct td_pace *p, uint64_t now_ns)
{
	uint64_t with_ns = p->stopped_ns - p->begun_ns;
	uint64_t exits_ns = now_ns - p->stopped_ns;
	double busy;

	p->next_ns = now_ns + TD_LOOK_NS;
	if (p->reads < TD_READS || (exits_ns < MAX_OPEN_NS && td_pairing_nr_open(p->pairing)))
		return;
	switch_probes(p, true, false);
	td_pairing_gap(p->pairing);
	busy = busy_share(p, with_ns);
	add_period(p, with_ns);
	p->next_ns += td_about_ns(gap_after(limit_of(p), busy, off_share(p, busy), (double)with_ns,
					    (double)exits_ns));
}

static void step(struct td_pace *p, uint64_t now_ns)
{
	if (p->entries) {
		end_period(p, now_ns);
	} else if (p->exits) {
		end_exits(p, now_ns);
	} else {
		switch_probes(p, true, true);
		switch_probes(p, false, true);
		begin_period(p, now_ns, now_ns);
	}
}

int td_pace(struct td_pace *p, struct td_err *err)
{
	uint64_t now_ns = td_now_ns();

	if (!p->begun_ns) {
		p->entries = p->exits = true;
		begin_period(p, now_ns, now_ns);
	} else if (now_ns >= p->next_ns) {
		step(p, now_ns);
	}
	p->reads++;
	p->read_ns = now_ns;
	return td_waiter_delay(&p->gathering->engine.waiter, td_since(p->next_ns, now_ns) + 1, err);
}

/* --- the end ---------------------------------------------------------------- */

/* The cost is reported above this share of the CPU time. */
#define MUCH_PCT 5

/* The CPU time of a process that is not a child is unknown: at most, it is the elapsed time. */
void td_probes_report_cost(const struct td_gathering *g, const struct td_call_cost *cost,
			   const double took_ns[2], const uint64_t calls[2], uint64_t interrupts)
{
	const struct td_usage *usage = &g->usage;
	double all_ns = usage->has_times ? (double)(usage->user_ns + usage->sys_ns)
					 : (double)usage->elapsed_ns;
	double interrupt_ns = cost_of_interrupt(cost);
	double interrupts_ns = (double)interrupts * interrupt_ns;
	double pct = 100 * (took_ns[0] + took_ns[1] + interrupts_ns) / all_ns;

	if (!(pct > MUCH_PCT))
		return;
	if (calls[0])
		td_job_say(g->job,
			   "tdstat: the probes took about %.0f %% of the %s: %.1f us for each of "
			   "%" PRIu64 " calls\n",
			   fmin(pct, 100), usage->has_times ? "CPU time" : "time of a CPU",
			   took_ns[0] / (double)calls[0] / 1e3, calls[0]);
	if (interrupts_ns > took_ns[0] / 10)
		td_job_say(g->job,
			   "tdstat: %s%.1f us for each of %" PRIu64 " interrupts of its threads\n",
			   calls[0] ? "and " : "the probes took ", interrupt_ns / 1e3, interrupts);
	if (calls[1])
		td_job_say(g->job,
			   "tdstat: and %.1f us for each of %" PRIu64
			   " calls that were not counted: a probe that is off still interrupts its "
			   "program\n",
			   took_ns[1] / (double)calls[1] / 1e3, calls[1]);
}
