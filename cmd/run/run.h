/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/run: counting, from the start of the command to the last row.
 *
 * In: a plan and a target.
 * Out: rows for the sink of cmd/out, and a recording.  once.c is one run; loop.c
 * waits for time, signals, tasks and --control; rows.c reads and shows.
 */
#ifndef TD_CMD_RUN_RUN_H
#define TD_CMD_RUN_RUN_H

#include "cmd/opts/opts.h"
#include "cmd/out/sink.h"
#include "cmd/plan/measure.h"
#include "cmd/run/child.h"
#include "cmd/run/control.h"
#include "cmd/run/wait.h"
#include "lib/counter/counter.h"
#include "lib/counter/task_watch.h"
#include "lib/event/text.h"
#include "lib/machine/cpu_times.h"
#include "lib/recording/recording.h"

#define TD_NS_A_MS UINT64_C(1000000)

/*
 * At the end, for what cannot be read yet.  A child that is exiting and has
 * lost its CPU to others was seen to take 1.2 s.
 */
#define TD_LAST_PATIENCE_NS (5000 * TD_NS_A_MS)

/* At opening what threads come and go of, before giving up. */
#define TD_ATTEMPTS 5

/* All that counting holds: once or, with -r, run by run. */
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
	struct td_given given;
	struct td_waiter waiter;
	struct td_control control;
	struct td_aggregator aggregator;
	struct td_task_names names;
	struct td_ratio_table ratios; /* --metric-only of events */
	struct td_sink sink;
	FILE *recording; /* NULL: none */
	bool replaces;   /* another, which stays until the command runs */
	char *target_text;
	int runs;           /* that have ended */
	int signals;        /* that asked us to stop */
	uint64_t signal_ns; /* when the first of them came */
	bool stopped;       /* no further run, for whatever reason */
	bool told_to_stop;  /* through --control */
	int remarks;        /* on what came in through it */
	bool unread;        /* it was said that nobody reads its answers */

	/* Of one run: */
	struct td_child child;
	uint64_t first_pid; /* the last one before it; 0: not known */
	struct td_counter *counter;
	struct td_task_watch *watch; /* per thread; else NULL */
	size_t nr_ended;             /* threads, since the last read */
	size_t nr_missed;            /* that ended before they were counted */
	uint64_t rows_missed;        /* whose deadlines we slept through */
	size_t nr_read;              /* readings then */
	struct td_readings sum;      /* since the last row */
	struct td_index sum_index;   /* of threads, which come and go */
	/* An event each, since counting began: of a command, with -v, beside the
	 * NMI watchdog. */
	struct td_readings all;
	uint64_t ticks; /* since counting began */
	uint64_t ticks_a_row;
	uint64_t row_ns;               /* when the last row ended */
	struct td_cpu_times row_times; /* and what was used by then */
	uint64_t rows;                 /* deadlines that have passed */
	int printed;                   /* rows that have been written */
	bool began;                    /* the clock runs */
	bool baseline;                 /* what came before is forgotten */
	bool counting;                 /* all counters do */
	bool timed_out;
	bool ever_enabled, ever_running; /* any counter */
	uint64_t read_ns;                /* the last look, since the start */
	bool fresh;                      /* it is in no row yet */
	bool behind, said_behind;        /* counters that it could not see */
	bool given_up;                   /* nothing is counted any more */
	bool unwritable;                 /* nothing is written any more */
	bool unseen; /* because its reader has gone: no failure */
};

void td_run_init(struct td_run *run, const struct td_opts *opts);
/* What was not done as asked, once, on standard error. */
void td_run_say_notes(struct td_run *run);
/* A line for who watches; nothing with --quiet. */
void td_run_say(const struct td_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What has been recorded so far is in the file, or it is an error. */
int td_run_check_recording(struct td_run *run, struct td_err *err);

/* What all runs share: outputs, signals, --control. */
int td_run_prepare(struct td_run *run, struct td_err *err);
/* Is there to be one more? */
bool td_run_again(const struct td_run *run);
/* Returns rc, or the error of what could not be closed. */
int td_run_close(struct td_run *run, int rc, struct td_err *err);

/* Nothing of this run is counted any more. */
void td_run_close_counters(struct td_run *run);

/* once.c: one run, from --pre to --post; its rows are written. */
int td_run_once(struct td_run *run, struct td_err *err);
/* What is written when all runs have ended. */
int td_run_finish(struct td_run *run, struct td_err *err);
/* open.c: forks the command, opens the counters. */
int td_run_open(struct td_run *run, struct td_err *err);
int td_run_open_counter(struct td_run *run, struct td_err *err);
/* begin.c: up to the moment from which a run counts */
int td_run_begin(struct td_run *run, struct td_err *err);
/* enable.c */
int td_run_enable(struct td_run *run, struct td_err *err);
/* The clock, and what it is to be told from: how much was used by now. */
int td_run_begin_time(struct td_run *run, struct td_err *err);
/* The delay is over: counters on, clock started. */
int td_run_end_delay(struct td_run *run, struct td_err *err);
/* One event is to be counted, and none was yet. */
int td_run_first_enable(struct td_run *run, struct td_err *err);
/* rows.c */
/* --interval-count rows are out. */
bool td_run_is_quiet(const struct td_run *run);
/* A look at the counters, into what the next row shows: td_counter_ops.read */
int td_run_read(struct td_run *run, uint64_t patience_ns, struct td_err *err);
/*
 * What was counted since the last row, up to time_ns: recorded and shown.
 * usage: as for td_run_times().
 */
int td_run_put_sum(struct td_run *run, uint64_t time_ns,
		   const struct td_usage *usage, struct td_err *err);
/* A row out of its turn, if there are rows. */
int td_run_put_row_now(struct td_run *run, struct td_err *err);
/*
 * A group that cannot be read now is waited for, but not so long that what the
 * others have counted is no more of this interval.
 */
int td_run_read_in_time(struct td_run *run, struct td_err *err);
/* A deadline has passed: read, and if it is a row's, write. */
int td_run_tick(struct td_run *run, uint64_t ticks, struct td_err *err);
/* loop.c: to the end of what is counted */
int td_run_loop(struct td_run *run, struct td_err *err);
/* trouble.c: what goes wrong behind the start of a command */
/*
 * What err says ends the counting.  Is there a command, which goes on?  Then
 * err has been said, and is empty again.
 */
bool td_run_outlives(struct td_run *run, struct td_err *err);
/* The status of a run that got to its end: the command's, or 1. */
int td_run_status(const struct td_run *run);
/* requests.c: what came in through --control */
int td_run_take_control(struct td_run *run, struct td_err *err);
/* tasks.c: threads that came and went */
int td_run_watch_tasks(struct td_run *run, struct td_err *err);
int td_run_take_tasks(struct td_run *run, struct td_err *err);

/*
 * The times of the interval that ends at time_ns; usage: of a command that has
 * ended, else NULL.  CPU times that cannot be read are missing, and noted.
 */
void td_run_times(struct td_run *run, uint64_t time_ns,
		  const struct td_usage *usage, struct td_times *out);

#endif
