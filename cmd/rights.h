/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RIGHTS_H
#define TD_CMD_RIGHTS_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/machine/sysfs.h"

/*
 * True if tdstat has rights that its user has not, because the file got them by
 * setcap(8) or chmod u+s.
 */
bool td_rights_are_lent(void);
/* Like getenv(), for what names files: NULL if the rights are lent. */
const char *td_rights_getenv(const char *name);
/* Says once which variables td_rights_getenv() leaves out. */
void td_rights_say_ignored(void);

/*
 * True if the rights are lent, and /proc/kallsyms shows this user no addresses of
 * the kernel: then neither do we, and a note says so.
 */
bool td_rights_hide_kernel(const struct td_sysfs *fs, struct td_notes *notes);

/*
 * These give up capabilities for good: of this thread and of those that it
 * starts.  Counters that are open stay so.  The first keeps CAP_PERFMON, if we
 * have it.
 */
int td_rights_drop(struct td_err *err);
int td_rights_drop_all(struct td_err *err);

#endif
