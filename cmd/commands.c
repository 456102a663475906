// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of subcommands.  To add one to the core, write a file that defines its
 * struct td_command as td_command_NAME, and add a line to one of these lists.  The
 * subcommands of wings (cmd/wing.h) are listed between the two.
 */
#include "cmd/commands.h"

#include <assert.h>

#include "cmd/wing.h"
#include "lib/base/util.h"

/* clang-format off */
#define FIRST(row) \
	row(stat) \
	row(record) \
	row(report) \
	row(diff) \
	row(locate) \
	row(profile)
#define LAST(row) \
	row(list) \
	row(explain) \
	row(doctor) \
	row(help)
/* clang-format on */

#define DECLARE(name) extern const struct td_command td_command_##name;
#define POINT(name)   &td_command_##name,

FIRST(DECLARE)
LAST(DECLARE)

static const struct td_command *const first[] = { FIRST(POINT) };
static const struct td_command *const last[] = { LAST(POINT) };

#define MAX_COMMANDS 32
#define MAX_GROUPS   40 /* groups of options of a subcommand */

/* A subcommand of the core with the options that wings add. */
struct extended {
	struct td_command command;
	const struct td_option_group *groups[MAX_GROUPS + 1];
};

static void add(struct extended *extended, size_t *nr, const struct td_addition *addition)
{
	struct td_command *command = &extended->command;

	if (strcmp(addition->command, command->name) != 0)
		return;
	assert(*nr < MAX_GROUPS);
	extended->groups[(*nr)++] = addition->group;
	if (addition->args)
		command->args = addition->args;
	if (addition->examples)
		command->examples = addition->examples;
}

static void extend(struct extended *extended, const struct td_command *command)
{
	size_t nr = 0;

	extended->command = *command;
	extended->command.groups = extended->groups;
	for (; command->groups[nr]; nr++)
		extended->groups[nr] = command->groups[nr];
	for (size_t i = 0; td_wings[i]; i++) {
		const struct td_addition *a = td_wings[i]->additions;

		for (; a && a->command; a++)
			add(extended, &nr, a);
	}
}

const struct td_command *const *td_commands(void)
{
	static struct extended core[TD_ARRAY_SIZE(first) + TD_ARRAY_SIZE(last)];
	static const struct td_command *all[MAX_COMMANDS + 1];
	size_t nr = 0, nr_core = 0;

	if (all[0])
		return all;
	for (size_t i = 0; i < TD_ARRAY_SIZE(first); i++, nr_core++) {
		extend(&core[nr_core], first[i]);
		all[nr++] = &core[nr_core].command;
	}
	for (size_t i = 0; td_wings[i]; i++) {
		if (td_wings[i]->command)
			all[nr++] = td_wings[i]->command;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(last); i++, nr_core++) {
		extend(&core[nr_core], last[i]);
		all[nr++] = &core[nr_core].command;
	}
	assert(nr <= MAX_COMMANDS);
	return all;
}
