/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/plan: decides from a request what to count.
 *
 * In: struct td_request.
 * Out: struct td_job: the machine (select.h), the target, and the plan with the tree of
 * metrics (measure.h) or with typed events.  No counter is opened; --dry-run shows the
 * planned ones (dry_run.h).
 */
#pragma once

#include "cmd/output/show.h"
#include "cmd/plan/measure.h"
#include "cmd/request.h"
#include "lib/base/identity.h"
#include "lib/event/spec.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/* The plan of a run, with notes on what cannot be counted. */
struct td_job {
	const struct td_request *request;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_target target;
	struct td_event_text text; /* of -e */
	struct td_measure measure; /* without -e */
	uint64_t tsc_hz;           /* frequency of the time-stamp counter; 0: unknown */
	struct td_tree *tree;      /* the tree of measure, or NULL with -e */
	struct td_plan plan;
	/* events that sample retire latencies; may be empty */
	struct td_plan sampled;
	struct td_place *places; /* NULL: not read yet */
	bool has_caches;         /* places includes the caches */
	char *held;              /* counters of other programs: td_held_text() */
	struct td_notes notes;
	struct td_identity identity; /* as requested by --label and --no-host */
};

/* Plan the request.  Call td_job_free() on error as well. */
int td_job_plan(struct td_job *job, const struct td_request *request, struct td_err *err);
/* Plan the request without the counters of other programs, which td_find_held() set in found. */
int td_job_plan_beside(struct td_job *job, const struct td_request *request,
		       const struct td_machine *found, struct td_err *err);
void td_job_free(struct td_job *job);

/*
 * Read the places of the online CPUs, and with caches also which caches they share, unless
 * they have been read.
 */
int td_job_read_places(struct td_job *job, bool caches, struct td_err *err);

/*
 * Add CPUs that have come online, like td_machine_add_cpus().  Add their places, too, if those of
 * the other CPUs were read.
 */
int td_job_add_cpus(struct td_job *job, const struct td_ints *cpus, struct td_ints *added,
		    struct td_err *err);

/*
 * Join all groups of a PMU into one, which is not multiplexed.  A note for each PMU names the
 * nodes or events that lose their values by this.
 */
int td_job_join(struct td_job *job, struct td_err *err);
/* Is an event of the job counted by a PMU of this kind? */
bool td_job_has_kind(const struct td_job *job, enum td_pmu_kind kind);
/* Print a message to standard error, unless --quiet. */
void td_job_say(const struct td_job *job, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Print the notes that were not printed yet, unless --quiet. */
void td_job_say_notes(struct td_job *job);

/* Make the identity of this run; command is NULL-terminated, or NULL. */
void td_identity_make(struct td_identity *identity, const struct td_head_ask *ask,
		      char *const *command);
/* Apply the options to the identity of a recording, whose target is given. */
void td_identity_ask(struct td_identity *identity, const struct td_head_ask *ask,
		     const struct td_target_name *target);
