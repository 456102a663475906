// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/clock.h"

#include "metrics/eval/finished.h"

/*
 * If results are shown at the end, reads are more frequent in the first 30 seconds.  This gives
 * enough batches for the errors of a short run, and batches that are shorter than most phases of a
 * program.
 */
#define OFTEN_NS    (100 * TD_NS_A_MS)
#define OFTEN_TICKS 300

/*
 * Time between reads while PERF_METRICS is shared: at the end of each turn, the kernel adds
 * the growth of the fields and ignores their decrease (__icl_update_topdown_event() in the
 * kernel), so old values linger until a read resets them.
 */
#define SHARED_NS OFTEN_NS

/* Number of reads in a row with a verdict, and the shortest time between them. */
#define READS_A_ROW 10
#define SHORTEST_NS (20 * TD_NS_A_MS)

/*
 * Reading may take at most 1/READING_PART of a CPU's time, or 1/VISITS_PART if it visits each CPU.
 * This is checked after MIN_READS reads.
 */
#define READING_PART 20
#define VISITS_PART  100
#define MIN_READS    4

/* Divide a row into ticks.  Returns the time between two ticks. */
static uint64_t divide_row(struct td_clock *clock, uint64_t longest_ns)
{
	clock->ticks_a_row = (clock->length_ns + longest_ns - 1) / longest_ns;
	clock->ticks = clock->rows * clock->ticks_a_row;
	return clock->length_ns / clock->ticks_a_row;
}

/* Return the time between frequent reads. */
static uint64_t often_ns(const struct td_clock *clock)
{
	uint64_t part_ns = clock->length_ns / READS_A_ROW;

	if (!clock->keeps || part_ns > OFTEN_NS)
		return OFTEN_NS;
	return part_ns > SHORTEST_NS ? part_ns : SHORTEST_NS;
}

int td_clock_start(struct td_clock *clock, struct td_waiter *waiter, const struct td_job *job,
		   struct td_err *err)
{
	const struct td_request *request = job->request;
	bool rows = request->when.interval_ms;
	uint64_t period_ns;

	/* only metrics have errors */
	clock->often = job->tree && (!rows || request->show.summary || clock->keeps);
	clock->visits = job->target.by_switches;
	clock->length_ns = (uint64_t)request->when.interval_ms * TD_NS_A_MS;
	period_ns = clock->often ? often_ns(clock) : TD_LONGEST_NS;
	clock->longest_ns = period_ns;
	clock->ticks_a_row = 1;
	if (rows)
		period_ns = divide_row(clock, period_ns);
	clock->began = true;
	return td_waiter_start(waiter, period_ns, (uint64_t)request->when.timeout_ms * TD_NS_A_MS,
			       err);
}

/* Return true if reads take too much CPU time. */
static bool is_costly(const struct td_clock *clock, uint64_t period_ns)
{
	uint64_t part = clock->visits ? VISITS_PART : READING_PART;

	return clock->reads >= MIN_READS && clock->reading_ns * part > clock->reads * period_ns;
}

/* Halve the frequency; if a row would have too few reads for errors, read as rarely as possible. */
static uint64_t rarer(const struct td_clock *clock, uint64_t period_ns)
{
	period_ns *= 2;
	if (clock->keeps && clock->length_ns / period_ns < TD_MIN_BATCHES)
		return TD_LONGEST_NS;
	return period_ns < TD_LONGEST_NS ? period_ns : TD_LONGEST_NS;
}

/* Return the new time between reads. */
static uint64_t choose_longest(struct td_clock *clock, uint64_t period_ns)
{
	uint64_t now_ns = clock->longest_ns;
	bool for_long = clock->ticks >= OFTEN_TICKS && !clock->keeps;

	if (clock->often && for_long && !clock->shared)
		return TD_LONGEST_NS;
	if (clock->often && is_costly(clock, period_ns)) {
		clock->costly = true;
		return rarer(clock, period_ns);
	}
	return clock->shared && !clock->costly && now_ns > SHARED_NS ? SHARED_NS : now_ns;
}

void td_clock_adapt(struct td_clock *clock, struct td_waiter *waiter, uint64_t reading_ns)
{
	uint64_t longest_ns;

	clock->reads++;
	clock->reading_ns += reading_ns;
	if (clock->ticks % clock->ticks_a_row)
		return;
	longest_ns = choose_longest(clock, waiter->period_ns);
	if (longest_ns == clock->longest_ns)
		return;
	clock->longest_ns = longest_ns;
	clock->often = longest_ns < TD_LONGEST_NS;
	clock->reads = clock->reading_ns = 0;
	td_waiter_set_period(waiter, clock->length_ns ? divide_row(clock, longest_ns) : longest_ns);
}

void td_clock_note_read(struct td_clock *clock, uint64_t took_ns)
{
	clock->took_ns = took_ns;
	if (!clock->min_took_ns || took_ns < clock->min_took_ns)
		clock->min_took_ns = took_ns;
}

bool td_clock_tick(struct td_clock *clock, uint64_t ticks)
{
	uint64_t rows;

	clock->ticks += ticks;
	rows = clock->ticks / clock->ticks_a_row;
	if (rows == clock->rows)
		return false;
	clock->rows_missed += rows - clock->rows - 1;
	clock->rows = rows;
	return true;
}

/* --- duration_time, user_time and system_time of an interval ----------------- */

static bool wants_cpu_times(const struct td_plan *plan)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].tool == TD_TOOL_USER_TIME ||
		    plan->events.v[i].tool == TD_TOOL_SYSTEM_TIME)
			return true;
	}
	return false;
}

/* Read the times of CPUs.  Returns 1 without /proc: the other events are still counted. */
static int read_cpus(struct td_job *job, struct td_cpu_times *now, struct td_err *err)
{
	const struct td_target *target = &job->target;
	int rc = td_cpu_times_read(&job->fs, target->has_cpus ? &target->cpus : NULL, now, err);

	if (!td_sysfs_is_none(rc))
		return rc;
	td_notes_add(&job->notes, "%s", err->msg);
	*err = (struct td_err){ 0 };
	return 1;
}

/*
 * Read the CPU time that the target has used so far.  Returns 1 if the time is unknown: for
 * children of a running command, or for a process that has ended.
 */
static int read_cpu_times(struct td_job *job, const struct td_usage *usage,
			  struct td_cpu_times *now, struct td_err *err)
{
	const struct td_request *request = job->request;

	if (job->target.system_wide)
		return read_cpus(job, now, err);
	if (request->target.tids.nr || job->target.per_thread)
		return 1;
	if (td_target_attaches(&request->target))
		return !td_cpu_times_read_pids(&job->fs, &request->target.pids, now);
	if (!usage || !usage->has_times || request->when.interval_ms)
		return 1;
	now->user_ns = usage->user_ns;
	now->system_ns = usage->sys_ns;
	return 0;
}

void td_clock_times(struct td_clock *clock, struct td_job *job, uint64_t time_ns,
		    const struct td_usage *usage, struct td_times *out)
{
	struct td_cpu_times now = { 0 };
	struct td_err err;
	int rc;

	*out = (struct td_times){ .elapsed_ns = time_ns - clock->row_ns };
	/*
	 * A row lasts from the end of a read to the end of another one.  If a read is delayed, some
	 * counters are read long before its end, and their counts cover more or less time than the
	 * row.  The shortest read shows how long reads take at least.
	 */
	if (clock->row_ns)
		out->unsure_ns = clock->row_took_ns + clock->took_ns - 2 * clock->min_took_ns;
	clock->row_ns = time_ns;
	clock->row_took_ns = clock->took_ns;
	if (!wants_cpu_times(&job->plan))
		return;
	rc = read_cpu_times(job, usage, &now, &err);
	if (rc < 0)
		td_notes_add(&job->notes, "%s", err.msg);
	if (rc)
		return;
	out->has_cpu_times = true;
	out->user_ns = td_since(now.user_ns, clock->row_times.user_ns);
	out->system_ns = td_since(now.system_ns, clock->row_times.system_ns);
	clock->row_times = now;
}
