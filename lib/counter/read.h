/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_READ_H
#define TD_LIB_COUNTER_READ_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/notes.h"
#include "lib/count/readings.h"

/* One read(): a group on one CPU, or in one thread. */
struct td_read_step {
	int fd;   /* of the group's leader */
	int *fds; /* of all members, the reader's to free; NULL: not needed */
	int group, cpu, thread; /* what it is read in the order of */
	int tid, life;
	size_t set;         /* what goes together */
	int cgroup;         /* as td_reading has it */
	const int *members; /* the plan's events */
	size_t nr;
	const char *name; /* the leader's */
	bool pinned;      /* it is given up when its counters are taken */
	bool resume;      /* and then started again */

	/* the reader's */
	size_t first; /* of its readings */
	bool lost;    /* at the last look */
	bool behind;  /* at the last look it could not be read yet */
	bool stalled; /* it does not go on, and that was said */
	bool ended;   /* its task has, and its last values are in */
};

/* Reads groups that are open, each as a whole. */
struct td_reader {
	struct td_read_step *steps; /* in the order of the readings */
	size_t nr_steps, nr_ready;  /* of them, those that are laid out */
	struct td_readings now, before, delta;
	uint64_t *buf;          /* one group's read() */
	size_t largest;         /* group that it has room for */
	size_t room;            /* readings that there is room for */
	struct td_notes *notes; /* borrowed */
	/* Borrowed: which events are switched off.  NULL: none. */
	const bool *off;
	/* read(2), where it is NULL. */
	ssize_t (*read)(int fd, void *buf, size_t size);
};

/* For the caller to fill in; NULL: out of memory. */
struct td_read_step *td_reader_add(struct td_reader *reader);
/* All steps are there, for now: those that are new come last.  -ENOMEM. */
int td_reader_begin(struct td_reader *reader);
/*
 * The descriptors of these sets' steps go: their values stay as they are.
 * sets: in ascending order.
 */
void td_reader_end_sets(struct td_reader *reader, const size_t *sets,
			size_t nr);
/* The steps of tasks that have ended, and their readings, go. */
void td_reader_forget_ended(struct td_reader *reader);
/*
 * What was counted since the last time; the reader's until the next time.  The
 * kernel reads no group of a task while a child of it begins or exits (ECHILD
 * of __perf_read_group_add() in kernel/events/core.c), which may last as long
 * as that child waits for a CPU.  Such a group is tried again for patience_ns;
 * then its readings are 0, the next look has its counts, and readings->behind
 * is set.
 */
int td_reader_read(struct td_reader *reader, uint64_t patience_ns,
		   struct td_readings *readings, struct td_err *err);
void td_reader_free(struct td_reader *reader);

#endif
