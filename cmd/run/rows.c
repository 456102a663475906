// SPDX-License-Identifier: GPL-2.0-only
/* Reads the counters, and records and shows rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/run/run.h"
#include "lib/base/util.h"

bool td_run_is_quiet(const struct td_run *run)
{
	return run->opts->interval_count &&
	       run->printed == run->opts->interval_count;
}

/* All reads give the same readings in the same order. */
static int add_readings(struct td_readings *sum,
			const struct td_readings *delta)
{
	if (!sum->nr) {
		struct td_reading *v =
			reallocarray(sum->v, delta->nr + 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		memcpy(v, delta->v, delta->nr * sizeof(*v));
		sum->v = v;
		sum->nr = delta->nr;
		return 0;
	}
	td_readings_add(sum, delta);
	return 0;
}

/* The sum keeps the counts of ended threads, so the counter may drop them. */
static int add_threads(struct td_run *run, const struct td_readings *delta)
{
	int rc = td_readings_merge(&run->sum, &run->sum_index, delta);

	td_counter_forget_ended(run->counter);
	return rc;
}

/* Sums up the times of each event over all CPUs and threads. */
static int add_to_all(struct td_run *run, const struct td_readings *delta)
{
	struct td_readings *all = &run->all;

	if (!all->nr) {
		free(all->v);
		all->v = calloc(run->plan.events.nr + 1, sizeof(*all->v));
		if (!all->v)
			return -ENOMEM;
		all->nr = run->plan.events.nr;
		for (size_t i = 0; i < all->nr; i++)
			all->v[i].event = (int)i;
	}
	for (size_t i = 0; i < delta->nr; i++) {
		struct td_reading *to = &all->v[delta->v[i].event];

		to->enabled_ns += delta->v[i].enabled_ns;
		to->running_ns += delta->v[i].running_ns;
	}
	return 0;
}

int td_run_read(struct td_run *run, uint64_t patience_ns, struct td_err *err)
{
	struct td_readings delta;
	int rc = td_counter_read(run->counter, patience_ns, &delta, err);

	run->nr_ended = 0;
	if (rc)
		return rc;
	run->read_ns = td_now_ns() - run->waiter.start_ns;
	run->behind = delta.behind;
	run->fresh = true;
	run->ever_enabled = run->ever_enabled || td_readings_enabled(&delta);
	run->ever_running = run->ever_running || td_readings_ran(&delta);
	run->nr_read = delta.nr;
	if (run->opts->verbose || run->target.enable_on_exec ||
	    run->machine.nmi_watchdog)
		rc = add_to_all(run, &delta);
	if (!rc)
		rc = run->target.per_thread ? add_threads(run, &delta)
					    : add_readings(&run->sum, &delta);
	return rc ? td_err_nomem(err) : 0;
}

/*
 * Threads that have ended are dropped after their last row, unless the summary
 * needs their names.
 */
static void clear_row(struct td_run *run)
{
	if (!run->target.per_thread) {
		td_readings_clear(&run->sum);
		return;
	}
	if (!run->view.summary)
		td_task_names_forget_ended(&run->names);
	run->sum.nr = 0;
	td_index_clear(&run->sum_index);
}

int td_run_put_sum(struct td_run *run, uint64_t time_ns,
		   const struct td_usage *usage, struct td_err *err)
{
	struct td_times times;
	int rc;

	td_run_times(run, time_ns, usage, &times);
	if (run->recording)
		td_recording_write_counts(run->recording, time_ns, &times,
					  &run->names, &run->sum);
	rc = td_run_check_recording(run, err);
	return rc ? rc
		  : td_view_put(&run->view, time_ns, &times, &run->sum, err);
}

static void say_behind(struct td_run *run)
{
	if (!run->behind || run->said_behind)
		return;
	run->said_behind = true;
	td_run_say(run, "tdstat: not all counters could be read at once, "
			"because a child process was beginning or ending: what "
			"a row lacks is in one of the next rows\n");
}

/* Writes the row and begins a new one. */
static int put_row(struct td_run *run, uint64_t time_ns, struct td_err *err)
{
	int rc = td_run_put_sum(run, time_ns, NULL, err);

	say_behind(run);
	clear_row(run);
	run->fresh = false;
	run->printed++;
	return rc;
}

int td_run_read_in_time(struct td_run *run, struct td_err *err)
{
	return td_run_read(run, run->waiter.period_ns / 10, err);
}

int td_run_put_row_now(struct td_run *run, struct td_err *err)
{
	uint64_t time_ns;
	int rc;

	if (!run->opts->interval_ms || !run->began || td_run_is_quiet(run))
		return 0;
	time_ns = td_now_ns() - run->waiter.start_ns;
	rc = td_run_read_in_time(run, err);
	return rc ? rc : put_row(run, time_ns, err);
}

int td_run_tick(struct td_run *run, uint64_t ticks, struct td_err *err)
{
	uint64_t time_ns = td_now_ns() - run->waiter.start_ns, rows;
	int rc = td_run_read_in_time(run, err);

	run->ticks += ticks;
	rows = run->ticks / run->ticks_a_row;
	if (rc || !run->opts->interval_ms || rows == run->rows)
		return rc;
	run->rows_missed += rows - run->rows - 1;
	run->rows = rows;
	return put_row(run, time_ns, err);
}
