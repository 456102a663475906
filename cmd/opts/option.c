// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/option.h"

#include <string.h>

const struct td_option *
td_option_find(const struct td_option_group *const *groups, const char *name,
	       size_t len)
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

const struct td_option *
td_option_find_begin(const struct td_option_group *const *groups,
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

const struct td_option *
td_option_find_letter(const struct td_option_group *const *groups, int letter)
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

static bool wants_argument(const struct td_option *o)
{
	return o && o->arg && !o->optional;
}

bool td_option_takes_next(const struct td_option_group *const *groups,
			  const char *word)
{
	if (word[1] == '-')
		return !strchr(word, '=') &&
		       wants_argument(td_option_find_begin(groups, word + 2,
							   strlen(word + 2)));
	for (; word[1]; word++) {
		if (wants_argument(td_option_find_letter(groups, word[1])))
			return !word[2];
	}
	return false;
}
