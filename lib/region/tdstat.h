/* SPDX-License-Identifier: MIT */
/*
 * Regions: top-down of a piece of a program, counted from inside.
 *
 *   td_begin("parse");
 *   ...
 *   td_end("parse");
 *
 * Nothing is counted unless the environment has TDSTAT_REGIONS, as under
 * "tdstat regions -- ./program"; else each mark is one predicted branch.  See
 * tdstat-regions(3).
 *
 * td_read() gives the numbers to the program itself, with tdstat and without it.
 */
#ifndef TDSTAT_H
#define TDSTAT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of cores: P-cores, or the only kind; E-cores; those of low power. */
enum {
	TD_CORE,
	TD_CORE_ATOM,
	TD_CORE_LOWPOWER,
	TD_NR_CORES
};

/*
 * What a thread did between two td_read().  Sums, so that those of intervals and of
 * threads can be added: 100 * retiring / slots is a percentage, instructions / cycles
 * is IPC.  NaN: not counted.
 */
struct td_interval {
	double time_ns; /* by the clock, also while it had no CPU */
	double slots, retiring, bad_speculation, frontend_bound, backend_bound;
	/* These four are rounded; each may be off by so many slots. */
	double rounding;
	double cycles, instructions;
	double slots_of[TD_NR_CORES]; /* NaN: also if there is no such core */
	/* Of the library: where the next interval begins.  Zeros: nowhere yet. */
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

/* Not 0 while regions are counted.  Of the library; only to be read. */
extern int td_regions_on;

/*
 * Begins a region of the calling thread, within those that it is in already.
 * Of a name of more than 111 bytes the rest is dropped; NULL is no region.
 */
void td_begin(const char *name);
/* Ends it, and what was begun within it and is not ended. */
void td_end(const char *name);
/*
 * Opens the counters of the calling thread, which its first td_begin() does
 * otherwise.  To be called before a filter of system calls: then marks need read()
 * only.  Returns 0, or -1 if nothing is or can be counted.
 */
int td_thread_init(void);
/* Adds what the thread did outside of regions so far, as at its end. */
void td_flush(void);
/*
 * Fills the interval with what the calling thread did since its last td_read() of
 * the same structure, and begins the next one.  The first call for a structure of
 * zeros, or by another thread, only begins: the values are NaN.
 *
 * Returns 0 or a negative errno, with all values NaN: -ENODEV if the kernel shows no
 * PMU of the cores, -EACCES or what else perf_event_open(2) gives; -ENODATA if the
 * counters did not run all of the time; -EBUSY in a signal handler that interrupted
 * the library.  After -ENODATA the next interval has begun; after others it has not.
 */
int td_read(struct td_interval *interval);

#pragma GCC visibility pop

/* The functions are for languages that cannot look at td_regions_on. */
#define td_begin(name) (__builtin_expect(td_regions_on, 0) ? td_begin(name) : (void)0)
#define td_end(name)   (__builtin_expect(td_regions_on, 0) ? td_end(name) : (void)0)

#endif

#ifdef __cplusplus
}
#endif

#endif
