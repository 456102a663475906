/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_REGIONS_H
#define TD_LIB_COUNT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/index.h"
#include "lib/region/layout.h"

/* --- durations ------------------------------------------------------------ */

/*
 * How long calls took: a histogram that is fine enough for quantiles, as the middle of
 * a step is within 3 % of all durations in it.  Its steps, and its buckets, which are
 * coarser and rows of a table: lib/region/layout.h.
 */

/* Zeroed, it has no calls. */
struct td_durations {
	uint64_t counts[TD_REGION_STEPS];
	uint64_t nr;
	uint64_t max_ns;
};

void td_durations_add(struct td_durations *durations, uint64_t ns);
/*
 * What a share (0 to 1) of the calls took at most, in ns; NaN if there are too few
 * calls for one of them to be above it.
 */
double td_durations_quantile(const struct td_durations *durations,
			     double share);

#define TD_DURATION_NAME 48
/* "1.2 - 1.6 us", or "under 100 ns": the bounds of a bucket of durations. */
void td_duration_bucket_name(char name[TD_DURATION_NAME], unsigned int bucket);
/* "2.5ms": of ns, us, ms or s, up to an hour.  Returns 0 or -EINVAL. */
int td_duration_parse(const char *text, uint64_t *ns);
/* "2.34 ms": three digits; "-" for NaN. */
void td_duration_text(char text[TD_DURATION_NAME], double ns);
/* The same for a command line, as td_duration_parse() reads it: "2.34ms". */
void td_duration_word(char text[TD_DURATION_NAME], double ns);

/* --- regions -------------------------------------------------------------- */

/*
 * The regions of a program (lib/region/tdstat.h), of all its threads.  A region
 * has two elements, one with what was in regions within it and one without,
 * because only the counts of the latter add up; what is outside of all regions
 * has one.
 */

/* The calls of a region; from moved on, of those that were counted. */
struct td_calls {
	uint64_t counted;
	uint64_t recursive; /* within a call of the same region */
	uint64_t lost;      /* not counted, for there were no counts */
	uint64_t skipped;   /* not counted, because one of N was wanted */
	uint64_t open;      /* not counted, as their process ended within */
	uint64_t moved;     /* that began on another kind of core */
	uint64_t migrated;  /* that began on another CPU */
	uint64_t switched;  /* in which the thread lost its CPU */
	uint64_t time_ns;
	uint64_t cost_ns;     /* of counting, which is not in time_ns */
	unsigned int threads; /* that had any */
};

#define TD_REGION_PMUS 4

/* What is known of calls besides that were not marked by the program itself. */
struct td_call_facts {
	bool known;            /* else all of it is 0 */
	bool waiting_only;     /* of marks: and so is all but waited_ns */
	bool interrupts;       /* interrupted_ns of the region is known */
	uint64_t waited_ns;    /* without a CPU, of the time of the calls */
	uint64_t preempted_ns; /* of it, although they could have run */
	uint64_t faults;       /* of pages */
	uint64_t switches;     /* times that they lost their CPU */
	uint64_t migrations;
};

/* The slowest calls that are kept. */
#define TD_SLOWEST 10

struct td_slow_call {
	uint64_t time_ns;
	uint64_t start_ns; /* on the clock of the wall, since 1970 */
	int tid, cpu;      /* where it ended */
};

/* How the calls were counted. */
enum {
	TD_BY_MARKS = 1,
	TD_BY_UPROBES,
	TD_BY_KPROBES,
	TD_BY_PT, /* Processor Trace */
};

/*
 * A function, or a marked region, whose calls are told apart by how long they took:
 * the calls of each bucket of durations are a region.
 */
struct td_timed {
	char *name;
	int engine; /* TD_BY_MARKS, ...; 0: unknown */
	/*
	 * How often it was called, calls within others included, if probes were off at
	 * times; 0: all calls that ended were counted.
	 */
	uint64_t all;
	/*
	 * For how long calls were traced, of the time of the counting, if functions took
	 * turns: no call that was open at the end of a turn counts.  0, 0: all the time.
	 */
	uint64_t traced_ns, counting_ns;
	/* What is counted is sampled, each time that it happened so often; 0: it is not. */
	uint64_t period;
	struct td_durations durations;
	struct td_slow_call slowest[TD_SLOWEST]; /* the slowest first */
	size_t nr_slowest;
	/* The bucket of the median, and the first one of the slow calls; 0: none. */
	unsigned int middle, slow;
};

struct td_region {
	char *name;
	bool own;     /* without what was in regions within */
	bool outside; /* of all regions */
	struct td_calls calls;
	/* by the PMU (index in the machine) on which they ended */
	uint64_t on[TD_REGION_PMUS];
	/* of functions: so many of the windows at least were whole; 0: unknown */
	uint64_t whole[TD_REGION_PMUS];
	int timed; /* 1 + index of whose calls it has; 0: they are not timed */
	unsigned int bucket; /* that they are in: td_region_bucket() */
	bool slow; /* its calls are those of this bucket and all longer */
	struct td_call_facts facts;
	/*
	 * Of timed calls, as on: how long they took, of it had a CPU, and of that the
	 * CPU was in interrupts, of which nothing is in their counts.
	 */
	uint64_t took_ns[TD_REGION_PMUS], on_ns[TD_REGION_PMUS];
	uint64_t interrupted_ns[TD_REGION_PMUS];
};

/* What td_reading.region refers to. */
struct td_regions {
	struct td_region *v;
	size_t nr;
	struct td_index by_name; /* own or not */
	/*
	 * In calls of fewer slots than this, the cost of counting and the steps of
	 * PERF_METRICS are larger than what is counted.  0: unknown.
	 */
	double least_slots;
	/*
	 * They are functions of a program that was sampled, and their calls are
	 * windows between two samples.
	 */
	bool functions;
	struct td_timed *timed; /* NULL: its calls are not told apart */
	size_t nr_timed;
};

/*
 * Adds the calls of another region, and what is known of them; of the threads of both,
 * which may be the same, the larger number.
 */
void td_region_add_calls(struct td_region *to, const struct td_region *from);

/* Functions with fewer windows than this have no percentages. */
#define TD_LEAST_WINDOWS 30
/* Nor have rows with fewer samples, or calls of less than a few times their delay. */
#define TD_LEAST_SAMPLES 30
#define TD_SAMPLED_NS    10000
/*
 * Counts of a call are its own, so that the percentages of few calls are as right as
 * those of many, but for what counting adds: no more than as much again as the probes'
 * least cost, which is taken off.  If that is a tenth of the time, it is a tenth of the
 * slots, so that a percentage is off by ten points at most.  It has to be less for few
 * calls, whose error does not tell how much the cost varies; for many, it may be most.
 */
#define TD_COST_OF_FEW  10 /* percent */
#define TD_COST_OF_MANY 80
#define TD_MANY_CALLS   30
/*
 * To compare slow calls with those around the median, these have to have errors, which
 * come from TD_MIN_BATCHES (course.h) batches of a call at least; and a single slow call
 * says nothing of others.
 */
#define TD_LEAST_CALLS 10

/* The name is copied.  NULL: memory ran out. */
struct td_region *td_regions_add(struct td_regions *regions, const char *name,
				 bool own, bool outside);
/* The name is copied.  NULL: memory ran out. */
struct td_timed *td_regions_add_timed(struct td_regions *regions,
				      const char *name);
/* "marks", or NULL for 0. */
const char *td_timed_engine(int engine);
/* Its number, or 0. */
int td_timed_engine_find(const char *name);
/* The timed one of that name; NULL: there is none. */
struct td_timed *td_regions_find_timed(const struct td_regions *regions,
				       const char *name);
/*
 * "parse 1.2 - 1.6 us", or "parse from 1.2 us" for this bucket and all longer.  The
 * caller frees it.  NULL: memory ran out.
 */
char *td_timed_name(const struct td_timed *timed, unsigned int bucket,
		    bool slow);
/*
 * The element of these calls of a timed one, which it makes if there is none; with what
 * was within them.  NULL: memory ran out.
 */
struct td_region *td_regions_bucket(struct td_regions *regions,
				    const struct td_timed *timed,
				    unsigned int bucket, bool slow);
/*
 * Chooses the slow calls: those from the bucket on in which 99 % of the calls end, or
 * the slowest thirty if these are fewer; none of fewer than TD_LEAST_CALLS.  calls: of
 * each bucket.
 */
void td_timed_choose(struct td_timed *timed,
		     const uint64_t calls[TD_REGION_BUCKETS]);
/* In percent of the time of the counting. */
double td_timed_traced_pct(const struct td_timed *timed);
/* Puts a call among the slowest, if it is one of them. */
void td_timed_add_slow(struct td_timed *timed, const struct td_slow_call *call);
/* The element of that name; NULL: there is none. */
struct td_region *td_regions_find(const struct td_regions *regions,
				  const char *name, bool own);
/* Moves the element at that place behind all others.  0 or -ENOMEM. */
int td_regions_move_last(struct td_regions *regions, size_t at);
void td_regions_free(struct td_regions *regions);

#endif
