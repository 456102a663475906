/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/list: tdstat list.
 *
 * In: the patterns of the command line.
 * Out: the events and metrics that match, as text or JSON, or how the kernel
 * encodes them (--print).
 */
#ifndef TD_CMD_LIST_LIST_H
#define TD_CMD_LIST_LIST_H

#include "cmd/opts/command.h"

/* tdstat list: what there is to count, or with --print how it is encoded. */
extern const struct td_command td_command_list;

#endif
