/* SPDX-License-Identifier: MIT */
/* Types and functions that the files of the library share. */
#ifndef TD_LIB_REGION_PARTS_H
#define TD_LIB_REGION_PARTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/region/layout.h"
#include "lib/region/tdstat.h"

/* --- spec.c --------------------------------------------------------------- */

/*
 * The events to count: a text that tdstat writes, or that the library makes from sysfs.
 *
 *   tdstat regions 1
 *   read                            do not use RDPMC
 *   calls                           also count calls in buckets by duration
 *   group PMU CPUS                  as in sysfs: cpu_core 0-7
 *   width N                         slots per cycle of the group above
 *   event KIND TYPE CONFIG CONFIG1 CONFIG2 FLAGS NAME
 *
 * Events belong to the group above them, and the first one is its leader.  KIND is s for SLOTS, 0
 * to 7 for a field of PERF_METRICS, and c for other events.  FLAGS is u for events in user space
 * only, k for events in the kernel only, and - otherwise.
 */

#define TD_GROUP_SPEC_FIRST_LINE "tdstat regions 1"
#define TD_GROUP_SPEC_CPUS       8192

/* Kinds of events. */
enum {
	TD_GROUP_SPEC_PLAIN = -2,
	TD_GROUP_SPEC_SLOTS = -1,
	TD_GROUP_SPEC_FIELD = 0, /* the first of eight fields */
};

/* Values that td_read() needs, found by the names of events. */
enum {
	TD_READ_SLOTS,
	TD_READ_RETIRING,
	TD_READ_BAD_SPECULATION,
	TD_READ_FRONTEND_BOUND,
	TD_READ_BACKEND_BOUND,
	TD_READ_CYCLES,
	TD_READ_INSTRUCTIONS,
	TD_READ_UOP_DROPPING, /* slots wrongly counted as lost by the frontend */
	TD_NR_READ,
};

struct td_group_spec {
	struct td_group_spec_event {
		int kind;
		uint32_t type;
		uint64_t config[3];
		bool user_only, kernel_only;
	} events[TD_REGION_VALUES];
	size_t nr_events;
	struct td_group_spec_group {
		size_t first, nr; /* indices of the group's events */
		bool has_fields;
		int core;           /* core type: TD_CORE and others of tdstat.h */
		unsigned int width; /* slots per cycle; 0: unknown */
		/*
		 * for each value: 1 + index of the event; 0: none; all events count user space
		 * only, or none does
		 */
		uint8_t parts[TD_NR_READ];
		bool parts_user_only;
	} groups[TD_REGION_GROUPS];
	size_t nr_groups;
	bool read_only; /* do not use RDPMC */
	bool buckets;   /* count calls in buckets by duration */
	char *text;     /* the parsed text, owned */
	/* for each CPU: 1 + index of the group of its core type; 0: none */
	uint8_t group_of_cpu[TD_GROUP_SPEC_CPUS];
};

/* Returns 1 + index of the group of a CPU's core type; 0: none, or the CPU is unknown. */
static inline uint32_t td_group_spec_group_of(const struct td_group_spec *spec, uint32_t cpu)
{
	return cpu < TD_GROUP_SPEC_CPUS ? spec->group_of_cpu[cpu] : 0;
}

/* Parses and takes ownership of text.  Returns -1 if it is invalid. */
int td_group_spec_parse(struct td_group_spec *spec, char *text);
/*
 * Makes the default: cycles, instructions, level 1 of each core PMU if sysfs has its events, and
 * level 2 with PERF_METRICS.  Returns -1 without a core PMU.
 */
int td_group_spec_default(struct td_group_spec *spec);

/* --- rseq.c --------------------------------------------------------------- */

/*
 * Functions that only use RDPMC on the intended core type.  E-cores have no PERF_METRICS, and RDPMC
 * of a counter that a core lacks is a general protection fault, which would end the program.
 */

/*
 * Returns true if restartable sequences are registered for the thread (glibc 2.35 and later), and
 * RDTSCP returns the CPU.
 */
bool td_rseq_works(void);
/* Returns the CPU of the thread, also without restartable sequences. */
uint32_t td_rseq_cpu(void);
/* Returns the time-stamp counter. */
uint64_t td_rseq_cycles(void);
/*
 * Reads nr counters without an interruption.  selectors are the operands of RDPMC.  Returns false,
 * without reading, if the CPU's element of group_of_cpu is not group, or if the caller is another
 * task with the same thread block, as vfork() and clone() create it.
 */
bool td_rseq_read(const uint8_t *group_of_cpu, uint8_t group, const uint32_t *selectors,
		  uint64_t *values, uint64_t nr);

/* --- pmc.c: reads the counters of a group in user space, by RDPMC --------- */

/* The group of one PMU. */
struct td_group_counters {
	int fds[TD_REGION_VALUES];
	struct perf_event_mmap_page *pages[TD_REGION_VALUES];
	size_t nr_pages;    /* 1 + index of the last page that is mapped */
	uint32_t lock;      /* sum of the locks of all pages at the last read() */
	uint64_t slots_now; /* value of SLOTS at the last look */
	uint64_t enabled_ns, running_ns;
	uint64_t id; /* id from the kernel; 0: not open */
};

struct td_thread_counters {
	const struct td_group_spec *spec;
	struct td_group_counters groups[TD_REGION_GROUPS];
	uint64_t totals[TD_REGION_VALUES]; /* totals at the last look */
	/*
	 * The totals and the kernel's counts when the kernel last reset PERF_METRICS, which it does
	 * at each read().
	 */
	uint64_t before[TD_REGION_VALUES];
	uint64_t counts[TD_REGION_VALUES];
	/* for events other than SLOTS and fields: counts that totals do not include */
	uint64_t skipped[TD_REGION_VALUES];
	/* time without a CPU up to the last read(); the thread has kept its CPU since */
	uint64_t waited_ns;
	bool rdpmc;
	bool user_only; /* this user may not count the kernel */
};

/* Result of a look at a group. */
enum td_look {
	TD_LOOKED,    /* totals are up to date */
	TD_ASLEEP,    /* the group is not counting; totals may be outdated */
	TD_DISTURBED, /* only read() returns the totals */
};

/* Updates the totals of a group.  All its events except fields must have a page. */
enum td_look td_pmc_look(struct td_thread_counters *counters, size_t g);
/*
 * Returns a number that changes when the kernel starts or stops counting the group, or moves an
 * event to another counter.
 */
uint32_t td_pmc_lock(const struct td_group_counters *group);

/* --- counters.c ----------------------------------------------------------- */

/*
 * The counters of a thread: a group for each PMU, open from the first region of the thread until
 * its end.
 *
 * The counts of a region are the difference of two totals.  Totals of fields of PERF_METRICS are in
 * 1/255 of slots.  Totals may wrap around.
 */

/* The totals and times at one moment. */
struct td_moment {
	uint64_t totals[TD_REGION_VALUES];
	uint64_t time_ns;
	uint64_t uncounted_ns; /* time that the thread ran without its counters */
	uint64_t waited_ns;    /* time without a CPU, with an unknown offset */
	/*
	 * slots since the last reset (if fresh, since the one before it): a step of a field is
	 * 1/255 of them
	 */
	uint64_t step;
	bool fresh;
	uint32_t switches; /* changes when the kernel schedules a group */
	uint32_t group;    /* 1 + index of the group that is counting; 0: none */
	uint32_t cpu;      /* UINT32_MAX: unknown */
};

/*
 * Returns true if the thread ran without its counters for more than 1 % of the time between two
 * moments.
 */
bool td_moment_is_lost(const struct td_moment *from, const struct td_moment *to);

/* Opens the counters, and sets begin to the first moment.  Returns 0 or a negative errno. */
int td_thread_counters_open(struct td_thread_counters *counters, const struct td_group_spec *spec,
			    struct td_moment *begin);
void td_thread_counters_close(struct td_thread_counters *counters);
/* Closes the parent's counters in a child.  They continue in the parent. */
void td_thread_counters_forget(struct td_thread_counters *counters);
/* Reads the current totals, with RDPMC if possible.  Returns 0 or a negative errno. */
int td_thread_counters_look(struct td_thread_counters *counters, struct td_moment *moment);
/*
 * Reads the current totals and resets PERF_METRICS, so that its steps are small again.  Uses
 * read(), which also shows whether the counters ran all the time.  The moment is fresh.
 */
int td_thread_counters_restart(struct td_thread_counters *counters, struct td_moment *moment);

/* --- region.c: what td_read() makes of two moments ------------------------ */

/* Computes the values of the interval between two moments.  Does not change next.  Pure. */
void td_interval_fill(struct td_interval *interval, const struct td_group_spec *spec,
		      const struct td_moment *from, const struct td_moment *to);

/* --- resources.c ---------------------------------------------------------- */

/*
 * Memory of a thread, from the kernel.  malloc() cannot be used: a mark may be in a signal handler,
 * or in a child of _Fork(), while another thread holds the locks of malloc().
 */

struct td_memory {
	struct td_memory_block *last; /* NULL: no memory was taken */
	size_t left;                  /* free bytes at the end of the last block */
};

/* Returns zeroed memory, aligned for all types, or NULL if the kernel has none. */
void *td_memory_take(struct td_memory *memory, size_t size);
/* Frees all memory that was taken. */
void td_memory_free(struct td_memory *memory);

/*
 * Descriptors that do not disturb the program: above its soft limit if the hard limit is higher.
 * Otherwise at most half of the limit is used, with high numbers.
 */
struct td_descriptors {
	size_t nr;
	struct rlimit limit; /* limit of the program */
	bool above;
};

/*
 * Call before nr descriptors are opened.  Raises the soft limit to the hard limit until
 * td_descriptors_end().  The nr descriptors are reserved until td_descriptors_give_back().  Returns
 * 0 or a negative errno.
 */
int td_descriptors_begin(struct td_descriptors *descriptors, size_t nr);
/* Moves a descriptor out of the program's way.  Returns its new number. */
int td_descriptors_move(const struct td_descriptors *descriptors, int fd);
void td_descriptors_end(const struct td_descriptors *descriptors);
void td_descriptors_give_back(size_t nr);
/*
 * Call in a child of fork(), because the parent may have been between begin and end.  The child
 * keeps the reservations, because it has the parent's descriptors.
 */
void td_descriptors_forked(void);

/* --- store.c -------------------------------------------------------------- */

/* The file of a process.  It is mapped, so that its contents survive the process. */

struct td_store {
	struct td_region_head *head;
	size_t size;
	uint64_t reserved; /* offset up to which disk space is allocated */
	int fd;
	/* identity of the file, because the program may close it and reuse its descriptor */
	dev_t dev;
	ino_t ino;
};

/*
 * Creates PREFIX.PID, or PREFIX.PID.1 and so on if the process has run another program before.
 * buckets: records contain buckets.  Returns 0 or a negative errno.
 */
int td_store_open(struct td_store *store, const char *prefix, const char *text, size_t nr_values,
		  bool buckets);
/* Allocates disk space for a few records, so that adding them needs no system call. */
void td_store_reserve(struct td_store *store);
/* Adds a record.  Returns NULL, and counts the loss, if there is no room. */
struct td_region_record *td_store_add(struct td_store *store, const char *name, int tid,
				      enum td_region_kind kind);
void td_store_lose(struct td_store *store, enum td_region_loss why);
/* Counts a td_end() of a region that had not begun. */
void td_store_lose_end(struct td_store *store, const char *name);
/* Closes the parent's file in a child that has its own. */
void td_store_forget(struct td_store *store);

/* The copies that a call changes.  They only take effect with td_store_commit(). */
struct td_edit {
	struct td_region_record *record;
	struct td_region_calls *calls;
	struct td_region_sum *sum;
	struct td_region_bucket *bucket; /* bucket to change; NULL: none */
	uint32_t side;                   /* side of the bucket that becomes valid */
	uint32_t pending;                /* pending of the record until the commit is complete */
};

struct td_edit td_store_edit(const struct td_store *store, struct td_region_record *record);
/*
 * Prepares the bucket for calls of this duration: copies the valid side to the other one, and
 * counts the call in its step.  The caller adds the sum.
 */
void td_store_edit_bucket(const struct td_store *store, struct td_edit *edit, uint64_t time_ns);
void td_store_commit(const struct td_store *store, const struct td_edit *edit);

/* --- process.c ------------------------------------------------------------ */

/* State that all threads of the process share. */
struct td_process {
	/* number of the process, from 1; 0 in a child until td_process_forked() */
	uint32_t *number;
	bool wiped;      /* the kernel sets *number to 0 in every child */
	uint32_t forked; /* number of forks since the first process */
	char *prefix;    /* prefix of the names of files; NULL: regions are not counted */
	struct td_group_spec spec;
	struct td_store store;
	struct td_store parents; /* file of the parent, until the child has its own */
	unsigned int every;
	size_t open; /* in a child of fork(): number of regions that were open in the parent */
};

extern struct td_process td_process;

/* Returns the number of the process, which differs from its parent's.  0: a new child. */
static inline uint32_t td_process_now(void)
{
	return __atomic_load_n(td_process.number, __ATOMIC_ACQUIRE);
}

/* Reads the environment.  Returns false if regions are not to be counted. */
bool td_process_start(void);
/*
 * Prepares counting, once.  Chooses the default events if td_process_start() has not chosen others.
 * Returns 0 or a negative errno.
 */
int td_process_prepare(void);
/*
 * Call in a child, at its first mark and in pthread_atfork(); only the first call has an effect.
 * Forgets the parent's state.  open is the number of regions that are open in the parent.  Returns
 * false if another thread is doing this now.
 */
bool td_process_forked(size_t open);
/*
 * Creates the file, once.  In a child, the first thread with a region creates it; if that fails,
 * the parent's file is used.  Returns false if there is none.
 */
bool td_process_has_store(void);
/*
 * Counts in the file, if any, that a thread could not open its counters, and keeps the first error.
 */
void td_process_lacks_counters(int error);

/* --- thread.c: what a thread is in, and the regions that it has seen ------ */

/* A region of one thread. */
struct td_thread_region {
	char *name;                      /* owned by the memory of the thread */
	struct td_region_record *record; /* NULL: there was no room */
	unsigned int every;              /* average number of calls per counted call */
	uint64_t to_skip;                /* calls to skip before the next counted one */
	unsigned int open;               /* number of open calls */
	uint64_t slow_ns;                /* duration of the fastest of the slowest calls */
};

/* An open call. */
struct td_call {
	struct td_thread_region *region;
	bool counted, lost; /* lost: it should have been counted, but counters could not be read */
	struct td_moment begin;
	uint64_t within[TD_REGION_VALUES]; /* counts of regions directly within */
	uint64_t within_ns, children, nested;
};

struct td_thread {
	struct td_memory memory; /* memory of this structure and of all its members */
	uint32_t process;        /* td_process_now() when the thread's structure was made */
	bool counts;             /* counters are open */
	int error;               /* if counters are not open: the reason, a negative errno */
	uint64_t serial;         /* number of this thread in this process; never 0 */
	bool busy;               /* a mark is running; marks in signal handlers are left out */
	int tid;
	struct td_thread_counters counters;
	uint64_t usual_slots;  /* average number of slots of recent calls */
	uint64_t chance;       /* state of the random numbers for TDSTAT_EVERY; never 0 */
	struct td_call *calls; /* stack of TD_REGION_DEPTH calls */
	size_t depth, too_deep;
	struct td_thread_region outside; /* the region outside of all regions */
	struct td_call around;           /* call of outside, since it was last added */
	struct td_thread_region **names; /* hash table, at most half full */
	size_t nr_names, room;
	void *calibration; /* memory for measuring the cost of a call */
};

/* thread.c: returns the calling thread, or NULL if it cannot be counted. */
struct td_thread *td_thread_self(void);
/*
 * Gets the calling thread for td_read(), which also works without tdstat.  Returns 0 or a negative
 * errno.
 */
int td_thread_to_read(struct td_thread **thread);
/* Returns the thread's region of this name; NULL if memory ran out. */
struct td_thread_region *td_thread_region(struct td_thread *thread, const char *name);

/* --- call.c --------------------------------------------------------------- */

/*
 * Calls.  Their counts are added to the sums of their region, and subtracted from enclosing
 * regions.
 */

/* Begins a call of the region.  Open calls of the thread enclose it. */
void td_call_begin(struct td_thread *thread, struct td_thread_region *region);
/* Ends the innermost call. */
void td_call_end(struct td_thread *thread);
/* Begins the time outside of all regions, after the counters were opened. */
void td_call_begin_outside(struct td_thread *thread, const struct td_moment *begin);
/* Adds the time outside of all regions so far, for example when the thread ends. */
void td_call_end_outside(struct td_thread *thread);

/*
 * cost.c: measures the cost of an empty call, once per core type.  Call outside of regions, which
 * would count it.
 */
void td_cost_measure(struct td_thread *thread);

#endif
