/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/list: the subcommand tdstat list.
 *
 * In: the patterns of the command line.
 * Out: the events and metrics that match, as text or JSON, or their encodings
 * (--print).
 */
#ifndef TD_CMD_LIST_LIST_H
#define TD_CMD_LIST_LIST_H

#include "cmd/opts/option.h"

/* tdstat list: prints what can be counted, or with --print its encodings. */
extern const struct td_command td_command_list;

#endif
