// SPDX-License-Identifier: GPL-2.0-only
/* tdstat calls --engine=pt: when calls begin and end, by Processor Trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cmd/sample/calling.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/machine/privileges.h"
#include "lib/machine/uarch.h"
#include "lib/sample/trace.h"

/* Of the trace on each CPU and on all, and of the records beside it. */
#define LEAST_PAGES 1024
#define MOST_PAGES  4096
#define ALL_PAGES   65536
#define RING_PAGES  32
/* Who may lock any memory has room for many page faults, too. */
#define MOST_RING_PAGES 512

/* --- boundaries ------------------------------------------------------------- */

/*
 * Where the function begins, of whose range the address is; it is where it was until
 * an address is elsewhere, or the process becomes another program.  0 or -ENOMEM.
 */
static int find_start(struct td_calling *c, int pid, uint64_t address)
{
	const struct td_entry_point *entry = &c->functions.v[c->traced.turn];
	struct td_gathering *g = &c->gathering;
	int spot;

	if (c->traced.pid == pid && address - c->traced.start < entry->size)
		return 0;
	spot = td_spaces_find(g->spaces, &g->spots, pid, address, false);
	if (spot < 0)
		return spot;
	c->traced.pid = pid;
	c->traced.start = address - (g->spots.v[spot].address - entry->offset);
	return 0;
}

static int take_boundary(void *ctx, int what, uint64_t address, uint64_t tsc)
{
	struct td_calling *c = ctx;
	struct td_record r = *c->traced.record;

	if (what == TD_TRACE_ENTER && find_start(c, r.pid, address))
		return -ENOMEM;
	r.address = address;
	r.time_ns = tsc ? td_sampler_trace_ns(c->gathering.sampler, tsc) : 0;
	return td_traced_calls_take(td_calls_of_turn(c), &r, what,
				    address == c->traced.start);
}

/* The group of the CPU where it ended has counted as long as the call had a CPU. */
static void add_time(struct td_calling *c, const struct td_paired_call *call)
{
	uint64_t *sums =
		c->traced.calls[call->function].sums + c->job.plan.events.nr;

	sums[TD_CALL_GROUPS + call->group] =
		td_since(call->time_ns, sums[TD_CALL_WAITED_NS]);
}

static int take_call(void *ctx, const struct td_paired_call *call)
{
	struct td_calling *c = ctx;
	struct td_paired_call copy = *call;

	copy.group = c->traced.cpus[call->cpu].group;
	if (copy.group < 0)
		return 0;
	if (c->regions.timed[0].period)
		add_time(c, &copy);
	return td_call_counts_add(&c->counts, c->regions.timed, &copy);
}

/* --- records ---------------------------------------------------------------- */

static void lose(struct td_calling *c, uint64_t until_ns)
{
	c->traced.nr_gaps++;
	for (size_t i = 0; i < c->functions.nr; i++)
		td_traced_calls_lose(&c->traced.calls[i], until_ns);
}

static int take_trace(struct td_calling *c, const struct td_record *record)
{
	uint8_t *bytes = td_sampler_trace(c->gathering.sampler, record);
	size_t cpu = (size_t)record->cpu;
	int rc = 0;

	if (record->cpu < 0 || cpu >= c->traced.nr_cpus)
		return 0;
	if (!bytes || record->offset != c->traced.cpus[cpu].next) {
		td_trace_skip(&c->traced.cpus[cpu].trace);
		lose(c, record->time_ns);
	}
	c->traced.cpus[cpu].next = record->offset + record->length;
	c->traced.record = record;
	c->traced.cpus[cpu].trace.tsc = __rdtsc();
	if (bytes)
		rc = td_trace_decode(&c->traced.cpus[cpu].trace, bytes,
				     record->length);
	td_traced_calls_settle(td_calls_of_turn(c), record);
	if (record->cut)
		lose(c, td_sampler_trace_on_ns(c->gathering.sampler, record));
	return rc;
}

/* Events count on while a function rests: each knows what was counted before its turn. */
static int take_sample(struct td_calling *c, const struct td_record *record,
		       int event)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->functions.nr; i++)
		rc = td_traced_calls_sample(&c->traced.calls[i], record, event);
	return rc;
}

static int end_thread(struct td_calling *c, int tid)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->functions.nr; i++)
		rc = td_traced_calls_end_thread(&c->traced.calls[i], tid);
	return rc;
}

static int take(void *ctx, const struct td_record *record, int event, int spot,
		int caller)
{
	struct td_calling *c = ctx;

	(void)spot;
	(void)caller;
	switch (record->kind) {
	case TD_RECORD_TRACE:
		return take_trace(c, record);
	case TD_RECORD_SAMPLE:
		return event < (int)c->job.plan.events.nr
			       ? take_sample(c, record, event)
			       : td_traced_calls_fault(td_calls_of_turn(c),
						       record);
	case TD_RECORD_SWITCH:
		return td_traced_calls_switch(td_calls_of_turn(c), record);
	case TD_RECORD_EXEC:
		c->traced.pid = 0;
		return td_traced_calls_exec(td_calls_of_turn(c), record->tid);
	case TD_RECORD_END:
		return end_thread(c, record->tid);
	case TD_RECORD_LOST:
		lose(c, record->time_ns);
		return 0;
	default:
		return 0;
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

static int make_cpus(struct td_calling *c, const struct td_trace *trace)
{
	const struct td_ints *online = &c->job.machine.online;

	for (size_t i = 0; i < online->nr; i++) {
		if ((size_t)online->v[i] >= c->traced.nr_cpus)
			c->traced.nr_cpus = (size_t)online->v[i] + 1;
	}
	c->traced.cpus = calloc(c->traced.nr_cpus, sizeof(*c->traced.cpus));
	for (size_t i = 0; c->traced.cpus && i < c->traced.nr_cpus; i++) {
		c->traced.cpus[i].trace = *trace;
		c->traced.cpus[i].group = group_of(&c->job, (int)i);
	}
	return c->traced.cpus ? 0 : -ENOMEM;
}

static int check_sizes(const struct td_calling *c, struct td_err *err)
{
	for (size_t i = 0; i < c->functions.nr; i++) {
		const struct td_entry_point *entry = &c->functions.v[i];

		if (!entry->size)
			return td_err_set(err, -EINVAL,
					  "%s in %s: its symbol has no size",
					  entry->name, entry->path);
	}
	return 0;
}

/* Nothing tells which goroutine a thread is in. */
static void note_goroutines(struct td_calling *c,
			    const struct td_entry_point *entry)
{
	if (entry->moves)
		td_notes_add(&c->job.notes,
			     "%s: a program of Go: a call that waits for "
			     "another goroutine ends there, and one whose "
			     "stack grows counts twice",
			     entry->name);
}

static void note_turns(struct td_calling *c)
{
	if (c->functions.nr > 1)
		td_notes_add(&c->job.notes,
			     "functions take turns of about %d ms, as calls of "
			     "one by the other leave no trace: a call across "
			     "the end of a turn is not counted",
			     TD_TURN_MS);
}

/* Slots between two samples of an event: about a thousand a second.  A prime. */
#define PERIOD 20000003

/*
 * Atom cores count their topdown events in slots, too (intel/perfmon: "issue slots that
 * were not consumed", "consumed retirement slots"), but have cycles in place of all
 * slots: one is as many as the core is wide.
 */
static uint64_t period_of(const struct td_job *job,
			  const struct td_event *event)
{
	const struct td_pmu *pmu = &job->machine.pmus[event->pmu];
	int width = td_uarch_width(pmu->uarch);

	return width && td_event_is_named(event, "cycles")
		       ? PERIOD / (uint64_t)width
		       : PERIOD;
}

/* Each event is sampled alone: the fields of PERF_METRICS cannot be. */
static bool may_sample(const struct td_job *job)
{
	bool may = job->request->calls.samples &&
		   job->plan.events.nr <= TD_TRACED_EVENTS;

	for (size_t g = 0; may && g < job->plan.nr_groups; g++)
		may = !td_pmu_has_slots(
			&job->machine.pmus[job->plan.groups[g].pmu]);
	return may;
}

static void say_no_samples(struct td_calling *c)
{
	if (c->job.request->calls.samples)
		td_notes_add(&c->job.notes,
			     "-l: this processor has no events for the levels "
			     "that can be sampled each by itself");
}

static void sample_events(struct td_calling *c)
{
	const struct td_plan *plan = &c->job.plan;

	for (size_t i = 0; i < c->functions.nr; i++)
		c->regions.timed[i].period = PERIOD;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++) {
			int event = plan->groups[g].members[i];

			c->gathering.how[event].period =
				period_of(&c->job, &plan->events.v[event]);
		}
	}
}

/* The report has the plan's metrics, of which no call has a count. */
static int refuse_events(struct td_calling *c, struct td_err *err)
{
	struct td_events *events = &c->job.plan.events;

	say_no_samples(c);
	for (size_t i = 0; i < events->nr; i++) {
		if (td_event_set_refusal(&events->v[i],
					 "Processor Trace counts no events"))
			return td_err_nomem(err);
	}
	return 0;
}

static int choose_pages(const struct td_job *job, int most, int least)
{
	int pages = most;

	while (pages > least &&
	       (size_t)pages * job->machine.online.nr > ALL_PAGES)
		pages /= 2;
	return pages;
}

static int make_calls(struct td_calling *c)
{
	c->traced.calls = calloc(c->functions.nr, sizeof(*c->traced.calls));
	for (size_t i = 0; c->traced.calls && i < c->functions.nr; i++) {
		c->traced.calls[i].plan = &c->job.plan;
		c->traced.calls[i].take = take_call;
		c->traced.calls[i].ctx = c;
		c->traced.calls[i].function = (int)i;
		c->traced.calls[i].rests = i > 0;
	}
	return c->traced.calls ? 0 : -ENOMEM;
}

static void prepare(struct td_calling *c)
{
	struct td_gathering *g = &c->gathering;

	g->format.stack = false;
	g->trace.most_pages = choose_pages(&c->job, MOST_PAGES, LEAST_PAGES);
	g->most_pages =
		td_capabilities() & TD_CAPABILITY(CAP_IPC_LOCK)
			? choose_pages(&c->job, MOST_RING_PAGES, RING_PAGES)
			: RING_PAGES;
	g->take = take;
	g->serve = td_calls_turn;
	c->counts.times_only = !c->regions.timed[0].period;
}

bool td_calls_trace_is_here(const struct td_calling *c)
{
	const struct td_job *job = &c->job;
	struct td_err unused = { 0 };
	struct td_pmu pmu;
	bool here = !td_trace_pmu_read(&job->fs, &job->machine.online, &pmu,
				       &unused) &&
		    !td_trace_load(&unused);

	td_pmu_free(&pmu);
	return here;
}

static int set_up(struct td_calling *c, struct td_err *err)
{
	struct td_trace trace = { .take = take_boundary, .ctx = c };
	const struct td_job *job = &c->job;
	struct td_pmu pmu;
	int rc = td_trace_pmu_read(&job->fs, &job->machine.online, &pmu, err);

	c->gathering.trace.type = pmu.type;
	if (!rc)
		rc = td_trace_pmu_config(&job->fs, &pmu,
					 &c->gathering.trace.config, &trace,
					 err);
	td_pmu_free(&pmu);
	if (rc) {
		td_err_wrap(err, "--engine=pt");
		td_err_hint(err, "--engine=uprobes counts calls by probes");
	}
	if (!rc && (make_cpus(c, &trace) || make_calls(c)))
		rc = td_err_nomem(err);
	return rc;
}

static int load(struct td_err *err)
{
	int rc = td_trace_load(err);

	return rc ? td_err_wrap(err, "--engine=pt") : 0;
}

int td_calls_trace_open(struct td_calling *c, struct td_err *err)
{
	static const struct td_companion faults = { PERF_TYPE_SOFTWARE,
						    PERF_COUNT_SW_PAGE_FAULTS,
						    true };
	int rc;

	rc = set_up(c, err);
	if (!rc)
		rc = check_sizes(c, err);
	if (!rc)
		rc = td_calls_turn_filter(c, err);
	if (!rc && may_sample(&c->job))
		sample_events(c);
	else if (!rc)
		rc = refuse_events(c, err);
	prepare(c);
	for (size_t i = 0; i < c->functions.nr; i++)
		note_goroutines(c, &c->functions.v[i]);
	note_turns(c);
	c->gathering.companions = &faults;
	c->gathering.nr_companions = 1;
	return rc || c->job.request->dry_run ? rc : load(err);
}

void td_calls_trace_show(const struct td_calling *c)
{
	for (size_t i = 0; i < c->functions.nr; i++) {
		const struct td_entry_point *entry = &c->functions.v[i];

		printf("intel_pt: config 0x%" PRIx64 ", filter 0x%" PRIx64
		       "/0x%" PRIx64 "@",
		       c->gathering.trace.config, entry->offset, entry->size);
		td_put_printable(stdout, entry->path);
		putchar('\n');
	}
}

/* --- the end ---------------------------------------------------------------- */

int td_calls_trace_end(struct td_calling *c)
{
	int rc = 0;

	td_calls_end_turns(c);
	for (size_t i = 0; !rc && i < c->functions.nr; i++)
		rc = td_traced_calls_end(&c->traced.calls[i]);
	return rc;
}

/* The kernel enables events one after the other, and reads times so. */
#define ALL_PCT 97

static void say_samples(const struct td_calling *c)
{
	double pct = td_sampler_traced_pct(c->gathering.sampler);

	td_job_say(&c->job,
		   "tdstat: metrics are of samples: calls that have "
		   "one take some microseconds longer, and those of "
		   "less than %d us have no metrics\n",
		   TD_SAMPLED_NS / 1000);
	if (pct < ALL_PCT)
		td_job_say(&c->job,
			   "tdstat: an event of the metrics had a counter for "
			   "%.0f %% of the time, as others had them, and is as "
			   "much too small\n",
			   pct);
}

void td_calls_trace_say(const struct td_calling *c)
{
	if (c->regions.timed[0].period)
		say_samples(c);
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
