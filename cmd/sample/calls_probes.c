// SPDX-License-Identifier: GPL-2.0-only
/* Opens the probes of functions and of interrupts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/sample/calling.h"
#include "lib/base/util.h"

/* --- companions ------------------------------------------------------------- */

static size_t nr_companions(const struct td_calling *c, size_t nr_probes)
{
	return TD_CALLING_PROBES + 2 * (c->nr_interrupts + nr_probes);
}

static void add_probe(struct td_companion *at, const struct td_probe *probe)
{
	at[0] = (struct td_companion){ PERF_TYPE_TRACEPOINT, probe->entry,
				       true };
	at[1] = (struct td_companion){ PERF_TYPE_TRACEPOINT, probe->exit,
				       true };
}

/* Of some of the probes, behind those of interrupts. */
static struct td_companion *make_companions(const struct td_calling *c,
					    const struct td_probe *probes,
					    size_t nr)
{
	struct td_companion *all = calloc(nr_companions(c, nr), sizeof(*all));

	if (!all)
		return NULL;
	all[TD_CALLING_FAULTS] =
		(struct td_companion){ PERF_TYPE_SOFTWARE,
				       PERF_COUNT_SW_PAGE_FAULTS, false };
	all[TD_CALLING_SWITCHES] =
		(struct td_companion){ PERF_TYPE_SOFTWARE,
				       PERF_COUNT_SW_CONTEXT_SWITCHES, true };
	for (size_t i = 0; i < c->nr_interrupts; i++)
		add_probe(&all[TD_CALLING_PROBES + 2 * i], &c->interrupts[i]);
	for (size_t i = 0; i < nr; i++)
		add_probe(&all[td_calls_entry(c, i)], &probes[i]);
	return all;
}

size_t td_calls_entry(const struct td_calling *c, size_t function)
{
	return nr_companions(c, function);
}

enum td_probed td_calls_probed(const struct td_calling *c, size_t companion,
			       size_t *function)
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

/* --- what probes cost ------------------------------------------------------- */

/* The kinds of empty functions that are like the probed ones, from first on. */
static int nr_kinds(const struct td_calling *c, int *first)
{
	bool kernel = c->job.request->calls.engine == TD_BY_KPROBES;

	*first = kernel ? TD_EMPTY_KERNEL : 0;
	return kernel ? TD_NR_EMPTY - TD_EMPTY_KERNEL : TD_EMPTY_KERNEL;
}

/* By the probes behind those of the functions, which are at empty ones. */
static int measure_cost(struct td_calling *c, int kind, struct td_err *err)
{
	td_autofree struct td_companion *empty = NULL;
	int first;

	nr_kinds(c, &first);
	empty = make_companions(
		c, &c->probes.v[c->functions.nr + (size_t)(kind - first)], 1);
	return empty ? td_call_cost_measure(&c->costs[kind], &c->job, empty,
					    nr_companions(c, 1), kind, err)
		     : td_err_nomem(err);
}

static int kind_of(const struct td_entry_point *entry)
{
	if (entry->kernel)
		return TD_EMPTY_KERNEL;
	return entry->stepped ? TD_EMPTY_STEPPED : TD_EMPTY_PUSHES;
}

static int measure_costs(struct td_calling *c, struct td_err *err)
{
	size_t nr = c->functions.nr;
	int rc = 0;

	c->cost_of = calloc(nr, sizeof(void *));
	if (!c->cost_of)
		return td_err_nomem(err);
	for (size_t i = 0; !rc && i < nr; i++) {
		int kind = kind_of(&c->functions.v[i]);

		c->cost_of[i] = &c->costs[kind];
		if (!c->costs[kind].values)
			rc = measure_cost(c, kind, err);
	}
	c->counts.costs = c->cost_of;
	return rc;
}

/* --- opening ---------------------------------------------------------------- */

/* The functions, and the empty ones behind them. */
static int define_probes(struct td_calling *c, struct td_err *err)
{
	size_t nr = c->functions.nr;
	td_autofree struct td_entry_point *entries =
		calloc(nr + TD_NR_EMPTY, sizeof(*entries));
	int first, kinds = nr_kinds(c, &first), rc = 0;

	if (!entries)
		return td_err_nomem(err);
	memcpy(entries, c->functions.v, nr * sizeof(*entries));
	for (int i = 0; !rc && i < kinds; i++) {
		rc = td_empty_find(&c->empty[i], first + i, err);
		entries[nr + (size_t)i] = c->empty[i];
	}
	return rc ? rc
		  : td_probes_open(&c->probes, entries, nr + (size_t)kinds,
				   err);
}

/*
 * Each thread has all events on each CPU: those of interrupts are left out if there are
 * more than may be open.
 */
static bool is_room_for(struct td_calling *c, size_t nr)
{
	struct td_err unused;
	struct rlimit limit;

	if (td_target_find_tasks(&c->job.target, &c->job.fs, &unused) ||
	    getrlimit(RLIMIT_NOFILE, &limit))
		return true;
	nr += c->job.plan.events.nr + 1;
	return (double)nr * (double)c->job.machine.online.nr *
		       (double)(c->job.target.tids.nr + 1) <
	       (double)limit.rlim_max;
}

static void find_interrupts(struct td_calling *c)
{
	struct td_err why = { 0 };
	int rc = td_interrupts_find(c->interrupts, &why);

	if (!rc && !is_room_for(c, nr_companions(c, c->functions.nr +
							    TD_NR_INTERRUPTS)))
		rc = td_err_set(&why, -EMFILE,
				"too many open files: ulimit -Hn allows more");
	if (rc)
		td_notes_add(&c->job.notes, "interrupts are not counted: %s",
			     why.msg);
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
	return c->companions ? measure_costs(c, err) : td_err_nomem(err);
}
