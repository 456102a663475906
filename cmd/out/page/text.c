// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/page/text.h"

#include <math.h>

#include "lib/base/printable.h"

/* How a format shows what it cannot show as it is. */
struct escapes {
	const char *(*of)(char c); /* NULL: nothing in its place */
	const char *byte;          /* printf's format of an unprintable one */
};

static const char *of_html(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* "</script>" and "<!--" would end or change the element around it. */
static const char *of_json(char c)
{
	switch (c) {
	case '<':
		return "\\u003c";
	case '>':
		return "\\u003e";
	case '&':
		return "\\u0026";
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	default:
		return NULL;
	}
}

static void put(FILE *fp, const char *text, const struct escapes *escapes)
{
	while (*text) {
		size_t len = td_printable_span(text);

		for (; len; len--, text++) {
			const char *instead = escapes->of(*text);

			if (instead)
				fputs(instead, fp);
			else
				fputc(*text, fp);
		}
		if (*text)
			fprintf(fp, "%s%02x", escapes->byte,
				(unsigned char)*text++);
	}
}

void td_page_put(FILE *fp, const char *text)
{
	put(fp, text, &(struct escapes){ of_html, "\\x" });
}

void td_page_put_json(FILE *fp, const char *text)
{
	fputc('"', fp);
	put(fp, text, &(struct escapes){ of_json, "\\\\x" });
	fputc('"', fp);
}

void td_page_put_number(FILE *fp, double value)
{
	if (isfinite(value))
		fprintf(fp, "%.6g", value == 0 ? 0 : value);
	else
		fputs("null", fp);
}
