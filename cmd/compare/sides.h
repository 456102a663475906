/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_SIDES_H
#define TD_CMD_COMPARE_SIDES_H

#include "cmd/compare/whole.h"
#include "cmd/replay/recorded.h"
#include "metrics/diff/diff.h"

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

/*
 * Notes in what a recording is not like the first one: another processor, other
 * metrics, another target.  An error if they have nothing to compare: events and a
 * tree, or no PMU in common.
 */
int td_check_alike(const struct td_recorded *first,
		   const struct td_recorded *other, struct td_notes *notes,
		   struct td_err *err);

/* Notes the cgroups, threads and regions that only one side has. */
void td_note_ids(const struct td_diff *diff, struct td_notes *notes);

/*
 * Notes that the sides ran on different kinds of core, whose shares and slots
 * cannot be compared, and how to keep both on one kind.  Once they are evaluated.
 */
void td_note_cores(const struct td_sides *sides, struct td_notes *notes);

#endif
