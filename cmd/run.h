/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_RUN_H
#define TD_RUN_H

#include "cmd/child.h"
#include "cmd/measure.h"
#include "cmd/opts.h"
#include "cmd/sink.h"
#include "cmd/wait.h"
#include "lib/counter.h"
#include "lib/cpu_times.h"
#include "lib/event_text.h"
#include "lib/recording.h"

#define TD_NS_A_MS UINT64_C(1000000)

/* All that one run of counting holds. */
struct td_run {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_measure measure;
	struct td_event_text text; /* what -e said */
	struct td_plan plan;
	struct td_target target;
	struct td_notes notes;
	size_t notes_said;
	struct td_waiter waiter;
	struct td_child child;
	struct td_counter *counter;
	struct td_sink sink;
	FILE *recording; /* NULL: none */
	char *target_text;

	struct td_readings sum; /* since the last row */
	struct td_readings all; /* since counting began; with -v alone */
	uint64_t ticks;         /* since counting began */
	uint64_t ticks_a_row;
	uint64_t row_ns;               /* when the last row ended */
	struct td_cpu_times row_times; /* and what was used by then */
	uint64_t rows;                 /* deadlines that have passed */
	int printed;                   /* rows that have been written */
	int signals;                   /* that asked us to stop */
	bool timed_out;
	bool ever_enabled, ever_running; /* any counter, in the whole run */
};

void td_run_init(struct td_run *run, const struct td_opts *opts);
/* What was not done as asked, once, on standard error. */
void td_run_say_notes(struct td_run *run);
/* What has been recorded so far is in the file, or it is an error. */
int td_run_check_recording(struct td_run *run, struct td_err *err);
/* Forks the command, opens the counters and the outputs. */
int td_run_open(struct td_run *run, struct td_err *err);
/* Counting begins: counters on, clock started, command let go. */
int td_run_begin(struct td_run *run, struct td_err *err);
/*
 * The times of the interval that ends at time_ns; usage: of a command that has
 * ended, else NULL.
 */
int td_run_times(struct td_run *run, uint64_t time_ns,
		 const struct td_usage *usage, struct td_times *out,
		 struct td_err *err);
/* Begins, counts to the end, and writes all of it. */
int td_run_count(struct td_run *run, struct td_err *err);
/* Returns rc, or the error of what could not be closed. */
int td_run_close(struct td_run *run, int rc, struct td_err *err);

#endif
