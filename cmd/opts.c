// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts_check.h"
#include "lib/cpu.h"
#include "lib/util.h"

#define MAX_LEVEL 6 /* of the deepest trees that there are */

#ifndef TDSTAT_VERSION
#define TDSTAT_VERSION "unknown"
#endif

enum {
	OPT_ALL = 256,
	OPT_APPEND,
	OPT_CPUTYPE,
	OPT_DRY_RUN,
	OPT_FILTER,
	OPT_HYBRID_MERGE,
	OPT_INTERVAL_COUNT,
	OPT_METRICS_DIR,
	OPT_METRIC_NO_GROUP,
	OPT_METRIC_NO_MERGE,
	OPT_METRIC_NO_THRESHOLD,
	OPT_METRIC_ONLY,
	OPT_NO_BIG_NUM,
	OPT_PRINT,
	OPT_TD_LEVEL,
	OPT_TIMEOUT,
	OPT_TOPDOWN,
};

/* clang-format off */
static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to count:", 1 },
	{ "all-cpus", 'a', NULL, 0,
	  "the whole machine (implied when nothing else is named)", 0 },
	{ "cpu", 'C', "LIST", 0, "whole CPUs: 0-3,8", 0 },
	{ "pid", 'p', "LIST", 0,
	  "running processes, with their threads and children", 0 },
	{ "cputype", OPT_CPUTYPE, "TYPE", 0,
	  "one kind of core: core, atom, lowpower, or a PMU's name", 0 },
	{ "level", 'l', "N", 0, "the tree down to level N (default 1)", 0 },
	{ "td-level", OPT_TD_LEVEL, "N", 0, "level N of the tree alone", 0 },
	{ "topdown", OPT_TOPDOWN, NULL, 0, "accepted: it is the default", 0 },

	{ "metrics", 'M', "LIST", 0,
	  "metrics and groups of them: names, tma_*, NAME:u", 0 },
	{ "metrics-dir", OPT_METRICS_DIR, "DIR", 0,
	  "other event and metric files than the program's", 0 },
	{ "metric-no-group", OPT_METRIC_NO_GROUP, NULL, 0,
	  "count each event by itself", 0 },
	{ "metric-no-merge", OPT_METRIC_NO_MERGE, NULL, 0,
	  "count each metric's events for it alone", 0 },
	{ "metric-no-threshold", OPT_METRIC_NO_THRESHOLD, NULL, 0,
	  "no thresholds, and no events for them", 0 },
	{ "metric-only", OPT_METRIC_ONLY, NULL, 0,
	  "accepted: metrics are shown without their counts", 0 },
	{ "event", 'e', "LIST", 0,
	  "events instead of the tree, as perf stat -e takes them", 0 },
	{ "filter", OPT_FILTER, "FILTER", 0,
	  "for the tracepoints of the -e before it", 0 },
	{ "detailed", 'd', NULL, 0,
	  "perf stat's default events; -dd, -ddd: caches too", 0 },
	{ "null", 'n', NULL, 0, "count nothing: the time alone", 0 },

	{ NULL, 0, NULL, 0, "When:", 2 },
	{ "interval-print", 'I', "MS", 0, "a row every MS milliseconds", 0 },
	{ "interval-count", OPT_INTERVAL_COUNT, "N", 0,
	  "stop printing after N rows", 0 },
	{ "timeout", OPT_TIMEOUT, "MS", 0,
	  "stop after MS milliseconds, and end the command", 0 },

	{ NULL, 0, NULL, 0, "How to show it:", 3 },
	{ "all", OPT_ALL, NULL, 0,
	  "from level 3 on also what is below its threshold", 0 },
	{ "no-aggr", 'A', NULL, 0, "a row a CPU", 0 },
	{ "hybrid-merge", OPT_HYBRID_MERGE, NULL, 0,
	  "one row for all kinds of core, weighted by slots", 0 },
	{ "big-num", 'B', NULL, 0, "accepted: thousands are set apart", 0 },
	{ "no-big-num", OPT_NO_BIG_NUM, NULL, 0,
	  "do not set thousands apart", 0 },
	{ "field-separator", 'x', "SEP", 0, "CSV with SEP between fields; "
	  "\\t is a tab", 0 },
	{ "json-output", 'j', NULL, 0, "JSON, one object a line", 0 },
	{ "output", 'o', "FILE", 0,
	  "write to FILE; of record, the recording", 0 },
	{ "append", OPT_APPEND, NULL, 0, "append to the file of -o", 0 },
	{ "input", 'i', "FILE", 0, "report: the recording to show", 0 },
	{ "print", OPT_PRINT, NULL, 0,
	  "list: how the events are encoded, for any perf", 0 },
	{ "verbose", 'v', NULL, 0,
	  "say more: machine, groups; -vv: what is opened", 0 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "dry-run", OPT_DRY_RUN, NULL, 0,
	  "show what would be opened, and open nothing", 0 },
	{ 0 },
};
/* clang-format on */

static const char args_doc[] = "[--] [COMMAND [ARG...]]\n"
			       "record -o FILE [OPTION...] [COMMAND [ARG...]]\n"
			       "report -i FILE [OPTION...]\n"
			       "list [-j] [PATTERN...]\n"
			       "list --print EVENT...";

static const char doc[] =
	"Says where the pipeline slots of the processor go: top-down analysis "
	"of a command, of processes, or of the machine.\v"
	"Exit status: the command's own, 128+N if signal N ended it, 127 if "
	"it was not found, 126 if it could not be run; 64 for a wrong "
	"option, 1 for any other failure.";

/* argp's callback has room for one pointer. */
struct parser {
	struct td_opts *opts;
	struct td_err *err;
};

static int parse_number(struct parser *p, const char *option, const char *arg,
			int min, int max, int *out)
{
	if (td_parse_int(arg, min, max, out) == 0)
		return 0;
	if (max == INT_MAX)
		return td_err_usage(p->err, "%s %s: not a number from %d on",
				    option, arg, min);
	return td_err_usage(p->err, "%s %s: not a number from %d to %d", option,
			    arg, min, max);
}

static int parse_list(struct parser *p, const char *option, const char *arg,
		      int max, struct td_ints *out)
{
	int rc;

	td_ints_free(out);
	rc = td_ints_parse(arg, max, out);
	if (rc == -ENOMEM)
		return td_err_nomem(p->err);
	if (rc || out->nr == 0)
		return td_err_usage(p->err, "%s %s: not a list such as 0-3,8",
				    option, arg);
	return 0;
}

/* perf's 0 is "the default". */
static int parse_level(struct parser *p, const char *option, const char *arg,
		       int *out)
{
	int rc = parse_number(p, option, arg, 0, MAX_LEVEL, out);

	if (!rc && *out == 0)
		*out = 1;
	return rc;
}

static int add_metric(struct parser *p, const char *name, size_t len)
{
	struct td_opts *opts = p->opts;
	char **place =
		td_array_add(&opts->metrics, opts->nr_metrics, sizeof(*place));

	if (!place)
		return td_err_nomem(p->err);
	*place = strndup(name, len);
	if (!*place)
		return td_err_nomem(p->err);
	opts->nr_metrics++;
	return 0;
}

/*
 * "tma_retiring,TopdownL2", also with blanks; inside of a name these are a part
 * of it: Alder Lake's files have one.
 */
static int add_metrics(struct parser *p, const char *list)
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
		rc = add_metric(p, start, len);
		start = next;
	}
	if (!rc && !p->opts->nr_metrics)
		return td_err_usage(p->err, "-M: an empty list");
	return rc;
}

static int add_events(struct parser *p, const char *list)
{
	struct td_opts *opts = p->opts;
	struct td_event_arg *arg =
		td_array_add(&opts->events, opts->nr_events, sizeof(*arg));

	if (!arg)
		return td_err_nomem(p->err);
	arg->list = list;
	opts->nr_events++;
	return 0;
}

static int add_filter(struct parser *p, const char *filter)
{
	struct td_opts *opts = p->opts;
	struct td_event_arg *arg;
	char *both;

	if (!opts->nr_events)
		return td_err_usage(p->err,
				    "--filter %s: it belongs behind the -e of "
				    "a tracepoint",
				    filter);
	arg = &opts->events[opts->nr_events - 1];
	if ((arg->filter ? asprintf(&both, "(%s) && (%s)", arg->filter, filter)
			 : asprintf(&both, "%s", filter)) < 0)
		return td_err_nomem(p->err);
	free(arg->filter);
	arg->filter = both;
	return 0;
}

static int parse_separator(struct parser *p, const char *arg)
{
	if (!*arg)
		return td_err_usage(p->err, "-x: an empty separator");
	if (strpbrk(arg, "0123456789.-\"\r\n"))
		return td_err_usage(p->err,
				    "-x %s: a separator must not be a part of "
				    "numbers, a quote or a line end",
				    arg);
	if (p->opts->format == TD_FORMAT_TEXT)
		p->opts->format = TD_FORMAT_CSV;
	p->opts->separator = strcmp(arg, "\\t") == 0 ? "\t" : arg;
	return 0;
}

/* The options with an argument. */
static int parse_valued(struct parser *p, int key, const char *arg)
{
	struct td_opts *opts = p->opts;

	switch (key) {
	case 'C':
		opts->has_cpus = true;
		return parse_list(p, "-C", arg, TD_MAX_CPU, &opts->cpus);
	case 'p':
		return parse_list(p, "-p", arg, INT_MAX - 1, &opts->pids);
	case 'I':
		return parse_number(p, "-I", arg, 1, INT_MAX,
				    &opts->interval_ms);
	case OPT_INTERVAL_COUNT:
		return parse_number(p, "--interval-count", arg, 1, INT_MAX,
				    &opts->interval_count);
	case OPT_TIMEOUT:
		return parse_number(p, "--timeout", arg, 10, INT_MAX,
				    &opts->timeout_ms);
	case 'l':
		return parse_level(p, "--level", arg, &opts->level);
	case OPT_TD_LEVEL:
		return parse_level(p, "--td-level", arg, &opts->only_level);
	case 'M':
		return add_metrics(p, arg);
	case OPT_METRICS_DIR:
		opts->metrics_dir = arg;
		return 0;
	case 'x':
		return parse_separator(p, arg);
	case 'o':
		opts->output = arg;
		if (strcmp(arg, "-") != 0)
			return 0;
		return td_err_usage(p->err, "-o -: not a file: results go to "
					    "standard output without -o");
	case 'i':
		opts->input = arg;
		return 0;
	case OPT_CPUTYPE:
		opts->cputype = arg;
		return 0;
	case 'e':
		return add_events(p, arg);
	case OPT_FILTER:
		return add_filter(p, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_flag(struct td_opts *opts, int key)
{
	switch (key) {
	case 'a':
		opts->all_cpus = true;
		return 0;
	case 'A':
		opts->per_cpu = true;
		return 0;
	case 'j':
		opts->format = TD_FORMAT_JSON;
		return 0;
	case 'v':
		opts->verbose++;
		return 0;
	case 'd':
		opts->detail++;
		return 0;
	case 'n':
		opts->nothing = true;
		return 0;
	case 'B':
	case OPT_NO_BIG_NUM:
		opts->big_num = key == 'B';
		return 0;
	case OPT_PRINT:
		opts->print = true;
		return 0;
	case OPT_APPEND:
		opts->append = true;
		return 0;
	case OPT_DRY_RUN:
		opts->dry_run = true;
		return 0;
	case OPT_HYBRID_MERGE:
		opts->hybrid_merge = true;
		return 0;
	case OPT_ALL:
		opts->all_nodes = true;
		return 0;
	case OPT_METRIC_ONLY:
		opts->metric_only = true;
		return 0;
	case OPT_METRIC_NO_GROUP:
		opts->no_group = true;
		return 0;
	case OPT_METRIC_NO_MERGE:
		opts->no_merge = true;
		return 0;
	case OPT_METRIC_NO_THRESHOLD:
		opts->no_threshold = true;
		return 0;
	case OPT_TOPDOWN:
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct {
	const char *name;
	enum td_subcommand subcommand;
} subcommands[] = {
	{ "record", TD_RECORD },
	{ "report", TD_REPORT },
	{ "list", TD_LIST },
};

bool td_opts_want_events(const struct td_opts *opts)
{
	return opts->nr_events || opts->detail || opts->nothing;
}

/* The first word: a subcommand, unless it stands behind "--". */
static bool take_subcommand(struct td_opts *opts, struct argp_state *state)
{
	const char *word = state->argv[state->next];
	bool behind = state->next > 0 &&
		      strcmp(state->argv[state->next - 1], "--") == 0;

	if (opts->subcommand != TD_STAT || behind)
		return false;
	for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]);
	     i++) {
		if (strcmp(word, subcommands[i].name) == 0) {
			opts->subcommand = subcommands[i].subcommand;
			return true;
		}
	}
	return false;
}

static int add_pattern(struct parser *p, const char *pattern)
{
	struct td_opts *opts = p->opts;
	const char **place = td_array_add(&opts->patterns, opts->nr_patterns,
					  sizeof(*place));

	if (!place)
		return td_err_nomem(p->err);
	*place = pattern;
	opts->nr_patterns++;
	return 0;
}

/* A word that is no option: state->next is behind it. */
static int parse_word(struct parser *p, struct argp_state *state)
{
	struct td_opts *opts = p->opts;

	state->next--; /* seen from the word itself */
	if (take_subcommand(opts, state)) {
		state->next++;
		return 0;
	}
	if (opts->subcommand == TD_LIST)
		return add_pattern(p, state->argv[state->next++]);
	if (opts->subcommand == TD_REPORT && !opts->input) {
		opts->input = state->argv[state->next++];
		return 0;
	}
	opts->command = state->argv + state->next;
	state->next = state->argc;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct parser *p = state->input;
	struct td_opts *opts = p->opts;

	switch (key) {
	case ARGP_KEY_ARG:
		return parse_word(p, state);
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_END:
		return td_opts_check(opts, p->err);
	default:
		return arg ? parse_valued(p, key, arg) : parse_flag(opts, key);
	}
}

static void print_version(FILE *fp, struct argp_state *state)
{
	(void)state;
	fprintf(fp, "tdstat %s\n", TDSTAT_VERSION);
}

int td_opts_parse(struct td_opts *opts, int argc, char **argv,
		  struct td_err *err)
{
	static const struct argp argp = { options, parse_option, args_doc, doc,
					  NULL,    NULL,         NULL };
	struct parser parser = { opts, err };
	int rc;

	*opts = (struct td_opts){ .big_num = true };
	argp_program_version_hook = print_version;
	rc = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &parser);
	/* a report's is what was recorded */
	if (!opts->level && !opts->only_level && !opts->nr_metrics &&
	    opts->subcommand != TD_REPORT)
		opts->level = 1;
	if (rc)
		td_opts_free(opts);
	return rc;
}

void td_opts_free(struct td_opts *opts)
{
	td_ints_free(&opts->cpus);
	td_ints_free(&opts->pids);
	for (size_t i = 0; i < opts->nr_events; i++)
		free(opts->events[i].filter);
	free(opts->events);
	opts->nr_events = 0;
	for (size_t i = 0; i < opts->nr_metrics; i++)
		free(opts->metrics[i]);
	free(opts->metrics);
	opts->metrics = NULL;
	opts->nr_metrics = 0;
	free(opts->patterns);
	opts->events = NULL;
	opts->patterns = NULL;
}
