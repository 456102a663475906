// SPDX-License-Identifier: GPL-2.0-only
/* td_json_text(): the same texts are JSON, whatever version json-c has. */
#include <errno.h>

#include "lib/base/json.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *text, *want; /* the array's first string; NULL: no JSON */
	size_t at;               /* position of the error */
	int flags;
} rows[] = {
	{ "[\"plain\"]", "plain" },
	{ "[\"caf\303\251\"]", "caf\303\251" },
	{ "[\"\303\251\",\"\303\251\"] \n", "\303\251" },
	{ "[\"\360\237\230\200 \342\202\254\"]", "\360\237\230\200 \342\202\254" },
	{ "[\"caf\\u00e9 \\ud83d\\ude00\"]", "caf\303\251 \360\237\230\200" },
	{ "[\"\\u001b[31m\\u0007\\n\\\"\"]", "\033[31m\a\n\"" },
	{ "[\"\\\\xff\"]", "\\xff" },
	{ "[\"caf\303\251\"]", "caf\303\251", .flags = JSON_TOKENER_VALIDATE_UTF8 },
	/* half a letter */
	{ "[\"caf\303\"]", .at = 6, .flags = JSON_TOKENER_VALIDATE_UTF8 },
	/* letters outside of strings */
	{ "[\303\251]", .at = 1 },
	{ "[\"a\"]\303\251", .at = 5 },
	{ "[\"a\"] x", .at = 6 },
	{ "\303\251", .at = 0 },
	/* not strict, after a letter */
	{ "[\"\303\251\",]", .at = 6 },
	{ "[\"\303\251\",'a']", .at = 6 },
	{ "[\"\303\251\"] // why", .at = 7 },
	/* cut off */
	{ "[\"caf\303\251\"", .at = 8 },
	{ "", .at = 0 },
};
/* clang-format on */

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct td_json_fault fault = { 0 };
		struct json_object *got;
		int rc = td_json_text(rows[i].text, 8, JSON_TOKENER_STRICT | rows[i].flags, &got,
				      &fault);

		if (rows[i].want)
			is_str(rc ? fault.why
				  : json_object_get_string(json_object_array_get_idx(got, 0)),
			       rows[i].want, "%s", rows[i].text);
		else
			ok(rc == -EINVAL && fault.at == rows[i].at, "not JSON: '%s': %s at %zu",
			   rows[i].text, fault.why, fault.at);
		json_object_put(got);
	}
	return done_testing();
}
