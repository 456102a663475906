// SPDX-License-Identifier: GPL-2.0-only
/* One event of the text on one PMU: its attributes and its name. */
#include "lib/event_build.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/util.h"

/* --- which PMU -------------------------------------------------------------- */

static const char *without_uncore(const char *name)
{
	return strncmp(name, "uncore_", 7) == 0 ? name + 7 : name;
}

/* "_0", "_15"; of hexadecimal ones, which name an address, "_1f003800" */
static bool is_instance(const char *suffix)
{
	size_t len;

	if (*suffix == '\0')
		return true;
	if (*suffix++ != '_')
		return false;
	len = strlen(suffix);
	return (len && strspn(suffix, "0123456789") == len) ||
	       (len > 2 && strspn(suffix, "0123456789abcdef") == len);
}

bool td_pmu_matches(const char *pmu, const char *pattern)
{
	size_t len;

	pmu = without_uncore(pmu);
	pattern = without_uncore(pattern);
	len = strlen(pattern);
	if (strncmp(pmu, pattern, len) == 0 && is_instance(pmu + len))
		return true;
	return strpbrk(pattern, "*?[") && fnmatch(pattern, pmu, 0) == 0;
}

/* --- names ------------------------------------------------------------------- */

static const struct td_term *find_term(const struct td_spec *spec,
				       const char *name)
{
	for (size_t i = 0; i < spec->nr_terms; i++) {
		if (strcmp(spec->terms[i].name, name) == 0)
			return &spec->terms[i];
	}
	return NULL;
}

/* What stands between the slashes, as it was typed. */
static struct td_span terms_span(const struct td_spec *spec)
{
	const struct td_span *first = &spec->terms[0].span;
	const struct td_span *last = &spec->terms[spec->nr_terms - 1].span;

	return (struct td_span){ first->text, first->at,
				 last->at + last->len - first->at };
}

/* "cpu_core/cycles/u", "cpu_core/inst_retired.any,cmask=1/" */
static int name_with_pmu(const struct td_building *b, const char *pmu,
			 bool of_pmu, char **out)
{
	const struct td_spec *spec = b->spec;
	const struct td_symbol *symbol =
		spec->kind == TD_SPEC_NUMERIC
			? td_symbol_of(b->type, b->config & UINT32_MAX)
			: NULL;
	const char *id = symbol ? symbol->name : spec->name;
	struct td_span terms = { "", 0, 0 };

	if (spec->nr_terms)
		terms = terms_span(spec);
	return asprintf(out, "%s/%s%s%.*s/%s", pmu, of_pmu ? "" : id,
			!of_pmu && terms.len ? "," : "", (int)terms.len,
			terms.text + terms.at, spec->suffix);
}

/* name= of several PMUs says which one, as all names do. */
static int given_name(const struct td_building *b, const struct td_pmu *pmu,
		      const char *given, char **out)
{
	if (b->exact || pmu->kind != TD_PMU_CORE || b->machine->nr_core < 2)
		return asprintf(out, "%s", given);
	return asprintf(out, "%s/%s/", pmu->name, given);
}

static int make_name(const struct td_building *b, const struct td_pmu *pmu,
		     char **out)
{
	const struct td_spec *spec = b->spec;
	const struct td_term *given = find_term(spec, "name");
	bool of_pmu = spec->kind == TD_SPEC_NAME && spec->slashes &&
		      td_pmu_matches(pmu->name, spec->name);

	if (given && given->value)
		return given_name(b, pmu, given->value, out);
	if (b->tracepoint)
		return asprintf(out, "%s:%s%s%s", b->tracepoint->system,
				b->tracepoint->name, *spec->suffix ? ":" : "",
				spec->suffix);
	if (!b->exact && pmu->kind == TD_PMU_CORE &&
	    (of_pmu || b->machine->nr_core > 1))
		return name_with_pmu(b, pmu->name, of_pmu, out);
	return asprintf(out, "%.*s", (int)spec->span.len,
			spec->span.text + spec->span.at);
}

/* --- terms ------------------------------------------------------------------- */

static int no_number(const struct td_building *b, const struct td_term *term)
{
	return td_span_error(b->err, &term->span, "%s: not a number",
			     term->name);
}

/* A list of all terms of a PMU, and those that any event takes. */
static int no_such_term(const struct td_building *b, const struct td_pmu *pmu,
			const struct td_term *term)
{
	char list[384] = "";
	size_t len = 0;

	for (size_t i = 0; pmu && i < pmu->nr_formats; i++) {
		if (len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len,
						"%s, ", pmu->formats[i].name);
	}
	if (pmu)
		td_span_error(b->err, &term->span,
			      "%s has no term or event '%s'", pmu->name,
			      term->name);
	else
		td_span_error(b->err, &term->span, "no term is called '%s'",
			      term->name);
	return td_err_hint(b->err,
			   "its terms: %sconfig, config1, config2, config3, "
			   "name, period, percore",
			   list);
}

/* "config" to "config3" are whole words; -1: not one of them. */
static int config_word(const char *name)
{
	if (strncmp(name, "config", 6) != 0)
		return -1;
	name += 6;
	if (*name == '\0')
		return 0;
	if (*name >= '1' && *name < '0' + TD_NR_CONFIGS && !name[1])
		return *name - '0';
	return -1;
}

/* Terms that any event takes.  UNUSED: it is not one of them. */
#define UNUSED 1

static int add_common_term(const struct td_building *b, struct td_event *event,
			   const struct td_term *term)
{
	int word = config_word(term->name);

	if (word >= 0) {
		if (!term->is_number)
			return no_number(b, term);
		event->config[word] = term->number;
		return 0;
	}
	if (strcmp(term->name, "name") == 0 && term->value)
		return 0; /* make_name() */
	if (strcmp(term->name, "metric-id") == 0)
		return 0;
	if (strcmp(term->name, "period") == 0) {
		td_notes_add(b->notes,
			     "%.*s: period= is for sampling: not used",
			     (int)b->spec->span.len,
			     b->spec->span.text + b->spec->span.at);
		return 0;
	}
	if (strcmp(term->name, "percore") != 0)
		return UNUSED;
	if (term->value && (!term->is_number || term->number > 1))
		return td_span_error(b->err, &term->span,
				     "percore: 0 or 1, or nothing for 1");
	event->percore = term->number;
	return 0;
}

static const struct td_alias *find_alias(const struct td_pmu *pmu,
					 const char *name)
{
	for (size_t i = 0; i < pmu->nr_aliases; i++) {
		if (strcasecmp(pmu->aliases[i].name, name) == 0)
			return &pmu->aliases[i];
	}
	return NULL;
}

/* sysfs' words first; the model's files say more names. */
static int find_named(const struct td_building *b, int pmu, const char *name,
		      const struct td_alias **alias, const char **terms)
{
	const struct td_pmu *p = &b->machine->pmus[pmu];

	*alias = find_alias(p, name);
	*terms = *alias ? (*alias)->terms : NULL;
	if (*alias)
		return 0;
	return b->source->model_event(b->source->ctx, p, name, terms, b->err);
}

int td_build_knows(struct td_building *b, int pmu, const char *name,
		   bool *known)
{
	const struct td_alias *alias;
	const char *terms;
	int rc = find_named(b, pmu, name, &alias, &terms);

	*known = terms != NULL;
	return rc;
}

/* The bits of a name that the PMU's files resolve; UNUSED: it is not one. */
static int add_named(const struct td_building *b, struct td_event *event,
		     const char *name)
{
	const struct td_alias *alias;
	const char *terms;
	int rc = find_named(b, event->pmu, name, &alias, &terms);

	if (rc || !terms)
		return rc ? rc : UNUSED;
	if (alias) {
		event->scale = alias->scale;
		free(event->unit);
		event->unit = alias->unit ? strdup(alias->unit) : NULL;
		if (alias->unit && !event->unit)
			return td_err_nomem(b->err);
	}
	return td_event_add_terms(event, &b->machine->pmus[event->pmu], terms,
				  b->err);
}

static uint64_t with_pmu_type(const struct td_pmu *pmu, uint64_t config)
{
	if (strcmp(pmu->name, "cpu") == 0)
		return config; /* the only one: the kernel wants 0 */
	return config | (uint64_t)pmu->type << 32;
}

/* "cpu_core/cycles/", "cpu_atom/LLC-loads/": the kernel's names, on this PMU. */
static int add_kernel_name(struct td_event *event, const struct td_pmu *pmu,
			   const char *name)
{
	const struct td_symbol *symbol = td_symbol_find(name);
	uint64_t config;

	if (pmu->kind != TD_PMU_CORE)
		return UNUSED;
	if (symbol && symbol->type == PERF_TYPE_HARDWARE && !symbol->tool) {
		event->type = PERF_TYPE_HARDWARE;
		event->config[0] = with_pmu_type(pmu, symbol->config);
		return 0;
	}
	if (td_cache_parse(name, &config))
		return UNUSED;
	event->type = PERF_TYPE_HW_CACHE;
	event->config[0] = with_pmu_type(pmu, config);
	return 0;
}

/* "r1a" among terms is config=0x1a */
static bool is_raw_term(const struct td_term *term, uint64_t *config)
{
	char text[40];

	if (term->value || term->name[0] != 'r')
		return false;
	snprintf(text, sizeof(text), "0x%s",
		 term->name + (strncmp(term->name, "r0x", 3) == 0 ? 3 : 1));
	return td_parse_u64(text, UINT64_MAX, config) == 0;
}

static int pack_term(const struct td_building *b, struct td_event *event,
		     const struct td_format *format, const struct td_term *term)
{
	bool is_flag = !(format->mask & (format->mask - 1));

	if (!term->value && !is_flag)
		return td_span_error(b->err, &term->span,
				     "%s needs a value: %s=...", term->name,
				     term->name);
	if (!term->is_number && term->value)
		return no_number(b, term);
	if (td_format_pack(format, term->number, event->config) == 0)
		return 0;
	return td_span_error(b->err, &term->span,
			     "%s=%#" PRIx64 ": too large for its bits",
			     term->name, term->number);
}

/* One of the PMU's formats, or a name that the kernel gives. */
static int add_pmu_term(const struct td_building *b, struct td_event *event,
			const struct td_term *term)
{
	const struct td_pmu *pmu = &b->machine->pmus[event->pmu];
	const struct td_format *format = td_pmu_format(pmu, term->name);
	int rc = UNUSED;

	if (format)
		return pack_term(b, event, format, term);
	if (!term->value)
		rc = add_kernel_name(event, pmu, term->name);
	if (rc == UNUSED && is_raw_term(term, &event->config[0]))
		return 0;
	return rc == UNUSED ? no_such_term(b, pmu, term) : rc;
}

/* What the PMU is asked for beyond the terms of any event; UNUSED: nothing. */
static int add_special_term(const struct td_building *b, struct td_event *event,
			    const struct td_term *term, bool names)
{
	const struct td_alias *alias;
	const char *terms = NULL;
	int rc = 0;

	if (!term->value)
		rc = find_named(b, event->pmu, term->name, &alias, &terms);
	if (rc || (terms != NULL) != names)
		return rc;
	return names ? add_named(b, event, term->name)
		     : add_pmu_term(b, event, term);
}

static bool is_common(const struct td_building *b, const struct td_term *term)
{
	struct td_event scratch = { 0 };

	return config_word(term->name) >= 0 ||
	       add_common_term(b, &scratch, term) != UNUSED;
}

/*
 * In this order, whatever the text's: config= (perf's config_attr()), then
 * names, whose bits the user's own terms replace.
 */
static int add_terms(struct td_building *b, struct td_event *event, bool of_pmu)
{
	const struct td_spec *spec = b->spec;
	int rc = 0;

	for (size_t i = 0; !rc && i < spec->nr_terms; i++) {
		rc = add_common_term(b, event, &spec->terms[i]);
		if (rc == UNUSED && !of_pmu)
			return no_such_term(b, NULL, &spec->terms[i]);
		rc = rc == UNUSED ? 0 : rc;
	}
	for (int names = 1; of_pmu && names >= 0; names--) {
		for (size_t i = 0; !rc && i < spec->nr_terms; i++) {
			if (!is_common(b, &spec->terms[i]))
				rc = add_special_term(b, event, &spec->terms[i],
						      names);
		}
	}
	return rc;
}

/* --- events ------------------------------------------------------------------ */

static struct td_event *new_event(struct td_building *b, int pmu)
{
	struct td_event *event = td_array_add(
		&b->plan->events, b->plan->nr_events, sizeof(*event));

	if (!event) {
		td_err_nomem(b->err);
		return NULL;
	}
	b->plan->nr_events++;
	*event = (struct td_event){
		.pmu = pmu,
		.type = b->type,
		.config = { b->config },
		.scale = 1,
		.mods = b->spec->mods,
		.spec = b->index,
		.group = b->spec->group,
	};
	return event;
}

static int finish(struct td_building *b, struct td_event *event)
{
	const struct td_pmu *pmu = &b->machine->pmus[event->pmu];
	int len = make_name(b, pmu, &event->name);

	if (len < 0)
		event->name = NULL;
	if (len >= 0 && b->tracepoint)
		len = asprintf(&event->tracepoint, "%s:%s",
			       b->tracepoint->system, b->tracepoint->name);
	return len < 0 ? td_err_nomem(b->err) : 0;
}

/* A breakpoint's rest: what perf opens when the text does not say. */
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
	if (!symbol->unit)
		return 0;
	event->unit = strdup(symbol->unit);
	return event->unit ? 0 : td_err_nomem(b->err);
}

int td_build_config(struct td_building *b, int pmu)
{
	struct td_event *event = new_event(b, pmu);
	int rc = event ? 0 : b->err->code;

	if (!rc && b->spec->kind == TD_SPEC_BREAKPOINT)
		fill_breakpoint(event, b->spec);
	if (!rc && b->symbol)
		rc = fill_symbol(b, event);
	if (!rc)
		rc = add_terms(b, event, false);
	return rc ? rc : finish(b, event);
}

int td_build_hardware(struct td_building *b, int pmu)
{
	uint64_t config = b->config;
	int rc;

	b->config = with_pmu_type(&b->machine->pmus[pmu], config);
	rc = td_build_config(b, pmu);
	b->config = config;
	return rc;
}

int td_build_raw(struct td_building *b, int pmu)
{
	b->type = b->machine->pmus[pmu].type;
	return td_build_config(b, pmu);
}

int td_build_refused(struct td_building *b, const char *why)
{
	int pmu = td_machine_find_pmu(b->machine, "tool");
	struct td_event *event = new_event(b, pmu);
	int rc = event ? finish(b, event) : b->err->code;

	if (rc)
		return rc;
	if (asprintf(&event->refusal, "%s: %s", event->name, why) < 0) {
		event->refusal = NULL;
		return td_err_nomem(b->err);
	}
	td_notes_add(b->notes, "%s", event->refusal);
	return 0;
}

static int build_pmu_event(struct td_building *b, int pmu, const char *name)
{
	struct td_event *event;
	int rc = 0;

	b->type = b->machine->pmus[pmu].type;
	b->config = 0;
	event = new_event(b, pmu);
	if (!event)
		return b->err->code;
	if (name)
		rc = add_named(b, event, name);
	if (!rc)
		rc = add_terms(b, event, true);
	return rc ? rc : finish(b, event);
}

int td_build_named(struct td_building *b, int pmu)
{
	return build_pmu_event(b, pmu, b->spec->name);
}

/* "uncore_imc" is one thing to who typed it: the name stays, counts add up. */
int td_build_terms(struct td_building *b, int pmu)
{
	int rc = build_pmu_event(b, pmu, NULL);

	if (!rc && !b->exact && b->machine->pmus[pmu].kind == TD_PMU_OTHER)
		b->plan->events[b->plan->nr_events - 1].merge = true;
	return rc;
}

static void offer(void *ctx, const char *name, uint64_t config)
{
	(void)config;
	td_closest_offer(ctx, name);
}

void td_build_offer_caches(struct td_closest *closest)
{
	td_cache_each(offer, closest);
}
