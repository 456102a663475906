// SPDX-License-Identifier: GPL-2.0-only
/* Tests of escaping.  Well-formed UTF-8: Unicode 15.0, table 3-7. */
#include "lib/base/printable.h"

#include <stdlib.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *text, *shown;
	int width;
} rows[] = {
	{ "", "", 0 },
	{ "a b~", "a b~", 4 },
	{ "a,\"b\\x1b", "a,\"b\\x1b", 8 },
	/* control characters, at the edges */
	{ "\001\037 ", "\\x01\\x1f ", 9 },
	{ "\t\r\n\033[1m", "\\x09\\x0d\\x0a\\x1b[1m", 19 },
	{ "~\177", "~\\x7f", 5 },
	{ "\302\200\302\237\302\240", "\\xc2\\x80\\xc2\\x9f\302\240", 17 },
	{ "a\302\205b", "a\\xc2\\x85b", 10 },
	/* one column for each character */
	{ "caf\303\251", "caf\303\251", 4 },
	{ "\337\277\340\240\200\357\277\275", "\337\277\340\240\200\357\277\275", 3 },
	{ "\360\220\200\200\364\217\277\277", "\360\220\200\200\364\217\277\277", 2 },
	{ "\355\237\277\356\200\200", "\355\237\277\356\200\200", 2 },
	/* Bidi_Control, each between its neighbours, and U+FFFE and U+FFFF */
	{ "\330\233\330\234\330\235", "\330\233\\xd8\\x9c\330\235", 10 },
	{ "\342\200\215\342\200\216\342\200\217\342\200\220",
	  "\342\200\215\\xe2\\x80\\x8e\\xe2\\x80\\x8f\342\200\220", 26 },
	/* U+2028 and U+2029 before them */
	{ "\342\200\247\342\200\250\342\200\251", "\342\200\247\\xe2\\x80\\xa8\\xe2\\x80\\xa9", 25 },
	{ "\342\200\252\342\200\256\342\200\257",
	  "\\xe2\\x80\\xaa\\xe2\\x80\\xae\342\200\257", 25 },
	{ "\342\201\245\342\201\246\342\201\251\342\201\252",
	  "\342\201\245\\xe2\\x81\\xa6\\xe2\\x81\\xa9\342\201\252", 26 },
	{ "\357\277\276\357\277\277", "\\xef\\xbf\\xbe\\xef\\xbf\\xbf", 24 },
	/* without their end or their beginning */
	{ "\303", "\\xc3", 4 },
	{ "a\342\202", "a\\xe2\\x82", 9 },
	{ "\342\202x", "\\xe2\\x82x", 9 },
	{ "\360\237\230", "\\xf0\\x9f\\x98", 12 },
	{ "\251\377\376", "\\xa9\\xff\\xfe", 12 },
	{ "\303\303\251", "\\xc3\303\251", 5 },
	/* overlong, among them an escape character */
	{ "\300\233\301\277", "\\xc0\\x9b\\xc1\\xbf", 16 },
	{ "\340\200\233\340\202\233", "\\xe0\\x80\\x9b\\xe0\\x82\\x9b", 24 },
	{ "\360\200\200\233\360\217\277\277", "\\xf0\\x80\\x80\\x9b\\xf0\\x8f\\xbf\\xbf", 32 },
	/* surrogates, and above U+10FFFF */
	{ "\355\240\200", "\\xed\\xa0\\x80", 12 },
	{ "\364\220\200\200\365\200\200\200", "\\xf4\\x90\\x80\\x80\\xf5\\x80\\x80\\x80", 32 },
};

static const struct {
	const char *text;
	int width;
	const char *shown;
	int columns;
} padded[] = {
	{ "ab", 4, "  ab", 4 },
	{ "ab", -4, "ab  ", 4 },
	{ "ab", 1, "ab", 2 },
	{ "ab", -1, "ab", 2 },
	{ "ab", 0, "ab", 2 },
	{ "", 3, "   ", 3 },
	{ "\033", 6, "  \\x1b", 6 },
	{ "\033", -6, "\\x1b  ", 6 },
	{ "\303\251", 3, "  \303\251", 3 },
	{ "\303\251", -3, "\303\251  ", 3 },
};

static const struct {
	const char *text, *line;
} json[] = {
	{ "a\"\\/\n\033", "{\"k\":\"a\\\"\\\\/\\n\\u001b\"}\n" },
	{ "\177\302\200\302\237\302\240", "{\"k\":\"\\u007f\\u0080\\u009f\302\240\"}\n" },
	{ "caf\303\251", "{\"k\":\"caf\303\251\"}\n" },
	{ "\377\\\303", "{\"k\":\"\\\\xff\\\\\\\\xc3\"}\n" },
	{ "\302", "{\"k\":\"\\\\xc2\"}\n" },
	{ "\330\234\342\200\256x\357\277\277",
	  "{\"k\":\"\\u061c\\u202ex\\uffff\"}\n" },
};
/* clang-format on */

static void test_row(size_t r)
{
	td_autofree char *got = NULL;
	size_t size, span = td_printable_span(rows[r].text);
	FILE *fp = open_memstream(&got, &size);
	int width = td_put_printable(fp, rows[r].text);
	bool same = strcmp(rows[r].text, rows[r].shown) == 0;

	fclose(fp);
	is_str(got, rows[r].shown, "row %zu", r);
	ok(width == rows[r].width && td_printable_width(rows[r].text) == width,
	   "row %zu: %d columns", r, rows[r].width);
	ok(td_is_text(rows[r].text) == same, "row %zu: text or not", r);
	ok(strncmp(rows[r].text, got, span) == 0 && (!rows[r].text[span]) == same,
	   "row %zu: as it is, up to what is not", r);
}

static void test_padded(size_t r)
{
	td_autofree char *got = NULL;
	size_t size;
	FILE *fp = open_memstream(&got, &size);
	int columns = td_put_padded(fp, padded[r].width, padded[r].text);

	fclose(fp);
	is_str(got, padded[r].shown, "padded %zu", r);
	ok(columns == padded[r].columns, "padded %zu: %d columns", r, padded[r].columns);
}

/* A part of a text; what follows is not read. */
static void test_part(void)
{
	td_autofree char *got = NULL;
	size_t size;
	FILE *fp = open_memstream(&got, &size);
	int width = td_put_printable_n(fp, "a\033\303\251", 3);

	fclose(fp);
	is_str(got, "a\\x1b\\xc3", "a part ends within a character");
	ok(width == 9 && td_printable_width_n("a\033\303\251", 3) == 9, "and has nine columns");
}

static void test_json(size_t r)
{
	td_autofree char *got = NULL;
	size_t size;
	FILE *fp = open_memstream(&got, &size);
	struct json_object *line = json_object_new_object();

	td_json_put_string(line, "k", json[r].text);
	td_json_put_line(fp, line);
	fclose(fp);
	is_str(got, json[r].line, "JSON %zu", r);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	for (size_t r = 0; r < TD_ARRAY_SIZE(padded); r++)
		test_padded(r);
	test_part();
	for (size_t r = 0; r < TD_ARRAY_SIZE(json); r++)
		test_json(r);
	return done_testing();
}
