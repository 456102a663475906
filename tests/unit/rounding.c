// SPDX-License-Identifier: GPL-2.0-only
/*
 * The error of values that were counted all the time: a field of PERF_METRICS, which each read
 * rounds up or down to whole steps.
 */
#include "metrics/eval/finished.h"

#include "tests/unit/series.h"
#include "tests/unit/test.h"

#define ROUNDS 2000
#define STEP   (100 / 255.) /* points */

struct run {
	const char *name;
	int nr_batches, reads_a_batch;
	double last;  /* the length of the last batch; the others' is 1 */
	double moves; /* points; between reads */
	bool alike;   /* all reads are rounded by the same random amount */
	bool repeats; /* reads have one of two values, which are each rounded the same way */
	bool in_step; /* and that is known */
	double least, most;
};

struct seen {
	double values[TD_TIMELINE_FEW], slots[TD_TIMELINE_FEW];
	double value, truth;
};

static double rounded(double value, double chance)
{
	return floor(value / STEP + chance) * STEP;
}

static void see(const struct run *run, struct seen *seen, uint64_t *state)
{
	double middle = 20 + 20 * uniform(state), all = 0;
	double chance = uniform(state), chances[2] = { uniform(state), uniform(state) };

	*seen = (struct seen){ 0 };
	for (int b = 0; b < run->nr_batches; b++) {
		double slots = b + 1 < run->nr_batches ? 1 : run->last;
		int first = run->reads_a_batch / 2 + (int)(2 * uniform(state));

		for (int i = 0; i < run->reads_a_batch; i++) {
			double true_value = middle + run->moves * normal(state);

			if (run->repeats) {
				true_value = middle + (i < first ? 0 : 10 * STEP + 3.3);
				chance = chances[i < first];
			}
			seen->truth += slots * true_value / run->reads_a_batch;
			if (!run->alike && !run->repeats)
				chance = uniform(state);
			seen->values[b] += rounded(true_value, chance) / run->reads_a_batch;
		}
		seen->slots[b] = slots;
		seen->value += slots * seen->values[b];
		all += slots;
	}
	seen->truth /= all;
	seen->value /= all;
}

static void add_batch(struct td_ranges *ranges, const struct td_column *column, double value,
		      double slots)
{
	struct td_cell cell = td_cell_make(TD_STATUS_OK, value);
	struct td_row row = { .id = "all", .pmu = "cpu", .slots = slots, .cells = &cell };
	const struct td_report report = {
		.columns = column, .nr_columns = 1, .rows = &row, .nr_rows = 1
	};

	td_ranges_add(ranges, &report, 1);
}

static double error_of(const struct run *run, const struct seen *seen)
{
	static const struct td_column column = { "tma_memory_bound", "%", true };
	struct td_cell cell = td_cell_make(TD_STATUS_OK, seen->value);
	struct td_row row = { .id = "all", .pmu = "cpu", .cells = &cell };
	struct td_report report = {
		.columns = &column, .nr_columns = 1, .rows = &row, .nr_rows = 1
	};
	struct td_errors errors;
	struct td_ranges ranges;

	td_errors_begin(&errors, &report);
	td_ranges_begin(&ranges, &report);
	errors.ranges = &ranges;
	errors.v[0].steps = STEP * STEP;
	ranges.nr_reads = (uint64_t)run->nr_batches * (uint64_t)run->reads_a_batch;
	for (int b = 0; b < run->nr_batches; b++)
		add_batch(&ranges, &column, seen->values[b], seen->slots[b]);
	td_errors_end(&errors);
	if (run->in_step)
		td_errors_in_step(&errors, "cpu");
	td_ranges_free(&ranges);
	td_errors_free(&errors);
	return cell.error;
}

static void check(const struct run *run)
{
	uint64_t state = 1;
	int held = 0;
	double covered;

	for (int i = 0; i < ROUNDS; i++) {
		struct seen seen;

		see(run, &seen, &state);
		held += fabs(seen.value - seen.truth) <= error_of(run, &seen);
	}
	covered = 100.0 * held / ROUNDS;
	ok(covered >= run->least && covered <= run->most, "%s: %.1f %% hold the truth", run->name,
	   covered);
}

int main(void)
{
	static const struct run runs[] = {
		{ "20 reads", 20, 1, 1, 3, false, false, false, 93, 97 },
		{ "five reads, the last of them short", 5, 1, 0.2, 3, false, false, false, 93, 97 },
		{ "20 batches of 15 reads", 20, 15, 1, 3, false, false, false, 93, 97 },
		/* 3.8 reads of the same length would have the same error */
		{ "20 reads, the last of them as long as all others", 20, 1, 19, 3, false, false,
		  false, 93, 97 },
		/* batches: the means differ by much less than reads */
		{ "20 batches of 15 reads that differ by a step", 20, 15, 1, 0.4, false, false,
		  false, 93, 97 },
		/* it may be that each was rounded the same way */
		{ "20 reads of the same", 20, 1, 1, 0, false, false, false, 93, 100 },
		{ "20 batches of 15 reads of the same", 20, 15, 1, 0, false, false, false, 93,
		  100 },
		{ "20 reads that are rounded alike", 20, 1, 1, 0, true, false, false, 93, 97 },
		{ "20 batches of 15 reads that are rounded alike", 20, 15, 1, 0, true, false, false,
		  93, 97 },
		{ "two values in turns", 20, 25, 1, 0, false, true, false, 0, 80 },
		{ "two values in turns, known", 20, 25, 1, 0, false, true, true, 93, 100 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		check(&runs[i]);
	return done_testing();
}
