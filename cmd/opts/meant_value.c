// SPDX-License-Identifier: GPL-2.0-only
/* Hints for wrong values of options. */
#include "cmd/opts/meant_value.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/base/ints.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"

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
