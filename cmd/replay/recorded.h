/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/replay: recordings as sources of results.
 *
 * In: a recording, and the request for it.
 * Out: a struct td_source, like that of a live run.
 */
#pragma once

#include "cmd/plan/measure.h"
#include "cmd/replay/parts.h"
#include "cmd/request.h"
#include "cmd/view/view.h"
#include "lib/recording/recording.h"

/* A recording, its tree, and the source with both.  It must not be moved. */
struct td_recorded {
	struct td_recording rec;
	const struct td_importer *importer;
	struct td_imported imported; /* state of a file of perf stat */
	struct td_request request; /* request for this file; levels default to the recorded ones */
	bool wants_tree;           /* levels or metrics were requested */
	struct td_measure measure; /* empty for events */
	struct td_source source;
};

/* Return the reader of files of other programs; NULL: only recordings can be read. */
const struct td_foreign *td_recorded_foreign(void);
/*
 * Open the recording and read its first line; request must outlive it.  Call
 * td_recorded_close() even after an error.
 */
int td_recorded_open(struct td_recorded *recorded, const char *path,
		     const struct td_request *request, struct td_err *err);
/*
 * Build the tree and fill in the source.  Returns an error if the recording lacks something
 * that was requested.
 */
int td_recorded_measure(struct td_recorded *recorded, struct td_notes *notes, struct td_err *err);
/* Show an interval: these readings, with the times and the range over time of rec. */
int td_recorded_put(const struct td_recording *rec, struct td_view *view,
		    const struct td_readings *delta, uint64_t time_ns, struct td_err *err);
/* After the last interval: warn if a part of the recording is missing. */
void td_recorded_warn(const struct td_recording *rec);
void td_recorded_close(struct td_recorded *recorded);
/*
 * Return an error with the reason if the recording cannot be shown with this aggregation and
 * the requested times.
 */
int td_recorded_check(const struct td_recording *rec, enum td_aggregation how,
		      const struct td_request *request, struct td_err *err);
/*
 * Read with td_recording_next().  Returns an error for counts per thread that are to be
 * shown per CPU, and for counts per CPU that are to be shown per thread.
 */
int td_recorded_next(struct td_recording *rec, enum td_aggregation how, uint64_t *time_ns,
		     struct td_readings *delta, struct td_err *err);
