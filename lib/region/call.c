// SPDX-License-Identifier: MIT
#include <string.h>

#include "lib/region/parts.h"

/*
 * PERF_METRICS is reset when a step of its fields, 1/255 of the slots since the last reset, exceeds
 * 1 % of the average call.  With much larger steps, no call would move a field by a step, and all
 * calls would seem to be like the mean.  But PERF_METRICS is reset at most every MIN_SLOTS, about
 * 100 us, because the read() would take most of the time of shorter calls; reports mark these.
 */
#define STEPS_OF_A_CALL 100
#define MIN_SLOTS       2000000

/*
 * If this many slots have passed since the last reset when a call ends, PERF_METRICS is reset.
 * Otherwise the rounding of the call's end would be missing in the time outside of regions.
 */
#define OUTSIDE_SLOTS 16000000

/*
 * The time outside of regions is added at the end of a call if this time has passed since it was
 * last added.
 */
#define OUTSIDE_NS 1000000

static struct td_call *top_counted(struct td_thread *thread)
{
	for (size_t i = thread->depth; i-- > 0;) {
		if (thread->calls[i].counted)
			return &thread->calls[i];
	}
	return &thread->around;
}

static void begin_call(struct td_call *call)
{
	memset(call->within, 0, sizeof(call->within));
	call->within_ns = call->children = call->nested = 0;
}

/* --- beginning -------------------------------------------------------------- */

/*
 * Returns true if a step of the fields is too large: it counts all slots since the last reset,
 * whatever ran in them.
 */
static bool is_coarse(const struct td_thread *thread, const struct td_moment *moment)
{
	uint64_t most = TD_REGION_FIELD_WHOLE * thread->usual_slots / STEPS_OF_A_CALL;

	return !moment->fresh && moment->step > (most > MIN_SLOTS ? most : MIN_SLOTS);
}

static bool look_at_begin(struct td_thread *thread, struct td_moment *moment)
{
	int rc = td_thread_counters_look(&thread->counters, moment);

	if (!rc && is_coarse(thread, moment))
		rc = td_thread_counters_restart(&thread->counters, moment);
	return rc == 0;
}

/* Xorshift generator: G. Marsaglia, Xorshift RNGs, 2003 */
static uint64_t next_chance(struct td_thread *thread)
{
	uint64_t x = thread->chance;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	thread->chance = x;
	return x;
}

/*
 * Returns true if this call is to be counted.  The distance to the next counted call is random, 1
 * to 2 * every - 1 calls: with a fixed distance, the counts of calls that alternate would be wrong.
 */
static bool takes_turn(struct td_thread *thread, struct td_thread_region *region)
{
	uint64_t gaps = 2 * (uint64_t)region->every - 1;

	if (region->to_skip) {
		region->to_skip--;
		return false;
	}
	if (gaps > 1)
		region->to_skip = (next_chance(thread) >> 32) * gaps >> 32;
	return true;
}

void td_call_begin(struct td_thread *thread, struct td_thread_region *region)
{
	struct td_call *call = &thread->calls[thread->depth];

	call->region = region;
	call->lost = false;
	call->counted = region->record && takes_turn(thread, region);
	region->open++;
	thread->depth++;
	if (region->record)
		region->record->begun++;
	if (!call->counted)
		return;
	begin_call(call);
	call->lost = !look_at_begin(thread, &call->begin);
	call->counted = !call->lost;
}

/* --- ending ----------------------------------------------------------------- */

static void add_values(struct td_region_sum *sum, const struct td_call *call,
		       const struct td_moment *end, bool inclusive)
{
	size_t nr = td_process.spec.nr_events;

	for (size_t e = 0; e < nr; e++) {
		uint64_t value = end->totals[e] - call->begin.totals[e];

		sum->values[nr + e] += (int64_t)(value - call->within[e]);
		if (inclusive)
			sum->values[e] += (int64_t)value;
	}
}

static void count_call(struct td_region_calls *calls, const struct td_call *call,
		       const struct td_moment *end)
{
	calls->counted++;
	calls->on[end->group]++;
	calls->moved += call->begin.group != end->group;
	calls->migrated += call->begin.cpu != end->cpu;
	calls->switched += call->begin.switches != end->switches;
}

static void add_call(const struct td_edit *edit, const struct td_call *call,
		     const struct td_moment *end)
{
	struct td_region_calls *calls = edit->calls;
	uint64_t ns = end->time_ns - call->begin.time_ns;
	bool inclusive = !call->region->open;

	count_call(calls, call, end);
	calls->recursive += !inclusive;
	calls->children += call->children;
	calls->nested += inclusive ? call->nested : 0;
	edit->sum->own_ns += ns - call->within_ns;
	edit->sum->time_ns += inclusive ? ns : 0;
	add_values(edit->sum, call, end, inclusive);
}

/* Adds the counts of a call to those that are subtracted from the enclosing region. */
static void add_to_outer(struct td_thread *thread, const struct td_call *call,
			 const struct td_moment *end)
{
	struct td_call *outer = top_counted(thread);

	for (size_t e = 0; e < td_process.spec.nr_events; e++)
		outer->within[e] += end->totals[e] - call->begin.totals[e];
	outer->within_ns += end->time_ns - call->begin.time_ns;
	outer->children++;
	outer->nested += call->nested + 1;
}

static void note_size(struct td_thread *thread, const struct td_call *call,
		      const struct td_moment *end)
{
	uint64_t slots = 0;

	for (size_t g = 0; g < td_process.spec.nr_groups; g++) {
		size_t first = td_process.spec.groups[g].first;

		if (td_process.spec.groups[g].has_fields)
			slots += end->totals[first] - call->begin.totals[first];
	}
	thread->usual_slots += slots / 16 - thread->usual_slots / 16;
}

/* --- outside ---------------------------------------------------------------- */

void td_call_begin_outside(struct td_thread *thread, const struct td_moment *begin)
{
	begin_call(&thread->around);
	thread->around.region = &thread->outside;
	thread->around.begin = *begin;
}

static void add_outside(struct td_thread *thread, const struct td_moment *end)
{
	struct td_region_record *record = thread->outside.record;
	struct td_edit edit;

	if (!record)
		return;
	edit = td_store_edit(&td_process.store, record);
	add_call(&edit, &thread->around, end);
	td_store_commit(&td_process.store, &edit);
	td_call_begin_outside(thread, end);
}

void td_call_end_outside(struct td_thread *thread)
{
	struct td_moment end;

	if (!thread->depth && td_thread_counters_look(&thread->counters, &end) == 0)
		add_outside(thread, &end);
}

/* --- buckets ---------------------------------------------------------------- */

/* Returns the duration of a call, without the time that counting itself took. */
static uint64_t duration_of(const struct td_call *call, const struct td_moment *end)
{
	const struct td_region_head *head = td_process.store.head;
	uint64_t ns = end->time_ns - call->begin.time_ns, inner, outer;

	if (!end->group)
		return ns;
	inner = head->cost_ns[0][end->group - 1];
	outer = head->cost_ns[1][end->group - 1];
	inner += call->nested * (inner + outer);
	return ns > inner ? ns - inner : 0;
}

/*
 * Returns the time without a CPU.  If the thread has not lost its CPU, this is 0, whatever its
 * clocks show.
 */
static uint64_t waited_of(const struct td_call *call, const struct td_moment *end)
{
	uint64_t ns = end->time_ns - call->begin.time_ns;
	uint64_t waited = end->waited_ns - call->begin.waited_ns;

	if (call->begin.switches == end->switches || (int64_t)waited < 0)
		return 0;
	return waited < ns ? waited : ns;
}

/* Sets the bucket's spare side to the sums of the valid side plus the call. */
static void add_to_bucket(const struct td_edit *edit, const struct td_call *call,
			  const struct td_moment *end)
{
	struct td_region_bucket *bucket = edit->bucket;
	struct td_region_calls *calls = &bucket->sides[edit->side].calls;
	size_t nr = td_process.spec.nr_events;
	const struct td_region_sum *from = td_region_bucket_sum_at(bucket, nr, !edit->side);
	struct td_region_sum *to = td_region_bucket_sum_at(bucket, nr, edit->side);

	count_call(calls, call, end);
	calls->nested += call->nested;
	bucket->sides[edit->side].waited_ns += waited_of(call, end);
	to->time_ns = from->time_ns + end->time_ns - call->begin.time_ns;
	for (size_t e = 0; e < nr; e++)
		to->values[e] = from->values[e] + (int64_t)(end->totals[e] - call->begin.totals[e]);
}

/*
 * Replaces the fastest of the slowest calls.  Returns the duration of the call that is now the
 * fastest of them.
 */
static uint64_t note_slow(struct td_region_slow slowest[TD_REGION_SLOWEST],
			  const struct td_region_slow *slow)
{
	struct td_region_slow *least = slowest;
	uint64_t least_ns = slow->time_ns;

	for (size_t i = 1; i < TD_REGION_SLOWEST; i++) {
		if (slowest[i].time_ns < least->time_ns)
			least = &slowest[i];
	}
	__atomic_store_n(&least->time_ns, 0, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	least->end_ns = slow->end_ns;
	least->cpu = slow->cpu;
	__atomic_store_n(&least->time_ns, slow->time_ns, __ATOMIC_RELEASE);
	for (size_t i = 0; i < TD_REGION_SLOWEST; i++) {
		if (slowest[i].time_ns < least_ns)
			least_ns = slowest[i].time_ns;
	}
	return least_ns;
}

/*
 * Adds the duration of a call.  Recursive calls are left out, because the outer call includes their
 * time.
 */
static void add_duration(struct td_edit *edit, const struct td_call *call,
			 const struct td_moment *end)
{
	const struct td_region_slow slow = { duration_of(call, end), end->time_ns, end->cpu };
	struct td_thread_region *region = call->region;

	td_store_edit_bucket(&td_process.store, edit, slow.time_ns);
	add_to_bucket(edit, call, end);
	if (slow.time_ns > region->slow_ns)
		region->slow_ns = note_slow(
			td_region_buckets_of(edit->record, td_process.store.head->sum_size)
				->slowest,
			&slow);
}

/* --- both ------------------------------------------------------------------- */

static void add(struct td_thread *thread, const struct td_call *call, struct td_edit *edit,
		const struct td_moment *end)
{
	add_call(edit, call, end);
	if (td_process.spec.buckets && !call->region->open)
		add_duration(edit, call, end);
	add_to_outer(thread, call, end);
	note_size(thread, call, end);
}

void td_call_end(struct td_thread *thread)
{
	struct td_call *call = &thread->calls[--thread->depth];
	struct td_region_record *record = call->region->record;
	struct td_edit edit;
	struct td_moment end;
	bool lost;

	call->region->open--;
	if (!record)
		return;
	lost = call->counted && (td_thread_counters_look(&thread->counters, &end) != 0 ||
				 td_moment_is_lost(&call->begin, &end));
	edit = td_store_edit(&td_process.store, record);
	edit.calls->skipped += !call->counted && !call->lost;
	edit.calls->lost += lost || call->lost;
	if (call->counted && !lost)
		add(thread, call, &edit, &end);
	td_store_commit(&td_process.store, &edit);
	if (!call->counted || lost || thread->depth)
		return;
	if (end.time_ns - thread->around.begin.time_ns > OUTSIDE_NS)
		add_outside(thread, &end);
	if (!end.fresh && end.step > OUTSIDE_SLOTS)
		td_thread_counters_restart(&thread->counters, &end);
}
