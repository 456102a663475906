// SPDX-License-Identifier: GPL-2.0-only
/* Keys, by which formulas find the events of recordings. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/symbols.h"
#include "metrics/tree/scope.h"

#define MAX_TERMS 32

/* "cmask=1" */
struct field {
	const char *name;
	const char *text; /* NULL: the value is a number */
	uint64_t number;
};

struct fields {
	struct field v[MAX_TERMS];
	size_t nr;
};

/* Sets a field; a later value of the same name replaces the earlier one. */
static void put(struct fields *fields, const struct td_term *term)
{
	struct field field = { term->name,
			       term->is_number || !term->value ? NULL
							       : term->value,
			       term->number };
	size_t i = 0;

	while (i < fields->nr && strcmp(fields->v[i].name, field.name) != 0)
		i++;
	if (i == MAX_TERMS)
		return;
	fields->v[i] = field;
	if (i == fields->nr)
		fields->nr++;
}

static int by_name(const void *a, const void *b)
{
	const struct field *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void print(FILE *fp, struct fields *fields)
{
	if (fields->nr)
		qsort(fields->v, fields->nr, sizeof(*fields->v), by_name);
	for (size_t i = 0; i < fields->nr; i++) {
		const struct field *field = &fields->v[i];

		if (field->text)
			fprintf(fp, ",%s=%s", field->name, field->text);
		else if (field->number)
			fprintf(fp, ",%s=0x%" PRIx64, field->name,
				field->number);
	}
}

/* The parts of one event's text. */
struct parts {
	int pmu;
	const char *event; /* its name; NULL: there are only terms */
	const struct td_spec *spec;
	size_t event_term; /* the term that is the name; nr_terms: none */
};

static bool is_name(const struct td_term *term)
{
	/* other terms that may stand without a value */
	return !term->value && strcmp(term->name, "edge") != 0 &&
	       strcmp(term->name, "inv") != 0 && strcmp(term->name, "any") != 0;
}

/* Is it "cpu-clock" or another event that the kernel counts by itself? */
static bool is_software(const struct td_spec *spec)
{
	const struct td_symbol *symbol =
		spec->slashes ? NULL : td_symbol_find(spec->name);

	return symbol && !symbol->tool && symbol->type == PERF_TYPE_SOFTWARE;
}

static struct parts take_apart(const struct td_machine *machine, int pmu,
			       const struct td_spec *spec)
{
	struct parts parts = { pmu, spec->name, spec, spec->nr_terms };
	int named =
		spec->slashes ? td_machine_find_pmu(machine, spec->name) : -1;

	/* whatever the metric's PMU is */
	if (is_software(spec))
		parts.pmu = td_machine_find_pmu(machine, "software");
	/* a recording without such events does not have that PMU */
	if (parts.pmu < 0)
		parts.pmu = pmu;
	/* in formulas, "cpu" is the only core PMU, or the metric's own */
	if (named < 0 && !(spec->slashes && strcmp(spec->name, "cpu") == 0))
		return parts;
	if (named >= 0)
		parts.pmu = named;
	parts.event = NULL;
	for (size_t i = 0; i < spec->nr_terms && !parts.event; i++) {
		if (!is_name(&spec->terms[i]))
			continue;
		parts.event = spec->terms[i].name;
		parts.event_term = i;
	}
	return parts;
}

/* Prints in lower case, whatever the locale is. */
static void print_lower(FILE *fp, const char *text)
{
	for (; *text; text++) {
		bool upper = *text >= 'A' && *text <= 'Z';

		putc(upper ? *text - 'A' + 'a' : *text, fp);
	}
}

/*
 * Writes the key.  known: the terms of the event in the model's files; may be
 * empty.
 */
static int format(const struct td_machine *machine, const struct parts *parts,
		  const struct td_event_text *known, char **out)
{
	struct fields fields = { .nr = 0 };
	size_t size;
	FILE *fp = open_memstream(out, &size);

	if (!fp)
		return -ENOMEM;
	for (size_t i = 0; known->nr_specs && i < known->specs[0].nr_terms; i++)
		put(&fields, &known->specs[0].terms[i]);
	for (size_t i = 0; i < parts->spec->nr_terms; i++) {
		if (i != parts->event_term)
			put(&fields, &parts->spec->terms[i]);
	}
	fprintf(fp, "%s/", machine->pmus[parts->pmu].name);
	if (parts->event && !known->nr_specs)
		print_lower(fp, parts->event);
	print(fp, &fields);
	fprintf(fp, "/%s", parts->spec->suffix);
	return td_text_close(fp, out);
}

static int find_terms(const struct td_machine *machine,
		      const struct td_event_source *source,
		      const struct parts *parts, char **text,
		      struct td_event_text *known, struct td_err *err)
{
	const char *terms = NULL;
	int rc = 0;

	if (parts->event && source)
		rc = source->model_event(source->ctx,
					 &machine->pmus[parts->pmu],
					 parts->event, &terms, err);
	/* sysfs calls TOPDOWN.SLOTS of the files "slots" */
	if (!rc && !terms && parts->event && strcmp(parts->event, "slots") == 0)
		terms = "umask=0x4";
	if (rc || !terms)
		return rc;
	if (asprintf(text, "x/%s/", terms) < 0) {
		*text = NULL;
		return td_err_nomem(err);
	}
	return td_event_text_parse(known, *text, err);
}

static int write_key(const struct td_machine *machine,
		     const struct td_event_source *source, int pmu,
		     const struct td_spec *spec, char **out, struct td_err *err)
{
	struct parts parts = take_apart(machine, pmu, spec);
	struct td_event_text known = { 0 };
	char *text = NULL;
	int rc = find_terms(machine, source, &parts, &text, &known, err);

	if (!rc && format(machine, &parts, &known, out))
		rc = td_err_nomem(err);
	td_event_text_free(&known);
	free(text);
	return rc;
}

int td_event_key(const struct td_machine *machine,
		 const struct td_event_source *source, int pmu, const char *id,
		 char **out, struct td_err *err)
{
	struct td_event_text typed = { 0 };
	int rc = td_event_text_parse(&typed, id, err);

	*out = NULL;
	if (!rc && typed.nr_specs != 1)
		rc = td_err_set(err, -EINVAL, "%s: not a single event", id);
	if (!rc && typed.specs[0].kind != TD_SPEC_NAME)
		rc = (*out = strdup(id)) ? 0 : td_err_nomem(err);
	else if (!rc)
		rc = write_key(machine, source, pmu, &typed.specs[0], out, err);
	td_event_text_free(&typed);
	return rc;
}
