// SPDX-License-Identifier: GPL-2.0-only
/* Builds events: one event of the text on one PMU. */
#include "lib/event/building.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

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
