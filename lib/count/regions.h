/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "lib/base/index.h"
#include "lib/region/layout.h"

/* --- durations ------------------------------------------------------------ */

/*
 * Histogram of the durations of calls.  The middle of a step is within 3 % of all
 * durations in it.  lib/region/layout.h defines the steps and the coarser buckets, which
 * are rows of a table.  A zeroed struct is empty.
 */
struct td_durations {
	uint64_t counts[TD_REGION_STEPS], nr, max_ns;
};

void td_durations_add(struct td_durations *durations, uint64_t ns);
/*
 * Returns the time in ns that a share (0 to 1) of the calls did not exceed; NaN if there
 * are too few calls for one of them to be above it.
 */
double td_durations_quantile(const struct td_durations *durations, double share);

#define TD_DURATION_NAME 48
/* Formats the bounds of a bucket: "1.2 - 1.6 us" or "under 100 ns". */
void td_duration_bucket_name(char name[TD_DURATION_NAME], unsigned int bucket);
/* Parses "2.5ms" with ns, us, ms or s, up to an hour.  Returns 0 or -EINVAL. */
int td_duration_parse(const char *text, uint64_t *ns);
/* Formats with three digits: "2.34 ms"; "-" for NaN. */
void td_duration_text(char text[TD_DURATION_NAME], double ns);
/* Formats for a command line, as td_duration_parse() reads it: "2.34ms". */
void td_duration_word(char text[TD_DURATION_NAME], double ns);

/* --- regions -------------------------------------------------------------- */

/*
 * The regions of a program (lib/region/tdstat.h), summed over its threads.  A region has two
 * elements, one with nested regions and one without, because only counts without nested regions add
 * up.  The time outside of all regions has one element.
 */

/* Calls of a region.  Members from moved on concern the counted calls. */
struct td_calls {
	uint64_t counted;
	uint64_t recursive; /* within a call of the same region */
	uint64_t lost;      /* not counted, because there were no counts */
	uint64_t skipped;   /* not counted, because one of N was requested */
	uint64_t open;      /* not counted, because their process ended within */
	uint64_t moved;     /* calls that began on another core type */
	uint64_t migrated;  /* calls that began on another CPU */
	uint64_t switched;  /* calls in which the thread lost its CPU */
	uint64_t time_ns;
	uint64_t cost_ns;     /* cost of counting, which is not in time_ns */
	unsigned int threads; /* number of threads with calls */
};

#define TD_REGION_PMUS 4

/* More facts about calls that the program itself did not mark. */
struct td_call_facts {
	bool known;            /* if not, all members are 0 */
	bool waiting_only;     /* only waited_ns is known (marks) */
	bool interrupts;       /* interrupted_ns of the region is known */
	uint64_t waited_ns;    /* part of the calls' time without a CPU */
	uint64_t preempted_ns; /* part of waited_ns in which the thread was runnable */
	uint64_t faults;       /* page faults */
	uint64_t switches;     /* number of times that the thread lost its CPU in them */
	uint64_t migrations;
};

/* Maximum number of slow calls that are kept. */
#define TD_SLOWEST 10

/* Engines that count calls. */
enum {
	TD_BY_MARKS = 1,
	TD_BY_UPROBES,
	TD_BY_KPROBES,
	TD_BY_PT, /* Processor Trace */
};

/*
 * A function or a marked region whose calls are grouped by duration: the calls of each
 * bucket of durations are a region.
 */
struct td_timed {
	char *name;
	int engine; /* TD_BY_MARKS, ...; 0: unknown */
	/*
	 * number of calls, including nested ones, if probes were disabled at times; 0 if
	 * all calls that ended were counted
	 */
	uint64_t all;
	/*
	 * time in which calls were traced, and time of the counting, if functions were multiplexed:
	 * calls that are open at the end of a turn are not counted; 0 and 0: always
	 */
	uint64_t traced_ns, counting_ns;
	uint64_t period; /* number of events per sample; 0: counts are not sampled */
	/*
	 * cost of probes per call in each of the plan's events, already subtracted from
	 * the counts; NULL: none was subtracted
	 */
	uint64_t *cost;
	size_t nr_cost;
	struct td_durations durations;
	/* the slowest first */
	struct td_slow_call {
		uint64_t time_ns;
		uint64_t start_ns; /* wall clock, since 1970 */
		int tid, cpu;      /* where it ended */
	} slowest[TD_SLOWEST];
	size_t nr_slowest;
	unsigned int middle; /* bucket of the median */
	unsigned int slow;   /* first bucket of slow calls; 0: none */
};

struct td_region {
	char *name;
	bool own;     /* counts exclude nested regions */
	bool outside; /* time outside of all regions */
	struct td_calls calls;
	uint64_t on
		[TD_REGION_PMUS]; /* calls by the PMU (index in the machine) on which they ended */
	/* functions: minimum number of windows that were complete, by PMU; 0: unknown */
	uint64_t whole[TD_REGION_PMUS];
	int timed;           /* 1 + index in timed; 0: calls are not timed */
	unsigned int bucket; /* bucket of the calls' durations: td_region_bucket() */
	bool slow;           /* the calls of this bucket and all slower ones */
	struct td_call_facts facts;
	/*
	 * timed calls, by PMU: total time, its part with a CPU, and the part of the latter in
	 * interrupts, which counts exclude
	 */
	uint64_t took_ns[TD_REGION_PMUS], on_ns[TD_REGION_PMUS], interrupted_ns[TD_REGION_PMUS];
};

/* The regions that td_reading.region refers to. */
struct td_regions {
	struct td_region *v;
	size_t nr;
	struct td_index by_name; /* finds v by name and own */
	/*
	 * minimum number of slots per call: with fewer, the cost of counting and the
	 * resolution of PERF_METRICS exceed the counts.  0: unknown
	 */
	double least_slots;
	/*
	 * the regions are functions of a sampled program, and their calls windows
	 * between two samples
	 */
	bool functions;
	struct td_timed *timed; /* NULL: no calls are timed */
	size_t nr_timed;
};

/*
 * Adds the calls and facts of another region.  threads becomes the maximum of both,
 * because they may be the same.
 */
void td_region_add_calls(struct td_region *to, const struct td_region *from);

/* Functions with fewer windows than this have no percentages. */
#define TD_MIN_WINDOWS 30
/* Percentages of sampled calls need this many samples, and calls of a few times their delay. */
#define TD_MIN_SAMPLES 30
#define TD_SAMPLED_NS  10000
/*
 * Maximum cost of counting, in % of the time, for percentages to be shown.  Each count belongs to
 * its call, so few calls are as accurate as many, except for the cost: what is subtracted is the
 * minimum cost of probes, and the cost is at most twice that.  With a cost of 10 % of the time, a
 * percentage is off by at most ten points.  The limit for few calls is lower, because their error
 * does not cover the variation of the cost.
 */
#define TD_COST_OF_FEW  10 /* percent */
#define TD_COST_OF_MANY 80
#define TD_MANY_CALLS   30
/*
 * Minimum number of calls to compare slow with typical calls: typical calls need errors,
 * which need at least TD_MIN_BATCHES (timeline.h) batches of one call each, and a single
 * slow call is not representative.
 */
#define TD_MIN_CALLS 10

/* Add an element; the name is copied. */
struct td_region *td_regions_add(struct td_regions *regions, const char *name, bool own,
				 bool outside);
struct td_timed *td_regions_add_timed(struct td_regions *regions, const char *name);
/* Allocates and returns the cost of nr events, 0 each. */
uint64_t *td_timed_add_cost(struct td_timed *timed, size_t nr);
/* Returns the name of an engine, "marks", or NULL for 0. */
const char *td_timed_engine(int engine);
/* Returns the engine with this name, or 0. */
int td_timed_engine_find(const char *name);
/* Returns the timed function or region of that name, or NULL. */
struct td_timed *td_regions_find_timed(const struct td_regions *regions, const char *name);
/*
 * Returns the name of a bucket, such as "parse 1.2 - 1.6 us"; for a bucket and all above, "parse
 * from 1.2 us".  The caller frees it.
 */
char *td_timed_name(const struct td_timed *timed, unsigned int bucket, bool slow);
/*
 * Returns the element of a bucket of timed calls, including nested regions; adds it if
 * there is none.
 */
struct td_region *td_regions_bucket(struct td_regions *regions, const struct td_timed *timed,
				    unsigned int bucket, bool slow);
/*
 * Sets the buckets of typical and slow calls.  Slow calls are those in the bucket of the
 * 99 % quantile and above, or the slowest thirty if these are fewer; none with fewer than
 * TD_MIN_CALLS.  calls: number per bucket.
 */
void td_timed_choose(struct td_timed *timed, const uint64_t calls[TD_REGION_BUCKETS]);
/* Returns the traced time in percent of the counting time. */
double td_timed_traced_pct(const struct td_timed *timed);
/* Adds a call if it is one of the slowest. */
void td_timed_add_slow(struct td_timed *timed, const struct td_slow_call *call);
/* Returns the element of that name, or NULL. */
struct td_region *td_regions_find(const struct td_regions *regions, const char *name, bool own);
/* Moves the element at that index to the end. */
void td_regions_move_last(struct td_regions *regions, size_t at);
void td_regions_free(struct td_regions *regions);
