/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_RUNS_H
#define TD_CMD_COMPARE_RUNS_H

#include "cmd/compare/sides.h"
#include "cmd/opts/option.h"

/* How often each command runs if nobody says it. */
#define TD_RUNS 5

/*
 * Splits opts->target.command at its ":" into the commands of A and B.  A usage error if
 * it has none, or more than one, or nothing beside it.
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
