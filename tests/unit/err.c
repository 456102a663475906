// SPDX-License-Identifier: GPL-2.0-only
/* Tests that long names are shortened in the middle and the reason is kept. */
#include "lib/base/err.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

#define LONGEST 5000

static char name[LONGEST + 1];

/* Repeats a character up to size bytes. */
static const char *make_name(const char *character, size_t size)
{
	size_t len = strlen(character);

	for (size_t i = 0; i < size; i++)
		name[i] = character[i % len];
	name[size] = '\0';
	return name;
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), size = strlen(end);

	return len >= size && strcmp(text + len - size, end) == 0;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_shortened(const char *text, size_t size)
{
	const char *gap = strstr(text, "...");

	return strlen(text) < size && strlen(text) > size - 8 && gap &&
	       strlen(text) / 2 - (size_t)(gap - text) < 8;
}

/* All lengths around that of the message. */
static void test_lengths(void)
{
	struct td_err err;
	bool whole = true, shortened = true, reason = true;

	for (size_t size = 0; size < sizeof(err.msg) + 20; size++) {
		td_autofree char *want = NULL;

		if (asprintf(&want, "cannot run '%s': no such file", make_name("x", size)) < 0)
			return;
		td_err_set(&err, -ENOENT, "%s", want);
		if (strlen(want) < sizeof(err.msg))
			whole &= strcmp(err.msg, want) == 0;
		else
			shortened &= is_shortened(err.msg, sizeof(err.msg));
		reason &=
			begins_with(err.msg, "cannot run '") && ends_in(err.msg, "': no such file");
	}
	ok(whole, "what has room is whole");
	ok(shortened, "what has none is shortened in its middle");
	ok(reason, "its beginning and its end are there");
}

static void test_characters(void)
{
	static const char *const characters[] = { "\303\244", "\342\202\254", "\360\237\230\200" };
	struct td_err err;
	bool text = true;

	for (size_t i = 0; i < TD_ARRAY_SIZE(characters); i++) {
		size_t size = LONGEST - LONGEST % strlen(characters[i]);

		for (size_t shift = 0; shift < 8; shift++) {
			td_err_set(&err, -EINVAL, "%.*s%s: why", (int)shift, "01234567",
				   make_name(characters[i], size));
			text &= td_is_text(err.msg) && ends_in(err.msg, ": why");
		}
	}
	ok(text, "no character is cut in two");
	td_err_set(&err, -EINVAL, "%s: why", make_name("\200", LONGEST));
	ok(ends_in(err.msg, "\200: why") && is_shortened(err.msg, sizeof(err.msg)),
	   "bytes that are none are shortened like others");
}

static void test_others(void)
{
	struct td_err err = { 0 };

	td_err_usage(&err, "-p %s: not a list", make_name("1", LONGEST));
	ok(err.usage && err.code == -EINVAL && ends_in(err.msg, ": not a list"), "usage");
	td_err_hint(&err, "looked for in %s, and nowhere else", name);
	ok(begins_with(err.hint, "looked for in 1") && ends_in(err.hint, ", and nowhere else") &&
		   is_shortened(err.hint, sizeof(err.hint)),
	   "a hint");
	td_err_set(&err, -EIO, "%s: why", name);
	td_err_wrap(&err, "--pre %s", make_name("2", LONGEST));
	ok(begins_with(err.msg, "--pre 2") && ends_in(err.msg, "1: why") &&
		   is_shortened(err.msg, sizeof(err.msg)),
	   "an error within another one");
	td_err_set(&err, -EIO, "why");
	ok(td_err_wrap(&err, "%s", "file") == -EIO, "keeps its number");
	is_str(err.msg, "file: why", "what is short stays as it is");
}

/* clang-format off */
static const struct {
	const char *text;
	size_t at, len;
	const char *place;
} places[] = {
	{ "a\033b\nc", 2, 1, "a b c\n  ^" },
	{ "a\177b", 2, 1, "a b\n  ^" },
	{ "a\302\205b", 3, 1, "a  b\n   ^" },
	{ "a\377b", 2, 1, "a b\n  ^" },
	{ "\303\251\303\251=x", 5, 1, "\303\251\303\251=x\n   ^" },
	{ "x=\303\251\303\251,", 2, 4, "x=\303\251\303\251,\n  ^~" },
	{ "x", 1, 0, "x\n ^" },
};
/* clang-format on */

int main(void)
{
	test_lengths();
	test_characters();
	test_others();
	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++) {
		struct td_err err = { 0 };

		td_err_point(&err, places[i].text, places[i].at, places[i].len);
		is_str(err.place, places[i].place, "place %zu", i);
	}
	return done_testing();
}
