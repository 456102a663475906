// SPDX-License-Identifier: GPL-2.0-only
/* The error for a name of no event, with the closest names of events as a hint. */
#include <string.h>
#include <strings.h>

#include "lib/event/building.h"

static const char *offer_all(struct td_building *b, struct td_closest *closest)
{
	for (size_t i = 0; i < td_nr_symbols; i++) {
		td_closest_offer(closest, td_symbols[i].name);
		if (td_symbols[i].alias)
			td_closest_offer(closest, td_symbols[i].alias);
	}
	td_build_offer_caches(closest);
	for (size_t i = 0; i < b->machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &b->machine->pmus[i];

		if (b->spec->slashes)
			td_closest_offer(closest, pmu->name);
		for (size_t j = 0; j < pmu->nr_aliases; j++)
			td_closest_offer(closest, pmu->aliases[j].name);
	}
	return b->source->offer_names(b->source->ctx, closest);
}

/* True for names of metrics and metric groups of the tree. */
static bool is_metrics(const char *name)
{
	return strncasecmp(name, "tma_", 4) == 0 ||
	       strncasecmp(name, "TopdownL", 8) == 0;
}

int td_build_unknown(struct td_building *b)
{
	const char *name = b->spec->name;
	struct td_closest closest = { .wanted = name };
	const char *missing;
	struct td_span span = b->spec->span;

	span.len = strlen(name);
	td_span_error(b->err, &span, "no %s is called '%s'",
		      b->spec->slashes ? "PMU or event" : "event", name);
	if (strcmp(name, "cpu") == 0 && b->machine->nr_core > 1)
		return td_err_hint(b->err,
				   "the PMUs of this machine's cores are %s "
				   "and others; 'cpu_*' means all of them",
				   b->machine->pmus[0].name);
	missing = offer_all(b, &closest);
	if (closest.best[0] && strcasecmp(closest.best, name) == 0)
		return td_err_hint(b->err,
				   "this model has such an event, but this "
				   "machine has no PMU that counts it");
	if (closest.best[0])
		return td_err_hint(b->err, "did you mean '%s'?", closest.best);
	if (is_metrics(name))
		return td_err_hint(b->err, "it is a metric: -M %s", name);
	if (!missing && b->machine->no_sysfs.code)
		missing = b->machine->no_sysfs.msg;
	if (missing)
		return td_err_hint(b->err,
				   "the names of this model's events are not "
				   "known: %s",
				   missing);
	return td_err_hint(b->err, "tdstat list shows all events");
}
