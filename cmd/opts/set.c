// SPDX-License-Identifier: GPL-2.0-only
/* Stores the value of an option in struct td_opts, as its row says. */
#include "cmd/opts/set.h"

#include <errno.h>
#include <stdio.h>

#include "cmd/opts/meant_value.h"
#include "cmd/opts/time.h"
#include "lib/base/parse.h"

#define TITLE_SIZE 32

/* Writes "-C" to title, or "--timeout" if the option has no letter. */
static const char *make_title(const struct td_option *o, char title[TITLE_SIZE])
{
	if (o->letter)
		snprintf(title, TITLE_SIZE, "-%c", o->letter);
	else
		snprintf(title, TITLE_SIZE, "--%s", o->name);
	return title;
}

static int set_number(const struct td_option *o, const char *arg, int *value,
		      struct td_err *err)
{
	char title[TITLE_SIZE];

	if (td_parse_int(arg, o->min, o->max, value) == 0)
		return 0;
	return td_err_usage(err, "%s %s: not a number from %d to %d",
			    make_title(o, title), arg, o->min, o->max);
}

static int set_level(const struct td_option *o, const char *arg, int *value,
		     struct td_err *err)
{
	int rc = set_number(o, arg, value, err);

	if (!rc && *value == 0)
		*value = 1;
	return rc ? td_meant_level(arg, err) : 0;
}

static int set_list(const struct td_option *o, const char *arg,
		    struct td_ints *value, struct td_err *err)
{
	char title[TITLE_SIZE];
	int rc;

	make_title(o, title);
	td_ints_free(value);
	rc = td_ints_parse(arg, o->max, value);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc == -ERANGE)
		return td_err_usage(err, "%s %s: the largest number is %d",
				    title, arg, o->max);
	if (rc == -EDOM)
		return td_err_usage(err, "%s %s: a range goes backwards", title,
				    arg);
	if (!rc && value->nr)
		return 0;
	td_err_usage(err, "%s %s: not a list such as %s", title, arg,
		     o->letter == 'C' ? "0-3,8" : "1234,5678");
	return td_meant_list(o->letter, arg, err);
}

static int set_text(const struct td_option *o, const char *arg,
		    const char **value, struct td_err *err)
{
	char title[TITLE_SIZE];

	*value = arg;
	if (*arg || o->kind == TD_OPTION_TEXT)
		return 0;
	return td_err_usage(err, "%s: an empty name", make_title(o, title));
}

static int set_format(const struct td_option *o, const char *arg,
		      struct td_opts *opts, struct td_err *err)
{
	opts->formats |= 1U << o->min;
	return set_text(o, arg, &opts->own_file, err);
}

static int set_value(const struct td_option *o, struct td_opts *opts,
		     const char *arg, struct td_err *err)
{
	void *value = (char *)opts + o->offset;
	char title[TITLE_SIZE];

	switch (o->kind) {
	case TD_OPTION_TEXT:
	case TD_OPTION_FILE:
		return set_text(o, arg, value, err);
	case TD_OPTION_FORMAT:
		return set_format(o, arg, opts, err);
	case TD_OPTION_NUMBER:
		return set_number(o, arg, value, err);
	case TD_OPTION_LEVEL:
		return set_level(o, arg, value, err);
	case TD_OPTION_TIME:
		return td_opts_time(make_title(o, title), arg, o->min, value,
				    err);
	case TD_OPTION_LIST:
		return set_list(o, arg, value, err);
	default:
		return o->set(opts, arg, err);
	}
}

int td_option_set(const struct td_option *o, struct td_opts *opts,
		  const char *arg, struct td_err *err)
{
	void *value = (char *)opts + o->offset;

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
	default:
		return set_value(o, opts, arg, err);
	}
}
