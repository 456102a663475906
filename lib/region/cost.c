// SPDX-License-Identifier: MIT
/* Measures what an empty call costs. */
#include <stdlib.h>
#include <string.h>

#include "lib/region/parts.h"

/* Calls before the first round: the first ones are slower, and some are interrupted. */
#define WARM_UP 64
#define ROUNDS  15
#define CALLS   16
/*
 * The number of calls at which measuring starts.  From here on, points are so rare that they take
 * no time.
 */
#define CALLS_BEFORE (1 << 20)

/* Mean counts of a call in one round (inner), and what it added to the enclosing region (outer). */
struct round {
	double inner[TD_REGION_VALUES], outer[TD_REGION_VALUES];
	double inner_ns, outer_ns;
};

/* Memory for measuring.  It is kept, because all rounds are repeated if too many were disturbed. */
struct calibration {
	struct round rounds[ROUNDS];
	/* record of the empty calls, which is not in a file */
	struct td_region_record record;
};

static struct calibration *calibration_of(struct td_thread *thread)
{
	size_t size = offsetof(struct calibration, record) + td_process.store.head->record_size;

	if (!thread->calibration)
		thread->calibration = td_memory_take(&thread->memory, size);
	return thread->calibration;
}

static void begin_late(struct td_region_record *record)
{
	const struct td_region_head *head = td_process.store.head;
	const struct td_region_buckets *buckets = td_region_buckets_of(record, head->sum_size);

	record->calls.counted = CALLS_BEFORE;
	for (unsigned int i = 1; head->buckets && i <= TD_REGION_PLACES; i++)
		td_region_bucket_at(buckets, head->nr_values, i)->sides[0].calls.counted =
			CALLS_BEFORE;
}

static void call_often(struct td_thread *thread, struct td_thread_region *empty, int nr)
{
	memset(empty->record, 0, td_process.store.head->record_size);
	begin_late(empty->record);
	for (int i = 0; i < nr; i++) {
		td_call_begin(thread, empty);
		td_call_end(thread);
	}
}

static bool measure(struct td_thread *thread, struct td_thread_region *empty, struct round *round)
{
	const struct td_region_sum *sum =
		td_region_sum_at(empty->record, td_process.store.head->sum_size, TD_REGION_SUM);
	struct td_moment from, to;
	size_t nr = td_process.spec.nr_events;

	if (td_thread_counters_look(&thread->counters, &from) != 0)
		return false;
	call_often(thread, empty, CALLS);
	if (td_thread_counters_look(&thread->counters, &to) != 0 || from.group != to.group ||
	    empty->record->calls.counted != CALLS_BEFORE + CALLS)
		return false;
	for (size_t e = 0; e < nr; e++) {
		round->inner[e] = (double)sum->values[e] / CALLS;
		round->outer[e] = (double)(to.totals[e] - from.totals[e]) / CALLS - round->inner[e];
	}
	round->inner_ns = (double)sum->time_ns / CALLS;
	round->outer_ns = (double)(to.time_ns - from.time_ns) / CALLS - round->inner_ns;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct round *x = a, *y = b;
	double more = x->inner_ns + x->outer_ns - y->inner_ns - y->outer_ns;

	return more > 0 ? 1 : -(more < 0);
}

static void note_cost(const struct round *round, uint32_t group)
{
	const struct td_group_spec_group *g = &td_process.spec.groups[group - 1];
	struct td_region_head *head = td_process.store.head;

	for (size_t e = g->first; e < g->first + g->nr; e++) {
		head->cost[0][e] = round->inner[e];
		head->cost[1][e] = round->outer[e];
	}
	head->cost_ns[0][group - 1] = (uint64_t)round->inner_ns;
	head->cost_ns[1][group - 1] = (uint64_t)round->outer_ns;
}

/* Finds the median round by time.  Returns false if too many rounds were disturbed. */
static bool find_cost(struct td_thread *thread, struct td_thread_region *empty,
		      struct round *rounds, struct round *median)
{
	size_t nr = 0;

	call_often(thread, empty, WARM_UP);
	for (int i = 0; i < ROUNDS; i++)
		nr += measure(thread, empty, &rounds[nr]);
	qsort(rounds, nr, sizeof(*rounds), by_time);
	*median = rounds[nr / 2];
	return nr > ROUNDS / 2;
}

/* Restarts the time outside of regions, because the empty calls do not belong to it. */
static void begin_outside(struct td_thread *thread)
{
	struct td_moment now;

	if (td_thread_counters_look(&thread->counters, &now) == 0)
		td_call_begin_outside(thread, &now);
}

/*
 * Claims the measurement for a group.  Only one of the threads that write to the file measures it.
 */
static bool claim(unsigned int bit)
{
	uint32_t *claimed = &td_process.store.head->calibrated;

	return !(__atomic_load_n(claimed, __ATOMIC_RELAXED) & bit) &&
	       !(__atomic_fetch_or(claimed, bit, __ATOMIC_RELAXED) & bit);
}

void td_cost_measure(struct td_thread *thread)
{
	uint32_t group = td_group_spec_group_of(thread->counters.spec, td_rseq_cpu());
	unsigned int bit = group ? 1u << (group - 1) : 0;
	struct td_region_record *outside = thread->outside.record;
	struct td_thread_region empty = { .every = 1, .slow_ns = UINT64_MAX };
	struct calibration *calibration;
	struct round median;

	if (!bit || !claim(bit))
		return;
	calibration = calibration_of(thread);
	if (!calibration)
		return;
	empty.record = &calibration->record;
	td_call_end_outside(thread);
	thread->outside.record = NULL;
	if (find_cost(thread, &empty, calibration->rounds, &median))
		note_cost(&median, group);
	else
		__atomic_fetch_and(&td_process.store.head->calibrated, ~bit, __ATOMIC_RELAXED);
	thread->outside.record = outside;
	begin_outside(thread);
}
