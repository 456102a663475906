// SPDX-License-Identifier: GPL-2.0-only
/* Runs the command, and takes samples until it ends. */
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "cmd/plan/dry_run.h"
#include "cmd/rights.h"
#include "cmd/run/clock.h"
#include "cmd/sample/parts.h"
#include "cmd/say.h"
#include "lib/base/number.h"

/* --- rings ----------------------------------------------------------------- */

/* Rings are read when they are half full, and at this interval. */
#define READ_NS (100 * TD_NS_A_MS)

/* Attempts to open the events while threads come and go. */
#define ATTEMPTS 5

/* --- the run ---------------------------------------------------------------- */

static int serve(void *ctx, const struct td_wake *wake, struct td_err *err)
{
	struct td_gathering *g = ctx;

	(void)wake;
	td_sampler_read(g->sampler, false, td_gathering_take, g);
	if (g->job->target.system_wide)
		td_sampled_cpus_follow(&g->cpus, g->job, g->sampler, "sampled");
	return g->serve ? g->serve(g->ctx, err) : 0;
}

static int begin(struct td_gathering *g, struct td_err *err)
{
	struct td_engine *engine = &g->engine;
	const struct td_job *job = g->job;
	uint64_t timeout_ns = (uint64_t)job->request->when.timeout_ms * TD_NS_A_MS;

	engine->waiter.tasks = td_sampler_fd(g->sampler);
	if (!job->request->target.command && !timeout_ns && isatty(STDERR_FILENO))
		td_job_say(job, "tdstat: sampling until %s^C\n",
			   td_target_attaches(&job->request->target) ? "it ends or " : "");
	else
		td_progress_stage(&g->progress, "sampling");
	if (!job->target.enable_on_exec)
		td_sampler_enable(g->sampler, true);
	if (engine->child.pid > 0 &&
	    td_child_release(&engine->child, job->request->target.command[0], err))
		return err->code;
	if (td_waiter_start(&engine->waiter, READ_NS, timeout_ns, err))
		return err->code;
	return g->serve ? g->serve(g->ctx, err) : 0;
}

/* Waits for the command even after an error, because its status is needed. */
static int end(struct td_gathering *g, int rc, struct td_err *err)
{
	struct td_child *child = &g->engine.child;
	struct td_err late = { 0 };

	if (child->pid > 0 && !child->reaped && td_child_wait(child, &g->usage, rc ? &late : err) &&
	    !rc)
		rc = err->code;
	g->usage.elapsed_ns = td_now_ns() - g->cpus.start_ns;
	td_sampler_enable(g->sampler, false);
	g->losses.counted = td_sampler_counted(g->sampler);
	if (!rc)
		td_sampler_read(g->sampler, true, td_gathering_take, g);
	return rc;
}

/* --- opening ---------------------------------------------------------------- */

static int start_child(struct td_gathering *g, const struct td_inherited *inherited,
		       struct td_err *err)
{
	struct td_job *job = g->job;
	char **command = job->request->target.command;
	int rc = td_engine_start(&g->engine, command, inherited, err);

	if (rc || !command || job->target.system_wide || td_target_attaches(&job->request->target))
		return rc;
	td_ints_add(&job->target.tids, g->engine.child.pid);
	return 0;
}

/*
 * Reads the mappings of running processes.  Call after the events are open, so that no mapping is
 * missed.
 */
static void read_spaces(struct td_gathering *g)
{
	const struct td_sysfs *fs = &g->job->fs;
	struct td_names names = { 0 };

	if (g->engine.child.pid > 0 && !g->job->target.system_wide)
		return;
	td_sysfs_list(fs->proc, ".", &names);
	for (size_t i = 0; i < names.nr; i++) {
		int pid;

		if (td_parse_int(names.v[i], 1, INT_MAX, &pid) == 0)
			td_spaces_read(g->spaces, &g->locations, fs, pid);
	}
	td_names_free(&names);
}

static int open_sampler(struct td_gathering *g, struct td_err *err)
{
	struct td_job *job = g->job;
	const struct td_sampler_setup setup = {
		.plan = &job->plan,
		.how = g->how,
		.machine = &job->machine,
		.target = &job->target,
		.notes = &job->notes,
		.format = g->format,
		.companions = g->companions,
		.nr_companions = g->nr_companions,
		.max_pages = g->max_pages,
		.switches = g->switches,
		.trace = { g->trace.type, g->trace.config, g->trace.filter, g->trace.max_pages },
	};
	int rc = -ESRCH;

	for (int i = 0; rc == -ESRCH && i < ATTEMPTS; i++) {
		if (td_target_find_tasks(&job->target, &job->fs, err))
			return err->code;
		rc = td_sampler_open(&g->sampler, &setup, err);
	}
	while (rc == -ESRCH && td_target_leave_out_ended(&job->target, &job->fs))
		rc = td_sampler_open(&g->sampler, &setup, err);
	if (!rc && job->request->verbose && !job->request->show.quiet && !g->trace.type)
		td_describe(&job->machine, job->tree, &job->plan, &job->target);
	return rc;
}

/* --- --samples -------------------------------------------------------------- */

static int begin_recording(struct td_gathering *g, struct td_err *err)
{
	const struct td_source source = { .how = TD_AGGREGATE_ALL };
	int rc;

	if (!g->recorder.fp)
		return 0;
	g->recorder.start_ns = td_wall_ns();
	rc = td_recorder_begin(&g->recorder, g->job, &source, err);
	g->writer.fp = g->recorder.fp;
	g->writer.plan = &g->job->plan;
	if (!rc)
		td_samples_write_head(&g->writer, g->node, g->longest_ns);
	return rc;
}

/* --- functions -------------------------------------------------------------- */

/* A signal shortly after the one that ended the sampling is ignored: ^C may come twice. */
static bool is_unwanted(void *ctx)
{
	const struct td_gathering *g = ctx;
	struct td_signal signal;

	return td_signals_take(&signal) && td_signals_is_ending(&signal) &&
	       (!g->engine.signal_ns || signal.time_ns - g->engine.signal_ns > TD_TWICE_NS);
}

/* The first signal ends the search, so that samples can be shown; the next one ends tdstat. */
static void find_functions(struct td_gathering *g)
{
	td_signals_over(false);
	g->symbols.stop = td_signals_open();
	g->symbols.is_unwanted = is_unwanted;
	g->symbols.ctx = g;
	td_progress_stage(&g->progress, "reading symbols");
	td_symbols_resolve(&g->symbols, &g->locations);
	td_progress_clear(&g->progress);
	g->symbols.is_unwanted = NULL;
	td_signals_over(true);
}

/* --- the whole run ---------------------------------------------------------- */

/* Returns the minimum number of branch records of all core types, or 0 if it is unknown. */
static size_t find_nr_branches(const struct td_job *job)
{
	int min = 0;

	for (size_t i = 0; i < job->machine.nr_core; i++) {
		struct td_err unused;
		char path[PATH_MAX];
		int nr;

		snprintf(path, sizeof(path), "bus/event_source/devices/%s/caps/branches",
			 job->machine.pmus[i].name);
		if (td_sysfs_read_int(&job->fs, path, &nr, &unused) == 0 && nr > 0 &&
		    (!min || nr < min))
			min = nr;
	}
	return (size_t)min;
}

static int prepare(struct td_gathering *g, struct td_err *err)
{
	const char *samples = g->job->request->sampling.files.samples;

	g->symbols = (struct td_symbols){ &g->job->fs, g->lines, &g->job->notes };
	g->spaces = td_spaces_new();
	if (g->format.branches)
		g->nr_branches = find_nr_branches(g->job);
	g->hides_kernel = td_rights_hide_kernel(&g->job->fs, &g->job->notes);
	if (g->format.copied && td_unwinder_new(&g->unwinder, &g->job->fs, &g->job->notes, err))
		return err->code;
	return samples ? td_recorder_open(&g->recorder, samples, err) : 0;
}

static int run_all(struct td_gathering *g, struct td_inherited *inherited, struct td_err *err)
{
	struct td_job *job = g->job;
	int rc = td_waiter_open(&g->engine.waiter, &job->target.pids, &job->target.threads, err);

	rc = rc ?: start_child(g, inherited, err);
	rc = rc ?: open_sampler(g, err);
	if (rc)
		return rc;
	read_spaces(g);
	rc = begin_recording(g, err);
	if (rc)
		return rc;
	td_job_say_notes(job);
	g->cpus.start_ns = td_now_ns();
	rc = begin(g, err);
	rc = rc ?: td_engine_run(&g->engine, serve, g, err);
	return end(g, rc, err);
}

/* Stacks of at least this size need larger rings: default rings hold fewer than 60 such samples. */
#define LARGE_COPY  8192
#define LARGE_PAGES 1024

void td_gathering_want(struct td_gathering *g, const struct td_request *request)
{
	g->format.chain =
		request->sampling.callers || td_sample_files_want_chains(&request->sampling.files);
	g->format.branches = request->sampling.files.lbr;
	g->format.copied = request->sampling.files.copied;
	if (g->format.copied > LARGE_COPY)
		g->max_pages = LARGE_PAGES;
}

int td_gather(struct td_gathering *g, struct td_inherited *inherited, struct td_err *err)
{
	int rc = prepare(g, err);

	g->engine.waiter = TD_WAITER_NONE;
	g->progress = td_progress_make(g->job->request, 1);
	rc = rc ?: run_all(g, inherited, err);
	td_progress_clear(&g->progress);
	/* before td_child_end(), which ends a child that was never released */
	g->status = g->engine.child.status;
	g->over = td_child_is_over(&g->engine.child);
	td_child_end(&g->engine.child);
	td_waiter_close(&g->engine.waiter);
	if (rc)
		return rc;
	find_functions(g);
	td_samples_write_functions(&g->writer, &g->locations);
	return td_recorder_end(&g->recorder, &g->usage, g->status, err);
}

int td_gathering_close(struct td_gathering *g, int rc, struct td_err *err)
{
	struct td_err late = { 0 };

	if (td_recorder_close(&g->recorder, rc ? &late : err) && !rc)
		rc = err->code;
	td_sampler_close(g->sampler);
	td_ints_free(&g->cpus.gone);
	td_locations_free(&g->locations);
	td_spaces_free(g->spaces);
	td_unwinder_free(g->unwinder);
	return rc;
}

/* --- what was lost ---------------------------------------------------------- */

static void report_lost(const struct td_gathering *g)
{
	td_job_say(g->job,
		   "tdstat: %" PRIu64 " records were lost, because the ring buffers were full: "
		   "%skernel.perf_event_mlock_kb allows larger ones\n",
		   g->losses.records,
		   /* -F does not apply to probes */
		   g->nr_companions ? "" : "-F takes fewer samples, ");
}

static void report_short(const struct td_gathering *g)
{
	td_job_say(g->job,
		   "tdstat: the callers of %" PRIu64
		   " samples end with ?: their stacks are longer than the %d bytes that were "
		   "copied%s\n",
		   g->losses.cut, g->format.copied,
		   g->format.copied < TD_MAX_COPIED ? ": --call-graph dwarf,SIZE copies more" : "");
}

static void report_throttled(const struct td_gathering *g)
{
	td_job_say(g->job,
		   "tdstat: the kernel stopped sampling %" PRIu64
		   " times for a moment%s: kernel.perf_cpu_time_max_percent allows more%s\n",
		   g->losses.throttled,
		   /* the rate beside a trace is fixed */
		   g->trace.type ? "" : ", which is left out",
		   g->trace.type ? "" : ", and -F takes fewer samples");
}

#define FEW_SAMPLES 20
#define MIN_SAMPLES 10

/*
 * Reports events that samples do not cover: the events after a thread's last sample, and events of
 * late interrupts that exceed a period (x86_perf_event_set_period()).
 */
static void report_late(const struct td_gathering *g)
{
	const struct td_target *target = &g->job->target;
	double part = g->losses.weight / g->losses.counted;

	/* newer kernels' IBS also counts operations that it excludes from samples */
	if (td_job_has_kind(g->job, TD_PMU_IBS) &&
	    (target->exclude_kernel || target->all_user || target->all_kernel))
		return;
	if (g->losses.records || g->losses.samples < MIN_SAMPLES || !(part < 0.5))
		return;
	td_job_say(g->job,
		   "tdstat: samples represent %.0f %% of the counted events: interrupts came "
		   "late, or threads or periods were short\n",
		   100 * part);
}

/* Reports samples without callers, but only if callers or stacks are shown. */
static void report_frameless(const struct td_gathering *g)
{
	const struct td_request *request = g->job->request;
	uint64_t all = g->losses.framed, nr = g->losses.frameless;

	if (all < FEW_SAMPLES || nr <= all / 2 ||
	    (!request->sampling.callers && !td_stack_files_any(&request->sampling.files)))
		return;
	td_job_say(g->job,
		   "tdstat: %" PRIu64 " of %" PRIu64
		   " samples in user space have no known caller, for example in code without "
		   "frame pointers: --call-graph dwarf finds callers there\n",
		   nr, all);
}

void td_gathering_report(const struct td_gathering *g)
{
	td_job_say_notes(g->job);
	if (g->losses.records)
		report_lost(g);
	if (g->losses.throttled)
		report_throttled(g);
	if (g->losses.chains)
		td_job_say(g->job,
			   "tdstat: the callers of %" PRIu64
			   " samples are left out: there are more than %zu call sites\n",
			   g->losses.chains, TD_MAX_CALLS);
	if (g->losses.cut)
		report_short(g);
	report_late(g);
	report_frameless(g);
}
