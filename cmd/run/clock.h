/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_CLOCK_H
#define TD_CMD_RUN_CLOCK_H

#include "cmd/plan/job.h"
#include "cmd/run/wait.h"
#include "lib/base/util.h"
#include "lib/count/report.h"
#include "lib/machine/cpu.h"

/*
 * The longest time between reads: the fields of PERF_METRICS have 8 bits, and a
 * read resets them (icl_update_topdown_event() in the kernel).
 */
#define TD_LONGEST_NS (1000 * TD_NS_A_MS)

/* When rows are due, and how much time each of them took. */
struct td_clock {
	bool began;
	bool often; /* ticks come more often than they must */
	bool keeps; /* for longer than a while, as each row has a verdict */
	/*
	 * to be set before td_clock_adapt(): PERF_METRICS has turns to wait for,
	 * or is put away and taken up again with each switch of tasks
	 */
	bool shared;
	bool costly;         /* reads as often as then took too much */
	uint64_t longest_ns; /* between reads that is wanted now */
	/* since the period is what it is: number of reads, and their CPU time */
	uint64_t reads, reading_ns;
	uint64_t ticks; /* since counting began */
	uint64_t ticks_a_row;
	uint64_t length_ns;            /* of a row; 0: there are none */
	uint64_t rows;                 /* row times that have passed */
	uint64_t rows_missed;          /* of them, within one sleep */
	uint64_t row_ns;               /* end of the last row */
	struct td_cpu_times row_times; /* CPU times at that moment */
	uint64_t read_ns;       /* time of the last read, since the start */
	uint64_t took_ns;       /* so long it took */
	uint64_t row_took_ns;   /* the one at the end of the last row */
	uint64_t least_took_ns; /* and the shortest one */
	uint64_t end_ns; /* the same, if it was the one at the end; else 0 */
};

/*
 * Starts the ticks.  Rows longer than a second have several, because counters
 * must be read more often; and rows with a sum, for the errors of the sum.
 * The caller sets keeps before.
 */
int td_clock_start(struct td_clock *clock, struct td_waiter *waiter,
		   const struct td_job *job, struct td_err *err);
/*
 * After a read that took so much CPU time; makes ticks rarer if they may be, and
 * more frequent if they must be, but only at the end of a row, as rows end when
 * they would have ended.
 */
void td_clock_adapt(struct td_clock *clock, struct td_waiter *waiter,
		    uint64_t reading_ns);
/* Notes how long a read of all counters took. */
void td_clock_note_read(struct td_clock *clock, uint64_t took_ns);
/* Counts ticks that have passed.  True if a row is due. */
bool td_clock_tick(struct td_clock *clock, uint64_t ticks);
/*
 * Sets the times of the interval that ends at time_ns. usage is that of a
 * command that has ended, else NULL. CPU times that cannot be read are missing,
 * with a note.
 */
void td_clock_times(struct td_clock *clock, struct td_job *job,
		    uint64_t time_ns, const struct td_usage *usage,
		    struct td_times *out);

#endif
