// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/pairing.h"

#include "lib/base/util.h"

#define INTERRUPT (-1) /* the function of an interrupt's frame */

/* An open call, or an interrupt within one. */
struct frame {
	int function;
	uint64_t stack, start_ns;
	bool lost;      /* records since its start were lost */
	uint64_t *sums; /* the thread's sums at its start; NULL: recursive */
};

/* The last counts of a thread on one CPU. */
struct place {
	int cpu;
	uint64_t nr_losses; /* td_pairing.nr_losses at the last sample */
	uint64_t time_ns;   /* time of the last sample; 0: none */
	uint64_t *values;
};

struct td_pairing_thread {
	int tid, cpu;
	uint64_t nr_losses; /* td_pairing.nr_losses when the thread began */
	uint64_t *sums;
	uint64_t out_ns; /* when the thread lost its CPU; 0: it has one */
	bool preempted;
	struct place *places; /* one for each CPU that the thread ran on */
	size_t nr_places;
	struct frame *frames; /* the innermost last */
	size_t nr_frames;
};

size_t td_pairing_nr_sums(const struct td_plan *plan)
{
	return plan->events.nr + TD_CALL_GROUPS + plan->nr_groups;
}

static uint64_t *sum_at(const struct td_pairing *pairing, uint64_t *sums, size_t which)
{
	return &sums[pairing->plan->events.nr + which];
}

/* --- frames ----------------------------------------------------------------- */

static void drop_frame(struct td_pairing_thread *thread)
{
	free(thread->frames[--thread->nr_frames].sums);
}

/* Returns NULL for interrupts and recursive calls, which are not counted. */
static struct td_unpaired *unpaired_of(const struct td_pairing *pairing, const struct frame *frame)
{
	return frame->sums && frame->function != INTERRUPT ? &pairing->unpaired[frame->function]
							   : NULL;
}

static void leave_frame(const struct td_pairing *pairing, struct td_pairing_thread *thread)
{
	const struct frame *frame = &thread->frames[thread->nr_frames - 1];
	struct td_unpaired *of = unpaired_of(pairing, frame);

	if (of)
		++*(frame->lost ? &of->lost : &of->left);
	drop_frame(thread);
}

/* Ends the frames below the stack pointer. */
static void leave_below(struct td_pairing *pairing, struct td_pairing_thread *thread,
			uint64_t stack)
{
	while (thread->nr_frames && thread->frames[thread->nr_frames - 1].stack < stack)
		leave_frame(pairing, thread);
}

/*
 * Ends an open call of the function with the same stack pointer, which was left without an exit.
 * An open call of another function remains: it has jumped to this function, and both return
 * together.
 */
static void leave_same(struct td_pairing *pairing, struct td_pairing_thread *thread, uint64_t stack,
		       int function)
{
	for (size_t i = thread->nr_frames; i && thread->frames[i - 1].stack == stack; i--) {
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

/* Adds a frame, with a copy of the thread's sums if sums is true. */
static void add_frame(const struct td_pairing *pairing, struct td_pairing_thread *thread,
		      const struct frame *new, bool sums)
{
	size_t size = td_pairing_nr_sums(pairing->plan) * sizeof(uint64_t);
	struct frame *frame = td_array_add(&thread->frames, thread->nr_frames++, sizeof(*frame));

	*frame = *new;
	if (!sums)
		return;
	frame->sums = td_malloc(size);
	memcpy(frame->sums, thread->sums, size);
}

static void enter(struct td_pairing *pairing, struct td_pairing_thread *thread,
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
	add_frame(pairing, thread, &frame, !recursive);
}

static void end_call(struct td_pairing *pairing, const struct td_pairing_thread *thread,
		     const struct frame *frame, const struct td_record *record, int group)
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
	pairing->call_ended(pairing->ctx, &call);
}

static void leave(struct td_pairing *pairing, struct td_pairing_thread *thread,
		  const struct td_record *record, int group, int function)
{
	uint64_t stack = record->stack;
	struct td_unpaired *of = &pairing->unpaired[function];
	const struct frame *frame = NULL;

	leave_below(pairing, thread, stack);
	/* functions that have jumped to each other return in reverse order */
	while (thread->nr_frames) {
		frame = &thread->frames[thread->nr_frames - 1];
		if (frame->stack != stack || frame->function == function)
			break;
		leave_frame(pairing, thread);
	}
	if (!thread->nr_frames)
		frame = NULL;
	if (!frame || frame->stack != stack) {
		/* a jump within the function looked like one to another function */
		if (frame && frame->stack > stack && frame->function == function)
			return;
		of->before += !pairing->nr_losses && !pairing->gaps;
		of->lost += pairing->nr_losses > 0 && !pairing->gaps;
		return;
	}
	if (frame->lost)
		of->lost += frame->sums != NULL;
	else if (frame->sums)
		end_call(pairing, thread, frame, record, group);
	drop_frame(thread);
}

/* --- interrupts ------------------------------------------------------------- */

/*
 * Begins an interrupt.  It gets the stack pointer of the interrupted call, so that it ends with the
 * call if its own end is missing.
 */
static void begin_interrupt(struct td_pairing *pairing, struct td_pairing_thread *thread,
			    const struct td_record *record)
{
	struct frame frame = { .function = INTERRUPT, .start_ns = record->time_ns };

	pairing->nr_interrupts++;
	if (!thread->nr_frames)
		return;
	frame.stack = thread->frames[thread->nr_frames - 1].stack;
	add_frame(pairing, thread, &frame, true);
}

/*
 * Subtracts an interrupt's counts from the interrupted calls, by adding them to the sums at their
 * start.  If the interrupt was within another one, calls that the outer one interrupted are
 * corrected when the outer one ends.
 */
static void end_interrupt(struct td_pairing *pairing, struct td_pairing_thread *thread,
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

/* An artificial stack with two words for each open call. */
#define KERNEL_STACK (UINT64_C(1) << 62)
#define KERNEL_FRAME 16

static uint64_t stack_of(const struct td_pairing_thread *thread, bool entry, int function)
{
	if (entry)
		return KERNEL_STACK - KERNEL_FRAME * thread->nr_frames;
	for (size_t i = thread->nr_frames; i; i--) {
		if (thread->frames[i - 1].function == function)
			return thread->frames[i - 1].stack;
	}
	return 0; /* an unknown call */
}

/* --- threads ---------------------------------------------------------------- */

static struct td_pairing_thread *find_thread(const struct td_pairing *pairing, int tid)
{
	size_t at = td_index_find(&pairing->by_tid, td_hash((uint32_t)tid));

	return at == TD_NOT_FOUND ? NULL : &pairing->threads[at];
}

static struct td_pairing_thread *thread_of(struct td_pairing *pairing, int tid)
{
	struct td_pairing_thread *thread = find_thread(pairing, tid);

	if (thread)
		return thread;
	td_index_add(&pairing->by_tid, td_hash((uint32_t)tid), pairing->nr_threads);
	thread = td_array_add(&pairing->threads, pairing->nr_threads++, sizeof(*thread));
	thread->tid = tid;
	thread->cpu = -1;
	thread->nr_losses = pairing->nr_losses;
	thread->sums = td_calloc(td_pairing_nr_sums(pairing->plan), sizeof(*thread->sums));
	return thread;
}

/* --- counts ----------------------------------------------------------------- */

/* Returns the number of values of a sample.  The time of the group follows them. */
static size_t nr_values(const struct td_pairing *pairing, int group)
{
	return pairing->plan->groups[group].nr + 2;
}

static struct place *place_of(const struct td_pairing *pairing, struct td_pairing_thread *thread,
			      int cpu, int group)
{
	struct place *place;

	for (size_t i = 0; i < thread->nr_places; i++) {
		if (thread->places[i].cpu == cpu)
			return &thread->places[i];
	}
	place = td_array_add(&thread->places, thread->nr_places++, sizeof(*place));
	/* a thread begins with counts of 0 */
	place->values = td_calloc(nr_values(pairing, group) + 1, sizeof(*place->values));
	place->cpu = cpu;
	place->nr_losses = thread->nr_losses;
	return place;
}

/* Returns the index of a value in the sums of a thread. */
static size_t sum_of(const struct td_pairing *pairing, int group, size_t value)
{
	const struct td_group *of = &pairing->plan->groups[group];
	size_t nr_events = pairing->plan->events.nr;

	if (value < of->nr)
		return (size_t)of->members[value];
	if (value < of->nr + 2)
		return nr_events + TD_CALL_FAULTS + value - of->nr;
	return nr_events + TD_CALL_GROUPS + (size_t)group;
}

static uint64_t value_at(const struct td_pairing *pairing, const struct td_record *record,
			 int group, size_t i)
{
	return i < nr_values(pairing, group) ? record->values[2 * i] : record->running_ns;
}

/* Returns true for a new thread with the id of an old one: its counts are lower. */
static bool is_another(const struct td_pairing *pairing, const struct place *place,
		       const struct td_record *record, int group)
{
	for (size_t i = 0; i < nr_values(pairing, group); i++) {
		/* PERF_METRICS fields are shares of slots, and may decrease slightly */
		if (i > 0 && i < pairing->plan->groups[group].nr)
			continue;
		if (value_at(pairing, record, group, i) < place->values[i])
			return true;
	}
	return false;
}

/*
 * Returns the growth of a value.  A sample contains the time that its own probe, at an entry or an
 * exit, was enabled.  If probes were disabled at times, this growth may be too large, because the
 * other probe was off for longer; it is limited to the time since the last sample.
 */
static uint64_t growth_of(const struct td_pairing *pairing, const struct place *place,
			  const struct td_record *record, int group, size_t i)
{
	uint64_t value = value_at(pairing, record, group, i);
	uint64_t since_ns = td_since(record->time_ns, place->time_ns);

	if (i < nr_values(pairing, group))
		return value - place->values[i];
	value = td_since(value, place->values[i]);
	return pairing->gaps && place->time_ns && value > since_ns ? since_ns : value;
}

static void mark_lost(struct td_pairing_thread *thread)
{
	for (size_t i = 0; i < thread->nr_frames; i++)
		thread->frames[i].lost = true;
}

/* Adds the growth of the counts on the CPU, unless records were lost since its last sample. */
static void add_counts(struct td_pairing *pairing, struct td_pairing_thread *thread,
		       const struct td_record *record, int group)
{
	struct place *place = place_of(pairing, thread, record->cpu, group);
	bool known = place->nr_losses == pairing->nr_losses &&
		     !is_another(pairing, place, record, group);

	if (!known)
		mark_lost(thread);
	for (size_t i = 0; i <= nr_values(pairing, group); i++) {
		if (known)
			thread->sums[sum_of(pairing, group, i)] +=
				growth_of(pairing, place, record, group, i);
		place->values[i] = value_at(pairing, record, group, i);
	}
	place->time_ns = record->time_ns;
	place->nr_losses = pairing->nr_losses;
	if (thread->cpu >= 0 && thread->cpu != record->cpu)
		++*sum_at(pairing, thread->sums, TD_CALL_MIGRATIONS);
	thread->cpu = record->cpu;
}

/* --- records ---------------------------------------------------------------- */

static void prepare(struct td_pairing *pairing)
{
	if (!pairing->unpaired)
		pairing->unpaired =
			td_calloc(pairing->nr_functions + 1, sizeof(*pairing->unpaired));
	if (!pairing->sums)
		pairing->sums =
			td_calloc(td_pairing_nr_sums(pairing->plan), sizeof(*pairing->sums));
}

void td_pairing_sample(struct td_pairing *pairing, const struct td_record *record, int group,
		       enum td_probed what, int function)
{
	struct td_pairing_thread *thread;
	struct td_record r = *record;

	prepare(pairing);
	if (record->nr_values < nr_values(pairing, group))
		return;
	thread = thread_of(pairing, record->tid);
	add_counts(pairing, thread, record, group);
	if (pairing->kernel) {
		r.stack = stack_of(thread, what == TD_PROBED_ENTRY, function);
		r.wide = true;
	}
	switch (what) {
	case TD_PROBED_ENTRY:
		enter(pairing, thread, &r, function);
		break;
	case TD_PROBED_EXIT:
		leave(pairing, thread, &r, group, function);
		break;
	case TD_PROBED_INTERRUPT:
		begin_interrupt(pairing, thread, &r);
		break;
	case TD_PROBED_INTERRUPT_END:
		end_interrupt(pairing, thread, &r);
		break;
	case TD_PROBED_SWITCH:
		break;
	}
}

static void take_switch(struct td_pairing *pairing, const struct td_record *record)
{
	struct td_pairing_thread *thread;
	uint64_t waited_ns;

	prepare(pairing);
	thread = thread_of(pairing, record->tid);
	if (record->out) {
		thread->out_ns = record->time_ns;
		thread->preempted = record->preempted;
		return;
	}
	if (!thread->out_ns)
		return;
	waited_ns = td_since(record->time_ns, thread->out_ns);
	*sum_at(pairing, thread->sums, TD_CALL_WAITED_NS) += waited_ns;
	if (thread->preempted)
		*sum_at(pairing, thread->sums, TD_CALL_PREEMPTED_NS) += waited_ns;
	thread->out_ns = 0;
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

static void end_frames(struct td_pairing *pairing, struct td_pairing_thread *thread)
{
	for (; thread->nr_frames; drop_frame(thread)) {
		struct td_unpaired *of =
			unpaired_of(pairing, &thread->frames[thread->nr_frames - 1]);

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

void td_pairing_record(struct td_pairing *pairing, const struct td_record *record)
{
	bool ends = record->kind == TD_RECORD_END;
	struct td_pairing_thread *thread =
		ends || record->kind == TD_RECORD_EXEC ? find_thread(pairing, record->tid) : NULL;

	if (record->kind == TD_RECORD_SWITCH)
		take_switch(pairing, record);
	if (record->kind == TD_RECORD_LOST) {
		pairing->nr_losses++;
		for (size_t i = 0; i < pairing->nr_threads; i++) {
			mark_lost(&pairing->threads[i]);
			pairing->threads[i].out_ns = 0;
		}
	}
	if (thread)
		end_frames(pairing, thread);
	if (thread && ends) {
		/* the next thread with this id reuses the element */
		free_thread(thread);
		thread->cpu = -1;
		thread->out_ns = 0;
		thread->nr_losses = pairing->nr_losses;
	}
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
