// SPDX-License-Identifier: GPL-2.0-only
/* Options that are rows of other tables. */
#include "cmd/opts/rows.h"

#include <string.h>

#include "cmd/out/writers.h"
#include "lib/base/parse.h"
#include "lib/count/aggregations.h"

/* Keys of those without a letter, behind all of table.h's. */
enum {
	KEY_AGGREGATION = 0x1000,
	KEY_FORMAT = 0x2000,
};

static int key_of(const char *letter, int base, size_t i)
{
	return letter ? letter[1] : base + (int)i;
}

static int aggregation_key(size_t i)
{
	return key_of(td_aggregation_row((enum td_aggregation)i)->letter,
		      KEY_AGGREGATION, i);
}

static int format_key(size_t i)
{
	return key_of(td_out_find((enum td_format_kind)i)->letter, KEY_FORMAT,
		      i);
}

/* The first format is the one without an option. */
size_t td_opts_nr_rows(void)
{
	return td_nr_aggregations() + td_nr_formats() - 1;
}

void td_opts_rows(struct argp_option *options)
{
	for (size_t i = 0; i < td_nr_aggregations(); i++) {
		const struct td_aggregation_row *row =
			td_aggregation_row((enum td_aggregation)i);

		*options++ = (struct argp_option){
			.name = row->option + 2,
			.key = aggregation_key(i),
			.arg = row->arg,
			.flags = row->arg ? OPTION_ARG_OPTIONAL : 0,
			.doc = row->help,
		};
	}
	for (size_t i = TD_FORMAT_TEXT + 1; i < td_nr_formats(); i++) {
		const struct td_out *out = td_out_find((enum td_format_kind)i);

		*options++ = (struct argp_option){
			.name = out->option + 2,
			.key = format_key(i),
			.arg = out->arg,
			.doc = out->help,
		};
	}
}

/* "L2", perf's words for it; none: the last level */
static int parse_cache(struct td_opts *opts, const char *arg,
		       struct td_err *err)
{
	if ((*arg == 'L' || *arg == 'l') &&
	    td_parse_int(arg + 1, 1, TD_MAX_CACHE, &opts->cache_level) == 0)
		return 0;
	return td_err_usage(err, "--per-cache=%s: not one of L1, L2, L3, L4",
			    arg);
}

static int parse_separator(struct td_opts *opts, const char *arg,
			   struct td_err *err)
{
	if (!*arg)
		return td_err_usage(err, "-x: an empty separator");
	if (strpbrk(arg, "0123456789.-\"\r\n"))
		return td_err_usage(err,
				    "-x %s: a separator must not be a part of "
				    "numbers, a quote or a line end",
				    arg);
	opts->separator = strcmp(arg, "\\t") == 0 ? "\t" : arg;
	return 0;
}

int td_opts_set_row(struct td_opts *opts, int key, const char *arg,
		    struct td_err *err)
{
	for (size_t i = 0; i < td_nr_aggregations(); i++) {
		if (aggregation_key(i) != key)
			continue;
		opts->aggregations |= 1U << i;
		return arg ? parse_cache(opts, arg, err) : 0;
	}
	for (size_t i = TD_FORMAT_TEXT + 1; i < td_nr_formats(); i++) {
		if (format_key(i) != key)
			continue;
		opts->formats |= 1U << i;
		opts->format = (enum td_format_kind)i;
		return arg ? parse_separator(opts, arg, err) : 0;
	}
	return ARGP_ERR_UNKNOWN;
}
