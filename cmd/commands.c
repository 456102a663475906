// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of subcommands.  To add one, write a file that defines its
 * struct td_command as td_command_NAME, and add a line to this list.
 */
#include "cmd/commands.h"

/* clang-format off */
#define COMMANDS(row) \
	row(stat) \
	row(record) \
	row(report) \
	row(diff) \
	row(regions) \
	row(top) \
	row(locate) \
	row(profile) \
	row(calls) \
	row(serve) \
	row(list) \
	row(explain) \
	row(doctor) \
	row(help)
/* clang-format on */

#define DECLARE(name) extern const struct td_command td_command_##name;
#define POINT(name)   &td_command_##name,

COMMANDS(DECLARE)

const struct td_command *const td_commands[] = { COMMANDS(POINT) NULL };
