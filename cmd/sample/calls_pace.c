// SPDX-License-Identifier: GPL-2.0-only
/*
 * When calls are counted: in stretches of time, where they cost too much, and by
 * Processor Trace those of one function at a time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cmd/sample/calling.h"
#include "lib/base/util.h"

#define USUAL_PCT 5

/* How soon to look again whether something can be done. */
#define LOOK_NS (2 * TD_NS_A_MS)
/* The rings have to be read so often until all of the stretch is known. */
#define READS 2

#define STRETCH_NS (20 * TD_NS_A_MS)
/* Calls that take longer after the end of their stretch are given up. */
#define MOST_OPEN_NS TD_NS_A_SECOND
/* At least this share of the time is counted, whatever it costs. */
#define LEAST_SHARE 0.01

static double limit_of(const struct td_calling *c)
{
	double pct = c->job.request->sampling.overhead_pct;

	/* hits of the kernel's functions are of all programs: no share is known */
	if (c->pairing.kernel)
		return 1;
	return (pct > 0 ? pct : USUAL_PCT) / 100;
}

static double cost_of(const struct td_calling *c, size_t function)
{
	return (double)c->cost_of[function]->pair_ns;
}

int td_calls_note_entry(struct td_calling *c, int tid, size_t function)
{
	c->pace.cost_ns += cost_of(c, function);
	c->pace.off_cost_ns += (double)c->cost_of[function]->off_ns;
	return td_ints_has(&c->pace.tids, tid)
		       ? 0
		       : td_ints_add(&c->pace.tids, tid);
}

/* Its two samples, of which a probe that is off has none. */
static double cost_of_interrupt(const struct td_calling *c)
{
	const struct td_call_cost *cost = c->cost_of[0];

	return (double)td_since(cost->pair_ns, cost->off_ns);
}

/* Of threads that do not call, the time is not known either. */
void td_calls_note_interrupt(struct td_calling *c, int tid)
{
	if (td_ints_has(&c->pace.tids, tid))
		c->pace.cost_ns += cost_of_interrupt(c);
}

/* --- probes ----------------------------------------------------------------- */

/* Interrupts are told as long as calls may be open. */
static void switch_probes(struct td_calling *c, bool exits, bool on)
{
	for (size_t i = TD_CALLING_PROBES; exits && i < td_calls_entry(c, 0);
	     i++)
		td_sampler_enable_companion(c->gathering.sampler, i, on);
	for (size_t i = 0; i < c->functions.nr; i++)
		td_sampler_enable_companion(c->gathering.sampler,
					    td_calls_entry(c, i) + exits, on);
	*(exits ? &c->pace.exits : &c->pace.entries) = on;
}

/* From half to one and a half of it, by chance. */
static uint64_t about(double ns)
{
	uint32_t chance = UINT32_MAX / 2;

	if (getrandom(&chance, sizeof(chance), 0) < 0)
		chance = UINT32_MAX / 2;
	return (uint64_t)(ns * (0.5 + (double)chance / (double)UINT32_MAX));
}

/* --- shares ----------------------------------------------------------------- */

/*
 * Of the time of the threads that call: what the probes take with entries.  It is that
 * of all stretches: a gap that went by the last one would count fewer calls where they
 * are fast.
 */
static double busy_share(const struct td_calling *c, uint64_t took_ns)
{
	double threads = c->pace.tids.nr ? (double)c->pace.tids.nr : 1;
	double all_ns = c->pace.on_ns + (double)took_ns * threads;

	return fmin(c->pace.cost_ns / all_ns, 0.99);
}

/* What the same calls, which then come faster, take without. */
static double idle_share(const struct td_calling *c, double busy)
{
	double ratio =
		c->pace.cost_ns > 0 ? c->pace.off_cost_ns / c->pace.cost_ns : 0;
	double off = busy / (1 - busy) * ratio;

	return off / (1 + off);
}

/*
 * How long nothing has to be probed after a stretch, and a time with returns alone,
 * which cost half: until all of it has cost what it may.
 */
static double gap_after(double limit, double busy, double idle, double with_ns,
			double returns_ns)
{
	double cost_ns = busy * (with_ns + returns_ns / 2);
	double most_ns = with_ns / LEAST_SHARE;

	if (idle >= limit)
		return most_ns;
	return fmin((cost_ns - limit * (with_ns + returns_ns)) / (limit - idle),
		    most_ns);
}

static void begin_stretch(struct td_calling *c, uint64_t from_ns,
			  uint64_t now_ns)
{
	c->pace.tids.nr = 0;
	c->pace.begun_ns = from_ns;
	c->pace.next_ns = now_ns + STRETCH_NS;
}

static void add_stretch(struct td_calling *c, uint64_t took_ns)
{
	double threads = c->pace.tids.nr ? (double)c->pace.tids.nr : 1;

	c->pace.on_ns += (double)took_ns * threads;
	c->pace.tids.nr = 0;
}

/* --- states ----------------------------------------------------------------- */

/* Of what happened since the rings were read before, nothing is known. */
static void end_stretch(struct td_calling *c, uint64_t now_ns)
{
	uint64_t took_ns = td_since(c->pace.read_ns, c->pace.begun_ns);

	c->pace.next_ns = now_ns + LOOK_NS;
	if (took_ns < STRETCH_NS / 2)
		return;
	if (busy_share(c, took_ns) > limit_of(c)) {
		switch_probes(c, false, false);
		c->pairing.gaps = true;
		c->pace.stopped_ns = now_ns;
		c->pace.reads = 0;
		return;
	}
	add_stretch(c, took_ns);
	begin_stretch(c, c->pace.read_ns, now_ns);
}

static void end_returns(struct td_calling *c, uint64_t now_ns)
{
	uint64_t with_ns = c->pace.stopped_ns - c->pace.begun_ns;
	uint64_t returns_ns = now_ns - c->pace.stopped_ns;
	double busy;

	c->pace.next_ns = now_ns + LOOK_NS;
	if (c->pace.reads < READS ||
	    (returns_ns < MOST_OPEN_NS && td_pairing_nr_open(&c->pairing)))
		return;
	switch_probes(c, true, false);
	td_pairing_gap(&c->pairing);
	busy = busy_share(c, with_ns);
	add_stretch(c, with_ns);
	c->pace.next_ns +=
		about(gap_after(limit_of(c), busy, idle_share(c, busy),
				(double)with_ns, (double)returns_ns));
}

static void end_gap(struct td_calling *c, uint64_t now_ns)
{
	switch_probes(c, true, true);
	switch_probes(c, false, true);
	begin_stretch(c, now_ns, now_ns);
}

static void step(struct td_calling *c, uint64_t now_ns)
{
	if (c->pace.entries)
		end_stretch(c, now_ns);
	else if (c->pace.exits)
		end_returns(c, now_ns);
	else
		end_gap(c, now_ns);
}

int td_calls_pace(void *ctx, struct td_err *err)
{
	struct td_calling *c = ctx;
	uint64_t now_ns = td_now_ns();

	if (!c->pace.begun_ns) {
		c->pace.entries = c->pace.exits = true;
		begin_stretch(c, now_ns, now_ns);
	} else if (now_ns >= c->pace.next_ns) {
		step(c, now_ns);
	}
	c->pace.reads++;
	c->pace.read_ns = now_ns;
	return td_waiter_delay(&c->gathering.engine.waiter,
			       td_since(c->pace.next_ns, now_ns) + 1, err);
}

/* --- the end ---------------------------------------------------------------- */

void td_calls_end_pace(struct td_calling *c)
{
	td_ints_free(&c->pace.tids);
	for (size_t i = 0; c->pairing.gaps && i < c->functions.nr; i++)
		c->regions.timed[i].all = td_probes_hits(&c->probes, i);
}

/* Of a process that runs already, the CPU time is not known: at most all of one. */
static double all_ns(const struct td_usage *usage)
{
	return usage->has_times ? (double)(usage->user_ns + usage->sys_ns)
				: (double)usage->elapsed_ns;
}

static uint64_t nr_counted(const struct td_calling *c, size_t function)
{
	uint64_t nr = c->regions.timed[function].durations.nr;

	return c->pairing.unpaired
		       ? nr + c->pairing.unpaired[function].recursive
		       : nr;
}

/* From this share of the CPU time on, what the probes cost is worth a remark. */
#define MUCH_PCT 5

/* Times of so few times the spread of the cost are not exact. */
#define UNSURE_TIMES 10

static void say_spread(const struct td_calling *c, size_t function)
{
	const struct td_durations *durations =
		&c->regions.timed[function].durations;
	double spread_ns = (double)c->cost_of[function]->spread_ns;
	char text[TD_DURATION_NAME];

	if (!(td_durations_quantile(durations, 0.5) < UNSURE_TIMES * spread_ns))
		return;
	td_duration_text(text, spread_ns);
	td_job_say(
		&c->job,
		"tdstat: %s: a call may have taken up to %s less: the cost of "
		"probes varies by that, and the least is subtracted\n",
		c->functions.v[function].name, text);
}

void td_calls_say_cost(const struct td_calling *c)
{
	const struct td_usage *usage = &c->gathering.usage;
	double interrupts_ns =
		(double)c->pairing.nr_interrupts * cost_of_interrupt(c);
	double on_ns = 0, off_ns = 0, pct;
	uint64_t nr = 0, nr_off = 0;

	for (size_t i = 0; i < c->functions.nr; i++) {
		uint64_t calls = nr_counted(c, i);
		uint64_t off = td_since(c->regions.timed[i].all, calls);

		on_ns += (double)calls * cost_of(c, i);
		off_ns += (double)off * (double)c->cost_of[i]->off_ns;
		nr += calls;
		nr_off += off;
	}
	for (size_t i = 0; i < c->functions.nr; i++)
		say_spread(c, i);
	pct = 100 * (on_ns + off_ns + interrupts_ns) / all_ns(usage);
	if (pct > MUCH_PCT && nr)
		td_job_say(&c->job,
			   "tdstat: the probes took about %.0f %% of the %s: "
			   "%.1f us for each of %" PRIu64 " calls\n",
			   fmin(pct, 100),
			   usage->has_times ? "CPU time" : "time of a CPU",
			   on_ns / (double)nr / 1e3, nr);
	if (pct > MUCH_PCT && interrupts_ns > on_ns / 10)
		td_job_say(&c->job,
			   "tdstat: %s%.1f us for each of %" PRIu64
			   " interrupts of its threads\n",
			   nr ? "and " : "the probes took ",
			   cost_of_interrupt(c) / 1e3,
			   c->pairing.nr_interrupts);
	if (pct > MUCH_PCT && nr_off)
		td_job_say(&c->job,
			   "tdstat: and %.1f us for each of %" PRIu64
			   " calls that were not counted: a probe that is off "
			   "still interrupts its program\n",
			   off_ns / (double)nr_off / 1e3, nr_off);
}

/* --- turns of functions, by Processor Trace ------------------------------- */

int td_calls_turn_filter(struct td_calling *c, struct td_err *err)
{
	const struct td_entry_point *entry = &c->functions.v[c->traced.turn];

	free(c->gathering.trace.filter);
	/* the kernel ends a path at a blank, and its root may be another one */
	if (asprintf(&c->gathering.trace.filter,
		     "filter 0x%" PRIx64 "/0x%" PRIx64 "@/proc/%d/fd/%d",
		     entry->offset, entry->size, (int)getpid(), entry->fd) >= 0)
		return 0;
	c->gathering.trace.filter = NULL;
	return td_err_nomem(err);
}

struct td_traced_calls *td_calls_of_turn(struct td_calling *c)
{
	return &c->traced.calls[c->traced.turn];
}

static void begin_turn(struct td_calling *c, uint64_t now_ns)
{
	c->traced.turn_ns = now_ns;
	c->traced.next_ns = now_ns + about((double)TD_TURN_MS * TD_NS_A_MS);
}

static uint64_t trace_ns(const struct td_calling *c)
{
	return td_sampler_trace_ns(c->gathering.sampler, __rdtsc());
}

/* What it traced is in the rings, and is read before the next turn. */
static void end_turn(struct td_calling *c, uint64_t now_ns)
{
	td_calls_of_turn(c)->until_ns = trace_ns(c);
	td_sampler_rest_trace(c->gathering.sampler);
	c->traced.rests = true;
	c->traced.reads = 0;
	c->regions.timed[c->traced.turn].traced_ns +=
		td_since(now_ns, c->traced.turn_ns);
	c->traced.next_ns = td_now_ns() + LOOK_NS;
}

/* It is that of all CPUs, which are switched on one by one. */
static int next_turn(struct td_calling *c, struct td_err *err)
{
	int rc;

	td_traced_calls_turn(td_calls_of_turn(c), 0);
	c->traced.turn = (c->traced.turn + 1) % c->functions.nr;
	c->traced.pid = 0;
	rc = td_calls_turn_filter(c, err);
	if (!rc)
		rc = td_sampler_go_on_trace(c->gathering.sampler,
					    c->gathering.trace.filter, err);
	begin_turn(c, td_now_ns());
	td_traced_calls_turn(td_calls_of_turn(c), trace_ns(c));
	c->traced.rests = false;
	return rc;
}

static int step_turn(struct td_calling *c, uint64_t now_ns, struct td_err *err)
{
	if (!c->traced.rests)
		end_turn(c, now_ns);
	else if (c->traced.reads >= READS)
		return next_turn(c, err);
	else
		c->traced.next_ns = now_ns + LOOK_NS;
	return 0;
}

int td_calls_turn(void *ctx, struct td_err *err)
{
	struct td_calling *c = ctx;
	uint64_t now_ns = td_now_ns();
	int rc = 0;

	if (!c->traced.begun_ns) {
		c->traced.begun_ns = now_ns;
		c->counts.wall_ns = td_wall_ns() - trace_ns(c);
		begin_turn(c, now_ns);
	}
	if (c->functions.nr == 1)
		return 0;
	c->traced.reads++;
	if (now_ns >= c->traced.next_ns)
		rc = step_turn(c, now_ns, err);
	return rc ? rc
		  : td_waiter_delay(
			    &c->gathering.engine.waiter,
			    td_since(c->traced.next_ns, td_now_ns()) + 1, err);
}

void td_calls_end_turns(struct td_calling *c)
{
	uint64_t end_ns = c->gathering.start_ns + c->gathering.usage.elapsed_ns;
	struct td_timed *timed = c->regions.timed;

	if (c->functions.nr == 1)
		return;
	if (!c->traced.rests)
		timed[c->traced.turn].traced_ns +=
			td_since(end_ns, c->traced.turn_ns);
	for (size_t i = 0; i < c->functions.nr; i++) {
		timed[i].counting_ns = td_since(end_ns, c->traced.begun_ns);
		if (timed[i].traced_ns > timed[i].counting_ns)
			timed[i].traced_ns = timed[i].counting_ns;
	}
}
