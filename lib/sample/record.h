/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/sample/locations.h"

#define TD_BRANCH_WORDS 3  /* words per branch in a record */
#define TD_RECORD_REGS  17 /* registers in a record with a copy of the stack */
/* The largest copy of a stack in bytes; a record is limited to 64 KiB. */
#define TD_MAX_COPIED 65528

enum td_record_kind {
	TD_RECORD_OTHER,
	TD_RECORD_SAMPLE,
	TD_RECORD_MAP,    /* executable memory was mapped */
	TD_RECORD_EXEC,   /* a process became another program */
	TD_RECORD_NAME,   /* a thread got a name, which is path */
	TD_RECORD_FORK,   /* a process, not only a thread, began */
	TD_RECORD_THREAD, /* a thread began */
	TD_RECORD_END,    /* a thread ended */
	TD_RECORD_CGROUP, /* a cgroup was created; its path is path */
	TD_RECORD_SWITCH,
	TD_RECORD_TRACE, /* a CPU has traced a thread up to now */
	TD_RECORD_LOST,
	TD_RECORD_THROTTLE, /* the kernel stops the event for a while */
	TD_RECORD_UNTHROTTLE,
};

/* A record of a ring.  Its pointers point into the ring. */
struct td_record {
	enum td_record_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t id;      /* the kernel's number of the event */
	int cpu, pid, tid;
	uint64_t address; /* address of a sample, or start of a mapping */
	bool kernel;      /* the address is in the kernel */
	uint64_t period;
	/* PERF_SAMPLE_READ: pairs of value and id */
	const uint64_t *values;
	size_t nr_values;
	/* PERF_SAMPLE_READ: how long the group was enabled, and has counted */
	uint64_t enabled_ns, running_ns;
	uint64_t stack; /* PERF_SAMPLE_REGS_USER: the stack pointer, or 0 */
	bool wide;      /* PERF_SAMPLE_REGS_USER: the task ran in 64-bit mode */
	/* PERF_SAMPLE_STACK_USER: AX to IP and R8 to R15, or NULL */
	const uint64_t *registers;
	/* PERF_SAMPLE_STACK_USER: copy of the memory that starts at the stack pointer */
	const char *copy;
	uint64_t nr_copied; /* size of copy in bytes */
	bool copy_is_full;  /* the stack may be longer than copy */
	/* PERF_SAMPLE_CALLCHAIN, with PERF_CONTEXT_ markers */
	const uint64_t *chain;
	size_t nr_chain;
	/* PERF_SAMPLE_BRANCH_STACK: from, to and flags, newest first */
	const uint64_t *branches;
	size_t nr_branches;
	/* PERF_SAMPLE_RAW: the words after the size and the first 32 bits of data */
	const uint64_t *raw;
	size_t nr_raw;
	uint64_t length, offset; /* offset and length of a mapping, or of the bytes of a trace */
	/* trace: bytes after these are missing, because the ring was full */
	bool cut;
	const char *path; /* path of a mapping; name of a thread after an exec or a change */
	struct td_build_id build_id;
	int parent;       /* fork: the parent process */
	int parent_tid;   /* fork: its thread that started the new one */
	bool out;         /* switch: true if the task lost its CPU, false if it got one */
	bool preempted;   /* switch: the task lost its CPU while runnable */
	uint64_t lost;    /* number of lost records or samples */
	uint16_t latency; /* PERF_SAMPLE_WEIGHT_STRUCT: var3_w, in cycles */
	uint64_t cgroup;  /* PERF_SAMPLE_CGROUP: id of the task's cgroup; or that of a new cgroup */
};

/* Format of the records of all events; sample_id_all is set. */
struct td_record_format {
	bool values; /* PERF_SAMPLE_READ of a group with ids and both times */
	bool chain;  /* PERF_SAMPLE_CALLCHAIN */
	/* PERF_SAMPLE_BRANCH_STACK of calls that have not returned, for callers in user space */
	bool branches;
	bool raw; /* PERF_SAMPLE_RAW */
	/*
	 * PERF_SAMPLE_WEIGHT_STRUCT with only the id and the period, so that the processor may
	 * write many records before it interrupts
	 */
	bool weights;
	bool stack; /* PERF_SAMPLE_REGS_USER of the stack pointer */
	/*
	 * Size of the stack to copy (PERF_SAMPLE_STACK_USER), a multiple of 8, with
	 * PERF_SAMPLE_REGS_USER of all registers that unwinding needs, to find callers in user
	 * space.  0: none.
	 */
	uint16_t copied;
	bool cgroup; /* PERF_SAMPLE_CGROUP, and records of new cgroups instead of tasks */
};

/* Return members of perf_event_attr: sample_type, read_format and sample_regs_user. */
uint64_t td_record_sample_type(const struct td_record_format *format);
uint64_t td_record_read_format(void);
uint64_t td_record_registers(const struct td_record_format *format);

/* Parses an 8-byte aligned record.  Pure.  Returns false if it does not fit the format. */
bool td_record_parse(struct td_record *record, const struct td_record_format *format,
		     const void *data, size_t size);

/*
 * Returns the latency in AMD's instruction-based sampling (IBS) of one operation or one fetch.  The
 * registers are in PERF_SAMPLE_RAW, after a word with the features (struct perf_ibs_data in
 * arch/x86/include/asm/amd-ibs.h).  The PPR of family 19h model 11h describes their bits
 * (MSRC001_1030 and up).  The result is 0 if a register is missing.
 */

/*
 * Returns the cycles that a load waited for data outside of the L1 cache, and for an address
 * outside of the L1 TLB; 0 for other operations.
 */
uint64_t td_ibs_load_wait(const uint64_t *regs, size_t nr);
/*
 * Returns the latency in cycles of a fetch that missed the instruction cache or the L1 TLB; 0
 * for other fetches.
 */
uint64_t td_ibs_fetch_wait(const uint64_t *regs, size_t nr);

/* Sorts the records of several rings by time.  A zeroed struct is an empty queue. */
struct td_queue {
	struct td_queued {
		uint64_t time_ns;
		uint64_t number; /* records with equal times keep their order */
		uint64_t *data;
		uint16_t size;
	} * v; /* a heap */
	size_t nr;
	uint64_t last; /* number of the next record */
};

/* Copies a record of size bytes. */
void td_queue_put(struct td_queue *queue, uint64_t time_ns, const void *data, uint16_t size);
/* Returns the first record if it is older than until_ns, or NULL.  The caller frees it. */
uint64_t *td_queue_pop(struct td_queue *queue, uint64_t until_ns, uint16_t *size);
void td_queue_free(struct td_queue *queue);
