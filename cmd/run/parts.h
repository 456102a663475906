/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_PARTS_H
#define TD_CMD_RUN_PARTS_H

/* What a run consists of (run.h), each with what it keeps. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/plan/job.h"
#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/count/course.h"
#include "lib/count/latencies.h"
#include "lib/count/readings.h"
#include "lib/counter/counter.h"
#include "lib/machine/sysfs.h"
#include "lib/sample/sampler.h"
#include "lib/target/cgroup.h"
#include "metrics/drill/drill.h"
#include "metrics/eval/eval.h"

/* --- control.c: --control ------------------------------------------------- */

/*
 * The --control option: commands come in, one on each line, and "ack" goes
 * out.  A line ends with a newline or a NUL, and may come in pieces.
 */

/* bytes of a line; a longer one is an unknown command */
#define TD_CONTROL_MAX 4096

enum td_control_word {
	TD_CONTROL_ENABLE,  /* argument: an event's name, or none */
	TD_CONTROL_DISABLE, /* likewise */
	TD_CONTROL_EVLIST,  /* argument: -v, -g, -F or none */
	TD_CONTROL_PING,
	TD_CONTROL_STOP,
	TD_CONTROL_SNAPSHOT,
	TD_CONTROL_UNKNOWN, /* an unknown word, or a wrong argument */
};

/* A command.  The strings are valid until the next call with this control. */
struct td_control_request {
	enum td_control_word word;
	const char *argument; /* not empty; NULL if there is none */
	/* The whole line (may be unprintable), or the start of a long one. */
	const char *line;
};

struct td_control {
	int fd;  /* poll it for POLLIN; -1: none, or closed */
	int ack; /* or -1 */
	bool close_them;
	bool skipping;   /* until the end of a line that is too long */
	size_t from, to; /* range of buf that is not parsed yet */
	char buf[TD_CONTROL_MAX + 2];
};

#define TD_CONTROL_NONE ((struct td_control){ .fd = -1, .ack = -1 })

/*
 * Opens "fd:CTL[,ACK]", inherited descriptors, or "fifo:CTL[,ACK]", paths.  The
 * command inherits the descriptors, too, so it can send commands.  A wrong form
 * is a usage error.  After an error, *control is TD_CONTROL_NONE.
 */
int td_control_open(struct td_control *control, const char *text,
		    struct td_err *err);
/*
 * Reads once; call it when poll() reports anything for control->fd, so that it
 * does not block.  At the end of file, which is no error, and after an error fd
 * becomes -1.  Call td_control_next() afterwards until it returns false.
 */
int td_control_read(struct td_control *control, struct td_err *err);
/* Returns the next line that is not empty, or false. */
bool td_control_next(struct td_control *control,
		     struct td_control_request *request);
/* True if perf answers this command. */
bool td_control_is_acked(enum td_control_word word);
/*
 * Answers, if there is an ack descriptor; never blocks. -EPIPE if the reader
 * has gone, -EAGAIN if it does not read.  SIGPIPE must be ignored.
 */
int td_control_ack(struct td_control *control);
/* Closes opened fifos, but not inherited descriptors. */
void td_control_close(struct td_control *control);

/* --- tally.c: what was read since the last row ---------------------------- */

/* What was read since the last row, and since counting began. */
struct td_tally {
	struct td_readings sum; /* counts since the last row */
	struct td_index index;  /* of sum, for threads, which come and go */
	struct td_course
		course; /* of sum; without points for a table of events */
	/* Times of each event since counting began, if they are kept. */
	struct td_readings all;
	size_t nr_read;              /* number of readings of the last read */
	bool fresh;                  /* its counts are in no row yet */
	bool behind;                 /* it could not read some counters */
	bool ever_enabled, ever_ran; /* for any counter */
};

/*
 * Adds the counts of a read.  Per thread, readings come and go; otherwise all
 * reads give the same readings in the same order, and maybe more behind them.
 * Returns 0 or -ENOMEM.
 */
int td_tally_add(struct td_tally *tally, const struct td_readings *delta,
		 bool per_thread);
/* Adds the times to all, summed over CPUs and threads.  0 or -ENOMEM. */
int td_tally_add_times(struct td_tally *tally, size_t nr_events,
		       const struct td_readings *delta);
/* Begins a new row. */
void td_tally_clear_row(struct td_tally *tally, bool per_thread);
/* The longest time that an event was enabled, if times are kept. */
uint64_t td_tally_enabled_ns(const struct td_tally *tally);
void td_tally_free(struct td_tally *tally);

/* --- drill.c: -l auto ----------------------------------------------------- */

/* -l auto: what is counted changes while it is counted. */
struct td_drilling {
	bool active; /* there is something to choose from */
	struct td_drill drill;
	struct td_evaluation evaluation;
	/* the counts since the last decision, and when that was */
	struct td_readings window;
	struct td_index index;
	uint64_t decided_ns;
	bool switched; /* the last decision changed something */
	bool undone;   /* and that has to be tried again */
};

/* Begins a run whose counters are open; does nothing without -l auto. */
int td_drilling_begin(struct td_drilling *drilling, const struct td_job *job,
		      struct td_err *err);
/* While it is active.  Adds the counts of a read.  Returns 0 or -ENOMEM. */
int td_drilling_add(struct td_drilling *drilling,
		    const struct td_readings *delta);
/* The same, after a read at now_ns: decides if it is time to, and switches groups. */
int td_drilling_decide(struct td_drilling *drilling, const struct td_job *job,
		       struct td_counter *counter, uint64_t now_ns,
		       struct td_err *err);
void td_drilling_end(struct td_drilling *drilling);

/* --- latency.c: samples of retire latencies ------------------------------- */

/*
 * Samples the retire latencies of the job's metrics beside the counters.  Nothing
 * here fails: counting goes on without samples, and the job's notes say so.
 */
struct td_latency_sampling {
	struct td_sampler *sampler; /* NULL: not open */
	struct td_sampling *how;    /* one for each event, like sums */
	struct td_latency *sums;    /* of one read */
	struct td_target target;    /* the job's, with tids of its own */
	struct td_notes unsaid;     /* what only concerns the samples */
	bool tried;                 /* to open it */
	bool on;
};

/*
 * Opens what samples, if there is any, disabled; late: the command runs already,
 * and what it has started meanwhile is sampled, too.
 */
void td_latency_open(struct td_latency_sampling *latency, struct td_job *job,
		     bool late);
void td_latency_enable(struct td_latency_sampling *latency, bool on);
/*
 * While -l auto is active: samples while metrics with latencies are counted, and opens what does
 * so when they are for the first time.
 */
void td_latency_follow(struct td_latency_sampling *latency, struct td_job *job,
		       const struct td_drilling *drilling);
/* Of an open sampler: adds the new samples to all, and gives their means to the tree. */
void td_latency_read(struct td_latency_sampling *latency,
		     const struct td_job *job, struct td_latencies *all);
/* Notes which latencies had too few samples; with -v, prints them all. */
void td_latency_explain(const struct td_latency_sampling *latency,
			struct td_job *job, const struct td_latencies *all);
void td_latency_close(struct td_latency_sampling *latency);

/* --- offline.c: CPUs that go and come, and cgroups that come -------------- */

/* A CPU whose counters went away with it. */
struct td_offline_cpu {
	int cpu;
	uint64_t since_ns; /* it was counted at least up to here */
	bool said;         /* that it went */
	bool refused;      /* it is back, and could not be counted */
};

/* The CPUs that are not counted at the moment. */
struct td_offline {
	struct td_offline_cpu *v;
	size_t nr;
	uint64_t read_ns; /* time of the last read */
};

/*
 * After a read, which was at now_ns: says which CPUs went offline, and counts on
 * those that are back.
 */
int td_offline_follow(struct td_offline *offline, struct td_job *job,
		      struct td_counter *counter, uint64_t now_ns,
		      struct td_err *err);
/* After an error of opening what is there again: notes what would allow it. */
void td_offline_note_rights(struct td_job *job, int rc);
void td_offline_free(struct td_offline *offline);

/* CPUs that were offline when counting began.  All 0 at first. */
struct td_newcomers {
	struct td_ints
		known;      /* online at any time so far; the caller frees it */
	uint64_t looked_ns; /* when we last looked for others */
	/* and the same of cgroups */
	struct td_cgroup_news news;
	uint64_t looked_cgroups_ns;
	bool said_refused; /* that one cannot be counted */
};

/*
 * After a read, with -a: counts from now on on CPUs that have come online, and
 * says so.  Looks for them twice a second at most: short intervals stay cheap.
 */
int td_newcomers_follow(struct td_newcomers *newcomers, struct td_job *job,
			struct td_counter *counter, uint64_t now_ns,
			struct td_err *err);

/*
 * Between two rows, with --for-each-cgroup of who only shows counters: counts from now
 * on in cgroups that the list matches by now, and says so.  The names may move.
 */
void td_newcomers_look_for_cgroups(struct td_newcomers *newcomers,
				   struct td_job *job,
				   struct td_counter *counter, uint64_t now_ns);
void td_newcomers_free(struct td_newcomers *newcomers);

/* --- explain.c: why counts are missing ------------------------------------ */

/* The CPU time of a command that has ended. */
struct td_spent {
	uint64_t used_ns;    /* by the command and its children */
	uint64_t counted_ns; /* while its counters were enabled */
	uint64_t before_ns;  /* before its exec() */
	uint64_t switches;   /* voluntary ones, with its children's */
	uint64_t forks;      /* of all tasks in that time, or UINT64_MAX */
};

/*
 * True if more time is missing than forks and exits explain.  If in doubt,
 * false: the note blames the command.
 */
bool td_is_much_uncounted(const struct td_spent *spent);

/* The last pid that the kernel gave out; 0 if unknown. */
uint64_t td_last_pid(const struct td_sysfs *fs);
/*
 * The number of pids given out in between; UINT64_MAX if they may have wrapped
 * around.
 */
uint64_t td_forks_between(uint64_t first_pid, uint64_t last_pid,
			  uint64_t switches);

#endif
