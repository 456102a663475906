// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/pairing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* Of a frame that is an interrupt. */
#define INTERRUPT (-1)

/* A call that has not ended, or an interrupt within one. */
struct frame {
	int function;
	uint64_t stack;
	uint64_t start_ns;
	bool lost; /* records of its time are */
	uint64_t
		*sums; /* of the thread, when it began; NULL: it is recursive */
};

/* The counts of a thread on one CPU, when it was sampled there last. */
struct place {
	int cpu;
	uint64_t nr_losses; /* before that */
	uint64_t time_ns;   /* of the last sample; 0: there was none */
	uint64_t *values;
};

struct td_pairing_thread {
	int tid;
	int cpu;
	uint64_t nr_losses; /* before it began */
	uint64_t *sums;
	uint64_t out_ns; /* when it lost its CPU; 0: it has one */
	bool preempted;
	struct place *places;
	size_t nr_places;
	struct frame *frames;
	size_t nr_frames;
};

size_t td_pairing_nr_sums(const struct td_plan *plan)
{
	return plan->events.nr + TD_CALL_GROUPS + plan->nr_groups;
}

static uint64_t *sum_at(const struct td_pairing *pairing, uint64_t *sums,
			size_t which)
{
	return &sums[pairing->plan->events.nr + which];
}

/* --- frames ----------------------------------------------------------------- */

static void drop_frame(struct td_pairing_thread *thread)
{
	free(thread->frames[--thread->nr_frames].sums);
}

/* NULL: it is no call of its own. */
static struct td_unpaired *unpaired_of(const struct td_pairing *pairing,
				       const struct frame *frame)
{
	return frame->sums && frame->function != INTERRUPT
		       ? &pairing->unpaired[frame->function]
		       : NULL;
}

/* A call of the same function around one that was left is counted still. */
static void leave_frame(const struct td_pairing *pairing,
			struct td_pairing_thread *thread)
{
	const struct frame *frame = &thread->frames[thread->nr_frames - 1];
	struct td_unpaired *of = unpaired_of(pairing, frame);

	if (of)
		++*(frame->lost ? &of->lost : &of->left);
	drop_frame(thread);
}

/* What is below the stack pointer is no frame any more. */
static void leave_below(struct td_pairing *pairing,
			struct td_pairing_thread *thread, uint64_t stack)
{
	while (thread->nr_frames &&
	       thread->frames[thread->nr_frames - 1].stack < stack)
		leave_frame(pairing, thread);
}

/*
 * One function that jumps to another has the same stack pointer, and both return at
 * once; if it is the same function, the first call was left.
 */
static void leave_same(struct td_pairing *pairing,
		       struct td_pairing_thread *thread, uint64_t stack,
		       int function)
{
	for (size_t i = thread->nr_frames;
	     i && thread->frames[i - 1].stack == stack; i--) {
		if (thread->frames[i - 1].function != function)
			continue;
		while (thread->nr_frames >= i)
			leave_frame(pairing, thread);
	}
}

static bool is_recursive(const struct td_pairing_thread *thread, int function)
{
	for (size_t i = thread->nr_frames; i; i--) {
		if (thread->frames[i - 1].function == function)
			return true;
	}
	return false;
}

/* sums: those of the thread are kept. */
static int add_frame(const struct td_pairing *pairing,
		     struct td_pairing_thread *thread, const struct frame *new,
		     bool sums)
{
	size_t size = td_pairing_nr_sums(pairing->plan) * sizeof(uint64_t);
	struct frame *frame = td_array_add(&thread->frames, thread->nr_frames,
					   sizeof(*frame));

	if (!frame)
		return -ENOMEM;
	thread->nr_frames++;
	*frame = *new;
	if (!sums)
		return 0;
	frame->sums = malloc(size);
	if (!frame->sums)
		return -ENOMEM;
	memcpy(frame->sums, thread->sums, size);
	return 0;
}

static int enter(struct td_pairing *pairing, struct td_pairing_thread *thread,
		 const struct td_record *record, int function)
{
	const struct frame frame = { .function = function,
				     .stack = record->stack,
				     .start_ns = record->time_ns };
	bool recursive;

	leave_below(pairing, thread, record->stack);
	leave_same(pairing, thread, record->stack, function);
	recursive = is_recursive(thread, function);
	pairing->unpaired[function].recursive += recursive;
	return add_frame(pairing, thread, &frame, !recursive);
}

static int end_call(struct td_pairing *pairing,
		    const struct td_pairing_thread *thread,
		    const struct frame *frame, const struct td_record *record,
		    int group)
{
	const struct td_paired_call call = {
		.function = frame->function,
		.tid = record->tid,
		.cpu = record->cpu,
		.group = group,
		.start_ns = frame->start_ns,
		.time_ns = td_since(record->time_ns, frame->start_ns),
		.sums = pairing->sums,
	};

	for (size_t i = 0; i < td_pairing_nr_sums(pairing->plan); i++)
		pairing->sums[i] = thread->sums[i] - frame->sums[i];
	return pairing->take(pairing->ctx, &call);
}

static int leave(struct td_pairing *pairing, struct td_pairing_thread *thread,
		 const struct td_record *record, int group, int function)
{
	uint64_t stack = record->stack;
	struct td_unpaired *of = &pairing->unpaired[function];
	const struct frame *frame = NULL;
	int rc = 0;

	leave_below(pairing, thread, stack);
	/* of functions that have jumped to each other, the last returns first */
	while (thread->nr_frames) {
		frame = &thread->frames[thread->nr_frames - 1];
		if (frame->stack != stack || frame->function == function)
			break;
		leave_frame(pairing, thread);
	}
	if (!thread->nr_frames)
		frame = NULL;
	if (!frame || frame->stack != stack) {
		/* a jump within the function looked like one to another */
		if (frame && frame->stack > stack &&
		    frame->function == function)
			return 0;
		of->before += !pairing->nr_losses && !pairing->gaps;
		of->lost += pairing->nr_losses > 0 && !pairing->gaps;
		return 0;
	}
	if (frame->lost)
		of->lost += frame->sums != NULL;
	else if (frame->sums)
		rc = end_call(pairing, thread, frame, record, group);
	drop_frame(thread);
	return rc;
}

/* --- interrupts ------------------------------------------------------------- */

/* Its stack is that of the call, with which it goes if its end is not told. */
static int begin_interrupt(struct td_pairing *pairing,
			   struct td_pairing_thread *thread,
			   const struct td_record *record)
{
	struct frame frame = { .function = INTERRUPT,
			       .start_ns = record->time_ns };

	pairing->nr_interrupts++;
	if (!thread->nr_frames)
		return 0;
	frame.stack = thread->frames[thread->nr_frames - 1].stack;
	return add_frame(pairing, thread, &frame, true);
}

/* The calls that it came in, but not in another interrupt, begin with so much more. */
static void end_interrupt(struct td_pairing *pairing,
			  struct td_pairing_thread *thread,
			  const struct td_record *record)
{
	size_t nr = td_pairing_nr_sums(pairing->plan), at = thread->nr_frames;
	const struct frame *ends = at ? &thread->frames[--at] : NULL;

	if (!ends || ends->function != INTERRUPT)
		return;
	while (at && thread->frames[at - 1].function != INTERRUPT) {
		uint64_t *sums = thread->frames[--at].sums;

		for (size_t i = 0; sums && i < nr; i++)
			sums[i] += thread->sums[i] - ends->sums[i];
		if (sums)
			*sum_at(pairing, sums, TD_CALL_INTERRUPTED_NS) -=
				td_since(record->time_ns, ends->start_ns);
	}
	drop_frame(thread);
}

/* --- without a stack -------------------------------------------------------- */

/* As if each call that is open had two words of a stack. */
#define KERNEL_STACK (UINT64_C(1) << 62)
#define KERNEL_FRAME 16

static uint64_t stack_of(const struct td_pairing_thread *thread, bool entry,
			 int function)
{
	if (entry)
		return KERNEL_STACK - KERNEL_FRAME * thread->nr_frames;
	for (size_t i = thread->nr_frames; i; i--) {
		if (thread->frames[i - 1].function == function)
			return thread->frames[i - 1].stack;
	}
	return 0; /* of a call that is not known */
}

/* --- threads ---------------------------------------------------------------- */

static struct td_pairing_thread *find_thread(const struct td_pairing *pairing,
					     int tid)
{
	size_t at = td_index_find(&pairing->by_tid, td_hash((uint32_t)tid));

	return at == TD_NOT_FOUND ? NULL : &pairing->threads[at];
}

static struct td_pairing_thread *add_thread(struct td_pairing *pairing, int tid)
{
	struct td_pairing_thread *thread = td_array_add(
		&pairing->threads, pairing->nr_threads, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->cpu = -1;
	thread->nr_losses = pairing->nr_losses;
	thread->sums = calloc(td_pairing_nr_sums(pairing->plan),
			      sizeof(*thread->sums));
	if (!thread->sums ||
	    td_index_add(&pairing->by_tid, td_hash((uint32_t)tid),
			 pairing->nr_threads)) {
		free(thread->sums);
		return NULL;
	}
	pairing->nr_threads++;
	return thread;
}

static struct td_pairing_thread *thread_of(struct td_pairing *pairing, int tid)
{
	struct td_pairing_thread *thread = find_thread(pairing, tid);

	return thread ? thread : add_thread(pairing, tid);
}

/* --- counts ----------------------------------------------------------------- */

/* Of the members, faults and switches, then the time of the group. */
static size_t nr_values(const struct td_pairing *pairing, int group)
{
	return pairing->plan->groups[group].nr + 2;
}

static struct place *place_of(const struct td_pairing *pairing,
			      struct td_pairing_thread *thread, int cpu,
			      int group)
{
	struct place *place;

	for (size_t i = 0; i < thread->nr_places; i++) {
		if (thread->places[i].cpu == cpu)
			return &thread->places[i];
	}
	place = td_array_add(&thread->places, thread->nr_places,
			     sizeof(*place));
	if (!place)
		return NULL;
	/* a thread begins with counts of 0 */
	place->values =
		calloc(nr_values(pairing, group) + 1, sizeof(*place->values));
	if (!place->values)
		return NULL;
	place->cpu = cpu;
	place->nr_losses = thread->nr_losses;
	thread->nr_places++;
	return place;
}

/* The place of a value in the sums of a thread. */
static size_t sum_of(const struct td_pairing *pairing, int group, size_t value)
{
	const struct td_group *of = &pairing->plan->groups[group];
	size_t behind = pairing->plan->events.nr;

	if (value < of->nr)
		return (size_t)of->members[value];
	if (value < of->nr + 2)
		return behind + TD_CALL_FAULTS + value - of->nr;
	return behind + TD_CALL_GROUPS + (size_t)group;
}

static uint64_t value_at(const struct td_pairing *pairing,
			 const struct td_record *record, int group, size_t i)
{
	return i < nr_values(pairing, group) ? record->values[2 * i]
					     : record->running_ns;
}

/* A thread with the number of one that has ended, which was not told. */
static bool is_another(const struct td_pairing *pairing,
		       const struct place *place,
		       const struct td_record *record, int group)
{
	for (size_t i = 0; i < nr_values(pairing, group); i++) {
		/* fields are shares of slots, and may be a step less */
		if (i > 0 && i < pairing->plan->groups[group].nr)
			continue;
		if (value_at(pairing, record, group, i) < place->values[i])
			return true;
	}
	return false;
}

/*
 * The time of a sample is that of its own event, a probe of entries or of returns, and
 * one may have been off for longer than the other.
 */
static uint64_t more_of(const struct td_pairing *pairing,
			const struct place *place,
			const struct td_record *record, int group, size_t i)
{
	uint64_t value = value_at(pairing, record, group, i);
	uint64_t since_ns = td_since(record->time_ns, place->time_ns);

	if (i < nr_values(pairing, group))
		return value - place->values[i];
	value = td_since(value, place->values[i]);
	return pairing->gaps && place->time_ns && value > since_ns ? since_ns
								   : value;
}

static void mark_lost(struct td_pairing_thread *thread)
{
	for (size_t i = 0; i < thread->nr_frames; i++)
		thread->frames[i].lost = true;
}

/* What was counted there since is added, unless it is not known since when. */
static int add_counts(struct td_pairing *pairing,
		      struct td_pairing_thread *thread,
		      const struct td_record *record, int group)
{
	struct place *place = place_of(pairing, thread, record->cpu, group);
	bool known;

	if (!place)
		return -ENOMEM;
	known = place->nr_losses == pairing->nr_losses;
	if (is_another(pairing, place, record, group))
		known = false;
	if (!known)
		mark_lost(thread);
	for (size_t i = 0; i <= nr_values(pairing, group); i++) {
		if (known)
			thread->sums[sum_of(pairing, group, i)] +=
				more_of(pairing, place, record, group, i);
		place->values[i] = value_at(pairing, record, group, i);
	}
	place->time_ns = record->time_ns;
	place->nr_losses = pairing->nr_losses;
	if (thread->cpu >= 0 && thread->cpu != record->cpu)
		++*sum_at(pairing, thread->sums, TD_CALL_MIGRATIONS);
	thread->cpu = record->cpu;
	return 0;
}

/* --- records ---------------------------------------------------------------- */

static int prepare(struct td_pairing *pairing)
{
	if (!pairing->unpaired)
		pairing->unpaired = calloc(pairing->nr_functions + 1,
					   sizeof(*pairing->unpaired));
	if (!pairing->sums)
		pairing->sums = calloc(td_pairing_nr_sums(pairing->plan),
				       sizeof(*pairing->sums));
	return pairing->unpaired && pairing->sums ? 0 : -ENOMEM;
}

int td_pairing_sample(struct td_pairing *pairing,
		      const struct td_record *record, int group,
		      enum td_probed what, int function)
{
	struct td_pairing_thread *thread;
	struct td_record r = *record;

	if (prepare(pairing))
		return -ENOMEM;
	if (record->nr_values < nr_values(pairing, group))
		return 0;
	thread = thread_of(pairing, record->tid);
	if (!thread || add_counts(pairing, thread, record, group))
		return -ENOMEM;
	if (pairing->kernel) {
		r.stack = stack_of(thread, what == TD_PROBED_ENTRY, function);
		r.wide = true;
	}
	switch (what) {
	case TD_PROBED_ENTRY:
		return enter(pairing, thread, &r, function);
	case TD_PROBED_EXIT:
		return leave(pairing, thread, &r, group, function);
	case TD_PROBED_INTERRUPT:
		return begin_interrupt(pairing, thread, &r);
	case TD_PROBED_INTERRUPT_END:
		end_interrupt(pairing, thread, &r);
		break;
	case TD_PROBED_SWITCH:
		break;
	}
	return 0;
}

int td_pairing_switch(struct td_pairing *pairing,
		      const struct td_record *record)
{
	struct td_pairing_thread *thread;
	uint64_t waited_ns;

	if (prepare(pairing))
		return -ENOMEM;
	thread = thread_of(pairing, record->tid);
	if (!thread)
		return -ENOMEM;
	if (record->out) {
		thread->out_ns = record->time_ns;
		thread->preempted = record->preempted;
		return 0;
	}
	if (!thread->out_ns)
		return 0;
	waited_ns = td_since(record->time_ns, thread->out_ns);
	*sum_at(pairing, thread->sums, TD_CALL_WAITED_NS) += waited_ns;
	if (thread->preempted)
		*sum_at(pairing, thread->sums, TD_CALL_PREEMPTED_NS) +=
			waited_ns;
	thread->out_ns = 0;
	return 0;
}

void td_pairing_lost(struct td_pairing *pairing)
{
	pairing->nr_losses++;
	for (size_t i = 0; i < pairing->nr_threads; i++) {
		mark_lost(&pairing->threads[i]);
		pairing->threads[i].out_ns = 0;
	}
}

static void free_thread(struct td_pairing_thread *thread)
{
	while (thread->nr_frames)
		drop_frame(thread);
	for (size_t i = 0; i < thread->nr_places; i++)
		free(thread->places[i].values);
	free(thread->places);
	free(thread->frames);
	thread->places = NULL;
	thread->frames = NULL;
	thread->nr_places = 0;
}

static void end_frames(struct td_pairing *pairing,
		       struct td_pairing_thread *thread)
{
	for (; thread->nr_frames; drop_frame(thread)) {
		struct td_unpaired *of = unpaired_of(
			pairing, &thread->frames[thread->nr_frames - 1]);

		if (of)
			of->open++;
	}
}

bool td_pairing_is_in(const struct td_pairing *pairing, int tid)
{
	const struct td_pairing_thread *thread = find_thread(pairing, tid);

	return thread && thread->nr_frames;
}

size_t td_pairing_nr_open(const struct td_pairing *pairing)
{
	size_t nr = 0;

	for (size_t i = 0; i < pairing->nr_threads; i++)
		nr += pairing->threads[i].nr_frames;
	return nr;
}

void td_pairing_gap(struct td_pairing *pairing)
{
	for (size_t i = 0; i < pairing->nr_threads; i++)
		end_frames(pairing, &pairing->threads[i]);
}

void td_pairing_exec(struct td_pairing *pairing, int tid)
{
	struct td_pairing_thread *thread = find_thread(pairing, tid);

	if (thread)
		end_frames(pairing, thread);
}

/* Its place is that of the next thread with its number. */
void td_pairing_end_thread(struct td_pairing *pairing, int tid)
{
	struct td_pairing_thread *thread = find_thread(pairing, tid);

	if (!thread)
		return;
	end_frames(pairing, thread);
	free_thread(thread);
	thread->cpu = -1;
	thread->out_ns = 0;
	thread->nr_losses = pairing->nr_losses;
}

void td_pairing_end(struct td_pairing *pairing)
{
	for (size_t i = 0; i < pairing->nr_threads; i++) {
		end_frames(pairing, &pairing->threads[i]);
		free_thread(&pairing->threads[i]);
	}
}

void td_pairing_free(struct td_pairing *pairing)
{
	for (size_t i = 0; i < pairing->nr_threads; i++) {
		free_thread(&pairing->threads[i]);
		free(pairing->threads[i].sums);
	}
	free(pairing->threads);
	free(pairing->unpaired);
	free(pairing->sums);
	td_index_free(&pairing->by_tid);
	*pairing = (struct td_pairing){ 0 };
}
