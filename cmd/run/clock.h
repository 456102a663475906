/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/plan/job.h"
#include "cmd/run/wait.h"
#include "lib/count/report.h"
#include "lib/machine/cpu.h"

/*
 * The longest time between reads: the fields of PERF_METRICS have 8 bits, and a
 * read resets them (icl_update_topdown_event() in the kernel).
 */
#define TD_LONGEST_NS (1000 * TD_NS_A_MS)

/* State of the ticks: when reads and rows are due, and how long each took. */
struct td_clock {
	bool began;
	bool often;  /* ticks are more frequent than counters require */
	bool keeps;  /* often does not end after a while, because each row has a verdict */
	bool visits; /* reads visit each CPU, which disturbs its tasks */
	/*
	 * PERF_METRICS is multiplexed, or saved and restored at each switch of tasks; set
	 * it before td_clock_adapt()
	 */
	bool shared;
	bool costly;                /* frequent reads took too much CPU time */
	uint64_t longest_ns;        /* current limit of the time between reads */
	uint64_t reads, reading_ns; /* number and CPU time of reads with the current period */
	uint64_t ticks;             /* number of ticks since counting began */
	uint64_t ticks_a_row;
	uint64_t length_ns;            /* length of a row; 0: no rows */
	uint64_t rows;                 /* number of rows that were due */
	uint64_t rows_missed;          /* number of rows that passed within one sleep */
	uint64_t row_ns;               /* end of the last row */
	struct td_cpu_times row_times; /* CPU times at the end of the last row */
	uint64_t read_ns;              /* time of the last read, since the start */
	uint64_t took_ns;              /* duration of the last read */
	uint64_t row_took_ns;          /* duration of the read at the end of the last row */
	uint64_t min_took_ns;          /* duration of the shortest read */
	uint64_t end_ns;               /* time of the read at the end of the run; 0: not yet */
};

/*
 * Start the ticks.  A row has several if it is longer than a second, because counters must be read
 * more often, or if errors are shown, which need several reads.  Set clock->keeps before the call.
 */
int td_clock_start(struct td_clock *clock, struct td_waiter *waiter, const struct td_job *job,
		   struct td_err *err);
/*
 * Make ticks rarer if possible, or more frequent if necessary, after a read that took this CPU
 * time.  Does so only at the end of a row, so that no row ends early or late.
 */
void td_clock_adapt(struct td_clock *clock, struct td_waiter *waiter, uint64_t reading_ns);
/* Record how long a read of all counters took. */
void td_clock_note_read(struct td_clock *clock, uint64_t took_ns);
/* Count ticks that have passed.  Returns true if a row is due. */
bool td_clock_tick(struct td_clock *clock, uint64_t ticks);
/*
 * Set the times of the interval that ends at time_ns.  usage: CPU times of a command that has
 * ended, or NULL.  CPU times that cannot be read are missing, with a note.
 */
void td_clock_times(struct td_clock *clock, struct td_job *job, uint64_t time_ns,
		    const struct td_usage *usage, struct td_times *out);
