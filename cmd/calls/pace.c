// SPDX-License-Identifier: GPL-2.0-only
/* Switches probes off and on, if they cost too much. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cmd/calls/parts.h"
#include "lib/base/util.h"

#define USUAL_PCT 5

#define PERIOD_NS (20 * TD_NS_A_MS)
/* Calls that take longer after the end of their period are given up. */
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

/* The cost of two samples, which probes that are off do not take. */
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
 * Returns the share that probes take of the time of threads with calls.  It includes all periods:
 * gaps that depend on the last period would favour slow calls.
 */
static double busy_share(const struct td_pace *p, uint64_t took_ns)
{
	double threads = p->tids.nr ? (double)p->tids.nr : 1;
	double all_ns = p->on_ns + (double)took_ns * threads;

	return fmin(p->cost_ns / all_ns, 0.99);
}

/* Returns the share of probes that are off: the same calls follow each other faster. */
static double off_share(const struct td_pace *p, double busy)
{
	double ratio = p->cost_ns > 0 ? p->off_cost_ns / p->cost_ns : 0;
	double off = busy / (1 - busy) * ratio;

	return off / (1 + off);
}

/*
 * Returns how long probes have to be off, to keep the average within the limit.  Before that came
 * a period with entry probes, and a time with only exit probes, which cost half.
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
