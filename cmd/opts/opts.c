// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/opts.h"

#include "cmd/output/format.h"
#include "lib/base/util.h"

void td_opts_free(struct td_opts *opts)
{
	td_request_free(&opts->request);
	free(opts->patterns);
	opts->patterns = NULL;
}

/* --- options that exclude each other -------------------------------------- */

struct conflict {
	bool both;
	const char *text;
};

/* Return NULL if there is none. */
static const char *find_conflict(const struct conflict *c, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (c[i].both)
			return c[i].text;
	}
	return NULL;
}

static int first_conflict(const struct conflict *c, size_t nr, struct td_err *err)
{
	const char *text = find_conflict(c, nr);

	return text ? td_err_usage(err, "%s", text) : 0;
}

static int check_target(const struct td_request *o, struct td_err *err)
{
	enum td_aggregation how = td_request_aggregation(o);
	bool threads = how == TD_AGGREGATE_THREAD;
	const struct conflict conflicts[] = {
		{ o->target.pids.nr && o->target.tids.nr, "-p and -t exclude each other" },
		{ o->target.all_user && o->target.all_kernel,
		  "--all-user and --all-kernel exclude each other" },
		{ o->target.cgroups && o->target.each_cgroup,
		  "-G and --for-each-cgroup exclude each other" },
		{ td_target_has_cgroups(&o->target) && threads,
		  "--per-thread and cgroups exclude each other" },
		{ o->target.cgroups && td_target_attaches(&o->target),
		  "-G counts on whole CPUs, -p and -t tasks: they exclude each other" },
		{ o->target.each_cgroup && td_target_attaches(&o->target),
		  "--for-each-cgroup counts on whole CPUs, -p and -t tasks: they exclude each "
		  "other" },
		{ td_target_has_cgroups(&o->target) && !td_request_is_wide(o),
		  "-G and --for-each-cgroup count on whole CPUs: they need -a or -C" },
		{ o->target.by_events && !o->target.each_cgroup,
		  "--by-events needs --for-each-cgroup" },
		{ threads && o->target.has_cpus && !td_target_attaches(&o->target),
		  "--per-thread and -C exclude each other" },
		{ threads && o->show.metric_only,
		  "--metric-only and --per-thread exclude each other" },
		{ threads && o->when.repeat != 1 && !td_target_attaches(&o->target),
		  "-r and --per-thread exclude each other: each run of a command has threads of "
		  "its own" },
	};
	int rc = first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);

	if (rc || how == TD_AGGREGATE_ALL || td_aggregation_names_tasks(how) ||
	    td_request_is_wide(o))
		return rc;
	return td_err_usage(err, "%s counts whole CPUs: it needs -a or -C",
			    td_aggregation_option(how));
}

static int check_formats(const struct td_request *o, struct td_err *err)
{
	const char *other = NULL;

	for (size_t i = 0; i < td_nr_formats(); i++) {
		const char *option;

		if (!(o->show.formats & 1U << i))
			continue;
		option = td_out_option((enum td_format_kind)i);
		if (other)
			return td_err_usage(err, "%s and %s exclude each other", other, option);
		other = option;
	}
	return 0;
}

static int check_head(const struct td_request *o, struct td_err *err)
{
	const struct td_head_ask *head = &o->show.head;
	const struct conflict conflicts[] = {
		{ head->wanted && head->unwanted, "--head and --no-head exclude each other" },
		{ head->wanted && !td_out_find(o->show.format)->head,
		  "--head is for CSV and JSON: it needs -x or -j" },
	};

	return first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
}

static int check_energy(const struct td_request *o, struct td_err *err)
{
	enum td_aggregation how = td_request_aggregation(o);
	const struct conflict conflicts[] = {
		{ td_request_has_events(o),
		  "-e, -d and --null show counts, --energy metrics: they exclude each other" },
		{ how != TD_AGGREGATE_ALL && how != TD_AGGREGATE_SOCKET,
		  "--energy measures whole packages: of these options, only --per-socket can be "
		  "combined with it" },
		{ td_target_has_cgroups(&o->target),
		  "--energy measures whole packages: cgroups exclude it" },
		{ o->no_multiplex, "--no-multiplex and --energy exclude each other" },
	};

	return o->ask.energy ? first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err) : 0;
}

static int check_energy_target(const struct td_request *o, struct td_err *err)
{
	if (!o->ask.energy)
		return 0;
	if (o->target.has_cpus || !td_request_is_wide(o))
		return td_err_usage(
			err, "--energy counts whole packages, not tasks or some CPUs: it needs -a");
	if (o->target.all_user || o->target.all_kernel)
		return td_err_usage(
			err,
			"--energy includes all programs: --all-user and --all-kernel exclude it");
	return 0;
}

int td_opts_check(const struct td_opts *opts, struct td_err *err)
{
	const struct td_request *o = &opts->request;
	bool trace = o->show.format == TD_FORMAT_PERFETTO;
	bool page = o->show.own_file && !trace;
	const struct conflict conflicts[] = {
		{ o->show.asked_big_num && o->show.separator, "-B and -x exclude each other" },
		{ trace && o->show.log_fd, "--perfetto and --log-fd exclude each other" },
		{ o->show.output && o->show.log_fd && !o->does.records,
		  "-o and --log-fd exclude each other" },
		{ o->show.output && page, "--html and --svg name their files: -o excludes them" },
		{ o->show.log_fd && page,
		  "--html and --svg name their files: --log-fd excludes them" },
		{ o->show.quiet && page, "--quiet shows nothing: it excludes --html and --svg" },
		{ o->show.verdict && o->show.no_verdict,
		  "--verdict and --no-verdict exclude each other" },
		{ o->show.verdict && o->show.separator, "--verdict and -x exclude each other" },
		{ trace && o->show.output,
		  "-o and --perfetto exclude each other: both name the file" },
		{ trace && o->show.append,
		  "--perfetto and --append exclude each other: a trace has an end" },
		{ trace && o->show.verdict, "--verdict and --perfetto exclude each other" },
		{ o->show.append && !o->show.output && !o->show.log_fd,
		  "--append needs -o or --log-fd" },
		{ o->ask.bottlenecks && td_request_has_events(o),
		  "-e, -d and --null show counts, --bottlenecks metrics: they exclude each other" },
		{ o->ask.bottlenecks && o->show.verdict,
		  "--bottlenecks sorts by size, and --verdict needs the tree: they exclude each "
		  "other" },
		{ o->ask.bottlenecks && (o->ask.level || o->ask.only_level || o->ask.nr_names),
		  "--bottlenecks chooses the metrics: --level and -M exclude it" },
	};
	int rc = check_formats(o, err);

	rc = rc ?: check_head(o, err);
	rc = rc ?: check_energy(o, err);
	return rc ?: first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
}

static int check_events(const struct td_request *o, struct td_err *err)
{
	const struct conflict conflicts[] = {
		{ td_request_has_events(o) && td_ask_is_made(&o->ask),
		  "-e, -d and --null show counts, --level and -M metrics: they exclude each "
		  "other" },
		{ td_request_has_events(o) && o->show.verdict,
		  "-e, -d and --null show counts, --verdict needs the tree: they exclude each "
		  "other" },
		{ o->ask.drill && (o->ask.nr_names || o->ask.bottlenecks),
		  "-l auto chooses its metrics: it and -M exclude each other" },
		{ o->ask.drill && o->ask.only_level, "-l auto and --td-level exclude each other" },
		{ o->ask.drill && o->ask.no_threshold,
		  "-l auto uses thresholds: it and --metric-no-threshold exclude each other" },
		{ o->ask.drill && o->no_multiplex,
		  "-l auto and --no-multiplex exclude each other" },
		{ o->record_tpebs && o->no_record_tpebs,
		  "--record-tpebs and --no-record-tpebs exclude each other" },
		{ o->record_tpebs && o->no_multiplex,
		  "--record-tpebs and --no-multiplex exclude each other: samples take counters" },
		{ o->record_tpebs && td_target_has_cgroups(&o->target),
		  "--record-tpebs samples whole CPUs or tasks: it and cgroups exclude each other" },
		{ o->nothing && o->show.metric_only,
		  "--null and --metric-only exclude each other" },
		{ td_request_has_events(o) && o->show.metric_only &&
			  td_target_has_cgroups(&o->target),
		  "--metric-only with -e and cgroups exclude each other" },
		{ o->nothing && (o->nr_events || o->detail),
		  "--null counts nothing: -e and -d make no sense" },
	};

	return first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
}

/*
 * Counts at context switches are those of the tree, for all tasks of the machine.  The texts follow
 * the name of the option.
 */
static int check_processes(const struct td_request *o, struct td_err *err)
{
	enum td_aggregation how = td_request_aggregation(o);
	const struct td_ask *ask = &o->ask;
	const struct conflict conflicts[] = {
		{ td_target_attaches(&o->target) || o->target.has_cpus ||
			  td_target_has_cgroups(&o->target),
		  "counts all processes of the machine: -p, -t, -C and cgroups exclude it" },
		{ !td_target_is_wide(&o->target),
		  "counts all processes of the machine: it needs -a" },
		{ td_request_has_events(o) || ask->nr_names || ask->bottlenecks || ask->energy ||
			  ask->drill,
		  "shows levels of the tree: -e, -d, -M, --bottlenecks, --energy, --null and -l "
		  "auto exclude it" },
		{ o->no_multiplex || o->when.repeat != 1,
		  "is of one run: -r and --no-multiplex exclude it" },
		{ o->show.metric_only, "and --metric-only exclude each other" },
		{ o->show.print_perf, "has no equivalent in perf stat: --print-perf excludes it" },
		{ o->when.control, "and --control exclude each other" },
		{ o->record_tpebs, "and --record-tpebs exclude each other" },
		{ td_request_exposes(o),
		  "and --openmetrics exclude each other: there would be a series for each process or "
		  "user that ever ran" },
		/* the remaining condition of td_request_by_switches() */
		{ !td_request_by_switches(o), "and --metric-no-group exclude each other" },
	};
	const char *text = find_conflict(conflicts, TD_ARRAY_SIZE(conflicts));

	if (!td_aggregation_sums_tasks(how))
		return 0;
	return text ? td_err_usage(err, "%s %s", td_aggregation_option(how), text) : 0;
}

static int check_no_multiplex(const struct td_request *o, struct td_err *err)
{
	const struct conflict conflicts[] = {
		{ td_target_attaches(&o->target),
		  "--no-multiplex runs a command more than once: -p and -t exclude it" },
		{ !o->target.command,
		  "--no-multiplex runs a command more than once: it needs one" },
		{ o->when.interval_ms,
		  "--no-multiplex and -I exclude each other: the runs have different intervals" },
		{ td_request_aggregation(o) == TD_AGGREGATE_THREAD,
		  "--no-multiplex and --per-thread exclude each other: each run of a command has "
		  "threads of its own" },
		{ o->show.metric_only, "--no-multiplex and --metric-only exclude each other" },
		{ o->when.control,
		  "--no-multiplex and --control exclude each other: all runs must count the same "
		  "part of the command" },
	};

	return o->no_multiplex ? first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err) : 0;
}

static int check_exposed(const struct td_request *o, struct td_err *err)
{
	enum td_aggregation how = td_request_aggregation(o);
	const struct conflict conflicts[] = {
		{ o->openmetrics && !o->show.output,
		  "--openmetrics needs -o: the file that is rewritten at each interval" },
		{ o->show.append,
		  "--openmetrics and --append exclude each other: the file is rewritten at each "
		  "interval" },
		{ o->show.formats, "--openmetrics is a format: -x and -j exclude it" },
		{ td_request_has_events(o),
		  "--openmetrics shows the tree and metrics: -e, -d and --null exclude it" },
		{ how == TD_AGGREGATE_THREAD,
		  "--openmetrics and --per-thread exclude each other: there would be a series for "
		  "each thread that ever ran" },
		{ how != TD_AGGREGATE_ALL && td_target_has_cgroups(&o->target),
		  "counters are per CPU or per cgroup: -A and similar options exclude cgroups" },
		{ o->when.repeat != 1 || o->no_multiplex,
		  "--openmetrics shows one run: -r and --no-multiplex exclude it" },
		{ o->show.summary || o->show.verdict,
		  "--openmetrics has no end: --summary and --verdict exclude it" },
	};

	if (td_request_exposes(o))
		return first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
	return o->max_series ? td_err_usage(err, "--max-series needs --openmetrics") : 0;
}

/* Does a run end, so that another one can follow? */
static bool ends(const struct td_request *o)
{
	return o->target.command || o->when.timeout_ms || o->when.interval_count || o->does.replays;
}

/* Does -M name metrics with modifiers, "tma_retiring:u"? */
static bool has_modifiers(const struct td_ask *ask)
{
	for (size_t i = 0; i < ask->nr_names; i++) {
		if (strchr(ask->names[i], ':'))
			return true;
	}
	return false;
}

static int check_runs(const struct td_request *o, struct td_err *err)
{
	const struct conflict conflicts[] = {
		{ o->when.interval_count && !o->when.interval_ms, "--interval-count needs -I" },
		{ o->show.interval_clear && !o->when.interval_ms, "--interval-clear needs -I" },
		{ o->show.time && !o->when.interval_ms, "--time-format wall or epoch needs -I" },
		{ o->show.format == TD_FORMAT_PERFETTO && !o->when.interval_ms,
		  "--perfetto needs -I: it shows how values change" },
		{ o->show.verdict && o->when.interval_ms && !o->show.summary,
		  "--verdict with -I needs --summary: it describes the sum of all intervals" },
		{ o->show.top && td_request_has_events(o),
		  "--sort and --top use lost slots: -e, -d and --null exclude them" },
		{ o->when.timeout_ms && o->when.interval_ms,
		  "--timeout and -I exclude each other: use --interval-count" },
		{ o->when.delay_ms < 0 && !o->when.control,
		  "-D -1 needs --control: otherwise nothing would ever be counted" },
		{ o->when.has_repeat && o->when.repeat != 1 && !ends(o),
		  "-r needs runs that end: a command, or --timeout" },
		{ o->show.metric_only && o->when.repeat > 1,
		  "--metric-only and -r exclude each other" },
		{ o->show.table && o->when.repeat <= 1, "--table needs -r 2 or more" },
		{ o->model && !o->dry_run,
		  "--model needs --dry-run: another processor cannot be counted on" },
		{ o->show.print_perf &&
			  (td_request_has_events(o) || o->ask.drill || o->no_multiplex),
		  "--print-perf prints one run of metrics: -e, -d, --null, -l auto and "
		  "--no-multiplex exclude it" },
		{ o->show.print_perf && has_modifiers(&o->ask),
		  "--print-perf takes no modifiers in -M: use --all-user or --all-kernel" },
		{ o->show.print_perf && (o->target.cgroups || o->when.control || o->when.pre ||
					 o->when.post || o->when.sync || !o->when.repeat),
		  "--print-perf excludes -G, --control, --pre, --post, --sync and -r 0" },
		{ o->show.print_perf && o->show.output, "--print-perf and -o exclude each other" },
		{ o->show.print_perf && (o->show.log_fd || o->show.table || o->show.perf ||
					 o->show.force || o->when.require),
		  "--print-perf excludes --log-fd, --table, --perf, --force and --require" },
		{ o->show.print_perf && o->target.command &&
			  td_request_aggregation(o) == TD_AGGREGATE_THREAD,
		  "--print-perf --per-thread needs -a, -p or -t: perf stat has no rows for the "
		  "threads of a command" },
		{ o->dry_run && o->show.output && !o->does.records,
		  "--dry-run and -o exclude each other" },
	};

	return first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
}

int td_opts_check_counting(const struct td_opts *opts, struct td_err *err)
{
	const struct td_request *o = &opts->request;
	int rc = check_runs(o, err);

	rc = rc ?: check_exposed(o, err);
	rc = rc ?: check_no_multiplex(o, err);
	rc = rc ?: check_processes(o, err);
	rc = rc ?: check_events(o, err);
	rc = rc ?: check_energy_target(o, err);
	if (!rc && opts->cgroups_first && td_request_has_events(o))
		rc = td_err_usage(err, "-G must follow the -e that it is for");
	return rc ?: check_target(o, err);
}
