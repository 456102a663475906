/* SPDX-License-Identifier: MIT */
/*
 * The file with the sums of a process's regions.  The mapping is shared, so that nothing is lost
 * however the process ends.
 *
 * In: written by the library, each record by one thread.
 * Out: read by tdstat, also while the process runs.
 *
 * The file contains a head, a text that describes the values, and records of equal size: one for
 * each region of each thread.  On request, a record also contains buckets of calls by duration.
 */
#ifndef TD_REGION_LAYOUT_H
#define TD_REGION_LAYOUT_H

#include <stdint.h>

#define TD_REGION_MAGIC   "tdregion"
#define TD_REGION_VERSION 4
#define TD_REGION_OLDEST  3 /* oldest readable version: the same format without buckets */

enum {
	TD_REGION_NAME = 112,        /* bytes of a name, including its NUL */
	TD_REGION_VALUES = 40,       /* maximum number of events of all PMUs */
	TD_REGION_GROUPS = 4,        /* maximum number of PMUs */
	TD_REGION_DEPTH = 64,        /* maximum number of nested regions */
	TD_REGION_FIELD_WHOLE = 255, /* value of a field of PERF_METRICS with all slots */
	TD_REGION_POINTS = 32,       /* points of a sum, used to estimate errors */
	/* size of the file, which takes no memory or disk space where nothing was written */
	TD_REGION_FILE = 256 << 20,
};

/* Reasons for missing data.  The head counts each. */
enum td_region_loss {
	TD_REGION_NO_COUNTERS, /* threads whose counters could not be opened */
	TD_REGION_NO_ROOM,     /* regions for which the file had no room */
	/* regions without a record because the program closed the file's descriptor */
	TD_REGION_CLOSED,
	TD_REGION_TOO_DEEP,  /* calls nested too deeply */
	TD_REGION_UNMATCHED, /* calls of td_end() for a region that had not begun */
	TD_REGION_UNENDED,   /* calls that ended with an enclosing call or with the thread */
	TD_REGION_BUSY,      /* marks in a signal handler that interrupted the library */
	TD_REGION_NR_LOSSES,
};

struct td_region_head {
	char magic[8];
	uint32_t version;
	uint32_t size; /* size of this structure */
	/* number of values; a sum has each twice, with and without nested regions */
	uint32_t nr_values;
	int32_t open_errno; /* errno of the first counter that could not be opened */
	uint64_t text_at, text_size;
	uint64_t records_at, record_size, sum_size;
	uint64_t nr_records; /* number of records that were begun; complete records have a kind */
	uint64_t losses[TD_REGION_NR_LOSSES];
	char unmatched[TD_REGION_NAME]; /* name of the first region in TD_REGION_UNMATCHED */
	uint32_t by_read;               /* 1: some thread only used read() */
	uint32_t user_only;             /* 1: some thread could not count the kernel */
	uint32_t calibrated;            /* bits of groups whose costs are known or being measured */
	uint32_t buckets;               /* 1: records contain buckets */
	/* cost of an empty call: [0] in its own counts, [1] in addition in the enclosing region */
	uint64_t cost_ns[2][TD_REGION_GROUPS];
	double cost[2][TD_REGION_VALUES]; /* [0], [1] as in cost_ns; in the units of values */
};

enum td_region_kind {
	TD_REGION_UNREADY,
	TD_REGION_MARKED,  /* calls between td_begin() and td_end() */
	TD_REGION_OUTSIDE, /* the rest of a thread, from when its counters are open */
};

/* Numbers of calls.  Except for lost and skipped, only counted calls are included. */
struct td_region_calls {
	uint64_t counted;
	uint64_t recursive; /* calls within a call of the same region */
	/* calls by the group that was counting at their end; [0]: none */
	uint64_t on[1 + TD_REGION_GROUPS];
	/* calls without counts, for example because counters did not run */
	uint64_t lost;
	uint64_t skipped;  /* calls left out by TDSTAT_EVERY */
	uint64_t moved;    /* calls that began on another core type */
	uint64_t migrated; /* calls that began on another CPU */
	uint64_t switched; /* calls in which the thread lost its CPU */
	uint64_t children; /* calls directly within these calls */
	uint64_t nested;   /* calls at any depth within these calls */
};

/* Sum over the calls of a region. */
struct td_region_sum {
	uint64_t counted;         /* points: number of calls in the sum; 0: incomplete */
	uint64_t time_ns, own_ns; /* time with and without nested regions */
	/* nr_values values with nested regions, then without; fields are in 1/255 of slots */
	int64_t values[];
};

/*
 * A region in a thread.  A new call is added to copies of the sum (TD_REGION_COPY) and of calls
 * (next).  While pending is not 0, the copies are complete, and readers use them instead of the
 * originals.  If pending is above 1, one side of a bucket is complete as well: td_region_pending().
 *
 * Points are earlier values of the sum, which show how much calls vary over time.  A process may
 * end while it writes a point, so only points with more calls than the previous one are valid.
 */
struct td_region_record {
	char name[TD_REGION_NAME];
	uint32_t tid;
	uint32_t kind;
	uint32_t pending;
	uint32_t unused;
	uint64_t begun; /* number of calls that have begun, including open ones */
	struct td_region_calls calls, next;
	/* followed by TD_REGION_SUMS of struct td_region_sum, and by buckets, if any */
};

/* Indices of a record's sums. */
enum {
	TD_REGION_COPY,
	TD_REGION_SUM,
	TD_REGION_FIRST_POINT,
	TD_REGION_SUMS = TD_REGION_FIRST_POINT + TD_REGION_POINTS,
};

static inline struct td_region_sum *td_region_sum_at(const struct td_region_record *record,
						     uint64_t sum_size, unsigned int number)
{
	return (struct td_region_sum *)((uintptr_t)(record + 1) + number * sum_size);
}

/*
 * Returns the number of calls from one point to the next: 1 at first, and twice as many each time
 * the points are full.
 */
static inline uint64_t td_region_spacing(uint64_t calls, unsigned int points)
{
	uint64_t more = calls ? (calls - 1) / points : 0;

	return more ? UINT64_C(1) << (64 - __builtin_clzll(more)) : 1;
}

/*
 * Durations are divided into steps: 8 of 12.5 ns below TD_REGION_BUCKET_NS, then 16 per octave.  A
 * bucket has eight steps: bucket 0 is below TD_REGION_BUCKET_NS, and each octave has two buckets,
 * [100, 150), [150, 200), [200, 300) ... ns.  The last bucket has no upper limit.
 */
enum {
	TD_REGION_BUCKET_NS = 100,
	TD_REGION_BUCKET_STEPS = 8,
	TD_REGION_BUCKETS = 64, /* the last one begins at 215 s */
	TD_REGION_STEPS = 925,  /* number of steps for all durations of 64 bits */
};

static inline unsigned int td_region_step(uint64_t ns)
{
	uint64_t units = ns / TD_REGION_BUCKET_NS, fine;
	unsigned int octave;

	if (!units)
		return (unsigned int)(ns * TD_REGION_BUCKET_STEPS / TD_REGION_BUCKET_NS);
	octave = 63 - (unsigned int)__builtin_clzll(units);
	fine = octave < 4 ? ns << (4 - octave) : ns >> (octave - 4);
	return 16 * octave + (unsigned int)(fine / TD_REGION_BUCKET_NS) - 8;
}

static inline unsigned int td_region_bucket_of_step(unsigned int step)
{
	unsigned int bucket = step / TD_REGION_BUCKET_STEPS;

	return bucket < TD_REGION_BUCKETS ? bucket : TD_REGION_BUCKETS - 1;
}

static inline unsigned int td_region_bucket(uint64_t ns)
{
	return td_region_bucket_of_step(td_region_step(ns));
}

/* Returns the shortest duration of a bucket. */
static inline uint64_t td_region_bucket_ns(unsigned int bucket)
{
	uint64_t half = TD_REGION_BUCKET_NS / 2;

	return bucket ? (2 + (bucket - 1) % 2) * half << (bucket - 1) / 2 : 0;
}

/*
 * The calls of a record in one bucket.  Recursive calls are not in any bucket, because the outer
 * call includes their time.
 *
 * One side is valid.  A call is added to the values of the valid side, and the result is written to
 * the other side, which then becomes valid.
 */
struct td_region_bucket {
	uint32_t number; /* number of the bucket: td_region_bucket() */
	uint32_t side;   /* index of the valid side */
	/*
	 * followed by TD_REGION_BUCKET_SUMS of struct td_region_sum, without own_ns and without
	 * values that exclude nested regions; the first two sums are those of the sides
	 */
	struct {
		struct td_region_calls calls;
		uint64_t steps[TD_REGION_BUCKET_STEPS]; /* number of calls in each step */
		/* time in which the thread had no CPU */
		uint64_t waited_ns;
	} sides[2];
};

/* One of the slowest calls. */
struct td_region_slow {
	uint64_t time_ns; /* duration, as used for buckets; 0: incomplete */
	uint64_t end_ns;  /* end of the call, CLOCK_MONOTONIC */
	uint32_t cpu;     /* CPU at the end of the call; UINT32_MAX: unknown */
	uint32_t unused;
};

enum {
	TD_REGION_PLACES = 32, /* maximum number of buckets of a region */
	/*
	 * When every second point has been dropped, at least 12 batches are left, of which readers
	 * make at most 16 (lib/count/batched.h).  With fewer than 8 batches there is no error
	 * (TD_MIN_BATCHES in lib/count/timeline.h), and with 8 to 10 it is 1.5 times as wide as
	 * necessary (tests/unit/region_calls.c).
	 */
	TD_REGION_BUCKET_POINTS = 24,
	TD_REGION_BUCKET_FIRST_POINT = 2,
	TD_REGION_BUCKET_SUMS = TD_REGION_BUCKET_FIRST_POINT + TD_REGION_BUCKET_POINTS,
	TD_REGION_SLOWEST = 10,
};

/* The buckets of a region in a thread.  The file has a hole here until the first call. */
struct td_region_buckets {
	uint64_t nr; /* number of places in use */
	/*
	 * place of each bucket, from 1, or that of the nearest bucket if places are full; 0: none
	 */
	uint8_t places[TD_REGION_BUCKETS];
	/* calls counted in the nearest bucket instead of their own */
	uint64_t elsewhere;
	struct td_region_slow slowest[TD_REGION_SLOWEST]; /* the slowest calls, unsorted */
	/* followed by TD_REGION_PLACES of struct td_region_bucket */
};

/* Returns the size of a bucket's sum, which has nr_values values. */
static inline uint64_t td_region_bucket_sum_size(uint64_t nr_values)
{
	return sizeof(struct td_region_sum) + nr_values * sizeof(int64_t);
}

static inline uint64_t td_region_bucket_size(uint64_t nr_values)
{
	return sizeof(struct td_region_bucket) +
	       TD_REGION_BUCKET_SUMS * td_region_bucket_sum_size(nr_values);
}

static inline uint64_t td_region_buckets_size(uint64_t nr_values)
{
	return sizeof(struct td_region_buckets) +
	       TD_REGION_PLACES * td_region_bucket_size(nr_values);
}

static inline struct td_region_buckets *td_region_buckets_of(const struct td_region_record *record,
							     uint64_t sum_size)
{
	return (struct td_region_buckets *)(void *)td_region_sum_at(record, sum_size,
								    TD_REGION_SUMS);
}

/* Returns the bucket at a place, which is at least 1. */
static inline struct td_region_bucket *td_region_bucket_at(const struct td_region_buckets *buckets,
							   uint64_t nr_values, unsigned int place)
{
	return (struct td_region_bucket *)((uintptr_t)(buckets + 1) +
					   (place - 1) * td_region_bucket_size(nr_values));
}

static inline struct td_region_sum *td_region_bucket_sum_at(const struct td_region_bucket *bucket,
							    uint64_t nr_values, unsigned int number)
{
	return (struct td_region_sum *)((uintptr_t)(bucket + 1) +
					number * td_region_bucket_sum_size(nr_values));
}

/* Returns the value of td_region_record.pending for a complete side of the bucket at this place. */
static inline uint32_t td_region_pending(unsigned int place, uint32_t side)
{
	return 2 * place + side;
}

#endif
