// SPDX-License-Identifier: MIT
/* The library's interface, called in the threads of the program. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/region/parts.h"
#include "lib/region/tdstat.h"

static void begin(struct td_thread *thread, const char *name)
{
	struct td_thread_region *region;

	if (!thread->depth)
		td_cost_measure(thread);
	region = td_thread_region(thread, name);
	if (!region)
		return;
	if (thread->depth < TD_REGION_DEPTH) {
		td_call_begin(thread, region);
		return;
	}
	thread->too_deep++;
	td_store_lose(&td_process.store, TD_REGION_TOO_DEEP);
}

static void end(struct td_thread *thread, const char *name)
{
	size_t found = thread->depth;

	while (found && strcmp(thread->calls[found - 1].region->name, name) != 0)
		found--;
	if (!found && td_process.open) {
		td_process.open--;
		return;
	}
	if (!found) {
		td_store_lose_end(&td_process.store, name);
		return;
	}
	for (size_t i = thread->depth; i > found; i--)
		td_store_lose(&td_process.store, TD_REGION_UNENDED);
	while (thread->depth >= found)
		td_call_end(thread);
}

/*
 * Returns false if the mark is left out because the thread is in another one.  This may happen in a
 * signal handler, or in a child of clone() with the same memory and thread block.
 */
static bool enter(struct td_thread *thread, const char *name)
{
	if (!thread || !name)
		return false;
	if (!__atomic_exchange_n(&thread->busy, true, __ATOMIC_ACQUIRE))
		return true;
	td_store_lose(&td_process.store, TD_REGION_BUSY);
	return false;
}

static void leave(struct td_thread *thread)
{
	__atomic_store_n(&thread->busy, false, __ATOMIC_RELEASE);
}

/* Returns the calling thread, or NULL.  Keeps errno for the program. */
static struct td_thread *find_self(void)
{
	int error = errno;
	struct td_thread *thread = td_regions_on ? td_thread_self() : NULL;

	errno = error;
	return thread;
}

void(td_begin)(const char *name)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!enter(thread, name))
		return;
	begin(thread, name);
	leave(thread);
	errno = error;
}

void(td_end)(const char *name)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!enter(thread, name))
		return;
	if (thread->too_deep)
		thread->too_deep--;
	else
		end(thread, name);
	leave(thread);
	errno = error;
}

int td_thread_init(void)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!thread)
		return -1;
	td_store_reserve(&td_process.store);
	errno = error;
	return 0;
}

void td_flush(void)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!thread || __atomic_exchange_n(&thread->busy, true, __ATOMIC_ACQUIRE))
		return;
	td_call_end_outside(thread);
	leave(thread);
	errno = error;
}

/* --- td_read(): values ---------------------------------------------------- */

/*
 * The four fields of level 1 add up to 254/255 to 257/255.  If their sum is further off than
 * 1/SUM_PART, they are too coarse to be scaled.
 */
#define SUM_PART 50

static void fill_with_nan(struct td_interval *interval)
{
	double *values = (double *)(void *)interval;

	for (size_t i = 0; i < offsetof(struct td_interval, next) / sizeof(*values); i++)
		values[i] = NAN;
}

/* Returns the growth of a value in slots or events; NaN: it is not counted. */
static double part_between(const struct td_group_spec *spec, uint8_t part,
			   const struct td_moment *from, const struct td_moment *to)
{
	int64_t more;

	if (!part)
		return NAN;
	more = (int64_t)(to->totals[part - 1] - from->totals[part - 1]);
	return spec->events[part - 1].kind >= TD_GROUP_SPEC_FIELD
		       ? (double)more / TD_REGION_FIELD_WHOLE
		       : (double)more;
}

/*
 * Did the thread run on this core type?  It did on the current one, even if nothing was counted
 * there, for example in the kernel with events of user space.
 */
static bool has_run(const struct td_group_spec *spec, size_t g, const struct td_moment *from,
		    const struct td_moment *to)
{
	const struct td_group_spec_group *group = &spec->groups[g];

	return to->group == g + 1 || memcmp(from->totals + group->first, to->totals + group->first,
					    group->nr * sizeof(from->totals[0])) != 0;
}

/*
 * Completes the values with Intel's formulas.  A field is a share of the sum of all four.  For
 * E-cores without an event for bad speculation, it is the remainder.
 */
static void complete(double v[TD_NR_READ], const struct td_group_spec_group *group)
{
	double *first = &v[TD_READ_RETIRING], sum;

	if (isnan(v[TD_READ_SLOTS]) && group->width)
		v[TD_READ_SLOTS] = group->width * v[TD_READ_CYCLES];
	sum = first[0] + first[1] + first[2] + first[3];
	if (isnan(v[TD_READ_BAD_SPECULATION]))
		v[TD_READ_BAD_SPECULATION] = v[TD_READ_SLOTS] - first[0] - first[2] - first[3];
	if (isnan(v[TD_READ_SLOTS]))
		v[TD_READ_SLOTS] = sum;
	if (group->has_fields && fabs(sum - v[TD_READ_SLOTS]) < v[TD_READ_SLOTS] / SUM_PART) {
		for (int i = 0; i < 4; i++)
			first[i] *= v[TD_READ_SLOTS] / sum;
	}
	if (!isnan(v[TD_READ_UOP_DROPPING])) {
		v[TD_READ_FRONTEND_BOUND] -= v[TD_READ_UOP_DROPPING];
		v[TD_READ_BAD_SPECULATION] += v[TD_READ_UOP_DROPPING];
	}
}

/*
 * Adds a value.  The first one replaces the NaN of the sum; NaN in any later one makes the sum NaN.
 */
static void add(double *sum, double value, bool first)
{
	*sum = first ? value : *sum + value;
}

static void add_group(struct td_interval *interval, double v[TD_NR_READ],
		      const struct td_group_spec_group *group, bool first)
{
	complete(v, group);
	add(&interval->slots, v[TD_READ_SLOTS], first);
	add(&interval->retiring, v[TD_READ_RETIRING], first);
	add(&interval->bad_speculation, v[TD_READ_BAD_SPECULATION], first);
	add(&interval->frontend_bound, v[TD_READ_FRONTEND_BOUND], first);
	add(&interval->backend_bound, v[TD_READ_BACKEND_BOUND], first);
	add(&interval->cycles, v[TD_READ_CYCLES], first);
	add(&interval->instructions, v[TD_READ_INSTRUCTIONS], first);
	interval->slots_of[group->core] = v[TD_READ_SLOTS];
}

void td_interval_fill(struct td_interval *interval, const struct td_group_spec *spec,
		      const struct td_moment *from, const struct td_moment *to)
{
	bool first = true;

	fill_with_nan(interval);
	interval->time_ns = (double)(to->time_ns - from->time_ns);
	interval->rounding = (double)(from->step + to->step) / 2 / TD_REGION_FIELD_WHOLE;
	for (size_t g = 0; g < spec->nr_groups; g++) {
		const struct td_group_spec_group *group = &spec->groups[g];
		double v[TD_NR_READ];

		/* 0 for core types of this machine on which the thread did not run */
		interval->slots_of[group->core] = 0;
		if (!has_run(spec, g, from, to))
			continue;
		for (int i = 0; i < TD_NR_READ; i++)
			v[i] = part_between(spec, group->parts[i], from, to);
		add_group(interval, v, group, first);
		first = false;
	}
}

/* --- td_read(): the numbers of a thread, for the program itself ----------- */

/*
 * If this many slots, about 100 us, have passed since the last reset of PERF_METRICS, it is reset
 * again.  So an interval is rounded by at most 1/255 of its own slots or of these.
 */
#define MAX_SLOTS 2000000

/* td_interval.next contains the thread's serial number and the moment. */
_Static_assert(sizeof(struct td_moment) + sizeof(uint64_t) <=
		       sizeof(((struct td_interval *)0)->next),
	       "a moment has room in an interval");

static int begin_next(struct td_thread *thread, struct td_interval *interval, struct td_moment *now)
{
	int rc = 0;

	if (!now->fresh && now->step > MAX_SLOTS)
		rc = td_thread_counters_restart(&thread->counters, now);
	memcpy(&interval->next[1], now, sizeof(*now));
	interval->next[0] = rc ? 0 : thread->serial;
	return rc;
}

static int read_interval(struct td_thread *thread, struct td_interval *interval)
{
	struct td_moment from, now;
	bool begun = interval->next[0] == thread->serial, lost = false;
	int rc = td_thread_counters_look(&thread->counters, &now);

	fill_with_nan(interval);
	interval->next[0] = 0;
	if (rc)
		return rc;
	memcpy(&from, &interval->next[1], sizeof(from));
	if (begun)
		lost = td_moment_is_lost(&from, &now);
	if (begun && !lost)
		td_interval_fill(interval, thread->counters.spec, &from, &now);
	rc = begin_next(thread, interval, &now);
	return !rc && lost ? -ENODATA : rc;
}

int td_read(struct td_interval *interval)
{
	struct td_thread *thread;
	int error = errno, rc = td_thread_to_read(&thread);

	if (!rc && __atomic_exchange_n(&thread->busy, true, __ATOMIC_ACQUIRE))
		rc = -EBUSY;
	if (!rc) {
		rc = read_interval(thread, interval);
		__atomic_store_n(&thread->busy, false, __ATOMIC_RELEASE);
	}
	if (rc)
		fill_with_nan(interval);
	errno = error;
	return rc;
}
