/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_IDENTITY_H
#define TD_CMD_PLAN_IDENTITY_H

#include "cmd/out/show.h"
#include "lib/base/err.h"
#include "lib/base/identity.h"
#include "lib/target/target.h"

/*
 * Of this tdstat on this machine, as the user wants it to be told; the command is
 * NULL-terminated, NULL: none.
 */
int td_identity_make(struct td_identity *identity,
		     const struct td_head_ask *ask, char *const *command,
		     struct td_err *err);
/* The same of what a recording tells; target: what it was recorded on. */
int td_identity_ask(struct td_identity *identity, const struct td_head_ask *ask,
		    const struct td_target_name *target, struct td_err *err);

#endif
