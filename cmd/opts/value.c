// SPDX-License-Identifier: GPL-2.0-only
/* What single options say. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/meant.h"
#include "cmd/opts/table.h"
#include "cmd/opts/time.h"
#include "lib/base/parse.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"

#define MAX_LEVEL 6 /* of the deepest trees that there are */

static int parse_number(const char *option, const char *arg, int min, int max,
			int *out, struct td_err *err)
{
	if (td_parse_int(arg, min, max, out) == 0)
		return 0;
	return td_err_usage(err, "%s %s: not a number from %d to %d", option,
			    arg, min, max);
}

static int parse_list(int key, const char *arg, int max, struct td_ints *out,
		      struct td_err *err)
{
	const char option[] = { '-', (char)key, '\0' };
	int rc;

	td_ints_free(out);
	rc = td_ints_parse(arg, max, out);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc == -ERANGE)
		return td_err_usage(err, "%s %s: the largest number is %d",
				    option, arg, max);
	if (rc == -EDOM)
		return td_err_usage(err, "%s %s: a range goes backwards",
				    option, arg);
	if (!rc && out->nr)
		return 0;
	td_err_usage(err, "%s %s: not a list such as %s", option, arg,
		     key == 'C' ? "0-3,8" : "1234,5678");
	return td_meant_list(key, arg, err);
}

/* perf's 0 is "the default". */
static int parse_level(const char *option, const char *arg, int *out,
		       struct td_err *err)
{
	int rc = parse_number(option, arg, 0, MAX_LEVEL, out, err);

	if (!rc && *out == 0)
		*out = 1;
	return rc ? td_meant_level(arg, err) : 0;
}

static int add_metric(struct td_opts *opts, const char *name, size_t len,
		      struct td_err *err)
{
	char **place =
		td_array_add(&opts->metrics, opts->nr_metrics, sizeof(*place));

	if (!place)
		return td_err_nomem(err);
	*place = strndup(name, len);
	if (!*place)
		return td_err_nomem(err);
	opts->nr_metrics++;
	return 0;
}

/*
 * "tma_retiring,TopdownL2", also with blanks; inside of a name these are a part
 * of it: Alder Lake's files have one.
 */
static int add_metrics(struct td_opts *opts, const char *list,
		       struct td_err *err)
{
	const char *start = list, *next;
	int rc = 0;

	while (!rc) {
		size_t len;

		start += strspn(start, ", \t\n");
		len = strcspn(start, ",\n");
		if (!len)
			break;
		next = start + len;
		while (strchr(" \t", start[len - 1]))
			len--;
		rc = add_metric(opts, start, len, err);
		start = next;
	}
	if (!rc && !opts->nr_metrics)
		return td_err_usage(err, "-M: an empty list");
	return rc;
}

static int add_events(struct td_opts *opts, const char *list,
		      struct td_err *err)
{
	struct td_event_arg *arg =
		td_array_add(&opts->events, opts->nr_events, sizeof(*arg));

	if (!arg)
		return td_err_nomem(err);
	arg->list = list;
	opts->nr_events++;
	return 0;
}

static int add_filter(struct td_opts *opts, const char *filter,
		      struct td_err *err)
{
	struct td_event_arg *arg;
	char *both;

	if (!opts->nr_events)
		return td_err_usage(err,
				    "--filter %s: it belongs behind the -e of "
				    "a tracepoint",
				    filter);
	arg = &opts->events[opts->nr_events - 1];
	if ((arg->filter ? asprintf(&both, "(%s) && (%s)", arg->filter, filter)
			 : asprintf(&both, "%s", filter)) < 0)
		return td_err_nomem(err);
	free(arg->filter);
	arg->filter = both;
	return 0;
}

/* Further ones go on where the ones before ended, as perf stat's do. */
static int add_cgroups(struct td_opts *opts, const char *list,
		       struct td_err *err)
{
	char *all;

	if (asprintf(&all, "%s%s%s", opts->cgroups ? opts->cgroups : "",
		     opts->cgroups ? "," : "", list) < 0)
		return td_err_nomem(err);
	free(opts->cgroups);
	opts->cgroups = all;
	opts->cgroups_at = opts->nr_events;
	opts->cgroups_first |= !opts->nr_events && !opts->detail;
	return 0;
}

static int parse_repeat(struct td_opts *opts, const char *arg,
			struct td_err *err)
{
	opts->has_repeat = true;
	return parse_number("-r", arg, 0, INT_MAX, &opts->repeat, err);
}

/* "-" is standard output's place already. */
static int parse_output(struct td_opts *opts, const char *arg,
			struct td_err *err)
{
	opts->output = arg;
	if (!*arg)
		return td_err_usage(err, "-o: an empty name");
	if (strcmp(arg, "-") != 0)
		return 0;
	return td_err_usage(err, "-o -: not a file: results go to standard "
				 "output without -o");
}

static int set_number(struct td_opts *opts, int key, const char *arg,
		      struct td_err *err)
{
	switch (key) {
	case 'I':
		return td_opts_time("-I", arg, 1, &opts->interval_ms, err);
	case OPT_INTERVAL_COUNT:
		return parse_number("--interval-count", arg, 1, INT_MAX,
				    &opts->interval_count, err);
	case OPT_TIMEOUT:
		return td_opts_time("--timeout", arg, 10, &opts->timeout_ms,
				    err);
	case OPT_LOG_FD:
		return parse_number("--log-fd", arg, 1, INT_MAX, &opts->log_fd,
				    err);
	case 'l':
		return parse_level("--level", arg, &opts->level, err);
	case OPT_TD_LEVEL:
		return parse_level("--td-level", arg, &opts->only_level, err);
	case 'D':
		return td_opts_delay(arg, &opts->delay_ms, err);
	case 'r':
		return parse_repeat(opts, arg, err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int set_list(struct td_opts *opts, int key, const char *arg,
		    struct td_err *err)
{
	switch (key) {
	case 'C':
		opts->has_cpus = true;
		return parse_list('C', arg, TD_MAX_CPU, &opts->cpus, err);
	case 'p':
		return parse_list('p', arg, INT_MAX - 1, &opts->pids, err);
	case 't':
		return parse_list('t', arg, INT_MAX - 1, &opts->tids, err);
	case 'M':
		return add_metrics(opts, arg, err);
	case 'e':
		return add_events(opts, arg, err);
	case 'G':
		return add_cgroups(opts, arg, err);
	case OPT_FILTER:
		return add_filter(opts, arg, err);
	case 'o':
		return parse_output(opts, arg, err);
	default:
		return set_number(opts, key, arg, err);
	}
}

int td_opts_set_value(struct td_opts *opts, int key, const char *arg,
		      struct td_err *err)
{
	const struct {
		int key;
		const char **place;
		const char *option; /* of a file's name, which is not empty */
	} texts[] = {
		{ 'i', &opts->input, "-i" },
		{ OPT_INPUT, &opts->input, "--input" },
		{ OPT_CPUTYPE, &opts->cputype },
		{ OPT_METRICS_DIR, &opts->metrics_dir, "--metrics-dir" },
		{ OPT_FOR_EACH_CGROUP, &opts->each_cgroup },
		{ OPT_CONTROL, &opts->control },
		{ OPT_PRE, &opts->pre },
		{ OPT_POST, &opts->post },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++) {
		if (texts[i].key != key)
			continue;
		*texts[i].place = arg;
		return *arg || !texts[i].option
			       ? 0
			       : td_err_usage(err, "%s: an empty name",
					      texts[i].option);
	}
	return set_list(opts, key, arg, err);
}

int td_opts_set_flag(struct td_opts *opts, int key)
{
	bool unused; /* of what is the default anyway */
	const struct {
		int key;
		bool *place;
	} flags[] = {
		{ 'a', &opts->all_cpus },
		{ 'i', &opts->no_inherit },
		{ OPT_NO_INHERIT, &opts->no_inherit },
		{ 'n', &opts->nothing },
		{ 'S', &opts->sync },
		{ OPT_ALL, &opts->all_nodes },
		{ OPT_ALL_KERNEL, &opts->all_kernel },
		{ OPT_ALL_USER, &opts->all_user },
		{ OPT_APPEND, &opts->append },
		{ OPT_DRY_RUN, &opts->dry_run },
		{ OPT_HYBRID_MERGE, &opts->hybrid_merge },
		{ OPT_INTERVAL_CLEAR, &opts->interval_clear },
		{ OPT_METRIC_NO_GROUP, &opts->no_group },
		{ OPT_METRIC_NO_MERGE, &opts->no_merge },
		{ OPT_METRIC_NO_THRESHOLD, &opts->no_threshold },
		{ OPT_METRIC_ONLY, &opts->metric_only },
		{ OPT_NO_CSV_SUMMARY, &opts->no_csv_summary },
		{ OPT_NO_MERGE, &opts->not_merged },
		{ OPT_NO_SCALE, &opts->no_scale },
		{ OPT_PRINT, &opts->print },
		{ OPT_QUIET, &opts->quiet },
		{ OPT_SCALE, &unused },
		{ OPT_SUMMARY, &opts->summary },
		{ OPT_TABLE, &opts->table },
		{ OPT_TOPDOWN, &unused },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(flags); i++) {
		if (flags[i].key == key) {
			*flags[i].place = true;
			return 0;
		}
	}
	switch (key) {
	case 'B':
	case OPT_NO_BIG_NUM: /* the last one holds */
		opts->no_big_num = key != 'B';
		opts->asked_big_num = key == 'B';
		return 0;
	case 'v':
		opts->verbose++;
		return 0;
	case 'd':
		opts->detail++;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
