/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/run: counting, from the start of the command to the last row.
 *
 * In: a plan and a target.
 * Out: readings for cmd/view, and a recording. once.c is one run; loop.c
 * waits for time, signals, tasks and --control; rows.c reads and shows.
 */
#ifndef TD_CMD_RUN_RUN_H
#define TD_CMD_RUN_RUN_H

#include "cmd/opts/opts.h"
#include "cmd/plan/measure.h"
#include "cmd/run/child.h"
#include "cmd/run/control.h"
#include "cmd/run/wait.h"
#include "cmd/view/view.h"
#include "lib/counter/counter.h"
#include "lib/counter/task_watch.h"
#include "lib/event/text.h"
#include "lib/machine/cpu_times.h"
#include "lib/recording/recording.h"

#define TD_NS_A_MS UINT64_C(1000000)

/*
 * How long the last read waits for a group that cannot be read yet.  A child
 * that was exiting without a CPU was seen to take 1.2 s.
 */
#define TD_LAST_PATIENCE_NS (5000 * TD_NS_A_MS)

/* How often to retry opening while threads come and go. */
#define TD_ATTEMPTS 5

/* The state of counting, for all runs of -r. */
struct td_run {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_measure measure;
	struct td_event_text text; /* of -e */
	struct td_plan plan;
	struct td_target target;
	struct td_notes notes;
	struct td_given given;
	struct td_waiter waiter;
	struct td_control control;
	struct td_task_names names;
	struct td_place *places; /* as the aggregation wants them */
	struct td_source source;
	struct td_view view;
	FILE *recording;    /* NULL if there is none */
	bool replaces;      /* an old recording stays until the command runs */
	int runs;           /* number of finished runs */
	int signals;        /* number of signals that asked us to stop */
	uint64_t signal_ns; /* time of the first one */
	bool stopped;       /* no further run */
	bool told_to_stop;  /* "stop" came through --control */
	int remarks;        /* number of messages about --control */
	bool unread;        /* said that nobody reads the acks */

	/* Of one run: */
	struct td_child child;
	uint64_t first_pid; /* the last pid before it; 0 if unknown */
	struct td_counter *counter;
	struct td_task_watch *watch; /* per thread, else NULL */
	size_t nr_ended;      /* threads that ended since the last read */
	size_t nr_missed;     /* threads that ended before they were counted */
	uint64_t rows_missed; /* rows whose time passed in one sleep */
	size_t nr_read;       /* number of readings of the last read */
	struct td_readings sum;    /* counts since the last row */
	struct td_index sum_index; /* of sum, for threads, which come and go */
	/*
	 * Times of each event since counting began; kept for a command, with
	 * -v, and with the NMI watchdog.
	 */
	struct td_readings all;
	uint64_t ticks; /* since counting began */
	uint64_t ticks_a_row;
	uint64_t row_ns;               /* end of the last row */
	struct td_cpu_times row_times; /* CPU times at that moment */
	uint64_t rows;                 /* row times that have passed */
	int printed;                   /* rows that were written */
	bool began;                    /* the clock has started */
	bool baseline;                 /* the first read is done */
	bool counting;                 /* all counters are enabled */
	bool timed_out;
	bool ever_enabled, ever_running; /* for any counter */
	uint64_t read_ns;         /* time of the last read, since the start */
	bool fresh;               /* its counts are in no row yet */
	bool behind, said_behind; /* some counters could not be read */
	bool given_up;            /* counting ended with an error */
	bool unwritable;          /* output or recording cannot be written */
	bool unseen; /* the output's reader has gone: not an error */
};

void td_run_init(struct td_run *run, const struct td_opts *opts);
/* The tree of the metrics to count; NULL if events were typed. */
const struct td_tree *td_run_tree(const struct td_run *run);
/* Prints the notes that were not printed yet. */
void td_run_say_notes(struct td_run *run);
/* Prints a message to standard error, unless --quiet. */
void td_run_say(const struct td_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Flushes the recording and checks that it could be written. */
int td_run_check_recording(struct td_run *run, struct td_err *err);

/* Prepares what all runs share: aggregation, signals, --control. */
int td_run_prepare(struct td_run *run, struct td_err *err);
/* True if another run follows. */
bool td_run_again(const struct td_run *run);
/* Frees everything.  Returns rc, or an error from closing the outputs. */
int td_run_close(struct td_run *run, int rc, struct td_err *err);

/* Closes the counters of this run. */
void td_run_close_counters(struct td_run *run);

/* once.c: one run, from --pre to --post, with its rows. */
int td_run_once(struct td_run *run, struct td_err *err);
/* Writes the end of the output after all runs. */
int td_run_finish(struct td_run *run, struct td_err *err);
/* open.c: forks the command, opens the counters. */
int td_run_open(struct td_run *run, struct td_err *err);
int td_run_open_counter(struct td_run *run, struct td_err *err);
/* begin.c: starts the counters, the clock and the command. */
int td_run_begin(struct td_run *run, struct td_err *err);
/* enable.c: enables all counters and reads them once. */
int td_run_enable(struct td_run *run, struct td_err *err);
/* Starts the clock and takes the CPU times to subtract. */
int td_run_begin_time(struct td_run *run, struct td_err *err);
/* Enables the counters after -D and starts the clock. */
int td_run_end_delay(struct td_run *run, struct td_err *err);
/* Prepares for enabling a single event as the first one. */
int td_run_first_enable(struct td_run *run, struct td_err *err);
/* rows.c */
/* True if all rows of --interval-count are printed. */
bool td_run_is_quiet(const struct td_run *run);
/* Reads the counters into the next row; see td_counter_read(). */
int td_run_read(struct td_run *run, uint64_t patience_ns, struct td_err *err);
/*
 * Records and shows the counts since the last row, up to time_ns; usage as for
 * td_run_times().
 */
int td_run_put_sum(struct td_run *run, uint64_t time_ns,
		   const struct td_usage *usage, struct td_err *err);
/* Ends the current row now, if there are rows. */
int td_run_put_row_now(struct td_run *run, struct td_err *err);
/*
 * Reads, and waits for a group for a tenth of the period at most, so that the
 * other counts still belong to this interval.
 */
int td_run_read_in_time(struct td_run *run, struct td_err *err);
/* Reads after ticks periods, and writes a row if one is due. */
int td_run_tick(struct td_run *run, uint64_t ticks, struct td_err *err);
/* loop.c: counts until the end. */
int td_run_loop(struct td_run *run, struct td_err *err);
/* trouble.c: errors after the command has started. */
/*
 * Ends counting because of err.  If the command is running, err is printed and
 * cleared, and the result is true.
 */
bool td_run_outlives(struct td_run *run, struct td_err *err);
/*
 * The exit status of a run without an error: the command's, or 1 if the output
 * could not be written.
 */
int td_run_status(const struct td_run *run);
/* requests.c: handles commands of --control. */
int td_run_take_control(struct td_run *run, struct td_err *err);
/* tasks.c: threads that begin and end. */
int td_run_watch_tasks(struct td_run *run, struct td_err *err);
int td_run_take_tasks(struct td_run *run, struct td_err *err);

/*
 * Sets the times of the interval that ends at time_ns. usage is that of a
 * command that has ended, else NULL. CPU times that cannot be read are missing,
 * with a note.
 */
void td_run_times(struct td_run *run, uint64_t time_ns,
		  const struct td_usage *usage, struct td_times *out);

#endif
