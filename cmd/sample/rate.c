// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the number of samples per second, and limits their cost. */
#include <inttypes.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "cmd/run/clock.h"
#include "cmd/sample/parts.h"

/* Rounds with and without samples alternate, because other processes may run. */
#define ROUNDS   8
#define ROUND_NS (8 * TD_NS_A_MS)

/* Samples per second for the measurement, which fit into the rings. */
#define TRIED_RATE 10000

#define PERCENT 100

/* The default rate given in the manual. */
#define MIN_RATE 1000

/* Work between two readings of the clock. */
#define STEPS 2000

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* Returns the amount of work done in a round. */
static uint64_t work(void)
{
	uint64_t end_ns = cpu_ns() + ROUND_NS, nr = 0;

	while (cpu_ns() < end_ns) {
		for (volatile int i = 0; i < STEPS; i++)
			;
		nr++;
	}
	return nr;
}

static void count_sample(void *ctx, const struct td_record *record, int event)
{
	uint64_t *nr = ctx;

	(void)event;
	*nr += record->kind == TD_RECORD_SAMPLE;
}

/* Returns the time that a sample takes, or NAN if there were no samples. */
static double measure(struct td_sampler *sampler)
{
	uint64_t samples = 0, with = 0, without = 0, read_ns = 0;
	double total_ns = (double)ROUNDS * (double)ROUND_NS, lost_ns;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin_ns;

		without += work();
		td_sampler_enable(sampler, true);
		with += work();
		td_sampler_enable(sampler, false);
		begin_ns = cpu_ns();
		td_sampler_read(sampler, true, count_sample, &samples);
		read_ns += td_since(cpu_ns(), begin_ns);
	}
	lost_ns = total_ns * (double)td_since(without, with) / (double)without;
	return samples ? (lost_ns + (double)read_ns) / (double)samples : NAN;
}

struct td_target td_rate_self(const struct td_job *job)
{
	struct td_target self = { .all_user = job->target.all_user,
				  .all_kernel = job->target.all_kernel,
				  .exclude_guest = job->target.exclude_guest };

	td_ints_add(&self.tids, gettid());
	return self;
}

/* Measures the cost of a sample in this thread. */
static int measure_self(struct td_job *job, struct td_sampling *how,
			const struct td_record_format *format, double *cost_ns, struct td_err *err)
{
	struct td_target self = td_rate_self(job);
	const struct td_sampler_setup setup = {
		.plan = &job->plan,
		.how = how,
		.machine = &job->machine,
		.target = &self,
		.notes = &job->notes,
		.format = *format,
	};
	struct td_sampler *sampler = NULL;
	int rc = td_sampler_open(&sampler, &setup, err);

	if (!rc)
		*cost_ns = measure(sampler);
	td_sampler_close(sampler);
	td_ints_free(&self.tids);
	return rc;
}

/* Returns the number of sampled events of the event's PMU, at least 1. */
static size_t nr_beside(const struct td_plan *plan, const struct td_sampling *how, size_t event)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->events.nr; i++)
		nr += how[i].period > 0 && plan->events.v[i].pmu == plan->events.v[event].pmu;
	return nr ? nr : 1;
}

static void set_rates(struct td_job *job, struct td_sampling *how, double cost)
{
	double max = job->request->sampling.overhead_pct / PERCENT * 1e9 / cost;

	for (size_t i = 0; i < job->plan.events.nr; i++) {
		double rate = max / (double)nr_beside(&job->plan, how, i);

		if (how[i].period && rate < (double)how[i].period)
			how[i].period = rate < 1 ? 1 : (uint64_t)rate;
	}
	td_notes_add(&job->notes, "a sample takes %.1f us: at most %.0f a second cost %g %%",
		     cost / 1e3, max, job->request->sampling.overhead_pct);
}

int td_overhead_limit(struct td_job *job, struct td_sampling *how, struct td_job *by,
		      const struct td_sampling *by_how, const struct td_record_format *format,
		      struct td_err *err)
{
	size_t nr = by->plan.events.nr;
	td_autofree struct td_sampling *tried = td_calloc(nr + 1, sizeof(*tried));
	int max = td_sampler_max_rate(&by->fs);
	double cost_ns = NAN;

	for (size_t i = 0; i < nr; i++) {
		tried[i] = by_how[i];
		if (tried[i].period)
			tried[i].period = (uint64_t)(max < TRIED_RATE ? max : TRIED_RATE);
	}
	if (measure_self(by, tried, format, &cost_ns, err))
		return td_err_wrap(err, "--overhead");
	if (isnan(cost_ns))
		return td_err_set(
			err, -ENODATA,
			"--overhead: the cost of a sample is unknown, because none was taken");
	set_rates(job, how, cost_ns);
	return 0;
}

struct td_sampling *td_rate_make(struct td_job *job, int rate)
{
	const struct td_events *events = &job->plan.events;
	struct td_sampling *how = td_calloc(events->nr + 1, sizeof(*how));
	int asked = job->request->sampling.freq, max = td_sampler_max_rate(&job->fs);

	if (asked)
		rate = asked;
	/* a default rate that is still high needs no note */
	if (rate > max && (asked || max < MIN_RATE) &&
	    !td_sampling_has_period(&job->request->sampling))
		td_notes_add(&job->notes,
			     "%d samples a second, not %d: kernel.perf_event_max_sample_rate "
			     "allows no more",
			     max, rate);
	if (rate > max)
		rate = max;
	for (size_t i = 0; i < events->nr; i++) {
		const struct td_modifiers *mods = &events->v[i].mods;

		how[i] = (struct td_sampling){
			.period = (uint64_t)rate,
			.frequency = true,
			.precise = mods->precise_max ? TD_MAX_PRECISE : mods->precise,
		};
	}
	return how;
}

int td_period_missing(const char *name, struct td_err *err)
{
	td_err_usage(
		err,
		"-c default: %s has no recommended period: only events of Intel's files have one",
		name);
	return td_err_hint(err, "-c N takes a sample every N events, -F N takes N a second");
}

/* perf_swevent_start_hrtimer() in kernel/events/core.c */
#define MIN_CLOCK_NS 10000

/* Raises the period of a clock, because a sample has the weight of its period. */
static void limit_clock(struct td_job *job, const struct td_event *event, struct td_sampling *how)
{
	if (!td_event_is_clock(event) || how->period >= MIN_CLOCK_NS)
		return;
	td_notes_add(&job->notes, "%s: a sample every %d ns, the shortest period of the kernel",
		     event->name, MIN_CLOCK_NS);
	how->period = MIN_CLOCK_NS;
}

int td_period_set(struct td_job *job, struct td_sampling *how, struct td_err *err)
{
	const struct td_sampling_ask *ask = &job->request->sampling;

	for (size_t i = 0; i < job->plan.events.nr; i++) {
		const struct td_event *event = &job->plan.events.v[i];
		uint64_t usual = ask->usual_period ? event->usual_period : ask->period;
		uint64_t period = event->period ? event->period : usual;

		if (!how[i].period || event->refusal)
			continue;
		if (!period && ask->usual_period)
			return td_period_missing(event->name, err);
		if (!period)
			continue;
		if (ask->overhead_pct > 0)
			return td_err_usage(
				err, "--overhead cannot limit %s, because its period is fixed",
				event->name);
		if (ask->usual_period)
			td_notes_add(&job->notes, "%s: a sample every %" PRIu64 " events",
				     event->name, period);
		how[i].period = period;
		how[i].frequency = false;
		limit_clock(job, event, &how[i]);
	}
	return 0;
}
