/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/compare: recordings, for what they have in common.
 *
 * In: files.
 * Out: of each the result of all its intervals, as metrics/diff takes it.
 */
#ifndef TD_CMD_COMPARE_COMPARE_H
#define TD_CMD_COMPARE_COMPARE_H

#include "cmd/opts/option.h"
#include "cmd/replay/recorded.h"
#include "cmd/view/view.h"
#include "lib/base/index.h"
#include "lib/count/readings.h"
#include "lib/target/tasks.h"
#include "metrics/diff/diff.h"

/* --- threads.c: threads of one name --------------------------------------- */

/* The first thread of each name, for all that are called so. */
struct td_threads {
	struct td_thread_first {
		char *name;
		int tid, life;
	} * v;
	size_t nr;
	struct td_index index;
};

/*
 * Gives the counts of threads to the first thread of the same name: tids differ
 * from run to run.  Returns 0 or -ENOMEM.
 */
int td_threads_join(struct td_threads *threads,
		    const struct td_task_names *names,
		    struct td_readings *readings);
void td_threads_free(struct td_threads *threads);

/* --- whole.c: a recording, read to its end -------------------------------- */

/* A recording that was read to its end.  It must not be moved. */
struct td_whole {
	struct td_recorded recorded;
	struct td_view view; /* has the sum of the intervals */
	struct td_threads threads;
	struct td_totals totals; /* of each id, mostly of all */
	char **ids;              /* their names, which both sides share */
	double *works;           /* units of work of each; NaN: unknown */
	double instructions;     /* NaN: not counted everywhere */
	struct td_diff_ipc *ipc;
	size_t nr_ipc;
	/* the results, for one unit of work */
	struct td_report report;
	struct td_event_table events;
	double *scales; /* of their rows, as in struct td_diff_input */
};

/* Reads the whole recording.  Free it even after an error. */
int td_whole_read(struct td_whole *whole, const char *path,
		  const struct td_opts *opts, struct td_notes *notes,
		  struct td_err *err);
/*
 * Computes the results for one unit of work; input borrows them.  -ENODATA if the
 * recording does not tell how many units it has.
 */
int td_whole_eval(struct td_whole *whole, enum td_per per,
		  struct td_diff_input *input, struct td_err *err);
void td_whole_free(struct td_whole *whole);

/* --- sides.c: all recordings, A's and B's --------------------------------- */

/* All recordings, those of A first.  It must not be moved. */
struct td_sides {
	struct td_whole *v;
	size_t nr, nr_a;
	struct td_diff_input *inputs; /* one for each */
	char *names
		[TD_DIFF_SIDES]; /* of commands; NULL: recordings have theirs */
};

/*
 * Reads the recordings that the options name, and notes in what they are not
 * alike.  Free it even after an error.
 */
int td_sides_read(struct td_sides *sides, const struct td_opts *opts,
		  struct td_notes *notes, struct td_err *err);
/* Compares them for the unit of work that is asked for, or for the usual one. */
int td_sides_compare(struct td_sides *sides, enum td_per per,
		     struct td_diff *diff, struct td_err *err);
/* True if fd writes to one of them. */
bool td_sides_is_written(const struct td_sides *sides, int fd);
/* Says on standard error what a recording lacks. */
void td_sides_warn(const struct td_sides *sides);
void td_sides_free(struct td_sides *sides);

/* Notes the cgroups, threads and regions that only one side has. */
void td_note_ids(const struct td_diff *diff, struct td_notes *notes);

/*
 * Notes that the sides ran on different kinds of core, whose shares and slots
 * cannot be compared, and how to keep both on one kind.  Once they are evaluated.
 */
void td_note_cores(const struct td_sides *sides, struct td_notes *notes);

/* --- planned.c: what two commands will be compared by ---------------------- */

/*
 * A usage error if a limit has a name that no run would have a value of, with the
 * level that has it.  What cannot be counted here is not known to lack it.
 */
int td_planned_check(const struct td_limits *limits, const struct td_opts *opts,
		     struct td_err *err);

/* --- runs.c: diff -r, which makes the recordings itself ------------------- */

/*
 * Splits the command at its ":" into those of A and B.  A usage error if it has none,
 * or more than one, or nothing beside it.
 */
int td_runs_check(const struct td_opts *opts, struct td_err *err);
/* What became of the runs. */
struct td_runs_made {
	bool failed;    /* a command did not exit with 0, which was said */
	bool uncounted; /* there is nothing to compare, which was said */
	bool held;      /* by --require: no command was run */
};

/*
 * Runs both in turn, and counts each run as tdstat record does, into memory: A B, B
 * A, A B ..., so that neither side has more of what drifts.  What cannot be counted
 * runs as often without.  Free sides even after an error; -EINTR if a signal ended
 * it.
 */
int td_runs_read(struct td_sides *sides, const struct td_opts *opts,
		 struct td_runs_made *made, struct td_notes *notes,
		 struct td_err *err);
/*
 * Says *err, which was found before, and runs both as often, without counting.
 * Returns the error if they are not to run.
 */
int td_runs_unseen(const struct td_opts *opts, struct td_runs_made *made,
		   struct td_err *err);
/*
 * The command line that runs both commands nr times, with those options that say
 * what is compared (of the groups kept); of recordings, that compares so many of
 * each.  NULL: there was no memory.  To be freed.
 */
char *td_runs_again(const struct td_sides *sides, const struct td_opts *opts,
		    const struct td_option_group *const *kept, size_t nr);

#endif
