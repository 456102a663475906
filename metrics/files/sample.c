// SPDX-License-Identifier: GPL-2.0-only
/* Finds the events that a metric's description names for sampling. */
#include "metrics/files/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INTRODUCTION "Sample with:"

/* An old mark of names for precise events. */
#define PRECISE "_PS"

#define NAME_LETTERS                                                       \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_." \
	";"

/* The length of a name without dots behind it and without its mark. */
static size_t bare_length(const char *name, size_t len)
{
	size_t mark = strlen(PRECISE);

	while (len && name[len - 1] == '.')
		len--;
	if (len > mark && strncmp(name + len - mark, PRECISE, mark) == 0)
		len -= mark;
	return len;
}

int td_sample_names(const char *text, char **out)
{
	size_t left = strspn(text, NAME_LETTERS), len, bare;
	char *end;

	*out = NULL;
	/* "#NA" and the like */
	if (!left || (text[left] && !strchr(" ,", text[left])))
		return 0;
	*out = end = malloc(left + 1);
	if (!end)
		return -ENOMEM;
	for (; left; text += len, left -= len) {
		len = strcspn(text, ";");
		len = len < left ? len : left;
		bare = bare_length(text, len);
		if (bare && end > *out)
			*end++ = ';';
		memcpy(end, text, bare);
		end += bare;
		len += len < left;
	}
	*end = '\0';
	return 0;
}

int td_sample_from_words(const char *desc, char **out)
{
	const char *from = desc ? strstr(desc, INTRODUCTION) : NULL;

	*out = NULL;
	if (!from)
		return 0;
	from += strlen(INTRODUCTION);
	return td_sample_names(from + strspn(from, " "), out);
}
