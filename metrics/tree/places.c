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
	struct td_ints slots;
	int counted; /* the first event; -1: none */
	int unit;    /* the first event of an uncore; -1: none */
	bool cores;  /* it has the number of cores */
	int rc;
};

static bool is_literal(const struct td_operand *operand, const char *name)
{
	return operand->kind == TD_OPERAND_CONSTANT &&
	       strcasecmp(operand->name, name) == 0;
}

static bool is_known(void *ctx, int slot)
{
	const struct formula *f = ctx;

	return f->scope->tree->operands[slot].kind == TD_OPERAND_CONSTANT;
}

static void look_at(void *ctx, int slot)
{
	struct formula *f = ctx;
	const struct td_machine *machine = f->scope->setup->machine;
	const struct td_operand *o = &f->scope->tree->operands[slot];
	bool counts = o->kind == TD_OPERAND_EVENT && o->events.nr;
	int pmu = counts ? f->scope->events->v[o->events.v[0]].pmu : -1;

	if (!td_ints_has(&f->slots, slot))
		f->rc |= td_ints_add(&f->slots, slot);
	if (counts && f->counted < 0)
		f->counted = slot;
	if (counts && f->unit < 0 && machine->pmus[pmu].kind == TD_PMU_OTHER)
		f->unit = slot;
	f->cores |= is_literal(o, "#num_cores");
}

/*
 * "Average number of utilized CPUs" divides by the TSC as shares of the time
 * do, and is none: the files tell it by its name alone.
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

int td_tree_place(struct td_scope *scope, struct td_expr *expr)
{
	struct formula f = {
		.scope = scope, .expr = expr, .counted = -1, .unit = -1
	};

	td_expr_each_needed(expr, scope->tree->constants, is_known, look_at,
			    &f);
	for (size_t i = 0; !f.rc && i < f.slots.nr; i++)
		f.rc = place(&f, f.slots.v[i]);
	td_ints_free(&f.slots);
	return f.rc;
}
