// SPDX-License-Identifier: GPL-2.0-only
/* The times of -I, -D and --timeout. */
#include "cmd/opts/time.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/base/parse.h"

/* "1.5" was probably meant as seconds. */
static int not_whole(const char *option, const char *arg, struct td_err *err)
{
	td_err_usage(err, "%s %s: not whole milliseconds", option, arg);
	if (*td_parse_ms_unit(arg))
		return err->code;
	return td_err_hint(
		err, "a bare number is milliseconds: did you mean %s %ss?",
		option, arg);
}

static int no_unit(const char *option, const char *arg, struct td_err *err)
{
	return td_err_usage(err,
			    "%s %s: '%s' is not a unit of time: use ms, s or "
			    "m; a bare number is milliseconds",
			    option, arg, td_parse_ms_unit(arg));
}

int td_opts_time(const char *option, const char *arg, int min, int *out,
		 struct td_err *err)
{
	switch (td_parse_ms(arg, min, INT_MAX, out)) {
	case 0:
		return 0;
	case -ENOTSUP:
		return no_unit(option, arg, err);
	case -EDOM:
		return not_whole(option, arg, err);
	case -ERANGE:
		return td_err_usage(err, "%s %s: not a time from %d to %d ms",
				    option, arg, min, INT_MAX);
	default:
		return td_err_usage(err,
				    "%s %s: not a time such as 500, 500ms, "
				    "1.5s or 2m",
				    option, arg);
	}
}

int td_opts_delay(const char *arg, int *out, struct td_err *err)
{
	*out = -1;
	if (strcmp(arg, "-1") == 0)
		return 0;
	if (arg[0] == '-')
		return td_err_usage(err, "-D %s: neither a time nor -1", arg);
	return td_opts_time("-D", arg, 0, out, err);
}
