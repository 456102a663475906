// SPDX-License-Identifier: GPL-2.0-only
/* Hints for mistyped options, commands and names of files. */
#include "cmd/opts/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/opts/option.h"
#include "cmd/wing.h"
#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"
#include "lib/machine/cpu.h"

const struct td_option *td_option_find(const struct td_option_group *const *groups,
				       const char *name, size_t len)
{
	const struct td_option_group *const *group;
	const struct td_option *o;

	td_for_each_option(groups, group, o)
	{
		if (strlen(o->name) == len && strncmp(o->name, name, len) == 0)
			return o;
	}
	return NULL;
}

const struct td_option *td_option_find_begin(const struct td_option_group *const *groups,
					     const char *name, size_t len)
{
	const struct td_option_group *const *group;
	const struct td_option *o;

	td_for_each_option(groups, group, o)
	{
		if (strncmp(o->name, name, len) == 0)
			return o;
	}
	return NULL;
}

const struct td_option *td_option_find_letter(const struct td_option_group *const *groups,
					      int letter)
{
	const struct td_option_group *const *group;
	const struct td_option *o;

	td_for_each_option(groups, group, o)
	{
		if (o->letter == letter)
			return o;
	}
	return NULL;
}

static bool needs_argument(const struct td_option *o)
{
	return o && o->arg && !o->optional;
}

bool td_option_takes_next(const struct td_option_group *const *groups, const char *word)
{
	if (word[1] == '-')
		return !strchr(word, '=') &&
		       needs_argument(td_option_find_begin(groups, word + 2, strlen(word + 2)));
	for (; word[1]; word++) {
		if (needs_argument(td_option_find_letter(groups, word[1])))
			return !word[2];
	}
	return false;
}

/* --- subcommands ---------------------------------------------------------- */

const char *td_command_title(const struct td_command *command,
			     const struct td_command *const *commands, char title[TD_TITLE_SIZE])
{
	bool first = command == commands[0];

	snprintf(title, TD_TITLE_SIZE, "tdstat%s%s", first ? "" : " ", first ? "" : command->name);
	return title;
}

const struct td_command *td_command_find(const struct td_command *const *commands, const char *name)
{
	while (*++commands) {
		if (strcmp((*commands)->name, name) == 0)
			return *commands;
	}
	return NULL;
}

const struct td_addition *td_addition_wanted(const struct td_opts *opts)
{
	for (size_t i = 0; td_wings[i]; i++) {
		const struct td_addition *a = td_wings[i]->additions;

		for (; a && a->command; a++) {
			if (a->is_wanted && strcmp(a->command, opts->chosen->name) == 0 &&
			    a->is_wanted(opts))
				return a;
		}
	}
	return NULL;
}

/* The options that argp adds. */
static const char *const argp_names[] = { "help", "usage", "version" };

#define ARGP_LETTERS "?hV"

/* --- options of another subcommand ---------------------------------------- */

static bool begins_argp_name(const char *name, size_t len)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(argp_names); i++) {
		if (strncmp(argp_names[i], name, len) == 0)
			return true;
	}
	return false;
}

/* Finds the option of this name (len letters) in groups. */
typedef const struct td_option *find_fn(const struct td_option_group *const *groups,
					const char *name, size_t len);

static const struct td_option *find_letter(const struct td_option_group *const *groups,
					   const char *name, size_t len)
{
	(void)len;
	return td_option_find_letter(groups, *name);
}

/*
 * Write the titles of the subcommands with the option, such as "tdstat and tdstat record"; "" if
 * there are none.
 */
static void name_owners(const struct td_command *const *commands, find_fn *find, const char *name,
			size_t len, char *text, size_t size)
{
	const struct td_command *const *last = NULL, *const * c;
	char title[TD_TITLE_SIZE];
	size_t at = 0;

	*text = '\0';
	for (c = commands; *c; c++) {
		if (find((*c)->groups, name, len))
			last = c;
	}
	for (c = commands; last && c <= last && at < size; c++) {
		if (find((*c)->groups, name, len))
			at += (size_t)snprintf(text + at, size - at, "%s%s",
					       !at         ? ""
					       : c == last ? " and "
							   : ", ",
					       td_command_title(*c, commands, title));
	}
}

static bool is_of(const char *subcommand, const struct td_command *const *commands, find_fn *find,
		  const char *name, size_t len)
{
	const struct td_command *owner = td_command_find(commands, subcommand);

	return owner && find(owner->groups, name, len);
}

static bool is_repeat(const char *name, size_t len)
{
	return (len == 1 && *name == 'r') || (len > 1 && strncmp("repeat", name, len) == 0);
}

/* Return an error if another subcommand has the option, else 0. */
static int refuse_others(const struct td_command *command, const struct td_command *const *commands,
			 find_fn *find, const char *name, size_t len, struct td_err *err)
{
	const char *dashes = find == find_letter ? "-" : "--";
	char owners[256], title[TD_TITLE_SIZE];

	name_owners(commands, find, name, len, owners, sizeof(owners));
	if (!*owners)
		return 0;
	td_command_title(command, commands, title);
	td_err_usage(err, "%s takes no %s%.*s: it is an option of %s", title, dashes, (int)len,
		     name, owners);
	if (is_of("report", commands, find, name, len) &&
	    (command == commands[0] || strcmp(command->name, "record") == 0))
		return td_err_hint(
			err,
			"tdstat record -o FILE saves the counts; tdstat report %s%.*s then shows "
			"them",
			dashes, (int)len, name);
	if (strcmp(command->name, "report") == 0 && is_of("record", commands, find, name, len))
		return td_err_hint(err, "use tdstat record %s%.*s, then tdstat report", dashes,
				   (int)len, name);
	if (strcmp(command->name, "record") == 0 && is_repeat(name, len))
		return td_err_hint(
			err,
			"a recording contains one run: make several and compare them with tdstat "
			"diff; tdstat -r shows the mean of runs, tdstat diff -r compares two "
			"commands");
	return td_err_hint(err, "%s --help=all lists its options", title);
}

/* --- options that are mistyped -------------------------------------------- */

static int unknown_option(const struct td_command *command,
			  const struct td_command *const *commands, const char *word,
			  struct td_err *err)
{
	const struct td_option_group *const *group;
	const struct td_option *o;
	char name[TD_CLOSEST_SIZE], title[TD_TITLE_SIZE];
	char names[sizeof(err->hint) / 2];
	struct td_suggest suggest = { .wanted = name, .prefix = "--" };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	td_for_each_option(command->groups, group, o) td_suggest_offer(&suggest, o->name, NULL);
	for (size_t i = 0; i < TD_ARRAY_SIZE(argp_names); i++)
		td_suggest_offer(&suggest, argp_names[i], NULL);
	td_err_usage(err, "unrecognized option '%s'", word);
	td_suggest_format(&suggest, names, sizeof(names));
	if (names[0])
		return td_err_hint(err, "did you mean %s?", names);
	return td_err_hint(err, "%s --help=all lists the options",
			   td_command_title(command, commands, title));
}

/* Check a long option.  Ambiguous abbreviations are left to getopt(). */
static int check_long(const char *word, const struct td_command *command,
		      const struct td_command *const *commands, struct td_err *err)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	int rc;

	if (td_option_find(command->groups, name, len))
		return 0;
	if (td_wing_refuse(word, len + 2, err))
		return err->code;
	/* first, because --metrics is not an abbreviation of --metrics-dir */
	rc = refuse_others(command, commands, td_option_find, name, len, err);
	if (rc || begins_argp_name(name, len) || td_option_find_begin(command->groups, name, len))
		return rc;
	rc = refuse_others(command, commands, td_option_find_begin, name, len, err);
	return rc ?: unknown_option(command, commands, word, err);
}

static bool is_same(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && strncmp(name, word, len) == 0;
}

/* Explain "-event", which getopt() would read as "-e vent". */
static int check_single_dash(const char *word, const struct td_command *const *commands,
			     struct td_err *err)
{
	size_t len = strcspn(word + 1, "=");
	bool is_long = is_same("usage", word + 1, len) || is_same("version", word + 1, len);

	for (; *commands; commands++)
		is_long = is_long || td_option_find((*commands)->groups, word + 1, len);
	if (!is_long)
		return 0;
	td_err_usage(err, "%s: a long option has two dashes", word);
	return td_err_hint(err, "did you mean -%s?", word);
}

static int unknown_letter(const struct td_command *command,
			  const struct td_command *const *commands, char letter, struct td_err *err)
{
	char title[TD_TITLE_SIZE];

	td_err_usage(err, "unrecognized option '-%c'", letter);
	if (letter == 'g')
		return td_err_hint(err, "for call graphs use: tdstat locate --callers");
	return td_err_hint(err, "%s --help=all lists the options",
			   td_command_title(command, commands, title));
}

static int check_letters(const char *word, const struct td_command *command,
			 const struct td_command *const *commands, struct td_err *err)
{
	int rc = check_single_dash(word, commands, err);

	for (word++; !rc && *word; word++) {
		const struct td_option *o = td_option_find_letter(command->groups, *word);

		if (o && o->arg)
			break;
		if (!o && !strchr(ARGP_LETTERS, *word))
			rc = refuse_others(command, commands, find_letter, word, 1, err);
		if (!rc && !o && !strchr(ARGP_LETTERS, *word))
			rc = unknown_letter(command, commands, *word, err);
	}
	return rc;
}

/* Does the word, which is not an option, begin a command? */
static bool begins_command(const struct td_command *command, struct td_opts *words,
			   const char *word)
{
	struct td_err unused;

	return !command->word || (command->runs && command->word(words, word, &unused) == 1);
}

int td_suggest_options(char **argv, const struct td_command *command,
		       const struct td_command *const *commands, struct td_err *err)
{
	struct td_opts words = { 0 };

	for (argv++; *argv && strcmp(*argv, "--") != 0; argv++) {
		const char *word = *argv;
		int rc;

		if (word[0] != '-' || !word[1]) {
			if (begins_command(command, &words, word))
				break;
			continue;
		}
		rc = (word[1] == '-' ? check_long : check_letters)(word, command, commands, err);
		if (rc)
			return rc;
		if (td_option_takes_next(command->groups, word) && !*++argv)
			break;
	}
	return 0;
}

/* --- hints for wrong values of options ------------------------------------ */

#define DIGITS "0123456789"

/* The longest name in /proc/PID/comm, which pgrep -x compares with. */
#define MAX_COMM 15

static bool is_name(const char *text)
{
	for (size_t i = 0; text[i]; i++) {
		if (!isalnum((unsigned char)text[i]) && !strchr("_.-+", text[i]))
			return false;
	}
	return isalpha((unsigned char)text[0]);
}

static int hint_task(int option, const char *arg, struct td_err *err)
{
	if (option == 't')
		return td_err_hint(err, "threads are given by number, as ps -L shows it");
	if (is_name(arg) && strlen(arg) <= MAX_COMM)
		return td_err_hint(err, "processes are given by number: -p $(pgrep -d, -x %s)",
				   arg);
	return td_err_hint(err, "processes are given by number, as pgrep and ps show it");
}

/* Is the argument a core type, such as "core" or "cpu_core"? */
static bool is_core_type(const char *arg)
{
	static const char *const kinds[] = { "core", "atom", "lowpower" };

	if (strncmp(arg, "cpu_", 4) == 0)
		arg += 4;
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++) {
		if (strcmp(arg, kinds[i]) == 0)
			return true;
	}
	return false;
}

static int hint_cpus(const char *arg, struct td_err *err)
{
	struct td_ints list = { 0 };

	if (is_core_type(arg))
		return td_err_hint(err, "did you mean --cputype %s?", arg);
	if (strcmp(arg, "all") == 0)
		return td_err_hint(err, "use -a for all CPUs");
	if (strncasecmp(arg, "cpu", 3) == 0 && td_ints_parse(arg + 3, TD_MAX_CPU, &list) == 0 &&
	    list.nr)
		td_err_hint(err, "did you mean -C %s?", arg + 3);
	td_ints_free(&list);
	return err->code;
}

int td_suggest_list(int option, const char *arg, struct td_err *err)
{
	if (strspn(arg, DIGITS "-, ") == strlen(arg))
		return strpbrk(arg, DIGITS) && strchr(arg, ' ')
			       ? td_err_hint(err, "numbers are separated by commas, without blanks")
			       : err->code;
	return option == 'C' ? hint_cpus(arg, err) : hint_task(option, arg, err);
}

int td_suggest_level(const char *arg, struct td_err *err)
{
	static const char *const before[] = { "L", "TopdownL" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(before); i++) {
		size_t len = strlen(before[i]);

		if (strncasecmp(arg, before[i], len) == 0 && arg[len] >= '1' && arg[len] <= '6' &&
		    !arg[len + 1])
			return td_err_hint(err, "did you mean -l %c?", arg[len]);
	}
	return err->code;
}

/* --- hints for commands and files ----------------------------------------- */

static bool is_number(const char *text)
{
	return *text && strspn(text, DIGITS) == strlen(text);
}

/* Hint for -p $(pidof X) when pidof prints several PIDs. */
static int hint_more_tasks(const struct td_opts *opts, struct td_err *err)
{
	const struct td_ints *ids = opts->request.target.pids.nr ? &opts->request.target.pids
								 : &opts->request.target.tids;
	td_autofree char *list = td_ints_format(ids);

	return td_err_hint(err, "did you mean %s %s,%s? Numbers are separated by commas",
			   opts->request.target.pids.nr ? "-p" : "-t", list,
			   opts->request.target.command[0]);
}

/* Hint for names after a blank: "-e cycles instructions". */
static void hint_more_names(const struct td_opts *opts, struct td_err *err)
{
	const char *word = opts->request.target.command[0];

	if (opts->request.nr_events && td_symbol_find(word))
		td_err_hint(err, "did you mean -e %s,%s? Names are separated by commas",
			    opts->request.events[opts->request.nr_events - 1].list, word);
	else if (opts->request.ask.nr_names &&
		 (strncmp(word, "tma_", 4) == 0 || strncmp(word, "TopdownL", 8) == 0))
		td_err_hint(err, "did you mean -M %s,%s? Names are separated by commas",
			    opts->request.ask.names[opts->request.ask.nr_names - 1], word);
}

/* Does the file exist where execvp() would look for it? */
static bool is_program(const char *name)
{
	td_autofree char *file = td_find_program(name, F_OK);

	return file;
}

int td_suggest_command_name(const char *name, const struct td_opts *opts, struct td_err *err)
{
	const struct td_command *const *commands = opts->commands;
	struct td_suggest suggest = { .wanted = name };
	const char *best = suggest.best[0].name;
	char title[TD_TITLE_SIZE];

	for (const struct td_command *const *c = commands; *c; c++)
		td_suggest_offer(&suggest, (*c)->name, NULL);
	td_suggest_offer(&suggest, "version", NULL);
	for (; *commands; commands++) {
		if (strcmp(best, (*commands)->name) != 0)
			continue;
		if (commands == opts->commands)
			return td_err_hint(
				err, "tdstat does what perf %s does without a subcommand", best);
		return td_err_hint(err, "did you mean %s?",
				   td_command_title(*commands, opts->commands, title));
	}
	return *best ? td_err_hint(err, "did you mean tdstat --version?") : 0;
}

/*
 * Commands of perf that tdstat lacks.  A name that may also be a program to measure, such as bench,
 * is only refused if there is no such program.  script(1) and test(1) exist, but users who type
 * them mean perf's commands.
 */
static const struct {
	const char *name, *instead;
	bool may_be_program;
} perf_commands[] = {
	{ "annotate", "tdstat locate -v shows source lines; " },
	{ "c2c", "tdstat locate tma_contested_accesses shows functions; " },
	{ "mem", "tdstat locate tma_memory_bound shows functions; " },
	{ "script", "tdstat locate --folded FILE writes stacks; " },
	{ "test", "tdstat doctor tests this machine; " },
	{ "archive", "" },
	{ "buildid-cache", "" },
	{ "buildid-list", "" },
	{ "evlist", "" },
	{ "ftrace", "" },
	{ "inject", "" },
	{ "iostat", "" },
	{ "kallsyms", "" },
	{ "kmem", "" },
	{ "kwork", "" },
	{ "lock", "" },
	{ "probe", "" },
	{ "sched", "" },
	{ "timechart", "" },
	{ "trace", "" },
	{ "bench", "", true },
	{ "check", "", true },
	{ "config", "", true },
	{ "daemon", "", true },
	{ "data", "", true },
	{ "kvm", "tdstat -e EVENT:G counts guests; ", true },
};

static int refuse_perf(const char *name, struct td_err *err)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(perf_commands); i++) {
		if (strcmp(perf_commands[i].name, name) != 0 ||
		    (perf_commands[i].may_be_program && is_program(name)))
			continue;
		td_err_usage(err, "%s is a command of perf, not of tdstat", name);
		return td_err_hint(err, "%sa program of this name is run by tdstat -- %s",
				   perf_commands[i].instead, name);
	}
	return 0;
}

int td_suggest_subcommand(const struct td_opts *opts, struct td_err *err)
{
	struct td_err similar = { .code = -ENOENT };
	const char *name;

	if (!opts->request.target.command || opts->after_dashes)
		return 0;
	name = opts->request.target.command[0];
	if (opts->request.show.top == INT_MAX && !is_program(name))
		return td_err_usage(
			err,
			"--sort takes no value: it sorts by lost slots, and '%s' is not a command",
			name);
	if (opts->chosen != opts->commands[0])
		return 0;
	if (refuse_perf(name, err) || td_wing_refuse(name, strlen(name), err))
		return err->code;
	if (!td_suggest_command_name(name, opts, &similar) || is_program(name))
		return 0;
	td_err_set(err, -ENOENT, "%s: %s", name, strerror(ENOENT));
	return td_err_hint(err, "%s", similar.hint);
}

int td_suggest_command(const struct td_opts *opts, struct td_err *err)
{
	const char *command = opts->request.target.command[0];

	if (is_number(command) && td_target_attaches(&opts->request.target))
		return hint_more_tasks(opts, err);
	if (is_number(command) && opts->request.when.interval_ms &&
	    !opts->request.when.interval_count)
		return td_err_hint(err, "did you mean --interval-count %s?", command);
	if (strchr(command, ' ') && !opts->request.target.command[1])
		return td_err_hint(
			err,
			"without the quotes: tdstat -- %s; or for a shell: tdstat -- sh -c '%s'",
			command, command);
	hint_more_names(opts, err);
	return err->code;
}
