/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/run: counting, from the start of the command to the last row.
 *
 * In: a job, as cmd/plan makes it.
 * Out: readings for cmd/view, and a recording.  engine.c waits
 * for all that happens, once.c takes it in a run; rows.c reads and shows.
 */
#ifndef TD_CMD_RUN_RUN_H
#define TD_CMD_RUN_RUN_H

#include "cmd/plan/job.h"
#include "cmd/run/clock.h"
#include "cmd/run/engine.h"
#include "cmd/run/parts.h"
#include "cmd/run/progress.h"
#include "cmd/run/recorder.h"
#include "cmd/view/view.h"
#include "lib/counter/counter.h"
#include "lib/counter/tasks.h"
#include "lib/plan/sets.h"

/* How often to retry opening while threads come and go. */
#define TD_ATTEMPTS 5

/* What all runs of -r share. */
struct td_session {
	struct td_job *job;
	struct td_inherited inherited;
	struct td_engine engine;
	struct td_control control;
	int control_remarks; /* number of messages about it */
	bool control_unread; /* said that nobody reads the acks */
	struct td_task_names names;
	struct td_source source;
	struct td_view view;
	struct td_recorder recorder;
	struct td_latencies latencies; /* of all runs */
	int runs;                      /* number of finished runs */
	struct td_progress progress;   /* of them */
	bool said_difference;          /* of the runs' work */
	bool told;                     /* "stop" came through --control */
	bool is_last;                  /* no further run */
	int begun;       /* number of runs whose command was let go */
	bool pre_done;   /* --pre was done for the run that began last */
	bool held_back;  /* its command is not wanted */
	bool unwritable; /* output or recording cannot be written */
	bool lacking;    /* memory ran out: results lack something */
	bool unseen;     /* the output's reader has gone: not an error */
};

/* The open counters. */
struct td_counting {
	struct td_counter *counter;  /* NULL if there is none */
	struct td_task_watch *watch; /* per thread, else NULL */
	size_t nr_ended;  /* threads that ended since the last read */
	size_t nr_missed; /* threads that ended before they were counted */
	bool baseline;    /* the first read is done */
	bool on;          /* all counters are enabled */
};

/* One run. */
struct td_run {
	struct td_session *session;
	struct td_job *job; /* the session's, as is this: */
	struct td_engine *engine;
	uint64_t first_pid; /* the last pid before it; 0 if unknown */
	struct td_counting counting;
	struct td_clock clock;
	struct td_tally tally;
	struct td_drilling drilling;
	struct td_offline offline;
	struct td_newcomers newcomers;
	/* of the row, up to the last read, of PERF_METRICS: see rows.c */
	double slots, level_1;
	bool fields_linger; /* they were more than the slots */
	struct td_latency_sampling latency;
	int printed; /* rows that were written */
	int waited;  /* of them, in which no task ran */
	bool said_behind;
	bool given_up; /* counting ended with an error */
};

/* Prepares aggregation, signals and --control. */
int td_session_open(struct td_session *session, struct td_job *job,
		    const struct td_inherited *inherited, struct td_err *err);
/* True if another run follows. */
bool td_session_goes_on(const struct td_session *session);
/* rotate.c: does SIGHUP open files anew, and end nothing? */
bool td_session_keeps_hangup(const struct td_request *request);
/*
 * After SIGHUP: opens the files of -o anew that somebody has renamed.  What cannot
 * be opened is said, and the old file is written on.
 */
int td_session_reopen(struct td_session *session, struct td_err *err);
/* Opens the recording, or the first one of several. */
int td_session_open_recorder(struct td_session *session, struct td_err *err);
/* The length of "dir/td" of "dir/td.jsonl.zst", behind which the stamp is. */
size_t td_rotated_stem(const char *name);
/* Before an interval is recorded: begins the next file, if it is time (--rotate). */
int td_session_rotate(struct td_session *session, struct td_err *err);
/* Returns rc, or an error from closing the outputs. */
int td_session_close(struct td_session *session, int rc, struct td_err *err);

/* Forgets the run before; session and job stay. */
int td_run_reset(struct td_run *run, struct td_err *err);
/* Ends the command and frees everything. */
void td_run_close(struct td_run *run);
void td_counting_close(struct td_counting *counting);
/* The time since the clock was started. */
uint64_t td_run_now(const struct td_run *run);

/* once.c: one run, from --pre to --post, with its rows. */
int td_run_once(struct td_run *run, struct td_err *err);
/* Writes the end of the output after the last run. */
int td_run_finish(struct td_run *run, struct td_err *err);
/* open.c: forks the command, opens the counters, and enables them. */
int td_run_open(struct td_run *run, struct td_err *err);
/* Then starts the counters, the clock and the command. */
int td_run_begin(struct td_run *run, struct td_err *err);
/* Enables the counters after -D and starts the clock. */
int td_run_end_delay(struct td_run *run, struct td_err *err);
/* Prepares for enabling a single event as the first one. */
int td_run_first_enable(struct td_run *run, struct td_err *err);
/* rows.c */
/* True if all rows of --interval-count are printed. */
bool td_run_printed_all(const struct td_run *run);
/* Reads the counters into the next row; see td_counter_read(). */
int td_run_read(struct td_run *run, uint64_t retry_ns, struct td_err *err);
/*
 * Records and shows the counts since the last row, up to time_ns; usage as for
 * td_clock_times().
 */
int td_run_put_sum(struct td_run *run, uint64_t time_ns,
		   const struct td_usage *usage, struct td_err *err);
/* Ends the current row now, if there are rows. */
int td_run_put_row_now(struct td_run *run, struct td_err *err);
/*
 * Reads, and waits for a group for a tenth of the row or of a second at most, so
 * that the other counts still belong to this interval.
 */
int td_run_read_in_time(struct td_run *run, struct td_err *err);
/* Reads after ticks periods, and writes a row if one is due. */
int td_run_tick(struct td_run *run, uint64_t ticks, struct td_err *err);
/* run.c: errors after the command has started. */
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
int td_counting_watch(struct td_counting *counting, struct td_job *job,
		      struct td_task_names *names, struct td_err *err);
int td_run_take_tasks(struct td_run *run, struct td_err *err);
/* explain.c: says why counts are missing. */
/* Before the run's notes: what the command did not let us count. */
void td_note_uncounted(const struct td_run *run, const struct td_usage *usage);
/* Says what was missed, and if nothing was counted, why. */
void td_run_explain(const struct td_run *run);

#endif
