// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* perf stat's words, in print_header() of tools/perf/util/stat-display.c */
static const char *const words[] = {
	[TD_TARGET_COMMAND] = "",
	[TD_TARGET_SYSTEM] = "system wide",
	[TD_TARGET_CPUS] = "CPU(s) ",
	[TD_TARGET_PROCESSES] = "process id ",
	[TD_TARGET_THREADS] = "thread id ",
	[TD_TARGET_FILE] = "",
};

const char *td_target_words(enum td_target_kind kind)
{
	return words[kind];
}

char *td_target_name_format(const struct td_target_name *name)
{
	char *text;

	if (asprintf(&text, "%s%s", words[name->kind],
		     name->text ? name->text : "") < 0)
		return NULL;
	return text;
}

static bool is_kind(enum td_target_kind kind, const char *text)
{
	size_t len = strlen(words[kind]);

	if (!len || strncmp(text, words[kind], len) != 0)
		return false;
	return kind != TD_TARGET_SYSTEM || !text[len];
}

int td_target_name_parse(struct td_target_name *name, const char *text)
{
	enum td_target_kind kind = TD_TARGET_COMMAND;

	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		if (is_kind((enum td_target_kind)i, text))
			kind = (enum td_target_kind)i;
	}
	name->kind = kind;
	name->text = strdup(text + strlen(words[kind]));
	return name->text ? 0 : -ENOMEM;
}
