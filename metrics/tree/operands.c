// SPDX-License-Identifier: GPL-2.0-only
/* Makes operands, one for all formulas that use a name, and finds their events. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdarg.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/event/spec.h"
#include "lib/event/symbols.h"
#include "metrics/tree/scope.h"

static int find_operand(const struct td_scope *scope, const struct td_operand *like,
			const char *name)
{
	for (size_t i = 0; i < scope->tree->nr_operands; i++) {
		const struct td_operand *o = &scope->tree->operands[i];

		if (o->kind == like->kind && o->pmu == like->pmu && o->owner == like->owner &&
		    o->def == like->def && o->scaled == like->scaled && o->beside == like->beside &&
		    o->own_cpus == like->own_cpus && strcmp(o->mods, like->mods) == 0 &&
		    strcmp(o->name, name) == 0)
			return (int)i;
	}
	return -1;
}

static int add_operand(struct td_scope *scope, const struct td_operand *like, const char *name,
		       double value)
{
	struct td_tree *tree = scope->tree;
	struct td_operand *operand;
	double *slot;

	slot = td_array_add(&tree->constants, tree->nr_operands, sizeof(*slot));
	operand = td_array_add(&tree->operands, tree->nr_operands, sizeof(*operand));
	*slot = value;
	*operand = *like;
	operand->name = td_strdup(name);
	return (int)tree->nr_operands++;
}

int td_tree_intern(struct td_scope *scope, const struct td_operand *like, const char *name,
		   double value)
{
	int index = find_operand(scope, like, name);

	return index >= 0 ? index : add_operand(scope, like, name, value);
}

struct td_operand td_tree_new_operand(const struct td_scope *scope, enum td_operand_kind kind)
{
	return (struct td_operand){
		.pmu = scope->pmu,
		.mods = scope->mods,
		.owner = scope->owner,
		.kind = kind,
		.beside = -1,
	};
}

void td_tree_drop(struct td_tree *tree, size_t nr_metrics, size_t nr_operands)
{
	for (size_t i = nr_metrics; i < tree->nr_metrics; i++) {
		struct td_metric *metric = &tree->metrics[i];

		td_expr_free(metric->value);
		td_expr_free(metric->threshold);
		td_ints_free(&metric->events);
		td_ints_free(&metric->extra);
		td_ints_free(&metric->latencies);
		free(metric->name);
	}
	for (size_t i = nr_operands; i < tree->nr_operands; i++) {
		td_ints_free(&tree->operands[i].events);
		free(tree->operands[i].name);
		free(tree->operands[i].refusal);
	}
	tree->nr_metrics = nr_metrics;
	tree->nr_operands = nr_operands;
}

void td_operand_refuse(struct td_operand *operand, const char *fmt, ...)
{
	va_list args;

	if (operand->refusal)
		return;
	va_start(args, fmt);
	td_vasprintf(&operand->refusal, fmt, args);
	va_end(args);
	operand->state = TD_OPERAND_REFUSED;
}

/* Append the events that a text means to found.  Notes are dropped, because this is a formula. */
static int resolve_text(const struct td_scope *scope, const char *text, struct td_events *found,
			struct td_err *why)
{
	struct td_event_text typed = { 0 };
	struct td_notes notes = { 0 };
	int rc = td_event_text_parse(&typed, text, why);

	if (!rc)
		rc = td_event_resolve(found, &typed, scope->setup->machine, scope->setup->source,
				      &notes, why);
	td_event_text_free(&typed);
	td_notes_free(&notes);
	return rc;
}

/* Move an event, without its spec and group, to the end of a list.  Returns its index. */
static int move_to(struct td_events *events, struct td_event *event)
{
	struct td_event *added = td_events_add(events);

	*added = *event;
	added->spec = added->group = -1;
	*event = (struct td_event){ 0 };
	return (int)events->nr - 1;
}

/* Is it "cpu-clock" or another event of the kernel's software? */
static bool is_software(const char *name)
{
	const struct td_symbol *symbol = td_symbol_find(name);

	return symbol && !symbol->tool && symbol->type == PERF_TYPE_SOFTWARE;
}

/* --- retire latencies: from samples, or the means of the files ----------------- */

/* Is it a retire latency ("INST:R", "cpu_core/INST/R")?  Sets name to the event without PMU. */
static bool wants_latency(const char *text, char name[256])
{
	const char *end = strrchr(text, '/'), *start = strchr(text, '/');
	const char *colon = strrchr(text, ':');

	if (end && start != end && strcmp(end, "/R") == 0)
		snprintf(name, 256, "%.*s", (int)(end - start - 1), start + 1);
	else if (!end && colon && strcmp(colon, ":R") == 0)
		snprintf(name, 256, "%.*s", (int)(colon - text), text);
	else
		return false;
	return true;
}

/* Find the mean of a latency in the model's files, or NaN. */
static int find_usual(const struct td_scope *scope, const char *name, double *usual)
{
	struct td_pmu_events *files = scope->setup->files;
	const char *pmu = scope->setup->machine->pmus[scope->pmu].name;
	const struct td_model_event *event = NULL;
	int rc = files ? td_pmu_events_find(files, pmu, name, &event, scope->err) : 0;

	*usual = event ? event->retire_latency : NAN;
	return rc;
}

static void use_usual(struct td_scope *scope, struct td_operand *operand, const char *name,
		      double usual)
{
	if (isnan(usual)) {
		td_operand_refuse(
			operand,
			"it needs the retire latency of %s, which must be sampled (TPEBS), and "
			"the files contain no mean",
			name);
		return;
	}
	operand->kind = TD_OPERAND_CONSTANT;
	scope->tree->constants[operand - scope->tree->operands] = usual;
}

/*
 * Move an event of the scope's PMU from found to the events to sample.  Returns its index, or
 * -ENOENT.
 */
static int move_event(const struct td_scope *scope, struct td_events *found)
{
	struct td_events *sampled = scope->setup->sampled;

	td_for_each(struct td_event, event, found->v, found->nr) {
		if (event->pmu != scope->pmu || event->refusal)
			continue;
		return move_to(sampled, event);
	}
	return -ENOENT;
}

/* Find or add an event to sample.  Returns its index, or -ENOENT if it does not exist. */
static int find_sampled(const struct td_scope *scope, const char *text)
{
	const struct td_events *sampled = scope->setup->sampled;
	struct td_events found = { 0 };
	struct td_err why = { 0 };
	int rc;

	for (size_t i = 0; i < sampled->nr; i++) {
		if (strcmp(sampled->v[i].name, text) == 0)
			return (int)i;
	}
	rc = resolve_text(scope, text, &found, &why) ? -ENOENT : move_event(scope, &found);
	td_events_free(&found);
	return rc;
}

/* Use samples for a latency.  Returns false if it cannot be sampled. */
static bool use_samples(struct td_scope *scope, struct td_operand *operand, const char *name,
			double usual)
{
	const struct td_pmu *pmu = &scope->setup->machine->pmus[scope->pmu];
	struct td_tree *tree = scope->tree;
	struct td_tree_latency *latency;
	int slot = (int)(operand - tree->operands), sampled = -1;
	char text[320];

	if (!scope->setup->latencies || !td_uarch_has(pmu->uarch, TD_CORE_LATENCIES))
		return false;
	snprintf(text, sizeof(text), "%s/%s/", pmu->name, name);
	if (scope->setup->sampled)
		sampled = find_sampled(scope, text);
	if (sampled == -ENOENT)
		return false;
	latency = td_array_add(&tree->latencies, tree->nr_latencies++, sizeof(*latency));
	latency->event = td_strdup(text);
	latency->why = td_aprintf(
		"it needs the retire latency of %s, which had fewer than %d samples (TPEBS), and "
		"the files contain no mean",
		text, TD_MIN_LATENCIES);
	operand->kind = TD_OPERAND_LATENCY;
	latency->operand = slot;
	latency->sampled = sampled;
	latency->usual = tree->constants[slot] = usual;
	return true;
}

/* If the operand is a retire latency, find its samples or its usual value, and set *is. */
static int find_latency(struct td_scope *scope, struct td_operand *operand, bool *is)
{
	char name[256];
	double usual;
	int rc;

	*is = wants_latency(operand->name, name);
	if (!*is)
		return 0;
	rc = find_usual(scope, name, &usual);
	if (!rc && !use_samples(scope, operand, name, usual))
		use_usual(scope, operand, name, usual);
	return rc;
}

/* --- keys, with which formulas find the events of recordings ------------------- */

#define MAX_TERMS 32

/* A term such as "cmask=1". */
struct field {
	const char *name;
	const char *text; /* NULL: the value is a number */
	uint64_t number;
};

struct fields {
	struct field v[MAX_TERMS];
	size_t nr;
};

/* Set a field.  If the name occurs several times, the last value is used. */
static void put(struct fields *fields, const struct td_term *term)
{
	struct field field = { term->name, term->is_number || !term->value ? NULL : term->value,
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
	td_for_each(const struct field, field, fields->v, fields->nr) {
		/* the period of samples does not change counts */
		if (strcmp(field->name, "period") == 0)
			continue;
		if (field->text)
			fprintf(fp, ",%s=%s", field->name, field->text);
		else if (field->number)
			fprintf(fp, ",%s=0x%" PRIx64, field->name, field->number);
	}
}

/* The parts of one event's text. */
struct parts {
	int pmu;
	const char *event; /* its name; NULL: there are only terms */
	const struct td_spec *spec;
	size_t event_term; /* index of the term that is the name of the event; nr_terms: none */
};

static bool is_name(const struct td_term *term)
{
	/* flags are the other terms without a value */
	return !term->value && strcmp(term->name, "edge") != 0 && strcmp(term->name, "inv") != 0 &&
	       strcmp(term->name, "any") != 0;
}

static struct parts split_name(const struct td_machine *machine, int pmu,
			       const struct td_spec *spec)
{
	struct parts parts = { pmu, spec->name, spec, spec->nr_terms };
	int named = spec->slashes ? td_machine_find_pmu(machine, spec->name) : -1;

	if (!spec->slashes && is_software(spec->name))
		parts.pmu = td_machine_find_pmu(machine, "software");
	/* recordings without such events do not contain the PMU */
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

/* Print in lower case, independent of the locale. */
static void print_lower(FILE *fp, const char *text)
{
	for (; *text; text++) {
		bool upper = *text >= 'A' && *text <= 'Z';

		putc(upper ? *text - 'A' + 'a' : *text, fp);
	}
}

/* Return the key of an event.  known has the event's terms in the model's files, if any. */
static char *format(const struct td_machine *machine, const struct parts *parts,
		    const struct td_event_text *known)
{
	const struct td_symbol *symbol = parts->event ? td_symbol_find(parts->event) : NULL;
	char *out;
	struct fields fields = { .nr = 0 };
	size_t size;
	FILE *fp = td_open_memstream(&out, &size);

	for (size_t i = 0; known->nr_specs && i < known->specs[0].nr_terms; i++)
		put(&fields, &known->specs[0].terms[i]);
	for (size_t i = 0; i < parts->spec->nr_terms; i++) {
		if (i != parts->event_term)
			put(&fields, &parts->spec->terms[i]);
	}
	fprintf(fp, "%s/", machine->pmus[parts->pmu].name);
	/* "cpu-cycles" and "cycles" are one event */
	if (parts->event && !known->nr_specs)
		print_lower(fp, symbol ? symbol->name : parts->event);
	print(fp, &fields);
	fprintf(fp, "/%s", parts->spec->suffix);
	td_text_close(fp, &out);
	return out;
}

static int find_terms(const struct td_machine *machine, const struct td_event_source *source,
		      const struct parts *parts, char **text, struct td_event_text *known,
		      struct td_err *err)
{
	const struct td_symbol *symbol = parts->event ? td_symbol_find(parts->event) : NULL;
	const struct td_pmu *pmu = &machine->pmus[parts->pmu];
	const char *terms = NULL;
	int rc = 0;

	if (parts->event && source)
		rc = source->model_event(source->ctx, pmu, parts->event, &terms, err);
	/* "slots" in sysfs is TOPDOWN.SLOTS in the files, "cycles" is CPU_CLK_UNHALTED.CORE */
	if (!rc && !terms && parts->event && strcmp(parts->event, "slots") == 0)
		terms = "umask=0x4";
	else if (!rc && !terms && parts->event && pmu->kind == TD_PMU_CORE)
		terms = td_machine_event_terms(
			machine, pmu, symbol && symbol->alias ? symbol->alias : parts->event);
	if (rc || !terms)
		return rc;
	*text = td_aprintf("x/%s/", terms);
	return td_event_text_parse(known, *text, err);
}

static int write_key(const struct td_machine *machine, const struct td_event_source *source,
		     int pmu, const struct td_spec *spec, char **out, struct td_err *err)
{
	struct parts parts = split_name(machine, pmu, spec);
	struct td_event_text known = { 0 };
	char *text = NULL;
	int rc = find_terms(machine, source, &parts, &text, &known, err);

	if (!rc)
		*out = format(machine, &parts, &known);
	td_event_text_free(&known);
	free(text);
	return rc;
}

/*
 * Write a key that is the same for all spellings of an event: its terms from the model's files,
 * sorted and without zeros, or else its name in lower case.  Keys are needed because recordings
 * do not contain the bits of events.  pmu is used if the name does not contain one.  Free *out
 * even after an error.
 */
static int event_key(const struct td_machine *machine, const struct td_event_source *source,
		     int pmu, const char *id, char **out, struct td_err *err)
{
	struct td_event_text typed = { 0 };
	int rc = td_event_text_parse(&typed, id, err);

	*out = NULL;
	if (!rc && typed.nr_specs != 1)
		rc = td_err_set(err, -EINVAL, "%s: not a single event", id);
	if (!rc && typed.specs[0].kind != TD_SPEC_NAME) {
		*out = td_strdup(id);
	} else if (!rc)
		rc = write_key(machine, source, pmu, &typed.specs[0], out, err);
	td_event_text_free(&typed);
	return rc;
}

static const struct td_pmu *own_pmu(const struct td_scope *scope)
{
	return &scope->setup->machine->pmus[scope->pmu];
}

/* --- built-in events ------------------------------------------------------ */

/* Is it the PMU's event called id, with mods: "cpu_core/slots/"? */
static bool is_named(const struct td_event *event, const struct td_pmu *pmu, const char *id,
		     const char *mods)
{
	size_t len = strlen(pmu->name), id_len = strlen(id);
	const char *rest = event->name + len + 1;

	return strncmp(event->name, pmu->name, len) == 0 && event->name[len] == '/' &&
	       strncmp(rest, id, id_len) == 0 && rest[id_len] == '/' &&
	       strcmp(rest + id_len + 1, mods) == 0;
}

static int find_named(const struct td_scope *scope, const char *id)
{
	for (size_t i = 0; i < scope->events->nr; i++) {
		if (is_named(&scope->events->v[i], own_pmu(scope), id, scope->mods))
			return (int)i;
	}
	return -1;
}

/* Add the metric's modifiers to the event and its name. */
static void add_modifiers(const struct td_scope *scope, struct td_event *event)
{
	char *name;

	if (!*scope->mods)
		return;
	for (const char *letter = scope->mods; *letter; letter++)
		td_modifiers_add(&event->mods, *letter);
	name = td_aprintf("%s%s", event->name, scope->mods);
	free(event->name);
	event->name = name;
	event->has_suffix = true;
}

static int add_builtin(struct td_scope *scope, struct td_operand *operand)
{
	const struct td_event_def *def = operand->event;
	struct td_events *events = scope->events;
	int index = find_named(scope, def->name);
	struct td_event *event;
	int rc;

	operand->scaled = true;
	/* recordings of the files' metrics have the files' name */
	if (index < 0 && scope->setup->fixed && strcmp(def->name, "slots") == 0)
		index = find_named(scope, "TOPDOWN.SLOTS");
	if (index >= 0) {
		td_ints_add(&operand->events, index);
		return 0;
	}
	if (scope->setup->fixed || scope->no_new) {
		td_operand_refuse(operand, "%s was not counted", def->name);
		return 0;
	}
	event = td_events_add(events);
	rc = td_event_init(event, own_pmu(scope), scope->pmu, def->name, def->terms, scope->err);
	if (rc)
		return rc;
	add_modifiers(scope, event);
	td_ints_add(&operand->events, (int)events->nr - 1);
	return 0;
}

/* --- events that are called by name --------------------------------------- */

/* Does the metric's own PMU have an event of this name? */
static int is_own(struct td_scope *scope, const char *name, bool *own)
{
	const struct td_event_source *source = scope->setup->source;
	const char *terms = NULL;
	int rc = 0;

	*own = td_pmu_has_event(own_pmu(scope), name);
	if (!*own && source)
		rc = source->model_event(source->ctx, own_pmu(scope), name, &terms, scope->err);
	*own = *own || terms;
	return rc;
}

/* Does every kernel know this name of an event? */
static bool is_generic(const char *name)
{
	return td_symbol_find(name) || td_cache_parse(name, &(uint64_t){ 0 }) == 0;
}

/* Return the text of an event that is not in a PMU's list, such as "branches:u". */
static char *write_generic(const char *name, const char *mods)
{
	return td_aprintf("%s%s%s", name, *mods ? ":" : "", mods);
}

/* Write "INST_RETIRED.ANY:k" as "cpu_core/INST_RETIRED.ANY/k". */
static int write_bare(struct td_scope *scope, const char *id, char **text)
{
	const char *colon = strrchr(id, ':');
	td_autofree char *name = td_strndup(id, colon ? (size_t)(colon - id) : strlen(id));
	const char *mods = colon ? colon + 1 : scope->mods;
	bool own = false;
	int rc = is_own(scope, name, &own);

	if (rc)
		return rc;
	if (own)
		*text = td_aprintf("%s/%s/%s", own_pmu(scope)->name, name, mods);
	else if (strcasecmp(id, "tsc") == 0)
		*text = td_strdup("msr/tsc/");
	else
		*text = write_generic(id, colon || !is_generic(id) ? "" : mods);
	return 0;
}

/*
 * Return "cpu-clock" for "software/cpu-clock,name=cpu-clock/", which is how the kernel's files
 * write it; NULL for events that are not software events.  The caller frees it.
 */
static char *software_name(const char *id)
{
	static const char pmu[] = "software/";
	const char *name = id + strlen(pmu);
	char *copy;

	if (strncmp(id, pmu, strlen(pmu)) != 0)
		return NULL;
	copy = td_strndup(name, strcspn(name, ",/"));
	if (is_software(copy))
		return copy;
	free(copy);
	return NULL;
}

/* Return "cpu_core/event=0x24/" and the modifiers for "cpu/event=0x24/". */
static char *write_slashed(const struct td_scope *scope, const char *id)
{
	td_autofree char *software = software_name(id);
	const char *pmu = own_pmu(scope)->name;
	size_t len = strlen(pmu);
	bool generic = strncmp(id, "cpu/", 4) == 0;
	bool own = generic || (strncmp(id, pmu, len) == 0 && id[len] == '/');
	bool bare = id[strlen(id) - 1] == '/';

	if (software)
		return write_generic(software, bare ? scope->mods : "");
	return td_aprintf("%s%s%s", generic ? pmu : "", generic ? id + 3 : id,
			  own && bare ? scope->mods : "");
}

/*
 * Restrict an event that the kernel counts on all CPUs to the metric's core type:
 * "msr/aperf,cpu=cpu_core/", "context-switches/cpu=cpu_core/".  Returns NULL for other events, and
 * for events with a cpu= of their own.
 */
static char *write_home(const struct td_scope *scope, const char *text)
{
	const char *pmu = own_pmu(scope)->name, *last = strrchr(text, '/');
	size_t len = strcspn(text, "/:");
	td_autofree char *name = td_strndup(text, len);

	if (last && td_pmu_kind(name) == TD_PMU_SOFTWARE && !strstr(text, ",cpu="))
		return td_aprintf("%.*s,cpu=%s%s", (int)(last - text), text, pmu, last);
	if (!last && is_software(name))
		return td_aprintf("%s/cpu=%s/%s", name, pmu, text + len + (text[len] == ':'));
	return NULL;
}

bool td_tree_same_rings(const struct td_modifiers *a, const struct td_modifiers *b)
{
	return td_modifiers_same_rings(a, b) && a->precise == b->precise;
}

static bool same_event(const struct td_event *a, const struct td_event *b)
{
	return a->pmu == b->pmu && a->cpu_pmu == b->cpu_pmu && a->type == b->type &&
	       memcmp(a->config, b->config, sizeof(a->config)) == 0 &&
	       td_tree_same_rings(&a->mods, &b->mods);
}

static bool is_topdown(const struct td_scope *scope, const struct td_event *event)
{
	return td_pmu_has_slots(&scope->setup->machine->pmus[event->pmu]) &&
	       (td_event_is_slots(event) || td_event_is_metric(event));
}

/* Find the same event in the list; -1: none, or it must not be shared. */
static int find_same(const struct td_scope *scope, const struct td_event *event)
{
	const struct td_events *events = scope->events;

	if (scope->owner >= 0 && !is_topdown(scope, event))
		return -1;
	for (size_t i = 0; i < events->nr; i++) {
		if (same_event(&events->v[i], event))
			return (int)i;
	}
	return -1;
}

/* Add the event to the operand, and to the list if it is new. */
static void add_event(struct td_scope *scope, struct td_operand *operand, struct td_event *event)
{
	int index = find_same(scope, event);

	if (index < 0 && scope->no_new) {
		td_operand_refuse(operand, "%s is not counted", event->name);
		return;
	}
	if (index < 0)
		index = move_to(scope->events, event);
	if (!td_ints_has(&operand->events, index))
		td_ints_add(&operand->events, index);
}

static void add_live(struct td_scope *scope, struct td_operand *operand, struct td_events *found)
{
	td_for_each(struct td_event, event, found->v, found->nr) {
		/* events of other core types are not for this metric */
		if (event->pmu < (int)scope->setup->machine->nr_core && event->pmu != scope->pmu)
			continue;
		if (event->refusal)
			td_operand_refuse(operand, "%s", event->refusal);
		else
			add_event(scope, operand, event);
	}
	if (!operand->events.nr && !operand->refusal)
		td_operand_refuse(operand, "%s has no %s", own_pmu(scope)->name, operand->name);
}

/* Find the events of the machine; an error becomes the operand's refusal. */
static void find_live(struct td_scope *scope, struct td_operand *operand, const char *text)
{
	struct td_events found = { 0 };
	struct td_err why = { 0 };

	if (resolve_text(scope, text, &found, &why))
		td_operand_refuse(operand, "%s: %s", text, why.msg);
	else if (!operand->refusal)
		add_live(scope, operand, &found);
	td_events_free(&found);
}

/* --- recorded events ------------------------------------------------------ */

/* Make the keys of all events, except names that cannot be parsed: no formula can mean these. */
static void make_keys(struct td_scope *scope)
{
	const struct td_events *events = scope->events;

	if (scope->keys)
		return;
	scope->keys = td_calloc(events->nr + 1, sizeof(char *));
	for (size_t i = 0; i < events->nr; i++)
		event_key(scope->setup->machine, scope->setup->source, events->v[i].pmu,
			  events->v[i].name, &scope->keys[i], scope->err);
}

/* Add the recorded events of the text on a PMU or, for an uncore, on one unit. */
static void add_recorded(struct td_scope *scope, struct td_operand *operand, const char *text,
			 int pmu)
{
	td_autofree char *key = NULL;
	struct td_err why = { 0 };
	int rc = event_key(scope->setup->machine, scope->setup->source, pmu, text, &key, &why);

	for (size_t i = 0; !rc && i < scope->events->nr; i++) {
		if (!scope->keys[i] || strcmp(scope->keys[i], key) != 0)
			continue;
		/* use the first of the clones in several groups */
		if (!td_ints_has(&operand->events, (int)i))
			td_ints_add(&operand->events, (int)i);
		return;
	}
}

static void add_all_recorded(struct td_scope *scope, struct td_operand *operand, const char *text)
{
	const struct td_machine *machine = scope->setup->machine;

	add_recorded(scope, operand, text, scope->pmu);
	/* if the core's PMU did not count it, sum the units */
	for (size_t i = machine->nr_core; i < machine->nr_pmus; i++) {
		if (!operand->events.nr ||
		    scope->events->v[operand->events.v[0]].pmu >= (int)machine->nr_core)
			add_recorded(scope, operand, text, (int)i);
	}
}

/* Find the recorded events of home (NULL: none).  If there are none, find the events of text. */
static void find_recorded(struct td_scope *scope, struct td_operand *operand, const char *text,
			  const char *home)
{
	make_keys(scope);
	if (home)
		add_all_recorded(scope, operand, home);
	/* older recordings, and recordings of perf, contain counts of all CPUs */
	if (!operand->events.nr)
		add_all_recorded(scope, operand, text);
	if (!operand->events.nr)
		td_operand_refuse(operand, "%s was not recorded", operand->name);
}

int td_tree_find_events(struct td_scope *scope, struct td_operand *operand)
{
	td_autofree char *text = NULL, *home = NULL;
	bool done;
	int rc;

	if (operand->event)
		return add_builtin(scope, operand);
	rc = find_latency(scope, operand, &done);
	if (rc || done)
		return rc;
	if (strchr(operand->name, '/'))
		text = write_slashed(scope, operand->name);
	else
		rc = write_bare(scope, operand->name, &text);
	if (rc)
		return rc;
	if (operand->own_cpus)
		home = write_home(scope, text);
	if (scope->setup->fixed)
		find_recorded(scope, operand, text, home);
	else
		find_live(scope, operand, home ? home : text);
	return 0;
}

/* --- properties that metrics inherit from their operands ------------------------- */

/* A metric whose operands are visited. */
struct needing {
	struct td_tree *tree;
	struct td_metric *metric;
	const int *metrics; /* for each operand, the index of the metric that it is, or -1 */
};

static bool is_known(void *ctx, int slot)
{
	const struct needing *needing = ctx;

	return needing->tree->operands[slot].kind == TD_OPERAND_CONSTANT;
}

static void need(struct needing *needing, int latency)
{
	struct td_ints *latencies = &needing->metric->latencies;

	if (!td_ints_has(latencies, latency))
		td_ints_add(latencies, latency);
	needing->tree->latencies[latency].used = true;
}

static void inherit_latencies(void *ctx, int slot)
{
	struct needing *needing = ctx;
	const struct td_tree *tree = needing->tree;
	int metric = needing->metrics[slot];

	for (size_t i = 0; i < tree->nr_latencies; i++) {
		if (tree->latencies[i].operand == slot)
			need(needing, (int)i);
	}
	for (size_t i = 0; metric >= 0 && i < tree->metrics[metric].latencies.nr; i++)
		need(needing, tree->metrics[metric].latencies.v[i]);
}

/* Visit each operand that a metric needs; metrics come after their operands. */
static void visit_needed(struct td_tree *tree, void (*visit)(void *ctx, int slot))
{
	td_autofree int *metrics = td_malloc((tree->nr_operands + 1) * sizeof(*metrics));
	struct needing needing = { .tree = tree, .metrics = metrics };

	for (size_t i = 0; i < tree->nr_operands; i++)
		metrics[i] = -1;
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		needing.metric = &tree->metrics[i];
		if (needing.metric->value)
			td_expr_each_needed(needing.metric->value, tree->constants, is_known, visit,
					    &needing);
		metrics[needing.metric->slot] = (int)i;
	}
}

void td_tree_spread_latencies(struct td_tree *tree)
{
	if (tree->nr_latencies)
		visit_needed(tree, inherit_latencies);
}

static void inherit_halved(void *ctx, int slot)
{
	struct needing *needing = ctx;
	int metric = needing->metrics[slot];

	needing->metric->halved |= metric >= 0 && needing->tree->metrics[metric].halved;
}

void td_tree_find_halved(struct td_tree *tree, const struct td_literals *literals)
{
	if (!(literals->smt_on > 0) || literals->core_wide > 0)
		return;
	for (size_t i = 0; i < tree->nr_metrics; i++)
		tree->metrics[i].halved = strcasestr(tree->metrics[i].def->formula, "#core_wide");
	visit_needed(tree, inherit_halved);
}

void td_tree_set_latencies(const struct td_tree *tree, const struct td_latencies *latencies)
{
	td_for_each(const struct td_tree_latency, latency, tree->latencies, tree->nr_latencies) {
		double mean = td_latency_mean(td_latencies_find(latencies, latency->event));

		tree->constants[latency->operand] = isnan(mean) ? latency->usual : mean;
	}
}

const char *td_tree_latency_gap(const struct td_tree *tree, const struct td_metric *metric)
{
	for (size_t i = 0; i < metric->latencies.nr; i++) {
		const struct td_tree_latency *latency = &tree->latencies[metric->latencies.v[i]];

		if (isnan(tree->constants[latency->operand]))
			return latency->why;
	}
	return NULL;
}
