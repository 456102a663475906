/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMMANDS_H
#define TD_CMD_COMMANDS_H

#include "cmd/opts/option.h"

/*
 * Returns all subcommands, with the options that wings add.  The list ends with NULL.  The first
 * one runs if none is named.
 */
const struct td_command *const *td_commands(void);

#endif
