/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/sysfs.h"

/*
 * Return true if tdstat has rights that its user does not have, because its file got them
 * with setcap(8) or chmod u+s.
 */
bool td_rights_exceed_user(void);
/* Like getenv(), for variables that name files; NULL if the rights are lent. */
const char *td_rights_getenv(const char *name);
/* Print which variables td_rights_getenv() ignores. */
void td_rights_say_ignored(void);

/*
 * Return true, with a note, if the rights are lent and /proc/kallsyms hides the kernel's
 * addresses from this user: then tdstat must hide them as well.
 */
bool td_rights_hide_kernel(const struct td_sysfs *fs, struct td_notes *notes);

/*
 * Give up capabilities permanently, in this thread and those that it starts.  Open counters stay
 * open.  td_rights_drop() keeps CAP_PERFMON.
 */
int td_rights_drop(struct td_err *err);
int td_rights_drop_all(struct td_err *err);
