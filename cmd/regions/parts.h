/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/regions: counts the regions that a program marks with libtdstat (lib/region).
 *
 * In: a command, and the files that its processes leave.
 * Out: rows of regions, shown and recorded (cmd/sample/result.h).
 */
#ifndef TD_CMD_REGIONS_PARTS_H
#define TD_CMD_REGIONS_PARTS_H

#include "cmd/plan/job.h"
#include "cmd/regions/region_sums.h"
#include "cmd/sample/result.h"

/* --- regions.c --------------------------------------------------------------- */

/* The directory for the files of one run. */
struct td_region_directory {
	char *path; /* NULL: no directory */
	int lock;   /* descriptor of its lock file, which is locked while this process runs */
};

#endif
