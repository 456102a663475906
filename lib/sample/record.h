/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_RECORD_H
#define TD_LIB_SAMPLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/sample/spots.h"

#define TD_BRANCH_WORDS 3  /* of each of a record's branches */
#define TD_RECORD_REGS  17 /* of one with a copy of the stack */
/* Of the stack, in bytes: a record has no more than 64 KiB. */
#define TD_MOST_COPIED 65528

enum td_record_kind {
	TD_RECORD_OTHER,
	TD_RECORD_SAMPLE,
	TD_RECORD_MAP,  /* executable memory */
	TD_RECORD_EXEC, /* a process became another program */
	TD_RECORD_FORK, /* of a process, not a thread */
	TD_RECORD_END,  /* of a thread */
	TD_RECORD_SWITCH,
	TD_RECORD_TRACE, /* a CPU has traced a thread, up to now */
	TD_RECORD_LOST,
	TD_RECORD_THROTTLE, /* the kernel stops the event for a while */
	TD_RECORD_UNTHROTTLE,
};

/* One record of a ring.  Pointers are into it. */
struct td_record {
	enum td_record_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t id;      /* of the event, as the kernel numbers it */
	int cpu, pid, tid;
	uint64_t address; /* of a sample, or where a map begins */
	bool kernel;      /* the address is */
	uint64_t period;
	/* of a sample with PERF_SAMPLE_READ: pairs of value and id */
	const uint64_t *values;
	size_t nr_values;
	uint64_t running_ns; /* that its group has counted */
	uint64_t stack;      /* of one with the stack pointer; 0: it has none */
	bool wide;           /* its task ran in 64 bits */
	/*
	 * Of one with PERF_SAMPLE_STACK_USER: AX to IP and R8 to R15 (NULL: it has
	 * none), and what is in memory from the stack pointer on.
	 */
	const uint64_t *registers;
	const char *copy;
	uint64_t nr_copied; /* bytes */
	bool copy_is_full;  /* the stack may go on behind it */
	/* of one with PERF_SAMPLE_CALLCHAIN, with PERF_CONTEXT_ markers */
	const uint64_t *chain;
	size_t nr_chain;
	/* of one with PERF_SAMPLE_BRANCH_STACK: from, to and flags, newest first */
	const uint64_t *branches;
	size_t nr_branches;
	/* of one with PERF_SAMPLE_RAW: its words, behind the size and 32 bits more */
	const uint64_t *raw;
	size_t nr_raw;
	/* of a map, or of the bytes of a trace: */
	uint64_t length, offset;
	bool cut; /* of a trace: what comes next had no room, or is missing */
	const char *path;
	struct td_build_id build_id;
	int parent;     /* of a fork: its process */
	bool out;       /* of a switch: the task lost its CPU, else got one */
	bool preempted; /* out, although it could have gone on */
	uint64_t lost;  /* records, or samples */
	/* of a sample with PERF_SAMPLE_WEIGHT_STRUCT: var3_w, in cycles */
	uint16_t latency;
};

/* What all events of the rings write; sample_id_all is set. */
struct td_record_format {
	bool values; /* PERF_SAMPLE_READ of a group with ids and both times */
	bool chain;  /* PERF_SAMPLE_CALLCHAIN */
	/*
	 * PERF_SAMPLE_BRANCH_STACK of calls that have not returned: the chain's
	 * part in user space.
	 */
	bool branches;
	bool raw; /* PERF_SAMPLE_RAW */
	/*
	 * PERF_SAMPLE_WEIGHT_STRUCT, and of all other things only the id and the
	 * period: so the processor may write many records before it interrupts.
	 */
	bool weights;
	bool stack; /* PERF_SAMPLE_REGS_USER, of the stack pointer alone */
	/*
	 * Or of all that can tell callers, with PERF_SAMPLE_STACK_USER of so many
	 * bytes, a multiple of 8: the chain's part in user space.
	 */
	uint16_t copied;
};

/* The bits of perf_event_attr.sample_type for it, and of read_format. */
uint64_t td_record_sample_type(const struct td_record_format *format);
uint64_t td_record_read_format(void);
/* Those of sample_regs_user. */
uint64_t td_record_registers(const struct td_record_format *format);

/*
 * Parses a record of size bytes, 8-byte aligned.  Pure.  False if it is not what
 * the format says; the kernel writes none such.
 */
bool td_record_parse(struct td_record *record,
		     const struct td_record_format *format, const void *data,
		     size_t size);

/*
 * What AMD's instruction-based sampling (IBS) tells of one operation or one fetch.  The
 * registers are those of a record's PERF_SAMPLE_RAW, behind the word with the features
 * (struct perf_ibs_data in arch/x86/include/asm/amd-ibs.h; what the bits mean is in the
 * PPR of family 19h model 11h, MSRC001_1030 and on).  With fewer registers it is 0.
 */

/*
 * The cycles that a load waited for data that was not in the L1 cache, and for the
 * address if that was not in the L1 TLB; 0 of one that did not, and of all other
 * operations.
 */
uint64_t td_ibs_load_wait(const uint64_t *regs, size_t nr);
/*
 * The latency in cycles of a fetch whose code was not in the instruction cache, or
 * whose address was not in the L1 TLB; 0 of others.
 */
uint64_t td_ibs_fetch_wait(const uint64_t *regs, size_t nr);

/* --- queue.c -------------------------------------------------------------- */

/*
 * Puts the records of several rings in the order of their times.  A zeroed
 * struct is an empty queue.
 */
struct td_queue {
	struct td_queued {
		uint64_t time_ns;
		uint64_t
			number; /* of equal times, the one put first is first */
		uint64_t *data;
		uint16_t size;
	} * v; /* a heap */
	size_t nr;
	uint64_t last; /* number of those that were put */
};

/* Copies the record of size bytes.  0 or -ENOMEM. */
int td_queue_put(struct td_queue *queue, uint64_t time_ns, const void *data,
		 uint16_t size);
/*
 * Takes the first record that is older than until_ns; the caller frees it.  NULL
 * if there is none.
 */
uint64_t *td_queue_take(struct td_queue *queue, uint64_t until_ns,
			uint16_t *size);
void td_queue_free(struct td_queue *queue);

#endif
