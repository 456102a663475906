/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/recording/perf: what perf stat -x and -j write.
 *
 * In: their lines.
 * Out: the text of a recording, for lib/recording to read.
 */
#ifndef TD_LIB_RECORDING_PERF_OUTPUT_H
#define TD_LIB_RECORDING_PERF_OUTPUT_H

#include <stdio.h>

#include "lib/base/err.h"

/*
 * What perf stat -x or -j wrote (6.1 to 7.2; with or without -I, any
 * aggregation, cgroups) as a recording of typed events, on out.  path: for
 * errors, which name it and the line.  Metrics are left out: they are computed
 * anew.  A last line that was cut off is dropped, and the end line with it.
 * 1: neither of the two; nothing was written.
 */
int td_perf_output_convert(FILE *in, const char *path, FILE *out,
			   struct td_err *err);

/*
 * *fp, at its beginning: a stream that is perf's becomes one of a recording,
 * and the old one is closed unless it is stdin.  Anything else is left as it
 * is.  -EINVAL as well for a pipe that is neither.
 */
int td_perf_output_open(FILE **fp, const char *path, struct td_err *err);

#endif
