// SPDX-License-Identifier: GPL-2.0-only
/* Finds the PMUs that count an event of the text. */
#include "lib/event/resolve.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/event/parts.h"
#include "lib/event/symbols.h"

/* --- the error for a name of no event -------------------------------------- */

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

/* Of a machine with one kind of core, or with several. */
static bool is_core_pmu(const char *name)
{
	return strcmp(name, "cpu") == 0 || strcmp(name, "cpu_core") == 0 ||
	       strcmp(name, "cpu_atom") == 0;
}

/* The hint for the PMU of another machine's cores; this one has PMUs of its own. */
static int hint_core_pmus(struct td_building *b)
{
	const struct td_machine *machine = b->machine;
	td_autofree char *names = NULL;

	for (size_t i = 0; i < machine->nr_core; i++) {
		td_autofree char *before = names;

		if (asprintf(&names, "%s%s%s", before ? before : "",
			     before ? ", " : "", machine->pmus[i].name) < 0) {
			names = NULL;
			return td_err_nomem(b->err);
		}
	}
	return td_err_hint(b->err, "the cores of this machine have %s%s", names,
			   machine->nr_core > 1 ? "; 'cpu_*' means all of them"
						: "");
}

/*
 * Sets the error for an unknown name, with the best hint: a hybrid machine has
 * no PMU "cpu", a similar name exists, the name is a metric's, or names are
 * missing.
 */
static int build_unknown(struct td_building *b)
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
	/* without a PMU of the cores, who knows which names they would have? */
	if (closest.best[0] ? strcasecmp(closest.best, name) == 0
			    : !b->machine->nr_core)
		b->err->elsewhere = true;
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
	if (closest.within)
		return td_err_hint(b->err,
				   "tdstat list %s shows the names with that "
				   "in them",
				   name);
	return td_err_hint(b->err, "tdstat list shows all events");
}

/* --- finds the PMUs that count an event of the text ------------------------ */

/* No PMU that was read has the name. */
#define UNKNOWN 1

static bool is_wanted(const struct td_pmu *pmu)
{
	return !pmu->skip && pmu->cpus.nr;
}

/* The number of core PMUs to count on. */
static size_t count_wanted(const struct td_machine *machine)
{
	size_t nr = 0;

	for (size_t i = 0; i < machine->nr_core; i++)
		nr += is_wanted(&machine->pmus[i]);
	return nr;
}

/* Are there PMUs that were not read? */
static bool has_more(const struct td_building *b)
{
	return !b->machine->has_others && b->source->read_pmus;
}

/* Builds the event on each core PMU to count on. */
static int on_core_pmus(struct td_building *b,
			int (*build)(struct td_building *b, int pmu))
{
	int rc = 0;

	if (count_wanted(b->machine) == 0)
		return td_build_refused(b, b->machine->no_sysfs.code
						   ? b->machine->no_sysfs.msg
						   : "this machine has no PMU "
						     "for its cores");
	for (int i = 0; !rc && i < (int)b->machine->nr_core; i++) {
		if (is_wanted(&b->machine->pmus[i]))
			rc = build(b, i);
	}
	return rc;
}

static int on_core_pmu_of_type(struct td_building *b, uint32_t type)
{
	int pmu = td_machine_find_type(b->machine, type);

	b->exact = true;
	if (pmu >= 0 && pmu < (int)b->machine->nr_core)
		return td_build_config(b, pmu);
	return td_span_error(b->err, &b->spec->span,
			     "config[63:32]: this machine has no core PMU of "
			     "type %u",
			     type);
}

static int on_pmu_of_type(struct td_building *b, uint32_t type)
{
	int pmu = td_machine_find_type(b->machine, type);

	b->exact = true;
	if (pmu >= 0 && b->machine->pmus[pmu].kind != TD_PMU_TOOL)
		return td_build_config(b, pmu);
	if (has_more(b))
		return UNKNOWN;
	return td_span_error(b->err, &b->spec->span,
			     "this machine has no PMU of type %u", type);
}

static int resolve_numeric(struct td_building *b)
{
	uint32_t type = b->spec->type;
	bool wide = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;

	b->type = type;
	b->config = b->spec->config;
	if (type == PERF_TYPE_SOFTWARE)
		b->symbol = td_symbol_of(type, b->config);
	/* config[63:32] already says which PMU */
	if (wide && b->config >> 32)
		return on_core_pmu_of_type(b, (uint32_t)(b->config >> 32));
	if (wide)
		return on_core_pmus(b, td_build_hardware);
	if (type == PERF_TYPE_RAW)
		return on_core_pmus(b, td_build_raw);
	return on_pmu_of_type(b, type);
}

static int resolve_symbol(struct td_building *b, const struct td_symbol *symbol)
{
	b->type = symbol->type;
	b->config = symbol->config;
	b->symbol = symbol;
	if (symbol->tool)
		return td_build_config(b,
				       td_machine_find_pmu(b->machine, "tool"));
	if (symbol->type == PERF_TYPE_HARDWARE)
		return on_core_pmus(b, td_build_hardware);
	return on_pmu_of_type(b, symbol->type);
}

/* A PMU may have an event of its own with a cache's name, which wins. */
static int build_cache(struct td_building *b, int pmu)
{
	bool known;
	int rc = td_build_knows(b, pmu, b->spec->name, &known);

	if (rc)
		return rc;
	return known ? td_build_named(b, pmu) : td_build_hardware(b, pmu);
}

static int resolve_cache(struct td_building *b)
{
	int rc = td_cache_parse(b->spec->name, &b->config);

	if (rc == -EINVAL)
		return td_span_error(b->err, &b->spec->span,
				     "%s: this cache has no such operation",
				     b->spec->name);
	b->type = PERF_TYPE_HW_CACHE;
	return rc ? rc : on_core_pmus(b, build_cache);
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
			rc = td_build_named(b, i);
	}
	return rc;
}

/*
 * Builds the event on each PMU that has one of this name.  A name that core
 * PMUs have means only these, whether the others were read or not.
 */
static int resolve_named(struct td_building *b)
{
	size_t before = b->events->nr;
	int rc = build_where_known(b, false);

	if (!rc && b->events->nr == before)
		rc = build_where_known(b, true);
	if (!rc && b->events->nr == before)
		return UNKNOWN;
	return rc;
}

/*
 * Builds the event on each PMU that a prefix or a glob means and that has its
 * terms.  If none has them, the error is the last PMU's.
 */
static int resolve_matching(struct td_building *b)
{
	size_t before = b->events->nr;
	bool any = false;
	int rc = 0;

	for (int i = 0; i < (int)b->machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &b->machine->pmus[i];
		size_t so_far = b->events->nr;

		if (!is_wanted(pmu) ||
		    !td_pmu_matches(pmu->name, b->spec->name))
			continue;
		any = true;
		rc = td_build_terms(b, i);
		if (rc && !b->err->usage)
			return rc;
		if (rc)
			td_events_drop(b->events, so_far);
	}
	if (b->events->nr > before)
		return 0;
	return any ? rc : resolve_named(b);
}

/* Builds "tool/duration_time/". */
static int resolve_tool(struct td_building *b)
{
	const struct td_symbol *symbol =
		b->spec->nr_terms ? td_symbol_find(b->spec->terms[0].name)
				  : NULL;

	if (!symbol || !symbol->tool || b->spec->nr_terms > 1)
		return td_span_error(b->err, &b->spec->span,
				     "tool/.../ has only duration_time, "
				     "user_time and system_time");
	b->symbol = symbol;
	return td_build_tool(b);
}

static int resolve_pmus(struct td_building *b)
{
	int exact = td_machine_find_pmu(b->machine, b->spec->name), rc = 0;

	if (exact >= 0) {
		b->exact = true;
		return b->machine->pmus[exact].kind == TD_PMU_TOOL
			       ? resolve_tool(b)
			       : td_build_terms(b, exact);
	}
	if (has_more(b))
		rc = b->source->read_pmus(b->source->ctx, b->spec->name,
					  b->err);
	return rc ? rc : resolve_matching(b);
}

static int resolve_name(struct td_building *b)
{
	const struct td_symbol *symbol = td_symbol_find(b->spec->name);
	int rc;

	if (symbol)
		return resolve_symbol(b, symbol);
	rc = resolve_cache(b);
	if (rc == -ENOENT)
		rc = b->spec->slashes ? resolve_pmus(b) : resolve_named(b);
	return rc == UNKNOWN && !has_more(b) ? build_unknown(b) : rc;
}

/* "cycles:x" is no tracepoint but has an unknown modifier. */
static int wrong_modifier(struct td_building *b)
{
	struct td_span span = b->spec->span;

	span.at += strlen(b->spec->system) + 1;
	span.len = strlen(b->spec->tracepoint);
	return td_span_error(b->err, &span,
			     "these are not modifiers of '%s'; the modifiers "
			     "are u k h G H I p P S D W e R X",
			     b->spec->system);
}

/* Does a PMU of the cores have it, or its model's files? */
static bool is_event(const struct td_building *b, const char *name)
{
	struct td_err unused = { 0 };

	for (size_t i = 0; i < b->machine->nr_core; i++) {
		const struct td_pmu *pmu = &b->machine->pmus[i];
		const char *terms = NULL;

		if (td_pmu_has_event(pmu, name))
			return true;
		if (!b->source->model_event(b->source->ctx, pmu, name, &terms,
					    &unused) &&
		    terms)
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
	rc = b->source->tracepoints(b->source->ctx, b->spec->system,
				    b->spec->tracepoint, &found, b->err);
	if (rc && rc != -ENOMEM && is_event(b, b->spec->system)) {
		td_tracepoints_free(&found);
		return wrong_modifier(b);
	}
	if (rc == -ENOENT) {
		b->err->usage = true;
		td_err_point(b->err, b->spec->span.text, b->spec->span.at,
			     b->spec->span.len);
	}
	b->type = PERF_TYPE_TRACEPOINT;
	for (size_t i = 0; !rc && i < found.nr; i++) {
		b->config = found.v[i].id;
		b->tracepoint = &found.v[i];
		rc = td_build_config(b, pmu);
	}
	b->tracepoint = NULL;
	td_tracepoints_free(&found);
	return rc;
}

static int resolve_breakpoint(struct td_building *b)
{
	b->type = PERF_TYPE_BREAKPOINT;
	return td_build_config(b,
			       td_machine_find_pmu(b->machine, "breakpoint"));
}

static int resolve_raw(struct td_building *b)
{
	b->type = PERF_TYPE_RAW;
	b->config = b->spec->config;
	return on_core_pmus(b, td_build_raw);
}

static int resolve_spec(struct td_building *b)
{
	switch (b->spec->kind) {
	case TD_SPEC_NAME:
		return resolve_name(b);
	case TD_SPEC_RAW:
		return resolve_raw(b);
	case TD_SPEC_NUMERIC:
		return resolve_numeric(b);
	case TD_SPEC_TRACEPOINT:
		return resolve_tracepoint(b);
	case TD_SPEC_BREAKPOINT:
		return resolve_breakpoint(b);
	}
	return 0;
}

/* Reads more PMUs if that may help. */
static int resolve(struct td_building *b)
{
	int rc = resolve_spec(b);

	if (rc != UNKNOWN)
		return rc;
	rc = b->source->read_pmus(b->source->ctx, NULL, b->err);
	return rc ? rc : resolve_spec(b);
}

int td_event_resolve(struct td_events *events, const struct td_event_text *text,
		     const struct td_machine *machine,
		     const struct td_event_source *source,
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
	return rc ? rc : td_topdown_check(events, text, machine, err);
}
