/* SPDX-License-Identifier: MIT */
/*
 * The file in which a process keeps the sums of its regions.  It is mapped and
 * shared, so that nothing is lost when the process ends in whatever way.
 *
 * In: written by the library, each record by one thread.
 * Out: read by tdstat, also while the process runs.
 *
 * A head, a text that says what the values are, then records of one size: a record
 * for each region of each thread.  If it was asked for, a record also has its calls by
 * how long they took, in buckets.
 */
#ifndef TD_REGION_LAYOUT_H
#define TD_REGION_LAYOUT_H

#include <stdint.h>

#define TD_REGION_MAGIC   "tdregion"
#define TD_REGION_VERSION 4
#define TD_REGION_OLDEST  3 /* the same without buckets */

enum {
	TD_REGION_NAME = 112,        /* bytes of a name, with its end */
	TD_REGION_VALUES = 40,       /* events of all PMUs at most */
	TD_REGION_GROUPS = 4,        /* PMUs at most */
	TD_REGION_DEPTH = 64,        /* regions within each other at most */
	TD_REGION_FIELD_WHOLE = 255, /* of a field of PERF_METRICS */
	TD_REGION_POINTS = 32,       /* by which errors are estimated */
	/* The file has holes where nothing was written: this is no memory or disk. */
	TD_REGION_FILE = 256 << 20,
};

/* Reasons why something is missing, as a head counts them. */
enum td_region_loss {
	TD_REGION_NO_COUNTERS, /* threads whose counters could not be opened */
	TD_REGION_NO_ROOM,     /* regions for which the file had no room */
	TD_REGION_CLOSED,      /* the same: its descriptor was closed */
	TD_REGION_TOO_DEEP,    /* calls within too many others */
	TD_REGION_UNMATCHED,   /* td_end() of a region that was not begun */
	TD_REGION_UNENDED,     /* calls that an outer one, or the thread, ended */
	TD_REGION_BUSY,        /* marks of a signal handler, within the library */
	TD_REGION_NR_LOSSES,
};

struct td_region_head {
	char magic[8];
	uint32_t version;
	uint32_t size;      /* of this structure */
	uint32_t nr_values; /* of each sum, inclusive and again without */
	int32_t open_errno; /* of the first counter that could not be opened */
	uint64_t text_at, text_size;
	uint64_t records_at, record_size, sum_size;
	uint64_t nr_records; /* begun; those that are whole have a kind */
	uint64_t losses[TD_REGION_NR_LOSSES];
	char unmatched[TD_REGION_NAME]; /* the first of TD_REGION_UNMATCHED */
	uint32_t by_read;               /* 1: a thread used read() only */
	uint32_t user_only;             /* 1: a thread could not count the kernel */
	uint32_t calibrated;            /* bits of groups whose costs are known, or will be */
	uint32_t buckets;               /* 1: its records have them */
	/* What an empty call counts, and what it costs those around it besides. */
	uint64_t cost_ns[2][TD_REGION_GROUPS];
	double cost[2][TD_REGION_VALUES]; /* in the units of values */
};

enum td_region_kind {
	TD_REGION_UNREADY,
	TD_REGION_MARKED,  /* between td_begin() and td_end() */
	TD_REGION_OUTSIDE, /* the rest of a thread, once it has counters */
};

/* Calls that were counted, if nothing else is said. */
struct td_region_calls {
	uint64_t counted;
	uint64_t recursive;                /* within a call of the same region */
	uint64_t on[1 + TD_REGION_GROUPS]; /* by the group where they ended */
	uint64_t lost;                     /* not counted: there were no counts */
	uint64_t skipped;                  /* not counted because of TDSTAT_EVERY */
	uint64_t moved;                    /* that began on another kind of core */
	uint64_t migrated;                 /* that began on another CPU */
	uint64_t switched;                 /* in which the thread lost its CPU */
	uint64_t children;                 /* of other regions, directly within */
	uint64_t nested;                   /* the same, and those within them */
};

/* What calls of a region add up to. */
struct td_region_sum {
	uint64_t counted;         /* of a point: so many calls; 0: it is not whole */
	uint64_t time_ns, own_ns; /* with what was in regions within, without */
	/* nr_values of them with, then without; of fields, in 255ths of slots */
	int64_t values[];
};

/*
 * The sum of all calls is changed in a copy.  Where pending is not 0, the copy is
 * complete, and so is next: they stand for the sum and for calls.  If pending is more
 * than 1, one side of a bucket is complete, too: td_region_pending().
 *
 * Points tell how the sum stood in between, and so how much the calls differ in the
 * course of time.  A process may end while it writes one: of the points, those
 * count that have more calls than the ones before them.
 */
struct td_region_record {
	char name[TD_REGION_NAME];
	uint32_t tid;
	uint32_t kind;
	uint32_t pending;
	uint32_t unused;
	uint64_t begun; /* calls; those that have not ended are no others */
	struct td_region_calls calls, next;
	/* and TD_REGION_SUMS of struct td_region_sum; then the buckets, if any */
};

/* The numbers of a record's sums. */
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
 * There is a point behind each so many calls: behind each one at first, behind each
 * second one when there are more calls than points, and so on.
 */
static inline uint64_t td_region_spacing(uint64_t calls, unsigned int points)
{
	uint64_t more = calls ? (calls - 1) / points : 0;

	return more ? UINT64_C(1) << (64 - __builtin_clzll(more)) : 1;
}

/*
 * Steps of durations: 8 of 12.5 ns below TD_REGION_BUCKET_NS, then 16 for each octave.
 * Eight steps are a bucket: bucket 0 is below TD_REGION_BUCKET_NS, then come two for
 * each octave, [100, 150), [150, 200), [200, 300) ... ns.  The last one is open.
 */
enum {
	TD_REGION_BUCKET_NS = 100,
	TD_REGION_BUCKET_STEPS = 8,
	TD_REGION_BUCKETS = 64, /* the last one begins at 215 s */
	TD_REGION_STEPS = 925,  /* of all durations in 64 bits */
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

/* The shortest duration of a bucket. */
static inline uint64_t td_region_bucket_ns(unsigned int bucket)
{
	uint64_t half = TD_REGION_BUCKET_NS / 2;

	return bucket ? (2 + (bucket - 1) % 2) * half << (bucket - 1) / 2 : 0;
}

/*
 * Of a record's calls, those of one bucket.  A call within another one of the same
 * region is in none, as the time of the outer one has it.
 *
 * A call adds to what one side has, and puts it into the other one: no copy is made.
 */
struct td_region_bucket {
	uint32_t number; /* td_region_bucket() */
	uint32_t side;   /* the one that holds: 0 or 1 */
	/*
	 * and TD_REGION_BUCKET_SUMS of struct td_region_sum, with nothing own; the
	 * first two are those of the sides
	 */
	struct {
		struct td_region_calls calls;
		uint64_t steps[TD_REGION_BUCKET_STEPS]; /* calls of each */
		/* of their time, in which the thread had no CPU */
		uint64_t waited_ns;
	} sides[2];
};

/* A call that took long. */
struct td_region_slow {
	uint64_t time_ns; /* as in its bucket; 0: it is not whole */
	uint64_t end_ns;  /* of CLOCK_MONOTONIC */
	uint32_t cpu;     /* where it ended; UINT32_MAX: unknown */
	uint32_t unused;
};

enum {
	TD_REGION_PLACES = 32, /* buckets that a region has room for */
	/*
	 * At least 12 batches are left when each second point was dropped.  Fewer
	 * than 8 have no error, and that of 8 to 10 is half as wide again as it need
	 * be (TD_MIN_BATCHES of lib/count/course.h, tests/unit/region_calls.c);
	 * readers make 16 batches of them at most (lib/count/batched.h).
	 */
	TD_REGION_BUCKET_POINTS = 24,
	TD_REGION_BUCKET_FIRST_POINT = 2,
	TD_REGION_BUCKET_SUMS = TD_REGION_BUCKET_FIRST_POINT + TD_REGION_BUCKET_POINTS,
	TD_REGION_SLOWEST = 10,
};

/* Of a region in a thread.  Where no call has been yet there is a hole. */
struct td_region_buckets {
	uint64_t nr; /* places that are taken */
	/* of each bucket, from 1 on; 0: it has none.  Without room, the nearest's. */
	uint8_t places[TD_REGION_BUCKETS];
	uint64_t elsewhere;                               /* calls that are in the nearest */
	struct td_region_slow slowest[TD_REGION_SLOWEST]; /* in no order */
	/* and TD_REGION_PLACES of struct td_region_bucket */
};

/* Of a bucket's sums: they have nr_values. */
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

/* place: from 1 on. */
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

/* For the pending of a record: this side of the bucket at that place is complete. */
static inline uint32_t td_region_pending(unsigned int place, uint32_t side)
{
	return 2 * place + side;
}

#endif
