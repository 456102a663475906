// SPDX-License-Identifier: GPL-2.0-only
/* Builds events: one event of the text on one PMU. */
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/event/parts.h"
#include "lib/event/source.h"

/* --- names of events in the output ----------------------------------------- */

/* The value of name=, or NULL. */
static const char *spec_given_name(const struct td_spec *spec)
{
	for (size_t i = 0; i < spec->nr_terms; i++) {
		if (strcmp(spec->terms[i].name, "name") == 0)
			return spec->terms[i].value;
	}
	return NULL;
}

/*
 * The name of spec; the kernel's name for a number, such as "cycles", or NULL.
 */
static const char *id_of(const struct td_building *b, char buf[64])
{
	uint64_t config = b->config & UINT32_MAX;
	const struct td_symbol *symbol;

	if (b->spec->kind != TD_SPEC_NUMERIC)
		return b->spec->name;
	if (b->type == PERF_TYPE_HW_CACHE && td_cache_name(config, buf))
		return buf;
	if (b->spec->type == PERF_TYPE_RAW) {
		snprintf(buf, 64, "r%" PRIx64, b->config);
		return buf;
	}
	symbol = td_symbol_of(b->type, config);
	return symbol ? symbol->name : NULL;
}

/* Formats "cpu_core/cycles/u" or "cpu_core/inst_retired.any,cmask=1/". */
static int name_with_pmu(const struct td_building *b, const char *pmu,
			 bool of_pmu, char **out)
{
	const char *terms = b->spec->terms_text ? b->spec->terms_text : "";
	const char *id = "";
	char buf[64];

	if (!of_pmu)
		id = id_of(b, buf);
	if (!id) /* config[63:32] says which PMU */
		return asprintf(out, "%u:%#" PRIx64 "%s%s%s%s%s", b->type,
				b->config, *terms ? "/" : "", terms,
				*terms ? "/" : "", *b->spec->suffix ? ":" : "",
				b->spec->suffix);
	return asprintf(out, "%s/%s%s%s/%s", pmu, id,
			!of_pmu && *terms ? "," : "", terms, b->spec->suffix);
}

/* True if the name must say its PMU, because others count it, too. */
static bool says_pmu(const struct td_building *b, const struct td_pmu *pmu)
{
	return !b->exact && pmu->kind == TD_PMU_CORE && b->machine->nr_core > 1;
}

/*
 * Formats the event's name on this PMU into *out, which the caller frees.
 * Negative if out of memory.
 */
static int build_name(const struct td_building *b, int index, char **out)
{
	const struct td_pmu *pmu = &b->machine->pmus[index];
	const struct td_spec *spec = b->spec;
	const char *given = spec_given_name(spec);
	bool of_pmu = spec->kind == TD_SPEC_NAME && spec->slashes &&
		      td_pmu_matches(pmu->name, spec->name);

	if (given && says_pmu(b, pmu))
		return asprintf(out, "%s/%s/", pmu->name, given);
	if (given)
		return asprintf(out, "%s", given);
	if (b->tracepoint)
		return asprintf(out, "%s:%s%s%s", b->tracepoint->system,
				b->tracepoint->name, *spec->suffix ? ":" : "",
				spec->suffix);
	if (says_pmu(b, pmu) ||
	    (of_pmu && !b->exact && pmu->kind == TD_PMU_CORE))
		return name_with_pmu(b, pmu->name, of_pmu, out);
	return asprintf(out, "%s", spec->text);
}

/* --- builds events --------------------------------------------------------- */

static int name_event(const struct td_building *b, struct td_event *event)
{
	int len = build_name(b, event->pmu, &event->name);

	if (len < 0)
		event->name = NULL;
	if (len >= 0 && b->tracepoint)
		len = asprintf(&event->tracepoint, "%s:%s",
			       b->tracepoint->system, b->tracepoint->name);
	return len < 0 ? td_err_nomem(b->err) : 0;
}

static int new_event(struct td_building *b, int pmu, struct td_event **out)
{
	struct td_event *event = td_events_add(b->events);

	*out = event;
	if (!event)
		return td_err_nomem(b->err);
	*event = (struct td_event){
		.pmu = pmu,
		.home = pmu,
		.type = b->type,
		.config = { b->config },
		.scale = 1,
		.mods = b->spec->mods,
		.spec = b->index,
		.group = b->spec->group,
		.has_suffix = *b->spec->suffix && !spec_given_name(b->spec),
	};
	return name_event(b, event);
}

/* Fills in perf's defaults for what the text leaves out. */
static void fill_breakpoint(struct td_event *event, const struct td_spec *spec)
{
	uint64_t length = spec->length;

	event->bp_type =
		spec->type ? spec->type : HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	if (!length)
		length = event->bp_type == HW_BREAKPOINT_X
				 ? sizeof(long)
				 : HW_BREAKPOINT_LEN_4;
	event->config[0] = 0;
	event->config[1] = spec->config; /* bp_addr */
	event->config[2] = length;       /* bp_len */
}

static int fill_symbol(const struct td_building *b, struct td_event *event)
{
	const struct td_symbol *symbol = b->symbol;

	event->tool = symbol->tool;
	if (symbol->scale > 0)
		event->scale = symbol->scale;
	if (symbol->unit && td_event_set_unit(event, symbol->unit))
		return td_err_nomem(b->err);
	return 0;
}

int td_build_config(struct td_building *b, int pmu)
{
	struct td_event *event;
	int rc = new_event(b, pmu, &event);

	if (!rc && b->spec->kind == TD_SPEC_BREAKPOINT)
		fill_breakpoint(event, b->spec);
	if (!rc && b->symbol)
		rc = fill_symbol(b, event);
	if (!rc)
		rc = td_build_add_terms(b, event, false);
	return rc;
}

int td_build_tool(struct td_building *b)
{
	struct td_event *event;
	int rc = new_event(b, td_machine_find_pmu(b->machine, "tool"), &event);

	return rc ? rc : fill_symbol(b, event);
}

int td_build_hardware(struct td_building *b, int pmu)
{
	uint64_t config = b->config;
	struct td_event *event;
	int rc;

	b->config = td_pmu_config(&b->machine->pmus[pmu], config);
	rc = td_build_config(b, pmu);
	b->config = config;
	if (rc)
		return rc;
	/* config= in the text may have cleared the PMU's bits */
	event = &b->events->v[b->events->nr - 1];
	if (!(event->config[0] >> 32))
		event->config[0] =
			td_pmu_config(&b->machine->pmus[pmu], event->config[0]);
	return 0;
}

int td_build_raw(struct td_building *b, int pmu)
{
	b->type = b->machine->pmus[pmu].type;
	return td_build_config(b, pmu);
}

int td_build_refused(struct td_building *b, const char *why)
{
	int pmu = td_machine_find_pmu(b->machine, "tool");
	struct td_event *event;
	int rc = new_event(b, pmu, &event);

	if (!rc && td_event_refuse(event, why, b->notes))
		rc = td_err_nomem(b->err);
	return rc;
}

static int build_pmu_event(struct td_building *b, int pmu, const char *name)
{
	struct td_event *event;
	int rc;

	b->type = b->machine->pmus[pmu].type;
	b->config = 0;
	rc = new_event(b, pmu, &event);
	if (rc)
		return rc;
	/*
	 * an uncore PMU named without its instance number stands for all of its
	 * units, whose counts are added up
	 */
	event->merge = !b->exact && b->machine->pmus[pmu].kind == TD_PMU_OTHER;
	if (name)
		rc = td_build_add_named(b, event, name);
	if (!rc)
		rc = td_build_add_terms(b, event, true);
	return rc;
}

int td_build_named(struct td_building *b, int pmu)
{
	return build_pmu_event(b, pmu, b->spec->name);
}

int td_build_terms(struct td_building *b, int pmu)
{
	return build_pmu_event(b, pmu, NULL);
}

void td_build_offer_caches(struct td_closest *closest)
{
	unsigned int at = 0;
	uint64_t config;
	char name[64];

	while (td_cache_next(&at, &config, name))
		td_closest_offer(closest, name);
}

/* --- uses of SLOTS and fields of PERF_METRICS that the kernel refuses ------ */

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
