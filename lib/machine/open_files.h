/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_OPEN_FILES_H
#define TD_LIB_MACHINE_OPEN_FILES_H

#include <stdbool.h>
#include <sys/resource.h>

/*
 * Raises this process's limit of open files (RLIMIT_NOFILE) as far as it may:
 * up to the hard limit, or, with CAP_SYS_RESOURCE and a hard limit that is low,
 * up to the kernel's own.  Each event on each CPU is an open file.
 *
 * *before is set to the limits as they were.  Returns true if they are others
 * now, which commands must not inherit.
 */
bool td_open_files_raise(struct rlimit *before);

#endif
