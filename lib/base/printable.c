// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/printable.h"

#include <limits.h>

#include "lib/base/util.h"

#define ESCAPED_WIDTH 4 /* columns of \x1b */

/*
 * Ranges of the first byte of UTF-8 characters, with their length and the range of the second byte.
 * The ranges exclude overlong forms, surrogates and code points above U+10FFFF (RFC 3629, 4).
 */
static const struct lead {
	unsigned char first, last;
	size_t len;
	unsigned char min, max;
} leads[] = {
	{ 0x00, 0x7f, 1, 0, 0 },       { 0xc2, 0xdf, 2, 0x80, 0xbf }, { 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf }, { 0xed, 0xed, 3, 0x80, 0x9f }, { 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf }, { 0xf1, 0xf3, 4, 0x80, 0xbf }, { 0xf4, 0xf4, 4, 0x80, 0x8f },
};

/* Characters that are not printable. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x00, 0x1f },
	{ 0x7f, 0x9f }, /* control characters */
	/*
	 * Bidi_Control of Unicode's PropList.txt changes the direction of text; U+2028 and
	 * U+2029 end a line for some readers of CSV and JSON
	 */
	{ 0x61c, 0x61c },
	{ 0x200e, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2066, 0x2069 },
	{ 0xfffe, 0xffff }, /* not characters, not allowed in XML */
};

static const struct lead *find_lead(unsigned char c)
{
	const struct lead *lead = leads;
	const struct lead *end = leads + TD_ARRAY_SIZE(leads);

	while (lead < end && (c < lead->first || c > lead->last))
		lead++;
	return lead < end ? lead : NULL;
}

static uint32_t decode(const unsigned char *s, size_t len)
{
	uint32_t code = len > 1 ? s[0] & 0x7fU >> len : s[0];

	for (size_t i = 1; i < len; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

/* Returns the length of the character at s; 0 if it is not UTF-8 or is cut off. */
static size_t length(const unsigned char *s, size_t size)
{
	const struct lead *lead = find_lead(*s);

	if (!lead || lead->len > size)
		return 0;
	if (lead->len > 1 && (s[1] < lead->min || s[1] > lead->max))
		return 0;
	for (size_t i = 2; i < lead->len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return lead->len;
}

static bool is_hidden(uint32_t code)
{
	size_t i = 0;

	while (i < TD_ARRAY_SIZE(hidden) && code > hidden[i].last)
		i++;
	return i < TD_ARRAY_SIZE(hidden) && code >= hidden[i].first;
}

/* Returns the length of the character at s; 0 if it is not printable. */
static size_t printable(const unsigned char *s, size_t size)
{
	size_t len = length(s, size);

	return len && is_hidden(decode(s, len)) ? 0 : len;
}

size_t td_unprintable(const char *text, uint32_t *code)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = length(s, SIZE_MAX);

	*code = len ? decode(s, len) : *s;
	return len;
}

/* Like td_printable_span(), for size bytes.  Adds the number of columns to *width. */
static size_t span(const char *text, size_t size, int *width)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t at = 0, len;

	while (at < size) {
		size_t first = at;

		/* the fast path: plain ASCII */
		while (at < size && s[at] >= ' ' && s[at] < 0x7f)
			at++;
		*width += (int)(at - first);
		len = at < size ? printable(s + at, size - at) : 0;
		if (!len)
			break;
		at += len;
		++*width;
	}
	return at;
}

/* The NUL at the end stops span(), because it is not printable and not inside a character. */
size_t td_printable_span(const char *text)
{
	int width = 0;

	return span(text, SIZE_MAX, &width);
}

bool td_is_text(const char *text)
{
	return !text[td_printable_span(text)];
}

int td_printable_width_n(const char *text, size_t len)
{
	int width = 0;
	size_t at = span(text, len, &width);

	while (at < len) {
		at++;
		width += ESCAPED_WIDTH;
		at += span(text + at, len - at, &width);
	}
	return width;
}

int td_printable_width(const char *text)
{
	return td_printable_width_n(text, strlen(text));
}

void td_put_bytes(FILE *fp, const char *text, size_t len)
{
	/* parentheses avoid the macro, which is a loop for constant lengths */
	(fwrite_unlocked)(text, 1, len, fp);
}

int td_put_printable_n(FILE *fp, const char *text, size_t len)
{
	int width = 0;
	size_t at = 0;

	while (at < len) {
		size_t part = span(text + at, len - at, &width);

		if (part)
			td_put_bytes(fp, text + at, part);
		at += part;
		if (at < len)
			width += fprintf(fp, "\\x%02x", (unsigned char)text[at++]);
	}
	return width;
}

int td_put_printable(FILE *fp, const char *text)
{
	return td_put_printable_n(fp, text, strlen(text));
}

void td_put_escaped(FILE *fp, const char *text, void (*put)(FILE *fp, const char *letter),
		    const char *escape)
{
	while (*text) {
		size_t len = td_printable_span(text);

		for (; len; len--)
			put(fp, text++);
		if (*text)
			fprintf(fp, "%s%02x", escape, (unsigned char)*text++);
	}
}

/* For fewer blanks, putc(3) is used, because fwrite(3) takes as long as about ten calls of it. */
#define FEW_BLANKS 8

void td_put_blanks(FILE *fp, int nr)
{
	static const char blanks[] = "                                ";
	const int max = (int)sizeof(blanks) - 1;

	for (; nr > max; nr -= max)
		td_put_bytes(fp, blanks, sizeof(blanks) - 1);
	if (nr > FEW_BLANKS)
		td_put_bytes(fp, blanks, (size_t)nr);
	for (; nr > 0 && nr <= FEW_BLANKS; nr--)
		putc_unlocked(' ', fp);
}

int td_put_right(FILE *fp, int width, const char *text)
{
	int len = (int)strlen(text);

	td_put_blanks(fp, width - len);
	td_put_bytes(fp, text, (size_t)len);
	return len > width ? len : width;
}

int td_put_padded(FILE *fp, int width, const char *text)
{
	int columns, blanks = 0;

	if (width > 0)
		blanks = width - td_printable_width(text);
	td_put_blanks(fp, blanks);
	columns = td_put_printable(fp, text);
	if (width < 0)
		blanks = -width - columns;
	if (width < 0)
		td_put_blanks(fp, blanks);
	return columns + (blanks > 0 ? blanks : 0);
}

/* --- lines of words ------------------------------------------------------- */

#define BLANKS " \t\r\n"

/*
 * Writes the words of text, which are separated by blanks.  Words are never cut, so that users
 * can copy a path or a command.
 */
static void put_words(FILE *fp, int column, int last, const char *text, bool dim)
{
	int at = column;
	size_t len;

	for (; *(text += strspn(text, BLANKS)); text += len) {
		int width;

		len = strcspn(text, BLANKS);
		width = td_printable_width_n(text, len);
		if (at > column && at + 1 + width > last) {
			fprintf(fp, "%s\n%*s%s", dim ? "\033[m" : "", column, "",
				dim ? "\033[2m" : "");
			at = column;
		} else if (at > column) {
			at += fprintf(fp, " ");
		}
		at += td_put_printable_n(fp, text, len);
	}
	fputs(dim ? "\033[m\n" : "\n", fp);
}

void td_put_wrapped(FILE *fp, int column, int last, const char *text)
{
	put_words(fp, column, last, text, false);
}

void td_put_wrapped_dim(FILE *fp, int column, int last, const char *text)
{
	fputs("\033[2m", fp);
	put_words(fp, column, last, text, true);
}

/* --- words for a shell ---------------------------------------------------- */

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

/* "$(...)" drops line feeds at the end, which are the last character of $IFS. */
static void put_escaped(FILE *fp, const char *word)
{
	size_t end = strlen(word);

	while (end && word[end - 1] == '\n')
		end--;
	fputs("\"$(printf '", fp);
	for (size_t i = 0; i < end; i++) {
		unsigned char c = (unsigned char)word[i];

		/*
		 * three digits, so that a digit that follows is not part of the number; a
		 * dash would begin an option
		 */
		if (c < ' ' || c >= 0x7f || c == '\'' || c == '\\' || (!i && c == '-'))
			fprintf(fp, "\\%03o", c);
		else
			fprintf(fp, c == '%' ? "%%%%" : "%c", c);
	}
	fputs("')", fp);
	for (; word[end]; end++)
		fputs("${IFS#??}", fp);
	fputc('"', fp);
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

char *td_shell_word(const char *word)
{
	char *text;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	td_put_shell_word(fp, word);
	td_text_close(fp, &text);
	return text;
}

static const char *const html[CHAR_MAX + 1] = {
	['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;",
};

/* Writes a letter for HTML: "</script>" and "<!--" would end or change the enclosing element. */
static void put_html(FILE *fp, const char *letter)
{
	const char *instead = *letter > 0 ? html[(int)*letter] : NULL;

	if (instead)
		fputs(instead, fp);
	else
		fputc(*letter, fp);
}

void td_put_html(FILE *fp, const char *text)
{
	td_put_escaped(fp, text, put_html, "\\x");
}
