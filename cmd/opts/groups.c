// SPDX-License-Identifier: GPL-2.0-only
/* Options of more than one subcommand. */
#include "cmd/opts/groups.h"

#include <limits.h>

#include "cmd/opts/suggest.h"
#include "cmd/output/format.h"
#include "lib/base/identity.h"
#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
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
		place = td_array_add(&ask->names, ask->nr_names++, sizeof(*place));
		*place = td_strndup(start, len);
		start = next;
	}
	return ask->nr_names ? 0 : td_err_usage(err, "-M: an empty list");
}

int td_value_events(struct td_opts *opts, const char *list, struct td_err *err)
{
	struct td_event_arg *arg =
		td_array_add(&opts->request.events, opts->request.nr_events++, sizeof(*arg));

	(void)err;
	arg->list = list;
	return 0;
}

static int set_filter(struct td_opts *opts, const char *filter, struct td_err *err)
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

static int set_separator(struct td_opts *opts, const char *arg, struct td_err *err)
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
static int set_cgroups(struct td_opts *opts, const char *list, struct td_err *err)
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
static int set_cache(struct td_opts *opts, const char *arg, struct td_err *err)
{
	opts->request.show.aggregations |= 1U << TD_AGGREGATE_CACHE;
	if (!arg)
		return 0;
	if ((*arg == 'L' || *arg == 'l') &&
	    td_parse_int(arg + 1, 1, TD_MAX_CACHE, &opts->request.show.cache_level) == 0)
		return 0;
	return td_err_usage(err, "--per-cache=%s: expected L1, L2, L3 or L4", arg);
}

static int set_label(struct td_opts *opts, const char *arg, struct td_err *err)
{
	struct td_head_ask *head = &opts->request.show.head;

	if (!td_label_name(arg))
		return td_err_usage(err, "--label %s: not NAME=VALUE", arg);
	td_array_push(&head->labels, &head->nr_labels, &arg, sizeof(arg));
	return 0;
}

/* Set --time-format.  The last one on the command line wins. */
static int set_time_format(struct td_opts *opts, const char *arg, struct td_err *err)
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

static int td_value_sort(struct td_opts *opts, const char *arg, struct td_err *err)
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

static int set_call_graph(struct td_opts *opts, const char *arg, struct td_err *err)
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

static int set_delay(struct td_opts *opts, const char *arg, struct td_err *err)
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
		td_err_usage(err, "%s %s: not whole milliseconds", option, arg);
		if (*td_parse_ms_unit(arg))
			return err->code;
		return td_err_hint(err, "a bare number is milliseconds: did you mean %s %ss?",
				   option, arg);
	case -ERANGE:
		return td_err_usage(err, "%s %s: not a time from %d to %d ms", option, arg, min,
				    INT_MAX);
	default:
		return td_err_usage(err, "%s %s: not a time such as 500, 500ms, 1.5s or 2m", option,
				    arg);
	}
}

#define AT(member)           offsetof(struct td_opts, request.member)
#define FLAG(member)         TD_OPTION_FLAG, .offset = AT(member)
#define TEXT(member)         TD_OPTION_TEXT, .offset = AT(member)
#define FILE_NAME(member)    TD_OPTION_FILE, .offset = AT(member)
#define LEVEL(member)        TD_OPTION_LEVEL, .offset = AT(member), .max = TD_MAX_LEVEL
#define NUMBER(member)       TD_OPTION_NUMBER, .offset = AT(member), .min = 1, .max = INT_MAX
#define TIME(member, min_ms) TD_OPTION_TIME, .offset = AT(member), .min = (min_ms)
#define LIST(member, max_nr) TD_OPTION_LIST, .offset = AT(member), .max = (max_nr)
#define FUNCTION(name)       TD_OPTION_FUNCTION, .set = (name)
#define IGNORED              TD_OPTION_IGNORED

/* clang-format off */
static const struct td_option cpus[] = {
	{ "all-cpus", 'a', NULL,
	  "the whole machine (the default without a command)",
	  FLAG(target.all_cpus) },
	{ "cpu", 'C', "LIST", "all that runs on these CPUs: 0-3,8",
	  LIST(target.cpus, TD_MAX_CPU), .given = AT(target.has_cpus) },
	{ NULL },
};

static const struct td_option tasks[] = {
	{ "pid", 'p', "LIST",
	  "running processes, with new threads and children",
	  LIST(target.pids, INT_MAX - 1) },
	{ "tid", 't', "LIST", "running threads, and the threads they start",
	  LIST(target.tids, INT_MAX - 1) },
	{ "no-inherit", 'i', NULL,
	  "do not count child processes or new threads",
	  FLAG(target.no_inherit) },
	{ "all-user", 0, NULL, "user space only", FLAG(target.all_user) },
	{ "all-kernel", 0, NULL, "the kernel only", FLAG(target.all_kernel) },
	{ NULL },
};

static const struct td_option cgroups[] = {
	{ "cgroup", 'G', "LIST",
	  "cgroups: one per preceding event, or one for all",
	  FUNCTION(set_cgroups) },
	{ "for-each-cgroup", 0, "LIST",
	  "a row per cgroup: names or regular expressions",
	  TEXT(target.each_cgroup) },
	{ "by-events", 0, NULL,
	  "events for each cgroup and CPU, not for each CPU only",
	  FLAG(target.by_events) },
	{ NULL },
};

static const struct td_option cores[] = {
	{ "cputype", 0, "TYPE",
	  "one core type: core, atom, lowpower or a PMU",
	  TEXT(cputype) },
	{ NULL },
};

static const struct td_option files[] = {
	{ "metrics-dir", 0, "DIR",
	  "use the event and metric files in DIR",
	  FILE_NAME(metrics_dir) },
	{ NULL },
};

static const struct td_option model[] = {
	{ "model", 0, "NAME",
	  "another processor: alderlake, 'Alder Lake', GenuineIntel-6-97",
	  FILE_NAME(model) },
	{ NULL },
};

static const struct td_option tree[] = {
	{ "level", 'l', "N|auto",
	  "depth of the tree, 1 to 6 or auto (default: auto; 1 with -I, -x, -j and record)",
	  FUNCTION(td_value_level) },
	{ "td-level", 0, "N", "level N of the tree only", LEVEL(ask.only_level) },
	{ "topdown", 0, NULL, "accepted; it is the default", IGNORED },
	{ "metrics", 'M', "LIST",
	  "metrics and metric groups: names, tma_*, NAME:u",
	  FUNCTION(td_value_metrics) },
	{ "bottlenecks", 0, NULL,
	  "how slots were used or lost, largest share first",
	  FLAG(ask.bottlenecks) },
	{ "energy", 0, NULL,
	  "also show energy, power and memory bandwidth of the packages",
	  FLAG(ask.energy) },
	{ "metric-no-group", 0, NULL,
	  "count each event on its own, not in groups", FLAG(no_group) },
	{ "metric-no-merge", 0, NULL,
	  "do not share events between metrics", FLAG(ask.no_merge) },
	{ "metric-no-threshold", 0, NULL,
	  "no thresholds and no events for them", FLAG(ask.no_threshold) },
	{ "no-perf-metrics", 0, NULL,
	  "levels 1 and 2 from general counters, not from PERF_METRICS",
	  FLAG(ask.no_perf_metrics) },
	{ "metric-only", 0, NULL,
	  "with -e: show ratios (IPC and others), not counts",
	  FLAG(show.metric_only) },
	{ NULL },
};

static const struct td_option events[] = {
	{ "event", 'e', "LIST",
	  "events, as in perf stat -e, instead of the tree",
	  FUNCTION(td_value_events) },
	{ "filter", 0, "FILTER",
	  "filter for the tracepoints of the -e before it",
	  FUNCTION(set_filter) },
	{ "detailed", 'd', NULL,
	  "perf stat's default events; -dd, -ddd: caches too",
	  TD_OPTION_COUNT, .offset = AT(detail) },
	{ "null", 'n', NULL, "count nothing, only measure the time",
	  FLAG(nothing) },
	{ "record-tpebs", 0, NULL,
	  "sample the retire latencies that metrics need (the default where the processor can)",
	  FLAG(record_tpebs) },
	{ "no-record-tpebs", 0, NULL,
	  "use the mean retire latencies of the metric files",
	  FLAG(no_record_tpebs) },
	{ NULL },
};

static const struct td_option scale[] = {
	{ "scale", 0, NULL, "accepted; it is the default", IGNORED },
	{ "no-scale", 0, NULL,
	  "show raw counts, not scaled up to the whole time",
	  FLAG(no_scale) },
	{ NULL },
};

static const struct td_option when[] = {
	{ "interval-print", 'I', "TIME",
	  "print a row every TIME: 500 or 500ms, 1.5s, 2m",
	  TIME(when.interval_ms, 1) },
	{ "interval-count", 0, "N", "stop printing after N rows",
	  NUMBER(when.interval_count) },
	{ "timeout", 0, "TIME", "stop after TIME and end the command",
	  TIME(when.timeout_ms, 10) },
	{ "delay", 'D', "TIME",
	  "start counting after TIME; -1: wait for --control",
	  FUNCTION(set_delay) },
	{ "control", 0, "fd:CTL[,ACK]|fifo:CTL[,ACK]",
	  "commands: enable, disable, evlist, ping, stop",
	  TEXT(when.control) },
	{ "pre", 0, "COMMAND", "shell command to run before each run",
	  TEXT(when.pre) },
	{ "post", 0, "COMMAND", "shell command to run after each run",
	  TEXT(when.post) },
	{ "sync", 'S', NULL, "sync() before each run", FLAG(when.sync) },
	{ NULL },
};

static const struct td_option require[] = {
	{ "require", 0, NULL,
	  "exit with 125 instead of running a command that cannot be counted",
	  FLAG(when.require) },
	{ NULL },
};

static const struct td_option rate[] = {
	{ "freq", 'F', "N",
	  "samples per second and CPU (default: 1000)", NUMBER(sampling.freq) },
	{ "overhead", 0, "PERCENT",
	  "limit the cost of sampling to this share of time",
	  FUNCTION(td_value_overhead) },
	{ "call-graph", 0, "fp|lbr|dwarf[,SIZE]",
	  "callers from frame pointers, branch records or copies of the stack",
	  FUNCTION(set_call_graph) },
	{ NULL },
};

static const struct td_option timeout[] = {
	{ "timeout", 0, "TIME", "stop after TIME and end the command",
	  TIME(when.timeout_ms, 10) },
	{ NULL },
};

static const struct td_option rows[] = {
	{ "all", 0, NULL,
	  "show all nodes, even those below their thresholds",
	  FLAG(show.all_nodes) },
	{ "verdict", 0, NULL,
	  "name the biggest loss and what to do next",
	  FLAG(show.verdict) },
	{ "no-verdict", 0, NULL, "omit the biggest loss and what to do next", FLAG(show.no_verdict) },
	{ "no-merge", 0, NULL, "like -A; also accepted for tasks",
	  FLAG(show.not_merged) },
	{ "sort", 0, NULL, "rows with the biggest loss first",
	  FUNCTION(td_value_sort) },
	{ "top", 0, "N",
	  "only the N processes, CPUs or cgroups with the biggest loss in each interval",
	  NUMBER(show.top) },
	{ "hybrid-merge", 0, NULL,
	  "one row for all core types; metrics are weighted by slots",
	  FLAG(show.hybrid_merge) },
	{ "summary", 0, NULL, "after the rows of -I, show their total",
	  FLAG(show.summary) },
	{ "no-csv-summary", 0, NULL,
	  "omit the word \"summary\" from CSV lines of --summary",
	  FLAG(show.no_csv_summary) },
	{ "error", 0, NULL,
	  "CSV: a column NAME_error after each metric, with its error (95 %)",
	  FLAG(show.csv_error) },
	{ "interval-clear", 0, NULL, "clear the terminal before each row",
	  FLAG(show.interval_clear) },
	{ "time-format", 0, "FORMAT",
	  "times of the rows of -I: seconds since the start, wall for date and time, epoch for "
	  "seconds since 1970",
	  FUNCTION(set_time_format) },
	{ "big-num", 'B', NULL,
	  "thousands separators: 1,234,567 (the default)",
	  FUNCTION(td_value_big_num) },
	{ "no-big-num", 0, NULL, "no thousands separators",
	  FUNCTION(td_value_no_big_num) },
	{ NULL },
};

static const struct td_option output[] = {
	{ "output", 'o', "FILE", "write to FILE", FUNCTION(td_value_output) },
	{ "append", 0, NULL, "append to the file of -o", FLAG(show.append) },
	{ "force", 0, NULL,
	  "overwrite a recording; use probes even where this kernel does harm",
	  FLAG(show.force) },
	{ NULL },
};

static const struct td_option two_levels[] = {
	{ "level", 'l', "N", "level 1, or levels 1 and 2 (default: 1)",
	  TD_OPTION_FUNCTION, .set = td_value_level },
	{ NULL },
};

static const struct td_option region_rows[] = {
	{ "record", 0, "FILE", "also write a recording for tdstat report",
	  TD_OPTION_FILE, offsetof(struct td_opts, request.calls.record) },
	{ "hybrid-merge", 0, NULL, "one row for all core types",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.hybrid_merge) },
	{ "error", 0, NULL, "CSV: a column for the error of each metric",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.csv_error) },
	{ "no-big-num", 0, NULL, "no thousands separators",
	  TD_OPTION_FUNCTION, .set = td_value_no_big_num },
	{ NULL },
};

static const struct td_option stream[] = {
	{ "log-fd", 0, "FD", "write to an open descriptor", NUMBER(show.log_fd) },
	{ "quiet", 0, NULL, "print neither results nor notes",
	  FLAG(show.quiet) },
	{ NULL },
};

static const struct td_option perf[] = {
	{ "perf", 0, NULL,
	  "like perf stat: results on standard error, a line with the date in CSV files, 0 for "
	  "unknown values of events",
	  FLAG(show.perf) },
	{ NULL },
};

static const struct td_option head[] = {
	{ "label", 0, "NAME=VALUE",
	  "add NAME=VALUE to output headers and recordings; repeatable",
	  FUNCTION(set_label) },
	{ "head", 0, NULL,
	  "start CSV (and JSON of events) with the command, host and versions",
	  FLAG(show.head.wanted) },
	{ "no-head", 0, NULL, "omit the header object from JSON",
	  FLAG(show.head.unwanted) },
	{ "no-host", 0, NULL, "omit the host name",
	  FLAG(show.head.no_host) },
	{ NULL },
};

static const struct td_option dry_run[] = {
	{ "dry-run", 0, NULL, "show the planned groups, but do not count",
	  FLAG(dry_run) },
	{ NULL },
};

static const struct td_option print_perf[] = {
	{ "print-perf", 0, NULL,
	  "show the command of perf stat that counts the same, for tdstat report",
	  FLAG(show.print_perf) },
	{ NULL },
};

static const struct td_option verbose[] = {
	{ "verbose", 'v', NULL,
	  "also the machine and groups; -vv: system calls",
	  TD_OPTION_COUNT, .offset = AT(verbose) },
	{ NULL },
};
/* clang-format on */

const struct td_option_group td_group_cpus = { TD_SECTION_WHAT, cpus };
const struct td_option_group td_group_tasks = { TD_SECTION_WHAT, tasks };
const struct td_option_group td_group_cgroups = { TD_SECTION_WHAT, cgroups };
const struct td_option_group td_group_cores = { TD_SECTION_WHAT, cores };
const struct td_option_group td_group_files = { TD_SECTION_WHAT, files };
const struct td_option_group td_group_model = { TD_SECTION_WHAT, model };
const struct td_option_group td_group_tree = { TD_SECTION_WHAT, tree };
const struct td_option_group td_group_events = { TD_SECTION_WHAT, events };
const struct td_option_group td_group_scale = { TD_SECTION_WHAT, scale };
const struct td_option_group td_group_when = { TD_SECTION_WHEN, when };
const struct td_option_group td_group_require = { TD_SECTION_WHEN, require };
const struct td_option_group td_group_rate = { TD_SECTION_WHAT, rate };
const struct td_option_group td_group_timeout = { TD_SECTION_WHEN, timeout };
const struct td_option_group td_group_rows = { TD_SECTION_HOW, rows };
const struct td_option_group td_group_two_levels = { TD_SECTION_WHAT, two_levels };
const struct td_option_group td_group_region_rows = { TD_SECTION_HOW, region_rows };
const struct td_option_group td_group_output = { TD_SECTION_HOW, output };
const struct td_option_group td_group_stream = { TD_SECTION_HOW, stream };
const struct td_option_group td_group_perf = { TD_SECTION_HOW, perf };
const struct td_option_group td_group_head = { TD_SECTION_HOW, head };
const struct td_option_group td_group_dry_run = { TD_SECTION_HOW, dry_run };
const struct td_option_group td_group_print_perf = { TD_SECTION_HOW, print_perf };
const struct td_option_group td_group_verbose = { TD_SECTION_HOW, verbose };

/* --- options from the tables of aggregations and writers ------------------ */

#define MAX_ROWS 32 /* bits in show.aggregations and .formats */

static struct td_option aggregations[MAX_ROWS + 1], places[MAX_ROWS + 1], processes[3];
static struct td_option formats[MAX_ROWS + 1], json[2], markdown[2];

/* Make the option of row i, which sets bit i at offset. */
static struct td_option make_option(const char *option, const char *letter, const char *arg,
				    const char *help, size_t offset, size_t i)
{
	return (struct td_option){
		.name = option + 2,
		.letter = letter ? letter[1] : 0,
		.arg = arg,
		.help = help,
		.kind = TD_OPTION_BIT,
		.offset = offset,
		.min = (int)i,
	};
}

/* Fill in the options of aggregations that are not for single subcommands. */
static void fill_aggregations(void)
{
	struct td_option *o = aggregations, *place = places, *process = processes;

	for (size_t i = TD_AGGREGATE_ALL + 1; i < td_nr_aggregations(); i++) {
		const struct td_aggregation_row *row = td_aggregation_row((enum td_aggregation)i);
		bool sums_tasks = td_aggregation_sums_tasks((enum td_aggregation)i);
		struct td_option *option = sums_tasks ? process++ : o;

		if (i == TD_AGGREGATE_REGION || !row->option)
			continue;
		*option = make_option(row->option, row->letter, row->arg, row->help,
				      offsetof(struct td_opts, request.show.aggregations), i);
		if (row->arg) {
			o->kind = TD_OPTION_FUNCTION;
			o->set = set_cache;
			o->optional = true;
		}
		if (sums_tasks)
			continue;
		if (i != TD_AGGREGATE_THREAD)
			*place++ = *o;
		o++;
	}
}

static struct td_option make_format(enum td_format_kind format, size_t offset)
{
	const struct td_out *out = td_out_find(format);

	return make_option(out->option, out->letter, out->arg, out->help, offset, format);
}

/* Make the options of formats that show reports, except text, the default. */
static void fill_formats(void)
{
	struct td_option *o = formats;

	for (size_t i = TD_FORMAT_TEXT + 1; i < td_nr_formats(); i++) {
		const struct td_out *out = td_out_find((enum td_format_kind)i);

		if (!out || out->own_file || !out->report)
			continue;
		*o = make_format((enum td_format_kind)i,
				 offsetof(struct td_opts, request.show.formats));
		if (out->arg) {
			o->kind = TD_OPTION_FUNCTION;
			o->set = set_separator;
		}
		if (i == TD_FORMAT_JSON)
			json[0] = *o;
		o++;
	}
}

void td_opts_fill_rows(void)
{
	fill_aggregations();
	fill_formats();
	markdown[0] =
		make_format(TD_FORMAT_MARKDOWN, offsetof(struct td_opts, request.show.formats));
}

const struct td_option_group td_group_aggregations = { TD_SECTION_HOW, aggregations };
const struct td_option_group td_group_processes = { TD_SECTION_HOW, processes };
const struct td_option_group td_group_places = { TD_SECTION_HOW, places };
const struct td_option_group td_group_formats = { TD_SECTION_HOW, formats };
const struct td_option_group td_group_markdown = { TD_SECTION_HOW, markdown };
const struct td_option_group td_group_json = { TD_SECTION_HOW, json };
