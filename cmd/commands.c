// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of subcommands.  A new one is a file with its struct td_command,
 * td_command_NAME, and a line in this list.
 */
#include "cmd/commands.h"

/* clang-format off */
#define COMMANDS(row) \
	row(stat) \
	row(record) \
	row(report) \
	row(list) \
	row(help)
/* clang-format on */

#define DECLARE(name) extern const struct td_command td_command_##name;
#define POINT(name)   &td_command_##name,

COMMANDS(DECLARE)

const struct td_command *const td_commands[] = { COMMANDS(POINT) NULL };
