// SPDX-License-Identifier: GPL-2.0-only
/* Finds the events that a name in a formula means. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/event/symbols.h"
#include "metrics/tree/scope.h"

static const struct td_pmu *own_pmu(const struct td_scope *scope)
{
	return &scope->setup->machine->pmus[scope->pmu];
}

/* --- built-in events ------------------------------------------------------ */

/* Is this the PMU's event called id, with mods: "cpu_core/slots/"? */
static bool is_named(const struct td_event *event, const struct td_pmu *pmu,
		     const char *id, const char *mods)
{
	size_t len = strlen(pmu->name), id_len = strlen(id);
	const char *rest = event->name + len + 1;

	return strncmp(event->name, pmu->name, len) == 0 &&
	       event->name[len] == '/' && strncmp(rest, id, id_len) == 0 &&
	       rest[id_len] == '/' && strcmp(rest + id_len + 1, mods) == 0;
}

static int find_named(const struct td_scope *scope, const char *id)
{
	for (size_t i = 0; i < scope->events->nr; i++) {
		if (is_named(&scope->events->v[i], own_pmu(scope), id,
			     scope->mods))
			return (int)i;
	}
	return -1;
}

/* Adds the metric's modifiers to the event and its name. */
static int add_modifiers(const struct td_scope *scope, struct td_event *event)
{
	char *name;

	if (!*scope->mods)
		return 0;
	for (const char *letter = scope->mods; *letter; letter++)
		td_modifiers_add(&event->mods, *letter);
	if (asprintf(&name, "%s%s", event->name, scope->mods) < 0)
		return td_err_nomem(scope->err);
	free(event->name);
	event->name = name;
	event->has_suffix = true;
	return 0;
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
	if (index >= 0)
		return td_ints_add(&operand->events, index);
	if (scope->setup->fixed || scope->no_new)
		return td_operand_refuse(operand, "%s was not counted",
					 def->name);
	event = td_events_add(events);
	if (!event)
		return td_err_nomem(scope->err);
	rc = td_event_init(event, own_pmu(scope), scope->pmu, def->name,
			   def->terms, scope->err);
	if (!rc)
		rc = add_modifiers(scope, event);
	return rc ? rc : td_ints_add(&operand->events, (int)events->nr - 1);
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
		rc = source->model_event(source->ctx, own_pmu(scope), name,
					 &terms, scope->err);
	*own = *own || terms;
	return rc;
}

/* Has the event a name that every kernel knows? */
static bool is_generic(const char *name)
{
	return td_symbol_find(name) ||
	       td_cache_parse(name, &(uint64_t){ 0 }) == 0;
}

/* Writes an event that belongs to no PMU's list: "branches:u". */
static int write_generic(const char *name, const char *mods, char **text)
{
	return asprintf(text, "%s%s%s", name, *mods ? ":" : "", mods);
}

/* "INST_RETIRED.ANY:k" becomes "cpu_core/INST_RETIRED.ANY/k". */
static int write_bare(struct td_scope *scope, const char *id, char **text)
{
	const char *colon = strrchr(id, ':');
	td_autofree char *name =
		strndup(id, colon ? (size_t)(colon - id) : strlen(id));
	const char *mods = colon ? colon + 1 : scope->mods;
	bool own = false;
	int rc = name ? is_own(scope, name, &own) : -ENOMEM;

	if (rc)
		return rc;
	if (own)
		rc = asprintf(text, "%s/%s/%s", own_pmu(scope)->name, name,
			      mods);
	else if (strcasecmp(id, "tsc") == 0)
		rc = asprintf(text, "msr/tsc/");
	else
		rc = write_generic(id, colon || !is_generic(id) ? "" : mods,
				   text);
	return rc < 0 ? -ENOMEM : 0;
}

/*
 * The kernel's files write "software/cpu-clock,name=cpu-clock/" for cpu-clock;
 * returns the name, to be freed, or NULL for any other event.
 */
static char *software_name(const char *id)
{
	static const char pmu[] = "software/";
	const char *name = id + strlen(pmu);
	const struct td_symbol *symbol;
	char *copy;

	if (strncmp(id, pmu, strlen(pmu)) != 0)
		return NULL;
	copy = strndup(name, strcspn(name, ",/"));
	symbol = copy ? td_symbol_find(copy) : NULL;
	if (symbol && !symbol->tool && symbol->type == PERF_TYPE_SOFTWARE)
		return copy;
	free(copy);
	return NULL;
}

/*
 * Writes an event with slashes: "cpu/event=0x24/" becomes
 * "cpu_core/event=0x24/", with the metric's modifiers.
 */
static int write_slashed(const struct td_scope *scope, const char *id,
			 char **text)
{
	td_autofree char *software = software_name(id);
	const char *pmu = own_pmu(scope)->name;
	size_t len = strlen(pmu);
	bool generic = strncmp(id, "cpu/", 4) == 0;
	bool own = generic || (strncmp(id, pmu, len) == 0 && id[len] == '/');
	bool bare = id[strlen(id) - 1] == '/';

	if (software)
		return write_generic(software, bare ? scope->mods : "", text) <
				       0
			       ? -ENOMEM
			       : 0;
	return asprintf(text, "%s%s%s", generic ? pmu : "",
			generic ? id + 3 : id,
			own && bare ? scope->mods : "") < 0
		       ? -ENOMEM
		       : 0;
}

/*
 * What the kernel counts on all CPUs, on those of the metric's kind of core:
 * "msr/aperf,cpu=cpu_core/", "context-switches/cpu=cpu_core/".  *home: NULL if it is
 * another event, or has such a term.
 */
static int write_home(const struct td_scope *scope, const char *text,
		      char **home)
{
	const char *pmu = own_pmu(scope)->name, *last = strrchr(text, '/');
	size_t len = strcspn(text, "/:");
	td_autofree char *name = strndup(text, len);
	const struct td_symbol *symbol = name ? td_symbol_find(name) : NULL;
	int rc = 0;

	*home = NULL;
	if (!name)
		return td_err_nomem(scope->err);
	if (last && td_pmu_kind(name) == TD_PMU_SOFTWARE &&
	    !strstr(text, ",cpu="))
		rc = asprintf(home, "%.*s,cpu=%s%s", (int)(last - text), text,
			      pmu, last);
	else if (!last && symbol && !symbol->tool &&
		 symbol->type == PERF_TYPE_SOFTWARE)
		rc = asprintf(home, "%s/cpu=%s/%s", name, pmu,
			      text + len + (text[len] == ':'));
	if (rc >= 0)
		return 0;
	*home = NULL;
	return td_err_nomem(scope->err);
}

/* Writes an event as -e takes it; *text is to be freed even after an error. */
static int write_text(struct td_scope *scope, const char *id, char **text)
{
	int rc;

	*text = NULL;
	rc = strchr(id, '/') ? write_slashed(scope, id, text)
			     : write_bare(scope, id, text);
	if (rc == -ENOMEM) {
		*text = NULL;
		return td_err_nomem(scope->err);
	}
	return rc;
}

bool td_tree_same_rings(const struct td_modifiers *a,
			const struct td_modifiers *b)
{
	return td_modifiers_same_rings(a, b) && a->precise == b->precise;
}

static bool same_event(const struct td_event *a, const struct td_event *b)
{
	return a->pmu == b->pmu && a->home == b->home && a->type == b->type &&
	       memcmp(a->config, b->config, sizeof(a->config)) == 0 &&
	       td_tree_same_rings(&a->mods, &b->mods);
}

static bool is_topdown(const struct td_scope *scope,
		       const struct td_event *event)
{
	return td_pmu_has_slots(&scope->setup->machine->pmus[event->pmu]) &&
	       (td_event_is_slots(event) || td_event_is_metric(event));
}

/* The same event in the list; -1: none, or it must not be shared. */
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

/* Gives the operand the event, which is added to the list if it is new. */
static int take(struct td_scope *scope, struct td_operand *operand,
		struct td_event *event)
{
	struct td_events *events = scope->events;
	int index = find_same(scope, event);
	struct td_event *added = NULL;

	if (index < 0 && !scope->no_new)
		added = td_events_add(events);
	if (index < 0 && !scope->no_new && !added)
		return -ENOMEM;
	if (added) {
		index = (int)events->nr - 1;
		*added = *event;
		added->spec = added->group = -1;
		*event = (struct td_event){ 0 };
	}
	if (index < 0)
		return td_operand_refuse(operand, "%s is not counted",
					 event->name);
	return td_ints_has(&operand->events, index)
		       ? 0
		       : td_ints_add(&operand->events, index);
}

static int take_all(struct td_scope *scope, struct td_operand *operand,
		    struct td_events *found)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < found->nr; i++) {
		struct td_event *event = &found->v[i];

		/*
		 * the event exists on the other kind of core, too: not for this
		 * metric
		 */
		if (event->pmu < (int)scope->setup->machine->nr_core &&
		    event->pmu != scope->pmu)
			continue;
		if (event->refusal)
			rc = td_operand_refuse(operand, "%s", event->refusal);
		else
			rc = take(scope, operand, event);
	}
	if (!rc && !operand->events.nr && !operand->refusal)
		rc = td_operand_refuse(operand, "%s has no %s",
				       own_pmu(scope)->name, operand->name);
	return rc;
}

/* Appends to found; an error becomes the operand's refusal. */
static int resolve(struct td_scope *scope, struct td_operand *operand,
		   const char *text, struct td_events *found)
{
	struct td_err why = { 0 };
	int rc = td_tree_resolve(scope, text, found, &why);

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		return td_operand_refuse(operand, "%s: %s", text, why.msg);
	return rc;
}

static int find_live(struct td_scope *scope, struct td_operand *operand,
		     const char *text)
{
	struct td_events found = { 0 };
	int rc = resolve(scope, operand, text, &found);

	if (!rc && !operand->refusal)
		rc = take_all(scope, operand, &found);
	td_events_free(&found);
	return rc;
}

/* --- recorded events ------------------------------------------------------ */

static int make_keys(struct td_scope *scope)
{
	const struct td_events *events = scope->events;
	int rc = 0;

	if (scope->keys)
		return 0;
	scope->keys = calloc(events->nr + 1, sizeof(char *));
	if (!scope->keys)
		return td_err_nomem(scope->err);
	for (size_t i = 0; !rc && i < events->nr; i++) {
		rc = td_event_key(scope->setup->machine, scope->setup->source,
				  events->v[i].pmu, events->v[i].name,
				  &scope->keys[i], scope->err);
		/* no formula can mean a name that cannot be parsed */
		if (rc != -ENOMEM)
			rc = 0;
	}
	return rc;
}

/* Adds what was recorded of the text on a PMU or, of an uncore, on one unit. */
static int add_recorded(struct td_scope *scope, struct td_operand *operand,
			const char *text, int pmu)
{
	td_autofree char *key = NULL;
	struct td_err why = { 0 };
	int rc = td_event_key(scope->setup->machine, scope->setup->source, pmu,
			      text, &key, &why);

	for (size_t i = 0; !rc && i < scope->events->nr; i++) {
		if (!scope->keys[i] || strcmp(scope->keys[i], key) != 0)
			continue;
		/*
		 * an event may be in several groups (clones): the first is used
		 */
		return td_ints_has(&operand->events, (int)i)
			       ? 0
			       : td_ints_add(&operand->events, (int)i);
	}
	return rc == -ENOMEM ? rc : 0;
}

static int add_all_recorded(struct td_scope *scope, struct td_operand *operand,
			    const char *text)
{
	const struct td_machine *machine = scope->setup->machine;
	int rc = add_recorded(scope, operand, text, scope->pmu);

	/* nothing of it on the core's PMU: on units, whose counts add up */
	for (size_t i = machine->nr_core; !rc && i < machine->nr_pmus; i++) {
		if (!operand->events.nr ||
		    scope->events->v[operand->events.v[0]].pmu >=
			    (int)machine->nr_core)
			rc = add_recorded(scope, operand, text, (int)i);
	}
	return rc;
}

/* home may be NULL: there is no such event. */
static int find_recorded(struct td_scope *scope, struct td_operand *operand,
			 const char *text, const char *home)
{
	int rc = make_keys(scope);

	if (!rc && home)
		rc = add_all_recorded(scope, operand, home);
	/* older recordings, and perf's, have counts of all CPUs */
	if (!rc && !operand->events.nr)
		rc = add_all_recorded(scope, operand, text);
	if (rc == -ENOMEM)
		return td_err_nomem(scope->err);
	if (!operand->events.nr)
		return td_operand_refuse(operand, "%s was not recorded",
					 operand->name);
	return 0;
}

int td_tree_find_events(struct td_scope *scope, struct td_operand *operand)
{
	td_autofree char *text = NULL, *home = NULL;
	bool done;
	int rc;

	if (operand->event)
		return add_builtin(scope, operand);
	rc = td_tree_find_latency(scope, operand, &done);
	if (rc || done)
		return rc;
	rc = write_text(scope, operand->name, &text);
	if (!rc && text && operand->own_cpus)
		rc = write_home(scope, text, &home);
	if (rc)
		return rc;
	return scope->setup->fixed
		       ? find_recorded(scope, operand, text, home)
		       : find_live(scope, operand, home ? home : text);
}
