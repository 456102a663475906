// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of programs whose period is that of the kernel's turns.  In the same order all
 * the time, a group would see the same part of each period; with pauses it does not.
 */
#include "lib/base/util.h"
#include "lib/counter/shuffle.h"
#include "tests/unit/seen.h"

#define MOST_GROUPS 19
#define ROUNDS      400

/* --- the kernel's turns ----------------------------------------------------- */

/* The groups of a CPU, as rotate_ctx() of kernel/events/core.c keeps them. */
struct rotation {
	int order[MOST_GROUPS], nr;
	bool off[MOST_GROUPS];
	int active;     /* -1: none, until the next turn */
	bool necessary; /* others wait for their turns */
};

/* The first one that may goes on. */
static void schedule(struct rotation *r)
{
	r->active = -1;
	r->necessary = false;
	for (int i = 0; i < r->nr && !r->necessary; i++) {
		if (r->off[r->order[i]])
			continue;
		r->necessary = r->active >= 0;
		r->active = r->necessary ? r->active : r->order[i];
	}
}

/* The one that had its turn, or else the first, goes behind all others. */
static void rotate(struct rotation *r)
{
	int moved = r->active < 0 ? r->order[0] : r->active, kept = 0;

	if (!r->necessary)
		return;
	for (int i = 0; i < r->nr; i++) {
		if (r->order[i] != moved)
			r->order[kept++] = r->order[i];
	}
	r->order[kept] = moved;
	schedule(r);
}

static int pause_some(struct rotation *r, uint64_t *random)
{
	int ms;

	td_pause_choose(random, r->off, (size_t)r->nr);
	if (r->active >= 0 && r->off[r->active])
		r->active = -1;
	ms = (int)((td_pause_ns(random, (size_t)r->nr) + 500000) / 1000000);
	return ms < READ_MS / 2 ? ms : READ_MS / 2;
}

static void resume(struct rotation *r)
{
	memset(r->off, 0, sizeof(r->off));
	schedule(r);
}

/* --- a program in step with them -------------------------------------------- */

/* What one of the groups sees of a program that is at 10 points, then at 70. */
static struct counted see(int nr_ms, int groups, double period_ms, bool pauses,
			  uint64_t *random)
{
	struct counted c = { .nr_batches = nr_ms / READ_MS, .groups = groups };
	struct rotation r = { .nr = groups };
	double first_ms = period_ms * uniform(random);
	int first_turn = (int)(TURN_MS * uniform(random)), left = 0;

	for (int i = 0; i < groups; i++)
		r.order[i] = i;
	schedule(&r);
	for (int i = 0; i < nr_ms; i++) {
		double at = fmod(i + first_ms, period_ms);
		double rate = at < period_ms / 2 ? 10 : 70;

		if (pauses && i % READ_MS == 0 && i)
			left = pause_some(&r, random);
		else if (left && !--left)
			resume(&r);
		if (i % TURN_MS == first_turn)
			rotate(&r);
		c.truth += rate / nr_ms;
		if (r.active)
			continue;
		c.batches[i / READ_MS].sum += rate;
		c.batches[i / READ_MS].nr++;
		c.whole.sum += rate;
		c.whole.nr++;
	}
	return c;
}

/* --- how often the error holds the truth ------------------------------------ */

static double coverage(int nr_ms, int groups, double period_ms, bool pauses)
{
	uint64_t random = 1;
	int held = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct counted c =
			see(nr_ms, groups, period_ms, pauses, &random);
		struct td_cell cell = evaluate(&c, true);

		held += fabs(cell.value - c.truth) <= cell.error + 1e-9;
	}
	return 100.0 * held / ROUNDS;
}

/* clang-format off */
static const struct {
	int groups;
	double period_ms;
} rows[] = {
	{ 2, 8 }, { 2, 8.008 }, { 2, 24 }, { 2, 7.3 }, { 3, 12 }, { 3, 12.01 },
	{ 4, 16 }, { 7, 28 }, { 19, 76 }, { 19, 76.8 },
};
/* clang-format on */

int main(void)
{
	static const int lengths_ms[] = { 1000, 3000, 10000 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		int groups = rows[i].groups;
		double period_ms = rows[i].period_ms, all = 0;

		for (size_t l = 0; l < TD_ARRAY_SIZE(lengths_ms); l++) {
			int s = lengths_ms[l] / 1000;
			double held = coverage(lengths_ms[l], groups, period_ms,
					       true);

			/* in a second there are ten reads, with two values */
			ok(held >= (s == 1 ? 85 : 89),
			   "%d groups, a period of %g ms, %d s: %.1f %% hold the truth",
			   groups, period_ms, s, held);
			all += held / TD_ARRAY_SIZE(lengths_ms);
		}
		ok(all >= 90, "on average %.1f %%", all);
	}
	ok(coverage(10000, 2, 8.008, false) < 10,
	   "in the same order all the time, hardly any does");
	return done_testing();
}
