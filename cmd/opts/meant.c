// SPDX-License-Identifier: GPL-2.0-only
/* Near misses of the command line. */
#include "cmd/opts/meant.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/closest.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"

#define DIGITS "0123456789"

/* Of a task's name in /proc/PID/comm, which pgrep -x compares. */
#define MAX_COMM 15

/* --- options ---------------------------------------------------------------------- */

/* argp's own. */
static const char *const argp_names[] = { "help", "usage", "version" };

static bool begins(const char *name, const char *with, size_t len)
{
	return name && strncmp(name, with, len) == 0;
}

static bool is_same(const char *name, const char *word, size_t len)
{
	return begins(name, word, len) && !name[len];
}

/* Abbreviations are fine; of an ambiguous one getopt() says enough. */
static bool is_known(const struct argp_option *options, const char *name,
		     size_t len)
{
	for (; options->name || options->key || options->doc; options++) {
		if (begins(options->name, name, len))
			return true;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(argp_names); i++) {
		if (begins(argp_names[i], name, len))
			return true;
	}
	return false;
}

/* What is nearest so far. */
struct nearest {
	const char *wanted, *name;
	size_t distance;
};

/* Abbreviations may be mistyped, too: "intervel" is near "interval-print". */
static void offer_option(struct nearest *nearest, const char *name)
{
	size_t most = strlen(name), len = strlen(nearest->wanted);
	char part[TD_CLOSEST_SIZE];

	for (size_t n = len > 1 ? len - 1 : 1; n <= len + 1; n++) {
		struct td_closest closest = { .wanted = nearest->wanted };

		if (n > most)
			break;
		snprintf(part, sizeof(part), "%.*s", (int)n, name);
		td_closest_offer(&closest, part);
		/* a whole name before an abbreviation as near */
		if (!closest.best[0] ||
		    (nearest->name &&
		     2 * closest.distance + (n < most) >= nearest->distance))
			continue;
		nearest->name = name;
		nearest->distance = 2 * closest.distance + (n < most);
	}
}

static int unknown_option(const struct argp_option *options, const char *word,
			  struct td_err *err)
{
	char name[TD_CLOSEST_SIZE];
	struct nearest nearest = { .wanted = name };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		 word + 2);
	for (; options->name || options->key || options->doc; options++) {
		if (options->name)
			offer_option(&nearest, options->name);
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(argp_names); i++)
		offer_option(&nearest, argp_names[i]);
	td_err_usage(err, "unrecognized option '%s'", word);
	if (nearest.name)
		return td_err_hint(err, "did you mean --%s?", nearest.name);
	return td_err_hint(err, "tdstat --help lists the options");
}

/* "-event": with one dash these are letters, or an argument right behind one. */
static int check_single_dash(const struct argp_option *options,
			     const char *word, struct td_err *err)
{
	size_t len = strcspn(word + 1, "=");
	bool is_long = is_same("usage", word + 1, len) ||
		       is_same("version", word + 1, len);

	for (; options->name || options->key || options->doc; options++)
		is_long = is_long || is_same(options->name, word + 1, len);
	if (!is_long)
		return 0;
	td_err_usage(err, "%s: a long option has two dashes", word);
	return td_err_hint(err, "did you mean -%s?", word);
}

static const struct argp_option *find_option(const struct argp_option *options,
					     const char *word, size_t len)
{
	for (; options->name || options->key || options->doc; options++) {
		if (word[1] == '-' ? begins(options->name, word + 2, len - 2)
				   : options->key == word[1])
			return options;
	}
	return NULL;
}

static bool wants_argument(const struct argp_option *option)
{
	return option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* "-I", "-aI", "--cpu": the next word belongs to it; not "-I9", "--cpu=1" */
bool td_option_takes_next(const struct argp_option *options, const char *word)
{
	if (word[1] == '-')
		return !strchr(word, '=') &&
		       wants_argument(find_option(options, word, strlen(word)));
	for (; word[1]; word++) {
		if (wants_argument(find_option(options, word, 0)))
			return !word[2];
	}
	return false;
}

static bool is_subcommand(const char *word)
{
	return strcmp(word, "record") == 0 || strcmp(word, "report") == 0 ||
	       strcmp(word, "list") == 0;
}

/* The words up to a command: of list and report, all of them are theirs. */
int td_meant_options(char **argv, const struct argp_option *options,
		     struct td_err *err)
{
	bool takes_words = false, begun = false;

	for (argv++; *argv && strcmp(*argv, "--") != 0; argv++) {
		const char *word = *argv;
		int rc = 0;

		if (word[0] != '-') {
			if (!takes_words && (begun || !is_subcommand(word)))
				break;
			takes_words = takes_words || *word != 'r' ||
				      strcmp(word, "report") == 0;
			begun = true;
			continue;
		}
		if (word[1] != '-')
			rc = check_single_dash(options, word, err);
		else if (!is_known(options, word + 2, strcspn(word + 2, "=")))
			rc = unknown_option(options, word, err);
		if (rc)
			return rc;
		if (td_option_takes_next(options, word) && !*++argv)
			break;
	}
	return 0;
}

/* --- arguments -------------------------------------------------------------------- */

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
		return td_err_hint(err, "a thread is meant by its number, as "
					"ps -L shows it");
	if (is_name(arg) && strlen(arg) <= MAX_COMM)
		return td_err_hint(err,
				   "a process is meant by its number: -p "
				   "$(pgrep -d, -x %s)",
				   arg);
	return td_err_hint(err, "a process is meant by its number, as pgrep "
				"and ps show it");
}

/* "cpu_core" and "core" */
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
		return td_err_hint(err, "all CPUs are -a");
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
