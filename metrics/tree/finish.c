// SPDX-License-Identifier: GPL-2.0-only
/* Finishes the list of events once all metrics are compiled. */
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/plan/plan.h"
#include "metrics/tree/scope.h"

static void mark(bool *used, const struct td_ints *events)
{
	for (size_t i = 0; i < events->nr; i++)
		used[events->v[i]] = true;
}

static void renumber(struct td_ints *events, const int *where)
{
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++) {
		if (where[events->v[i]] >= 0)
			events->v[nr++] = where[events->v[i]];
	}
	events->nr = nr;
}

static void renumber_all(struct td_tree *tree, const int *where)
{
	for (size_t i = 0; i < tree->nr_operands; i++)
		renumber(&tree->operands[i].events, where);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		renumber(&tree->metrics[i].events, where);
		renumber(&tree->metrics[i].extra, where);
	}
}

/* Drops the events that only metrics without a value need. */
static int drop_unused(struct td_scope *scope)
{
	struct td_tree *tree = scope->tree;
	struct td_events *events = scope->events;
	td_autofree bool *used = calloc(events->nr + 1, sizeof(*used));
	td_autofree int *where = calloc(events->nr + 1, sizeof(*where));
	size_t nr = 0;

	if (!used || !where)
		return td_err_nomem(scope->err);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		if (!tree->metrics[i].kept || !tree->metrics[i].value)
			continue;
		mark(used, &tree->metrics[i].events);
		mark(used, &tree->metrics[i].extra);
	}
	for (size_t i = 0; i < events->nr; i++) {
		where[i] = used[i] ? (int)nr : -1;
		if (!used[i])
			td_event_free(&events->v[i]);
		else
			events->v[nr++] = events->v[i];
	}
	events->nr = nr;
	renumber_all(tree, where);
	return 0;
}

int td_tree_first_event(const struct td_events *events, int pmu,
			bool (*is)(const struct td_event *event))
{
	for (size_t i = 0; i < events->nr; i++) {
		if (events->v[i].pmu == pmu && is(&events->v[i]))
			return (int)i;
	}
	return -1;
}

/* Adds SLOTS, whose group the fields need; newer files do not name it. */
static int add_slots(struct td_scope *scope, int pmu)
{
	struct td_events *events = scope->events;
	int field = td_tree_first_event(events, pmu, td_event_is_metric);

	if (field < 0 ||
	    td_tree_first_event(events, pmu, td_event_is_slots) >= 0)
		return 0;
	return td_events_add_slots(events, &scope->setup->machine->pmus[pmu],
				   (size_t)field, scope->err);
}

/*
 * A CPU has one SLOTS counter, so its fields can be counted only with one set
 * of modifiers.
 */
static int check_rings(struct td_scope *scope, int pmu)
{
	const struct td_events *events = scope->events;
	int first = td_tree_first_event(events, pmu, td_event_is_metric);

	for (size_t i = 0; first >= 0 && i < events->nr; i++) {
		const struct td_event *event = &events->v[i];

		if (event->pmu != pmu ||
		    !(td_event_is_metric(event) || td_event_is_slots(event)) ||
		    td_tree_same_rings(&event->mods, &events->v[first].mods))
			continue;
		td_err_usage(scope->err,
			     "-M: %s can count its topdown fields only with "
			     "the same modifiers",
			     scope->setup->machine->pmus[pmu].name);
		return td_err_hint(scope->err,
				   "give all metrics the same modifiers; if "
				   "only thresholds need the fields, use "
				   "--metric-no-threshold");
	}
	return 0;
}

int td_tree_finish_events(struct td_scope *scope)
{
	const struct td_machine *machine = scope->setup->machine;
	int rc = scope->setup->fixed ? 0 : drop_unused(scope);

	for (int pmu = 0;
	     !rc && !scope->setup->fixed && pmu < (int)machine->nr_core;
	     pmu++) {
		if (!td_pmu_has_slots(&machine->pmus[pmu]))
			continue;
		rc = check_rings(scope, pmu);
		if (!rc)
			rc = add_slots(scope, pmu);
	}
	return rc;
}
