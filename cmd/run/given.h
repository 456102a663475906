/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_GIVEN_H
#define TD_CMD_RUN_GIVEN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "lib/base/err.h"

/* What we were started with, and have changed for ourselves. */
struct td_given {
	sigset_t mask; /* td_waiter_open() fills it in */
	bool sigchld_ignored;
	struct rlimit nofile;
};

/* Lets children have a status, and raises the limit of descriptors. */
void td_given_take(struct td_given *given);
/* In a child, before its exec(): all of it is as it was. */
void td_given_back(const struct td_given *given);
/* An error for want of descriptors gets a hint, if it has none. */
void td_given_hint(struct td_err *err);

#endif
