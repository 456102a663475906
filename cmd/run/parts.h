/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* The parts of a run (run.h), each with its state. */

#include "cmd/plan/job.h"
#include "lib/count/latencies.h"
#include "lib/count/readings.h"
#include "lib/count/timeline.h"
#include "lib/counter/counter.h"
#include "lib/machine/sysfs.h"
#include "lib/sample/sampler.h"
#include "lib/target/cgroup.h"
#include "metrics/drill/drill.h"
#include "metrics/eval/eval.h"

/* How often to try opening counters while threads start and end. */
#define TD_ATTEMPTS 5

/* --- control.c: --control ------------------------------------------------- */

/*
 * The --control option: reads commands, one on each line, and writes "ack".  A line ends
 * with a newline or a NUL, and may arrive in pieces.
 */

/* maximum bytes of a line; a longer one is an unknown command */
#define TD_CONTROL_MAX 4096

enum td_control_word {
	TD_CONTROL_ENABLE,  /* argument: an event's name, or none */
	TD_CONTROL_DISABLE, /* argument: an event's name, or none */
	TD_CONTROL_EVLIST,  /* argument: -v, -g, -F or none */
	TD_CONTROL_PING,
	TD_CONTROL_STOP,
	TD_CONTROL_SNAPSHOT,
	TD_CONTROL_UNKNOWN, /* an unknown word, or a wrong argument */
};

/* A command.  The strings are valid until the next call with this control. */
struct td_control_request {
	enum td_control_word word;
	const char *argument; /* not empty; NULL: none */
	const char *line;     /* the whole line (may be unprintable), or the start of a long one */
};

struct td_control {
	int fd;          /* descriptor to poll for POLLIN; -1: none, or closed */
	int ack;         /* descriptor for answers, or -1 */
	bool owned;      /* td_control_close() closes the descriptors */
	bool skipping;   /* until the end of a line that is too long */
	size_t from, to; /* range of buf that is not parsed yet */
	char buf[TD_CONTROL_MAX + 2];
};

#define TD_CONTROL_NONE ((struct td_control){ .fd = -1, .ack = -1 })

/*
 * Open "fd:CTL[,ACK]", inherited descriptors, or "fifo:CTL[,ACK]", paths.  The command
 * inherits the descriptors as well, so that it can send commands.  A wrong form is a usage
 * error.  After an error, *control is TD_CONTROL_NONE.
 */
int td_control_open(struct td_control *control, const char *text, struct td_err *err);
/*
 * Read once.  Call it when poll() reports anything for control->fd, so that it does not
 * block, and then td_control_next() until that returns false.  Sets fd to -1 after an
 * error, and at the end of file, which is not an error.
 */
int td_control_read(struct td_control *control, struct td_err *err);
/* Get the next line that is not empty.  Returns false if there is none. */
bool td_control_next(struct td_control *control, struct td_control_request *request);
/* Return true if perf answers this command. */
bool td_control_is_acked(enum td_control_word word);
/*
 * Answer, if there is an ack descriptor; never blocks.  SIGPIPE must be ignored.  Returns
 * -EPIPE if the reader has gone, -EAGAIN if it does not read.
 */
int td_control_ack(struct td_control *control);
/* Close opened fifos, but not inherited descriptors. */
void td_control_close(struct td_control *control);

/* --- tally.c: counts since the last row ----------------------------------- */

/* Counts since the last row, and times since counting began. */
struct td_tally {
	struct td_readings sum;      /* counts since the last row */
	struct td_index index;       /* index of sum, for threads, which come and go */
	struct td_timeline timeline; /* reads of sum; empty for a table of events */
	struct td_readings all;      /* times of each event since counting began, if kept */
	size_t nr_read;              /* number of readings of the last read */
	bool fresh;                  /* the counts of the last read are in no row yet */
	bool behind;                 /* the last read could not read some counters */
	bool ever_enabled, ever_ran; /* any counter was enabled, ran */
};

/*
 * Add the counts of a read.  Per thread, readings come and go.  Otherwise, all reads return the
 * same readings in the same order, possibly followed by new ones.
 */
void td_tally_add(struct td_tally *tally, const struct td_readings *delta, bool per_thread);
/* Add the times of a read to tally->all, summed over CPUs and threads. */
void td_tally_add_times(struct td_tally *tally, size_t nr_events, const struct td_readings *delta);
/* Begin a new row. */
void td_tally_clear_row(struct td_tally *tally, bool per_thread);
/* Return the longest time that an event was enabled, if times are kept. */
uint64_t td_tally_enabled_ns(const struct td_tally *tally);
void td_tally_free(struct td_tally *tally);

/* --- drill.c: -l auto ----------------------------------------------------- */

/* State of -l auto, which switches groups while it counts. */
struct td_drilling {
	bool active; /* the tree has families to choose from */
	struct td_drill drill;
	struct td_evaluation evaluation;
	struct td_readings window; /* counts since the last decision */
	struct td_index index;     /* index of window */
	uint64_t decided_ns;       /* time of the last decision */
	bool switched;             /* the last decision changed something */
	bool undone;               /* switching groups has to be tried again */
};

/* Begin a run whose counters are open; does nothing without -l auto. */
void td_drilling_begin(struct td_drilling *drilling, const struct td_job *job);
/* Add the counts of a read.  Call it only while active. */
void td_drilling_add(struct td_drilling *drilling, const struct td_readings *delta);
/*
 * Choose and switch groups if a decision is due.  Call it after each read, at now_ns, while active.
 */
int td_drilling_decide(struct td_drilling *drilling, const struct td_job *job,
		       struct td_counter *counter, uint64_t now_ns, struct td_err *err);
void td_drilling_end(struct td_drilling *drilling);

/* --- latency.c: samples of retire latencies ------------------------------- */

/*
 * Samples for the retire latencies of the job's metrics, taken while counting.  These functions do
 * not fail: on an error, counting continues without samples, with a note.
 */
struct td_latency_sampling {
	struct td_sampler *sampler; /* NULL: not open */
	struct td_sampling *how;    /* one element per event */
	struct td_latency *sums;    /* sums of one read, one per event */
	struct td_target target;    /* copy of the job's target, with its own tids */
	struct td_notes unsaid;     /* notes that are not printed */
	bool tried;                 /* opening was tried */
	bool on;
};

/*
 * Open the sampler, disabled, if the job has events to sample.  late: the command already
 * runs; sample its children as well.
 */
void td_latency_open(struct td_latency_sampling *latency, struct td_job *job, bool late);
void td_latency_enable(struct td_latency_sampling *latency, bool on);
/*
 * Open the sampler when -l auto first counts metrics with latencies, and sample only while it
 * counts them.
 */
void td_latency_follow(struct td_latency_sampling *latency, struct td_job *job,
		       const struct td_drilling *drilling);
/* Add new samples to all, and pass their means to the tree.  The sampler must be open. */
void td_latency_read(struct td_latency_sampling *latency, const struct td_job *job,
		     struct td_latencies *all);
/* Note which latencies had too few samples; with -v, print them all. */
void td_latency_explain(const struct td_latency_sampling *latency, struct td_job *job,
			const struct td_latencies *all);
void td_latency_close(struct td_latency_sampling *latency);

/* --- offline.c: CPUs that go and come back, and new CPUs and cgroups ------- */

/* The CPUs that are not counted at the moment. */
struct td_offline {
	struct td_offline_cpu *v;
	size_t nr;
	uint64_t read_ns; /* time of the last read */
};

/*
 * Print which CPUs went offline, and reopen counters on those that are back.  Call it after a read
 * at now_ns.
 */
void td_offline_follow(struct td_offline *offline, struct td_job *job, struct td_counter *counter,
		       uint64_t now_ns);
/* Note which rights are missing if the error rc of reopening counters is -EACCES. */
void td_offline_note_rights(struct td_job *job, int rc);
void td_offline_free(struct td_offline *offline);

/* CPUs and cgroups that appear while counting.  Initialize it with 0. */
struct td_newcomers {
	struct td_ints known; /* CPUs online at any time so far */
	uint64_t looked_ns;   /* time of the last look for CPUs */
	struct td_new_cgroups cgroups;
	uint64_t looked_cgroups_ns; /* time of the last look for cgroups */
	bool said_refused;          /* a message said that a cgroup cannot be counted */
};

/*
 * Start to count on CPUs that have come online, and print them.  Call it with -a, after a read.
 * Looks for CPUs at most twice a second, so that short intervals stay cheap.
 */
int td_newcomers_follow(struct td_newcomers *newcomers, struct td_job *job,
			struct td_counter *counter, uint64_t now_ns, struct td_err *err);

/*
 * Start to count in new cgroups that the list matches, and print them.  Call it between two rows,
 * with --for-each-cgroup on a screen or with exported counters.  Looks every few seconds, or at
 * once if has_new is true.  May move the array of cgroup names.
 */
void td_newcomers_look_for_cgroups(struct td_newcomers *newcomers, struct td_job *job,
				   struct td_counter *counter, uint64_t now_ns, bool has_new);
void td_newcomers_free(struct td_newcomers *newcomers);
/*
 * Start to count in a cgroup of the target that was added, or whose descriptor has changed; counter
 * is NULL if all cgroups are counted.  Returns -ENOENT if the kernel does not count in it.
 */
int td_count_cgroup(const struct td_job *job, struct td_counter *counter, size_t index, bool added);

/* State of a sampler's CPUs. */
struct td_sampled_cpus {
	struct td_ints gone; /* CPUs that were reported as offline */
	uint64_t start_ns;   /* when sampling began; set by the owner */
	uint64_t looked_ns;  /* last check for CPUs that come online */
};

/*
 * With -a or -C, call after the rings were read: also samples on CPUs that are online again or,
 * with -a, for the first time, and reports these, as "sampled" or another verb.  Looks for them
 * at most twice per second.
 */
void td_sampled_cpus_follow(struct td_sampled_cpus *cpus, struct td_job *job,
			    struct td_sampler *sampler, const char *verb);

/* --- explain.c: why counts are missing ------------------------------------ */

/* CPU time of a command that has ended. */
struct td_spent {
	uint64_t used_ns;    /* time of the command and its children */
	uint64_t counted_ns; /* time with counters enabled */
	uint64_t before_ns;  /* time before exec() */
	uint64_t switches;   /* voluntary context switches, including the children's */
	uint64_t forks;      /* forks on the machine in that time; UINT64_MAX: unknown */
};

/*
 * Return true if more time is missing than forks and exits explain.  Returns false in doubt,
 * because the note blames the command.
 */
bool td_is_much_uncounted(const struct td_spent *spent);

/* Return the last pid that the kernel assigned; 0 if unknown. */
uint64_t td_last_pid(const struct td_sysfs *fs);
/* Return the number of pids assigned from first to last; UINT64_MAX: they may have wrapped. */
uint64_t td_forks_between(uint64_t first_pid, uint64_t last_pid, uint64_t switches);
