// SPDX-License-Identifier: GPL-2.0-only
/* tdstat calls: what the slow calls of a function have more than the others. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/value.h"
#include "cmd/plan/dry_run.h"
#include "cmd/sample/calling.h"
#include "cmd/say.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

#define MOST_LEVELS 2

/* Of a ring: each call is two samples, and root may have more memory. */
#define RING_PAGES 1024

/* --- records ---------------------------------------------------------------- */

static int take_sample(struct td_calling *c, const struct td_record *record,
		       int event)
{
	size_t at = (size_t)event - c->job.plan.events.nr;
	size_t nr = c->gathering.nr_companions, function;
	enum td_probed what = td_calls_probed(c, at % nr, &function);

	if (what == TD_PROBED_ENTRY &&
	    td_calls_note_entry(c, record->tid, function))
		return -ENOMEM;
	if (what == TD_PROBED_INTERRUPT)
		td_calls_note_interrupt(c, record->tid);
	return td_pairing_sample(&c->pairing, record, (int)(at / nr), what,
				 (int)function);
}

static int take(void *ctx, const struct td_record *record, int event, int spot,
		int caller)
{
	struct td_calling *c = ctx;

	(void)spot;
	(void)caller;
	switch (record->kind) {
	case TD_RECORD_SAMPLE:
		return take_sample(c, record, event);
	case TD_RECORD_SWITCH:
		return td_pairing_switch(&c->pairing, record);
	case TD_RECORD_EXEC:
		td_pairing_exec(&c->pairing, record->tid);
		return 0;
	case TD_RECORD_END:
		td_pairing_end_thread(&c->pairing, record->tid);
		return 0;
	case TD_RECORD_LOST:
		td_pairing_lost(&c->pairing);
		return 0;
	default:
		return 0;
	}
}

static int take_call(void *ctx, const struct td_paired_call *call)
{
	struct td_calling *c = ctx;

	return td_call_counts_add(&c->counts, c->regions.timed, call);
}

/* --- the plan --------------------------------------------------------------- */

static int name_functions(struct td_calling *c, struct td_err *err)
{
	for (size_t i = 0; i < c->functions.nr; i++) {
		struct td_timed *timed = td_regions_add_timed(
			&c->regions, c->functions.v[i].name);

		if (!timed)
			return td_err_nomem(err);
		timed->engine = c->job.request->calls.engine;
		if (!timed->engine)
			timed->engine = TD_BY_UPROBES;
	}
	return 0;
}

static bool is_traced(const struct td_calling *c)
{
	return c->job.request->calls.engine == TD_BY_PT;
}

static void prepare(struct td_calling *c)
{
	struct td_gathering *g = &c->gathering;

	g->job = &c->job;
	g->format.values = g->format.stack = g->switches = true;
	g->most_pages = RING_PAGES;
	g->take = take;
	g->serve = td_calls_pace;
	g->ctx = c;
	c->pairing.plan = c->counts.plan = &c->job.plan;
	c->pairing.nr_functions = c->functions.nr;
	c->pairing.kernel = c->job.request->calls.engine == TD_BY_KPROBES;
	c->pairing.take = take_call;
	c->pairing.ctx = c;
	c->counts.wall_ns = td_wall_ns() - td_now_ns();
}

static int plan(struct td_calling *c, const struct td_request *request,
		struct td_err *err)
{
	struct td_gathering *g = &c->gathering;
	int rc = td_job_plan(&c->job, request, err);

	if (!rc)
		rc = td_job_join(&c->job, err);
	if (!rc)
		rc = td_functions_find(&c->functions, &c->job,
				       request->calls.names, err);
	if (!rc)
		rc = name_functions(c, err);
	g->how = rc ? NULL : calloc(c->job.plan.events.nr + 1, sizeof(*g->how));
	if (!rc && !g->how)
		rc = td_err_nomem(err);
	prepare(c);
	if (!rc && is_traced(c))
		return td_calls_trace_open(c, err);
	if (rc)
		return rc;
	rc = td_functions_check(&c->functions, &c->job, &g->format, err);
	if (rc == -EINVAL)
		td_err_hint(err, "tdstat calls --engine=pt needs no probes, "
				 "but an Intel processor");
	return rc || request->dry_run ? rc : td_calls_open_probes(c, err);
}

/* --- the run ---------------------------------------------------------------- */

static void say(const struct td_calling *c)
{
	if (is_traced(c))
		td_calls_trace_say(c);
	else
		td_calls_say_cost(c);
	for (size_t i = 0; i < c->functions.nr; i++) {
		td_calls_say_unpaired(c, i);
		if (!c->regions.timed[i].durations.nr)
			td_job_say(&c->job, "tdstat: %s: no call was counted\n",
				   c->functions.v[i].name);
	}
	td_calls_say_trace(c);
	td_calls_say_next(&c->job, &c->result.view.report);
}

static int show(struct td_calling *c, struct td_err *err)
{
	struct td_gathering *g = &c->gathering;

	td_pairing_end(&c->pairing);
	td_calls_end_pace(c);
	if (is_traced(c) && td_calls_trace_end(c))
		return td_err_nomem(err);
	if (td_call_counts_to_regions(&c->counts, &c->regions, &c->batched))
		return td_err_nomem(err);
	return td_region_result_show(&c->result, &c->batched, &g->usage,
				     g->status, err);
}

static int gather(struct td_calling *c, struct td_inherited *inherited,
		  int *status, struct td_err *err)
{
	struct td_gathering *g = &c->gathering;
	int rc = td_region_result_open(&c->result, &c->job, &c->regions, err);

	c->result.view.sink.frame.start_ns = td_wall_ns();
	if (!rc) {
		rc = td_gather(g, inherited, err);
		*status = g->status;
	}
	td_gathering_say(g);
	if (!rc)
		rc = show(c, err);
	if (!rc)
		say(c);
	return td_region_result_close(&c->result, rc, err);
}

static void free_all(struct td_calling *c)
{
	td_calls_trace_free(c);
	td_call_counts_free(&c->counts);
	td_pairing_free(&c->pairing);
	td_regions_free(&c->regions);
	td_batched_free(&c->batched);
	free(c->gathering.how);
	free(c->companions);
	/* after the events, which use them */
	td_probes_close(&c->probes);
	td_functions_free(&c->functions);
	for (size_t i = 0; i < TD_NR_EMPTY; i++) {
		td_entry_free(&c->empty[i]);
		free(c->costs[i].values);
		free(c->costs[i].times_ns);
	}
	free(c->cost_of);
	td_job_free(&c->job);
}

static void show_probes(const struct td_entry_point *entry)
{
	fputs("probes at ", stdout);
	td_put_printable(stdout, entry->name);
	if (!entry->kernel)
		printf(": 0x%" PRIx64, entry->offset);
	fputs(" in ", stdout);
	td_put_printable(stdout, entry->path);
	putchar('\n');
}

/* What would be opened, and where the probes would be. */
static int show_plan(struct td_calling *c, struct td_err *err)
{
	int rc;

	if (is_traced(c))
		td_calls_trace_show(c);
	if (is_traced(c) && !c->regions.timed[0].period) {
		td_job_say_notes(&c->job);
		return 0;
	}
	rc = td_dry_run(&c->job, err);
	for (size_t i = 0; !rc && !is_traced(c) && i < c->functions.nr; i++)
		show_probes(&c->functions.v[i]);
	return rc;
}

/*
 * What uprobes cannot do, marks may: if there is no right to probe, or no function of
 * the name, in a program that has marks.
 */
static bool has_marks_instead(const struct td_calling *c,
			      const struct td_request *request,
			      const struct td_err *err)
{
	const struct td_entry_point *last;

	if (request->calls.engine || !request->target.command ||
	    request->when.timeout_ms || request->target.no_inherit ||
	    !c->functions.nr)
		return false;
	last = &c->functions.v[c->functions.nr - 1];
	return last->marked && (err->code == -EACCES || !last->offset);
}

static int run_marks(const struct td_request *request,
		     struct td_inherited *inherited, int *status,
		     struct td_err *err)
{
	if (!request->show.quiet)
		td_say("tdstat: by the program's marks: %s\n", err->msg);
	*err = (struct td_err){ 0 };
	return td_regions_run(request, inherited, status, err);
}

/* Nor does Processor Trace need a right to probe. */
static bool has_trace_instead(const struct td_calling *c,
			      const struct td_request *request,
			      const struct td_err *err)
{
	return !request->calls.engine && c->functions.nr == 1 &&
	       err->code == -EACCES && request->sampling.overhead_pct <= 0 &&
	       td_calls_trace_is_here(c);
}

static int run_probes(const struct td_request *request,
		      struct td_inherited *inherited, int *status,
		      struct td_err *err);

/* What is sampled beside a trace are events that can be alone. */
static struct td_request of_trace(const struct td_request *request)
{
	struct td_request other = *request;

	other.calls.engine = TD_BY_PT;
	other.ask.no_perf_metrics = request->calls.samples;
	return other;
}

static int run_trace(const struct td_request *request,
		     struct td_inherited *inherited, int *status,
		     struct td_err *err)
{
	struct td_request other = of_trace(request);

	if (!request->show.quiet)
		td_say("tdstat: by Processor Trace: %s\n", err->msg);
	*err = (struct td_err){ 0 };
	return run_probes(&other, inherited, status, err);
}

static int run_probes(const struct td_request *request,
		      struct td_inherited *inherited, int *status,
		      struct td_err *err)
{
	struct td_reached reached = { 0 };
	struct td_calling c = { .probes.events = -1 };
	int rc = plan(&c, request, err);
	bool marks = rc && has_marks_instead(&c, request, err);
	bool trace = rc && !marks && has_trace_instead(&c, request, err);

	if (!rc)
		rc = request->dry_run ? show_plan(&c, err)
				      : gather(&c, inherited, status, err);
	rc = td_gathering_close(&c.gathering, rc, err);
	reached.over = c.gathering.over;
	free_all(&c);
	if (marks)
		return run_marks(request, inherited, status, err);
	if (trace)
		return run_trace(request, inherited, status, err);
	return rc ? td_always_go_on(request, inherited, &reached, status, err)
		  : 0;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_request traced = of_trace(&opts->request);

	td_inherited_change(&inherited);
	if (opts->request.calls.engine == TD_BY_MARKS)
		return td_regions_run(&opts->request, &inherited, status, err);
	return run_probes(opts->request.calls.engine == TD_BY_PT
				  ? &traced
				  : &opts->request,
			  &inherited, status, err);
}

/* --- the subcommand --------------------------------------------------------- */

/* The functions come first, then a command. */
static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	opts->request.calls.by_duration = true;
	(void)err;
	if (opts->request.calls.names)
		return 1;
	opts->request.calls.names = word;
	return 0;
}

/* Processor Trace alone has no metrics. */
static int set_level(struct td_opts *opts, const char *arg, struct td_err *err)
{
	opts->request.calls.samples = true;
	return td_value_level(opts, arg, err);
}

static int set_kernel(struct td_opts *opts, const char *arg, struct td_err *err)
{
	(void)arg;
	if (opts->request.calls.engine)
		return td_err_usage(err, "-k is by probes of the kernel: "
					 "--engine excludes it");
	opts->request.calls.engine = TD_BY_KPROBES;
	return 0;
}

static int set_engine(struct td_opts *opts, const char *arg, struct td_err *err)
{
	if (opts->request.calls.engine == TD_BY_KPROBES)
		return set_kernel(opts, arg, err);
	opts->request.calls.engine = td_timed_engine_find(arg);
	if (opts->request.calls.engine &&
	    opts->request.calls.engine != TD_BY_KPROBES)
		return 0;
	return td_err_usage(err, "--engine %s: not one of marks, uprobes, pt",
			    arg);
}

/* The kernel tells hits of all programs, not which share was counted. */
static int check_kernel(const struct td_opts *opts, struct td_err *err)
{
	if (opts->request.sampling.overhead_pct > 0 &&
	    opts->request.sampling.overhead_pct < 100)
		return td_err_usage(err, "-k counts all calls: --overhead "
					 "excludes it");
	if (opts->request.target.all_user)
		return td_err_usage(err, "-k counts the kernel: --all-user "
					 "excludes it");
	return 0;
}

static int check_marks(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->request.target.command ||
	    td_target_attaches(&opts->request.target))
		return td_err_usage(err, "--engine=marks: a program counts its "
					 "marks from its start on, so it has "
					 "to be a command");
	if (opts->request.sampling.overhead_pct > 0 &&
	    opts->request.sampling.overhead_pct < 100)
		return td_err_usage(err, "--overhead is of probes: "
					 "--engine=marks excludes it");
	if (opts->request.when.timeout_ms || opts->request.target.no_inherit)
		return td_err_usage(err, "--engine=marks: marks are counted to "
					 "the end, of all that the command "
					 "starts: --timeout and -i exclude it");
	return 0;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->request.calls.names) {
		td_err_usage(err, "tdstat calls needs a function");
		return td_err_hint(err, "tdstat calls FUNCTION -- ./program");
	}
	if (td_request_is_wide(&opts->request)) {
		td_err_usage(err, "tdstat calls needs a command or a process: "
				  "calls are of threads, not of CPUs");
		return td_err_hint(err, "tdstat calls %s -- ./program",
				   opts->request.calls.names);
	}
	if (opts->request.ask.level > MOST_LEVELS || opts->request.ask.drill)
		return td_err_usage(err, "-l: calls have levels 1 and 2");
	if (opts->request.calls.engine == TD_BY_MARKS)
		return check_marks(opts, err);
	if (opts->request.calls.engine == TD_BY_PT &&
	    opts->request.sampling.overhead_pct > 0)
		return td_err_usage(err, "--overhead is of probes: --engine=pt "
					 "excludes it");
	return opts->request.calls.engine == TD_BY_KPROBES
		       ? check_kernel(opts, err)
		       : 0;
}

/* clang-format off */
static const struct td_option counting[] = {
	{ "engine", 0, "marks|uprobes|pt",
	  "by marks of libtdstat, probes at functions, or Processor Trace",
	  TD_OPTION_FUNCTION, .set = set_engine },
	{ "kernel", 'k', NULL, "functions of the kernel, such as do_sys_openat2",
	  TD_OPTION_FUNCTION, .set = set_kernel },
	{ "level", 'l', "N", "level 1, or levels 1 and 2 (default: 1)",
	  TD_OPTION_FUNCTION, .set = set_level },
	{ "overhead", 0, "PERCENT",
	  "limit the cost of probes to this share of time (default: 5)",
	  TD_OPTION_FUNCTION, .set = td_value_overhead },
	{ NULL },
};

static const struct td_option showing[] = {
	{ "verbose", 'v', NULL, "show what is opened, and trees, too",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_counting = { TD_SECTION_WHAT,
						       counting };
static const struct td_option_group group_showing = { TD_SECTION_HOW, showing };

static const struct td_option_group *const groups[] = {
	&group_counting,   &td_group_tasks,
	&td_group_cores,   &td_group_files,
	&td_group_timeout, &td_group_require,
	&group_showing,    &td_group_region_rows,
	&td_group_formats, &td_group_output,
	&td_group_head,    &td_group_stream,
	&td_group_dry_run, NULL,
};

const struct td_command td_command_calls = {
	.name = "calls",
	.line = "show what the slow calls of a function have more",
	.args = "FUNCTION[,FUNCTION...][@FILE] [--] [COMMAND [ARG...]]",
	.doc = "Counts each call of a function, and shows how long the calls "
	       "took, where the pipeline slots go in those that took about as "
	       "long, and what the slowest have more than the others.",
	.what = "What to count:",
	.examples = "  tdstat calls parse -- ./program\n"
		    "  tdstat calls malloc@libc.so.6 -p 1234 --timeout 10s",
	.groups = groups,
	.does = { .regions = true, .samples = true, .always = true },
	.word = take_word,
	.runs = true,
	.check = check,
	.counts = true,
	.run = run,
};
