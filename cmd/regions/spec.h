/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REGIONS_SPEC_H
#define TD_CMD_REGIONS_SPEC_H

#include <stdio.h>

#include "cmd/plan/job.h"
#include "lib/recording/region_sums.h"

/* What libtdstat is to count, in the order of its files. */
struct td_region_spec {
	struct td_region_value values[TD_REGION_VALUES];
	size_t nr;
};

/* An error if it cannot count what the job plans. */
int td_region_spec_make(struct td_region_spec *spec, const struct td_job *job,
			struct td_err *err);
/*
 * Writes the text that lib/region/parts.h describes, with the same events in the
 * same order.  The caller checks fp for errors.
 */
void td_region_spec_write(FILE *fp, const struct td_job *job);

#endif
