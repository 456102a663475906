// SPDX-License-Identifier: GPL-2.0-only
/* tdstat calls --engine=pt: uses Processor Trace to find when calls begin and end. */
#include <inttypes.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cmd/calls/decode.h"
#include "cmd/calls/parts.h"
#include "lib/base/printable.h"
#include "lib/machine/privileges.h"
#include "lib/machine/uarch.h"

/* --- turns ------------------------------------------------------------------ */

/*
 * Traces one function at a time, in turns.  Nothing is traced between the ranges of functions, so
 * calls of one function by another would otherwise be unknown.  Turns have a random length, which
 * is independent of the program.  Calls that are open at the end of a turn are not counted.
 */

/* The average length of a turn. */
#define TURN_MS 200

/* Sets the filter to the range of the traced function. */
static void set_filter(struct td_calling *c)
{
	const struct td_entry_point *entry = &c->functions.v[c->traced.turn];

	free(c->gathering.trace.filter);
	/* a path could contain blanks, or be below another root directory */
	c->gathering.trace.filter =
		td_aprintf("filter 0x%" PRIx64 "/0x%" PRIx64 "@/proc/%d/fd/%d", entry->offset,
			   entry->size, (int)getpid(), entry->fd);
}

/* Returns the calls of the traced function. */
static struct td_traced_calls *calls_of_turn(struct td_calling *c)
{
	return &c->traced.calls[c->traced.turn];
}

static void begin_turn(struct td_calling *c, uint64_t now_ns)
{
	c->traced.turn_ns = now_ns;
	c->traced.next_ns = now_ns + td_about_ns((double)TURN_MS * TD_NS_A_MS);
}

static uint64_t trace_ns(const struct td_calling *c)
{
	return td_sampler_trace_ns(c->gathering.sampler, __rdtsc());
}

/* Ends a turn.  The rings are read before the next one begins. */
static void end_turn(struct td_calling *c, uint64_t now_ns)
{
	calls_of_turn(c)->until_ns = trace_ns(c);
	td_sampler_pause_trace(c->gathering.sampler);
	c->traced.paused = true;
	c->traced.reads = 0;
	c->regions.timed[c->traced.turn].traced_ns += td_since(now_ns, c->traced.turn_ns);
	c->traced.next_ns = td_now_ns() + TD_LOOK_NS;
}

/* Begins the next turn, once tracing is on again on all CPUs. */
static int next_turn(struct td_calling *c, struct td_err *err)
{
	int rc;

	td_traced_calls_turn(calls_of_turn(c), 0);
	c->traced.turn = (c->traced.turn + 1) % c->functions.nr;
	c->traced.pid = 0;
	set_filter(c);
	rc = td_sampler_resume_trace(c->gathering.sampler, c->gathering.trace.filter, err);
	begin_turn(c, td_now_ns());
	td_traced_calls_turn(calls_of_turn(c), trace_ns(c));
	c->traced.paused = false;
	return rc;
}

/* Ends and begins turns.  It is called after each reading of the rings. */
static int serve(void *ctx, struct td_err *err)
{
	struct td_calling *c = ctx;
	uint64_t now_ns = td_now_ns();

	if (!c->traced.begun_ns) {
		c->traced.begun_ns = now_ns;
		c->counts.wall_ns = td_wall_ns() - trace_ns(c);
		begin_turn(c, now_ns);
	}
	if (c->functions.nr == 1)
		return 0;
	c->traced.reads++;
	if (now_ns >= c->traced.next_ns) {
		if (!c->traced.paused)
			end_turn(c, now_ns);
		else if (c->traced.reads < TD_READS)
			c->traced.next_ns = now_ns + TD_LOOK_NS;
		else if (next_turn(c, err))
			return err->code;
	}
	return td_waiter_delay(&c->gathering.engine.waiter,
			       td_since(c->traced.next_ns, td_now_ns()) + 1, err);
}

/* Sets for which share of the time each function was traced. */
static void end_turns(struct td_calling *c)
{
	uint64_t end_ns = c->gathering.cpus.start_ns + c->gathering.usage.elapsed_ns;
	struct td_timed *timed = c->regions.timed;

	if (c->functions.nr == 1)
		return;
	if (!c->traced.paused)
		timed[c->traced.turn].traced_ns += td_since(end_ns, c->traced.turn_ns);
	for (size_t i = 0; i < c->functions.nr; i++) {
		timed[i].counting_ns = td_since(end_ns, c->traced.begun_ns);
		if (timed[i].traced_ns > timed[i].counting_ns)
			timed[i].traced_ns = timed[i].counting_ns;
	}
}

/* --- boundaries ------------------------------------------------------------- */

/* Pages of rings of the trace: minimum and maximum for one CPU, and maximum for all CPUs. */
#define MIN_PAGES  1024
#define MAX_PAGES  4096
#define ALL_PAGES  65536
#define RING_PAGES 32 /* pages of a ring of records */
/* Replaces RING_PAGES if locked memory is unlimited, because page faults may write many records. */
#define MAX_RING_PAGES 512

/*
 * Finds the start of the function whose range contains the address.  The start stays the same until
 * an address is in another range, or the process becomes another program.
 */
static void find_start(struct td_calling *c, int pid, uint64_t address)
{
	const struct td_entry_point *entry = &c->functions.v[c->traced.turn];
	struct td_gathering *g = &c->gathering;
	int location;

	if (c->traced.pid == pid && address - c->traced.start < entry->size)
		return;
	location = td_spaces_find(g->spaces, &g->locations, pid, address, false);
	c->traced.pid = pid;
	c->traced.start = address - (g->locations.v[location].address - entry->offset);
}

static void add_boundary(void *ctx, int what, uint64_t address, uint64_t tsc)
{
	struct td_calling *c = ctx;
	struct td_record r = *c->traced.record;

	if (what == TD_TRACE_ENTER)
		find_start(c, r.pid, address);
	r.address = address;
	r.time_ns = tsc ? td_sampler_trace_ns(c->gathering.sampler, tsc) : 0;
	td_traced_calls_boundary(calls_of_turn(c), &r, what, address == c->traced.start);
}

static void count_call(void *ctx, const struct td_paired_call *call)
{
	struct td_calling *c = ctx;
	struct td_paired_call copy = *call;
	uint64_t *sums = c->traced.calls[call->function].sums + c->job.plan.events.nr;

	copy.group = c->traced.cpus[call->cpu].group;
	if (copy.group < 0)
		return;
	/* attribute all CPU time of the call to the group of its last CPU */
	if (c->regions.timed[0].period)
		sums[TD_CALL_GROUPS + copy.group] =
			td_since(call->time_ns, sums[TD_CALL_WAITED_NS]);
	td_call_counts_add(&c->counts, c->regions.timed, &copy);
}

/* --- records ---------------------------------------------------------------- */

static void lose(struct td_calling *c, uint64_t until_ns)
{
	c->traced.nr_gaps++;
	for (size_t i = 0; i < c->functions.nr; i++)
		td_traced_calls_lose(&c->traced.calls[i], until_ns);
}

static void decode_trace(struct td_calling *c, const struct td_record *record)
{
	uint8_t *bytes = td_sampler_trace(c->gathering.sampler, record);
	size_t cpu = (size_t)record->cpu;

	if (record->cpu < 0 || cpu >= c->traced.nr_cpus)
		return;
	if (!bytes || record->offset != c->traced.cpus[cpu].next) {
		td_trace_skip(&c->traced.cpus[cpu].trace);
		lose(c, record->time_ns);
	}
	c->traced.cpus[cpu].next = record->offset + record->length;
	c->traced.record = record;
	c->traced.cpus[cpu].trace.tsc = __rdtsc();
	if (bytes)
		td_trace_decode(&c->traced.cpus[cpu].trace, bytes, record->length);
	td_traced_calls_settle(calls_of_turn(c), record);
	if (record->cut)
		lose(c, td_sampler_trace_on_ns(c->gathering.sampler, record));
}

/*
 * Adds a sample to all functions, also to those that are paused, because the next sample is a
 * difference from it.
 */
static void add_sample(struct td_calling *c, const struct td_record *record, int event)
{
	if (event >= (int)c->job.plan.events.nr) {
		td_traced_calls_fault(calls_of_turn(c), record);
		return;
	}
	for (size_t i = 0; i < c->functions.nr; i++)
		td_traced_calls_sample(&c->traced.calls[i], record, event);
}

static void handle_record(void *ctx, const struct td_record *record, int event, int location,
			  int caller)
{
	struct td_calling *c = ctx;

	(void)location;
	(void)caller;
	switch (record->kind) {
	case TD_RECORD_TRACE:
		decode_trace(c, record);
		break;
	case TD_RECORD_SAMPLE:
		add_sample(c, record, event);
		break;
	case TD_RECORD_SWITCH:
		td_traced_calls_switch(calls_of_turn(c), record);
		break;
	case TD_RECORD_EXEC:
		c->traced.pid = 0;
		td_traced_calls_exec(calls_of_turn(c), record->tid);
		break;
	case TD_RECORD_END:
		for (size_t i = 0; i < c->functions.nr; i++)
			td_traced_calls_end_thread(&c->traced.calls[i], record->tid);
		break;
	case TD_RECORD_LOST:
		lose(c, record->time_ns);
		break;
	default:
		break;
	}
}

/* --- opening ---------------------------------------------------------------- */

static int group_of(const struct td_job *job, int cpu)
{
	for (size_t g = 0; g < job->plan.nr_groups; g++) {
		int pmu = job->plan.groups[g].pmu;

		if (td_ints_has(&job->machine.pmus[pmu].cpus, cpu))
			return (int)g;
	}
	return -1;
}

static void make_cpus(struct td_calling *c, const struct td_trace *trace)
{
	const struct td_ints *online = &c->job.machine.online;

	for (size_t i = 0; i < online->nr; i++) {
		if ((size_t)online->v[i] >= c->traced.nr_cpus)
			c->traced.nr_cpus = (size_t)online->v[i] + 1;
	}
	c->traced.cpus = td_calloc(c->traced.nr_cpus, sizeof(*c->traced.cpus));
	for (size_t i = 0; i < c->traced.nr_cpus; i++) {
		c->traced.cpus[i].trace = *trace;
		c->traced.cpus[i].group = group_of(&c->job, (int)i);
	}
}

static int check_sizes(const struct td_calling *c, struct td_err *err)
{
	td_for_each(const struct td_entry_point, entry, c->functions.v, c->functions.nr) {
		if (!entry->size)
			return td_err_set(err, -EINVAL, "%s in %s: its symbol has no size",
					  entry->name, entry->path);
	}
	return 0;
}

/* The trace does not show which goroutine a thread runs. */
static void add_notes(struct td_calling *c)
{
	for (size_t i = 0; i < c->functions.nr; i++) {
		if (c->functions.v[i].moves)
			td_notes_add(&c->job.notes,
				     "%s is a Go program: a call that waits for another goroutine "
				     "ends there, and one whose stack grows counts twice",
				     c->functions.v[i].name);
	}
	if (c->functions.nr > 1)
		td_notes_add(
			&c->job.notes,
			"functions are traced in turns of about %d ms, because calls from one to "
			"another leave no trace: a call across the end of a turn is not counted",
			TURN_MS);
}

/* Slots between two samples of an event: about a thousand per second.  A prime. */
#define PERIOD 20000003

/*
 * Atom cores also count topdown events in slots (intel/perfmon: "issue slots that were not
 * consumed", "consumed retirement slots"), but the number of all slots in cycles.
 */
static uint64_t period_of(const struct td_job *job, const struct td_event *event)
{
	const struct td_pmu *pmu = &job->machine.pmus[event->pmu];
	int width = td_uarch_width(pmu->uarch);

	return width && td_event_is_named(event, "cycles") ? PERIOD / (uint64_t)width : PERIOD;
}

/* Each event is sampled alone, which the fields of PERF_METRICS do not support. */
static bool may_sample(const struct td_job *job)
{
	bool may = job->request->calls.samples && job->plan.events.nr <= TD_TRACED_EVENTS;

	for (size_t g = 0; may && g < job->plan.nr_groups; g++)
		may = !td_pmu_has_slots(&job->machine.pmus[job->plan.groups[g].pmu]);
	return may;
}

static void sample_events(struct td_calling *c)
{
	const struct td_plan *plan = &c->job.plan;

	for (size_t i = 0; i < c->functions.nr; i++)
		c->regions.timed[i].period = PERIOD;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++) {
			int event = plan->groups[g].members[i];

			c->gathering.how[event].period = period_of(&c->job, &plan->events.v[event]);
		}
	}
}

/* The report contains the plan's metrics, but calls have no counts for them. */
static void refuse_events(struct td_calling *c)
{
	struct td_events *events = &c->job.plan.events;

	if (c->job.request->calls.samples)
		td_notes_add(&c->job.notes,
			     "-l: this processor has no events for the levels that can be sampled "
			     "individually");
	for (size_t i = 0; i < events->nr; i++)
		td_event_set_refusal(&events->v[i], "Processor Trace counts no events");
}

static int choose_pages(const struct td_job *job, int max, int min)
{
	int pages = max;

	while (pages > min && (size_t)pages * job->machine.online.nr > ALL_PAGES)
		pages /= 2;
	return pages;
}

static void make_calls(struct td_calling *c)
{
	c->traced.calls = td_calloc(c->functions.nr, sizeof(*c->traced.calls));
	for (size_t i = 0; i < c->functions.nr; i++) {
		c->traced.calls[i].plan = &c->job.plan;
		c->traced.calls[i].call_ended = count_call;
		c->traced.calls[i].ctx = c;
		c->traced.calls[i].function = (int)i;
		c->traced.calls[i].paused = i > 0;
	}
}

static void prepare(struct td_calling *c)
{
	struct td_gathering *g = &c->gathering;

	g->format.stack = false;
	g->trace.max_pages = choose_pages(&c->job, MAX_PAGES, MIN_PAGES);
	g->max_pages = td_capabilities() & TD_CAPABILITY(CAP_IPC_LOCK)
			       ? choose_pages(&c->job, MAX_RING_PAGES, RING_PAGES)
			       : RING_PAGES;
	g->take = handle_record;
	g->serve = serve;
	c->counts.times_only = !c->regions.timed[0].period;
}

static int set_up(struct td_calling *c, struct td_err *err)
{
	struct td_trace trace = { .boundary = add_boundary, .ctx = c };
	const struct td_job *job = &c->job;
	struct td_pmu pmu;
	int rc = td_trace_pmu_read(&job->fs, &job->machine.online, &pmu, err);

	c->gathering.trace.type = pmu.type;
	rc = rc ?: td_trace_pmu_config(&job->fs, &pmu, &c->gathering.trace.config, &trace, err);
	td_pmu_free(&pmu);
	if (rc) {
		td_err_wrap(err, "--engine=pt");
		return td_err_hint(err, "--engine=uprobes counts calls with probes");
	}
	make_cpus(c, &trace);
	make_calls(c);
	return 0;
}

int td_calls_trace_open(struct td_calling *c, struct td_err *err)
{
	static const struct td_companion faults = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
						    true };

	if (set_up(c, err) || check_sizes(c, err))
		return err->code;
	set_filter(c);
	if (may_sample(&c->job))
		sample_events(c);
	else
		refuse_events(c);
	prepare(c);
	add_notes(c);
	c->gathering.companions = &faults;
	c->gathering.nr_companions = 1;
	return c->job.request->dry_run || !td_trace_load(err) ? 0 : td_err_wrap(err, "--engine=pt");
}

void td_calls_trace_show(const struct td_calling *c)
{
	td_for_each(const struct td_entry_point, entry, c->functions.v, c->functions.nr) {
		printf("intel_pt: config 0x%" PRIx64 ", filter 0x%" PRIx64 "/0x%" PRIx64 "@",
		       c->gathering.trace.config, entry->offset, entry->size);
		td_put_printable(stdout, entry->path);
		putchar('\n');
	}
}

/* --- the end ---------------------------------------------------------------- */

void td_calls_trace_end(struct td_calling *c)
{
	end_turns(c);
	for (size_t i = 0; i < c->functions.nr; i++)
		td_traced_calls_end(&c->traced.calls[i]);
}

/*
 * An event that had a counter for at least this percentage of the time counts as never multiplexed.
 * Times differ slightly because the kernel enables events, and reads their times, one by one.
 */
#define ALL_PCT 97

static void report_samples(const struct td_calling *c)
{
	double pct = td_sampler_traced_pct(c->gathering.sampler);

	td_job_say(&c->job,
		   "tdstat: metrics are sampled: a sample makes its call a few microseconds "
		   "longer, and calls shorter than %d us have no metrics\n",
		   TD_SAMPLED_NS / 1000);
	if (pct < ALL_PCT)
		td_job_say(&c->job,
			   "tdstat: an event of the metrics had a counter for only %.0f %% of the "
			   "time, because other programs held the counters: its metrics are "
			   "too small by that factor\n",
			   pct);
}

void td_calls_trace_report(const struct td_calling *c)
{
	if (c->regions.timed[0].period)
		report_samples(c);
	if (c->traced.nr_gaps)
		td_job_say(&c->job,
			   "tdstat: the trace has %" PRIu64
			   " gaps: calls in them are not counted\n",
			   c->traced.nr_gaps);
}

void td_calls_trace_free(struct td_calling *c)
{
	for (size_t i = 0; c->traced.calls && i < c->functions.nr; i++)
		td_traced_calls_free(&c->traced.calls[i]);
	free(c->traced.calls);
	free(c->traced.cpus);
	free(c->gathering.trace.filter);
}
