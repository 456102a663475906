// SPDX-License-Identifier: GPL-2.0-only
/* Uses of SLOTS and the fields of PERF_METRICS that the kernel would refuse. */
#include <errno.h>
#include <linux/perf_event.h>

#include "lib/event/building.h"
#include "lib/event/event.h"

#define EVENT_UMASK UINT64_C(0xffff)

/*
 * True for the event and umask of SLOTS or a field, whatever other bits are
 * set.
 */
static bool is_topdown(const struct td_event *event)
{
	struct td_event bare = *event;

	bare.config[0] &= EVENT_UMASK;
	return td_event_is_slots(&bare) || td_event_is_metric(&bare);
}

static bool is_filtered(const struct td_event *event)
{
	return event->config[0] & ~EVENT_UMASK || event->config[1] ||
	       event->config[2] || event->config[3];
}

/* 1 if sysfs names an event with this config, 0 if not, or -ENOMEM. */
static int is_listed(const struct td_pmu *pmu, const struct td_event *event)
{
	for (size_t i = 0; i < pmu->nr_aliases; i++) {
		struct td_err unused = { 0 };
		struct td_event listed = { .name = pmu->aliases[i].name };
		int rc = td_event_add_terms(&listed, pmu, pmu->aliases[i].terms,
					    &unused);

		if (rc == -ENOMEM)
			return rc;
		if (!rc && listed.config[0] == event->config[0])
			return 1;
	}
	return 0;
}

/*
 * True for the same field of PERF_METRICS on one PMU, where both would end up
 * in one group.
 */
static bool is_twin(const struct td_event *a, const struct td_event *b)
{
	return a->pmu == b->pmu && td_event_is_metric(a) &&
	       td_event_is_metric(b) && a->config[0] == b->config[0];
}

/* I may differ, as x86 ignores exclude_idle. */
static bool same_rings(const struct td_modifiers *a, struct td_modifiers b)
{
	b.non_idle = a->non_idle;
	return td_modifiers_same_rings(a, &b);
}

static int check_alone(const struct td_pmu *pmu, const struct td_event *event,
		       const struct td_span *span, struct td_err *err)
{
	int listed;

	if (is_filtered(event))
		return td_span_error(err, span,
				     "slots and its fields take only the "
				     "terms event and umask");
	if (event->mods.precise || event->mods.precise_max)
		return td_span_error(err, span,
				     "slots and its fields cannot be "
				     "sampled: they take neither p nor P");
	listed = is_listed(pmu, event);
	if (listed)
		return listed < 0 ? td_err_nomem(err) : 0;
	td_span_error(err, span, "%s does not have this field of slots",
		      pmu->name);
	return td_err_hint(err,
			   "the kernel would count something else; the "
			   "fields are those in the sysfs events of %s",
			   pmu->name);
}

static int check_pair(const struct td_event *earlier,
		      const struct td_event *event, const struct td_span *span,
		      struct td_err *err)
{
	if (is_twin(earlier, event))
		return td_span_error(err, span,
				     "the same field of slots twice: the "
				     "hardware has one of each");
	if (earlier->pmu == event->pmu && is_topdown(earlier) &&
	    !same_rings(&earlier->mods, event->mods))
		return td_span_error(err, span,
				     "slots and its fields are one counter: "
				     "they need the same modifiers");
	return 0;
}

int td_topdown_check(const struct td_events *events,
		     const struct td_event_text *text,
		     const struct td_machine *machine, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < events->nr; i++) {
		const struct td_event *event = &events->v[i];
		const struct td_span *span = &text->specs[event->spec].span;

		/* on other cores these codes are ordinary events */
		if (!is_topdown(event) || event->refusal ||
		    !td_pmu_has_slots(&machine->pmus[event->pmu]))
			continue;
		rc = check_alone(&machine->pmus[event->pmu], event, span, err);
		for (size_t j = 0; !rc && j < i; j++)
			rc = check_pair(&events->v[j], event, span, err);
	}
	return rc;
}
