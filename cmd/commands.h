/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMMANDS_H
#define TD_CMD_COMMANDS_H

#include "cmd/opts/option.h"

/* All subcommands, then NULL.  The first one runs if none is named. */
extern const struct td_command *const td_commands[];

#endif
