/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_WHERE_H
#define TD_CMD_SAMPLE_WHERE_H

#include "cmd/out/stack_files.h"
#include "cmd/out/where.h"
#include "cmd/request.h"
#include "cmd/view/view.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/recording/recording.h"
#include "lib/sample/locations.h"
#include "lib/sample/samples.h"
#include "lib/sample/windows.h"

/* What becomes of samples, live or recorded: sums, windows of functions, stacks. */

/* Sets what of the sums the request wants to see. */
void td_where_want(struct td_where *where, const struct td_request *request);
/* Sums up the hits of each event.  Free it even after an error. */
int td_where_make(struct td_where *where, const struct td_plan *plan,
		  const struct td_machine *machine,
		  const struct td_spots *spots, const struct td_hits *hits,
		  struct td_err *err);
/* True if stacks go to standard output, and the table would, too. */
bool td_where_is_displaced(const struct td_request *request);
/* Where the result cannot be left out for them, this is wrong usage. */
int td_where_check_room(const struct td_request *request, struct td_err *err);
void td_where_free(struct td_where *where);

/*
 * Writes them to the files, which are open, and to the page: as wide as their
 * cycles, in the colours of where the slots of functions went by the view's last
 * report.
 */
int td_hues_put_stacks(struct td_view *view, const struct td_spots *spots,
		       const struct td_hits *hits,
		       const struct td_sample_files *files, struct td_err *err);

/* What td_windows_take() fills, and the groups of the plan's events. */
struct td_windows_taker {
	struct td_windows *windows;
	const int *groups;
	/* which are read, and have the longest window; NULL: they are live */
	const struct td_samples *samples;
	struct td_hits
		*hits; /* gets the samples, too; NULL: nobody wants them */
};

/* A td_take_sample, for live samples and recorded ones. */
int td_windows_take(void *ctx, const struct td_record *record, int event,
		    int spot, int caller);

/* --- samples of a recording ----------------------------------------------- */

/* report --locate: shows the samples of a recording whose head was read. */
int td_replay_locate(struct td_recording *rec, const struct td_request *request,
		     struct td_err *err);
/*
 * report --profile: makes regions of the recording of the functions of its
 * samples, and shows them.  Sets *time_ns to the time that they took.
 */
int td_replay_profile(struct td_recording *rec, struct td_view *view,
		      uint64_t *time_ns, const struct td_sample_files *asked,
		      struct td_err *err);

#endif
