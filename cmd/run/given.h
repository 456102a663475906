/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_GIVEN_H
#define TD_CMD_RUN_GIVEN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "lib/base/err.h"

/* Process state that we inherited and changed, to restore it in children. */
struct td_given {
	sigset_t mask; /* set by td_waiter_open() */
	bool sigchld_ignored;
	struct rlimit nofile;
};

/* Stops ignoring SIGCHLD and raises the limit of open files. */
void td_given_take(struct td_given *given);
/* Restores the state in a child before its exec(). */
void td_given_back(const struct td_given *given);
/* Adds a hint to an error for lack of descriptors, unless it has one. */
void td_given_hint(struct td_err *err);

#endif
