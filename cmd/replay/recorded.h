/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/replay: recordings as sources of results.
 *
 * In: a recording, and what is asked of it.
 * Out: a struct td_source, as a live run has one.
 */
#ifndef TD_CMD_REPLAY_RECORDED_H
#define TD_CMD_REPLAY_RECORDED_H

#include "cmd/plan/measure.h"
#include "cmd/replay/parts.h"
#include "cmd/request.h"
#include "cmd/view/view.h"
#include "lib/base/err.h"
#include "lib/recording/recording.h"

/* A recording, its tree, and the source that both are.  It must not be moved. */
struct td_recorded {
	struct td_recording rec;
	struct td_imported imported; /* if perf stat wrote it */
	/* what is asked of it, by its name; levels as recorded, unless given */
	struct td_request request;
	bool wants_tree;           /* somebody asked for levels or metrics */
	struct td_measure measure; /* of events: empty */
	struct td_source source;
};

/*
 * Opens the recording and reads its first line; asked must outlive it.  Close it
 * even after an error.
 */
int td_recorded_open(struct td_recorded *recorded, const char *path,
		     const struct td_request *asked, struct td_err *err);
/*
 * Builds the tree, and fills in the source.  An error if the recording does not
 * have what is asked for.
 */
int td_recorded_measure(struct td_recorded *recorded, struct td_notes *notes,
			struct td_err *err);
/* Shows an interval that was read, of which the recording has the rest. */
int td_recorded_put(const struct td_recording *rec, struct td_view *view,
		    const struct td_readings *delta, uint64_t time_ns,
		    struct td_err *err);
/* After its end was reached: says on standard error if a part is missing. */
void td_recorded_warn(const struct td_recording *rec);
void td_recorded_close(struct td_recorded *recorded);

/* What a recording cannot be shown as is an error, which says why. */

/* By this aggregation, and with the times that are asked for. */
int td_recorded_check(const struct td_recording *rec, enum td_aggregation how,
		      const struct td_request *request, struct td_err *err);
/*
 * td_recording_next(), and its errors.  Counts of threads cannot be shown per CPU,
 * nor those of CPUs per thread.
 */
int td_recorded_next(struct td_recording *rec, enum td_aggregation how,
		     uint64_t *time_ns, struct td_readings *delta,
		     struct td_err *err);

#endif
