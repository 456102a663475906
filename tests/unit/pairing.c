// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/pairing.h"

#include <stdlib.h>

#include "tests/unit/test.h"

/* Two core types, with a group each: of two events, and of one. */
static struct td_event events[3];
static int members[] = { 0, 1, 2 };
static struct td_group groups[] = {
	{ .pmu = 0, .members = members, .nr = 2 },
	{ .pmu = 1, .members = members + 2, .nr = 1 },
};
static const struct td_plan plan = { .events = { events, 3 }, .groups = groups, .nr_groups = 2 };

enum {
	F,
	G,
	NR_FUNCTIONS
};

#define MOST 64

static struct td_pairing pairing;
static struct td_paired_call calls[MOST];
static uint64_t sums[MOST][16];
static size_t nr;
static uint64_t now_ns;

static void take(void *ctx, const struct td_paired_call *call)
{
	(void)ctx;
	if (nr == MOST)
		exit(1);
	calls[nr] = *call;
	memcpy(sums[nr], call->sums, td_pairing_nr_sums(&plan) * sizeof(uint64_t));
	nr++;
}

static void begin(void)
{
	td_pairing_free(&pairing);
	pairing.plan = &plan;
	pairing.nr_functions = NR_FUNCTIONS;
	pairing.call_ended = take;
	nr = 0;
	now_ns = 1000;
}

/* Return a record of a thread on a CPU; CPU 1 is of the second core type. */
static struct td_record record_of(int tid, int cpu)
{
	return (struct td_record){ .kind = TD_RECORD_SAMPLE,
				   .time_ns = now_ns,
				   .cpu = cpu,
				   .pid = tid,
				   .tid = tid,
				   .wide = true };
}

/* value: of the group's first event; a second one has a tenth; time is the value. */
static void sample(int tid, int cpu, uint64_t stack, uint64_t value, enum td_probed what,
		   int function)
{
	struct td_record r = record_of(tid, cpu);
	const uint64_t both[] = { value, 1, value / 10, 1, value / 100, 1, value / 1000, 1 };
	const uint64_t one[] = { value, 1, value / 100, 1, value / 1000, 1 };
	bool second = cpu == 1;

	r.stack = stack;
	r.values = second ? one : both;
	r.nr_values = second ? 3 : 4;
	r.running_ns = value;
	td_pairing_sample(&pairing, &r, second, what, function);
}

static void enter(int tid, uint64_t stack, int function)
{
	now_ns += 10;
	sample(tid, 0, stack, now_ns, TD_PROBED_ENTRY, function);
}

static void leave(int tid, uint64_t stack, int function)
{
	now_ns += 10;
	sample(tid, 0, stack, now_ns, TD_PROBED_EXIT, function);
}

static void lose_cpu(int tid, int cpu, uint64_t value, bool out, bool preempted)
{
	struct td_record r = record_of(tid, cpu);

	r.kind = TD_RECORD_SWITCH;
	r.out = out;
	r.preempted = preempted;
	if (out)
		sample(tid, cpu, 0, value, TD_PROBED_SWITCH, 0);
	td_pairing_record(&pairing, &r);
}

static uint64_t sum(size_t call, size_t which)
{
	return sums[call][plan.events.nr + which];
}

/* --- calls ------------------------------------------------------------------ */

static void test_one(void)
{
	begin();
	enter(7, 500, F);
	leave(7, 500, F);
	ok(nr == 1 && calls[0].function == F && calls[0].time_ns == 10 &&
		   calls[0].start_ns == 1010 && calls[0].tid == 7,
	   "a call");
	ok(sums[0][0] == 10 && sums[0][1] == 1 && sums[0][2] == 0,
	   "with what was counted within it");
	enter(7, 500, F);
	leave(7, 500, F);
	ok(nr == 2 && sums[1][0] == 10, "and the next one");
	ok(pairing.unpaired[F].recursive + pairing.unpaired[F].left + pairing.unpaired[F].before ==
		   0,
	   "nothing is left over");
}

static void test_nested(void)
{
	begin();
	enter(7, 500, F);
	enter(7, 400, G);
	leave(7, 400, G);
	leave(7, 500, F);
	ok(nr == 2 && calls[0].function == G && calls[0].time_ns == 10 && calls[1].function == F &&
		   calls[1].time_ns == 30,
	   "functions within each other");
}

static void test_recursion(void)
{
	begin();
	enter(7, 500, F);
	enter(7, 400, F);
	enter(7, 300, F);
	leave(7, 300, F);
	leave(7, 400, F);
	leave(7, 500, F);
	ok(nr == 1 && calls[0].time_ns == 50, "the outermost call counts");
	ok(pairing.unpaired[F].recursive == 2, "those within are told");
}

/* The kernel has no returns of more than 64 calls within each other. */
static void test_deep(void)
{
	begin();
	for (uint64_t i = 0; i < 100; i++)
		enter(7, 5000 - 10 * i, F);
	for (uint64_t i = 64; i--;)
		leave(7, 5000 - 10 * i, F);
	ok(nr == 1 && pairing.unpaired[F].recursive == 99 && !pairing.unpaired[F].left,
	   "a deep recursion is one call");
}

/* --- calls that do not return ----------------------------------------------- */

static void test_longjmp(void)
{
	begin();
	enter(7, 500, F);
	enter(7, 400, G);
	leave(7, 500, F);
	ok(nr == 1 && calls[0].function == F && pairing.unpaired[G].left == 1,
	   "an outer return leaves the inner call");
	for (int i = 0; i < 3; i++)
		enter(7, 400, F);
	leave(7, 400, F);
	ok(nr == 2 && calls[1].time_ns == 10 && pairing.unpaired[F].left == 2,
	   "a call at the same place: those before were left");
	enter(7, 400, F);
	enter(7, 450, F);
	leave(7, 450, F);
	ok(nr == 3 && calls[2].time_ns == 10 && pairing.unpaired[F].left == 3 &&
		   !pairing.unpaired[F].recursive,
	   "a call above: that below was left");
}

static void test_tail_call(void)
{
	begin();
	enter(7, 500, F);
	leave(7, 500, F);
	sample(7, 0, 500, now_ns, TD_PROBED_ENTRY, G);
	leave(7, 500, G);
	ok(nr == 2 && calls[0].function == F && calls[0].time_ns == 10 && calls[1].function == G &&
		   calls[1].time_ns == 10,
	   "a function that jumps to another ends there, and the other begins");
	ok(!pairing.unpaired[F].left && !pairing.unpaired[G].left, "and neither was left");
}

/* As a jump by a table of a switch, which may look like one to another function. */
static void test_inner_jump(void)
{
	begin();
	enter(7, 500, F);
	leave(7, 460, F);
	ok(nr == 0 && pairing.unpaired[F].before == 0,
	   "a jump with more on the stack stays within the function");
	enter(7, 400, G);
	leave(7, 400, G);
	leave(7, 460, F);
	leave(7, 500, F);
	ok(nr == 2 && calls[1].function == F && calls[1].time_ns == 50, "which ends at its return");
}

static void test_before(void)
{
	begin();
	leave(7, 500, F);
	ok(nr == 0 && pairing.unpaired[F].before == 1, "a return of a call that had begun before");
	enter(7, 400, F);
	leave(7, 400, F);
	leave(7, 500, F);
	ok(nr == 1 && pairing.unpaired[F].before == 2, "around another one");
}

/* --- threads ---------------------------------------------------------------- */

static void test_threads(void)
{
	begin();
	enter(7, 500, F);
	enter(8, 500, F);
	leave(7, 500, F);
	leave(8, 500, F);
	ok(nr == 2 && calls[0].tid == 7 && calls[0].time_ns == 20 && calls[1].tid == 8 &&
		   calls[1].time_ns == 20 && !pairing.unpaired[F].recursive,
	   "each thread has its calls");
}

static void test_fork(void)
{
	begin();
	enter(7, 500, F);
	leave(8, 500, F);
	leave(7, 500, F);
	ok(nr == 1 && calls[0].tid == 7 && pairing.unpaired[F].before == 1,
	   "a child returns from its parent's call, which is one");
}

static void test_end(void)
{
	begin();
	enter(7, 500, F);
	td_pairing_record(&pairing, &(struct td_record){ .kind = TD_RECORD_END, .tid = 7 });
	ok(pairing.unpaired[F].open == 1, "a thread ends within a call");
	now_ns = 1000;
	enter(7, 500, F);
	leave(7, 500, F);
	ok(nr == 1 && sums[0][0] == 10, "the next thread of the number begins with counts of 0");
	enter(7, 500, F);
	td_pairing_record(&pairing, &(struct td_record){ .kind = TD_RECORD_EXEC, .tid = 7 });
	ok(pairing.unpaired[F].open == 2, "it becomes another program");
	enter(7, 300, F);
	td_pairing_end(&pairing);
	ok(pairing.unpaired[F].open == 3 && nr == 1, "the counting ends");
}

static void test_reused_number(void)
{
	begin();
	enter(7, 500, F);
	leave(7, 500, F);
	enter(7, 500, F);
	now_ns += 10;
	sample(7, 0, 500, 5, TD_PROBED_EXIT, F);
	ok(nr == 1 && pairing.unpaired[F].lost == 1, "counts that go back are of another thread");
}

/* As sample(), by the clock of its own event. */
static void sample_by(uint64_t running_ns, uint64_t stack, enum td_probed what)
{
	struct td_record r = record_of(7, 0);
	const uint64_t values[] = { now_ns, 1, now_ns / 10, 1, now_ns / 100, 1, now_ns / 1000, 1 };

	r.stack = stack;
	r.values = values;
	r.nr_values = 4;
	r.running_ns = running_ns;
	td_pairing_sample(&pairing, &r, 0, what, F);
}

/* Probes that are sometimes off, return probes for a shorter time. */
static void test_clocks(void)
{
	begin();
	pairing.gaps = true;
	enter(7, 500, F);
	leave(7, 500, F);
	now_ns += 100;
	sample_by(3, 500, TD_PROBED_ENTRY);
	now_ns += 20;
	sample_by(5000, 500, TD_PROBED_EXIT);
	ok(nr == 2 && pairing.unpaired[F].lost == 0,
	   "a clock that is behind that of another probe: nothing is lost");
	ok(sums[1][0] == 20 && sum(1, TD_CALL_GROUPS) == 20, "no more time than has gone");
	/* by a call around them, which is open */
	sample_by(4000, 800, TD_PROBED_ENTRY);
	now_ns += 5;
	sample_by(3900, 700, TD_PROBED_ENTRY);
	now_ns += 5;
	sample_by(6000, 800, TD_PROBED_EXIT);
	ok(nr == 3 && pairing.unpaired[F].lost == 0 && sums[2][0] == 10,
	   "nor is a call within which it goes back");
}

/* --- CPUs ------------------------------------------------------------------- */

static void test_switch(void)
{
	begin();
	enter(7, 500, F);
	now_ns += 10;
	lose_cpu(7, 0, now_ns, true, false);
	now_ns += 100;
	lose_cpu(7, 0, 0, false, false);
	now_ns += 10;
	lose_cpu(7, 0, now_ns - 100, true, true);
	now_ns += 50;
	lose_cpu(7, 0, 0, false, false);
	now_ns += 10;
	sample(7, 0, 500, now_ns - 150, TD_PROBED_EXIT, F);
	ok(nr == 1 && calls[0].time_ns == 180, "the whole time");
	ok(sum(0, TD_CALL_WAITED_NS) == 150 && sum(0, TD_CALL_PREEMPTED_NS) == 50,
	   "and that without a CPU");
	ok(sums[0][0] == 30 && sum(0, TD_CALL_GROUPS) == 30, "nothing is counted meanwhile");
	ok(sum(0, TD_CALL_MIGRATIONS) == 0, "it stayed on its CPU");
}

/* Functions of the kernel have no stack: all have that of the system call. */
static void test_kernel(void)
{
	begin();
	pairing.kernel = true;
	enter(7, 800, F);
	enter(7, 800, G);
	leave(7, 792, G);
	enter(7, 800, G);
	leave(7, 792, G);
	leave(7, 792, F);
	ok(nr == 3 && calls[0].function == G && calls[2].function == F && calls[2].time_ns == 50,
	   "calls within a call, without a stack");
	leave(7, 792, F);
	ok(nr == 3 && pairing.unpaired[F].before == 1, "one that had begun");
	enter(7, 800, F);
	enter(7, 800, F);
	leave(7, 792, F);
	leave(7, 792, F);
	ok(nr == 4 && calls[3].time_ns == 30 && pairing.unpaired[F].recursive == 1 &&
		   pairing.unpaired[F].left == 0,
	   "a function of the kernel that calls itself");
	/* a return of G is missed */
	enter(7, 800, F);
	enter(7, 800, G);
	leave(7, 792, F);
	ok(nr == 5 && pairing.unpaired[G].left == 1, "a return is missing");
}

/* --- interrupts ------------------------------------------------------------- */

/* Counts grow as fast as the time. */
static void interrupt(bool begins)
{
	now_ns += 10;
	sample(7, 0, 0, now_ns, begins ? TD_PROBED_INTERRUPT : TD_PROBED_INTERRUPT_END, 0);
}

/* Return true if a call took time_ns in total, of which ns were in interrupts. */
static bool is_interrupted(size_t call, uint64_t time_ns, uint64_t ns)
{
	return calls[call].time_ns == time_ns && sum(call, TD_CALL_INTERRUPTED_NS) == ns &&
	       sums[call][0] == time_ns - ns && sum(call, TD_CALL_GROUPS) == time_ns - ns;
}

static void test_interrupts(void)
{
	begin();
	interrupt(true);
	interrupt(false);
	enter(7, 500, F);
	interrupt(true);
	interrupt(false);
	interrupt(true);
	interrupt(false);
	leave(7, 500, F);
	ok(nr == 1 && is_interrupted(0, 50, 20),
	   "interrupts within a call, and what is counted in them");
	enter(7, 500, F);
	enter(7, 400, G);
	interrupt(true);
	interrupt(true);
	interrupt(false);
	interrupt(false);
	leave(7, 400, G);
	leave(7, 500, F);
	ok(nr == 3 && calls[1].function == G && is_interrupted(1, 50, 30) &&
		   is_interrupted(2, 70, 30),
	   "one within another is counted once, in all calls around it");
	ok(pairing.nr_interrupts == 5, "all that began");
	/* interrupts that begin or end without a probe */
	enter(7, 500, F);
	interrupt(false);
	interrupt(true);
	leave(7, 500, F);
	enter(7, 500, F);
	interrupt(true);
	enter(7, 400, G);
	leave(7, 400, G);
	leave(7, 500, F);
	ok(nr == 6 && is_interrupted(3, 30, 0) && is_interrupted(4, 10, 0) &&
		   is_interrupted(5, 40, 0) && pairing.unpaired[F].left == 0 &&
		   pairing.unpaired[G].left == 0,
	   "one without a beginning or an end is none");
	enter(7, 500, F);
	interrupt(true);
	td_pairing_gap(&pairing);
	ok(td_pairing_nr_open(&pairing) == 0 && pairing.unpaired[F].open == 1,
	   "nor is one in which a gap begins a call");
}

/* Functions of the kernel may be called in an interrupt. */
static void test_interrupts_of_kernel(void)
{
	begin();
	pairing.kernel = true;
	interrupt(true);
	enter(7, 0, G);
	interrupt(true);
	interrupt(false);
	leave(7, 0, G);
	interrupt(false);
	ok(nr == 1 && is_interrupted(0, 30, 10),
	   "a call in an interrupt has those that come in it alone");
	enter(7, 0, F);
	interrupt(true);
	enter(7, 0, G);
	interrupt(true);
	interrupt(false);
	leave(7, 0, G);
	interrupt(false);
	leave(7, 0, F);
	ok(nr == 3 && is_interrupted(1, 30, 10) && is_interrupted(2, 70, 50),
	   "the call around it has all of the interrupt");
	ok(pairing.unpaired[F].left + pairing.unpaired[G].left == 0, "nothing was left");
	pairing.kernel = false;
}

/* A call from before the gap never ends, and calls within it are not reported. */
static void test_gap(void)
{
	begin();
	enter(7, 800, F);
	ok(td_pairing_nr_open(&pairing) == 1, "a call is open");
	pairing.gaps = true;
	td_pairing_gap(&pairing);
	ok(td_pairing_nr_open(&pairing) == 0 && pairing.unpaired[F].open == 1, "a gap ends it");
	leave(7, 800, F);
	leave(7, 700, F);
	ok(nr == 0 && pairing.unpaired[F].before == 0, "returns of calls that began in a gap");
	enter(7, 800, F);
	leave(7, 800, F);
	ok(nr == 1 && pairing.unpaired[F].left == 0 && calls[0].time_ns == 10,
	   "a call behind it, at the place of the one that was open");
}

/* To a CPU of the other kind, which has counted 5000 of the thread before, and back. */
static void test_migration(void)
{
	begin();
	sample(7, 1, 0, 5000, TD_PROBED_SWITCH, 0);
	enter(7, 500, F);
	now_ns += 10;
	sample(7, 0, 0, now_ns, TD_PROBED_SWITCH, 0);
	sample(7, 1, 0, 7000, TD_PROBED_SWITCH, 0);
	sample(7, 0, 500, now_ns + 7, TD_PROBED_EXIT, F);
	ok(nr == 1 && sums[0][0] == 17 && sums[0][2] == 2000,
	   "a call on both kinds of core has the counts of each");
	ok(sum(0, TD_CALL_GROUPS) == 17 && sum(0, TD_CALL_GROUPS + 1) == 2000,
	   "and the time on each");
	ok(sum(0, TD_CALL_MIGRATIONS) == 2 && calls[0].group == 0,
	   "it moved twice, and ended on the first");
}

static void test_lost(void)
{
	begin();
	enter(7, 500, F);
	td_pairing_record(&pairing, &(struct td_record){ .kind = TD_RECORD_LOST });
	leave(7, 500, F);
	ok(nr == 0 && pairing.unpaired[F].lost == 1, "a call while records are lost is no number");
	enter(7, 500, F);
	leave(7, 500, F);
	ok(nr == 1 && sums[0][0] == 10, "the next one is");
	sample(7, 1, 0, 900, TD_PROBED_SWITCH, 0);
	enter(7, 500, F);
	leave(7, 500, F);
	ok(nr == 2 && sums[1][2] == 0, "what another CPU counted in between is not its");
}

/* A thread that is seen on a CPU for the first time after a loss. */
static void test_lost_place(void)
{
	begin();
	enter(7, 500, F);
	leave(7, 500, F);
	td_pairing_record(&pairing, &(struct td_record){ .kind = TD_RECORD_LOST });
	enter(7, 500, F);
	sample(7, 1, 0, 900, TD_PROBED_SWITCH, 0);
	leave(7, 500, F);
	ok(nr == 1 && pairing.unpaired[F].lost == 1, "how much of it is the call's is not known");
}

int main(void)
{
	test_one();
	test_nested();
	test_recursion();
	test_deep();
	test_longjmp();
	test_tail_call();
	test_inner_jump();
	test_before();
	test_interrupts();
	test_interrupts_of_kernel();
	test_gap();
	test_kernel();
	test_threads();
	test_fork();
	test_end();
	test_reused_number();
	test_clocks();
	test_switch();
	test_migration();
	test_lost();
	test_lost_place();
	td_pairing_free(&pairing);
	return done_testing();
}
