// SPDX-License-Identifier: GPL-2.0-only
/* Operands: each one exists once, however many formulas name it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/text.h"
#include "metrics/tree/scope.h"

static int find_operand(const struct td_scope *scope,
			const struct td_operand *like, const char *name)
{
	for (size_t i = 0; i < scope->tree->nr_operands; i++) {
		const struct td_operand *o = &scope->tree->operands[i];

		if (o->kind == like->kind && o->pmu == like->pmu &&
		    o->owner == like->owner && o->def == like->def &&
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
