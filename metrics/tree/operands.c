// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operands: each one exists once, however many formulas name it.  Retire latencies
 * are those that samples tell, or the means of the files.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/spec.h"
#include "metrics/tree/scope.h"

static int find_operand(const struct td_scope *scope,
			const struct td_operand *like, const char *name)
{
	for (size_t i = 0; i < scope->tree->nr_operands; i++) {
		const struct td_operand *o = &scope->tree->operands[i];

		if (o->kind == like->kind && o->pmu == like->pmu &&
		    o->owner == like->owner && o->def == like->def &&
		    o->scaled == like->scaled && o->beside == like->beside &&
		    o->own_cpus == like->own_cpus &&
		    strcmp(o->mods, like->mods) == 0 &&
		    strcmp(o->name, name) == 0)
			return (int)i;
	}
	return -1;
}

static int add_operand(struct td_scope *scope, const struct td_operand *like,
		       const char *name, double value)
{
	struct td_tree *tree = scope->tree;
	struct td_operand *operand;
	double *slot;

	slot = td_array_add(&tree->constants, tree->nr_operands, sizeof(*slot));
	operand = td_array_add(&tree->operands, tree->nr_operands,
			       sizeof(*operand));
	if (!operand || !slot)
		return td_err_nomem(scope->err);
	*slot = value;
	*operand = *like;
	operand->name = strdup(name);
	if (!operand->name)
		return td_err_nomem(scope->err);
	return (int)tree->nr_operands++;
}

int td_tree_intern(struct td_scope *scope, const struct td_operand *like,
		   const char *name, double value)
{
	int index = find_operand(scope, like, name);

	return index >= 0 ? index : add_operand(scope, like, name, value);
}

struct td_operand td_tree_new_operand(const struct td_scope *scope,
				      enum td_operand_kind kind)
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

int td_operand_refuse(struct td_operand *operand, const char *fmt, ...)
{
	va_list args;
	int rc;

	if (operand->refusal)
		return 0;
	va_start(args, fmt);
	rc = vasprintf(&operand->refusal, fmt, args);
	va_end(args);
	operand->state = TD_OPERAND_REFUSED;
	if (rc >= 0)
		return 0;
	operand->refusal = NULL;
	return -ENOMEM;
}

/* What a user would be told of a typed event does not matter in a formula. */
int td_tree_resolve(const struct td_scope *scope, const char *text,
		    struct td_events *found, struct td_err *why)
{
	struct td_event_text typed = { 0 };
	struct td_notes notes = { 0 };
	int rc = td_event_text_parse(&typed, text, why);

	if (!rc)
		rc = td_event_resolve(found, &typed, scope->setup->machine,
				      scope->setup->source, &notes, why);
	td_event_text_free(&typed);
	td_notes_free(&notes);
	return rc == -ENOMEM ? td_err_nomem(scope->err) : rc;
}

/* --- names of retire latencies -------------------------------------------- */

/*
 * Does the text ask for a retire latency: "INST:R", "cpu_core/INST/R"?  Then
 * name is the event without PMU.
 */
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

/* The mean of the model's files, or NaN. */
static int find_usual(const struct td_scope *scope, const char *name,
		      double *usual)
{
	struct td_pmu_events *files = scope->setup->files;
	const char *pmu = scope->setup->machine->pmus[scope->pmu].name;
	const struct td_model_event *event = NULL;
	int rc =
		files ? td_pmu_events_find(files, pmu, name, &event, scope->err)
		      : 0;

	*usual = event ? event->retire_latency : NAN;
	return rc;
}

/* --- retire latencies from the files only --------------------------------- */

static int take_usual(struct td_scope *scope, struct td_operand *operand,
		      const char *name, double usual)
{
	if (isnan(usual))
		return td_operand_refuse(operand,
					 "it needs the retire latency of %s, "
					 "which takes samples (TPEBS), and the "
					 "files have no mean of it",
					 name);
	operand->kind = TD_OPERAND_CONSTANT;
	scope->tree->constants[operand - scope->tree->operands] = usual;
	return 0;
}

/* --- retire latencies from samples ---------------------------------------- */

/* Moves the event of the PMU to the list of those to sample. */
static int move_event(const struct td_scope *scope, struct td_events *found)
{
	struct td_events *sampled = scope->setup->sampled;

	for (size_t i = 0; i < found->nr; i++) {
		struct td_event *event = &found->v[i], *added;

		if (event->pmu != scope->pmu || event->refusal)
			continue;
		added = td_events_add(sampled);
		if (!added)
			return -ENOMEM;
		*added = *event;
		added->spec = added->group = -1;
		*event = (struct td_event){ 0 };
		return (int)sampled->nr - 1;
	}
	return -ENOENT;
}

/* The event among those to sample, where it is added; -ENOENT: there is none. */
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
	rc = td_tree_resolve(scope, text, &found, &why);
	if (!rc)
		rc = move_event(scope, &found);
	else if (rc != -ENOMEM)
		rc = -ENOENT;
	td_events_free(&found);
	return rc;
}

static struct td_tree_latency *add_latency(struct td_tree *tree,
					   const char *event)
{
	struct td_tree_latency *latency = td_array_add(
		&tree->latencies, tree->nr_latencies, sizeof(*latency));

	if (!latency)
		return NULL;
	latency->event = strdup(event);
	if (!latency->event ||
	    asprintf(
		    &latency->why,
		    "it needs the retire latency of %s, of which there were "
		    "fewer than %d samples (TPEBS), and the files have no mean "
		    "of it",
		    event, TD_LEAST_LATENCIES) < 0) {
		free(latency->event);
		return NULL;
	}
	tree->nr_latencies++;
	return latency;
}

/* *measured: samples can tell it. */
static int take_measured(struct td_scope *scope, struct td_operand *operand,
			 const char *name, double usual, bool *measured)
{
	const struct td_pmu *pmu = &scope->setup->machine->pmus[scope->pmu];
	struct td_tree *tree = scope->tree;
	struct td_tree_latency *latency;
	int slot = (int)(operand - tree->operands), sampled = -1;
	char text[320];

	*measured = scope->setup->latencies &&
		    td_uarch_has(pmu->uarch, TD_CORE_LATENCIES);
	if (!*measured)
		return 0;
	snprintf(text, sizeof(text), "%s/%s/", pmu->name, name);
	if (scope->setup->sampled)
		sampled = find_sampled(scope, text);
	if (sampled == -ENOMEM)
		return td_err_nomem(scope->err);
	*measured = sampled != -ENOENT;
	latency = *measured ? add_latency(tree, text) : NULL;
	if (!latency)
		return *measured ? td_err_nomem(scope->err) : 0;
	operand->kind = TD_OPERAND_LATENCY;
	latency->operand = slot;
	latency->sampled = sampled;
	latency->usual = tree->constants[slot] = usual;
	return 0;
}

int td_tree_find_latency(struct td_scope *scope, struct td_operand *operand,
			 bool *is)
{
	char name[256];
	bool measured = false;
	double usual;
	int rc;

	*is = wants_latency(operand->name, name);
	if (!*is)
		return 0;
	rc = find_usual(scope, name, &usual);
	if (!rc)
		rc = take_measured(scope, operand, name, usual, &measured);
	return rc || measured ? rc : take_usual(scope, operand, name, usual);
}

/* --- what metrics have of those that they need ----------------------------- */

/* One metric, while it is looked at what its formula needs. */
struct needing {
	struct td_tree *tree;
	struct td_metric *metric;
	const int *metrics; /* for each operand the metric that it is, or -1 */
	int rc;
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
		needing->rc |= td_ints_add(latencies, latency);
	needing->tree->latencies[latency].used = true;
}

static void take_slot(void *ctx, int slot)
{
	struct needing *needing = ctx;
	const struct td_tree *tree = needing->tree;
	int metric = needing->metrics[slot];

	for (size_t i = 0; i < tree->nr_latencies; i++) {
		if (tree->latencies[i].operand == slot)
			need(needing, (int)i);
	}
	for (size_t i = 0;
	     metric >= 0 && i < tree->metrics[metric].latencies.nr; i++)
		need(needing, tree->metrics[metric].latencies.v[i]);
}

/* Takes from each operand that a metric needs; metrics come after their operands. */
static int take_all(struct td_tree *tree, void (*take)(void *ctx, int slot))
{
	td_autofree int *metrics =
		malloc((tree->nr_operands + 1) * sizeof(*metrics));
	struct needing needing = { .tree = tree, .metrics = metrics };

	if (!metrics)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nr_operands; i++)
		metrics[i] = -1;
	for (size_t i = 0; !needing.rc && i < tree->nr_metrics; i++) {
		needing.metric = &tree->metrics[i];
		if (needing.metric->value)
			td_expr_each_needed(needing.metric->value,
					    tree->constants, is_known, take,
					    &needing);
		metrics[needing.metric->slot] = (int)i;
	}
	return needing.rc;
}

int td_tree_spread_latencies(struct td_tree *tree)
{
	return tree->nr_latencies ? take_all(tree, take_slot) : 0;
}

static void take_half(void *ctx, int slot)
{
	struct needing *needing = ctx;
	int metric = needing->metrics[slot];

	needing->metric->halved |=
		metric >= 0 && needing->tree->metrics[metric].halved;
}

int td_tree_find_halved(struct td_tree *tree,
			const struct td_literals *literals)
{
	if (!(literals->smt_on > 0) || literals->core_wide > 0)
		return 0;
	for (size_t i = 0; i < tree->nr_metrics; i++)
		tree->metrics[i].halved =
			strcasestr(tree->metrics[i].def->formula, "#core_wide");
	return take_all(tree, take_half);
}

/* --- values of latencies -------------------------------------------------- */

void td_tree_set_latencies(const struct td_tree *tree,
			   const struct td_latencies *latencies)
{
	for (size_t i = 0; i < tree->nr_latencies; i++) {
		const struct td_tree_latency *latency = &tree->latencies[i];
		double mean = td_latency_mean(
			td_latencies_find(latencies, latency->event));

		tree->constants[latency->operand] =
			isnan(mean) ? latency->usual : mean;
	}
}

const char *td_tree_latency_gap(const struct td_tree *tree,
				const struct td_metric *metric)
{
	for (size_t i = 0; i < metric->latencies.nr; i++) {
		const struct td_tree_latency *latency =
			&tree->latencies[metric->latencies.v[i]];

		if (isnan(tree->constants[latency->operand]))
			return latency->why;
	}
	return NULL;
}
