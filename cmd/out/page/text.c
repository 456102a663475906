// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/page/text.h"

#include <math.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"

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

static void put(FILE *fp, char c, const char *instead)
{
	if (instead)
		fputs(instead, fp);
	else
		fputc(c, fp);
}

static void put_html(FILE *fp, const char *letter)
{
	put(fp, *letter, of_html(*letter));
}

static void put_json(FILE *fp, const char *letter)
{
	put(fp, *letter, of_json(*letter));
}

void td_page_put(FILE *fp, const char *text)
{
	td_put_escaped(fp, text, put_html, "\\x");
}

void td_page_put_json(FILE *fp, const char *text)
{
	fputc('"', fp);
	td_put_escaped(fp, text, put_json, "\\\\x");
	fputc('"', fp);
}

void td_page_put_number(FILE *fp, double value)
{
	if (isfinite(value))
		fprintf(fp, "%.6g", value == 0 ? 0 : value);
	else
		fputs("null", fp);
}

void td_page_put_cell(FILE *fp, double value, int decimals, bool sign)
{
	char buf[64];

	fputs("<td class=\"number\">", fp);
	if (!isnan(value))
		fprintf(fp, "<data value=\"%.12g\">%s%s</data>", value,
			sign && value > 0 ? "+" : "",
			td_out_format(buf, decimals, value));
	fputs("</td>", fp);
}
