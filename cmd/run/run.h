/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/run: counting, from the start of the command to the last row.
 *
 * In: a job, as cmd/plan makes it.
 * Out: readings for cmd/view, and a recording.  engine.c waits for events, once.c
 * handles them in a run; rows.c reads and shows.
 */
#pragma once

#include "cmd/plan/job.h"
#include "cmd/run/clock.h"
#include "cmd/run/engine.h"
#include "cmd/run/parts.h"
#include "cmd/run/progress.h"
#include "cmd/run/recorder.h"
#include "cmd/view/view.h"
#include "lib/counter/counter.h"
#include "lib/counter/tasks.h"
#include "lib/plan/fit.h"
#include "lib/sample/switches.h"

/* The state that all runs of -r share. */
struct td_session {
	struct td_job *job;
	struct td_inherited inherited;
	struct td_engine engine;
	struct td_control control;
	int control_notes;   /* number of messages about wrong commands of --control */
	bool control_unread; /* a message said that no process reads the acks */
	struct td_task_names names;
	struct td_source source;
	struct td_view view;
	struct td_recorder recorder;
	struct td_latencies latencies; /* latencies of all runs */
	int runs;                      /* number of finished runs */
	struct td_progress progress;   /* progress of the runs */
	bool said_difference;          /* a message said that the runs' work differs */
	bool stopped;                  /* "stop" came through --control */
	bool is_last;                  /* no run follows */
	int begun;                     /* number of runs whose command started */
	bool pre_done;                 /* --pre was done for the run that began last */
	bool blocked;    /* start no further command: a hook failed, or a signal came first */
	bool unwritable; /* output or recording cannot be written */
	bool unseen;     /* the output's reader has gone: not an error */
};

/* One run. */
struct td_run {
	struct td_session *session;
	struct td_job *job;       /* the session's job */
	struct td_engine *engine; /* the session's engine */
	uint64_t first_pid;       /* the last pid before the run; 0: unknown */
	/* The open counters. */
	struct td_counting {
		struct td_counter *counter;   /* NULL: not open */
		struct td_switches *switches; /* instead of counter, for target.by_switches */
		struct td_sampled_cpus cpus;  /* those of switches */
		struct td_task_watch *watch;  /* only with --per-thread, else NULL */
		size_t nr_ended;              /* threads that ended since the last read */
		size_t nr_missed;             /* threads that ended before they were counted */
		bool baseline;                /* the first read is done */
		bool on;                      /* all counters are enabled */
	} counting;
	struct td_clock clock;
	struct td_tally tally;
	struct td_drilling drilling;
	struct td_offline offline;
	struct td_newcomers newcomers;
	/* counts of PERF_METRICS in this row, up to the last read: see rows.c */
	double slots, level_1;
	bool fields_linger; /* level_1 was more than the slots */
	struct td_latency_sampling latency;
	int printed; /* number of rows written */
	int waited;  /* number of rows in which no task ran */
	bool reported_unread;
	bool given_up; /* counting ended with an error */
};

/* --- run.c ---------------------------------------------------------------- */

/* Prepare aggregation, signals and --control. */
int td_session_open(struct td_session *session, struct td_job *job,
		    const struct td_inherited *inherited, struct td_err *err);
/* Return true if another run follows. */
bool td_session_continues(const struct td_session *session);
/* Returns rc, or an error from closing the outputs. */
int td_session_close(struct td_session *session, int rc, struct td_err *err);
/* Forget the previous run; keep session and job. */
int td_run_reset(struct td_run *run, struct td_err *err);
/* End the command and free everything. */
void td_run_close(struct td_run *run);
void td_counting_close(struct td_counting *counting);
/* End counting because of err.  If the command is running, print and clear err, and return true. */
bool td_run_outlives(struct td_run *run, struct td_err *err);
/* Return the exit status after no error: the command's, or 1 if output could not be written. */
int td_run_status(const struct td_run *run);

/* --- rotate.c ------------------------------------------------------------- */

/* Return true if SIGHUP reopens files and does not end the run. */
bool td_session_keeps_hangup(const struct td_request *request);
/*
 * Reopen the files of -o that were renamed, after SIGHUP.  If one cannot be opened, print that and
 * continue the old file.
 */
int td_session_reopen(struct td_session *session, struct td_err *err);
/* Open the recording, or the first one of several. */
int td_session_open_recorder(struct td_session *session, struct td_err *err);
/* Return the length of "dir/td" in "dir/td.jsonl.zst", which the time stamp follows. */
size_t td_rotated_stem(const char *name);
/* Start the next file if it is due (--rotate).  Call it before an interval is recorded. */
int td_session_rotate(struct td_session *session, struct td_err *err);

/* --- once.c --------------------------------------------------------------- */

/* Make one run, from --pre to --post, with its rows. */
int td_run_once(struct td_run *run, struct td_err *err);
/* Write the end of the output after the last run. */
int td_run_finish(struct td_run *run, struct td_err *err);

/* --- rows.c --------------------------------------------------------------- */

/* Return true if all rows of --interval-count are printed. */
bool td_run_printed_all(const struct td_run *run);
/* Read the counters into the next row; see td_counter_read(). */
int td_run_read(struct td_run *run, uint64_t retry_ns, struct td_err *err);
/* Record and show the counts since the last row, up to time_ns; usage as for td_clock_times(). */
int td_run_put_sum(struct td_run *run, uint64_t time_ns, const struct td_usage *usage,
		   struct td_err *err);
/* End the current row now, if there are rows. */
int td_run_put_row_now(struct td_run *run, struct td_err *err);
/*
 * Read the counters.  Waits for a group at most a tenth of a row or of a second, so that the other
 * counts still belong to this interval.
 */
int td_run_read_in_time(struct td_run *run, struct td_err *err);
/* Read after ticks periods, and write a row if one is due. */
int td_run_tick(struct td_run *run, uint64_t ticks, struct td_err *err);

/* --- tasks.c: threads that begin and end, and counts by switches ----------- */

int td_counting_watch(struct td_counting *counting, struct td_job *job, struct td_task_names *names,
		      struct td_err *err);
/* Handle the reports of the watch: threads that started, ended or changed their name. */
void td_run_follow_tasks(struct td_run *run);
/*
 * Return true to count from the groups of CPUs: tasks, or cgroups if that takes fewer descriptors
 * than events of each cgroup.
 */
bool td_run_counts_by_switches(const struct td_job *job);
/* Count all tasks or cgroups of the machine from the groups of its CPUs. */
int td_run_open_switches(struct td_run *run, struct td_err *err);

/* --- explain.c: why counts are missing ------------------------------------ */

/* Note that the kernel did not let tdstat count the command.  Call it before the run's notes. */
void td_note_uncounted(const struct td_run *run, const struct td_usage *usage);
/* Print which rows and counts are missing, why nothing was counted, and the run's notes. */
void td_run_explain(const struct td_run *run);
