// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/read.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/affinity.h"

/* Result of read() with PERF_FORMAT_GROUP | ID | TOTAL_TIME_* (perf_event_open(2)). */
struct group_values {
	uint64_t nr, enabled_ns, running_ns;
	struct {
		uint64_t value, id;
	} v[];
};

static size_t read_size(size_t nr)
{
	return sizeof(struct group_values) + nr * 2 * sizeof(uint64_t);
}

/* --- the steps of a reader ---------------------------------------------------- */

struct td_read_step *td_group_reader_add(struct td_group_reader *reader)
{
	struct td_read_step *step = td_array_add(&reader->steps, reader->nr_steps++, sizeof(*step));

	return step;
}

static int by_cpu_thread_group(const void *a, const void *b)
{
	const struct td_read_step *x = a, *y = b;

	if (x->mode != y->mode)
		return x->mode < y->mode ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* Sorts by CPU, then by thread, so that events of one ratio are read at nearly the same time. */
static void order_steps(struct td_group_reader *reader)
{
	struct td_read_step *steps = reader->steps;
	size_t ready = reader->nr_ready;

	if (reader->nr_steps > ready)
		qsort(steps + ready, reader->nr_steps - ready, sizeof(*steps), by_cpu_thread_group);
	for (size_t s = ready ? ready : 1; s < reader->nr_steps; s++)
		steps[s].first = steps[s - 1].first + steps[s - 1].nr;
}

/* Sets the event, CPU and task of new readings in a buffer; these never change. */
static void label_readings(const struct td_group_reader *reader, struct td_reading *out)
{
	for (size_t s = reader->nr_ready; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];

		for (size_t i = 0; i < step->nr; i++)
			out[step->first + i] = (struct td_reading){
				.event = step->members[i],
				.cpu = step->cpu,
				.tid = step->tid,
				.cgroup = step->cgroup,
				.life = step->life,
				.region = step->mode,
			};
	}
}

/* Makes room for nr readings and keeps the existing ones. */
static void grow_readings(struct td_group_reader *reader, size_t nr)
{
	struct td_readings *sets[] = { &reader->now, &reader->before, &reader->delta };
	size_t room = reader->room * 2 > nr ? reader->room * 2 : nr + 1;

	if (reader->room > nr)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sets); i++)
		sets[i]->v = td_reallocarray(sets[i]->v, room, sizeof(*sets[i]->v));
	reader->room = room;
}

static void grow_buffer(struct td_group_reader *reader, size_t largest)
{
	uint64_t *buf;

	if (reader->buf && largest <= reader->largest)
		return;
	buf = td_realloc(reader->buf, read_size(largest));
	reader->buf = buf;
	reader->largest = largest;
}

void td_group_reader_begin(struct td_group_reader *reader)
{
	struct td_readings *sets[] = { &reader->now, &reader->before, &reader->delta };
	size_t nr = reader->now.nr, largest = 0;

	order_steps(reader);
	for (size_t s = reader->nr_ready; s < reader->nr_steps; s++) {
		nr += reader->steps[s].nr;
		if (reader->steps[s].nr > largest)
			largest = reader->steps[s].nr;
	}
	grow_readings(reader, nr);
	for (size_t i = 0; i < TD_ARRAY_SIZE(sets); i++) {
		sets[i]->nr = nr;
		label_readings(reader, sets[i]->v);
	}
	if (!reader->nr_ready)
		reader->nr_first = reader->nr_steps;
	reader->nr_ready = reader->nr_steps;
	grow_buffer(reader, largest);
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void td_group_reader_end_sets(struct td_group_reader *reader, const size_t *sets, size_t nr)
{
	for (size_t s = 0; nr && s < reader->nr_steps; s++) {
		struct td_read_step *step = &reader->steps[s];

		if (bsearch(&step->set, sets, nr, sizeof(*sets), by_number))
			step->ended = true;
	}
}

static void move_readings(struct td_readings *readings, size_t to, size_t from, size_t nr)
{
	memmove(readings->v + to, readings->v + from, nr * sizeof(*readings->v));
}

void td_group_reader_forget_ended(struct td_group_reader *reader)
{
	td_autofree size_t *moved = td_calloc(reader->nr_steps + 1, sizeof(*moved));
	size_t kept = 0, first = 0, nr_first = 0;

	for (size_t s = 0; s < reader->nr_steps; s++) {
		struct td_read_step step = reader->steps[s];

		if (step.ended) {
			free(step.fds);
			continue;
		}
		moved[s] = kept;
		nr_first += s < reader->nr_first;
		step.into = moved[step.into];
		move_readings(&reader->now, first, step.first, step.nr);
		move_readings(&reader->before, first, step.first, step.nr);
		move_readings(&reader->delta, first, step.first, step.nr);
		step.first = first;
		first += step.nr;
		reader->steps[kept++] = step;
	}
	reader->nr_steps = reader->nr_ready = kept;
	reader->nr_first = nr_first;
	reader->now.nr = reader->before.nr = reader->delta.nr = first;
}

void td_group_reader_free(struct td_group_reader *reader)
{
	free(reader->now.v);
	free(reader->before.v);
	free(reader->delta.v);
	free(reader->buf);
	for (size_t s = 0; s < reader->nr_steps; s++)
		free(reader->steps[s].fds);
	free(reader->steps);
	*reader = (struct td_group_reader){ 0 };
}

/* Pauses between tries of a group that cannot be read at the moment. */
#define FIRST_PAUSE_NS   UINT64_C(20000)
#define LONGEST_PAUSE_NS UINT64_C(5000000)

static int read_error(const struct td_read_step *step, int error, struct td_err *err)
{
	char where[32] = "";

	if (step->cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", step->cpu);
	else if (step->tid > 0)
		snprintf(where, sizeof(where), " in thread %d", step->tid);
	return td_err_set(err, -error, "cannot read the counters of %s%s%s: %s",
			  step->nr > 1 ? "the group of " : "", step->name, where, strerror(error));
}

static ssize_t read_fd(const struct td_group_reader *reader, int fd, size_t size)
{
	return (reader->read ? reader->read : read)(fd, reader->buf, size);
}

static bool same_place(const struct td_read_step *a, const struct td_read_step *b)
{
	return a->cpu == b->cpu && a->tid == b->tid && a->cgroup == b->cgroup && a->mode == b->mode;
}

/* Returns true if a group on this CPU or task ran before the last read. */
static bool has_run_at(const struct td_group_reader *reader, const struct td_read_step *step)
{
	const struct td_read_step *end = reader->steps + reader->nr_steps;

	/* steps of one CPU or task are adjacent */
	while (step > reader->steps && same_place(step - 1, step))
		step--;
	for (const struct td_read_step *s = step; s < end; s++) {
		if (!same_place(s, step))
			break;
		if (reader->before.v[s->first].running_ns)
			return true;
	}
	return false;
}

/*
 * Adds a note on a group that stopped counting.  The kernel also stops a pinned group that
 * cannot get its counters.
 */
static void note_lost(struct td_group_reader *reader, const struct td_read_step *step)
{
	const char *what =
		step->pinned ? "a pinned group has lost its counters" : "not counted any more";

	/* a CPU that never counted has a note of its own */
	if (step->resume && step->cpu >= 0 && !has_run_at(reader, step))
		return;
	if (step->resume)
		td_notes_add(
			reader->notes,
			"another program uses counters of the group of %s, which should count all "
			"the time: its counts have gaps",
			step->name);
	else if (step->cpu < 0)
		td_notes_add(reader->notes, "%s", what);
	else
		td_notes_add(reader->notes, "%s: CPU %d", what, step->cpu);
}

/* Sets the reading of a member of the group from values->v[i]. */
static void store_value(struct td_group_reader *reader, const struct td_read_step *step,
			size_t member, const struct group_values *values, size_t i)
{
	struct td_reading *out = &reader->now.v[step->first + member];

	out->value = values->v[i].value;
	out->enabled_ns = values->enabled_ns;
	out->running_ns = values->running_ns;
	if (td_count_is_backwards(out->value, reader->before.v[step->first + member].value))
		/* any counter of the group may have gone backwards */
		td_notes_add(reader->notes,
			     "the count of %s%s went backwards: it is not counted in that interval",
			     step->name, step->nr > 1 ? ", or of its group," : "");
}

/* Keeps the values of the last read. */
static void keep_values(struct td_group_reader *reader, const struct td_read_step *step)
{
	memcpy(reader->now.v + step->first, reader->before.v + step->first,
	       step->nr * sizeof(*reader->now.v));
}

/*
 * Reads each member separately after their CPU went offline; the buffer already contains the
 * leader.  Fields cannot be read without SLOTS (PERF_EV_CAP_SIBLING in the kernel): then all
 * members keep their old values.
 */
static int read_apart(struct td_group_reader *reader, const struct td_read_step *step,
		      struct td_err *err)
{
	const struct group_values *values = (struct group_values *)reader->buf;
	size_t size = read_size(1);

	store_value(reader, step, 0, values, 0);
	for (size_t i = 1; i < step->nr; i++) {
		ssize_t len = read_fd(reader, step->fds[i], size);

		if (len < 0)
			return read_error(step, errno, err);
		if ((size_t)len < size) {
			keep_values(reader, step);
			break;
		}
		store_value(reader, step, i, values, 0);
	}
	return 0;
}

/*
 * Handles a short read: the kernel has stopped the group (error state), or dissolved it because
 * its CPU went offline, and then only returned the leader.  Earlier counts are kept.
 */
static int read_lost(struct td_group_reader *reader, struct td_read_step *step, size_t len,
		     struct td_err *err)
{
	keep_values(reader, step);
	if (len == read_size(1) && step->fds) {
		step->dead = true;
		return read_apart(reader, step, err);
	}
	note_lost(reader, step);
	if (step->resume)
		ioctl(step->fd, PERF_EVENT_IOC_ENABLE, 0);
	step->resumed = step->resume;
	return 0;
}

static bool is_off(const struct td_group_reader *reader, const struct td_read_step *step)
{
	return reader->off && reader->off[step->members[0]];
}

/*
 * Restarts the groups of children, which the kernel stops without a report: a program that
 * began while another program held the counters would never be counted.  Groups that count are
 * not affected.  A task whose group was stopped at its start, and that has only waited for its
 * children since, has no enabled time.
 */
static void resume_children(const struct td_group_reader *reader, const struct td_read_step *step)
{
	bool began = step->resumed || reader->before.v[step->first].enabled_ns;

	if (step->resume && step->inherited && began && !is_off(reader, step))
		ioctl(step->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Reads one group. */
static int read_step(struct td_group_reader *reader, struct td_read_step *step, struct td_err *err)
{
	const struct group_values *values = (struct group_values *)reader->buf;
	size_t size = read_size(step->nr);
	ssize_t len;

	step->lost = step->behind = false;
	if (step->fd < 0) {
		keep_values(reader, step);
		return 0;
	}
	len = read_fd(reader, step->fd, size);
	if ((len < 0 && (errno == ECHILD || errno == EINTR)) ||
	    (step->on_cpu && sched_getcpu() != step->cpu)) {
		step->behind = true;
		keep_values(reader, step);
		return 0;
	}
	if (len < 0)
		return read_error(step, errno, err);
	step->lost = (size_t)len < size;
	if (step->lost)
		return read_lost(reader, step, (size_t)len, err);
	for (size_t i = 0; i < step->nr; i++)
		store_value(reader, step, i, values, i);
	resume_children(reader, step);
	return 0;
}

/*
 * Sets the enabled time of a group that was stopped or disabled for some time.  It gets the enabled
 * time of another group on the same CPU or task, as if it had been enabled without running.
 */
static void fill_lost(struct td_group_reader *reader, const struct td_read_step *lost)
{
	struct td_reading *v = reader->delta.v;
	const struct td_read_step *end = reader->steps + reader->nr_steps;
	const struct td_read_step *step = lost;
	uint64_t enabled_ns = 0;

	/* steps of one CPU or task are adjacent */
	while (step > reader->steps && same_place(step - 1, lost))
		step--;
	for (; step < end && same_place(step, lost); step++) {
		if (!step->lost && v[step->first].enabled_ns > enabled_ns)
			enabled_ns = v[step->first].enabled_ns;
	}
	for (size_t i = 0; i < lost->nr; i++)
		v[lost->first + i].enabled_ns = enabled_ns;
}

/* Corrects the enabled time of groups that were stopped or disabled for a time. */
static void mend_enabled(struct td_group_reader *reader)
{
	td_for_each(const struct td_read_step, step, reader->steps, reader->nr_steps) {
		if ((step->lost && step->resume) || (step->may_be_off && !step->behind))
			fill_lost(reader, step);
	}
}

/* Adds the counts of steps opened late to the steps that they count for. */
static void merge_late(const struct td_group_reader *reader)
{
	struct td_reading *v = reader->delta.v;

	for (size_t s = reader->nr_first; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];

		for (size_t i = 0; step->late && i < step->nr; i++) {
			const struct td_reading *from = &v[step->first + i];
			const struct td_read_step *into = &reader->steps[step->into];
			struct td_reading *to = &v[into->first + step->part + i];

			to->value += from->value;
			to->running_ns += from->running_ns;
			/* else fill_lost() has set the time */
			if (!into->may_be_off)
				to->enabled_ns += from->enabled_ns;
		}
	}
}

/*
 * Removes the readings of steps that were opened late.  Readings of CPUs that came online later may
 * follow them.  Returns the number of the other readings.
 */
static size_t leave_out_late(struct td_group_reader *reader)
{
	struct td_reading *v = reader->delta.v;
	size_t nr = 0;

	td_for_each(const struct td_read_step, step, reader->steps, reader->nr_steps) {
		if (step->late)
			continue;
		if (nr < step->first)
			memmove(v + nr, v + step->first, step->nr * sizeof(*v));
		nr += step->nr;
	}
	return nr;
}

/*
 * Returns how long a group that did not run could have run: without the time of its task on
 * other core types, which is that of their groups.  0 if that may be all of the time.
 */
static uint64_t waited_ns(const struct td_group_reader *reader, struct td_read_step *step)
{
	uint64_t enabled_ns = reader->delta.v[step->first].enabled_ns, most_ns = 0, elsewhere_ns;
	const struct td_read_step *at = step->late ? &reader->steps[step->into] : step;
	const struct td_read_step *end = reader->steps + reader->nr_steps;
	double sum_ns = 0;

	step->beside = false;
	while (at > reader->steps && same_place(at - 1, at))
		at--;
	for (const struct td_read_step *s = at; s < end && same_place(s, at); s++) {
		uint64_t ns = reader->delta.v[s->first].running_ns;

		if (s->kind == step->kind)
			step->beside |= ns > 0;
		else if (s->kind)
			sum_ns += (double)ns / s->at_once;
		if (s->kind != step->kind && ns > most_ns)
			most_ns = ns;
	}
	elsewhere_ns = (uint64_t)sum_ns > most_ns ? (uint64_t)sum_ns : most_ns;
	if (!step->beside && elsewhere_ns >= enabled_ns / 4 * 3)
		return 0;
	return td_since(enabled_ns, elsewhere_ns);
}

/* Updates waits_ns; the readings of groups opened late are already part of the others'. */
static void add_waits(struct td_group_reader *reader)
{
	td_for_each(struct td_read_step, step, reader->steps, reader->nr_steps) {
		const struct td_reading *first = &reader->delta.v[step->first];

		if (step->fd < 0 || first->running_ns)
			step->waits_ns = 0;
		else if (!step->kind)
			step->waits_ns += first->enabled_ns;
		else if (first->enabled_ns)
			step->waits_ns += waited_ns(reader, step);
	}
}

/*
 * Finds single events whose CPU went offline: reads still succeed, but the enabled time does
 * not change.
 */
static void find_dead(struct td_group_reader *reader)
{
	td_for_each(struct td_read_step, step, reader->steps, reader->nr_steps) {
		if (step->fd >= 0 && step->cpu >= 0 && !step->cgroup && !step->lost &&
		    !step->behind && !is_off(reader, step) &&
		    !reader->delta.v[step->first].enabled_ns)
			step->dead = true;
	}
}

/*
 * Moves to the CPU of a step whose count depends on the reader's.  Returns false if this is not
 * possible: elsewhere, the kernel would read another die.
 */
static bool go_to_step(struct td_group_reader *reader, struct td_read_step *step,
		       struct td_affinity *before)
{
	if (!step->on_cpu)
		return true;
	if (!before->is_known)
		*before = td_affinity_now();
	before->returns_to = 0;
	step->behind = !td_go_to_cpu(step->cpu);
	if (step->behind)
		td_notes_add(
			reader->notes,
			"tdstat cannot run on CPU %d: counts of its die are in a later row, or "
			"missing",
			step->cpu);
	return !step->behind;
}

/*
 * Reads all steps; if again is true, only those that could not be read before.  Sets read_ns if a
 * step could be read.
 */
static int read_steps(struct td_group_reader *reader, bool again, bool *behind, struct td_err *err)
{
	struct td_affinity before = { 0 };
	bool any = !again;
	int rc = 0;

	*behind = false;
	for (size_t s = 0; !rc && s < reader->nr_steps; s++) {
		struct td_read_step *step = &reader->steps[s];

		bool wanted = !again || step->behind;

		step->behind = step->behind && !step->ended;
		if (step->ended || (wanted && !go_to_step(reader, step, &before)))
			keep_values(reader, step);
		else if (wanted)
			rc = read_step(reader, step, err);
		any |= wanted && !step->behind;
		/* a CPU that could not be visited is not tried again in this read */
		*behind |= step->behind && !step->on_cpu;
	}
	td_affinity_restore(&before);
	if (any)
		reader->now.read_ns = td_now_ns();
	return rc;
}

static int read_with_retries(struct td_group_reader *reader, uint64_t retry_ns, bool *behind,
			     struct td_err *err)
{
	int rc = read_steps(reader, false, behind, err);
	uint64_t ns = FIRST_PAUSE_NS, until = *behind ? td_now_ns() : 0;

	for (until += retry_ns; !rc && *behind; ns *= 2) {
		uint64_t left = td_since(until, td_now_ns());

		if (!left)
			break;
		if (ns > LONGEST_PAUSE_NS)
			ns = LONGEST_PAUSE_NS;
		nanosleep(&(struct timespec){ .tv_nsec = (long)(ns < left ? ns : left) }, NULL);
		rc = read_steps(reader, true, behind, err);
	}
	return rc;
}

int td_group_reader_read(struct td_group_reader *reader, uint64_t retry_ns,
			 struct td_readings *readings, struct td_err *err)
{
	struct td_readings before = reader->before;
	uint64_t began_ns = td_now_ns();
	bool behind;
	int rc = read_with_retries(reader, retry_ns, &behind, err);

	if (rc)
		return rc;
	td_readings_delta(&reader->now, &reader->before, &reader->delta);
	mend_enabled(reader);
	find_dead(reader);
	merge_late(reader);
	add_waits(reader);
	reader->before = reader->now;
	reader->now = before;
	*readings = reader->delta;
	readings->nr = leave_out_late(reader);
	readings->behind = behind;
	readings->read_ns = reader->before.read_ns;
	readings->took_ns = td_since(readings->read_ns, began_ns);
	return 0;
}
