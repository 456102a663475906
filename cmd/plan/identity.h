/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_IDENTITY_H
#define TD_CMD_PLAN_IDENTITY_H

#include "cmd/output/show.h"
#include "lib/base/err.h"
#include "lib/base/identity.h"
#include "lib/target/target.h"

/* Make the identity of this run; command is NULL-terminated, or NULL. */
void td_identity_make(struct td_identity *identity, const struct td_head_ask *ask,
		      char *const *command);
/* Apply the options to the identity of a recording, whose target is given. */
void td_identity_ask(struct td_identity *identity, const struct td_head_ask *ask,
		     const struct td_target_name *target);

#endif
