// SPDX-License-Identifier: GPL-2.0-only
/* --print: shows how events of the -e language are encoded on this machine. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list/encoding.h"
#include "cmd/list/parts.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"

/* --- the terms that define an event --------------------------------------- */

/*
 * Writes the terms of an event that sysfs or the model's files name, or else
 * the name itself.
 */
static int put_named(FILE *fp, struct td_list *list, const struct td_pmu *pmu,
		     const char *name, struct td_err *err)
{
	const struct td_event_source *source = &list->catalog.source;
	const struct td_alias *alias = td_pmu_alias(pmu, name);
	const char *terms = alias ? alias->terms : NULL;
	int rc = 0;

	if (!alias)
		rc = source->model_event(source->ctx, pmu, name, &terms, err);
	fprintf(fp, ",%s", terms ? terms : name);
	return rc;
}

static int put_all_words(FILE *fp, struct td_list *list,
			 const struct td_pmu *pmu, const struct td_spec *spec,
			 struct td_err *err)
{
	int rc = 0;

	if (spec->kind == TD_SPEC_NAME)
		rc = put_named(fp, list, pmu, spec->name, err);
	for (size_t i = 0; !rc && i < spec->nr_terms; i++)
		rc = put_named(fp, list, pmu, spec->terms[i].name, err);
	return rc;
}

/* Makes the list of terms; *out is to be freed even after an error. */
static int make_words(struct td_list *list, const struct td_pmu *pmu,
		      const struct td_spec *spec, char **out,
		      struct td_err *err)
{
	size_t size;
	FILE *fp = open_memstream(out, &size);
	int rc;

	if (!fp)
		return td_err_nomem(err);
	rc = put_all_words(fp, list, pmu, spec, err);
	if (td_text_close(fp, out) && !rc)
		rc = td_err_nomem(err);
	return rc;
}

/* --- events --------------------------------------------------------------- */

static void put_raw(FILE *fp, const struct td_machine *machine,
		    const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];

	if (pmu->kind != TD_PMU_CORE || td_encoding_is_numeric(event) ||
	    event->config[1] || event->config[2] || event->config[3] ||
	    event->percore)
		return;
	/* without a PMU, perf would open it on all kinds of core */
	if (machine->nr_core > 1) {
		fprintf(fp, " %s/r%" PRIx64 "/", pmu->name, event->config[0]);
		td_encoding_put_modifiers(fp, "", &event->mods);
	} else {
		fprintf(fp, " r%" PRIx64, event->config[0]);
		td_encoding_put_modifiers(fp, ":", &event->mods);
	}
}

/*
 * Writes "cpu_core/cycles/", as perf cannot open the event by its number: it
 * takes that for all CPUs and fails on the other kind of core.
 */
static void put_name(FILE *fp, const struct td_machine *machine,
		     const struct td_event *event)
{
	uint64_t id = event->config[0] & UINT32_MAX;
	const struct td_symbol *symbol = td_symbol_of(event->type, id);
	const char *name = symbol ? symbol->name : NULL;
	char buf[64];

	if (machine->nr_core < 2 || event->config[1] || event->percore)
		return;
	if (event->type == PERF_TYPE_HW_CACHE && td_cache_name(id, buf))
		name = buf;
	if (!name || machine->pmus[event->pmu].kind != TD_PMU_CORE)
		return;
	fprintf(fp, " %s/%s/", machine->pmus[event->pmu].name, name);
	td_encoding_put_modifiers(fp, "", &event->mods);
}

static int put_event(FILE *fp, struct td_list *list,
		     const struct td_event *event, const struct td_spec *spec,
		     struct td_err *err)
{
	td_autofree char *words = NULL;
	const struct td_pmu *pmu;
	int rc;

	if (event->refusal)
		return td_err_set(err, -ENOTSUP, "%s", event->refusal);
	/*
	 * breakpoints, and times that tdstat measures itself, stay as they are
	 */
	if (event->tool || event->type == PERF_TYPE_BREAKPOINT) {
		fputs(event->name, fp);
		return 0;
	}
	pmu = &list->machine.pmus[event->pmu];
	rc = make_words(list, pmu, spec, &words, err);
	if (rc)
		return rc;
	td_encoding_put(fp, pmu, pmu->name, event, words);
	td_encoding_put_modifiers(fp, td_encoding_is_numeric(event) ? ":" : "",
				  &event->mods);
	put_raw(fp, &list->machine, event);
	if (td_encoding_is_numeric(event))
		put_name(fp, &list->machine, event);
	return 0;
}

static int put_line(FILE *fp, struct td_list *list,
		    const struct td_event *event, const struct td_spec *spec,
		    struct td_err *err)
{
	td_autofree char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);
	int rc;

	if (!to)
		return td_err_nomem(err);
	rc = put_event(to, list, event, spec, err);
	if (td_text_close(to, &line) && !rc)
		rc = td_err_nomem(err);
	if (rc)
		return rc;
	td_put_printable(fp, line);
	fputc('\n', fp);
	return 0;
}

static int print(FILE *fp, struct td_list *list, const char *typed,
		 struct td_err *err)
{
	struct td_event_text text = { 0 };
	struct td_events events = { 0 };
	int rc = td_event_text_parse(&text, typed, err);

	if (!rc)
		rc = td_event_resolve(&events, &text, &list->machine,
				      &list->catalog.source, &list->notes, err);
	for (size_t i = 0; !rc && i < events.nr; i++) {
		const struct td_event *event = &events.v[i];

		rc = put_line(fp, list, event, &text.specs[event->spec], err);
	}
	td_events_free(&events);
	td_event_text_free(&text);
	return rc;
}

int td_list_print(FILE *fp, struct td_list *list, struct td_err *err)
{
	const struct td_opts *opts = list->opts;
	int rc = td_machine_add_builtin(&list->machine, err);

	for (size_t i = 0; !rc && i < opts->nr_patterns; i++)
		rc = print(fp, list, opts->patterns[i], err);
	return rc;
}
