// SPDX-License-Identifier: GPL-2.0-only
/* tdstat profile: where the slots go in the functions of a program. */

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/plan/dry_run.h"
#include "cmd/sample/parts.h"
#include "cmd/sample/result.h"
#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"
#include "lib/sample/windows.h"

#define USUAL_RATE 1000
#define MAX_LEVEL  2

/* Maximum of sample pairs that are kept before their functions are looked up. */
#define MAX_WINDOWS ((size_t)1 << 18)

struct profiling {
	struct td_job job;
	int *groups; /* the group of each event of the plan */
	struct td_gathering gathering;
	struct td_windows windows;
	struct td_function_counts counts;
	struct td_regions regions;
	struct td_batched batched;
	struct td_region_result result;
	struct td_sample_files files; /* files of stacks, weighted with cycles */
	struct td_hits hits;
};

/* --- samples ---------------------------------------------------------------- */

static void add_to_functions(struct profiling *p)
{
	struct td_gathering *g = &p->gathering;

	td_symbols_resolve(&g->symbols, &g->locations);
	td_function_counts_add(&p->counts, &p->windows, &g->locations);
	td_windows_clear(&p->windows);
}

static void take(void *ctx, const struct td_record *record, int event, int location, int caller)
{
	struct profiling *p = ctx;
	struct td_windows_taker taker = {
		.windows = &p->windows,
		.groups = p->groups,
		.hits = td_stack_files_any(&p->files) ? &p->hits : NULL,
	};

	td_windows_take(&taker, record, event, location, caller);
	if (p->windows.nr >= MAX_WINDOWS)
		add_to_functions(p);
}

/* --- the plan --------------------------------------------------------------- */

/* Returns the event that counts cycles in a group, or -1. */
static int cycles_of(const struct td_job *job, const int *groups, size_t group)
{
	int pmu = job->plan.groups[group].pmu;
	int cycles = td_clocks_find(&job->plan, &job->machine, pmu, TD_CLOCK_CYCLES,
				    !td_clocks_has(&job->machine, pmu));

	return cycles >= 0 && groups[cycles] == (int)group ? cycles : -1;
}

static bool holds_cycles(const struct td_job *job)
{
	td_autofree int *groups = td_plan_groups(&job->plan);
	bool holds = true;

	for (size_t g = 0; holds && g < job->plan.nr_groups; g++)
		holds = cycles_of(job, groups, g) >= 0;
	return holds;
}

/* Are there enough counters for cycles and this level, perhaps without the NMI watchdog? */
static bool would_hold(const struct td_job *asked, int level, bool unwatched)
{
	struct td_request request = *asked->request;
	struct td_machine machine = asked->machine; /* borrowed */
	struct td_err unused = { 0 };
	struct td_job job;
	bool holds;
	int rc;

	request.ask.level = level;
	machine.nmi_watchdog &= !unwatched;
	rc = td_job_plan_beside(&job, &request, &machine, &unused);
	if (!rc)
		td_plan_join(&job.plan, &job.machine);
	holds = !rc && holds_cycles(&job);
	td_job_free(&job);
	return holds;
}

/* Returns an error that only suggests remedies that work. */
static int no_cycles(const struct td_job *job, const char *pmu, struct td_err *err)
{
	int level = job->request->ask.level;
	bool watched = job->machine.nmi_watchdog;

	td_err_set(err, -ENODEV, "%s: its counters do not hold cycles beside the tree", pmu);
	if (watched && would_hold(job, level, true))
		return td_err_hint(err, "sysctl kernel.nmi_watchdog=0 frees a counter");
	if (level > 1 && would_hold(job, 1, false))
		return td_err_hint(err, "-l 1 needs fewer");
	if (level > 1 && watched && would_hold(job, 1, true))
		return td_err_hint(err,
				   "-l 1 needs fewer, and sysctl kernel.nmi_watchdog=0 frees one");
	return td_err_hint(err,
			   "tdstat profile cannot work on this core: tdstat locate -e cycles can");
}

/* Samples cycles in each group, because the leader of a group with slots must not be sampled. */
static int sample_cycles(struct profiling *p, struct td_sampling *rates, struct td_err *err)
{
	const struct td_plan *plan = &p->job.plan;
	struct td_sampling *how = p->gathering.how;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		int pmu = plan->groups[g].pmu;
		int cycles = cycles_of(&p->job, p->groups, g);

		if (cycles < 0)
			return no_cycles(&p->job, p->job.machine.pmus[pmu].name, err);
		how[cycles] = rates[cycles];
	}
	return 0;
}

/* Sample pairs longer than this multiple of the period were interrupted. */
#define TIMES_LONGER 20

static void limit_windows(struct profiling *p)
{
	struct td_gathering *g = &p->gathering;
	uint64_t rate = 0;

	for (size_t i = 0; i < p->job.plan.events.nr; i++) {
		if (g->how[i].period && (!rate || g->how[i].period < rate))
			rate = g->how[i].period;
	}
	if (rate)
		g->longest_ns = TIMES_LONGER * UINT64_C(1000000000) / rate;
	p->windows.longest_ns = g->longest_ns;
}

static int plan(struct profiling *p, const struct td_request *request, struct td_err *err)
{
	struct td_gathering *g = &p->gathering;
	td_autofree struct td_sampling *rates = NULL;
	int rc = td_job_plan(&p->job, request, err);

	rc = rc ?: td_job_join(&p->job, err);
	if (rc)
		return rc;
	p->groups = td_plan_groups(&p->job.plan);
	rates = td_rate_make(&p->job, USUAL_RATE);
	g->how = td_calloc(p->job.plan.events.nr + 1, sizeof(*g->how));
	p->windows.plan = &p->job.plan;
	p->windows.of_cpus = p->job.target.system_wide;
	g->job = &p->job;
	g->format.values = g->switches = true;
	td_gathering_want(g, request);
	g->lines = request->sampling.files.samples || request->sampling.files.pprof;
	g->take = take;
	g->ctx = p;
	rc = sample_cycles(p, rates, err);
	if (!rc && request->sampling.overhead_pct > 0 && !request->dry_run)
		rc = td_overhead_limit(&p->job, g->how, &p->job, g->how, &g->format, err);
	if (!rc)
		limit_windows(p);
	return rc;
}

/* --- the run ---------------------------------------------------------------- */

static int sample(struct profiling *p, struct td_inherited *inherited, int *status,
		  struct td_err *err)
{
	struct td_gathering *g = &p->gathering;
	int rc = td_region_result_open(&p->result, &p->job, &p->regions, err);

	p->files = p->job.request->sampling.files;
	rc = rc ?: td_stack_files_open(&p->files, err);
	p->result.view.sink.frame.start_ns = td_wall_ns();
	if (!rc) {
		rc = td_gather(g, inherited, err);
		*status = g->status;
	}
	td_gathering_report(g);
	if (!rc) {
		add_to_functions(p);
		td_function_counts_to_regions(&p->counts, &p->job.plan, &g->locations, &p->regions,
					      &p->batched);
		rc = td_region_result_show(&p->result, &p->batched, &g->usage, g->status, err);
	}
	rc = rc ?: td_hues_put_stacks(&p->result.view, &g->locations, &p->hits, &p->files, err);
	td_stack_files_close(&p->files, !rc);
	return td_region_result_close(&p->result, rc, err);
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_attempt attempt = { 0 };
	struct profiling p = { 0 };
	int rc;

	td_inherited_change(&inherited);
	rc = plan(&p, &opts->request, err);
	if (!rc)
		rc = opts->request.dry_run ? td_dry_run(&p.job, err)
					   : sample(&p, &inherited, status, err);
	td_windows_free(&p.windows);
	td_function_counts_free(&p.counts);
	td_regions_free(&p.regions);
	td_batched_free(&p.batched);
	td_hits_free(&p.hits);
	free(p.gathering.how);
	rc = td_gathering_close(&p.gathering, rc, err);
	free(p.groups);
	td_job_free(&p.job);
	attempt.over = p.gathering.over;
	return rc ? td_always_continue(&opts->request, &inherited, &attempt, status, err) : 0;
}

/* --- the subcommand --------------------------------------------------------- */

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->request.ask.level > MAX_LEVEL || opts->request.ask.drill)
		return td_err_usage(err, "-l: profile supports only levels 1 and 2");
	return td_stack_files_check(&opts->request.sampling.files, err)
		       ? err->code
		       : td_where_check_room(&opts->request, err);
}

/* clang-format off */
static const struct td_option showing[] = {
	{ "samples", 0, "FILE",
	  "also save every sample, for tdstat report --profile",
	  TD_OPTION_FILE, offsetof(struct td_opts, request.sampling.files.samples) },
	{ "all", 0, NULL, "also show functions with few sample pairs",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.all_nodes) },
	{ "verbose", 'v', NULL, "also show trees and the counters that are opened",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_showing = { TD_SECTION_HOW, showing };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,       &td_group_tasks,       &td_group_cores,   &td_group_files,
	&td_group_two_levels, &td_group_rate,        &td_group_timeout, &td_group_require,
	&group_showing,       &td_group_region_rows, &td_group_formats, &td_group_output,
	&td_group_head,       &td_group_stream,      &td_group_dry_run, NULL,
};

const struct td_command td_command_profile = {
	.name = "profile",
	.line = "show where the slots go in each function",
	.args = "[--] [COMMAND [ARG...]]",
	.doc = "Breaks the tree down by function, from pairs of consecutive samples in the same "
	       "function.",
	.what = "What to sample:",
	.examples = "  tdstat profile -- ./program\n"
		    "  tdstat profile -l 2 -p 1234 --timeout 10s",
	.groups = groups,
	.does = { .samples = true, .always = true },
	.check = check,
	.counts = true,
	.run = run,
};
