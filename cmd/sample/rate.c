// SPDX-License-Identifier: GPL-2.0-only
/* How often samples are taken, and what they may cost. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd/run/clock.h"
#include "cmd/sample/parts.h"
#include "lib/base/util.h"

/* With and without samples in turns, for what else the machine does. */
#define ROUNDS   8
#define ROUND_NS (8 * TD_NS_A_MS)

/* So many a second are enough to be measured, and fit into the rings. */
#define TRIED_RATE 10000

#define PERCENT 100

/* That which the manual says is the usual one. */
#define LEAST_RATE 1000

#define MOST_PRECISE 3 /* perf_event_attr.precise_ip */

/* Work between two looks at the clock. */
#define STEPS 2000

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* How many pieces of work fit into a round. */
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

static int count_sample(void *ctx, const struct td_record *record, int event)
{
	uint64_t *nr = ctx;

	(void)event;
	*nr += record->kind == TD_RECORD_SAMPLE;
	return 0;
}

/* The time that a sample takes; NAN: none was taken. */
static int measure(struct td_sampler *sampler, double *cost_ns)
{
	uint64_t samples = 0, with = 0, without = 0, read_ns = 0;
	double whole_ns = (double)ROUNDS * (double)ROUND_NS, lost_ns;
	int rc = 0;

	for (int i = 0; !rc && i < ROUNDS; i++) {
		uint64_t begin_ns;

		without += work();
		td_sampler_enable(sampler, true);
		with += work();
		td_sampler_enable(sampler, false);
		begin_ns = cpu_ns();
		rc = td_sampler_read(sampler, true, count_sample, &samples);
		read_ns += td_since(cpu_ns(), begin_ns);
	}
	lost_ns = whole_ns * (double)td_since(without, with) / (double)without;
	*cost_ns =
		samples ? (lost_ns + (double)read_ns) / (double)samples : NAN;
	return rc;
}

/* Of this thread alone. */
static int open_on_self(struct td_sampler **sampler, struct td_job *job,
			struct td_sampling *how,
			const struct td_record_format *format,
			struct td_target *self, struct td_err *err)
{
	const struct td_sampler_setup setup = {
		.plan = &job->plan,
		.how = how,
		.machine = &job->machine,
		.target = self,
		.notes = &job->notes,
		.format = *format,
	};

	if (td_ints_add(&self->tids, gettid()))
		return td_err_nomem(err);
	return td_sampler_open(sampler, &setup, err);
}

static int measure_self(struct td_job *job, struct td_sampling *how,
			const struct td_record_format *format, double *cost_ns,
			struct td_err *err)
{
	struct td_target self = { .all_user = job->target.all_user,
				  .all_kernel = job->target.all_kernel,
				  .exclude_guest = job->target.exclude_guest };
	struct td_sampler *sampler = NULL;
	int rc = open_on_self(&sampler, job, how, format, &self, err);

	if (!rc && measure(sampler, cost_ns))
		rc = td_err_nomem(err);
	td_sampler_close(sampler);
	td_ints_free(&self.tids);
	return rc;
}

/* How many events a CPU samples that samples this one. */
static size_t nr_beside(const struct td_plan *plan,
			const struct td_sampling *how, size_t event)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->events.nr; i++)
		nr += how[i].period > 0 &&
		      plan->events.v[i].pmu == plan->events.v[event].pmu;
	return nr ? nr : 1;
}

static void set_rates(struct td_job *job, struct td_sampling *how, double cost)
{
	double most =
		job->request->sampling.overhead_pct / PERCENT * 1e9 / cost;

	for (size_t i = 0; i < job->plan.events.nr; i++) {
		double rate = most / (double)nr_beside(&job->plan, how, i);

		if (how[i].period && rate < (double)how[i].period)
			how[i].period = rate < 1 ? 1 : (uint64_t)rate;
	}
	td_notes_add(&job->notes,
		     "a sample takes %.1f us: at most %.0f a second cost %g %%",
		     cost / 1e3, most, job->request->sampling.overhead_pct);
}

/* As often as it can be measured well, for a moment. */
static struct td_sampling *try_often(const struct td_job *by,
				     const struct td_sampling *how)
{
	size_t nr = by->plan.events.nr;
	struct td_sampling *tried = calloc(nr + 1, sizeof(*tried));
	int most = td_sampler_most_rate(&by->fs);

	if (!tried)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		tried[i] = how[i];
		if (how[i].period)
			tried[i].period =
				(uint64_t)(most < TRIED_RATE ? most
							     : TRIED_RATE);
	}
	return tried;
}

int td_overhead_limit(struct td_job *job, struct td_sampling *how,
		      struct td_job *by, const struct td_sampling *by_how,
		      const struct td_record_format *format, struct td_err *err)
{
	td_autofree struct td_sampling *tried = try_often(by, by_how);
	double cost_ns = NAN;
	int rc = tried ? measure_self(by, tried, format, &cost_ns, err)
		       : td_err_nomem(err);

	if (rc)
		return td_err_wrap(err, "--overhead");
	if (isnan(cost_ns))
		return td_err_set(err, -ENODATA,
				  "--overhead: what a sample costs is not "
				  "known, as none was taken");
	set_rates(job, how, cost_ns);
	return 0;
}

static int choose_rate(struct td_job *job, int usual)
{
	int wanted = job->request->sampling.freq ? job->request->sampling.freq
						 : usual;
	int most = td_sampler_most_rate(&job->fs);

	if (wanted <= most)
		return wanted;
	/* what is not asked for */
	if (!job->request->sampling.freq && most >= LEAST_RATE)
		return most;
	td_notes_add(&job->notes,
		     "%d samples a second, not %d: kernel."
		     "perf_event_max_sample_rate allows no more",
		     most, wanted);
	return most;
}

struct td_sampling *td_rate_make(struct td_job *job, int usual)
{
	const struct td_events *events = &job->plan.events;
	struct td_sampling *how = calloc(events->nr + 1, sizeof(*how));
	int rate = choose_rate(job, usual);

	for (size_t i = 0; how && i < events->nr; i++) {
		const struct td_modifiers *mods = &events->v[i].mods;

		how[i] = (struct td_sampling){
			.period = (uint64_t)rate,
			.frequency = true,
			.precise = mods->precise_max ? MOST_PRECISE
						     : mods->precise,
		};
	}
	return how;
}
