// SPDX-License-Identifier: GPL-2.0-only
/* Parses argv into struct td_opts; makes argp's parser and the text of --help. */
#include <argp.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/suggest.h"
#include "cmd/say.h"
#include "cmd/version.h"
#include "cmd/wing.h"
#include "lib/base/number.h"
#include "lib/base/util.h"

/* The key of an option without a letter: this plus its index. */
#define FIRST_KEY 256
/* The key of --usage; --help has '?' and 'h'. */
#define USAGE_SHORT 255

/* argp's description of a subcommand. */
struct usage_page {
	const struct td_command *command;
	const struct td_command *const *commands;
	char title[TD_TITLE_SIZE];
	struct argp_option *options;
	size_t nr_hidden; /* options that --help leaves out */
	struct argp argp;
};

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
	{ "usage", USAGE_SHORT, NULL, 0, "show a short usage message", -1 },
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

/* Returns the option with the key, or NULL. */
static const struct td_option *usage_option(const struct usage_page *page, int key)
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

static bool is_usual(const struct usage_page *page, const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(usual); i++) {
		if (strcmp(usual[i], name) == 0)
			return true;
	}
	return page->command != page->commands[0] &&
	       !td_option_find(page->commands[0]->groups, name, strlen(name));
}

/* Hide uncommon options: argp accepts them, but does not show them. */
static void hide_unusual(struct usage_page *page)
{
	struct argp_option *o = page->options;

	if (count_options(page->command->groups) <= FEW)
		return;
	for (; o->name || o->doc; o++) {
		if (o->name && (o->group < 0 ? o->key == USAGE_SHORT : !is_usual(page, o->name))) {
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

static void put_end(FILE *fp, const struct usage_page *page)
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
	const struct usage_page *page = *(struct usage_page **)input;
	char *doc = NULL;
	size_t size;
	FILE *fp;

	if (key == ARGP_KEY_HELP_DUP_ARGS_NOTE)
		return NULL; /* omit argp's note on arguments of long options */
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

/*
 * Make the page of a subcommand.  parser gets keys for usage_option() and ARGP_KEY_...;
 * state->input must begin with a struct usage_page *.
 */
static void usage_open(struct usage_page *page, const struct td_command *command,
		       const struct td_command *const *commands, argp_parser_t parser)
{
	size_t nr = TD_SECTION_HOW + count_options(command->groups) + TD_ARRAY_SIZE(ours);

	*page = (struct usage_page){ .command = command, .commands = commands };
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

static void usage_close(struct usage_page *page)
{
	free(page->options);
	page->options = NULL;
}

/*
 * Print --help or --usage, depending on key; exit unless ARGP_NO_EXIT is set.  all: include
 * rarely used options.
 */
static void usage_put(struct usage_page *page, struct argp_state *state, int key, bool all)
{
	if (!all && key != USAGE_SHORT)
		hide_unusual(page);
	state->name = page->title;
	argp_state_help(state, stdout,
			key == USAGE_SHORT ? ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK
					   : ARGP_HELP_STD_HELP);
}

static error_t show_only(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != '?')
		return ARGP_ERR_UNKNOWN;
	usage_put(*(struct usage_page **)state->input, state, key, false);
	return 0;
}

void td_usage_show(const struct td_command *command, const struct td_command *const *commands)
{
	static char name[] = "tdstat", help[] = "--help";
	char *argv[] = { name, help, NULL };
	struct usage_page page, *input = &page;

	usage_open(&page, command, commands, show_only);
	argp_parse(&page.argp, 2, argv, ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &input);
	usage_close(&page);
}

/* --- values ---------------------------------------------------------------- */

#define TITLE_SIZE 32

/* Write "-C" to title, or "--timeout" if the option has no letter.  Returns title. */
static const char *make_title(const struct td_option *o, char title[TITLE_SIZE])
{
	if (o->letter)
		snprintf(title, TITLE_SIZE, "-%c", o->letter);
	else
		snprintf(title, TITLE_SIZE, "--%s", o->name);
	return title;
}

static int set_number(const struct td_option *o, const char *arg, int *value, struct td_err *err)
{
	char title[TITLE_SIZE];

	if (td_parse_int(arg, o->min, o->max, value) == 0)
		return 0;
	return td_err_usage(err, "%s %s: not a number from %d to %d", make_title(o, title), arg,
			    o->min, o->max);
}

static int set_level(const struct td_option *o, const char *arg, int *value, struct td_err *err)
{
	int rc = set_number(o, arg, value, err);

	if (!rc && *value == 0)
		*value = 1;
	return rc ? td_suggest_level(arg, err) : 0;
}

static int set_list(const struct td_option *o, const char *arg, struct td_ints *value,
		    struct td_err *err)
{
	char title[TITLE_SIZE];
	int rc;

	make_title(o, title);
	td_ints_free(value);
	rc = td_ints_parse(arg, o->max, value);
	if (rc == -ERANGE)
		return td_err_usage(err, "%s %s: the largest number is %d", title, arg, o->max);
	if (rc == -EDOM)
		return td_err_usage(err, "%s %s: a range goes backwards", title, arg);
	if (!rc && value->nr)
		return 0;
	td_err_usage(err, "%s %s: not a list such as %s", title, arg,
		     o->letter == 'C' ? "0-3,8" : "1234,5678");
	return td_suggest_list(o->letter, arg, err);
}

static int set_text(const struct td_option *o, const char *arg, const char **value,
		    struct td_err *err)
{
	char title[TITLE_SIZE];

	*value = arg;
	if (o->kind == TD_OPTION_TEXT)
		return 0;
	if (!*arg)
		return td_err_usage(err, "%s: an empty name", make_title(o, title));
	/* the name was forgotten */
	if (strcmp(arg, "--") == 0)
		return td_err_usage(err, "%s: -- is not a name", make_title(o, title));
	return 0;
}

/* Set the value of an option; arg is NULL if it has no argument. */
static int set_value(const struct td_option *o, struct td_opts *opts, const char *arg,
		     struct td_err *err)
{
	void *value = (char *)opts + o->offset;
	char title[TITLE_SIZE];

	if (o->given)
		*(bool *)((char *)opts + o->given) = true;
	switch (o->kind) {
	case TD_OPTION_IGNORED:
		return 0;
	case TD_OPTION_FLAG:
		*(bool *)value = true;
		return 0;
	case TD_OPTION_COUNT:
		++*(int *)value;
		return 0;
	case TD_OPTION_BIT:
		*(unsigned int *)value |= 1U << o->min;
		return 0;
	case TD_OPTION_TEXT:
	case TD_OPTION_FILE:
		return set_text(o, arg, value, err);
	case TD_OPTION_FORMAT:
		opts->request.show.formats |= 1U << o->min;
		return set_text(o, arg, &opts->request.show.own_file, err);
	case TD_OPTION_NUMBER:
		return set_number(o, arg, value, err);
	case TD_OPTION_LEVEL:
		return set_level(o, arg, value, err);
	case TD_OPTION_TIME:
		return td_opts_time(make_title(o, title), arg, o->min, value, err);
	case TD_OPTION_LIST:
		return set_list(o, arg, value, err);
	default:
		return o->set(opts, arg, err);
	}
}

/* --- words ----------------------------------------------------------------- */

/* The context of argp's callback; usage_put() gets the first member. */
struct parser {
	struct usage_page *page;
	struct td_opts *opts;
	struct td_err *err;
};

/* Parse a word that is not an option; state->next is the index of the next one. */
static int parse_word(struct parser *p, struct argp_state *state)
{
	struct td_opts *opts = p->opts;
	char **word = state->argv + state->next - 1;
	bool after_dashes = strcmp(word[-1], "--") == 0;
	int rc = 1;

	opts->after_dashes |= after_dashes;
	if (opts->chosen->word && !(opts->chosen->runs && after_dashes))
		rc = opts->chosen->word(opts, *word, p->err);
	if (rc <= 0)
		return rc;
	opts->request.target.command = word;
	opts->request.typed.nr_words = (int)(word - opts->request.typed.words);
	state->next = state->argc;
	return 0;
}

/* -p and -t override -a and -C, as in target__validate() (tools/perf/util/target.c). */
static void override_cpus(struct td_target_ask *target)
{
	if (!td_target_attaches(target) || !(target->all_cpus || target->has_cpus))
		return;
	target->overridden = target->has_cpus ? "-C" : "-a";
	target->all_cpus = target->has_cpus = false;
	td_ints_free(&target->cpus);
}

/* Complete and check the options after the last one. */
static int finish(struct td_opts *opts, struct td_err *err)
{
	const struct td_addition *addition;
	int rc;

	opts->request.dry_run = opts->request.dry_run || opts->request.show.print_perf;
	override_cpus(&opts->request.target);
	/* --no-merge has no effect on tasks; perf 6.1 accepts it */
	if (opts->request.show.not_merged && td_request_is_wide(&opts->request))
		opts->request.show.aggregations |= 1U << TD_AGGREGATE_CPU;
	/* the last format; td_opts_check() refuses several */
	while (opts->request.show.formats >> opts->request.show.format > 1)
		opts->request.show.format++;
	rc = td_opts_check(opts, err);
	/* "-" is standard output, where results go without a name */
	if (opts->request.show.own_file && strcmp(opts->request.show.own_file, "-") != 0)
		opts->request.show.output = opts->request.show.own_file;
	if (rc)
		return rc;
	addition = td_addition_wanted(opts);
	if (addition && addition->check)
		return addition->check(opts, err);
	return opts->chosen->check ? opts->chosen->check(opts, err) : 0;
}

static error_t put_help(struct parser *p, struct argp_state *state, int key, const char *arg)
{
	if (arg && strcmp(arg, "all") != 0)
		return td_err_usage(p->err, "--help=%s: expected --help or --help=all", arg);
	usage_put(p->page, state, key, arg);
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct parser *p = state->input;
	const struct td_option *o;

	switch (key) {
	case ARGP_KEY_ARG:
		return parse_word(p, state);
	case '?':
	case 'h':
	case USAGE_SHORT:
		return put_help(p, state, key, arg);
	case 'V':
		printf("tdstat %s\n", td_version);
		exit(0);
	case ARGP_KEY_END:
		return finish(p->opts, p->err);
	default:
		o = usage_option(p->page, key);
		return o ? set_value(o, p->opts, arg, p->err) : ARGP_ERR_UNKNOWN;
	}
}

/* Run argp, and escape its messages and those of getopt(), which quote words unchanged. */
static int parse_guarded(const struct argp *argp, int argc, char **argv, struct parser *parser)
{
	FILE *real = stderr, *guard = td_need(td_say_open());
	int rc;

	stderr = guard;
	rc = argp_parse(argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, parser);
	stderr = real;
	fclose(guard);
	if (rc && !parser->err->code)
		td_memory_fail(); /* an error of argp itself */
	return rc;
}

/* Return true for "tdstat stat -a", perf's stat; stat(1) needs "tdstat -- stat -c %s FILE". */
static bool is_stat_of_perf(char **words)
{
	return strcmp(words[0], "stat") == 0 && words[1] && words[1][0] == '-';
}

/*
 * Return the index of the word that names a subcommand: the first word that is not an option and
 * not after "--"; 0 if there is none.
 */
static int find_subcommand(const struct td_command *const *commands,
			   const struct td_option_group *const *all, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		if (argv[i][0] != '-' || !argv[i][1])
			return td_command_find(commands, argv[i]) || is_stat_of_perf(argv + i) ? i
											       : 0;
		i += td_option_takes_next(all, argv[i]);
	}
	return 0;
}

/* Returns the groups of all subcommands, with duplicates; the caller frees the array. */
static const struct td_option_group **join_groups(const struct td_command *const *commands)
{
	const struct td_option_group **all, *const *group;
	size_t nr = 1;

	for (const struct td_command *const *c = commands; *c; c++) {
		for (group = (*c)->groups; *group; group++)
			nr++;
	}
	all = td_calloc(nr, sizeof(const struct td_option_group *));
	nr = 0;
	for (; *commands; commands++) {
		for (group = (*commands)->groups; *group; group++)
			all[nr++] = *group;
	}
	return all;
}

/* Choose the subcommand and remove its name from argv.  Returns the new argc. */
static int choose(struct td_opts *opts, const struct td_command *const *commands, int argc,
		  char **argv)
{
	td_autofree const struct td_option_group **all = join_groups(commands);
	int at = find_subcommand(commands, all, argc, argv);

	opts->commands = commands;
	opts->chosen = at ? td_command_find(commands, argv[at]) : NULL;
	if (!opts->chosen)
		opts->chosen = commands[0];
	opts->request.does = opts->chosen->does;
	opts->request.typed.groups = opts->chosen->groups;
	if (!at)
		return argc;
	memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof(*argv));
	return argc - 1;
}

/* Is the result, at the end, one tree per PMU as text? */
static bool shows_final_tree(const struct td_request *request)
{
	return request->does.drills && request->show.format == TD_FORMAT_TEXT &&
	       !request->openmetrics && !request->when.interval_ms && !request->show.metric_only &&
	       !request->ask.no_threshold && !request->show.hybrid_merge &&
	       !request->show.print_perf && !request->target.cgroups &&
	       !request->target.each_cgroup && td_request_aggregation(request) == TD_AGGREGATE_ALL;
}

/* Rows and formats for programs default to level 1, so that their columns do not vary. */
static void set_default_level(struct td_request *request)
{
	/* report defaults to the recorded level, top has its own */
	if (td_ask_is_made(&request->ask) || request->does.leaves_level)
		return;
	request->ask.drill = !td_request_has_events(request) && shows_final_tree(request);
	request->drill_off = request->ask.drill && request->no_multiplex;
	request->ask.drill = request->ask.drill && !request->drill_off;
	request->ask.level = request->ask.drill ? TD_MAX_LEVEL : 1;
	request->level_or_less = request->ask.drill;
	/* levels 1 and 2 do not need files */
	if (td_request_exposes(request)) {
		request->ask.level = 2;
		request->level_or_less = true;
	}
}

int td_opts_parse(struct td_opts *opts, const struct td_command *const *commands, int argc,
		  char **argv, struct td_err *err)
{
	struct usage_page page;
	struct parser parser = { &page, opts, err };
	int rc;

	*opts = (struct td_opts){ .request.when.repeat = 1 };
	td_opts_fill_rows();
	argc = choose(opts, commands, argc, argv);
	opts->request.typed.words = argv + 1;
	opts->request.typed.nr_words = argc > 0 ? argc - 1 : 0;
	usage_open(&page, opts->chosen, commands, parse_option);
	rc = td_suggest_options(argv, opts->chosen, commands, err);
	rc = rc ?: parse_guarded(&page.argp, argc, argv, &parser);
	usage_close(&page);
	set_default_level(&opts->request);
	if (rc)
		td_opts_free(opts);
	return rc;
}
