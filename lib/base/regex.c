// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/regex.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"

/*
 * glibc's regcomp(3) copies repeated parts.  Its memory grows with the third power of the number of
 * consecutive anchors (\b is several): 2 GB for 64 \b, 62 MB for 32.  It grows with the square of
 * the number of parts that may be empty: 1.3 GB for 12750 "(.?)".  Parentheses use its stack.
 */
#define LENGTH_MAX  256
#define ANCHOR_COST 3200
#define EMPTY_COST  400
#define COST_MAX    ((uint64_t)LENGTH_MAX * EMPTY_COST)

/* Returns the larger number of "{2,5}" and moves *text after it. */
static uint64_t read_repeats(const char **text)
{
	uint64_t max = 1, number;
	char *end;

	do {
		number = strtoul(*text + 1, &end, 10);
		*text = end;
		max = number > max ? number : max;
	} while (*end == ',');
	*text += *end == '}';
	return max < COST_MAX ? max : COST_MAX + 1;
}

static uint64_t cost_of_one(const char *text)
{
	if (*text == '|')
		return EMPTY_COST;
	if (*text == '\\')
		return text[1] && strchr("bB<>`'", text[1]) ? ANCHOR_COST : 1;
	return strchr("^$", *text) ? ANCHOR_COST : 1;
}

/* Skips a character, a set such as "[^]a]", or an escape. */
static const char *skip_one(const char *text)
{
	if (*text == '[') {
		text += text[1] == '^' ? 2 : 1;
		text += *text ? strcspn(text + 1, "]") + 1 : 0;
	} else if (*text == '\\') {
		text++;
	}
	return *text ? text + 1 : text;
}

/* Returns the cost of an expression of at most LENGTH_MAX characters, with all copies. */
static uint64_t cost_of(const char *text)
{
	uint64_t sums[LENGTH_MAX + 1] = { 0 }, last = 0;
	size_t depth = 0;

	while (*text && sums[depth] <= COST_MAX) {
		if (*text == '{') {
			uint64_t nr = read_repeats(&text);

			sums[depth] += last * (nr - 1) + EMPTY_COST;
			last = last * nr + EMPTY_COST;
			continue;
		}
		if (*text == '(') {
			sums[++depth] = last = 0;
		} else if (strchr("*+?", *text)) {
			sums[depth] += EMPTY_COST;
			last += EMPTY_COST;
		} else {
			last = cost_of_one(text);
			if (*text == ')' && depth)
				last = sums[depth--] + EMPTY_COST;
			sums[depth] += last;
		}
		text = skip_one(text);
	}
	return sums[depth];
}

int td_regex_compile(regex_t *regex, const char *text, char *why, size_t size)
{
	bool plain = !text[strcspn(text, "[](){}*+?|^$\\")];
	int rc;

	if (!plain && strlen(text) > LENGTH_MAX) {
		snprintf(why, size, "longer than %d characters", LENGTH_MAX);
		return -EINVAL;
	}
	if (!plain && cost_of(text) > COST_MAX) {
		snprintf(why, size, "too many repetitions or anchors");
		return -EINVAL;
	}
	rc = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	if (!rc)
		return 0;
	if (rc == REG_ESPACE)
		td_memory_fail();
	regerror(rc, regex, why, size);
	return -EINVAL;
}
