// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command line, with a word on each line.  Words that make argp exit are left
 * out: unknown options, and options without their argument.
 */
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"

#define MAX_WORDS 64

struct words {
	char *argv[MAX_WORDS + 2];
	int argc;
	bool wants_argument;
};

/* Finds an option in the first subcommand that has it. */
static const struct td_option *find(const char *name, size_t len, bool letter)
{
	const struct td_option *o = NULL;

	for (const struct td_command *const *c = td_commands(); !o && *c; c++)
		o = letter ? td_option_find_letter((*c)->groups, *name)
			   : td_option_find((*c)->groups, name, len);
	return o;
}

static bool takes_argument(const struct td_option *o)
{
	return o->arg && !o->optional;
}

static bool accept_long(struct words *words, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct td_option *o = find(word, len, false);

	if (!o || (word[len] && !o->arg))
		return false;
	words->wants_argument = !word[len] && takes_argument(o);
	return true;
}

static bool accept_letters(struct words *words, const char *word)
{
	for (; *word; word++) {
		const struct td_option *o = find(word, 1, true);

		if (!o || *word == 'i') /* -i of report has an argument */
			return false;
		words->wants_argument = takes_argument(o) && !word[1];
		if (o->arg)
			return true;
	}
	return true;
}

static bool accept(struct words *words, const char *word)
{
	bool wanted = words->wants_argument;

	words->wants_argument = false;
	if (wanted || word[0] != '-' || !word[1])
		return true;
	if (word[1] != '-')
		return accept_letters(words, word + 1);
	return !word[2] || accept_long(words, word + 2);
}

static void split(char *text, struct words *words)
{
	static char name[] = "tdstat", argument[] = "1";
	bool verbatim = false;

	words->argv[words->argc++] = name;
	for (char *word; words->argc < MAX_WORDS && (word = strsep(&text, "\n"));) {
		bool argument_of_option = words->wants_argument;

		if (!verbatim && !accept(words, word))
			continue;
		if (!argument_of_option && strcmp(word, "--") == 0)
			verbatim = true;
		words->argv[words->argc++] = word;
	}
	if (words->wants_argument)
		words->argv[words->argc++] = argument;
}

static void look_at(const struct td_opts *opts)
{
	if (td_target_attaches(&opts->request.target) && td_request_is_wide(&opts->request))
		abort();
	if (opts->request.when.interval_ms < 0 || opts->request.when.timeout_ms < 0 ||
	    opts->request.when.delay_ms < -1 || opts->request.when.repeat < 0)
		abort();
	for (size_t i = 0; i < opts->request.nr_events; i++) {
		if (!opts->request.events[i].list)
			abort();
	}
	td_request_aggregation(&opts->request);
}

static void parse(char *text)
{
	struct words words = { 0 };
	struct td_opts opts = { 0 };
	struct td_err err = { 0 };
	int rc;

	split(text, &words);
	rc = td_opts_parse(&opts, td_commands(), words.argc, words.argv, &err);
	if (rc && (rc != err.code || !err.msg[0]))
		abort();
	if (rc)
		return;
	look_at(&opts);
	td_opts_free(&opts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (text)
		parse(text);
	free(text);
	return 0;
}
