// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/wing.h"
#include "lib/base/memory.h"

const struct td_option *td_option_find(const struct td_option_group *const *groups,
				       const char *name, size_t len)
{
	const struct td_option_group *const *group;
	const struct td_option *o;

	td_for_each_option(groups, group, o)
	{
		if (strlen(o->name) == len && strncmp(o->name, name, len) == 0)
			return o;
	}
	return NULL;
}

const struct td_option *td_option_find_begin(const struct td_option_group *const *groups,
					     const char *name, size_t len)
{
	const struct td_option_group *const *group;
	const struct td_option *o;

	td_for_each_option(groups, group, o)
	{
		if (strncmp(o->name, name, len) == 0)
			return o;
	}
	return NULL;
}

const struct td_option *td_option_find_letter(const struct td_option_group *const *groups,
					      int letter)
{
	const struct td_option_group *const *group;
	const struct td_option *o;

	td_for_each_option(groups, group, o)
	{
		if (o->letter == letter)
			return o;
	}
	return NULL;
}

static bool needs_argument(const struct td_option *o)
{
	return o && o->arg && !o->optional;
}

bool td_option_takes_next(const struct td_option_group *const *groups, const char *word)
{
	if (word[1] == '-')
		return !strchr(word, '=') &&
		       needs_argument(td_option_find_begin(groups, word + 2, strlen(word + 2)));
	for (; word[1]; word++) {
		if (needs_argument(td_option_find_letter(groups, word[1])))
			return !word[2];
	}
	return false;
}

/* --- subcommands ---------------------------------------------------------- */

const char *td_command_title(const struct td_command *command,
			     const struct td_command *const *commands, char title[TD_TITLE_SIZE])
{
	bool first = command == commands[0];

	snprintf(title, TD_TITLE_SIZE, "tdstat%s%s", first ? "" : " ", first ? "" : command->name);
	return title;
}

const struct td_command *td_command_find(const struct td_command *const *commands, const char *name)
{
	while (*++commands) {
		if (strcmp((*commands)->name, name) == 0)
			return *commands;
	}
	return NULL;
}

const struct td_option_group **td_command_join_groups(const struct td_command *const *commands)
{
	const struct td_option_group **all, *const *group;
	size_t nr = 1;

	for (const struct td_command *const *c = commands; *c; c++) {
		for (group = (*c)->groups; *group; group++)
			nr++;
	}
	all = td_calloc(nr, sizeof(const struct td_option_group *));
	nr = 0;
	for (; *commands; commands++) {
		for (group = (*commands)->groups; *group; group++)
			all[nr++] = *group;
	}
	return all;
}

const struct td_addition *td_addition_wanted(const struct td_opts *opts)
{
	for (size_t i = 0; td_wings[i]; i++) {
		const struct td_addition *a = td_wings[i]->additions;

		for (; a && a->command; a++) {
			if (a->is_wanted && strcmp(a->command, opts->chosen->name) == 0 &&
			    a->is_wanted(opts))
				return a;
		}
	}
	return NULL;
}
