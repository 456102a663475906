// SPDX-License-Identifier: GPL-2.0-only
/* Regular expressions: what would take too much memory is refused. */
#include "lib/base/regex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

static const char many[] = "too many repetitions or anchors";

/* clang-format off */
static const struct {
	const char *text;
	size_t nr;       /* number of occurrences */
	const char *why; /* NULL: it is compiled */
} rows[] = {
	{ "^/(web|db)$", 1, NULL },
	{ "[0-9a-f]{8}(-[0-9a-f]{4}){3}", 1, NULL },
	{ "x{1000}", 1, NULL },
	{ "$", 32, NULL },
	{ "$", 33, many },
	{ "\\b", 33, many },
	{ "\\.", 128, NULL },
	{ "|web-1", 42, NULL },
	{ ".*x?", 60, NULL },
	/* parts that may be empty */
	{ "(.?){255}{50}", 1, many },
	{ ".?{255}{50}", 1, many },
	{ ".{0,1}{255}{50}", 1, many },
	{ "(a|){255}{50}", 1, many },
	{ "(){255}{50}", 1, many },
	{ "$", 257, "longer than 256 characters" },
	{ "kubepods/pod_1-2.slice", 100, NULL },
	{ "(a{400}){400}", 1, many },
	{ "a{1,32767}{9}", 1, many },
	{ "a{99999999999999999999}", 1, many },
	{ "a{1}{32767}{9}", 1, many },
	{ "((a{100})*{100}b|[]{}]{3}){200}", 1, many },
	{ "(^$^$^$^$^$){100}", 1, many },
	{ "^pod[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.slice$", 1, NULL },
	{ "[{999}]{9}[^]{}]{90}", 1, NULL },
	/* the words of regcomp(3) */
	{ "a{", 1, "Unmatched \\{" },
	{ "(", 1, "Unmatched ( or \\(" },
};
/* clang-format on */

static void test_row(size_t at)
{
	size_t length = strlen(rows[at].text);
	td_autofree char *text = calloc(rows[at].nr + 1, length + 1);
	char why[128] = "";
	regex_t regex;
	int rc;

	for (size_t i = 0; text && i < rows[at].nr; i++)
		memcpy(text + i * length, rows[at].text, length);
	rc = td_regex_compile(&regex, text, why, sizeof(why));
	ok(rc == (rows[at].why ? -EINVAL : 0), "%zu times %s", rows[at].nr, rows[at].text);
	if (rows[at].why)
		is_str(why, rows[at].why, "and why");
	if (!rc)
		regfree(&regex);
}

int main(void)
{
	regex_t regex;
	char why[128];

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	ok(td_regex_compile(&regex, "^b{2}$", why, sizeof(why)) == 0 &&
		   regexec(&regex, "bb", 0, NULL, 0) == 0 && regexec(&regex, "b", 0, NULL, 0) != 0,
	   "an extended one");
	regfree(&regex);
	return done_testing();
}
