// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/traced_calls.h"

#include "lib/base/util.h"

/* A limit, because each program that a process starts adds addresses. */
#define MAX_CALLEES 65536

/* --- threads ---------------------------------------------------------------- */

static struct td_traced_thread *find_thread(const struct td_traced_calls *calls, int tid)
{
	size_t at = td_index_find(&calls->by_tid, td_hash((uint32_t)tid));

	return at == TD_NOT_FOUND ? NULL : &calls->threads[at];
}

static struct td_traced_thread *thread_of(struct td_traced_calls *calls, int tid)
{
	struct td_traced_thread *thread = find_thread(calls, tid);

	if (thread)
		return thread;
	td_index_add(&calls->by_tid, td_hash((uint32_t)tid), calls->nr_threads);
	thread = td_array_add(&calls->threads, calls->nr_threads++, sizeof(*thread));
	thread->tid = tid;
	thread->cpu = -1;
	return thread;
}

/* --- functions that are called ---------------------------------------------- */

static bool is_callee(const struct td_traced_calls *calls, uint64_t address)
{
	return td_index_find(&calls->callees, td_hash(address)) != TD_NOT_FOUND;
}

static void add_callee(struct td_traced_calls *calls, uint64_t address)
{
	if (!address || is_callee(calls, address))
		return;
	if (calls->nr_callees++ == MAX_CALLEES) {
		td_index_free(&calls->callees);
		calls->nr_callees = 1;
	}
	td_index_add(&calls->callees, td_hash(address), 0);
}

/* --- other events ----------------------------------------------------------- */

static struct td_happened *note(struct td_traced_thread *thread, uint64_t from_ns,
				uint64_t until_ns)
{
	struct td_happened *new =
		td_array_add(&thread->happened, thread->nr_happened++, sizeof(*new));

	new->from_ns = from_ns;
	new->until_ns = until_ns;
	return new;
}

static size_t nr_sampled(const struct td_traced_calls *calls)
{
	size_t nr = calls->plan->events.nr;

	return nr < TD_TRACED_EVENTS ? nr : TD_TRACED_EVENTS;
}

static void add_up(struct td_traced_calls *calls, const struct td_traced_thread *thread,
		   uint64_t end_ns)
{
	size_t nr = nr_sampled(calls);
	uint64_t *sums = calls->sums + calls->plan->events.nr;

	memset(calls->sums, 0, td_pairing_nr_sums(calls->plan) * sizeof(*calls->sums));
	td_for_each(const struct td_happened, one, thread->happened, thread->nr_happened) {
		if (one->from_ns < thread->start_ns || one->until_ns > end_ns)
			continue;
		sums[TD_CALL_FAULTS] += one->faults;
		sums[TD_CALL_SWITCHES] += one->switches;
		sums[TD_CALL_MIGRATIONS] += one->migrations;
		sums[TD_CALL_WAITED_NS] += one->waited_ns;
		sums[TD_CALL_PREEMPTED_NS] += one->preempted_ns;
		for (size_t e = 0; e < nr; e++)
			calls->sums[e] += one->events[e];
	}
}

/* --- calls ------------------------------------------------------------------ */

static void end_call(struct td_traced_calls *calls, struct td_traced_thread *thread)
{
	const struct td_paired_call call = {
		.function = calls->function,
		.tid = thread->tid,
		.cpu = thread->left_cpu,
		.start_ns = thread->start_ns,
		.time_ns = td_since(thread->left_ns, thread->start_ns),
		.sums = calls->sums,
	};
	bool of_turn = thread->start_ns >= calls->from_ns &&
		       (!calls->until_ns || thread->left_ns <= calls->until_ns);

	thread->open = false;
	if (!thread->lost && !of_turn) {
		calls->unpaired.open++;
	} else if (thread->lost || thread->start_ns < calls->lost_ns) {
		calls->unpaired.lost++;
	} else {
		add_up(calls, thread, thread->left_ns);
		calls->call_ended(calls->ctx, &call);
	}
}

/* Ends the open call when it last left the range, because the thread has begun another one. */
static void end_before(struct td_traced_calls *calls, struct td_traced_thread *thread)
{
	if (!thread->open)
		return;
	if (!thread->interrupted)
		thread->lost |= !thread->out;
	if (thread->interrupted && !thread->lost) {
		/* the call was left by a signal handler that did not return */
		thread->open = false;
		calls->unpaired.left++;
		return;
	}
	end_call(calls, thread);
}

static void begin_call(struct td_traced_calls *calls, struct td_traced_thread *thread,
		       const struct td_record *record)
{
	size_t kept = 0;

	end_before(calls, thread);
	thread->open = true;
	thread->stray = thread->out = thread->interrupted = false;
	thread->lost = !record->time_ns;
	thread->start_ns = record->time_ns;
	thread->cpu = record->cpu;
	for (size_t i = 0; i < thread->nr_happened; i++) {
		if (thread->happened[i].from_ns >= record->time_ns)
			thread->happened[kept++] = thread->happened[i];
	}
	thread->nr_happened = kept;
}

/* Continues a call.  A call that began before tracing is counted once. */
static void resume(struct td_traced_calls *calls, struct td_traced_thread *thread)
{
	if (thread->open && thread->out)
		add_callee(calls, thread->left_to);
	if (!thread->open && !thread->stray) {
		thread->stray = true;
		calls->unpaired.before += !thread->lost && !calls->lost_ns && !calls->from_ns;
	}
	thread->out = thread->interrupted = false;
}

static void leave(struct td_traced_thread *thread, const struct td_record *record, bool interrupted)
{
	thread->out = !interrupted;
	thread->interrupted = interrupted;
	thread->left_ns = record->time_ns;
	thread->left_to = record->address;
	thread->lost |= !record->time_ns;
	thread->cpu = thread->left_cpu = record->cpu;
}

void td_traced_calls_boundary(struct td_traced_calls *calls, const struct td_record *record,
			      int what, bool begins)
{
	struct td_traced_thread *thread = thread_of(calls, record->tid);
	bool resumes = thread->interrupted && thread->left_to == record->address;

	if (!calls->sums)
		calls->sums = td_calloc(td_pairing_nr_sums(calls->plan), sizeof(*calls->sums));
	if (what == TD_TRACE_LOST)
		thread->lost = true;
	else if (what != TD_TRACE_ENTER)
		leave(thread, record, what == TD_TRACE_INTERRUPT);
	else if (begins && !resumes)
		begin_call(calls, thread, record);
	else
		resume(calls, thread);
}

/* --- threads that wait, fault and end --------------------------------------- */

/*
 * Ends the wait of a thread for a CPU.  The trace of its last CPU is read before it gets another
 * one, so if no call is open now, no call has waited.
 */
static void end_wait(struct td_traced_thread *thread, const struct td_record *record)
{
	uint64_t from_ns = thread->no_cpu_ns;
	uint64_t ns = td_since(record->time_ns, from_ns);
	struct td_happened *wait;

	thread->no_cpu_ns = 0;
	if (!thread->open) {
		thread->nr_happened = 0;
		return;
	}
	if (!from_ns)
		return;
	wait = note(thread, from_ns, from_ns + ns);
	wait->switches = 1;
	wait->waited_ns = ns;
	wait->preempted_ns = thread->preempted ? ns : 0;
	wait->migrations = thread->cpu != record->cpu;
	thread->cpu = record->cpu;
}

void td_traced_calls_switch(struct td_traced_calls *calls, const struct td_record *record)
{
	struct td_traced_thread *thread = thread_of(calls, record->tid);

	if (!record->out) {
		end_wait(thread, record);
		return;
	}
	thread->no_cpu_ns = record->time_ns;
	thread->preempted = record->preempted;
}

void td_traced_calls_fault(struct td_traced_calls *calls, const struct td_record *record)
{
	note(thread_of(calls, record->tid), record->time_ns, record->time_ns)->faults = 1;
}

/* Returns an event's count on a CPU.  A new count is 0. */
static struct td_event_count *need_count(struct td_traced_thread *thread, int cpu, int event)
{
	struct td_event_count *count;

	for (size_t i = 0; i < thread->nr_counted; i++) {
		if (thread->counted[i].cpu == cpu && thread->counted[i].event == event)
			return &thread->counted[i];
	}
	count = td_array_add(&thread->counted, thread->nr_counted++, sizeof(*count));
	count->cpu = cpu;
	count->event = event;
	return count;
}

void td_traced_calls_sample(struct td_traced_calls *calls, const struct td_record *record,
			    int event)
{
	struct td_traced_thread *thread = thread_of(calls, record->tid);
	struct td_event_count *count;

	if ((size_t)event >= nr_sampled(calls) || !record->nr_values)
		return;
	count = need_count(thread, record->cpu, event);
	/* otherwise, events since the previous sample belong to unknown calls */
	if (!count->lost && !calls->paused)
		note(thread, record->time_ns, record->time_ns)->events[event] =
			td_since(record->values[0], count->value);
	count->value = record->values[0];
	count->lost = false;
}

static void join(struct td_happened *to, const struct td_happened *from)
{
	to->until_ns = from->until_ns;
	to->faults += from->faults;
	to->switches += from->switches;
	to->migrations += from->migrations;
	to->waited_ns += from->waited_ns;
	to->preempted_ns += from->preempted_ns;
	for (size_t e = 0; e < TD_TRACED_EVENTS; e++)
		to->events[e] += from->events[e];
}

static bool is_after(const struct td_traced_thread *thread, size_t i)
{
	return thread->happened[i].from_ns >= thread->left_ns;
}

/*
 * A call stays open until the thread begins another one, which may never happen.  So the thread's
 * events are merged into two sums, before and after the range was last left.
 */
void td_traced_calls_settle(struct td_traced_calls *calls, const struct td_record *record)
{
	struct td_traced_thread *thread = find_thread(calls, record->tid);
	size_t kept = 0;

	for (size_t i = 0; thread && i < thread->nr_happened; i++) {
		if (kept && thread->happened[i].until_ns <= record->time_ns &&
		    is_after(thread, kept - 1) == is_after(thread, i))
			join(&thread->happened[kept - 1], &thread->happened[i]);
		else
			thread->happened[kept++] = thread->happened[i];
	}
	if (thread)
		thread->nr_happened = kept;
}

void td_traced_calls_lose(struct td_traced_calls *calls, uint64_t until_ns)
{
	for (size_t i = 0; i < calls->nr_threads; i++) {
		calls->threads[i].lost = true;
		calls->threads[i].no_cpu_ns = 0;
		for (size_t j = 0; j < calls->threads[i].nr_counted; j++)
			calls->threads[i].counted[j].lost = true;
	}
	if (until_ns > calls->lost_ns)
		calls->lost_ns = until_ns;
}

void td_traced_calls_turn(struct td_traced_calls *calls, uint64_t from_ns)
{
	td_for_each(struct td_traced_thread, thread, calls->threads, calls->nr_threads) {
		calls->unpaired.open += thread->open;
		thread->open = thread->stray = thread->lost = thread->out = thread->interrupted =
			false;
		thread->no_cpu_ns = 0;
		thread->nr_happened = 0;
	}
	calls->paused = from_ns == 0;
	calls->from_ns = from_ns;
	calls->until_ns = 0;
}

/* Ends the open call, which may have returned, or be within a function that it has called. */
static void end_last(struct td_traced_calls *calls, struct td_traced_thread *thread)
{
	if (!thread->open)
		return;
	if (thread->out && thread->left_to && !is_callee(calls, thread->left_to)) {
		end_call(calls, thread);
		return;
	}
	thread->open = false;
	calls->unpaired.open++;
}

static void end_thread(struct td_traced_calls *calls, struct td_traced_thread *thread)
{
	int tid = thread->tid;

	end_last(calls, thread);
	free(thread->happened);
	free(thread->counted);
	*thread = (struct td_traced_thread){ .tid = tid, .cpu = -1 };
}

void td_traced_calls_exec(struct td_traced_calls *calls, int tid)
{
	struct td_traced_thread *thread = find_thread(calls, tid);

	if (!thread)
		return;
	end_last(calls, thread);
	thread->open = thread->stray = thread->lost = thread->out = thread->interrupted = false;
}

void td_traced_calls_end_thread(struct td_traced_calls *calls, int tid)
{
	struct td_traced_thread *thread = find_thread(calls, tid);

	if (thread)
		end_thread(calls, thread);
}

void td_traced_calls_end(struct td_traced_calls *calls)
{
	for (size_t i = 0; i < calls->nr_threads; i++)
		end_thread(calls, &calls->threads[i]);
}

void td_traced_calls_free(struct td_traced_calls *calls)
{
	for (size_t i = 0; i < calls->nr_threads; i++) {
		free(calls->threads[i].happened);
		free(calls->threads[i].counted);
	}
	free(calls->threads);
	free(calls->sums);
	td_index_free(&calls->by_tid);
	td_index_free(&calls->callees);
	*calls = (struct td_traced_calls){ 0 };
}
