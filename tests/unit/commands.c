// SPDX-License-Identifier: GPL-2.0-only
/* Tests that the parser needs only the row of a subcommand, made up here. */
#include "cmd/commands.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/suggest.h"
#include "tests/unit/test.h"

static int check_made(const struct td_opts *opts, struct td_err *err)
{
	return opts->request.when.repeat < 9 ? 0 : td_err_usage(err, "nine are too many");
}

static int run_made(const struct td_opts *opts, int *status, struct td_err *err)
{
	(void)err;
	*status = opts->request.when.repeat;
	return 0;
}

/* clang-format off */
static const struct td_option rows[] = {
	{ "made-times", 'i', "N", "how often", TD_OPTION_NUMBER,
	  offsetof(struct td_opts, request.when.repeat), offsetof(struct td_opts, request.when.has_repeat),
	  2, 10 },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_rows = { TD_SECTION_WHAT, rows };
static const struct td_option_group *const groups[] = { &group_rows, &td_group_json, NULL };
static const struct td_command made = {
	.name = "made-up",
	.groups = groups,
	.word = td_value_pattern,
	.check = check_made,
	.run = run_made,
};

/* The program's own subcommands, and the made-up one. */
static const struct td_command **commands;

static void make_table(void)
{
	size_t nr = 0;

	while (td_commands()[nr])
		nr++;
	commands = calloc(nr + 2, sizeof(*commands));
	if (!commands)
		abort();
	memcpy(commands, td_commands(), nr * sizeof(*commands));
	commands[nr] = &made;
}

#define parse(opts, err, ...) \
	parse_words(opts, err, (const char *[]){ "tdstat", __VA_ARGS__, NULL })

static int parse_words(struct td_opts *opts, struct td_err *err, const char *const *words)
{
	static char *argv[16];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	*err = (struct td_err){ 0 };
	return td_opts_parse(opts, commands, argc, argv, err);
}

static void test_own_options(void)
{
	struct td_opts opts;
	struct td_err err;
	int status = 0;

	ok(parse(&opts, &err, "-j", "made-up", "a", "-i", "7", "b") == 0, "%s", err.msg);
	ok(opts.chosen == &made && opts.request.when.repeat == 7 && opts.request.when.has_repeat &&
		   opts.request.show.format == TD_FORMAT_JSON,
	   "its options are stored where its rows say");
	ok(opts.nr_patterns == 2 && strcmp(opts.patterns[1], "b") == 0, "its words are its own");
	ok(opts.chosen->run(&opts, &status, &err) == 0 && status == 7,
	   "its function is the one to run");
	td_opts_free(&opts);
}

static void test_refused(void)
{
	struct td_opts opts;
	struct td_err err;

	ok(parse(&opts, &err, "made-up", "-i", "11") == -EINVAL, "its limits");
	is_str(err.msg, "-i 11: not a number from 2 to 10", "are said");
	ok(parse(&opts, &err, "made-up", "-i9") == -EINVAL, "its check");
	is_str(err.msg, "nine are too many", "is asked");
	ok(parse(&opts, &err, "made-up", "-r") == -EINVAL, "others' options");
	is_str(err.msg, "tdstat made-up takes no -r: it is an option of tdstat and tdstat diff",
	       "are none of its");
	ok(parse(&opts, &err, "report", "--made-t=3") == -EINVAL, "its option");
	is_str(err.msg, "tdstat report takes no --made-t: it is an option of tdstat made-up",
	       "is nobody else's");
}

static void test_name(void)
{
	struct td_opts opts;
	struct td_err err;

	ok(parse(&opts, &err, "mad-up", "x") == 0, "a command: %s", err.msg);
	ok(td_suggest_subcommand(&opts, &err) == -ENOENT, "but no program");
	is_str(err.hint, "did you mean tdstat made-up?", "its name is near");
	td_opts_free(&opts);
	ok(parse(&opts, &err, "--", "mad-up") == 0 && td_suggest_subcommand(&opts, &err) == 0,
	   "behind --, it is meant as a command");
	td_opts_free(&opts);
}

int main(void)
{
	make_table();
	test_own_options();
	test_refused();
	test_name();
	free(commands);
	return done_testing();
}
