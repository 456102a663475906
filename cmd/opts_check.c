// SPDX-License-Identifier: GPL-2.0-only
/* What excludes what on the command line. */
#include "cmd/opts_check.h"

#include "lib/util.h"

struct conflict {
	bool both;
	const char *text;
};

static int first_conflict(const struct conflict *c, size_t nr,
			  struct td_err *err)
{
	for (size_t i = 0; i < nr; i++) {
		if (c[i].both)
			return td_err_usage(err, "%s", c[i].text);
	}
	return 0;
}

static bool want_metrics(const struct td_opts *o)
{
	return o->level || o->only_level || o->nr_metrics;
}

/* What excludes what, as in perf stat; each text names both sides. */
static int check_stat(const struct td_opts *o, struct td_err *err)
{
	bool tasks = o->pids.nr || (o->command && !o->all_cpus && !o->has_cpus);
	const struct conflict conflicts[] = {
		{ o->interval_count && !o->interval_ms,
		  "--interval-count needs -I" },
		{ o->timeout_ms && o->interval_ms,
		  "--timeout and -I exclude each other: use --interval-count" },
		{ o->format == TD_FORMAT_JSON && o->separator,
		  "-x and -j exclude each other" },
		{ o->pids.nr && o->all_cpus, "-p and -a exclude each other" },
		{ o->pids.nr && o->has_cpus, "-p and -C exclude each other" },
		{ o->per_cpu && tasks,
		  "-A counts whole CPUs: it needs -a or -C" },
		{ o->append && !o->output, "--append needs -o" },
		{ td_opts_want_events(o) && want_metrics(o),
		  "-e, -d and --null show counts, --level and -M metrics: they "
		  "exclude each other" },
		{ td_opts_want_events(o) && o->metric_only,
		  "--metric-only: -e, -d and --null show counts" },
		{ td_opts_want_events(o) && o->hybrid_merge,
		  "--hybrid-merge is of the tree: -e, -d and --null show "
		  "counts" },
		{ o->nothing && (o->nr_events || o->detail),
		  "--null counts nothing: -e and -d make no sense" },
		{ o->print, "--print belongs to tdstat list" },
		{ o->dry_run && o->output,
		  "--dry-run and -o exclude each other" },
		{ o->input != NULL, "-i belongs to tdstat report" },
		{ o->subcommand == TD_RECORD && !o->output,
		  "tdstat record needs -o FILE" },
		{ o->subcommand == TD_RECORD && o->append,
		  "tdstat record writes a new file: --append makes no sense" },
	};

	return first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
}

static int check_list(const struct td_opts *o, struct td_err *err)
{
	const struct conflict conflicts[] = {
		{ o->print && !o->nr_patterns,
		  "tdstat list --print needs the name of an event" },
		{ o->print && o->format != TD_FORMAT_TEXT,
		  "tdstat list --print and -j exclude each other" },
		{ o->separator != NULL,
		  "tdstat list writes text or JSON (-j)" },
		{ td_opts_want_events(o) || want_metrics(o) || o->all_cpus ||
			  o->has_cpus || o->pids.nr || o->interval_ms ||
			  o->timeout_ms || o->output || o->input ||
			  o->dry_run || o->append || o->per_cpu ||
			  o->hybrid_merge || o->interval_count,
		  "tdstat list counts nothing: it takes -j, --print, "
		  "--cputype and patterns" },
	};

	return first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
}

static int check_report(const struct td_opts *o, struct td_err *err)
{
	const struct conflict conflicts[] = {
		{ !o->input, "tdstat report needs -i FILE" },
		{ o->command != NULL, "tdstat report runs no command" },
		{ o->all_cpus || o->has_cpus || o->pids.nr,
		  "tdstat report shows what was recorded: -a, -C and -p make "
		  "no sense" },
		{ o->interval_ms || o->interval_count || o->timeout_ms,
		  "tdstat report shows the intervals that were recorded: -I, "
		  "--interval-count and --timeout make no sense" },
		{ o->format == TD_FORMAT_JSON && o->separator,
		  "-x and -j exclude each other" },
		{ o->append && !o->output, "--append needs -o" },
		{ o->print, "--print belongs to tdstat list" },
		{ td_opts_want_events(o),
		  "tdstat report shows what was recorded: -e, -d and --null "
		  "make no sense" },
		{ o->dry_run,
		  "tdstat report counts nothing: --dry-run makes no sense" },
	};

	return first_conflict(conflicts, TD_ARRAY_SIZE(conflicts), err);
}

int td_opts_check(const struct td_opts *opts, struct td_err *err)
{
	switch (opts->subcommand) {
	case TD_STAT:
	case TD_RECORD:
		return check_stat(opts, err);
	case TD_REPORT:
		return check_report(opts, err);
	case TD_LIST:
		return check_list(opts, err);
	}
	return 0;
}
