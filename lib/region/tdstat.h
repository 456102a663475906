/* SPDX-License-Identifier: MIT */
/*
 * Regions: top-down analysis of a part of a program, counted from inside.
 *
 *   td_begin("parse");
 *   ...
 *   td_end("parse");
 *
 * Regions are only counted under "tdstat regions -- ./program", which sets TDSTAT_REGIONS;
 * otherwise each mark is a predicted branch.  See tdstat-regions(3).
 *
 * td_read() returns counts to the program itself, with and without tdstat.
 */
#ifndef TDSTAT_H
#define TDSTAT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Core types: P-cores or the only type, E-cores, and low-power E-cores. */
enum {
	TD_CORE,
	TD_CORE_ATOM,
	TD_CORE_LOWPOWER,
	TD_NR_CORES
};

/*
 * Counts of a thread between two calls of td_read().  They can be added over intervals and threads:
 * 100 * retiring / slots is a percentage, instructions / cycles is IPC.  NaN: not counted.
 */
struct td_interval {
	double time_ns; /* elapsed time, including time without a CPU */
	double slots, retiring, bad_speculation, frontend_bound, backend_bound;
	/* maximum rounding error of each of the four categories, in slots */
	double rounding;
	double cycles, instructions;
	/* slots by core type; NaN: not counted, or the machine has no such cores */
	double slots_of[TD_NR_CORES];
	/* used by the library: start of the next interval; zeros: none yet */
	unsigned long long next[48];
};

#ifdef TDSTAT_OFF

#define td_begin(name) ((void)(name))
#define td_end(name)   ((void)(name))
#define td_flush()     ((void)0)

static inline int td_thread_init(void)
{
	return -1;
}

static inline int td_read(struct td_interval *interval)
{
	double *values = (double *)(void *)interval, nan = __builtin_nan("");
	unsigned int nr = __builtin_offsetof(struct td_interval, next) / sizeof(*values);

	for (unsigned int i = 0; i < nr; i++)
		values[i] = nan;
	return -19; /* ENODEV */
}

#else

#pragma GCC visibility push(default)

/* Not 0 while regions are counted.  Set by the library; do not change it. */
extern int td_regions_on;

/*
 * Begins a region of the calling thread.  The regions that the thread is in enclose it.  Names are
 * cut off after 111 bytes.  NULL has no effect.
 */
void td_begin(const char *name);
/* Ends the region, and regions that began within it and have not ended. */
void td_end(const char *name);
/*
 * Opens the counters of the calling thread, which otherwise happens in its first td_begin().  Call
 * it before system calls are filtered; afterwards, marks only need read().  Returns 0, or -1 if
 * regions are not counted.
 */
int td_thread_init(void);
/*
 * Adds the counts of the calling thread outside of regions so far, which otherwise happens when it
 * ends.
 */
void td_flush(void);
/*
 * Fills the interval with the counts of the calling thread since its last td_read() of the same
 * structure, and begins the next interval.  The first call with a zeroed structure, or in another
 * thread, only begins an interval: all values are NaN.
 *
 * Returns 0 or a negative errno with all values NaN: -ENODEV if the kernel has no core PMU;
 * -ENODATA if the counters did not run all the time; -EBUSY in a signal handler that interrupted
 * the library; -EACCES or another error of perf_event_open(2).  After -ENODATA, the next interval
 * has begun; after other errors it has not.
 */
int td_read(struct td_interval *interval);

#pragma GCC visibility pop

/* These functions can be called from languages that cannot access td_regions_on. */
#define td_begin(name) (__builtin_expect(td_regions_on, 0) ? td_begin(name) : (void)0)
#define td_end(name)   (__builtin_expect(td_regions_on, 0) ? td_end(name) : (void)0)

#endif

#ifdef __cplusplus
}
#endif

#endif
