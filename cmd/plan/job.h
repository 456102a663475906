/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/plan: decides from a request what to count.
 *
 * In: struct td_request.
 * Out: struct td_job: the machine (select.h), the target (target.h), and the
 * plan with the tree of metrics (measure.h) or with the events that were typed
 * (events.h).  No counter is opened; --dry-run shows which would be (dry_run.h).
 */
#ifndef TD_CMD_PLAN_JOB_H
#define TD_CMD_PLAN_JOB_H

#include "cmd/plan/measure.h"
#include "cmd/request.h"
#include "lib/base/err.h"
#include "lib/base/identity.h"
#include "lib/event/spec.h"
#include "lib/plan/plan.h"

/* What to count, where, and why not all that was asked for. */
struct td_job {
	const struct td_request *request;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_target target;
	struct td_event_text text; /* of -e */
	struct td_measure measure; /* without -e */
	uint64_t tsc_hz;           /* of the time-stamp counter; 0: unknown */
	struct td_tree *tree;      /* of measure, or NULL with -e */
	struct td_plan plan;
	/* what samples retire latencies, a group for each event; may be empty */
	struct td_plan sampled;
	struct td_place *places; /* NULL: not read yet */
	bool has_caches;         /* the places do */
	char *held; /* the counters that others have: td_held_text() */
	struct td_notes notes;
	struct td_identity identity; /* as the user wants it to be told */
};

/* Plans what the request asks for.  Call td_job_free() even after an error. */
int td_job_plan(struct td_job *job, const struct td_request *request,
		struct td_err *err);
/* The same, as if the NMI watchdog had no counter. */
int td_job_plan_unwatched(struct td_job *job, const struct td_request *request,
			  struct td_err *err);
void td_job_free(struct td_job *job);

/*
 * Reads the places of the online CPUs, if that was not done, and with caches
 * also which caches they share.
 */
int td_job_read_places(struct td_job *job, bool caches, struct td_err *err);

/*
 * Adds CPUs that have come online, as td_machine_add_cpus() does, and their
 * places, if those of the others were read.
 */
int td_job_add_cpus(struct td_job *job, const struct td_ints *cpus,
		    struct td_ints *added, struct td_err *err);

/*
 * Makes one group of all those of a PMU, for counting without turns.  A note for each
 * PMU names the nodes, or the events, that have no value for it.
 */
int td_job_join(struct td_job *job, struct td_err *err);
/* Is one of its events of a PMU of this kind? */
bool td_job_has_kind(const struct td_job *job, enum td_pmu_kind kind);
/* Prints a message to standard error, unless --quiet. */
void td_job_say(const struct td_job *job, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints the notes that were not printed yet, unless --quiet. */
void td_job_say_notes(struct td_job *job);

#endif
