// SPDX-License-Identifier: GPL-2.0-only
/* tdstat locate --in FUNCTION --slower TIME */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/sample/parts.h"
#include "lib/base/util.h"
#include "lib/count/regions.h"

enum {
	ENTRY,
	EXIT,
	NR_COMPANIONS
};

/* Nothing is counted for calls: of a group without members. */
static struct td_group no_members = { 0 };
static const struct td_plan no_counts = { .groups = &no_members,
					  .nr_groups = 1 };

static int take_call(void *ctx, const struct td_paired_call *call);

/* --- opening ---------------------------------------------------------------- */

static int find_function(struct td_locating *l, struct td_err *err)
{
	int rc = td_functions_find(&l->in.functions, &l->job,
				   l->request->calls.in, err);

	if (!rc && l->in.functions.nr != 1)
		rc = td_err_usage(err, "--in %s: one function",
				  l->request->calls.in);
	return rc;
}

static void add_companions(struct td_locating *l)
{
	struct td_gathering *g = &l->gathering;
	const struct td_probe *probe = &l->in.probes.v[0];

	l->in.companions[ENTRY] = (struct td_companion){ PERF_TYPE_TRACEPOINT,
							 probe->entry, true };
	l->in.companions[EXIT] = (struct td_companion){ PERF_TYPE_TRACEPOINT,
							probe->exit, true };
	g->companions = l->in.companions;
	g->nr_companions = NR_COMPANIONS;
	g->format.stack = true;
	g->switches = false;
}

int td_within_open(struct td_locating *l, struct td_err *err)
{
	int rc = find_function(l, err);

	l->in.pairing.plan = &no_counts;
	l->in.pairing.nr_functions = 1;
	l->in.pairing.take = take_call;
	l->in.pairing.ctx = l;
	if (!rc)
		rc = td_functions_check(&l->in.functions, &l->job,
					&l->gathering.format, err);
	if (rc || l->request->dry_run)
		return rc;
	rc = td_probes_open(&l->in.probes, l->in.functions.v, 1, err);
	if (!rc)
		add_companions(l);
	return rc;
}

void td_within_close(struct td_locating *l)
{
	td_probes_close(&l->in.probes);
	td_functions_free(&l->in.functions);
	td_pairing_free(&l->in.pairing);
	free(l->in.held);
}

/* --- samples ---------------------------------------------------------------- */

static int hold(struct td_locating *l, const struct td_record *record,
		int event, int spot, int caller)
{
	void *new;

	l->in.samples++;
	if (!td_pairing_is_in(&l->in.pairing, record->tid))
		return 0;
	new = td_array_add(&l->in.held, l->in.nr_held, sizeof(*l->in.held));
	if (!new)
		return -ENOMEM;
	l->in.held[l->in.nr_held].event = event;
	l->in.held[l->in.nr_held].spot = spot;
	l->in.held[l->in.nr_held].caller = caller;
	l->in.held[l->in.nr_held].tid = record->tid;
	l->in.held[l->in.nr_held].period = record->period;
	l->in.held[l->in.nr_held].time_ns = record->time_ns;
	l->in.nr_held++;
	return 0;
}

/* Those of its thread are of it, or of one that was left without a return. */
static int take_call(void *ctx, const struct td_paired_call *call)
{
	struct td_locating *l = ctx;
	bool slow = call->time_ns >= l->request->calls.slower_ns;
	size_t kept = 0;
	int rc = 0;

	l->in.calls++;
	l->in.slow += slow;
	for (size_t i = 0; i < l->in.nr_held; i++) {
		if (l->in.held[i].tid != call->tid) {
			l->in.held[kept++] = l->in.held[i];
			continue;
		}
		if (!slow || rc || l->in.held[i].time_ns < call->start_ns)
			continue;
		l->in.within++;
		rc = td_hits_add(&l->hits, l->in.held[i].event,
				 l->in.held[i].spot, l->in.held[i].caller,
				 l->in.held[i].period);
	}
	l->in.nr_held = kept;
	return rc;
}

/* Of several groups of a PMU, the first one's probes tell of all calls. */
static bool is_first(const struct td_plan *plan, size_t group)
{
	for (size_t i = 0; i < group; i++) {
		if (plan->groups[i].pmu == plan->groups[group].pmu)
			return false;
	}
	return true;
}

static int take_probe(struct td_locating *l, const struct td_record *record,
		      size_t companion)
{
	static const uint64_t none[2 * 2];
	struct td_record r = *record;

	if (!is_first(&l->job.plan, companion / NR_COMPANIONS))
		return 0;
	r.values = none;
	r.nr_values = 2;
	r.running_ns = 0;
	return td_pairing_sample(&l->in.pairing, &r, 0,
				 companion % NR_COMPANIONS == ENTRY
					 ? TD_PROBED_ENTRY
					 : TD_PROBED_EXIT,
				 0);
}

int td_within_take(struct td_locating *l, const struct td_record *record,
		   int event, int spot, int caller)
{
	int nr_events = (int)l->job.plan.events.nr;

	switch (record->kind) {
	case TD_RECORD_SAMPLE:
		return event < nr_events
			       ? hold(l, record, event, spot, caller)
			       : take_probe(l, record,
					    (size_t)(event - nr_events));
	case TD_RECORD_EXEC:
		td_pairing_exec(&l->in.pairing, record->tid);
		return 0;
	case TD_RECORD_END:
		td_pairing_end_thread(&l->in.pairing, record->tid);
		return 0;
	case TD_RECORD_LOST:
		td_pairing_lost(&l->in.pairing);
		return 0;
	default:
		return 0;
	}
}

/* --- the end ---------------------------------------------------------------- */

void td_within_say(const struct td_locating *l)
{
	char slower[TD_DURATION_NAME];

	td_duration_text(slower, (double)l->request->calls.slower_ns);
	td_job_say(&l->job,
		   "tdstat: %s: %" PRIu64 " of %" PRIu64 " calls took %s or "
		   "longer: %" PRIu64 " of %" PRIu64 " samples are of them\n",
		   l->in.functions.v[0].name, l->in.slow, l->in.calls, slower,
		   l->in.within, l->in.samples);
	if (l->in.nr_held)
		td_job_say(&l->job,
			   "tdstat: %zu samples are left out: their calls had "
			   "not ended\n",
			   l->in.nr_held);
}
