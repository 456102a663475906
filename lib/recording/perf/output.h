/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/recording/perf: what perf stat -x and -j write.
 *
 * In: their lines (6.1 to 7.2; with or without -I, any aggregation, cgroups).
 * Out: the same struct td_recording that a recording of our own fills, of typed
 * events.  Metrics are left out: they are computed anew.
 */
#ifndef TD_LIB_RECORDING_PERF_OUTPUT_H
#define TD_LIB_RECORDING_PERF_OUTPUT_H

#include "lib/recording/recording.h"

/*
 * Reads rec->fp, which is at its beginning, to its end, and fills rec->perf and
 * all that a recording's first line says.  A last line that was cut off is
 * dropped.  1: it is not perf's, and rec->fp is where it was.  -EINVAL: perf's,
 * but wrong; errors name file and line; as well a pipe that is neither perf's
 * nor a recording.
 */
int td_perf_output_open(struct td_recording *rec, struct td_err *err);
/* As td_recording_next(). */
int td_perf_output_next(struct td_recording *rec, uint64_t *time_ns,
			struct td_readings *readings, struct td_err *err);
/* NULL: nothing. */
void td_perf_output_free(struct td_perf_file *file);

#endif
