// SPDX-License-Identifier: GPL-2.0-only
/* Wings that are in the build, and words of those that are not (make check-core). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/wing.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

static void test_built(void)
{
	for (size_t i = 0; td_wings[i]; i++) {
		const struct td_command *command = td_wings[i]->command;
		struct td_err err = { 0 };

		ok(td_wings[i]->name, "wing %zu has a name", i);
		if (!command)
			continue;
		ok(td_command_find(td_commands(), command->name) == command, "%s is a subcommand",
		   command->name);
		ok(td_wing_refuse(command->name, strlen(command->name), &err) == 0,
		   "%s is not refused", command->name);
	}
}

static void test_left_out(void)
{
	for (const struct td_wing_left_out *w = td_wings_left_out; w->name; w++) {
		char words[128], want[256], *rest = words;
		const char *word;

		snprintf(words, sizeof(words), "%s", w->words);
		while ((word = strtok_r(rest, " ", &rest))) {
			struct td_err err = { 0 };

			snprintf(want, sizeof(want), "%s: this tdstat was built without '%s'", word,
				 w->name);
			ok(td_wing_refuse(word, strlen(word), &err) == -EINVAL, "%s is refused",
			   word);
			is_str(err.msg, want, "and why");
			ok(err.usage, "as wrong usage");
			ok(!td_command_find(td_commands(), word), "%s is no subcommand", word);
		}
	}
}

static void test_others(void)
{
	static const char *const words[] = { "", "list", "call", "--level", "--", "make" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		struct td_err err = { 0 };

		ok(td_wing_refuse(words[i], strlen(words[i]), &err) == 0, "'%s' is of no wing",
		   words[i]);
	}
}

int main(void)
{
	test_built();
	test_left_out();
	test_others();
	return done_testing();
}
