// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *td_command_title(const struct td_command *command,
			     const struct td_command *const *commands,
			     char title[TD_TITLE_SIZE])
{
	bool first = command == commands[0];

	snprintf(title, TD_TITLE_SIZE, "tdstat%s%s", first ? "" : " ",
		 first ? "" : command->name);
	return title;
}

const struct td_command *
td_command_find(const struct td_command *const *commands, const char *name)
{
	while (*++commands) {
		if (strcmp((*commands)->name, name) == 0)
			return *commands;
	}
	return NULL;
}

const struct td_option_group **
td_command_join_groups(const struct td_command *const *commands)
{
	const struct td_option_group **all, *const *group;
	size_t nr = 1;

	for (const struct td_command *const *c = commands; *c; c++) {
		for (group = (*c)->groups; *group; group++)
			nr++;
	}
	all = calloc(nr, sizeof(const struct td_option_group *));
	nr = 0;
	for (; all && *commands; commands++) {
		for (group = (*commands)->groups; *group; group++)
			all[nr++] = *group;
	}
	return all;
}
