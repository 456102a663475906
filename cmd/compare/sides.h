/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_SIDES_H
#define TD_CMD_COMPARE_SIDES_H

#include "cmd/compare/whole.h"

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

#endif
