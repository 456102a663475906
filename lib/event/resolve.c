// SPDX-License-Identifier: GPL-2.0-only
/* Finds the PMUs that count an event of the text. */
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/event/parts.h"
#include "lib/event/resolve.h"
#include "lib/event/source.h"
#include "lib/event/symbols.h"

/* --- names of events in the output ----------------------------------------- */

/* Return the value of name=, or NULL. */
static const char *given_name(const struct td_spec *spec)
{
	for (size_t i = 0; i < spec->nr_terms; i++) {
		if (strcmp(spec->terms[i].name, "name") == 0)
			return spec->terms[i].value;
	}
	return NULL;
}

/* Return the name of spec; for a numeric event, the kernel's name such as "cycles", or NULL. */
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

/* Format "cpu_core/cycles/u" or "cpu_core/inst_retired.any,cmask=1/". */
static char *name_with_pmu(const struct td_building *b, const char *pmu, bool of_pmu)
{
	const char *terms = b->spec->terms_text ? b->spec->terms_text : "";
	const char *id = "";
	char buf[64];

	if (!of_pmu)
		id = id_of(b, buf);
	if (!id) /* config[63:32] contains the PMU */
		return td_aprintf("%u:%#" PRIx64 "%s%s%s%s%s", b->type, b->config,
				  *terms ? "/" : "", terms, *terms ? "/" : "",
				  *b->spec->suffix ? ":" : "", b->spec->suffix);
	return td_aprintf("%s/%s%s%s/%s", pmu, id, !of_pmu && *terms ? "," : "", terms,
			  b->spec->suffix);
}

/* Must the name contain the PMU, because other core PMUs count the event as well? */
static bool needs_pmu(const struct td_building *b, const struct td_pmu *pmu)
{
	return !b->exact && pmu->kind == TD_PMU_CORE && b->machine->nr_core > 1;
}

/* Return the name of the event on this PMU; the caller frees it. */
static char *build_name(const struct td_building *b, int index)
{
	const struct td_pmu *pmu = &b->machine->pmus[index];
	const struct td_spec *spec = b->spec;
	const char *given = given_name(spec);
	bool of_pmu = spec->kind == TD_SPEC_NAME && spec->slashes &&
		      td_pmu_matches(pmu->name, spec->name);

	if (given && needs_pmu(b, pmu))
		return td_aprintf("%s/%s/", pmu->name, given);
	if (given)
		return td_strdup(given);
	if (b->tracepoint)
		return td_aprintf("%s:%s%s%s", b->tracepoint->system, b->tracepoint->name,
				  *spec->suffix ? ":" : "", spec->suffix);
	if (needs_pmu(b, pmu) || (of_pmu && !b->exact && pmu->kind == TD_PMU_CORE))
		return name_with_pmu(b, pmu->name, of_pmu);
	return td_strdup(spec->text);
}

/* --- one event of the text on one PMU -------------------------------------- */

static struct td_event *new_event(struct td_building *b, int pmu)
{
	struct td_event *event = td_events_add(b->events);

	*event = (struct td_event){
		.pmu = pmu,
		.cpu_pmu = pmu,
		.type = b->type,
		.config = { b->config },
		.scale = 1,
		.mods = b->spec->mods,
		.spec = b->index,
		.group = b->spec->group,
		.has_suffix = *b->spec->suffix && !given_name(b->spec),
	};
	event->name = build_name(b, pmu);
	if (b->tracepoint)
		event->tracepoint = td_aprintf("%s:%s", b->tracepoint->system, b->tracepoint->name);
	return event;
}

/* Fill in a breakpoint.  Access and length that were not typed have the defaults of perf. */
static void fill_breakpoint(struct td_event *event, const struct td_spec *spec)
{
	uint64_t length = spec->length;

	event->bp_type = spec->type ? spec->type : HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	if (!length)
		length = event->bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event->config[0] = 0;
	event->config[1] = spec->config; /* bp_addr */
	event->config[2] = length;       /* bp_len */
}

static void fill_symbol(const struct td_building *b, struct td_event *event)
{
	const struct td_symbol *symbol = b->symbol;

	event->tool = symbol->tool;
	if (symbol->scale > 0)
		event->scale = symbol->scale;
	if (symbol->unit)
		td_event_set_unit(event, symbol->unit);
}

/* Add an event with the type and config in b, and the terms that all events can have. */
static int build_config(struct td_building *b, int pmu)
{
	struct td_event *event = new_event(b, pmu);

	if (b->spec->kind == TD_SPEC_BREAKPOINT)
		fill_breakpoint(event, b->spec);
	if (b->symbol)
		fill_symbol(b, event);
	return td_build_add_terms(b, event, false);
}

/* Like build_config(), with the PMU in config[63:32] on a hybrid machine. */
static int build_hardware(struct td_building *b, int pmu)
{
	uint64_t config = b->config;
	struct td_event *event;
	int rc;

	b->config = td_pmu_config(&b->machine->pmus[pmu], config);
	rc = build_config(b, pmu);
	b->config = config;
	if (rc)
		return rc;
	/* config= in the text may have cleared the PMU's bits */
	event = &b->events->v[b->events->nr - 1];
	if (!(event->config[0] >> 32))
		event->config[0] = td_pmu_config(&b->machine->pmus[pmu], event->config[0]);
	return 0;
}

/* Add an event with a raw config in the PMU's own encoding. */
static int build_raw(struct td_building *b, int pmu)
{
	b->type = b->machine->pmus[pmu].type;
	return build_config(b, pmu);
}

/* Add an event of the PMU with the terms of name, which may be NULL, and then those of the text. */
static int build_pmu_event(struct td_building *b, int pmu, const char *name)
{
	struct td_event *event;
	int rc = 0;

	b->type = b->machine->pmus[pmu].type;
	b->config = 0;
	event = new_event(b, pmu);
	/* an uncore PMU without an instance number means all of its units, which are summed */
	event->merge = !b->exact && b->machine->pmus[pmu].kind == TD_PMU_OTHER;
	if (name)
		rc = td_build_add_named(b, event, name);
	return rc ?: td_build_add_terms(b, event, true);
}

/* --- uses of SLOTS and fields of PERF_METRICS that the kernel refuses ------ */

#define EVENT_UMASK UINT64_C(0xffff)

/* Does the event have the code and umask of SLOTS or a field, whatever its other bits? */
static bool is_topdown(const struct td_event *event)
{
	struct td_event bare = *event;

	bare.config[0] &= EVENT_UMASK;
	return td_event_is_slots(&bare) || td_event_is_metric(&bare);
}

/* Does sysfs name an event with this config? */
static bool is_listed(const struct td_pmu *pmu, const struct td_event *event)
{
	for (size_t i = 0; i < pmu->nr_aliases; i++) {
		struct td_err unused = { 0 };
		struct td_event listed = { .name = pmu->aliases[i].name };

		if (!td_event_add_terms(&listed, pmu, pmu->aliases[i].terms, &unused) &&
		    listed.config[0] == event->config[0])
			return true;
	}
	return false;
}

/* Are the modifiers equal, except for I?  It may differ because x86 ignores exclude_idle. */
static bool same_rings(const struct td_modifiers *a, struct td_modifiers b)
{
	b.non_idle = a->non_idle;
	return td_modifiers_same_rings(a, &b);
}

static int check_alone(const struct td_pmu *pmu, const struct td_event *event,
		       const struct td_span *span, struct td_err *err)
{
	if (event->config[0] & ~EVENT_UMASK || event->config[1] || event->config[2] ||
	    event->config[3])
		return td_span_error(err, span,
				     "slots and its fields take only the terms event and umask");
	if (event->mods.precise || event->mods.precise_max)
		return td_span_error(
			err, span,
			"slots and its fields cannot be sampled: they take neither p nor P");
	if (is_listed(pmu, event))
		return 0;
	td_span_error(err, span, "%s does not have this field of slots", pmu->name);
	return td_err_hint(
		err,
		"the kernel would count something else; the fields are those in the sysfs events "
		"of %s",
		pmu->name);
}

static int check_pair(const struct td_event *earlier, const struct td_event *event,
		      const struct td_span *span, struct td_err *err)
{
	if (earlier->pmu != event->pmu)
		return 0;
	/* the fields of both would be in the same group */
	if (td_event_is_metric(earlier) && td_event_is_metric(event) &&
	    earlier->config[0] == event->config[0])
		return td_span_error(err, span,
				     "the same field of slots twice: the hardware has one of each");
	if (is_topdown(earlier) && !same_rings(&earlier->mods, event->mods))
		return td_span_error(
			err, span,
			"slots and its fields are one counter: they need the same modifiers");
	return 0;
}

/*
 * Return an error, which points at the event, for uses of SLOTS and the fields of PERF_METRICS that
 * the kernel would refuse or misinterpret (intel_pmu_hw_config() in arch/x86/events/intel/core.c).
 */
static int check_topdown(const struct td_events *events, const struct td_event_text *text,
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

/* --- the error for an unknown name ----------------------------------------- */

static const char *offer_all(struct td_building *b, struct td_closest *closest)
{
	unsigned int at = 0;
	uint64_t config;
	char cache[64];

	for (size_t i = 0; i < td_nr_symbols; i++) {
		td_closest_offer(closest, td_symbols[i].name);
		if (td_symbols[i].alias)
			td_closest_offer(closest, td_symbols[i].alias);
	}
	while (td_cache_next(&at, &config, cache))
		td_closest_offer(closest, cache);
	td_for_each(const struct td_pmu, pmu, b->machine->pmus, b->machine->nr_pmus) {
		if (b->spec->slashes)
			td_closest_offer(closest, pmu->name);
		for (size_t j = 0; j < pmu->nr_aliases; j++)
			td_closest_offer(closest, pmu->aliases[j].name);
	}
	return b->source->offer_names(b->source->ctx, closest);
}

/* Is it the core PMU of some machine? */
static bool is_core_pmu(const char *name)
{
	return strcmp(name, "cpu") == 0 || strcmp(name, "cpu_core") == 0 ||
	       strcmp(name, "cpu_atom") == 0;
}

/* Add a hint for the name of another machine's core PMU: the core PMUs of this machine. */
static int hint_core_pmus(struct td_building *b)
{
	const struct td_machine *machine = b->machine;
	td_autofree char *names = NULL;

	for (size_t i = 0; i < machine->nr_core; i++) {
		td_autofree char *before = names;

		names = td_aprintf("%s%s%s", before ? before : "", before ? ", " : "",
				   machine->pmus[i].name);
	}
	return td_err_hint(b->err, "core PMU%s here: %s%s", machine->nr_core > 1 ? "s" : "", names,
			   machine->nr_core > 1 ? "; 'cpu_*' matches all" : "");
}

/*
 * Set the error for an unknown name, with the best hint: this machine's core PMUs, a similar
 * name, that it is a metric, or that names are missing.
 */
static int refuse_unknown(struct td_building *b)
{
	const char *name = b->spec->name;
	struct td_closest closest = { .wanted = name };
	const char *missing;
	struct td_span span = b->spec->span;

	span.len = strlen(name);
	td_span_error(b->err, &span, "no %s is called '%s'",
		      b->spec->slashes ? "PMU or event" : "event", name);
	if (b->spec->slashes && is_core_pmu(name) && b->machine->nr_core)
		return hint_core_pmus(b);
	missing = offer_all(b, &closest);
	/* without a core PMU, its events are unknown */
	if (closest.best[0] ? strcasecmp(closest.best, name) == 0 : !b->machine->nr_core)
		b->err->elsewhere = true;
	if (closest.best[0] && strcasecmp(closest.best, name) == 0)
		return td_err_hint(
			b->err,
			"this model has such an event, but this machine has no PMU that counts it");
	if (closest.best[0])
		return td_err_hint(b->err, "did you mean '%s'?", closest.best);
	if (strncasecmp(name, "tma_", 4) == 0 || strncasecmp(name, "TopdownL", 8) == 0)
		return td_err_hint(b->err, "it is a metric: -M %s", name);
	if (!missing && b->machine->no_sysfs.code)
		missing = b->machine->no_sysfs.msg;
	if (missing)
		return td_err_hint(b->err, "the names of this model's events are not known: %s",
				   missing);
	if (closest.within)
		return td_err_hint(b->err, "tdstat list %s shows the names with that in them",
				   name);
	return td_err_hint(b->err, "tdstat list shows all events");
}

/* --- the PMUs that count an event of the text ------------------------------ */

/* Result if no PMU that was read so far has the name. */
#define UNKNOWN 1

static bool is_wanted(const struct td_pmu *pmu)
{
	return !pmu->skip && pmu->cpus.nr;
}

/* Are there PMUs that were not read? */
static bool has_more(const struct td_building *b)
{
	return !b->machine->has_others && b->source->read_pmus;
}

/* Build the event on each core PMU that is not skipped and has CPUs. */
static int on_core_pmus(struct td_building *b, int (*build)(struct td_building *b, int pmu))
{
	const struct td_machine *machine = b->machine;
	bool any = false;

	for (int i = 0; i < (int)machine->nr_core; i++) {
		int rc = is_wanted(&machine->pmus[i]) ? build(b, i) : 0;

		if (rc)
			return rc;
		any |= is_wanted(&machine->pmus[i]);
	}
	if (!any)
		td_event_refuse(new_event(b, td_machine_find_pmu(machine, "tool")),
				machine->no_sysfs.code ? machine->no_sysfs.msg
						       : "this machine has no PMU for its cores",
				b->notes);
	return 0;
}

static int on_core_pmu_of_type(struct td_building *b, uint32_t type)
{
	int pmu = td_machine_find_type(b->machine, type);

	b->exact = true;
	if (pmu >= 0 && pmu < (int)b->machine->nr_core)
		return build_config(b, pmu);
	return td_span_error(b->err, &b->spec->span,
			     "config[63:32]: this machine has no core PMU of type %u", type);
}

static int on_pmu_of_type(struct td_building *b, uint32_t type)
{
	int pmu = td_machine_find_type(b->machine, type);

	b->exact = true;
	if (pmu >= 0 && b->machine->pmus[pmu].kind != TD_PMU_TOOL)
		return build_config(b, pmu);
	if (has_more(b))
		return UNKNOWN;
	return td_span_error(b->err, &b->spec->span, "this machine has no PMU of type %u", type);
}

static int resolve_numeric(struct td_building *b)
{
	uint32_t type = b->spec->type;
	bool wide = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;

	b->type = type;
	b->config = b->spec->config;
	if (type == PERF_TYPE_SOFTWARE)
		b->symbol = td_symbol_of(type, b->config);
	/* config[63:32] contains the PMU */
	if (wide && b->config >> 32)
		return on_core_pmu_of_type(b, (uint32_t)(b->config >> 32));
	if (wide)
		return on_core_pmus(b, build_hardware);
	if (type == PERF_TYPE_RAW)
		return on_core_pmus(b, build_raw);
	return on_pmu_of_type(b, type);
}

/* Build a cache event.  An event of the PMU with this name takes precedence. */
static int build_cache(struct td_building *b, int pmu)
{
	bool known;
	int rc = td_build_knows(b, pmu, b->spec->name, &known);

	if (rc)
		return rc;
	return known ? build_pmu_event(b, pmu, b->spec->name) : build_hardware(b, pmu);
}

static int resolve_cache(struct td_building *b)
{
	int rc = td_cache_parse(b->spec->name, &b->config);

	if (rc == -EINVAL)
		return td_span_error(b->err, &b->spec->span, "%s: this cache has no such operation",
				     b->spec->name);
	b->type = PERF_TYPE_HW_CACHE;
	return rc ?: on_core_pmus(b, build_cache);
}

static int build_where_known(struct td_building *b, bool others)
{
	int rc = 0;

	for (int i = 0; !rc && i < (int)b->machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &b->machine->pmus[i];
		bool known = false;

		if ((pmu->kind == TD_PMU_OTHER) != others || !is_wanted(pmu))
			continue;
		rc = td_build_knows(b, i, b->spec->name, &known);
		if (!rc && known)
			rc = build_pmu_event(b, i, b->spec->name);
	}
	return rc;
}

/*
 * Build the event on each PMU that has an event of this name.  If core PMUs have one, no others are
 * used, whether they were read or not.
 */
static int resolve_named(struct td_building *b)
{
	size_t before = b->events->nr;
	int rc = build_where_known(b, false);

	if (!rc && b->events->nr == before)
		rc = build_where_known(b, true);
	return !rc && b->events->nr == before ? UNKNOWN : rc;
}

/*
 * Build the event on each PMU that matches a prefix or a glob and has the terms.  If there is none,
 * return the error of the last PMU.
 */
static int resolve_matching(struct td_building *b)
{
	size_t before = b->events->nr;
	bool any = false;
	int rc = 0;

	for (int i = 0; i < (int)b->machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &b->machine->pmus[i];
		size_t so_far = b->events->nr;

		if (!is_wanted(pmu) || !td_pmu_matches(pmu->name, b->spec->name))
			continue;
		any = true;
		rc = build_pmu_event(b, i, NULL);
		if (rc && !b->err->usage)
			return rc;
		if (rc)
			td_events_drop(b->events, so_far);
	}
	if (b->events->nr > before)
		return 0;
	return any ? rc : resolve_named(b);
}

/* Build "tool/duration_time/". */
static int resolve_tool(struct td_building *b)
{
	const struct td_symbol *symbol =
		b->spec->nr_terms ? td_symbol_find(b->spec->terms[0].name) : NULL;

	if (!symbol || !symbol->tool || b->spec->nr_terms > 1)
		return td_span_error(b->err, &b->spec->span,
				     "tool/.../ has only duration_time, user_time and system_time");
	b->symbol = symbol;
	fill_symbol(b, new_event(b, td_machine_find_pmu(b->machine, "tool")));
	return 0;
}

static int resolve_pmus(struct td_building *b)
{
	int exact = td_machine_find_pmu(b->machine, b->spec->name), rc = 0;

	if (exact >= 0) {
		b->exact = true;
		return b->machine->pmus[exact].kind == TD_PMU_TOOL
			       ? resolve_tool(b)
			       : build_pmu_event(b, exact, NULL);
	}
	if (has_more(b))
		rc = b->source->read_pmus(b->source->ctx, b->spec->name, b->err);
	return rc ?: resolve_matching(b);
}

static int resolve_name(struct td_building *b)
{
	const struct td_symbol *symbol = td_symbol_find(b->spec->name);
	int rc;

	if (symbol) {
		b->type = symbol->type;
		b->config = symbol->config;
		b->symbol = symbol;
		if (symbol->tool)
			return build_config(b, td_machine_find_pmu(b->machine, "tool"));
		if (symbol->type == PERF_TYPE_HARDWARE)
			return on_core_pmus(b, build_hardware);
		return on_pmu_of_type(b, symbol->type);
	}
	rc = resolve_cache(b);
	if (rc == -ENOENT)
		rc = b->spec->slashes ? resolve_pmus(b) : resolve_named(b);
	return rc == UNKNOWN && !has_more(b) ? refuse_unknown(b) : rc;
}

/* Set the error for "cycles:x", which is not a tracepoint but has an unknown modifier. */
static int wrong_modifier(struct td_building *b)
{
	struct td_span span = b->spec->span;

	span.at += strlen(b->spec->system) + 1;
	span.len = strlen(b->spec->tracepoint);
	return td_span_error(
		b->err, &span,
		"these are not modifiers of '%s'; the modifiers are u k h G H I p P S D W e R X",
		b->spec->system);
}

/* Is it an event of a core PMU, in sysfs or the model's files? */
static bool is_event(const struct td_building *b, const char *name)
{
	struct td_err unused = { 0 };

	td_for_each(const struct td_pmu, pmu, b->machine->pmus, b->machine->nr_core) {
		const char *terms = NULL;

		if (td_pmu_has_event(pmu, name))
			return true;
		if (!b->source->model_event(b->source->ctx, pmu, name, &terms, &unused) && terms)
			return true;
	}
	return false;
}

static int resolve_tracepoint(struct td_building *b)
{
	struct td_tracepoints found = { 0 };
	int pmu = td_machine_find_pmu(b->machine, "tracepoint");
	int rc;

	if (td_symbol_find(b->spec->system))
		return wrong_modifier(b);
	rc = b->source->tracepoints(b->source->ctx, b->spec->system, b->spec->tracepoint, &found,
				    b->err);
	if (rc && is_event(b, b->spec->system)) {
		td_tracepoints_free(&found);
		return wrong_modifier(b);
	}
	if (rc == -ENOENT) {
		b->err->usage = true;
		td_err_point(b->err, b->spec->span.text, b->spec->span.at, b->spec->span.len);
	}
	b->type = PERF_TYPE_TRACEPOINT;
	for (size_t i = 0; !rc && i < found.nr; i++) {
		b->config = found.v[i].id;
		b->tracepoint = &found.v[i];
		rc = build_config(b, pmu);
	}
	b->tracepoint = NULL;
	td_tracepoints_free(&found);
	return rc;
}

static int resolve_spec(struct td_building *b)
{
	switch (b->spec->kind) {
	case TD_SPEC_NAME:
		return resolve_name(b);
	case TD_SPEC_RAW:
		b->type = PERF_TYPE_RAW;
		b->config = b->spec->config;
		return on_core_pmus(b, build_raw);
	case TD_SPEC_NUMERIC:
		return resolve_numeric(b);
	case TD_SPEC_TRACEPOINT:
		return resolve_tracepoint(b);
	case TD_SPEC_BREAKPOINT:
		b->type = PERF_TYPE_BREAKPOINT;
		return build_config(b, td_machine_find_pmu(b->machine, "breakpoint"));
	}
	return 0;
}

/* Resolve the event.  If the PMUs read so far do not have it, read more. */
static int resolve(struct td_building *b)
{
	int rc = resolve_spec(b);

	if (rc != UNKNOWN)
		return rc;
	rc = b->source->read_pmus(b->source->ctx, NULL, b->err);
	return rc ?: resolve_spec(b);
}

int td_event_resolve(struct td_events *events, const struct td_event_text *text,
		     const struct td_machine *machine, const struct td_event_source *source,
		     struct td_notes *notes, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < text->nr_specs; i++) {
		struct td_building b = {
			.events = events,
			.spec = &text->specs[i],
			.index = (int)i,
			.machine = machine,
			.source = source,
			.notes = notes,
			.err = err,
		};

		rc = resolve(&b);
	}
	return rc ?: check_topdown(events, text, machine, err);
}
