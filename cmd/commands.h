/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMMANDS_H
#define TD_CMD_COMMANDS_H

#include "cmd/opts/command.h"

/* All subcommands; the first is what tdstat does without one.  Ends with NULL. */
extern const struct td_command *const td_commands[];

#endif
