/* SPDX-License-Identifier: MIT */
/* What the files of the library share. */
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
 * What is counted: a text of lines, which tdstat writes, or the library from
 * sysfs.
 *
 *   tdstat regions 1
 *   read                            RDPMC is not wanted
 *   calls                           in buckets by how long they took, too
 *   group PMU CPUS                  as in sysfs: cpu_core 0-7
 *   width N                         slots in a cycle, of the group above
 *   event KIND TYPE CONFIG CONFIG1 CONFIG2 FLAGS NAME
 *
 * Events belong to the group above them, and the first one leads it.  KIND is s
 * for SLOTS, 0 to 7 for a field of PERF_METRICS, c for any other event; FLAGS
 * has u if only user space is counted, k if only the kernel is, else it is -.
 */

#define TD_GROUP_SPEC_FIRST_LINE "tdstat regions 1"
#define TD_GROUP_SPEC_CPUS       8192

/* Kinds of events. */
enum {
	TD_GROUP_SPEC_PLAIN = -2,
	TD_GROUP_SPEC_SLOTS = -1,
	TD_GROUP_SPEC_FIELD = 0, /* and the next seven */
};

/* What td_read() needs, by the names of events. */
enum {
	TD_READ_SLOTS,
	TD_READ_RETIRING,
	TD_READ_BAD_SPECULATION,
	TD_READ_FRONTEND_BOUND,
	TD_READ_BACKEND_BOUND,
	TD_READ_CYCLES,
	TD_READ_INSTRUCTIONS,
	TD_READ_UOP_DROPPING, /* slots that the frontend did not lose */
	TD_NR_READ,
};

struct td_group_spec_event {
	int kind;
	uint32_t type;
	uint64_t config[3];
	bool user_only, kernel_only;
};

struct td_group_spec_group {
	size_t first, nr; /* of the events */
	bool has_fields;
	int core;           /* TD_CORE and others of tdstat.h */
	unsigned int width; /* slots in a cycle; 0: unknown */
	/* 1 + the event; 0: none.  All count user space only, or none does. */
	uint8_t parts[TD_NR_READ];
	bool parts_user_only;
};

struct td_group_spec {
	struct td_group_spec_event events[TD_REGION_VALUES];
	size_t nr_events;
	struct td_group_spec_group groups[TD_REGION_GROUPS];
	size_t nr_groups;
	bool read_only; /* no RDPMC */
	bool buckets;   /* of calls by how long they took */
	char *text;     /* owned */
	/* 1 + the group of a CPU's kind; 0: none */
	uint8_t group_of_cpu[TD_GROUP_SPEC_CPUS];
};

/* 1 + the group of a CPU's kind; 0: none, or the CPU is not known. */
static inline uint32_t td_group_spec_group_of(const struct td_group_spec *spec, uint32_t cpu)
{
	return cpu < TD_GROUP_SPEC_CPUS ? spec->group_of_cpu[cpu] : 0;
}

/* Parses a text, which it takes.  Returns -1 if it is not one. */
int td_group_spec_parse(struct td_group_spec *spec, char *text);
/*
 * Cycles, instructions and, where sysfs has its events, level 1 of every core PMU,
 * and level 2 where PERF_METRICS has it.  Returns -1 if there is no core PMU.
 */
int td_group_spec_default(struct td_group_spec *spec);

/* --- rseq.c --------------------------------------------------------------- */

/*
 * Reads counters with RDPMC on one kind of core for sure: an Atom core has no
 * PERF_METRICS, and RDPMC of what a core does not have is a general protection
 * fault, which would end the program.
 */

/*
 * Has the thread restartable sequences, which glibc registers since 2.35, and does
 * the processor tell the CPU?
 */
bool td_rseq_works(void);
/* The CPU that the thread is on, with and without them. */
uint32_t td_rseq_cpu(void);
/* The time-stamp counter. */
uint64_t td_rseq_cycles(void);
/*
 * Reads nr counters while the thread is on one CPU and has not been interrupted.
 * selectors: what RDPMC takes.  False: the CPU's element of group_of_cpu was not
 * the wanted one, or the caller is another task with the thread's block, as vfork()
 * and clone() make them; nothing was read.
 */
bool td_rseq_read(const uint8_t *group_of_cpu, uint8_t group, const uint32_t *selectors,
		  uint64_t *values, uint64_t nr);

/* --- pmc.c: reads the counters of a group in user space, by RDPMC --------- */

/* One PMU's group. */
struct td_group_counters {
	int fds[TD_REGION_VALUES];
	struct perf_event_mmap_page *pages[TD_REGION_VALUES];
	size_t nr_pages;    /* up to the last one that is not NULL */
	uint32_t lock;      /* of all pages, at the last read() */
	uint64_t slots_now; /* what SLOTS held at the last look */
	uint64_t enabled_ns, running_ns;
	uint64_t id; /* the kernel's; 0: it is not open */
};

struct td_thread_counters {
	const struct td_group_spec *spec;
	struct td_group_counters groups[TD_REGION_GROUPS];
	uint64_t totals[TD_REGION_VALUES]; /* at the last look */
	/*
	 * When the kernel last set PERF_METRICS to 0, as it does at each read():
	 * the totals, and what the kernel's own counts were.
	 */
	uint64_t before[TD_REGION_VALUES];
	uint64_t counts[TD_REGION_VALUES];
	/* of other events, what is no part of the totals */
	uint64_t skipped[TD_REGION_VALUES];
	uint64_t waited_ns; /* at the last read(): since then it had a CPU */
	bool rdpmc;
	bool user_only; /* as the kernel may not be counted */
};

/* What a look at a group came to. */
enum td_look {
	TD_LOOKED,    /* its totals are those of now */
	TD_ASLEEP,    /* it does not count; its totals may be old */
	TD_DISTURBED, /* only read() can tell */
};

/* Every event of the group that is no field must have its page. */
enum td_look td_pmc_look(struct td_thread_counters *counters, size_t g);
/*
 * Changes whenever the kernel begins or stops to count the group, or counts one of its
 * events elsewhere.
 */
uint32_t td_pmc_lock(const struct td_group_counters *group);

/* --- counters.c ----------------------------------------------------------- */

/*
 * The counters of a thread: a group for each PMU, open from the thread's first
 * region to its end.
 *
 * A region's counts are the difference of two totals: of slots and events as they
 * are, of a field of PERF_METRICS as 255ths of slots.  Both may wrap around.
 */

/* A moment: what was counted until then. */
struct td_moment {
	uint64_t totals[TD_REGION_VALUES];
	uint64_t time_ns;
	uint64_t uncounted_ns; /* the thread ran without its counters */
	uint64_t waited_ns;    /* it had no CPU; only differences are of use */
	/* a field is a 255th of so many slots, but of none for what begins here */
	uint64_t step;
	bool fresh;
	uint32_t switches; /* changes when a group was scheduled */
	uint32_t group;    /* 1 + the one that counts; 0: none */
	uint32_t cpu;      /* UINT32_MAX: unknown */
};

/*
 * Did the thread run without its counters for more than a hundredth of the time
 * between two moments?
 */
bool td_moment_is_lost(const struct td_moment *from, const struct td_moment *to);

/* Sets begin to the first moment.  Returns 0 or a negative errno. */
int td_thread_counters_open(struct td_thread_counters *counters, const struct td_group_spec *spec,
			    struct td_moment *begin);
void td_thread_counters_close(struct td_thread_counters *counters);
/* In a child: closes the parent's, which go on there. */
void td_thread_counters_forget(struct td_thread_counters *counters);
/* Returns 0 or a negative errno. */
int td_thread_counters_look(struct td_thread_counters *counters, struct td_moment *moment);
/*
 * Looks, then sets PERF_METRICS to 0 so that its steps are small again: by read(),
 * which also tells whether the counters ran all of the time.  The moment is fresh.
 */
int td_thread_counters_restart(struct td_thread_counters *counters, struct td_moment *moment);

/* --- region.c: what td_read() makes of two moments ------------------------ */

/* The values of what was counted between two moments; leaves next alone.  Pure. */
void td_interval_fill(struct td_interval *interval, const struct td_group_spec *spec,
		      const struct td_moment *from, const struct td_moment *to);

/* --- resources.c ---------------------------------------------------------- */

/*
 * Memory of a thread, from the kernel.  malloc() is not asked: a mark may come in a
 * signal handler, or in a child of _Fork(), while another holds malloc's locks.
 */

struct td_memory {
	struct td_memory_block *last; /* NULL: nothing was taken */
	size_t left;                  /* bytes at the end of the last block */
};

/* Zeros, aligned for anything; NULL: the kernel has none. */
void *td_memory_take(struct td_memory *memory, size_t size);
/* All that was taken. */
void td_memory_free(struct td_memory *memory);

/*
 * Descriptors that are in nobody's way: above the program's soft limit, where the
 * hard one is higher.  Else at most half of them are taken, from above.
 */
struct td_descriptors {
	size_t nr;
	struct rlimit limit; /* the program's */
	bool above;
};

/*
 * Before nr are opened; 0 or a negative errno.  Until td_descriptors_end() the soft
 * limit is the hard one.  nr counts until td_descriptors_give_back().
 */
int td_descriptors_begin(struct td_descriptors *descriptors, size_t nr);
/* Returns where it is from now on. */
int td_descriptors_move(const struct td_descriptors *descriptors, int fd);
void td_descriptors_end(const struct td_descriptors *descriptors);
void td_descriptors_give_back(size_t nr);
/*
 * In a child of fork(), whose parent may be between begin and end.  It has the
 * parent's descriptors, too.
 */
void td_descriptors_forked(void);

/* --- store.c -------------------------------------------------------------- */

/* The file of a process: mapped, so that what is in it survives the process. */

struct td_store {
	struct td_region_head *head;
	size_t size;
	uint64_t reserved; /* so far the disk has room */
	int fd;
	/* which file it is, as the program may close it and get the number again */
	dev_t dev;
	ino_t ino;
};

/*
 * Makes PREFIX.PID, or PREFIX.PID.1 and so on if that is of a program which the
 * process was before.  buckets: its records have them.  Returns 0 or a negative errno.
 */
int td_store_open(struct td_store *store, const char *prefix, const char *text, size_t nr_values,
		  bool buckets);
/* Sees to room for some records, so that to add them takes no system call. */
void td_store_reserve(struct td_store *store);
/* A new record, or NULL: there is no room, which is noted. */
struct td_region_record *td_store_add(struct td_store *store, const char *name, int tid,
				      enum td_region_kind kind);
void td_store_lose(struct td_store *store, enum td_region_loss why);
/* td_end() of a region that was not begun. */
void td_store_lose_end(struct td_store *store, const char *name);
/* For a child that has a file of its own. */
void td_store_forget(struct td_store *store);

/* Copies of what a call changes; they count for nothing until td_store_commit(). */
struct td_edit {
	struct td_region_record *record;
	struct td_region_calls *calls;
	struct td_region_sum *sum;
	struct td_region_bucket *bucket; /* NULL: none is changed */
	uint32_t side;                   /* of it, which is to hold */
	uint32_t pending;                /* of the record, meanwhile */
};

struct td_edit td_store_edit(const struct td_store *store, struct td_region_record *record);
/*
 * Changes the bucket of calls that took so long, too: its other side is what it was
 * with one call more in its step, and still without a sum.
 */
void td_store_edit_bucket(const struct td_store *store, struct td_edit *edit, uint64_t time_ns);
void td_store_commit(const struct td_store *store, const struct td_edit *edit);

/* --- process.c ------------------------------------------------------------ */

/* What all threads of the process share. */
struct td_process {
	/* Of the process, from 1 on; 0 in a child until td_process_forked(). */
	uint32_t *number;
	bool wiped;      /* the kernel sets it to 0 in whatever child */
	uint32_t forked; /* how many forks are behind it */
	char *prefix;    /* of the files' names; NULL: regions are not counted */
	struct td_group_spec spec;
	struct td_store store;
	struct td_store parents; /* until the child has a file */
	unsigned int every;
	size_t open; /* in a child of fork(): regions that the parent is in */
};

extern struct td_process td_process;

/* Which process it is: differs from that of its parent.  0: it is a new child. */
static inline uint32_t td_process_now(void)
{
	return __atomic_load_n(td_process.number, __ATOMIC_ACQUIRE);
}

/* Reads the environment.  False: regions are not to be counted. */
bool td_process_start(void);
/*
 * What threads need before they are counted, once: what to count, if td_process_start()
 * did not tell.  Returns 0 or a negative errno.
 */
int td_process_prepare(void);
/*
 * In a child, by its first mark or pthread_atfork(), the first of which counts:
 * nothing is the parent's.  open: regions that the parent is in.  False: another
 * thread is at it.
 */
bool td_process_forked(size_t open);
/*
 * Makes the file, once: in a child, by the first thread that is in a region.  A
 * child that may not make one goes on in its parent's.  False if there is none.
 */
bool td_process_has_store(void);
/*
 * Notes in the file, if there is one, that a thread could not open its counters, and a
 * first reason.
 */
void td_process_lacks_counters(int error);

/* --- thread.c: what a thread is in, and the regions that it has seen ------ */

/* A region of one thread. */
struct td_thread_region {
	char *name;                      /* of the thread's memory */
	struct td_region_record *record; /* NULL: there was no room */
	unsigned int every;              /* in the mean, of so many calls one is counted */
	uint64_t to_skip;                /* calls until the next one that is */
	unsigned int open;               /* calls that have not ended */
	uint64_t slow_ns;                /* the least of the slowest calls */
};

/* A call that has not ended. */
struct td_call {
	struct td_thread_region *region;
	bool counted, lost; /* lost: it was to be, but there were no counts */
	struct td_moment begin;
	uint64_t within[TD_REGION_VALUES]; /* of regions directly within */
	uint64_t within_ns, children, nested;
};

struct td_thread {
	struct td_memory memory; /* of all below, too */
	uint32_t process;        /* that of td_process_now() when it was made */
	bool counts;             /* its counters are open */
	int error;               /* else why they are not, a negative errno */
	uint64_t serial;         /* of this thread in this process; never 0 */
	bool busy;               /* a mark is at work: a signal handler's is left out */
	int tid;
	struct td_thread_counters counters;
	uint64_t usual_slots;  /* of a call, lately */
	uint64_t chance;       /* chooses the calls of TDSTAT_EVERY; never 0 */
	struct td_call *calls; /* TD_REGION_DEPTH */
	size_t depth, too_deep;
	struct td_thread_region outside; /* of all regions */
	struct td_call around;           /* since the last sum of the outside */
	struct td_thread_region **names; /* a hash table, at most half full */
	size_t nr_names, room;
	void *calibration; /* what measures the cost of a call works with */
};

/* thread.c: the calling thread's; NULL if it cannot be counted. */
struct td_thread *td_thread_self(void);
/*
 * The same for td_read(), for which the library counts without tdstat, too.  Returns 0
 * or a negative errno.
 */
int td_thread_to_read(struct td_thread **thread);
/* The thread's region of that name; NULL if memory ran out. */
struct td_thread_region *td_thread_region(struct td_thread *thread, const char *name);

/* --- call.c --------------------------------------------------------------- */

/* Calls: what they counted goes to the sums of their region, and from those around. */

/* Begins a call of the region, within those that the thread is in. */
void td_call_begin(struct td_thread *thread, struct td_thread_region *region);
/* Ends the innermost call. */
void td_call_end(struct td_thread *thread);
/* Begins what is outside of all regions, when the thread has its counters. */
void td_call_begin_outside(struct td_thread *thread, const struct td_moment *begin);
/* Adds what was outside until now, as when the thread ends. */
void td_call_end_outside(struct td_thread *thread);

/*
 * cost.c: measures what an empty call counts and takes, once for each kind of core.  Not
 * in a region, which would count it.
 */
void td_cost_measure(struct td_thread *thread);

#endif
