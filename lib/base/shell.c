// SPDX-License-Identifier: GPL-2.0-only
/* Quotes words for a shell. */
#include "lib/base/shell.h"

#include <string.h>

#include "lib/base/printable.h"

#define PLAIN                                                            \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"_@%+=:,./-"

bool td_is_plain_shell(const char *text)
{
	return !text[strspn(text, PLAIN " ")];
}

static void put_quoted(FILE *fp, const char *word)
{
	fputc('\'', fp);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", fp);
		else
			fputc(*word, fp);
	}
	fputc('\'', fp);
}

static void put_escaped(FILE *fp, const char *word)
{
	fputs("$'", fp);
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;

		/*
		 * three digits always, so that no digit behind them is taken
		 * for one of theirs
		 */
		if (c < ' ' || c >= 0x7f || c == '\'' || c == '\\')
			fprintf(fp, "\\%03o", c);
		else
			fputc(c, fp);
	}
	fputc('\'', fp);
}

void td_put_shell_word(FILE *fp, const char *word)
{
	if (*word && !word[strspn(word, PLAIN)])
		fputs(word, fp);
	else if (td_is_text(word))
		put_quoted(fp, word);
	else
		put_escaped(fp, word);
}
