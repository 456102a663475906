// SPDX-License-Identifier: GPL-2.0-only
/* Tests of pages: untrusted text in them, and the places of nodes in charts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/pictures/page.h"
#include "cmd/pictures/picture.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *text, *html, *json;
} rows[] = {
	{ "", "", "\"\"" },
	{ "a b", "a b", "\"a b\"" },
	{ "<a href=\"x\" title='y'>&amp;</a>",
	  "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;",
	  "\"\\u003ca href=\\\"x\\\" title='y'\\u003e\\u0026amp;\\u003c/a\\u003e\"" },
	{ "a\\b", "a\\b", "\"a\\\\b\"" },
	{ "\033[m\n\177", "\\x1b[m\\x0a\\x7f", "\"\\\\x1b[m\\\\x0a\\\\x7f\"" },
	{ "caf\303\251", "caf\303\251", "\"caf\303\251\"" },
	/* no UTF-8, then no characters of XML, beside one that is */
	{ "\303x\377", "\\xc3x\\xff", "\"\\\\xc3x\\\\xff\"" },
	{ "\357\277\276<\357\277\277", "\\xef\\xbf\\xbe&lt;\\xef\\xbf\\xbf",
	  "\"\\\\xef\\\\xbf\\\\xbe\\u003c\\\\xef\\\\xbf\\\\xbf\"" },
	{ "\357\277\275", "\357\277\275", "\"\357\277\275\"" },
};

static const struct {
	double value;
	const char *shown;
} numbers[] = {
	{ 0, "0" }, { -0.0, "0" }, { 12.3456789, "12.3457" },
	{ -1, "-1" }, { 1e-9, "1e-09" }, { NAN, "null" }, { INFINITY, "null" },
};
/* clang-format on */

static char *written(void (*put)(FILE *fp, const char *text), const char *text)
{
	char *buf = NULL;
	size_t size = 0;
	FILE *fp = open_memstream(&buf, &size);

	put(fp, text);
	fclose(fp);
	return buf;
}

static void test_text(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		td_autofree char *html = written(td_put_html, rows[i].text);
		td_autofree char *json = written(td_page_put_json, rows[i].text);

		is_str(html, rows[i].html, "HTML of row %zu", i);
		is_str(json, rows[i].json, "JSON of row %zu", i);
	}
}

/* Names have any length: see alarm() below. */
static void test_long(void)
{
	static const char *const characters[] = { "\001", "\357\277\277" };
	static char text[(6 << 20) + 1];
	FILE *fp = fopen("/dev/null", "w");

	for (size_t i = 0; i < TD_ARRAY_SIZE(characters); i++) {
		size_t len = strlen(characters[i]);

		for (size_t at = 0; at + len < sizeof(text); at += len)
			memcpy(text + at, characters[i], len);
		td_put_html(fp, text);
		ok(!ferror(fp), "6 MB of what is not printable, %zu", i);
	}
	fclose(fp);
}

static void test_numbers(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(numbers); i++) {
		td_autofree char *text = NULL;
		size_t size = 0;
		FILE *fp = open_memstream(&text, &size);

		td_page_put_number(fp, numbers[i].value);
		fclose(fp);
		is_str(text, numbers[i].shown, "number %zu", i);
	}
}

static const struct td_column columns[] = {
	{ "work", "%", true },  { "loss", "%", true },    { "memory", "%", true },
	{ "dram", "%", true },  { "cache", "%", true },   { "core", "%", true },
	{ "cycles", "", true }, { "below_0", "%", true },
};

static const struct td_node nodes[] = {
	{ 0, NULL, 1, 0, NULL },     { 1, NULL, 1, 0, NULL },     { 2, "loss", 2, 1, NULL },
	{ 3, "memory", 3, 2, NULL }, { 4, "memory", 3, 2, NULL }, { 5, "loss", 2, 1, NULL },
	{ 7, "loss", 2, 1, NULL },   { 6, NULL, 0, 0, NULL },
};

/* work 40, loss 50 of memory 30 and core 10; of memory 60 and 40 of cycles */
static struct td_cell cells[] = {
	{ .value = 40 }, { .value = 50 }, { .value = 30 },  { .value = 60 },
	{ .value = 40 }, { .value = 10 }, { .value = 1e9 }, { .value = -5 },
};

static const double places[][2] = {
	{ 0, 0.4 },    { 0.4, 0.9 }, { 0.4, 0.7 }, { 0.4, 0.58 },
	{ 0.58, 0.7 }, { 0.7, 0.8 }, { 0.8, 0.8 }, { 0.9, 0.9 },
};

static void test_places(void)
{
	const struct td_report report = { .columns = columns,
					  .nr_columns = TD_ARRAY_SIZE(columns) };
	const struct td_row row = { .cells = cells,
				    .nodes = nodes,
				    .nr_nodes = TD_ARRAY_SIZE(nodes) };
	struct td_picture picture;

	td_picture_make(&picture, &report, &row);
	ok(picture.depth == 3, "of three levels");
	for (size_t i = 0; i < picture.nr; i++)
		ok(fabs(picture.v[i].from - places[i][0]) < 1e-9 &&
			   fabs(picture.v[i].to - places[i][1]) < 1e-9,
		   "%s: from %g to %g", picture.v[i].column->name, picture.v[i].from,
		   picture.v[i].to);
	td_picture_free(&picture);
}

int main(void)
{
	/* when each character looked at the rest of the text, it took hours */
	alarm(1800);
	test_text();
	test_long();
	test_numbers();
	test_places();
	return done_testing();
}
