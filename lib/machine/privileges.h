/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_PRIVILEGES_H
#define TD_LIB_MACHINE_PRIVILEGES_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

/*
 * Sets of capabilities(7), a bit each.  They are those of the thread that calls
 * these functions; threads and processes that it starts later begin with them.
 */
#define TD_CAPABILITY(nr) (UINT64_C(1) << (nr))

/* Those that are effective; 0 if the kernel does not tell. */
uint64_t td_capabilities(void);
/*
 * Gives up all but these, for good, and lets programs that are started inherit
 * none.  0 or -errno.
 */
int td_capabilities_keep(uint64_t kept);

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
