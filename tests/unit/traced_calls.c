// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/traced_calls.h"

#include <stdlib.h>

#include "tests/unit/test.h"

/* A plan with a group of two events, which calls get from samples. */
static struct td_event events[2];
static int members[] = { 0, 1 };
static struct td_group group = { .members = members, .nr = 2 };
static const struct td_plan plan = { .events = { events, 2 }, .groups = &group, .nr_groups = 1 };

#define BEGIN  UINT64_C(0x1000)
#define MIDDLE UINT64_C(0x1010)
#define CALLEE UINT64_C(0x2000)
#define BACK   UINT64_C(0x3000)

#define MOST 16

static struct td_traced_calls calls;
static struct td_paired_call taken[MOST];
static uint64_t sums[MOST][16];
static size_t nr;
static int cpu;

static void take(void *ctx, const struct td_paired_call *call)
{
	(void)ctx;
	if (nr == MOST)
		exit(1);
	taken[nr] = *call;
	memcpy(sums[nr], call->sums, td_pairing_nr_sums(&plan) * sizeof(uint64_t));
	nr++;
}

static void begin(void)
{
	td_traced_calls_free(&calls);
	calls.plan = &plan;
	calls.call_ended = take;
	nr = 0;
	cpu = 0;
}

static struct td_record at(int tid, uint64_t address, uint64_t time_ns)
{
	return (struct td_record){ .tid = tid, .cpu = cpu, .address = address, .time_ns = time_ns };
}

static void tell(int tid, int what, uint64_t address, uint64_t time_ns)
{
	struct td_record r = at(tid, address, time_ns);

	td_traced_calls_boundary(&calls, &r, what, address == BEGIN);
}

static void enter(uint64_t address, uint64_t time_ns)
{
	tell(7, TD_TRACE_ENTER, address, time_ns);
}

static void leave(uint64_t address, uint64_t time_ns)
{
	tell(7, TD_TRACE_LEAVE, address, time_ns);
}

static void change(uint64_t time_ns, bool out, bool preempted)
{
	struct td_record r = at(7, 0, time_ns);

	r.out = out;
	r.preempted = preempted;
	td_traced_calls_switch(&calls, &r);
}

static void fault(uint64_t time_ns)
{
	struct td_record r = at(7, 0, time_ns);

	td_traced_calls_fault(&calls, &r);
}

static void end(void)
{
	td_traced_calls_end(&calls);
}

static bool is(size_t i, uint64_t start_ns, uint64_t time_ns)
{
	if (i < nr && taken[i].start_ns == start_ns && taken[i].time_ns == time_ns)
		return true;
	for (i = 0; i < nr; i++)
		printf("# %zu: at %d, took %d\n", i, (int)taken[i].start_ns, (int)taken[i].time_ns);
	return false;
}

/* recursive, left, before, lost, open: as many, and no others. */
static bool are(uint64_t left, uint64_t before, uint64_t lost, uint64_t open)
{
	const struct td_unpaired *of = &calls.unpaired;

	return !of->recursive && of->left == left && of->before == before && of->lost == lost &&
	       of->open == open;
}

static uint64_t sum(size_t call, size_t which)
{
	return sums[call][plan.events.nr + which];
}

/* --- calls ------------------------------------------------------------------ */

static void test_calls(void)
{
	begin();
	enter(BEGIN, 100);
	leave(BACK, 110);
	ok(!nr, "whether a call has ended, is not known yet");
	enter(BEGIN, 200);
	ok(nr == 1 && is(0, 100, 10) && taken[0].tid == 7, "until the next one begins");
	leave(BACK, 230);
	end();
	ok(nr == 2 && is(1, 200, 30) && are(0, 0, 0, 0), "or the last one was");
	ok(!sums[0][0] && !sum(0, TD_CALL_WAITED_NS), "nothing is counted");
}

static void test_callee(void)
{
	begin();
	enter(BEGIN, 100);
	leave(CALLEE, 110);
	enter(MIDDLE, 150);
	leave(CALLEE, 160);
	enter(MIDDLE, 170);
	leave(BACK, 180);
	enter(BEGIN, 200);
	leave(CALLEE, 210);
	end();
	ok(nr == 1 && is(0, 100, 80), "what is called is in the call");
	ok(are(0, 0, 0, 1), "the last one is in a function that does return");
}

static void test_kernel(void)
{
	begin();
	enter(BEGIN, 100);
	tell(7, TD_TRACE_INTERRUPT, BEGIN, 101);
	enter(BEGIN, 300);
	tell(7, TD_TRACE_INTERRUPT, MIDDLE, 310);
	enter(MIDDLE, 320);
	leave(0, 330);
	enter(MIDDLE + 2, 340);
	leave(BACK, 350);
	enter(BEGIN, 400);
	leave(0, 410);
	end();
	ok(nr == 1 && is(0, 100, 250),
	   "interrupts and system calls are in it; one at its beginning does not begin it again");
	ok(are(0, 0, 0, 1), "what ends in the kernel has not returned");
	begin();
	enter(BEGIN, 100);
	tell(7, TD_TRACE_INTERRUPT, MIDDLE, 110);
	enter(BEGIN, 200);
	leave(0, 210);
	enter(BEGIN, 300);
	ok(nr == 1 && is(0, 200, 10) && are(1, 0, 0, 0),
	   "a handler of a signal that did not go back; a return that does not say where to");
}

static void test_threads(void)
{
	begin();
	tell(7, TD_TRACE_ENTER, BEGIN, 100);
	tell(8, TD_TRACE_ENTER, BEGIN, 105);
	tell(7, TD_TRACE_LEAVE, BACK, 110);
	cpu = 3;
	tell(8, TD_TRACE_LEAVE, BACK, 120);
	td_traced_calls_end_thread(&calls, 8);
	ok(nr == 1 && is(0, 105, 15) && taken[0].tid == 8 && taken[0].cpu == 3,
	   "a thread ends, and its call did, on another CPU");
	tell(8, TD_TRACE_ENTER, MIDDLE, 200);
	tell(8, TD_TRACE_LEAVE, BACK, 210);
	tell(8, TD_TRACE_ENTER, MIDDLE, 220);
	ok(are(0, 1, 0, 0), "a call that had begun before is told once");
	td_traced_calls_exec(&calls, 7);
	ok(nr == 2 && is(1, 100, 10), "so it has when it is another program");
	tell(7, TD_TRACE_ENTER, BEGIN, 300);
	tell(7, TD_TRACE_LEAVE, 0, 310);
	td_traced_calls_exec(&calls, 7);
	tell(7, TD_TRACE_ENTER, BEGIN, 400);
	end();
	ok(nr == 2 && are(0, 1, 0, 2), "but not in the kernel, nor does anything go on in that");
}

/* --- what else happens ------------------------------------------------------ */

static void test_waits(void)
{
	begin();
	change(10, true, false);
	change(20, false, false);
	fault(90);
	enter(BEGIN, 100);
	leave(0, 110);
	fault(111);
	change(120, true, false);
	cpu = 1;
	change(150, false, false);
	enter(MIDDLE, 155);
	tell(7, TD_TRACE_INTERRUPT, MIDDLE, 160);
	change(165, true, true);
	change(170, false, false);
	enter(MIDDLE, 175);
	leave(BACK, 180);
	change(190, true, false);
	change(195, false, false);
	fault(196);
	enter(BEGIN, 200);
	leave(BACK, 210);
	end();
	ok(nr == 2 && is(0, 100, 80) && sum(0, TD_CALL_WAITED_NS) == 35 &&
		   sum(0, TD_CALL_PREEMPTED_NS) == 5 && sum(0, TD_CALL_SWITCHES) == 2,
	   "what a call waits, neither before nor after it");
	ok(sum(0, TD_CALL_MIGRATIONS) == 1 && sum(0, TD_CALL_FAULTS) == 1,
	   "another CPU, and a page fault");
	ok(is(1, 200, 10) && !sum(1, TD_CALL_WAITED_NS) && !sum(1, TD_CALL_FAULTS) &&
		   !sum(1, TD_CALL_SWITCHES),
	   "the next one has none of it");
}

/* --- samples ---------------------------------------------------------------- */

/* By then the event has happened so often, since the thread began. */
static void sample(int event, uint64_t count, uint64_t time_ns)
{
	const uint64_t values[] = { count, 1 };
	struct td_record r = at(7, 0, time_ns);

	r.values = values;
	r.nr_values = 1;
	td_traced_calls_sample(&calls, &r, event);
}

static void test_samples(void)
{
	struct td_record r;

	begin();
	sample(0, 1000, 50);
	enter(BEGIN, 100);
	sample(0, 2000, 110);
	/* so late that three were due */
	sample(0, 5000, 120);
	sample(1, 700, 130);
	leave(BACK, 140);
	sample(0, 6000, 150);
	enter(BEGIN, 200);
	leave(CALLEE, 210);
	cpu = 1;
	sample(0, 900, 220);
	sample(0, 1900, 230);
	r = at(7, 0, 235);
	td_traced_calls_settle(&calls, &r);
	enter(MIDDLE, 240);
	leave(BACK, 250);
	cpu = 0;
	sample(0, 7000, 260);
	enter(BEGIN, 300);
	leave(BACK, 310);
	end();
	ok(nr == 3 && is(0, 100, 40) && sums[0][0] == 4000 && sums[0][1] == 700,
	   "what has happened since the sample before, of each event");
	ok(is(1, 200, 50) && sums[1][0] == 1900 && sums[1][1] == 0,
	   "each CPU counts for itself, and joined sums have all");
	ok(is(2, 300, 10) && sums[2][0] == 0, "what no sample is in is 0");
	ok(sum(0, TD_CALL_FAULTS) == 0 && sum(0, TD_CALL_GROUPS) == 0, "and nothing else");
	begin();
	sample(0, 1000, 90);
	enter(BEGIN, 100);
	end();
	enter(BEGIN, 200);
	sample(0, 400, 210);
	leave(BACK, 220);
	end();
	ok(nr == 1 && sums[0][0] == 400, "the next thread of the number begins with 0");
}

/* The call is open, because no entry follows: two sums of the events after it are kept. */
static void test_settled(void)
{
	struct td_record r;

	begin();
	enter(BEGIN, 100);
	fault(110);
	leave(CALLEE, 120);
	for (uint64_t ns = 130; ns < 330; ns += 10) {
		change(ns, true, false);
		change(ns + 5, false, false);
		r = at(7, 0, ns + 5);
		td_traced_calls_settle(&calls, &r);
	}
	ok(calls.threads[0].nr_happened == 2, "what happened: %zu sums",
	   calls.threads[0].nr_happened);
	cpu = 3;
	enter(MIDDLE, 400);
	leave(BACK, 410);
	fault(420);
	r = at(7, 0, 430);
	td_traced_calls_settle(&calls, &r);
	cpu = 5;
	change(440, true, false);
	change(450, false, false);
	enter(BEGIN, 500);
	ok(nr == 1 && is(0, 100, 310) && sum(0, TD_CALL_SWITCHES) == 20 &&
		   sum(0, TD_CALL_WAITED_NS) == 100 && sum(0, TD_CALL_FAULTS) == 1,
	   "the call has all of it that it came back from");
	ok(taken[0].cpu == 3, "and the CPU where it ended: %d", taken[0].cpu);
	leave(BACK, 510);
	end();
}

/* --- missing records --------------------------------------------------------- */

static void test_lost(void)
{
	begin();
	enter(BEGIN, 100);
	tell(7, TD_TRACE_LOST, 0, 0);
	leave(BACK, 150);
	enter(BEGIN, 200);
	leave(BACK, 210);
	end();
	ok(nr == 1 && is(0, 200, 10) && are(0, 0, 1, 0),
	   "a call with missing packets is none, the next one is");
	begin();
	enter(BEGIN, 0);
	leave(BACK, 150);
	enter(BEGIN, 200);
	leave(BACK, 0);
	enter(BEGIN, 300);
	enter(BEGIN, 400);
	leave(BACK, 410);
	end();
	ok(nr == 1 && is(0, 400, 10) && are(0, 0, 3, 0),
	   "nor is one whose times are not known, or whose end is not");
	begin();
	enter(BEGIN, 100);
	leave(BACK, 110);
	td_traced_calls_lose(&calls, 500);
	enter(BEGIN, 450);
	leave(BACK, 460);
	enter(BEGIN, 600);
	leave(BACK, 610);
	end();
	ok(nr == 1 && is(0, 600, 10) && are(0, 0, 2, 0),
	   "nor those of a time of which nothing is known");
}

/*
 * Between turns, tracing is switched off and on for each CPU: only events outside of these times
 * count.
 */
static void test_turns(void)
{
	begin();
	calls.function = 2;
	enter(BEGIN, 100);
	leave(BACK, 110);
	enter(BEGIN, 150);
	calls.until_ns = 155;
	leave(BACK, 160);
	enter(BEGIN, 170);
	ok(nr == 1 && is(0, 100, 10) && taken[0].function == 2 && are(0, 0, 0, 1),
	   "a call that ends behind the end of a turn is given up");
	leave(BACK, 180);
	td_traced_calls_turn(&calls, 500);
	ok(nr == 1 && are(0, 0, 0, 2), "so is one that is open then");
	enter(BEGIN + 4, 490);
	leave(BACK, 495);
	enter(BEGIN, 498);
	leave(BACK, 505);
	enter(BEGIN, 600);
	leave(BACK, 610);
	end();
	ok(nr == 2 && is(1, 600, 10) && are(0, 0, 0, 3), "and one that began before the next turn");
	calls.function = 0;
}

/*
 * The events count on while the function is paused.  What they counted then, or before the
 * first turn, is of no call; the first sample of a turn has what came since the last
 * one of the rest.
 */
static void test_samples_of_turns(void)
{
	begin();
	calls.paused = true;
	sample(0, 1000, 50);
	sample(0, 9000, 60);
	sample(1, 70, 70);
	td_traced_calls_turn(&calls, 90);
	enter(BEGIN, 100);
	sample(0, 10000, 110);
	leave(BACK, 120);
	enter(BEGIN, 130);
	leave(BACK, 140);
	ok(nr == 1 && sums[0][0] == 1000 && sums[0][1] == 0, "the first sample of a turn: %g",
	   (double)sums[0][0]);
	td_traced_calls_turn(&calls, 0);
	sample(0, 11000, 150);
	sample(0, 15000, 160);
	td_traced_calls_turn(&calls, 190);
	enter(BEGIN, 200);
	sample(0, 16000, 210);
	sample(1, 170, 215);
	leave(BACK, 220);
	end();
	ok(nr == 2 && is(1, 200, 20) && sums[1][0] == 1000 && sums[1][1] == 100,
	   "and that of the next one: %g", (double)sums[1][0]);
	/* another function's turn lost records: later events belong to unknown calls */
	begin();
	calls.paused = true;
	sample(0, 1000, 50);
	td_traced_calls_lose(&calls, 60);
	td_traced_calls_turn(&calls, 90);
	enter(BEGIN, 100);
	sample(0, 9000, 110);
	sample(0, 10000, 115);
	leave(BACK, 120);
	end();
	ok(nr == 1 && sums[0][0] == 1000, "behind a loss: %g", (double)sums[0][0]);
}

int main(void)
{
	test_calls();
	test_callee();
	test_kernel();
	test_threads();
	test_waits();
	test_samples();
	test_settled();
	test_lost();
	test_turns();
	test_samples_of_turns();
	td_traced_calls_free(&calls);
	return done_testing();
}
