// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of a run: a program whose rate is known at each millisecond, observed for 4 ms of each
 * 24, like a group that is multiplexed with five others, or with more or fewer.  It is read every
 * 100 ms.
 */
#include "metrics/eval/finished.h"

#include "tests/unit/series.h"
#include "tests/unit/test.h"

#define TURN_MS 4
#define READ_MS 100
#define MAX_MS  30000

/* --- programs ------------------------------------------------------------- */

/* A rate of 40 points on the average. */
struct program {
	const char *name;
	int groups;      /* number of multiplexed groups */
	double noise;    /* points, of each millisecond by itself */
	double walk;     /* points, of a walk that comes back slowly */
	double memory;   /* how much of its place it keeps in a millisecond */
	double phase_ms; /* 10 points, then 70; 0: none */
	bool regular;    /* all phases are equally long */
	/* in 1, 3 and 30 s: coverage, and how often as wide as needed */
	double least[3], most[3], wide[3];
};

static void run_program(const struct program *p, double *rates, int nr, struct normals *chance)
{
	const double step = sqrt(1 - p->memory * p->memory);
	double walk = normal_of(chance), left = 0, level = 40;
	bool high = uniform(&chance->state) < 0.5;

	if (p->phase_ms > 0) {
		level = high ? 70 : 10;
		left = p->phase_ms * uniform(&chance->state);
	}
	for (int i = 0; i < nr; i++) {
		if (p->phase_ms > 0 && --left <= 0) {
			high = !high;
			level = high ? 70 : 10;
			left += p->phase_ms * (p->regular ? 1 : 0.5 + uniform(&chance->state));
		}
		rates[i] = level;
		if (p->walk > 0) {
			walk = p->memory * walk + step * normal_of(chance);
			rates[i] += p->walk * walk;
		}
		if (p->noise > 0)
			rates[i] += p->noise * normal_of(chance);
	}
}

/* --- observations --------------------------------------------------------- */

struct seen {
	double sum, nr;
};

/* Results in a row's cell and its batches. */
struct counted {
	struct seen whole, batches[TD_TIMELINE_POINTS];
	int nr_batches, groups;
	double truth;
};

static struct counted see(const double *rates, int nr, int first_turn, int groups)
{
	struct counted c = { .nr_batches = nr / READ_MS, .groups = groups };

	for (int i = 0; i < nr; i++) {
		struct seen *batch = &c.batches[i / READ_MS];

		c.truth += rates[i] / nr;
		if ((i / TURN_MS + first_turn) % groups)
			continue;
		batch->sum += rates[i];
		batch->nr++;
		c.whole.sum += rates[i];
		c.whole.nr++;
	}
	return c;
}

static struct td_cell cell_seen(const struct counted *c, int without)
{
	static const struct seen none;
	const struct seen *out = without < 0 ? &none : &c->batches[without];
	struct td_cell cell =
		td_cell_make(TD_STATUS_OK, (c->whole.sum - out->sum) / (c->whole.nr - out->nr));

	cell.running_ns = (uint64_t)((c->whole.nr - out->nr) * 1e6);
	cell.running_pct = 100.0 / c->groups;
	return cell;
}

static struct td_report report_of(struct td_row *row, struct td_cell *cell)
{
	static const struct td_column column = { "tma_memory_bound", "%", true };

	*row = (struct td_row){ .id = "all", .pmu = "cpu", .cells = cell };
	return (struct td_report){ .columns = &column, .nr_columns = 1, .rows = row, .nr_rows = 1 };
}

static struct td_cell evaluate(const struct counted *c, bool turns)
{
	struct td_row row, other;
	struct td_cell cell = cell_seen(c, -1), rest;
	struct td_report report = report_of(&row, &cell);
	struct td_report without = report_of(&other, &rest);
	struct td_errors errors;
	struct td_ranges ranges;
	int few = c->nr_batches < TD_TIMELINE_FEW ? c->nr_batches : TD_TIMELINE_FEW;
	uint64_t ns = (uint64_t)c->nr_batches * READ_MS * 1000000;

	td_errors_begin(&errors, &report);
	td_ranges_begin(&ranges, &report);
	errors.ranges = &ranges;
	errors.v[0].turns = turns;
	for (int i = 0; i < c->nr_batches; i++) {
		rest = td_cell_make(TD_STATUS_OK, c->batches[i].sum / c->batches[i].nr);
		if (i < TD_TIMELINE_FEW)
			td_ranges_add(&ranges, &without, ns / (uint64_t)few);
		rest = cell_seen(c, i);
		td_errors_add(&errors, &report, &without);
	}
	td_ranges_end(&ranges);
	td_errors_end(&errors);
	td_ranges_free(&ranges);
	td_errors_free(&errors);
	return cell;
}

/* --- what all groups see -------------------------------------------------- */

#define MAX_GROUPS 19

/* Groups that each count cycles and instructions; the first event of each is its reference. */
struct groups {
	struct td_event events[2 * MAX_GROUPS];
	int members[2 * MAX_GROUPS];
	struct td_group v[MAX_GROUPS];
	struct td_plan plan;
	struct td_reading readings[2 * MAX_GROUPS];
	struct td_readings sum;
};

static void begin_groups(struct groups *all, int nr)
{
	static char cycles[] = "cpu/cycles/", instructions[] = "cpu/instructions/";

	*all = (struct groups){ .plan = { { all->events, 2 * (size_t)nr }, all->v, (size_t)nr },
				.sum = { .v = all->readings, .nr = 2 * (size_t)nr } };
	for (int i = 0; i < 2 * nr; i++) {
		all->events[i].name = i % 2 ? instructions : cycles;
		all->members[i] = all->readings[i].event = i;
		all->v[i / 2] = (struct td_group){ .members = &all->members[i / 2 * 2],
						   .nr = 2,
						   .reference = 0,
						   .clone = i > 1 ? i / 2 * 2 : -1 };
	}
}

/* Is it noticed that groups see different parts of a program, whose rates are its instructions? */
static bool is_noticed(const double *rates, int nr, int first_turn, int groups)
{
	static struct td_timeline timeline;
	static struct groups all;

	begin_groups(&all, groups);
	td_timeline_clear(&timeline);
	for (int i = 0; i < nr; i++) {
		int group = (i / TURN_MS + first_turn) % groups;

		for (int k = 0; k < 2; k++) {
			struct td_reading *reading = &all.readings[2 * group + k];

			reading->value += (uint64_t)(k ? 1e4 * fmax(rates[i] + 100, 0) : 1e6);
			reading->running_ns += 1000000;
		}
		if (i % READ_MS == READ_MS - 1)
			td_timeline_add(&timeline, &all.sum, (uint64_t)(i + 1) * 1000000);
	}
	return td_timeline_in_step(&timeline, &all.sum, &all.plan, 0, 1);
}

/* --- how often the error holds the truth ---------------------------------- */

static const struct program programs[] = {
	{ "noise", 6, .noise = 40, .least = { 92, 93, 93 }, .most = { 98, 98, 98 },
	  .wide = { 1.7, 1.3, 1.2 } },
	/* observing half of the time leaves half of the variance */
	{ "noise, in turns with one", 2, .noise = 40, .least = { 92, 93, 93 },
	  .most = { 98, 98, 98 }, .wide = { 1.7, 1.3, 1.2 } },
	{ "a walk of 10 ms", 6, .walk = 8, .memory = 0.9, .least = { 93, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 3, 2.5, 2.5 } },
	{ "a walk of a second", 6, .walk = 8, .memory = 0.999, .noise = 5, .least = { 93, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 2.5, 2, 2 } },
	{ "phases of 50 ms", 6, .phase_ms = 50, .noise = 5, .least = { 93, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 3, 2.5, 2.5 } },
	{ "phases of 50 ms, in turns with 11", 12, .phase_ms = 50, .least = { 93, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 3, 2, 2 } },
	{ "phases of 300 ms", 6, .phase_ms = 300, .noise = 5, .least = { 93, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 5, 4.5, 4.5 } },
	{ "phases of 300 ms, noise", 6, .phase_ms = 300, .noise = 20, .least = { 93, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 3.2, 2.6, 2.5 } },
	{ "phases of 1 s", 6, .phase_ms = 1000, .noise = 5, .least = { 93, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 3, 2.5, 2.5 } },
	{ "phases of 1 s, without noise", 6, .phase_ms = 1000, .least = { 93, 99.5, 99.5 },
	  .most = { 100, 100, 100 }, .wide = { 3, 3, 3 } },
	{ "phases of 1 s, noise", 6, .phase_ms = 1000, .noise = 20, .least = { 92, 92, 92 },
	  .most = { 99, 99, 99 }, .wide = { 2, 1.6, 1.6 } },
	{ "phases of 3 s", 6, .phase_ms = 3000, .noise = 5, .least = { 92, 93, 93 },
	  .most = { 100, 100, 100 }, .wide = { 2.5, 2, 2 } },
	{ "phases of 3 s, without noise", 6, .phase_ms = 3000, .least = { 92, 98, 99.5 },
	  .most = { 100, 100, 100 }, .wide = { 3, 3, 3 } },
};

/*
 * Programs that repeat themselves in the time of all turns, or nearly, and others with a period.
 * most: how often the error alone holds the truth, in 5 s and 10 s.
 */
static const struct program periods[] = {
	{ "two groups, 4 ms", 2, .phase_ms = 4, .regular = true, .most = { 30, 30 } },
	{ "two groups, 4.004 ms", 2, .phase_ms = 4.004, .regular = true, .most = { 50, 100 } },
	{ "two groups, 12 ms", 2, .phase_ms = 12, .regular = true, .most = { 50, 50 } },
	{ "two groups, 4 ms, noise", 2, .phase_ms = 4, .noise = 10, .regular = true,
	  .most = { 40, 30 } },
	{ "three groups, 6 ms", 3, .phase_ms = 6, .regular = true, .most = { 30, 30 } },
	{ "19 groups, 38 ms", 19, .phase_ms = 38, .regular = true, .most = { 30, 30 } },
	{ "19 groups, 38.4 ms", 19, .phase_ms = 38.4, .regular = true, .most = { 100, 100 } },
	{ "two groups, 8.33 ms", 2, .phase_ms = 25 / 3., .regular = true, .most = { 100, 100 } },
	{ "two groups, 5 ms", 2, .phase_ms = 5, .regular = true, .most = { 100, 100 } },
	{ "three groups, 8.33 ms", 3, .phase_ms = 25 / 3., .regular = true, .most = { 100, 100 } },
	{ "19 groups, 50 ms", 19, .phase_ms = 50, .regular = true, .most = { 100, 100 } },
};

static const int lengths_ms[3] = { 1000, 3000, 30000 };

static void check_coverage(const struct program *p)
{
	static double rates[MAX_MS];
	struct normals chance = { .state = 1 };

	for (int l = 0; l < 3; l++) {
		int rounds = lengths_ms[l] > 3000 ? 300 : 1000, held = 0, noticed = 0, first;
		double squares = 0, widths = 0, covered, wide;

		for (int i = 0; i < rounds; i++) {
			struct counted c;
			struct td_cell cell;
			double off;

			run_program(p, rates, lengths_ms[l], &chance);
			first = (int)(uniform(&chance.state) * p->groups);
			c = see(rates, lengths_ms[l], first, p->groups);
			cell = evaluate(&c, true);
			off = cell.value - c.truth;
			held += fabs(off) <= cell.error + 1e-9;
			noticed += is_noticed(rates, lengths_ms[l], first, p->groups);
			squares += off * off / rounds;
			widths += cell.error / rounds;
		}
		covered = 100.0 * held / rounds;
		wide = widths / 1.96 / sqrt(squares);
		ok(covered >= p->least[l] && covered <= p->most[l] && wide <= p->wide[l],
		   "%s, %d s: %.1f %% hold the truth, %.1f times as wide as needed", p->name,
		   lengths_ms[l] / 1000, covered, wide);
		ok(!noticed, "%s, %d s: %d programs are in step", p->name, lengths_ms[l] / 1000,
		   noticed);
	}
}

/* Without an error, nothing is claimed. */
static void check_period(const struct program *p)
{
	static double rates[MAX_MS];
	struct normals chance = { .state = 1 };

	for (int l = 0; l < 2; l++) {
		int length_ms = l ? 10000 : 5000;
		int rounds = 200, held = 0, noticed = 0, right = 0;

		for (int i = 0; i < rounds; i++) {
			int first = (int)(uniform(&chance.state) * p->groups);
			struct counted c;
			struct td_cell cell;
			bool holds, is;

			run_program(p, rates, length_ms, &chance);
			c = see(rates, length_ms, first, p->groups);
			cell = evaluate(&c, true);
			holds = fabs(cell.value - c.truth) <= cell.error + 1e-9;
			is = is_noticed(rates, length_ms, first, p->groups);
			held += holds;
			noticed += is;
			right += holds || is;
		}
		ok(100. * held / rounds <= p->most[l] && 100. * right / rounds >= 90,
		   "%s, %d s: %.1f %% hold the truth, %.1f %% are in step, %.1f %% of both",
		   p->name, length_ms / 1000, 100. * held / rounds, 100. * noticed / rounds,
		   100. * right / rounds);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		check_coverage(&programs[i]);
	for (size_t i = 0; i < sizeof(periods) / sizeof(*periods); i++)
		check_period(&periods[i]);
	return done_testing();
}
