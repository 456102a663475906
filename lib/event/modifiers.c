// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/modifiers.h"

#include <string.h>

#define LETTERS "ukhGHIpPSDWeRX"

bool td_are_modifiers(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		/* perf has b for BPF programs */
		if (word[i] != 'b' && !strchr(LETTERS, word[i]))
			return false;
	}
	return len > 0;
}

static bool *flag_of(struct td_modifiers *mods, char letter)
{
	switch (letter) {
	case 'u':
		return &mods->user;
	case 'k':
		return &mods->kernel;
	case 'h':
		return &mods->hypervisor;
	case 'G':
		return &mods->guest;
	case 'H':
		return &mods->host;
	case 'I':
		return &mods->non_idle;
	case 'P':
		return &mods->precise_max;
	case 'S':
		return &mods->sample_read;
	case 'D':
		return &mods->pinned;
	case 'W':
		return &mods->weak;
	case 'e':
		return &mods->exclusive;
	case 'R':
		return &mods->retire_latency;
	case 'X':
		return &mods->dont_regroup;
	default:
		return NULL;
	}
}

const char *td_modifiers_add(struct td_modifiers *mods, char letter)
{
	bool *flag = flag_of(mods, letter);

	if (letter == 'p')
		return ++mods->precise > 3
			       ? "at most three p: ppp is the most precise"
			       : NULL;
	if (letter == 'b')
		return "modifier b: tdstat does not support BPF";
	if (!flag)
		return "no such modifier; the modifiers are " LETTERS;
	if (*flag)
		return "the same modifier twice";
	*flag = true;
	return NULL;
}

const char *td_modifiers_join(struct td_modifiers *mods,
			      const struct td_modifiers *group)
{
	struct td_modifiers from = *group;

	mods->precise += group->precise;
	if (mods->precise > 3)
		return "at most three p, including those of its group";
	for (const char *letter = LETTERS; *letter; letter++) {
		bool *to = flag_of(mods, *letter);

		if (to)
			*to |= *flag_of(&from, *letter);
	}
	return NULL;
}

bool td_modifiers_same_rings(const struct td_modifiers *a,
			     const struct td_modifiers *b)
{
	return a->user == b->user && a->kernel == b->kernel &&
	       a->hypervisor == b->hypervisor && a->guest == b->guest &&
	       a->host == b->host && a->non_idle == b->non_idle;
}

void td_modifiers_copy_rings(struct td_modifiers *to,
			     const struct td_modifiers *from)
{
	struct td_modifiers copy = *from;

	for (const char *letter = TD_RING_LETTERS; *letter; letter++) {
		const bool *value = flag_of(&copy, *letter);
		bool *flag = flag_of(to, *letter);

		if (flag && value)
			*flag = *value;
	}
}

const char *td_modifiers_format(const struct td_modifiers *mods,
				const char *letters,
				char buf[TD_MODIFIERS_SIZE])
{
	struct td_modifiers copy = *mods;
	char *end = buf;

	for (; *letters; letters++) {
		const bool *flag = flag_of(&copy, *letters);
		int nr = *letters == 'p' ? mods->precise : flag && *flag;

		while (nr-- > 0)
			*end++ = *letters;
	}
	*end = '\0';
	return buf;
}
