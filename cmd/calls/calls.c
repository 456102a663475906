// SPDX-License-Identifier: GPL-2.0-only
/* tdstat calls: finds out why some calls of a function are slow. */
#include <inttypes.h>
#include <math.h>
#include <sys/resource.h>

#include "cmd/calls/decode.h"
#include "cmd/calls/parts.h"
#include "cmd/doctor/parts.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/plan/dry_run.h"
#include "cmd/say.h"
#include "cmd/wing.h"
#include "lib/base/printable.h"

/* --- companion events ------------------------------------------------------- */

/*
 * Returns the number of companions for nr_functions functions: the index of the next function's
 * entry probe.
 */
static size_t nr_companions(const struct td_calling *c, size_t nr_functions)
{
	return TD_CALLING_PROBES + 2 * (c->nr_interrupts + nr_functions);
}

/* Makes the companion events for the probes of nr functions. */
static struct td_companion *make_companions(const struct td_calling *c,
					    const struct td_probe *probes, size_t nr)
{
	struct td_companion *all = td_calloc(nr_companions(c, nr), sizeof(*all));

	all[TD_CALLING_FAULTS] =
		(struct td_companion){ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false };
	all[TD_CALLING_SWITCHES] =
		(struct td_companion){ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true };
	for (size_t i = 0; i < c->nr_interrupts; i++)
		td_probe_companions(&all[TD_CALLING_PROBES + 2 * i], &c->interrupts[i]);
	for (size_t i = 0; i < nr; i++)
		td_probe_companions(&all[nr_companions(c, i)], &probes[i]);
	return all;
}

/* Returns the kind of a companion's samples.  Sets *function, to 0 if there is none. */
static enum td_probed probed_kind(const struct td_calling *c, size_t companion, size_t *function)
{
	bool ends = (companion - TD_CALLING_PROBES) % 2;

	*function = 0;
	if (companion < TD_CALLING_PROBES)
		return TD_PROBED_SWITCH;
	if (companion < nr_companions(c, 0))
		return ends ? TD_PROBED_INTERRUPT_END : TD_PROBED_INTERRUPT;
	*function = (companion - nr_companions(c, 0)) / 2;
	return ends ? TD_PROBED_EXIT : TD_PROBED_ENTRY;
}

/* --- cost of probes --------------------------------------------------------- */

/* Returns the number of kinds of empty functions that may be needed; *first is the first kind. */
static int nr_kinds(const struct td_calling *c, int *first)
{
	bool kernel = c->job.request->calls.engine == TD_BY_KPROBES;

	*first = kernel ? TD_EMPTY_KERNEL : 0;
	return kernel ? TD_NR_EMPTY - TD_EMPTY_KERNEL : TD_EMPTY_KERNEL;
}

/* In c->probes, the probes at empty functions follow those of the counted functions. */
static int measure_cost(struct td_calling *c, int kind, struct td_err *err)
{
	td_autofree struct td_companion *empty = NULL;
	int first;

	nr_kinds(c, &first);
	empty = make_companions(c, &c->probes.v[c->functions.nr + (size_t)(kind - first)], 1);
	return td_call_cost_measure(&c->costs[kind], &c->job, empty, nr_companions(c, 1), kind,
				    err);
}

static int measure_costs(struct td_calling *c, struct td_err *err)
{
	size_t nr = c->functions.nr;
	int rc = 0;

	c->cost_of = td_calloc(nr, sizeof(void *));
	for (size_t i = 0; !rc && i < nr; i++) {
		int kind = td_empty_kind(&c->functions.v[i]);

		c->cost_of[i] = &c->costs[kind];
		if (!c->costs[kind].values)
			rc = measure_cost(c, kind, err);
	}
	c->counts.costs = c->cost_of;
	return rc;
}

/* --- opening ---------------------------------------------------------------- */

/* Defines the probes of the functions, then those of empty ones. */
static int define_probes(struct td_calling *c, struct td_err *err)
{
	size_t nr = c->functions.nr;
	td_autofree struct td_entry_point *entries = td_calloc(nr + TD_NR_EMPTY, sizeof(*entries));
	int first, kinds = nr_kinds(c, &first), rc = 0;

	memcpy(entries, c->functions.v, nr * sizeof(*entries));
	for (int i = 0; !rc && i < kinds; i++) {
		rc = td_empty_find(&c->empty[i], first + i, err);
		entries[nr + (size_t)i] = c->empty[i];
	}
	return rc ?: td_probes_open(&c->probes, entries, nr + (size_t)kinds, err);
}

/* May this process open all events, for each thread and on each CPU? */
static bool may_open(struct td_calling *c, size_t nr)
{
	struct td_err unused;
	struct rlimit limit;

	if (td_target_find_tasks(&c->job.target, &c->job.fs, &unused) ||
	    getrlimit(RLIMIT_NOFILE, &limit))
		return true;
	nr += c->job.plan.events.nr + 1;
	return (double)nr * (double)c->job.machine.online.nr * (double)(c->job.target.tids.nr + 1) <
	       (double)limit.rlim_max;
}

static void find_interrupts(struct td_calling *c)
{
	struct td_err why = { 0 };
	int rc = td_interrupts_find(c->interrupts, &why);

	if (!rc && !may_open(c, nr_companions(c, c->functions.nr + TD_NR_INTERRUPTS)))
		rc = td_err_set(&why, -EMFILE, "too many open files: ulimit -Hn allows more");
	if (rc)
		td_notes_add(&c->job.notes, "interrupts are not counted: %s", why.msg);
	c->nr_interrupts = rc ? 0 : TD_NR_INTERRUPTS;
	c->counts.interrupts = c->nr_interrupts > 0;
}

/*
 * Defines the probes of the functions, sets the companions of each group, and measures the cost of
 * probes.  Adds a note if interrupts cannot be counted.
 */
static int open_probes(struct td_calling *c, struct td_err *err)
{
	struct td_gathering *g = &c->gathering;
	size_t nr = c->functions.nr;
	int rc = define_probes(c, err);

	if (rc)
		return rc;
	find_interrupts(c);
	g->companions = c->companions = make_companions(c, c->probes.v, nr);
	g->nr_companions = nr_companions(c, nr);
	c->pace = (struct td_pace){ .gathering = g,
				    .pairing = &c->pairing,
				    .interrupts = TD_CALLING_PROBES,
				    .first = nr_companions(c, 0) };
	return measure_costs(c, err);
}

/* --- calls that were not counted -------------------------------------------- */

static const struct td_unpaired *unpaired_of(const struct td_calling *c, size_t function)
{
	if (c->job.request->calls.engine == TD_BY_PT)
		return &c->traced.calls[function].unpaired;
	return c->pairing.unpaired ? &c->pairing.unpaired[function] : NULL;
}

static void report_unpaired(const struct td_calling *c, size_t function)
{
	uint64_t missed = td_probes_missed(&c->probes, function);
	const struct {
		size_t offset;
		const char *text;
	} kinds[] = {
		{ offsetof(struct td_unpaired, recursive),
		  "calls were made within another call, and are part of it" },
		{ offsetof(struct td_unpaired, left),
		  "calls had no return (longjmp, an exception, a jump to another function, or 64 "
		  "probed calls around them), and are not counted" },
		{ offsetof(struct td_unpaired, before),
		  "calls are not counted, because they began before counting did, or before their "
		  "process was forked" },
		{ offsetof(struct td_unpaired, lost),
		  c->pairing.nr_losses || c->job.request->calls.engine == TD_BY_PT
			  ? "calls are not counted, because some of their records were lost"
			  : "calls are not counted, because their thread ended unnoticed and a "
			    "new one has its number" },
		{ offsetof(struct td_unpaired, open),
		  c->job.request->calls.engine == TD_BY_PT && c->functions.nr > 1
			  ? "calls are not counted, because they had not returned when their "
			    "thread, or the turn of their function, ended"
			  : "calls are not counted, because they had not returned when their "
			    "thread, or counting, ended" },
	};
	const struct td_unpaired *of = unpaired_of(c, function);

	for (size_t i = 0; of && i < TD_ARRAY_SIZE(kinds); i++) {
		uint64_t nr = *(const uint64_t *)(const void *)((const char *)of + kinds[i].offset);

		if (nr)
			td_job_say(&c->job, "tdstat: %s: %" PRIu64 " %s\n",
				   c->functions.v[function].name, nr, kinds[i].text);
	}
	if (missed)
		td_job_say(&c->job,
			   "tdstat: %s: the kernel missed %" PRIu64
			   " returns, of any program; these calls are not counted\n",
			   c->functions.v[function].name, missed);
}

/* --- cost of probes --------------------------------------------------------- */

/* Probes take a few microseconds. */
#define SHORT_NS 20000
/* Times shorter than this many variations of the cost of a probe are inexact. */
#define UNSURE_TIMES 10

/* Returns 0 if such a PMU exists, and libipt is installed. */
static int check_trace(const struct td_sysfs *fs, const struct td_ints *online, struct td_err *err)
{
	struct td_pmu pmu;
	int rc = td_trace_pmu_read(fs, online, &pmu, err);

	td_pmu_free(&pmu);
	return rc ?: td_trace_load(err);
}

static bool may_trace(const struct td_calling *c)
{
	struct td_err unused = { 0 };

	return !check_trace(&c->job.fs, &c->job.machine.online, &unused);
}

/* Suggests Processor Trace for short calls. */
static void suggest_trace(const struct td_calling *c)
{
	const struct td_timed *timed = c->regions.timed;
	double median_ns = td_durations_quantile(&timed->durations, 0.5);
	double variation_ns = c->cost_of ? (double)c->cost_of[0]->variation_ns : 0;

	if (timed->engine != TD_BY_UPROBES || c->functions.nr != 1 ||
	    !(median_ns < fmax(SHORT_NS, UNSURE_TIMES * variation_ns)) || !may_trace(c))
		return;
	td_job_say(&c->job,
		   "tdstat: %s: --engine=pt measures the times of such short calls exactly\n",
		   timed->name);
}

/* --- doctor ----------------------------------------------------------------- */

/*
 * Adds findings on probes and Processor Trace.  Marks depend on the program, not on this machine.
 */
static void calls_judge(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_environment *env = system->environment;
	struct td_err no_trace = { 0 };

	if (system->levels->no_level_1.code || system->levels->no_task.code) {
		td_doctor_add(doctor, "calls", TD_FINDING_NOTE,
			      "cannot be counted, because level 1 of a program cannot");
		return;
	}
	if (env->admin && env->has_tracefs)
		td_doctor_add(doctor, "calls", TD_FINDING_OK,
			      "can be counted with probes at functions");
	else
		td_doctor_add(
			doctor, "calls", TD_FINDING_NOTE,
			"cannot be counted with probes at functions, which need root and tracefs");
	if (check_trace(system->fs, &system->machine->online, &no_trace))
		td_doctor_add_error(doctor, "calls", TD_FINDING_NOTE, &no_trace);
	else
		td_doctor_add(doctor, "calls", TD_FINDING_OK,
			      "can be counted with Processor Trace: tdstat calls --engine=pt");
}

/* --- records ---------------------------------------------------------------- */

#define MAX_LEVEL 2

/*
 * Pages of a ring buffer, which are many because each call is two samples.  The kernel does not
 * limit this memory for root, and probes need root.
 */
#define RING_PAGES 1024

static void handle_record(void *ctx, const struct td_record *record, int event, int location,
			  int caller)
{
	struct td_calling *c = ctx;

	(void)location;
	(void)caller;
	if (record->kind == TD_RECORD_SAMPLE) {
		size_t at = (size_t)event - c->job.plan.events.nr;
		size_t nr = c->gathering.nr_companions, function;
		enum td_probed what = probed_kind(c, at % nr, &function);

		if (what == TD_PROBED_ENTRY)
			td_pace_entry(&c->pace, record->tid, c->cost_of[function]);
		if (what == TD_PROBED_INTERRUPT)
			td_pace_interrupt(&c->pace, record->tid, c->cost_of[0]);
		td_pairing_sample(&c->pairing, record, (int)(at / nr), what, (int)function);
	} else {
		td_pairing_record(&c->pairing, record);
	}
}

static void count_call(void *ctx, const struct td_paired_call *call)
{
	struct td_calling *c = ctx;

	td_call_counts_add(&c->counts, c->regions.timed, call);
}

/* --- the plan --------------------------------------------------------------- */

static bool is_traced(const struct td_calling *c)
{
	return c->job.request->calls.engine == TD_BY_PT;
}

static int pace(void *ctx, struct td_err *err)
{
	struct td_calling *c = ctx;

	return td_pace(&c->pace, err);
}

static void prepare(struct td_calling *c)
{
	struct td_gathering *g = &c->gathering;
	int engine = c->job.request->calls.engine;

	for (size_t i = 0; i < c->functions.nr; i++)
		td_regions_add_timed(&c->regions, c->functions.v[i].name)->engine =
			engine ? engine : TD_BY_UPROBES;
	g->how = td_calloc(c->job.plan.events.nr + 1, sizeof(*g->how));
	g->job = &c->job;
	g->format.values = g->format.stack = g->switches = true;
	g->max_pages = RING_PAGES;
	g->take = handle_record;
	g->serve = pace;
	g->ctx = c;
	c->pairing.plan = c->counts.plan = &c->job.plan;
	c->pairing.nr_functions = c->functions.nr;
	c->pairing.kernel = engine == TD_BY_KPROBES;
	c->pairing.call_ended = count_call;
	c->pairing.ctx = c;
	c->counts.wall_ns = td_wall_ns() - td_now_ns();
}

static int plan(struct td_calling *c, const struct td_request *request, struct td_err *err)
{
	int rc = td_job_plan(&c->job, request, err);

	rc = rc ?: td_job_join(&c->job, err);
	rc = rc ?: td_functions_find(&c->functions, &c->job, request->calls.names, err);
	if (rc)
		return rc;
	prepare(c);
	if (is_traced(c))
		return td_calls_trace_open(c, err);
	rc = td_functions_check(&c->functions, &c->job, &c->gathering.format, err);
	if (rc == -EINVAL)
		td_err_hint(err,
			    "tdstat calls --engine=pt needs no probes, but an Intel processor");
	return rc || request->dry_run ? rc : open_probes(c, err);
}

/* --- the run ---------------------------------------------------------------- */

static uint64_t nr_counted(const struct td_calling *c, size_t function)
{
	uint64_t nr = c->regions.timed[function].durations.nr;

	return c->pairing.unpaired ? nr + c->pairing.unpaired[function].recursive : nr;
}

static void report_variation(const struct td_calling *c, size_t function)
{
	const struct td_durations *durations = &c->regions.timed[function].durations;
	double variation_ns = (double)c->cost_of[function]->variation_ns;
	char text[TD_DURATION_NAME];

	if (!(td_durations_quantile(durations, 0.5) < UNSURE_TIMES * variation_ns))
		return;
	td_duration_text(text, variation_ns);
	td_job_say(&c->job,
		   "tdstat: %s: times may be up to %s too long: the cost of probes varies, and "
		   "only its minimum is subtracted\n",
		   c->functions.v[function].name, text);
}

static void report_cost(const struct td_calling *c)
{
	uint64_t calls[2] = { 0 };
	double took_ns[2] = { 0 };

	for (size_t i = 0; i < c->functions.nr; i++) {
		const struct td_call_cost *cost = c->cost_of[i];
		uint64_t counted = nr_counted(c, i);
		uint64_t off = td_since(c->regions.timed[i].all, counted);

		report_variation(c, i);
		calls[0] += counted;
		calls[1] += off;
		took_ns[0] += (double)counted * (double)cost->pair_ns;
		took_ns[1] += (double)off * (double)cost->off_ns;
	}
	td_probes_report_cost(&c->gathering, c->cost_of[0], took_ns, calls,
			      c->pairing.nr_interrupts);
}

static void report(const struct td_calling *c)
{
	if (is_traced(c))
		td_calls_trace_report(c);
	else
		report_cost(c);
	for (size_t i = 0; i < c->functions.nr; i++) {
		report_unpaired(c, i);
		if (!c->regions.timed[i].durations.nr)
			td_job_say(&c->job, "tdstat: %s: no call was counted\n",
				   c->functions.v[i].name);
	}
	suggest_trace(c);
	td_calls_suggest_next(&c->job, &c->result.view.report);
}

static int show(struct td_calling *c, struct td_err *err)
{
	struct td_gathering *g = &c->gathering;

	td_pairing_end(&c->pairing);
	/* if probes were disabled at times, the kernel still knows the number of all calls */
	for (size_t i = 0; c->pairing.gaps && i < c->functions.nr; i++)
		c->regions.timed[i].all = td_probes_hits(&c->probes, i);
	if (is_traced(c))
		td_calls_trace_end(c);
	td_call_counts_to_regions(&c->counts, &c->regions, &c->batched);
	return td_region_result_show(&c->result, &c->batched, &g->usage, g->status, err);
}

static int gather(struct td_calling *c, struct td_inherited *inherited, int *status,
		  struct td_err *err)
{
	struct td_gathering *g = &c->gathering;
	int rc = td_region_result_open(&c->result, &c->job, &c->regions, err);

	c->result.view.sink.frame.start_ns = td_wall_ns();
	if (!rc) {
		rc = td_gather(g, inherited, err);
		*status = g->status;
	}
	td_gathering_report(g);
	rc = rc ?: show(c, err);
	if (!rc)
		report(c);
	return td_region_result_close(&c->result, rc, err);
}

static void free_all(struct td_calling *c)
{
	td_calls_trace_free(c);
	td_call_counts_free(&c->counts);
	td_pairing_free(&c->pairing);
	td_ints_free(&c->pace.tids);
	td_regions_free(&c->regions);
	td_batched_free(&c->batched);
	free(c->gathering.how);
	free(c->companions);
	/* probes can only be removed after their events are closed */
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

/* Shows the planned groups and probes (--dry-run). */
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
	for (size_t i = 0; !rc && !is_traced(c) && i < c->functions.nr; i++) {
		const struct td_entry_point *entry = &c->functions.v[i];

		fputs("probes at ", stdout);
		td_put_printable(stdout, entry->name);
		if (!entry->kernel)
			printf(": 0x%" PRIx64, entry->offset);
		fputs(" in ", stdout);
		td_put_printable(stdout, entry->path);
		putchar('\n');
	}
	return rc;
}

/*
 * Returns true if marks can replace uprobes: the program has marks, and this user may not probe
 * it or it has no such function.
 */
static bool has_marks_instead(const struct td_calling *c, const struct td_request *request,
			      const struct td_err *err)
{
	const struct td_entry_point *last;

	if (!td_wing_has_marked() || request->calls.engine || !request->target.command ||
	    request->when.timeout_ms || request->target.no_inherit || !c->functions.nr)
		return false;
	last = &c->functions.v[c->functions.nr - 1];
	return last->marked && (err->code == -EACCES || !last->offset);
}

/* Returns true if Processor Trace can replace uprobes, which this user may not use. */
static bool has_trace_instead(const struct td_calling *c, const struct td_request *request,
			      const struct td_err *err)
{
	return !request->calls.engine && c->functions.nr == 1 && err->code == -EACCES &&
	       request->sampling.overhead_pct <= 0 && may_trace(c);
}

/*
 * Returns the request for Processor Trace.  Its events are sampled, so they must not need a group
 * as PERF_METRICS do.
 */
static struct td_request of_trace(const struct td_request *request)
{
	struct td_request other = *request;

	other.calls.engine = TD_BY_PT;
	other.ask.no_perf_metrics = request->calls.samples;
	return other;
}

static int run_probes(const struct td_request *request, struct td_inherited *inherited, int *status,
		      struct td_err *err)
{
	struct td_request traced = of_trace(request);
	struct td_attempt attempt = { 0 };
	struct td_calling c = { .probes.events = -1 };
	int rc = plan(&c, request, err);
	bool marks = rc && has_marks_instead(&c, request, err);
	bool trace = rc && !marks && has_trace_instead(&c, request, err);

	if (!rc)
		rc = request->dry_run ? show_plan(&c, err) : gather(&c, inherited, status, err);
	rc = td_gathering_close(&c.gathering, rc, err);
	attempt.over = c.gathering.over;
	free_all(&c);
	if (!marks && !trace)
		return rc ? td_always_continue(request, inherited, &attempt, status, err) : 0;
	if (!request->show.quiet)
		td_say("tdstat: counting with %s: %s\n",
		       marks ? "the program's marks" : "Processor Trace", err->msg);
	*err = (struct td_err){ 0 };
	return marks ? td_wing_run_marked(request, inherited, status, err)
		     : run_probes(&traced, inherited, status, err);
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_request traced = of_trace(&opts->request);

	td_inherited_change(&inherited);
	if (opts->request.calls.engine == TD_BY_MARKS)
		return td_wing_run_marked(&opts->request, &inherited, status, err);
	return run_probes(opts->request.calls.engine == TD_BY_PT ? &traced : &opts->request,
			  &inherited, status, err);
}

/* --- the subcommand --------------------------------------------------------- */

/* The first word names the functions.  The next one starts the command. */
static int set_functions(struct td_opts *opts, const char *word, struct td_err *err)
{
	opts->request.calls.by_duration = true;
	(void)err;
	if (opts->request.calls.names)
		return 1;
	opts->request.calls.names = word;
	return 0;
}

/* Sets the level of -l.  With Processor Trace, metrics need samples. */
static int set_level(struct td_opts *opts, const char *arg, struct td_err *err)
{
	opts->request.calls.samples = true;
	return td_value_level(opts, arg, err);
}

static int set_kernel(struct td_opts *opts, const char *arg, struct td_err *err)
{
	(void)arg;
	if (opts->request.calls.engine)
		return td_err_usage(err, "-k always uses probes of the kernel: --engine excludes "
					 "it");
	opts->request.calls.engine = TD_BY_KPROBES;
	return 0;
}

static int set_engine(struct td_opts *opts, const char *arg, struct td_err *err)
{
	if (opts->request.calls.engine == TD_BY_KPROBES)
		return set_kernel(opts, arg, err);
	opts->request.calls.engine = td_timed_engine_find(arg);
	if (opts->request.calls.engine && opts->request.calls.engine != TD_BY_KPROBES)
		return 0;
	return td_err_usage(err, "--engine %s: not one of marks, uprobes, pt", arg);
}

/*
 * Refuses --overhead with -k: it needs the number of the command's calls, but the kernel's hits
 * include those of other programs.
 */
static int check_kernel(const struct td_opts *opts, struct td_err *err)
{
	if (opts->request.sampling.overhead_pct > 0 && opts->request.sampling.overhead_pct < 100)
		return td_err_usage(err, "-k counts all calls: --overhead excludes it");
	if (opts->request.target.all_user)
		return td_err_usage(err, "-k counts the kernel: --all-user excludes it");
	return 0;
}

static int check_marks(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->request.target.command || td_target_attaches(&opts->request.target))
		return td_err_usage(
			err,
			"--engine=marks needs a command, because a program counts its marks from "
			"its start");
	if (opts->request.sampling.overhead_pct > 0 && opts->request.sampling.overhead_pct < 100)
		return td_err_usage(err, "--overhead limits the cost of probes: --engine=marks "
					 "excludes it");
	if (opts->request.when.timeout_ms || opts->request.target.no_inherit)
		return td_err_usage(
			err, "--engine=marks counts the command and its children to their end: "
			     "--timeout and -i exclude it");
	return 0;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->request.calls.names) {
		td_err_usage(err, "tdstat calls needs a function");
		return td_err_hint(err, "tdstat calls FUNCTION -- ./program");
	}
	if (td_request_is_wide(&opts->request)) {
		td_err_usage(err,
			     "tdstat calls counts in threads, not on CPUs: it needs a command or a "
			     "process");
		return td_err_hint(err, "tdstat calls %s -- ./program", opts->request.calls.names);
	}
	if (opts->request.ask.level > MAX_LEVEL || opts->request.ask.drill)
		return td_err_usage(err, "-l: calls supports only levels 1 and 2");
	if (opts->request.calls.engine == TD_BY_MARKS)
		return check_marks(opts, err);
	if (opts->request.calls.engine == TD_BY_PT && opts->request.sampling.overhead_pct > 0)
		return td_err_usage(err, "--overhead limits the cost of probes: --engine=pt "
					 "excludes it");
	return opts->request.calls.engine == TD_BY_KPROBES ? check_kernel(opts, err) : 0;
}

/* clang-format off */
static const struct td_option counting[] = {
	{ "engine", 0, "marks|uprobes|pt",
	  "count with marks of libtdstat, probes at functions, or Processor Trace",
	  TD_OPTION_FUNCTION, .set = set_engine },
	{ "kernel", 'k', NULL, "count functions of the kernel, such as do_sys_openat2",
	  TD_OPTION_FUNCTION, .set = set_kernel },
	{ "level", 'l', "N", "level 1, or levels 1 and 2 (default: 1)",
	  TD_OPTION_FUNCTION, .set = set_level },
	{ "overhead", 0, "PERCENT",
	  "limit the cost of probes to this share of time (default: 5)",
	  TD_OPTION_FUNCTION, .set = td_value_overhead },
	{ NULL },
};

static const struct td_option showing[] = {
	{ "verbose", 'v', NULL, "also show trees and the counters that are opened",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_counting = { TD_SECTION_WHAT, counting };
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

static const struct td_command command = {
	.name = "calls",
	.line = "find out why some calls of a function are slow",
	.args = "FUNCTION[,FUNCTION...][@FILE] [--] [COMMAND [ARG...]]",
	.doc = "Measures each call of a function. Shows how long the calls took, where the "
	       "pipeline slots of shorter and longer calls went, and why the slowest calls are "
	       "slow.",
	.what = "What to count:",
	.examples = "  tdstat calls parse -- ./program\n"
		    "  tdstat calls malloc@libc.so.6 -p 1234 --timeout 10s",
	.groups = groups,
	.does = { .regions = true, .samples = true, .always = true },
	.word = set_functions,
	.runs = true,
	.check = check,
	.counts = true,
	.run = run,
};

static const struct td_addition additions[] = {
	{ "locate", &td_group_within },
	{ NULL },
};

const struct td_wing td_wing_calls = {
	.name = "calls",
	.command = &command,
	.additions = additions,
	.filter = &td_within_filter,
	.judge = calls_judge,
};
