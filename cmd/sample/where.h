/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/output/stack_files.h"
#include "cmd/output/where.h"
#include "cmd/request.h"
#include "cmd/view/view.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/recording/recording.h"
#include "lib/sample/hits.h"
#include "lib/sample/samples.h"
#include "lib/sample/windows.h"

/* Evaluates samples, live or recorded: sums, sample pairs of functions, stacks. */

/* Sets which details the request wants to see. */
void td_where_want(struct td_where *where, const struct td_request *request);
/* Sums up the hits of each event. */
void td_where_make(struct td_where *where, const struct td_plan *plan,
		   const struct td_machine *machine, const struct td_locations *locations,
		   const struct td_hits *hits);
/* Returns true if stacks go to standard output, where the table would go. */
bool td_where_is_displaced(const struct td_request *request);
/* Returns a usage error if stacks displace a table that the command always prints. */
int td_where_check_room(const struct td_request *request, struct td_err *err);
void td_where_free(struct td_where *where);

/*
 * Writes stacks to the open files, and to the page.  The width of a stack is its number of cycles.
 * The colour of a function is the level 1 node with most of its slots in the last report of the
 * view.
 */
int td_hues_put_stacks(struct td_view *view, const struct td_locations *locations,
		       const struct td_hits *hits, const struct td_sample_files *files,
		       struct td_err *err);

/* The ctx of td_windows_take(). */
struct td_windows_taker {
	struct td_windows *windows;
	const int *groups;                /* the group of each event of the plan */
	const struct td_samples *samples; /* a recording's, for longest_ns; or NULL */
	struct td_hits *hits;             /* hits, which also get the samples; or NULL */
};

/* A td_take_sample for live and recorded samples. */
void td_windows_take(void *ctx, const struct td_record *record, int event, int location,
		     int caller);

/* --- samples of a recording ----------------------------------------------- */

/* Shows the samples of a recording whose header was read (report --locate). */
int td_replay_locate(struct td_recording *rec, const struct td_request *request,
		     struct td_err *err);
/*
 * Makes regions of the functions of a recording's samples, and shows them (report --profile).
 * Sets *time_ns to the time of the recording.
 */
int td_replay_profile(struct td_recording *rec, struct td_view *view, uint64_t *time_ns,
		      const struct td_sample_files *asked, struct td_err *err);
