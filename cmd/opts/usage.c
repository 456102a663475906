// SPDX-License-Identifier: GPL-2.0-only
/* Makes argp's parser and the text of --help from the row of a subcommand. */
#include "cmd/opts/usage.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* The key of an option without a letter: this plus its index. */
#define FIRST_KEY 256

static const char *const headings[] = {
	[TD_SECTION_WHEN] = "When:",
	[TD_SECTION_HOW] = "How to show it:",
};

static const char usual_status[] =
	"Exit status: the command's own, 128+N if signal N ended it, 127 if it was not found, 126 "
	"if it could not be run; 64 for a wrong option, 1 for any other failure.";

/* --- options -------------------------------------------------------------- */

static size_t count_options(const struct td_option_group *const *groups)
{
	const struct td_option_group *const *group;
	const struct td_option *o;
	size_t nr = 0;

	td_for_each_option(groups, group, o) nr++;
	return nr;
}

/* Common options: --help shows these, and options that the default subcommand lacks. */
static const char *const usual[] = {
	/* options for what to count */
	"all-cpus",
	"cpu",
	"pid",
	"level",
	"metrics",
	"event",
	/* options for when to count */
	"interval-print",
	"repeat",
	"timeout",
	/* options for how to show results */
	"field-separator",
	"json-output",
	"output",
	"no-aggr",
	"per-core",
	"all",
	"verbose",
};

/* Up to this number, --help shows all options. */
#define FEW 33

/* These replace argp's own, which would not show the subcommand's name. */
static const struct argp_option ours[] = {
	{ "help", '?', "all", OPTION_ARG_OPTIONAL, "show this help, or that of all options", -1 },
	{ "usage", TD_USAGE_SHORT, NULL, 0, "show a short usage message", -1 },
	{ "version", 'V', NULL, 0, "show the version", -1 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, -1 },
	{ 0 },
};

/* Fill in the options, which argp sorts by section and name. */
static void fill_in(struct argp_option *to, const struct td_command *command)
{
	const struct td_option_group *const *group;
	const struct td_option *o;
	int key = FIRST_KEY;

	for (int i = TD_SECTION_WHAT; i <= TD_SECTION_HOW; i++) {
		for (group = command->groups; *group;) {
			if ((int)(*group++)->section != i)
				continue;
			/* argp would also show the headings of empty sections */
			to->doc = headings[i] ? headings[i] : command->what;
			to->group = i;
			to++;
			break;
		}
	}
	td_for_each_option(command->groups, group, o)
	{
		*to++ = (struct argp_option){
			o->name, o->letter ? o->letter : key,
			o->arg,  o->optional ? OPTION_ARG_OPTIONAL : 0,
			o->help, (int)(*group)->section,
		};
		key++;
	}
	memcpy(to, ours, sizeof(ours));
}

const struct td_option *td_usage_option(const struct td_usage_page *page, int key)
{
	const struct td_option_group *const *group;
	const struct td_option *o;
	int at = FIRST_KEY;

	td_for_each_option(page->command->groups, group, o)
	{
		if (key == (o->letter ? o->letter : at))
			return o;
		at++;
	}
	return NULL;
}

static bool is_usual(const struct td_usage_page *page, const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(usual); i++) {
		if (strcmp(usual[i], name) == 0)
			return true;
	}
	return page->command != page->commands[0] &&
	       !td_option_find(page->commands[0]->groups, name, strlen(name));
}

/* Hide uncommon options: argp accepts them, but does not show them. */
static void hide_unusual(struct td_usage_page *page)
{
	struct argp_option *o = page->options;

	if (count_options(page->command->groups) <= FEW)
		return;
	for (; o->name || o->doc; o++) {
		if (o->name &&
		    (o->group < 0 ? o->key == TD_USAGE_SHORT : !is_usual(page, o->name))) {
			o->flags |= OPTION_HIDDEN;
			page->nr_hidden++;
		}
	}
}

/* --- text before and after the options ------------------------------------ */

static void put_subcommands(FILE *fp, const struct td_command *const *commands)
{
	fputs("\n\nSubcommands; tdstat help SUBCOMMAND shows the options of one:\n", fp);
	while (*++commands)
		fprintf(fp, "  %-10s %s\n", (*commands)->name, (*commands)->line);
}

static void put_end(FILE *fp, const struct td_usage_page *page)
{
	const struct td_command *command = page->command;

	fprintf(fp, "Examples:\n%s\n\n", command->examples);
	if (page->nr_hidden)
		fprintf(fp, "%s --help=all shows all options (%zu more) and the exit status.",
			page->title, page->nr_hidden);
	else
		fputs(command->status ? command->status : usual_status, fp);
}

/* argp frees the text that this returns. */
static char *fill_doc(int key, const char *text, void *input)
{
	const struct td_usage_page *page = *(struct td_usage_page **)input;
	char *doc = NULL;
	size_t size;
	FILE *fp;

	if (key == ARGP_KEY_HELP_DUP_ARGS_NOTE)
		return NULL; /* five lines about a well-known convention */
	if (key != ARGP_KEY_HELP_PRE_DOC && key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	fp = td_open_memstream(&doc, &size);
	if (key == ARGP_KEY_HELP_POST_DOC)
		put_end(fp, page);
	else
		fputs(page->command->doc, fp);
	if (key == ARGP_KEY_HELP_PRE_DOC && page->command == page->commands[0])
		put_subcommands(fp, page->commands);
	td_text_close(fp, &doc);
	return doc;
}

/* --- the page ------------------------------------------------------------- */

void td_usage_open(struct td_usage_page *page, const struct td_command *command,
		   const struct td_command *const *commands, argp_parser_t parser)
{
	size_t nr = TD_SECTION_HOW + count_options(command->groups) + TD_ARRAY_SIZE(ours);

	*page = (struct td_usage_page){ .command = command, .commands = commands };
	td_command_title(command, commands, page->title);
	page->options = td_calloc(nr, sizeof(*page->options));
	fill_in(page->options, command);
	page->argp = (struct argp){
		.options = page->options,
		.parser = parser,
		.args_doc = command->args,
		.help_filter = fill_doc,
	};
}

void td_usage_close(struct td_usage_page *page)
{
	free(page->options);
	page->options = NULL;
}

void td_usage_put(struct td_usage_page *page, struct argp_state *state, int key, bool all)
{
	if (!all && key != TD_USAGE_SHORT)
		hide_unusual(page);
	state->name = page->title;
	argp_state_help(state, stdout,
			key == TD_USAGE_SHORT ? ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK
					      : ARGP_HELP_STD_HELP);
}

static error_t show_only(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != '?')
		return ARGP_ERR_UNKNOWN;
	td_usage_put(*(struct td_usage_page **)state->input, state, key, false);
	return 0;
}

void td_usage_show(const struct td_command *command, const struct td_command *const *commands)
{
	static char name[] = "tdstat", help[] = "--help";
	char *argv[] = { name, help, NULL };
	struct td_usage_page page, *input = &page;

	td_usage_open(&page, command, commands, show_only);
	argp_parse(&page.argp, 2, argv, ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &input);
	td_usage_close(&page);
}
