// SPDX-License-Identifier: GPL-2.0-only
/* Parse option arguments that need more than a plain number or string. */
#include "cmd/opts/value.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/suggest.h"
#include "lib/base/identity.h"
#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"
#include "lib/sample/record.h"
#include "metrics/diff/diff.h"

#define MAX_OVERHEAD 100 /* percent */

int td_value_level(struct td_opts *opts, const char *arg, struct td_err *err)
{
	opts->request.ask.drill = strcmp(arg, "auto") == 0;
	if (opts->request.ask.drill) {
		opts->request.ask.level = TD_MAX_LEVEL;
		return 0;
	}
	if (td_parse_int(arg, 0, TD_MAX_LEVEL, &opts->request.ask.level)) {
		td_err_usage(err, "-l %s: expected auto or 0 to %d", arg, TD_MAX_LEVEL);
		return td_suggest_level(arg, err);
	}
	/* perf also reads 0 as 1 */
	if (!opts->request.ask.level)
		opts->request.ask.level = 1;
	return 0;
}

/*
 * Split "tma_retiring, TopdownL2".  A name may contain blanks: there is one in the files of
 * Alder Lake.
 */
int td_value_metrics(struct td_opts *opts, const char *list, struct td_err *err)
{
	struct td_ask *ask = &opts->request.ask;
	const char *start = list, *next;

	while (true) {
		char **place;
		size_t len;

		start += strspn(start, ", \t\n");
		len = strcspn(start, ",\n");
		if (!len)
			break;
		next = start + len;
		while (strchr(" \t", start[len - 1]))
			len--;
		place = td_array_add(&ask->names, ask->nr_names, sizeof(*place));
		*place = td_strndup(start, len);
		ask->nr_names++;
		start = next;
	}
	return ask->nr_names ? 0 : td_err_usage(err, "-M: an empty list");
}

int td_value_events(struct td_opts *opts, const char *list, struct td_err *err)
{
	struct td_event_arg *arg =
		td_array_add(&opts->request.events, opts->request.nr_events, sizeof(*arg));

	(void)err;
	arg->list = list;
	opts->request.nr_events++;
	return 0;
}

int td_value_filter(struct td_opts *opts, const char *filter, struct td_err *err)
{
	struct td_event_arg *arg;
	char *joined;

	if (!opts->request.nr_events)
		return td_err_usage(err, "--filter %s: it must follow the -e of a tracepoint",
				    filter);
	arg = &opts->request.events[opts->request.nr_events - 1];
	joined = arg->filter ? td_aprintf("(%s) && (%s)", arg->filter, filter) : td_strdup(filter);
	free(arg->filter);
	arg->filter = joined;
	return 0;
}

int td_value_separator(struct td_opts *opts, const char *arg, struct td_err *err)
{
	if (!*arg)
		return td_err_usage(err, "-x: an empty separator");
	if (strpbrk(arg, "0123456789.-\"\r\n"))
		return td_err_usage(
			err,
			"-x %s: a separator must not contain characters of numbers, quotes or line "
			"ends",
			arg);
	opts->request.show.formats |= 1U << TD_FORMAT_CSV;
	opts->request.show.separator = strcmp(arg, "\\t") == 0 ? "\t" : arg;
	return 0;
}

/* Add the cgroups of -G.  As in perf stat, a further -G continues the list. */
int td_value_cgroups(struct td_opts *opts, const char *list, struct td_err *err)
{
	char *before = opts->request.target.cgroups;

	(void)err;
	opts->request.target.cgroups =
		td_aprintf("%s%s%s", before ? before : "", before ? "," : "", list);
	free(before);
	opts->request.cgroups_at = opts->request.nr_events;
	opts->cgroups_first |= !opts->request.nr_events && !opts->request.detail;
	return 0;
}

/* Parse a cache level such as "L2".  As in perf, the default is the last level. */
int td_value_cache(struct td_opts *opts, const char *arg, struct td_err *err)
{
	opts->request.show.aggregations |= 1U << TD_AGGREGATE_CACHE;
	if (!arg)
		return 0;
	if ((*arg == 'L' || *arg == 'l') &&
	    td_parse_int(arg + 1, 1, TD_MAX_CACHE, &opts->request.show.cache_level) == 0)
		return 0;
	return td_err_usage(err, "--per-cache=%s: expected L1, L2, L3 or L4", arg);
}

int td_value_label(struct td_opts *opts, const char *arg, struct td_err *err)
{
	struct td_head_ask *head = &opts->request.show.head;

	if (!td_label_name(arg))
		return td_err_usage(err, "--label %s: not NAME=VALUE", arg);
	td_array_push(&head->labels, &head->nr_labels, &arg, sizeof(arg));
	return 0;
}

/* Set --time-format.  The last one on the command line wins. */
int td_value_time_format(struct td_opts *opts, const char *arg, struct td_err *err)
{
	enum td_time_format *time = &opts->request.show.time;

	for (*time = 0; *time < TD_NR_TIME_FORMATS; ++*time) {
		if (strcmp(arg, td_time_format_name(*time)) == 0)
			return 0;
	}
	return td_err_usage(err, "--time-format %s: expected seconds, wall or epoch", arg);
}

/* Set -o.  "-" means standard output, the default. */
int td_value_output(struct td_opts *opts, const char *arg, struct td_err *err)
{
	opts->request.show.output = arg;
	if (!*arg)
		return td_err_usage(err, "-o: an empty name");
	if (strcmp(arg, "-") != 0)
		return 0;
	return td_err_usage(err, "-o -: not a file: results go to standard output without -o");
}

int td_value_sort(struct td_opts *opts, const char *arg, struct td_err *err)
{
	(void)arg;
	(void)err;
	if (!opts->request.show.top)
		opts->request.show.top = INT_MAX;
	return 0;
}

/* Set -B or --no-big-num.  The last one wins. */
int td_value_big_num(struct td_opts *opts, const char *arg, struct td_err *err)
{
	(void)arg;
	(void)err;
	opts->request.show.no_big_num = false;
	opts->request.show.asked_big_num = true;
	return 0;
}

int td_value_no_big_num(struct td_opts *opts, const char *arg, struct td_err *err)
{
	(void)arg;
	(void)err;
	opts->request.show.no_big_num = true;
	opts->request.show.asked_big_num = false;
	return 0;
}

int td_value_per(struct td_opts *opts, const char *arg, struct td_err *err)
{
	for (int per = TD_PER_INSTRUCTIONS; per < TD_NR_PERS; per++) {
		if (strcmp(arg, td_per_option((enum td_per)per)) != 0)
			continue;
		opts->diff.per = (enum td_per)per;
		return 0;
	}
	return td_err_usage(err, "--per %s: expected instructions, second, run or slots", arg);
}

/* Parse the SIZE of dwarf[,SIZE], which is rounded up to a multiple of 8, as in perf. */
static int parse_stack_size(struct td_opts *opts, const char *size, struct td_err *err)
{
	int bytes = 8192;

	if (*size && td_parse_int(size + 1, 8, TD_MAX_COPIED, &bytes))
		return td_err_usage(
			err, "--call-graph dwarf%s: the size is a number of bytes from 8 to %d",
			size, TD_MAX_COPIED);
	opts->request.sampling.files.copied = (uint16_t)((bytes + 7) / 8 * 8);
	return 0;
}

int td_value_call_graph(struct td_opts *opts, const char *arg, struct td_err *err)
{
	static const char dwarf[] = "dwarf";
	size_t length = strlen(dwarf);

	opts->request.sampling.files.lbr = strcmp(arg, "lbr") == 0;
	opts->request.sampling.files.copied = 0;
	if (opts->request.sampling.files.lbr || strcmp(arg, "fp") == 0)
		return 0;
	if (strncmp(arg, dwarf, length) == 0 && (!arg[length] || arg[length] == ','))
		return parse_stack_size(opts, arg + length, err);
	return td_err_usage(err, "--call-graph %s: expected fp, lbr or dwarf[,SIZE]", arg);
}

int td_value_count(struct td_opts *opts, const char *arg, struct td_err *err)
{
	struct td_sampling_ask *sampling = &opts->request.sampling;

	sampling->period = 0;
	sampling->usual_period = strcmp(arg, "default") == 0;
	if (sampling->usual_period ||
	    (!td_parse_u64(arg, INT64_MAX, &sampling->period) && sampling->period))
		return 0;
	return td_err_usage(err, "-c %s: expected default, or a number of events, 1 or more", arg);
}

/* Parse a percentage, "1%" or "0.5". */
int td_value_overhead(struct td_opts *opts, const char *arg, struct td_err *err)
{
	char *end;
	double value = strtod(arg, &end);

	end += *end == '%';
	if (end == arg || *end || !(value > 0 && value <= MAX_OVERHEAD) ||
	    strspn(arg, "0123456789.%") != strlen(arg))
		return td_err_usage(err, "--overhead %s: not a percentage above 0 and up to %d",
				    arg, MAX_OVERHEAD);
	opts->request.sampling.overhead_pct = value;
	return 0;
}

int td_value_delay(struct td_opts *opts, const char *arg, struct td_err *err)
{
	opts->request.when.delay_ms = -1;
	if (strcmp(arg, "-1") == 0)
		return 0;
	if (arg[0] == '-')
		return td_err_usage(err, "-D %s: neither a time nor -1", arg);
	return td_opts_time("-D", arg, 0, &opts->request.when.delay_ms, err);
}

int td_value_pattern(struct td_opts *opts, const char *arg, struct td_err *err)
{
	(void)err;
	td_array_push(&opts->patterns, &opts->nr_patterns, &arg, sizeof(arg));
	return 0;
}

/* --- the times of -I, -D and --timeout ------------------------------------ */

/* Refuse "1.5", with a hint because it probably means seconds. */
static int not_whole(const char *option, const char *arg, struct td_err *err)
{
	td_err_usage(err, "%s %s: not whole milliseconds", option, arg);
	if (*td_parse_ms_unit(arg))
		return err->code;
	return td_err_hint(err, "a bare number is milliseconds: did you mean %s %ss?", option, arg);
}

int td_opts_time(const char *option, const char *arg, int min, int *out, struct td_err *err)
{
	switch (td_parse_ms(arg, min, INT_MAX, out)) {
	case 0:
		return 0;
	case -ENOTSUP:
		return td_err_usage(err,
				    "%s %s: '%s' is not a unit of time: use ms, s or m; a bare "
				    "number is milliseconds",
				    option, arg, td_parse_ms_unit(arg));
	case -EDOM:
		return not_whole(option, arg, err);
	case -ERANGE:
		return td_err_usage(err, "%s %s: not a time from %d to %d ms", option, arg, min,
				    INT_MAX);
	default:
		return td_err_usage(err, "%s %s: not a time such as 500, 500ms, 1.5s or 2m", option,
				    arg);
	}
}
