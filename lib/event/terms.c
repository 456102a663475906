// SPDX-License-Identifier: GPL-2.0-only
/* Adds terms to events, which set bits in their configs. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <strings.h>

#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/event/parts.h"
#include "lib/event/source.h"

static int no_number(const struct td_building *b, const struct td_term *term)
{
	return td_span_error(b->err, &term->span, "%s: not a number", term->name);
}

/* Is the term an event of the model, but not of these cores (for example of an uncore unit)? */
static bool is_of_other_pmu(const struct td_building *b, const struct td_pmu *pmu,
			    const struct td_term *term)
{
	struct td_closest closest = { .wanted = term->name };

	if (!pmu || pmu->kind != TD_PMU_CORE || term->value)
		return false;
	b->source->offer_names(b->source->ctx, &closest);
	return closest.best[0] && strcasecmp(closest.best, term->name) == 0;
}

/* Set an error.  The hint lists all terms of the PMU, and those that all events can have. */
static int no_such_term(const struct td_building *b, const struct td_pmu *pmu,
			const struct td_term *term)
{
	const char *colon = strchr(term->name, ':');
	char list[384] = "";
	size_t len = 0;

	for (size_t i = 0; pmu && i < pmu->nr_formats; i++) {
		if (len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s, ",
						pmu->formats[i].name);
	}
	if (pmu)
		td_span_error(b->err, &term->span, "%s has no term or event '%s'", pmu->name,
			      term->name);
	else
		td_span_error(b->err, &term->span, "no term is called '%s'", term->name);
	if (colon && td_are_modifiers(colon + 1, strlen(colon + 1)))
		return td_err_hint(b->err, "a modifier comes after the last slash: %s/%.*s/%s",
				   b->spec->name, (int)(colon - term->name), term->name, colon + 1);
	if (is_of_other_pmu(b, pmu, term))
		return td_err_hint(
			b->err,
			"this model has such an event, but not on %s: name it without a PMU",
			pmu->name);
	return td_err_hint(
		b->err,
		"its terms: %sconfig, config1, config2, config3, name, period, percore, cpu=PMU",
		list);
}

/*
 * Is it a term such as "cpu=cpu_core", with which an event counts on the CPUs of another PMU, as in
 * perf 7.2?
 */
static bool is_cpu(const struct td_term *term)
{
	return strcmp(term->name, "cpu") == 0 && term->value;
}

static int set_home(const struct td_building *b, struct td_event *event, const struct td_term *term)
{
	int home = td_machine_find_pmu(b->machine, term->value);

	if (home >= 0 && b->machine->pmus[home].kind == TD_PMU_CORE) {
		event->cpu_pmu = home;
		return 0;
	}
	td_span_error(b->err, &term->span, "cpu=%s: no core type here has this PMU", term->value);
	return td_err_hint(b->err, "-C chooses CPUs by their numbers");
}

/* Can all events have this term? */
static bool is_common(const struct td_term *term)
{
	return td_config_word(term->name) >= 0 ||
	       (strcmp(term->name, "name") == 0 && term->value) ||
	       strcmp(term->name, "metric-id") == 0 || strcmp(term->name, "period") == 0 ||
	       strcmp(term->name, "percore") == 0 || is_cpu(term);
}

/* Add a term for which is_common() is true. */
static int add_common_term(const struct td_building *b, struct td_event *event,
			   const struct td_term *term)
{
	int word = td_config_word(term->name);

	if (word >= 0) {
		if (!term->is_number)
			return no_number(b, term);
		event->config[word] = term->number;
		return 0;
	}
	if (strcmp(term->name, "name") == 0) {
		/* build_name() uses it as the event's name */
		if (td_is_text(term->value))
			return 0;
		return td_span_error(b->err, &term->span, "name: not valid UTF-8");
	}
	if (strcmp(term->name, "metric-id") == 0)
		return 0;
	if (is_cpu(term))
		return set_home(b, event, term);
	if (strcmp(term->name, "period") == 0) {
		if (!term->value || !term->is_number || !term->number || term->number > INT64_MAX)
			return td_span_error(b->err, &term->span,
					     "period: not a number of events, 1 or more");
		event->period = term->number;
		return 0;
	}
	if (term->value && (!term->is_number || term->number > 1))
		return td_span_error(b->err, &term->span, "percore: the value must be 0 or 1");
	event->percore = term->number;
	return 0;
}

static const struct td_alias *find_alias(const struct td_pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_aliases; i++) {
		if (strcasecmp(pmu->aliases[i].name, name) == 0)
			return &pmu->aliases[i];
	}
	return NULL;
}

/* Find the terms of an event name.  sysfs takes precedence over the model's files. */
static int find_named(const struct td_building *b, int pmu, const char *name,
		      const struct td_alias **alias, const char **terms)
{
	const struct td_pmu *p = &b->machine->pmus[pmu];

	*alias = find_alias(p, name);
	*terms = *alias ? (*alias)->terms : NULL;
	return *alias ? 0 : b->source->model_event(b->source->ctx, p, name, terms, b->err);
}

int td_build_knows(struct td_building *b, int pmu, const char *name, bool *known)
{
	const struct td_alias *alias;
	const char *terms;
	int rc = find_named(b, pmu, name, &alias, &terms);

	*known = terms != NULL;
	return rc;
}

int td_build_add_named(const struct td_building *b, struct td_event *event, const char *name)
{
	const struct td_alias *alias;
	const char *terms;
	int rc = find_named(b, event->pmu, name, &alias, &terms);

	if (rc || !terms)
		return rc ?: TD_BUILD_UNUSED;
	if (alias) {
		event->scale = alias->scale;
		if (alias->unit)
			td_event_set_unit(event, alias->unit);
	}
	return td_event_add_terms(event, &b->machine->pmus[event->pmu], terms, b->err);
}

/* Parse the term "r1a", which means config=0x1a.  Returns false for other terms. */
static bool parse_raw_term(const struct td_term *term, uint64_t *config)
{
	char text[40];

	if (term->value || term->name[0] != 'r')
		return false;
	snprintf(text, sizeof(text), "0x%s",
		 term->name + (strncmp(term->name, "r0x", 3) == 0 ? 3 : 1));
	return td_parse_u64(text, UINT64_MAX, config) == 0;
}

static int pack_term(const struct td_building *b, struct td_event *event,
		     const struct td_term *term)
{
	const struct td_pmu *pmu = &b->machine->pmus[event->pmu];
	const struct td_format *format = td_pmu_format(pmu, term->name);
	bool is_flag = !(format->mask & (format->mask - 1));
	int rc;

	if (!term->value && !is_flag)
		return td_span_error(b->err, &term->span, "%s needs a value: %s=...", term->name,
				     term->name);
	if (!term->is_number && term->value)
		return no_number(b, term);
	rc = td_pmu_pack(pmu, format, term->number, event->config, b->bits);
	if (!rc)
		return 0;
	if (rc == -EEXIST)
		return td_span_error(b->err, &term->span, "%s: another term sets the same bits",
				     term->name);
	return td_span_error(b->err, &term->span, "%s=%#" PRIx64 ": too large for its bits",
			     term->name, term->number);
}

/* Find a hardware or cache event of the kernel.  Returns -ENOENT if there is none. */
static int kernel_name(const char *name, uint32_t *type, uint64_t *config)
{
	const struct td_symbol *symbol = td_symbol_find(name);

	*type = PERF_TYPE_HW_CACHE;
	if (!symbol)
		return td_cache_parse(name, config) ? -ENOENT : 0;
	if (symbol->tool || symbol->type != PERF_TYPE_HARDWARE)
		return -ENOENT;
	*type = symbol->type;
	*config = symbol->config;
	return 0;
}

/*
 * Add the kernel's event on this PMU, such as "cpu_core/cycles/" or "cpu_atom/LLC-loads/".  If
 * there are other terms of the PMU (has_bits), use the bits that sysfs has for this name
 * ("cpu-cycles").
 */
static int add_kernel_name(const struct td_building *b, struct td_event *event,
			   const struct td_term *term, bool has_bits)
{
	const struct td_symbol *symbol = td_symbol_find(term->name);
	int rc = TD_BUILD_UNUSED;
	uint64_t config = 0;

	if (!has_bits) {
		kernel_name(term->name, &event->type, &config);
		event->config[0] = td_pmu_config(&b->machine->pmus[event->pmu], config);
		return 0;
	}
	if (symbol && symbol->alias)
		rc = td_build_add_named(b, event, symbol->alias);
	if (rc != TD_BUILD_UNUSED)
		return rc;
	return td_span_error(b->err, &term->span,
			     "%s is a generic event of the kernel: it takes no terms of the PMU",
			     term->name);
}

/* The kinds of terms, in the order in which they take effect. */
enum use {
	/* terms of all events; config= takes effect before the terms that set its bits */
	USE_COMMON,
	USE_RAW,  /* r1a, which means config=0x1a */
	USE_NAME, /* the name of an event in sysfs or the model's files */
	USE_KERNEL_NAME,
	USE_BITS, /* the user's terms of the PMU, which replace bits of a named event */
	NR_USES,
};

static int find_use(const struct td_building *b, int pmu, const struct td_term *term, enum use *use)
{
	const struct td_pmu *p = &b->machine->pmus[pmu];
	const struct td_alias *alias;
	const char *terms = NULL;
	uint64_t config;
	uint32_t type;
	int rc = 0;

	*use = USE_COMMON;
	if (is_common(term))
		return 0;
	if (!term->value)
		rc = find_named(b, pmu, term->name, &alias, &terms);
	if (rc)
		return rc;
	*use = terms ? USE_NAME : USE_BITS;
	if (terms || td_pmu_format(p, term->name))
		return 0;
	if (!term->value && p->kind == TD_PMU_CORE &&
	    kernel_name(term->name, &type, &config) == 0) {
		*use = USE_KERNEL_NAME;
		return 0;
	}
	if (!parse_raw_term(term, &config))
		return no_such_term(b, p, term);
	*use = USE_RAW;
	return 0;
}

static int add_used(const struct td_building *b, struct td_event *event, const struct td_term *term,
		    enum use use, bool has_bits)
{
	switch (use) {
	case USE_COMMON:
		return add_common_term(b, event, term);
	case USE_RAW:
		parse_raw_term(term, &event->config[0]);
		return 0;
	case USE_NAME:
		return td_build_add_named(b, event, term->name);
	case USE_KERNEL_NAME:
		return add_kernel_name(b, event, term, has_bits);
	case USE_BITS:
		return pack_term(b, event, term);
	case NR_USES:
		break;
	}
	return 0;
}

static int add_pmu_terms(struct td_building *b, struct td_event *event, enum use *uses)
{
	const struct td_spec *spec = b->spec;
	int names = 0, bits = 0, rc = 0;

	for (size_t i = 0; !rc && i < spec->nr_terms; i++) {
		rc = find_use(b, event->pmu, &spec->terms[i], &uses[i]);
		names += uses[i] == USE_NAME || uses[i] == USE_KERNEL_NAME;
		bits += uses[i] == USE_BITS || uses[i] == USE_RAW;
		if (!rc && names > 1)
			rc = td_span_error(b->err, &spec->terms[i].span,
					   "a second event: a PMU's slashes can have only one");
	}
	for (int use = 0; use < NR_USES; use++) {
		for (size_t i = 0; !rc && i < spec->nr_terms; i++) {
			if ((int)uses[i] == use)
				rc = add_used(b, event, &spec->terms[i], uses[i], bits > 0);
		}
	}
	return rc;
}

int td_build_add_terms(struct td_building *b, struct td_event *event, bool of_pmu)
{
	const struct td_spec *spec = b->spec;
	td_autofree enum use *uses = td_calloc(spec->nr_terms + 1, sizeof(*uses));
	td_autofree uint64_t *bits =
		td_calloc(b->machine->pmus[event->pmu].nr_formats + 1, sizeof(*bits));
	int rc = 0;

	if (of_pmu) {
		b->bits = bits;
		rc = add_pmu_terms(b, event, uses);
		b->bits = NULL;
		return rc;
	}
	for (size_t i = 0; !rc && i < spec->nr_terms; i++) {
		const struct td_term *term = &spec->terms[i];

		rc = is_common(term) ? add_common_term(b, event, term)
				     : no_such_term(b, NULL, term);
	}
	return rc;
}
