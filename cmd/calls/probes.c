// SPDX-License-Identifier: GPL-2.0-only
/* Opens the probes of functions and of interrupts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/calls/parts.h"
#include "lib/base/util.h"

/* --- companions ------------------------------------------------------------- */

static size_t nr_companions(const struct td_calling *c, size_t nr_probes)
{
	return TD_CALLING_PROBES + 2 * (c->nr_interrupts + nr_probes);
}

void td_probe_companions(struct td_companion at[2], const struct td_probe *probe)
{
	at[0] = (struct td_companion){ PERF_TYPE_TRACEPOINT, probe->entry, true };
	at[1] = (struct td_companion){ PERF_TYPE_TRACEPOINT, probe->exit, true };
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
		td_probe_companions(&all[td_calls_entry(c, i)], &probes[i]);
	return all;
}

size_t td_calls_entry(const struct td_calling *c, size_t function)
{
	return nr_companions(c, function);
}

enum td_probed td_calls_probed(const struct td_calling *c, size_t companion, size_t *function)
{
	bool ends = (companion - TD_CALLING_PROBES) % 2;

	*function = 0;
	if (companion < TD_CALLING_PROBES)
		return TD_PROBED_SWITCH;
	if (companion < td_calls_entry(c, 0))
		return ends ? TD_PROBED_INTERRUPT_END : TD_PROBED_INTERRUPT;
	*function = (companion - td_calls_entry(c, 0)) / 2;
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
	return rc ? rc : td_probes_open(&c->probes, entries, nr + (size_t)kinds, err);
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

int td_calls_open_probes(struct td_calling *c, struct td_err *err)
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
				    .first = td_calls_entry(c, 0) };
	return measure_costs(c, err);
}
