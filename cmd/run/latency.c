// SPDX-License-Identifier: GPL-2.0-only
/* Samples of retire latencies, beside the counters. */
#include <inttypes.h>
#include <math.h>

#include "cmd/run/parts.h"
#include "lib/plan/fit.h"

/*
 * Samples per second for all events of a group together, and therefore for a CPU, because groups
 * are multiplexed.  This is a frequency, as in perf record.  The fixed periods in the files
 * (SampleAfterValue) suit runs of minutes, and events differ by a factor of 10,000.  The kernel
 * begins with a period of 1 and finds the right one after about 20 samples: the first 30 samples
 * take a few ms.  Later samples, with interrupts of about 1 us, take 0.1 % of the time.
 */
#define SAMPLES_A_SECOND 1000

/* Pages of a ring, for a few seconds of samples of 24 bytes. */
#define PAGES 16

/* More descriptors would take seconds to open. */
#define MAX_FILES 20000

/* --- opening -------------------------------------------------------------- */

static uint64_t choose_rate(const struct td_job *job)
{
	const struct td_plan *plan = &job->sampled;
	uint64_t rate = (uint64_t)td_sampler_max_rate(&job->fs);

	if (SAMPLES_A_SECOND < rate)
		rate = SAMPLES_A_SECOND;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (SAMPLES_A_SECOND / plan->groups[g].nr < rate)
			rate = SAMPLES_A_SECOND / plan->groups[g].nr;
	}
	return rate;
}

static void make_how(struct td_latency_sampling *latency, const struct td_job *job)
{
	size_t nr = job->sampled.events.nr;
	uint64_t rate = choose_rate(job);

	latency->how = td_calloc(nr, sizeof(*latency->how));
	latency->sums = td_calloc(nr, sizeof(*latency->sums));
	for (size_t i = 0; i < nr; i++) {
		latency->sums[i].event = job->sampled.events.v[i].name;
		latency->how[i] = (struct td_sampling){
			.period = rate,
			.frequency = true,
			.min_precise = 1,
		};
	}
}

/* Copy the job's target.  Instead of all tasks of a machine, sample its CPUs, which are fewer. */
static void make_target(struct td_latency_sampling *latency, const struct td_job *job, bool late)
{
	struct td_target *target = &latency->target;

	td_ints_free(&target->tids);
	*target = job->target;
	target->tids = (struct td_ints){ 0 };
	if (target->all_tasks) {
		target->all_tasks = target->per_thread = false;
		target->system_wide = true;
	}
	if (target->system_wide)
		return;
	target->enable_on_exec &= !late;
	if (late)
		td_target_list_running(&job->target, &job->fs, &target->tids);
	else
		td_ints_copy(&target->tids, &job->target.tids);
}

static int check_size(const struct td_latency_sampling *latency, const struct td_job *job,
		      struct td_err *err)
{
	size_t nr = latency->target.tids.nr * job->machine.online.nr * job->sampled.events.nr;

	if (latency->target.system_wide || nr <= MAX_FILES)
		return 0;
	return td_err_set(err, -EMFILE, "%zu threads are too many", latency->target.tids.nr);
}

static int open_sampler(struct td_latency_sampling *latency, struct td_job *job, struct td_err *err)
{
	const struct td_sampler_setup setup = {
		.plan = &job->sampled,
		.how = latency->how,
		.machine = &job->machine,
		.target = &latency->target,
		.notes = &latency->unsaid,
		.format.weights = true,
		.only_samples = true,
		.max_pages = PAGES,
	};

	return td_sampler_open(&latency->sampler, &setup, err);
}

static int open_once(struct td_latency_sampling *latency, struct td_job *job, bool late,
		     struct td_err *err)
{
	make_target(latency, job, late);
	return check_size(latency, job, err) ? err->code : open_sampler(latency, job, err);
}

static void give_up(struct td_latency_sampling *latency, struct td_job *job,
		    const struct td_err *why)
{
	const char *rest =
		job->tree ? ": metrics use the means of the files, if there are any" : "";

	td_sampler_close(latency->sampler);
	latency->sampler = NULL;
	td_notes_add(&job->notes, "retire latencies are not sampled (%s)%s",
		     why->code == -EOPNOTSUPP ? "there are no precise events" : why->msg, rest);
}

void td_latency_open(struct td_latency_sampling *latency, struct td_job *job, bool late)
{
	struct td_err why = { 0 };
	int rc = -ESRCH;

	if (!job->sampled.nr_groups || latency->tried)
		return;
	latency->tried = true;
	make_how(latency, job);
	for (int i = 0; rc == -ESRCH && i < TD_ATTEMPTS; i++)
		rc = open_once(latency, job, late || i, &why);
	while (rc == -ESRCH && td_target_leave_out_ended(&latency->target, &job->fs))
		rc = open_sampler(latency, job, &why);
	if (rc)
		give_up(latency, job, &why);
	else if (!job->target.by_mode)
		td_plan_share_turns(&job->plan, &job->sampled, &job->machine);
}

void td_latency_close(struct td_latency_sampling *latency)
{
	td_sampler_close(latency->sampler);
	td_ints_free(&latency->target.tids);
	td_notes_free(&latency->unsaid);
	free(latency->how);
	free(latency->sums);
	*latency = (struct td_latency_sampling){ 0 };
}

/* --- while it runs -------------------------------------------------------- */

void td_latency_enable(struct td_latency_sampling *latency, bool on)
{
	if (latency->sampler)
		td_sampler_enable(latency->sampler, on);
	latency->on = on;
}

static bool is_wanted(const struct td_tree *tree, const struct td_drill *drill)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (metric->latencies.nr && metric->family && drill->v[metric->family - 1].on)
			return true;
	}
	return false;
}

void td_latency_follow(struct td_latency_sampling *latency, struct td_job *job,
		       const struct td_drilling *drilling)
{
	bool on = is_wanted(job->tree, &drilling->drill);

	if (on)
		td_latency_open(latency, job, true);
	if (on != latency->on)
		td_latency_enable(latency, on);
}

static void take(void *ctx, const struct td_record *record, int event)
{
	struct td_latency_sampling *latency = ctx;

	if (record->kind == TD_RECORD_SAMPLE && event >= 0)
		td_latency_add_sample(&latency->sums[event], record->latency, record->period);
}

void td_latency_read(struct td_latency_sampling *latency, const struct td_job *job,
		     struct td_latencies *all)
{
	td_sampler_read(latency->sampler, true, take, latency);
	for (size_t i = 0; i < job->sampled.events.nr; i++) {
		struct td_latency *sum = &latency->sums[i];

		td_latencies_add_samples(all, sum);
		*sum = (struct td_latency){ .event = sum->event };
	}
	if (job->tree)
		td_tree_set_latencies(job->tree, all);
}

/* --- the end -------------------------------------------------------------- */

static void say_all(const struct td_job *job, const struct td_latencies *all)
{
	td_for_each(const struct td_latency, latency, all->v, all->nr) {
		if (!latency->nr)
			continue;
		td_job_say(job, "retire latency of %s: %.1f cycles, %" PRIu64 " samples\n",
			   latency->event, (double)td_latency_sum(latency) / (double)latency->nr,
			   latency->nr);
	}
}

/* Return the events without a mean of samples, "A, B"; NULL: none. */
static char *list_few(const struct td_job *job, const struct td_latencies *all)
{
	const struct td_plan *plan = &job->sampled;
	char *text = NULL;

	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		for (size_t i = 0; i < group->nr; i++) {
			const char *name = plan->events.v[group->members[i]].name;
			char *before = text;

			if (!isnan(td_latency_mean(td_latencies_find(all, name))))
				continue;
			text = td_aprintf("%s%s%s", text ? text : "", text ? ", " : "", name);
			free(before);
		}
	}
	return text;
}

void td_latency_explain(const struct td_latency_sampling *latency, struct td_job *job,
			const struct td_latencies *all)
{
	td_autofree char *few = NULL;

	if (!latency->sampler)
		return;
	if (job->request->verbose)
		say_all(job, all);
	few = list_few(job, all);
	if (few)
		td_notes_add(&job->notes, "retire latencies with fewer than %d samples%s: %s",
			     TD_MIN_LATENCIES,
			     job->tree ? "; metrics use the means of the files, if there are any"
				       : "",
			     few);
}
