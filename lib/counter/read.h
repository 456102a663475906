/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sys/types.h>

#include "lib/count/readings.h"

/* One read(): a group on one CPU, or in one thread. */
struct td_read_step {
	int fd;                 /* descriptor of the leader; -1: not open, counts nothing */
	int *fds;               /* descriptors of all members, which the reader frees, or NULL */
	int group, cpu, thread; /* the sort keys */
	int tid, life;
	size_t set;         /* id of its td_open_set */
	int cgroup, mode;   /* as in td_reading; the mode is its region */
	const int *members; /* the plan's events */
	size_t nr;
	const char *name; /* name of the first event */
	bool pinned;      /* the kernel stops the group if its counters are taken */
	bool resume;      /* the reader restarts a group that the kernel stopped */
	bool inherited;   /* children also count, and the kernel may stop their groups */
	bool may_be_off;  /* the group may be disabled for some time */
	bool moves;       /* the kernel moves it if its CPU goes offline */
	/*
	 * read on the CPU of the step: the event counts a die, and the kernel reads the die of the
	 * reader's CPU
	 */
	bool on_cpu;
	/* opened late: its counts are added to step into, beginning with member part */
	bool late;
	size_t into, part;
	/* 1 + the PMU, for tasks that may run on other core types; else 0 */
	int kind;
	double at_once; /* that of its group */

	/* Set by the reader: */
	size_t first; /* index of its first reading */
	bool lost;    /* at the last read, the kernel had stopped the group */
	bool resumed; /* the group was restarted after the kernel had stopped it */
	bool behind;  /* the last read was not possible yet */
	/* its CPU went offline: the kernel never counts with it again */
	bool dead;
	bool ended; /* its task has ended and was read */
	/* time that the group has waited for counters while enabled, up to the last read */
	uint64_t waits_ns;
	/* another group of its core type ran while it waited: its task was there */
	bool beside;
	bool tried; /* its group, in another thread, had counters while it waited */
};

/* Reads open groups, each with one read(). */
struct td_group_reader {
	struct td_read_step *steps; /* in the order of the readings */
	size_t nr_steps, nr_ready;  /* nr_ready steps have their readings */
	size_t nr_first;            /* number of steps of the start */
	struct td_readings now, before, delta;
	uint64_t *buf;          /* buffer for read() of one group */
	size_t largest;         /* number of members that fit into buf */
	size_t room;            /* number of readings that fit */
	struct td_notes *notes; /* borrowed */
	/* for each event: the event is disabled; borrowed, NULL if no event is disabled */
	const bool *off;
	/* Replaces read(2) in tests, or NULL. */
	ssize_t (*read)(int fd, void *buf, size_t size);
};

/* Adds a step for the caller to fill in. */
struct td_read_step *td_group_reader_add(struct td_group_reader *reader);
/*
 * Prepares the steps that were added since the last call.  Their readings follow those of the
 * others.
 */
void td_group_reader_begin(struct td_group_reader *reader);
/* Stops reading the steps of these sets, which must be sorted.  Their values stay unchanged. */
void td_group_reader_end_sets(struct td_group_reader *reader, const size_t *sets, size_t nr);
/* Removes the steps of ended tasks and their readings. */
void td_group_reader_forget_ended(struct td_group_reader *reader);
/*
 * Returns the counts since the last read, which are valid until the next one.  While a child of a
 * task begins or exits, the kernel does not read its groups (ECHILD in __perf_read_group_add(),
 * kernel/events/core.c).  This may last as long as the child waits for a CPU.  Such a group is
 * tried again for retry_ns; after that, its readings are 0, readings->behind is set, and the next
 * read contains the counts.
 */
int td_group_reader_read(struct td_group_reader *reader, uint64_t retry_ns,
			 struct td_readings *readings, struct td_err *err);
void td_group_reader_free(struct td_group_reader *reader);
