/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_REGULAR_FILE_H
#define TD_LIB_SAMPLE_REGULAR_FILE_H

#include "lib/machine/sysfs.h"

/*
 * Opens a file to read, if it is a regular one on a disk: nothing else is opened,
 * because a device may do something then, a fifo waits, and what the kernel tells
 * in files may have no end (/proc/kcore) or is gone once it was read
 * (/proc/kmsg, trace_pipe).  The path is below fs->proc if it is relative.
 * Returns the descriptor, or a negative errno; -EINVAL if it is something else.
 */
int td_regular_open(const struct td_sysfs *fs, const char *path);

/*
 * A path as a process sees it: below "PID/root", or as it is if pid is 0.  Free
 * it; NULL if memory ran out.
 */
char *td_regular_path(int pid, const char *path);

#endif
