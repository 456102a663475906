// SPDX-License-Identifier: GPL-2.0-only
/* Explains options that are mistyped or belong to another subcommand. */
#include "cmd/opts/meant.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/ints.h"
#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"

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
typedef const struct td_option *
find_fn(const struct td_option_group *const *groups, const char *name,
	size_t len);

static const struct td_option *
find_letter(const struct td_option_group *const *groups, const char *name,
	    size_t len)
{
	(void)len;
	return td_option_find_letter(groups, *name);
}

/* Writes "tdstat and tdstat record" to text, or "" if none has the option. */
static void name_owners(const struct td_command *const *commands, find_fn *find,
			const char *name, size_t len, char *text, size_t size)
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
			at += (size_t)snprintf(
				text + at, size - at, "%s%s",
				!at         ? ""
				: c == last ? " and "
					    : ", ",
				td_command_title(*c, commands, title));
	}
}

static bool is_of(const char *subcommand,
		  const struct td_command *const *commands, find_fn *find,
		  const char *name, size_t len)
{
	const struct td_command *owner = td_command_find(commands, subcommand);

	return owner && find(owner->groups, name, len);
}

/* An error if another subcommand has the option, else 0. */
static int refuse_others(const struct td_command *command,
			 const struct td_command *const *commands,
			 find_fn *find, const char *name, size_t len,
			 struct td_err *err)
{
	const char *dashes = find == find_letter ? "-" : "--";
	char owners[256], title[TD_TITLE_SIZE];

	name_owners(commands, find, name, len, owners, sizeof(owners));
	if (!*owners)
		return 0;
	td_command_title(command, commands, title);
	td_err_usage(err, "%s takes no %s%.*s: it is an option of %s", title,
		     dashes, (int)len, name, owners);
	/* recordings can be shown so: counting has been done */
	if (is_of("report", commands, find, name, len) &&
	    (command == commands[0] || strcmp(command->name, "record") == 0))
		return td_err_hint(err,
				   "tdstat record -o FILE saves the counts, "
				   "which tdstat report %s%.*s shows then",
				   dashes, (int)len, name);
	if (strcmp(command->name, "report") == 0 &&
	    is_of("record", commands, find, name, len))
		return td_err_hint(err,
				   "tdstat record %s%.*s records so, and "
				   "report shows that",
				   dashes, (int)len, name);
	return td_err_hint(err, "%s --help=all lists its options", title);
}

/* --- options that are mistyped -------------------------------------------- */

/* "count" is a word of "interval-count". */
static bool has_word(const char *name, const char *word)
{
	size_t len = strlen(word);

	while ((name = strchr(name, '-'))) {
		name++;
		if (strncmp(name, word, len) == 0 &&
		    (name[len] == '-' || !name[len]))
			return true;
	}
	return false;
}

static void take_name(struct td_closest *nearest, const char *name,
		      size_t distance)
{
	snprintf(nearest->best, sizeof(nearest->best), "%s", name);
	nearest->distance = distance;
}

/*
 * Abbreviations may be mistyped, too: "intervel" is near "interval-print", but
 * "port" not near "for-each-cgroup".  Distances are doubled, so that a whole name is
 * nearer than a part of another.
 */
static void offer_option(struct td_closest *nearest, const char *name)
{
	size_t most = strlen(name), len = strlen(nearest->wanted);
	char part[TD_CLOSEST_SIZE];

	if (has_word(name, nearest->wanted) && nearest->distance != 1)
		take_name(nearest, name, 1);
	for (size_t n = len > 1 ? len - 1 : 1; n <= len + 1; n++) {
		struct td_closest closest = { .wanted = nearest->wanted };
		size_t distance;

		if (n > most)
			break;
		snprintf(part, sizeof(part), "%.*s", (int)n, name);
		td_closest_offer(&closest, part);
		distance = 2 * closest.distance + (n < most);
		if (n < most && closest.distance * 3 > len)
			continue;
		if (closest.best[0] &&
		    (!nearest->best[0] || distance < nearest->distance))
			take_name(nearest, name, distance);
	}
}

static int unknown_option(const struct td_command *command,
			  const struct td_command *const *commands,
			  const char *word, struct td_err *err)
{
	const struct td_option_group *const *group;
	const struct td_option *o;
	char name[TD_CLOSEST_SIZE], title[TD_TITLE_SIZE];
	struct td_closest nearest = { .wanted = name };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		 word + 2);
	td_for_each_option(command->groups, group, o)
		offer_option(&nearest, o->name);
	for (size_t i = 0; i < TD_ARRAY_SIZE(argp_names); i++)
		offer_option(&nearest, argp_names[i]);
	td_err_usage(err, "unrecognized option '%s'", word);
	if (nearest.best[0])
		return td_err_hint(err, "did you mean --%s?", nearest.best);
	return td_err_hint(err, "%s --help=all lists the options",
			   td_command_title(command, commands, title));
}

/* getopt() explains ambiguous abbreviations. */
static int check_long(const char *word, const struct td_command *command,
		      const struct td_command *const *commands,
		      struct td_err *err)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	int rc;

	if (td_option_find(command->groups, name, len))
		return 0;
	/* first, as --metrics is not an abbreviation of --metrics-dir */
	rc = refuse_others(command, commands, td_option_find, name, len, err);
	if (rc || begins_argp_name(name, len) ||
	    td_option_find_begin(command->groups, name, len))
		return rc;
	rc = refuse_others(command, commands, td_option_find_begin, name, len,
			   err);
	return rc ? rc : unknown_option(command, commands, word, err);
}

static bool is_same(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && strncmp(name, word, len) == 0;
}

/* "-event" with one dash is read as letters, or as "-e vent". */
static int check_single_dash(const char *word,
			     const struct td_command *const *commands,
			     struct td_err *err)
{
	size_t len = strcspn(word + 1, "=");
	bool is_long = is_same("usage", word + 1, len) ||
		       is_same("version", word + 1, len);

	for (; *commands; commands++)
		is_long = is_long ||
			  td_option_find((*commands)->groups, word + 1, len);
	if (!is_long)
		return 0;
	td_err_usage(err, "%s: a long option has two dashes", word);
	return td_err_hint(err, "did you mean -%s?", word);
}

static int unknown_letter(const struct td_command *command,
			  const struct td_command *const *commands, char letter,
			  struct td_err *err)
{
	char title[TD_TITLE_SIZE];

	td_err_usage(err, "unrecognized option '-%c'", letter);
	if (letter == 'g')
		return td_err_hint(err, "chains of callers: tdstat locate "
					"--callers");
	return td_err_hint(err, "%s --help=all lists the options",
			   td_command_title(command, commands, title));
}

static int check_letters(const char *word, const struct td_command *command,
			 const struct td_command *const *commands,
			 struct td_err *err)
{
	int rc = check_single_dash(word, commands, err);

	for (word++; !rc && *word; word++) {
		const struct td_option *o =
			td_option_find_letter(command->groups, *word);

		if (o && o->arg)
			break;
		if (!o && !strchr(ARGP_LETTERS, *word))
			rc = refuse_others(command, commands, find_letter, word,
					   1, err);
		if (!rc && !o && !strchr(ARGP_LETTERS, *word))
			rc = unknown_letter(command, commands, *word, err);
	}
	return rc;
}

/* Does a word that is no option begin a command, whose options follow? */
static bool begins_command(const struct td_command *command,
			   struct td_opts *words, const char *word)
{
	struct td_err unused;

	return !command->word ||
	       (command->runs && command->word(words, word, &unused) == 1);
}

int td_meant_options(char **argv, const struct td_command *command,
		     const struct td_command *const *commands,
		     struct td_err *err)
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
		rc = (word[1] == '-' ? check_long : check_letters)(
			word, command, commands, err);
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
		if (!isalnum((unsigned char)text[i]) &&
		    !strchr("_.-+", text[i]))
			return false;
	}
	return isalpha((unsigned char)text[0]);
}

static int meant_task(int option, const char *arg, struct td_err *err)
{
	if (option == 't')
		return td_err_hint(err, "threads are given by number, as ps "
					"-L shows it");
	if (is_name(arg) && strlen(arg) <= MAX_COMM)
		return td_err_hint(err,
				   "processes are given by number: -p "
				   "$(pgrep -d, -x %s)",
				   arg);
	return td_err_hint(err, "processes are given by number, as pgrep and "
				"ps show it");
}

/* "core" or "cpu_core" */
static bool is_kind(const char *arg)
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

static int meant_cpus(const char *arg, struct td_err *err)
{
	struct td_ints list = { 0 };

	if (is_kind(arg))
		return td_err_hint(err, "did you mean --cputype %s?", arg);
	if (strcmp(arg, "all") == 0)
		return td_err_hint(err, "use -a for all CPUs");
	if (strncasecmp(arg, "cpu", 3) == 0 &&
	    td_ints_parse(arg + 3, TD_MAX_CPU, &list) == 0 && list.nr)
		td_err_hint(err, "did you mean -C %s?", arg + 3);
	td_ints_free(&list);
	return err->code;
}

int td_meant_list(int option, const char *arg, struct td_err *err)
{
	if (strspn(arg, DIGITS "-, ") == strlen(arg))
		return strpbrk(arg, DIGITS) && strchr(arg, ' ')
			       ? td_err_hint(err, "numbers are separated by "
						  "commas, without blanks")
			       : err->code;
	return option == 'C' ? meant_cpus(arg, err)
			     : meant_task(option, arg, err);
}

int td_meant_level(const char *arg, struct td_err *err)
{
	static const char *const before[] = { "L", "TopdownL" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(before); i++) {
		size_t len = strlen(before[i]);

		if (strncasecmp(arg, before[i], len) == 0 && arg[len] >= '1' &&
		    arg[len] <= '6' && !arg[len + 1])
			return td_err_hint(err, "did you mean -l %c?",
					   arg[len]);
	}
	return err->code;
}
