// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/parts.h"

#include <pthread.h>

#include "lib/base/util.h"

/* Larger than the second-level cache of any core (3 MiB on Lion Cove). */
#define RING_SIZE (8u << 20)
#define LINE      64
#define NR_LINES  (RING_SIZE / LINE)
#define STRIDE    (LINE / sizeof(void *))

/* Steps between two reads of the clock: about ten microseconds. */
#define RETIRING_STEPS   1000
#define MISPREDICT_STEPS 100
#define CHASE_STEPS      64

#define MISPREDICT_BITS 32 /* bits of a random number, one per branch */

/* Marsaglia's generator of 64 random bits; never 0. */
static uint64_t next_random(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

/* --- the ring --------------------------------------------------------------- */

/* Sattolo's shuffle results in one cycle, so that the chase visits all lines. */
void td_loops_shuffle(uint32_t *order, uint32_t nr)
{
	uint64_t random = 1;

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	for (uint32_t i = nr - 1; i > 0; i--) {
		uint32_t j, moved = order[i];

		random = next_random(random);
		j = (uint32_t)((random >> 32) % i);
		order[i] = order[j];
		order[j] = moved;
	}
}

void **td_loops_ring(void)
{
	td_autofree uint32_t *order = td_calloc(NR_LINES, sizeof(*order));
	void **ring = td_need(aligned_alloc(LINE, RING_SIZE));

	td_loops_shuffle(order, NR_LINES);
	for (uint32_t i = 0; i < NR_LINES; i++)
		ring[i * STRIDE] = &ring[order[i] * STRIDE];
	return ring;
}

/* --- the loops -------------------------------------------------------------- */

/*
 * The loops are in assembler, because a compiler would merge the additions, drop the no-ops and
 * replace the branches by conditional moves.
 */
#define NOP     ".byte 0x0f, 0x1f, 0x40, 0x00\n\t"
#define ADD(to) "addl $1, " to "\n\t"
#define EIGHT   ADD("%0") NOP ADD("%1") NOP ADD("%2") NOP ADD("%3") NOP
#define BODY    EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

static uint32_t retire(void)
{
	uint32_t a = 0, b = 0, c = 0, d = 0;

	for (int i = 0; i < RETIRING_STEPS; i++)
		__asm__ volatile(BODY : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : : "cc");
	return a + b + c + d;
}

/* Skip an addition if the bit is 0. */
static uint32_t branch(uint32_t sum, uint32_t bits)
{
	__asm__ volatile("testl $1, %1\n\tjz 1f\n\taddl $1, %0\n1:" : "+r"(sum) : "r"(bits) : "cc");
	return sum;
}

static uint32_t mispredict(uint64_t *random)
{
	uint32_t sum = 0;

	for (int i = 0; i < MISPREDICT_STEPS; i++) {
		*random = next_random(*random);
		for (int bit = 16; bit < 16 + MISPREDICT_BITS; bit++)
			sum = branch(sum, (uint32_t)(*random >> bit));
	}
	return sum;
}

static void **chase(void **at)
{
	for (int i = 0; i < CHASE_STEPS; i++)
		at = *(void *const volatile *)at;
	return at;
}

/* --- running one ------------------------------------------------------------ */

#define NAME_SIZE 16 /* size of a thread's name in the kernel */

uint64_t td_loop_run(void **ring, enum td_loop loop, uint64_t ns)
{
	static const char *const names[TD_NR_LOOPS] = {
		[TD_LOOP_RETIRING] = "td-retiring",
		[TD_LOOP_MISPREDICT] = "td-mispredict",
		[TD_LOOP_CHASE] = "td-chase",
	};
	static const unsigned int steps[TD_NR_LOOPS] = {
		[TD_LOOP_RETIRING] = RETIRING_STEPS,
		[TD_LOOP_MISPREDICT] = MISPREDICT_STEPS * MISPREDICT_BITS,
		[TD_LOOP_CHASE] = CHASE_STEPS,
	};
	volatile uint32_t sink = 0;
	uint64_t end_ns = td_now_ns() + ns, random = 1, rounds = 0;
	void **at = ring;
	char name[NAME_SIZE] = "";

	pthread_getname_np(pthread_self(), name, sizeof(name));
	pthread_setname_np(pthread_self(), names[loop]);
	for (; td_now_ns() < end_ns; rounds++) {
		switch (loop) {
		case TD_LOOP_RETIRING:
			sink = retire();
			break;
		case TD_LOOP_MISPREDICT:
			sink = mispredict(&random);
			break;
		case TD_LOOP_CHASE:
			at = chase(at);
			break;
		case TD_NR_LOOPS:
			break;
		}
	}
	sink = (uint32_t)(uintptr_t)at;
	(void)sink;
	pthread_setname_np(pthread_self(), name);
	return rounds * steps[loop];
}
