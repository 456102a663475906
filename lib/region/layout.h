/* SPDX-License-Identifier: MIT */
/*
 * The file in which a process keeps the sums of its regions.  It is mapped and
 * shared, so that nothing is lost when the process ends in whatever way.
 *
 * In: written by the library, each record by one thread.
 * Out: read by tdstat, also while the process runs.
 *
 * A head, a text that says what the values are, then records of one size.
 */
#ifndef TD_REGION_LAYOUT_H
#define TD_REGION_LAYOUT_H

#include <stdint.h>

#define TD_REGION_MAGIC   "tdregion"
#define TD_REGION_VERSION 3

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
	TD_REGION_UNENDED, /* calls that an outer one, or the thread, ended */
	TD_REGION_BUSY,    /* marks of a signal handler, within the library */
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
	uint32_t user_only; /* 1: a thread could not count the kernel */
	uint32_t
		calibrated; /* bits of groups whose costs are known, or will be */
	uint32_t unused;
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
	uint64_t recursive; /* within a call of the same region */
	uint64_t on[1 + TD_REGION_GROUPS]; /* by the group where they ended */
	uint64_t lost;     /* not counted: there were no counts */
	uint64_t skipped;  /* not counted because of TDSTAT_EVERY */
	uint64_t moved;    /* that began on another kind of core */
	uint64_t migrated; /* that began on another CPU */
	uint64_t switched; /* in which the thread lost its CPU */
	uint64_t children; /* of other regions, directly within */
	uint64_t nested;   /* the same, and those within them */
};

/* What calls of a region add up to. */
struct td_region_sum {
	uint64_t counted; /* of a point: so many calls; 0: it is not whole */
	uint64_t time_ns, own_ns; /* with what was in regions within, without */
	/* nr_values of them with, then without; of fields, in 255ths of slots */
	int64_t values[];
};

/*
 * The sum of all calls is changed in a copy.  Where pending is not 0, the copy is
 * complete, and so is next: they stand for the sum and for calls.
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
	/* and TD_REGION_SUMS of struct td_region_sum */
};

/* The numbers of a record's sums. */
enum {
	TD_REGION_COPY,
	TD_REGION_SUM,
	TD_REGION_FIRST_POINT,
	TD_REGION_SUMS = TD_REGION_FIRST_POINT + TD_REGION_POINTS,
};

static inline struct td_region_sum *
td_region_sum_at(const struct td_region_record *record, uint64_t sum_size,
		 unsigned int number)
{
	return (struct td_region_sum *)((uintptr_t)(record + 1) +
					number * sum_size);
}

/*
 * There is a point behind each so many calls: behind each one at first, behind each
 * second one when there are more calls than points, and so on.
 */
static inline uint64_t td_region_spacing(uint64_t calls)
{
	uint64_t more = calls ? (calls - 1) / TD_REGION_POINTS : 0;

	return more ? UINT64_C(1) << (64 - __builtin_clzll(more)) : 1;
}

/*
 * Buckets of durations: bucket 0 is below TD_REGION_BUCKET_NS, then come two for each
 * octave, [100, 150), [150, 200), [200, 300) ... ns.  The last one is open.
 */
enum {
	TD_REGION_BUCKET_NS = 100,
	TD_REGION_BUCKETS = 64, /* the last one begins at 215 s */
};

static inline unsigned int td_region_bucket(uint64_t ns)
{
	uint64_t units = ns / TD_REGION_BUCKET_NS;
	unsigned int octave, bucket;

	if (!units)
		return 0;
	octave = 63 - (unsigned int)__builtin_clzll(units);
	bucket = 2 * octave - 1 +
		 (unsigned int)(ns / (TD_REGION_BUCKET_NS / 2) >> octave);
	return bucket < TD_REGION_BUCKETS ? bucket : TD_REGION_BUCKETS - 1;
}

/* The shortest duration of a bucket. */
static inline uint64_t td_region_bucket_ns(unsigned int bucket)
{
	uint64_t half = TD_REGION_BUCKET_NS / 2;

	return bucket ? (2 + (bucket - 1) % 2) * half << (bucket - 1) / 2 : 0;
}

#endif
