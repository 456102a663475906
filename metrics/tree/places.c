// SPDX-License-Identifier: GPL-2.0-only
/*
 * Brings a formula to the places of a row.  Counts add up over CPUs, units and
 * packages; clocks and numbers of places, which formulas divide them by, have
 * to be of the same places.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "metrics/tree/scope.h"

/* The operands of a formula. */
struct formula {
	struct td_scope *scope;
	struct td_expr *expr;
	int counted; /* the first event; -1: none */
	int unit;    /* the first event of an uncore; -1: none */
	bool cores;  /* it has the number of cores */
};

static bool is_literal(const struct td_operand *operand, const char *name)
{
	return operand->kind == TD_OPERAND_CONSTANT &&
	       strcasecmp(operand->name, name) == 0;
}

static void look_at(struct formula *f, int slot)
{
	const struct td_machine *machine = f->scope->setup->machine;
	const struct td_operand *o = &f->scope->tree->operands[slot];
	bool counts = o->kind == TD_OPERAND_EVENT && o->events.nr;
	int pmu = counts ? f->scope->events->v[o->events.v[0]].pmu : -1;

	if (counts && f->counted < 0)
		f->counted = slot;
	if (counts && f->unit < 0 && machine->pmus[pmu].kind == TD_PMU_OTHER)
		f->unit = slot;
	f->cores |= is_literal(o, "#num_cores");
}

/*
 * "Average number of utilized CPUs" divides by the TSC, as shares of the time
 * do, but is not a share: only its name tells.
 */
static bool is_number_of_cpus(const struct td_metric_def *def)
{
	return strcasecmp(def->name, "tma_info_system_cpus_utilized") == 0;
}

/* Uses an operand like this one, with the places of another. */
static int put_beside(const struct formula *f, int slot, int beside,
		      enum td_operand_kind kind)
{
	struct td_tree *tree = f->scope->tree;
	const struct td_operand *from = &tree->operands[slot];
	struct td_operand like = td_tree_new_operand(f->scope, kind);
	int placed, rc;

	like.beside = beside;
	like.state = TD_OPERAND_READY;
	placed = td_tree_intern(f->scope, &like, from->name, NAN);
	if (placed < 0)
		return placed;
	/* the operands may have moved */
	tree->operands[placed].events.nr = 0;
	rc = td_ints_add_all(&tree->operands[placed].events,
			     &tree->operands[slot].events);
	td_expr_replace(f->expr, slot, placed);
	return rc;
}

static int place(const struct formula *f, int slot)
{
	const struct td_operand *operand = &f->scope->tree->operands[slot];

	if (operand->kind == TD_OPERAND_CLOCK && f->counted >= 0 &&
	    td_tree_is_tsc(operand->name) &&
	    td_expr_divides_by(f->expr, slot) &&
	    !is_number_of_cpus(f->scope->def))
		return put_beside(f, slot, f->counted, TD_OPERAND_CLOCK);
	if (is_literal(operand, "#num_packages") && f->unit >= 0 && !f->cores)
		return put_beside(f, slot, f->unit, TD_OPERAND_PLACES);
	return 0;
}

int td_tree_place(struct td_scope *scope, struct td_expr *expr,
		  const struct td_ints *slots)
{
	struct formula f = {
		.scope = scope, .expr = expr, .counted = -1, .unit = -1
	};
	int rc = 0;

	for (size_t i = 0; i < slots->nr; i++)
		look_at(&f, slots->v[i]);
	for (size_t i = 0; !rc && i < slots->nr; i++)
		rc = place(&f, slots->v[i]);
	return rc;
}
