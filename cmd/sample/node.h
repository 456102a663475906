/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_NODE_H
#define TD_CMD_SAMPLE_NODE_H

#include "cmd/run/inherited.h"
#include "cmd/sample/choose.h"

/* Did the user name a node, not auto? */
bool td_node_is_named(const struct td_opts *opts);
/*
 * Chooses the events of the node that the options name, or else counts the tree
 * first and takes the node that matters most; says what was not as asked.
 * *status is that of a command that was counted.  Free choice even after an
 * error.
 */
int td_node_find(struct td_choice *choice, const struct td_opts *opts,
		 const struct td_inherited *inherited, int *status,
		 struct td_err *err);

#endif
