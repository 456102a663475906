/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_WINDOWS_H
#define TD_CMD_SAMPLE_WINDOWS_H

#include "lib/sample/locations.h"
#include "lib/sample/samples.h"
#include "lib/sample/windows.h"

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

#endif
