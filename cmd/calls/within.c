// SPDX-License-Identifier: GPL-2.0-only
/* tdstat locate --in FUNCTION --slower TIME */
#include <inttypes.h>

#include "cmd/calls/parts.h"
#include "cmd/opts/option.h"
#include "lib/count/regions.h"

enum {
	ENTRY,
	EXIT,
	NR_COMPANIONS
};

/* Calls are paired without counts, with a group that has no members. */
static struct td_group no_members = { 0 };
static const struct td_plan no_counts = { .groups = &no_members, .nr_groups = 1 };

struct td_within {
	struct td_functions functions;
	struct td_entry_point empty; /* an empty function, to measure the cost of probes */
	struct td_call_cost cost;
	struct td_probes probes; /* probes of the function and of the empty one */
	struct td_companion companions[NR_COMPANIONS];
	struct td_pairing pairing;
	/* samples in calls that have not ended */
	struct held_sample {
		int event, location, caller, tid;
		uint64_t period, time_ns;
	} * held;
	size_t nr_held;
	uint64_t calls, slow; /* calls that have ended */
	uint64_t samples;     /* all samples, in and outside of calls */
};

static void end_call(void *ctx, const struct td_paired_call *call);

/* --- opening ---------------------------------------------------------------- */

static int open_probes(struct td_locating *l, struct td_err *err)
{
	struct td_gathering *g = &l->gathering;
	struct td_within *w = l->within;
	int kind = td_empty_kind(&w->functions.v[0]);
	struct td_companion empty[NR_COMPANIONS];
	int rc = td_empty_find(&w->empty, kind, err);

	if (!rc)
		rc = td_probes_open(&w->probes,
				    (const struct td_entry_point[]){ w->functions.v[0], w->empty },
				    2, err);
	if (rc)
		return rc;
	td_probe_companions(w->companions, &w->probes.v[0]);
	g->companions = w->companions;
	g->nr_companions = NR_COMPANIONS;
	g->format.stack = true;
	g->switches = false;
	td_probe_companions(empty, &w->probes.v[1]);
	return td_call_cost_measure(&w->cost, &l->job, empty, NR_COMPANIONS, kind, err);
}

static int within_open(struct td_locating *l, struct td_err *err)
{
	struct td_within *w = l->within = td_calloc(1, sizeof(*w));

	w->probes.events = -1;
	w->pairing.plan = &no_counts;
	w->pairing.nr_functions = 1;
	w->pairing.call_ended = end_call;
	w->pairing.ctx = l;
	if (td_functions_find(&w->functions, &l->job, l->request->calls.in, err))
		return err->code;
	if (w->functions.nr != 1)
		return td_err_usage(err, "--in %s: one function", l->request->calls.in);
	if (td_functions_check(&w->functions, &l->job, &l->gathering.format, err))
		return err->code;
	return l->request->dry_run ? 0 : open_probes(l, err);
}

static void within_close(struct td_locating *l)
{
	if (!l->within)
		return;
	td_probes_close(&l->within->probes);
	td_functions_free(&l->within->functions);
	td_entry_free(&l->within->empty);
	free(l->within->cost.values);
	free(l->within->cost.times_ns);
	td_pairing_free(&l->within->pairing);
	free(l->within->held);
	free(l->within);
}

/* --- samples ---------------------------------------------------------------- */

/* Takes the thread's samples in a slow call.  Older ones were in a call without a return. */
static void end_call(void *ctx, const struct td_paired_call *call)
{
	struct td_locating *l = ctx;
	struct td_within *w = l->within;
	bool slow = call->time_ns >= l->request->calls.slower_ns;
	size_t kept = 0;

	w->calls++;
	w->slow += slow;
	td_for_each(const struct held_sample, held, w->held, w->nr_held) {
		if (held->tid != call->tid) {
			w->held[kept++] = *held;
		} else if (slow && held->time_ns >= call->start_ns) {
			l->nr_within++;
			td_hits_add(&l->hits, held->event, held->location, held->caller,
				    held->period);
		}
	}
	w->nr_held = kept;
}

/* Returns true for the first group of a PMU: one group's probes are sufficient. */
static bool is_first(const struct td_plan *plan, size_t group)
{
	for (size_t i = 0; i < group; i++) {
		if (plan->groups[i].pmu == plan->groups[group].pmu)
			return false;
	}
	return true;
}

static void pair_probe(struct td_locating *l, const struct td_record *record, size_t companion)
{
	static const uint64_t none[2 * 2];
	struct td_within *w = l->within;
	struct td_record r = *record;
	bool entry = companion % NR_COMPANIONS == ENTRY;

	if (!is_first(&l->job.plan, companion / NR_COMPANIONS))
		return;
	r.values = none;
	r.nr_values = 2;
	r.running_ns = 0;
	td_pairing_sample(&w->pairing, &r, 0, entry ? TD_PROBED_ENTRY : TD_PROBED_EXIT, 0);
}

static void within_record(struct td_locating *l, const struct td_record *record, int event,
			  int location, int caller)
{
	int nr_events = (int)l->job.plan.events.nr;

	if (record->kind != TD_RECORD_SAMPLE) {
		td_pairing_record(&l->within->pairing, record);
	} else if (event < nr_events) {
		struct td_within *w = l->within;
		const struct held_sample sample = { event,       location,       caller,
						    record->tid, record->period, record->time_ns };

		w->samples++;
		if (td_pairing_is_in(&w->pairing, record->tid))
			td_array_push(&w->held, &w->nr_held, &sample, sizeof(sample));
	} else {
		pair_probe(l, record, (size_t)(event - nr_events));
	}
}

/* --- the end ---------------------------------------------------------------- */

static void within_report(const struct td_locating *l)
{
	const struct td_within *w = l->within;
	const uint64_t calls[2] = { w->calls };
	const double took_ns[2] = { (double)w->calls * (double)w->cost.pair_ns };
	char slower[TD_DURATION_NAME];

	td_duration_text(slower, (double)l->request->calls.slower_ns);
	td_job_say(&l->job,
		   "tdstat: %s: %" PRIu64 " of %" PRIu64
		   " calls took %s or longer; samples in them: %" PRIu64 " of %" PRIu64 "\n",
		   w->functions.v[0].name, w->slow, w->calls, slower, l->nr_within, w->samples);
	if (w->nr_held)
		td_job_say(&l->job,
			   "tdstat: samples left out because their calls had not ended: %zu\n",
			   w->nr_held);
	td_probes_report_cost(&l->gathering, &w->cost, took_ns, calls, 0);
}

const struct td_sample_filter td_within_filter = {
	.open = within_open,
	.take = within_record,
	.report = within_report,
	.close = within_close,
};

/* --- options --------------------------------------------------------------- */

static int set_slower(struct td_opts *opts, const char *arg, struct td_err *err)
{
	return td_duration_parse(arg, &opts->request.calls.slower_ns)
		       ? td_err_usage(err, "--slower %s: not like 500us, 2ms or 1.5s", arg)
		       : 0;
}

/* clang-format off */
static const struct td_option within[] = {
	{ "in", 0, "FUNCTION[@FILE]", "only samples within calls of a function",
	  TD_OPTION_TEXT, offsetof(struct td_opts, request.calls.in) },
	{ "slower", 0, "TIME",
	  "with --in: only calls that took at least TIME: 500us, 2ms, 1s",
	  TD_OPTION_FUNCTION, .set = set_slower },
	{ NULL },
};
/* clang-format on */

const struct td_option_group td_group_within = { TD_SECTION_WHAT, within };
