/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_READ_H
#define TD_LIB_COUNTER_READ_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/count/readings.h"

/*
 * What read() returns for PERF_FORMAT_GROUP | ID | TOTAL_TIME_*
 * (perf_event_open(2)).
 */
struct td_group_values {
	uint64_t nr, enabled_ns, running_ns;
	struct {
		uint64_t value, id;
	} v[];
};

static inline size_t td_group_read_size(size_t nr)
{
	return sizeof(struct td_group_values) + nr * 2 * sizeof(uint64_t);
}

/* One read(): a group on one CPU, or in one thread. */
struct td_read_step {
	int fd;   /* of the group's leader; -1: not open, counts nothing */
	int *fds; /* of all members, freed by the reader; NULL if not needed */
	int group, cpu, thread; /* the sort keys */
	int tid, life;
	size_t set;         /* id of its td_open_set */
	int cgroup, mode;   /* as in td_reading; the mode is its region */
	const int *members; /* the plan's events */
	size_t nr;
	const char *name; /* of the leader */
	bool pinned;      /* lost for good if its counters are taken */
	bool resume;      /* start it again after such a loss */
	bool inherited;   /* so do children, which a read does not report */
	bool may_be_off;  /* it may be disabled for a time */
	bool moves;       /* the kernel moves it if its CPU goes offline */
	/* opened late: it counts for the step into, which is not open */
	bool late;
	size_t into;

	/* Set by the reader: */
	size_t first; /* index of its first reading */
	bool lost;    /* the last read found it dead */
	bool resumed; /* after a read that did */
	bool behind;  /* the last read was not possible yet */
	/* its CPU went offline: the kernel never counts with it again */
	bool dead;
	bool ended; /* its task has ended and was read */
};

/* Reads open groups, each with one read(). */
struct td_group_reader {
	struct td_read_step *steps; /* in the order of the readings */
	size_t nr_steps, nr_ready;  /* nr_ready of them have their readings */
	size_t nr_first;            /* of them, those of the start */
	struct td_readings now, before, delta;
	uint64_t *buf;          /* for one group's read() */
	size_t largest;         /* members that fit into buf */
	size_t room;            /* number of readings that fit */
	struct td_notes *notes; /* borrowed */
	/*
	 * For each event, true if it is disabled.  Borrowed; NULL if none is.
	 */
	const bool *off;
	/* Replaces read(2) in tests, or NULL. */
	ssize_t (*read)(int fd, void *buf, size_t size);
};

/* Adds a step for the caller to fill in.  NULL if out of memory. */
struct td_read_step *td_group_reader_add(struct td_group_reader *reader);
/*
 * Prepares the steps that were added since the last call; their readings follow
 * the others.  Returns 0 or -ENOMEM.
 */
int td_group_reader_begin(struct td_group_reader *reader);
/*
 * Stops reading the steps of these sets, which are sorted; their values stay as
 * they are.
 */
void td_group_reader_end_sets(struct td_group_reader *reader,
			      const size_t *sets, size_t nr);
/* Removes the steps of ended tasks and their readings. */
void td_group_reader_forget_ended(struct td_group_reader *reader);
/*
 * Returns the counts since the last read, valid until the next one.  While a
 * child of a task begins or exits, the kernel does not read its groups (ECHILD
 * of __perf_read_group_add() in kernel/events/core.c), which may last as long
 * as the child waits for a CPU. Such a group is tried again for retry_ns.
 * After that its readings are 0, readings->behind is set, and the next read has
 * the counts.
 */
int td_group_reader_read(struct td_group_reader *reader, uint64_t retry_ns,
			 struct td_readings *readings, struct td_err *err);
void td_group_reader_free(struct td_group_reader *reader);

#endif
