/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what libtdstat counted of the regions of a program: the files PREFIX.PID
 * of its processes (lib/region/layout.h).
 *
 * In: files of processes that may have been killed in the middle.
 * Out: readings of each region in each thread, without what the counting itself
 * cost, and their course.
 */
#ifndef TD_LIB_RECORDING_REGION_FILES_H
#define TD_LIB_RECORDING_REGION_FILES_H

#include "lib/base/err.h"
#include "lib/recording/region_sums.h"

/*
 * Reads the files that there are, which may be none.  values are given.  Returns
 * 0 or a negative errno, which names the file; free even then.
 */
int td_region_files_read(struct td_region_files *files, const char *prefix,
			 struct td_err *err);
void td_region_files_free(struct td_region_files *files);

#endif
