/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_VIEWER_H
#define TD_CMD_VIEW_VIEWER_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/count/report.h"

struct td_source;
struct td_verdict;

/*
 * Who gets the results of a run in place of a stream: a screen, a server.  All but
 * report() may be NULL, and ready() if fd is -1.  Negative results are errors,
 * which end the counting.
 */
struct td_viewer {
	/* Once, when counting has begun; source is that of all reports. */
	int (*begin)(void *ctx, const struct td_source *source,
		     struct td_err *err);
	/*
	 * Before each report that is not of cgroups: the same counts with
	 * everything in one row a PMU, and what there is to say of it.
	 */
	int (*whole)(void *ctx, const struct td_report *whole,
		     const struct td_verdict *verdict, struct td_err *err);
	/* Each interval's report, which is the caller's. */
	int (*report)(void *ctx, const struct td_report *report,
		      struct td_err *err);
	/*
	 * There is something to read from fd; with *ends set, counting ends as
	 * after a signal.  fd is -1 if there is nothing to wait for.
	 */
	int (*ready)(void *ctx, bool *ends, struct td_err *err);
	int fd;
	void *ctx;
};

#endif
