/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

/*
 * Sets of capabilities(7), as masks with a bit for each.  The functions get and change the
 * capabilities of the calling thread, which new threads and processes inherit.
 */
#define TD_CAPABILITY(nr) (UINT64_C(1) << (nr))

/* Returns the effective capabilities; 0 if unknown. */
uint64_t td_capabilities(void);
/*
 * Permanently drops all capabilities except kept.  Executed programs inherit none.  Returns 0
 * or -errno.
 */
int td_capabilities_keep(uint64_t kept);

/*
 * Raises this process's limit of open files (RLIMIT_NOFILE), because each event on each
 * CPU is an open file: to the hard limit or, if that is low and the process has
 * CAP_SYS_RESOURCE, to the kernel's maximum.
 *
 * Sets *before to the previous limits.  Returns true if they were changed; the caller must
 * restore them in commands that it starts.
 */
bool td_open_files_raise(struct rlimit *before);
