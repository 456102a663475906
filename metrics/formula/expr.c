// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/formula/expr.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "lib/base/util.h"
#include "metrics/formula/parts.h"

static bool unknown(double a, double b)
{
	return isnan(a) || isnan(b);
}

static bool is_true(double a)
{
	return !isnan(a) && a != 0;
}

static double either(double a, double b)
{
	if (is_true(a) || is_true(b))
		return 1;
	return unknown(a, b) ? NAN : 0;
}

static double both(double a, double b)
{
	if (a == 0 || b == 0)
		return 0;
	return unknown(a, b) ? NAN : 1;
}

static bool fits_long(double a)
{
	/* LONG_MAX is not exact as a double, but -LONG_MIN is */
	return a >= (double)LONG_MIN && a < -(double)LONG_MIN;
}

/* Return the remainder of integers, as in perf's expr.y. */
static double modulo(double a, double b)
{
	if (!fits_long(a) || !fits_long(b) || (long)b == 0)
		return NAN;
	if ((long)b == -1)
		return 0; /* LONG_MIN / -1 traps */
	return (double)((long)a % (long)b);
}

static double apply(enum td_expr_op op, double a, double b)
{
	switch (op) {
	case TD_OP_OR:
		return either(a, b);
	case TD_OP_XOR:
		return unknown(a, b) ? NAN : (double)(is_true(a) != is_true(b));
	case TD_OP_AND:
		return both(a, b);
	case TD_OP_LESS:
		return unknown(a, b) ? NAN : (double)(a < b);
	case TD_OP_GREATER:
		return unknown(a, b) ? NAN : (double)(a > b);
	case TD_OP_AT_MOST:
		return unknown(a, b) ? NAN : (double)(a <= b);
	case TD_OP_AT_LEAST:
		return unknown(a, b) ? NAN : (double)(a >= b);
	case TD_OP_ADD:
		return a + b;
	case TD_OP_SUB:
		return a - b;
	case TD_OP_MUL:
		return a * b;
	case TD_OP_DIV:
		return b == 0 ? NAN : a / b;
	case TD_OP_MOD:
		return modulo(a, b);
	case TD_OP_MIN:
		return unknown(a, b) ? NAN : fmin(a, b);
	case TD_OP_MAX:
		return unknown(a, b) ? NAN : fmax(a, b);
	case TD_OP_RATIO:
		return b == 0 ? 0 : a / b;
	}
	return NAN;
}

static double eval(const struct td_expr_node *nodes, unsigned int i, const double *values,
		   bool bounded);

static double choose(const struct td_expr_node *nodes, const struct td_expr_node *node,
		     double value, const double *values, bool bounded)
{
	double cond = eval(nodes, node->right, values, bounded);

	if (isnan(cond))
		return NAN;
	return cond != 0 ? value : eval(nodes, node->otherwise, values, bounded);
}

/* Apply an operator without bounds: max(0, a) and min(a, 1) are a. */
static double apply_within(const struct td_expr_node *nodes, unsigned int first, unsigned int at,
			   double left, double right)
{
	const struct td_expr_node *node = &nodes[at];
	const struct td_expr_node *after = &nodes[node->right];

	if (node->op == TD_OP_MIN || node->op == TD_OP_MAX) {
		if (nodes[first].kind == TD_NODE_NUMBER && nodes[first].next == at)
			return right;
		if (after->kind == TD_NODE_NUMBER && !after->next)
			return left;
	}
	return apply(node->op, left, right);
}

static double eval(const struct td_expr_node *nodes, unsigned int i, const double *values,
		   bool bounded)
{
	unsigned int first = i;
	double value = NAN, right;

	do {
		const struct td_expr_node *node = &nodes[i];

		switch (node->kind) {
		case TD_NODE_NUMBER:
			value = node->number;
			break;
		case TD_NODE_SLOT:
			value = values[node->slot];
			break;
		case TD_NODE_NEG:
			value = -value;
			break;
		case TD_NODE_BINARY:
			right = eval(nodes, node->right, values, bounded);
			value = bounded ? apply(node->op, value, right)
					: apply_within(nodes, first, i, value, right);
			break;
		case TD_NODE_CHOICE:
			value = choose(nodes, node, value, values, bounded);
			break;
		}
		i = node->next;
	} while (i);
	return value;
}

double td_expr_eval(const struct td_expr *expr, const double *values)
{
	return eval(expr->nodes, 0, values, true);
}

double td_expr_eval_unbounded(const struct td_expr *expr, const double *values)
{
	return eval(expr->nodes, 0, values, false);
}

/* A formula before counting, when the values of only some slots are known. */
struct partial {
	const struct td_expr_node *nodes;
	const double *values;
	bool (*known)(void *ctx, int slot);
	void (*fn)(void *ctx, int slot);
	void *ctx;
};

/* Is the value of a chain known before counting? */
static bool is_constant(const struct partial *p, unsigned int i)
{
	do {
		const struct td_expr_node *node = &p->nodes[i];

		if (node->kind == TD_NODE_SLOT && !p->known(p->ctx, node->slot))
			return false;
		if ((node->kind == TD_NODE_BINARY || node->kind == TD_NODE_CHOICE) &&
		    !is_constant(p, node->right))
			return false;
		if (node->kind == TD_NODE_CHOICE && !is_constant(p, node->otherwise))
			return false;
		i = node->next;
	} while (i);
	return true;
}

/* Return the index of the last choice in a chain before node end (0: the chain's end), or 0. */
static unsigned int last_choice(const struct partial *p, unsigned int first, unsigned int end)
{
	unsigned int i = first, found = 0;

	do {
		if (p->nodes[i].kind == TD_NODE_CHOICE)
			found = i;
		i = p->nodes[i].next;
	} while (i != end);
	return found;
}

/* Is the right side of the node irrelevant, because it is "&" after a 0 or "|" after a 1? */
static bool is_decided(const struct partial *p, unsigned int first, const struct td_expr_node *node)
{
	const struct td_expr_node *next = &p->nodes[first];
	double left;

	/* only the first operator of a chain is used as such a guard */
	if (node->kind != TD_NODE_BINARY || next->next == 0 || &p->nodes[next->next] != node)
		return false;
	if (next->kind == TD_NODE_NUMBER)
		left = next->number;
	else if (next->kind == TD_NODE_SLOT && p->known(p->ctx, next->slot))
		left = p->values[next->slot];
	else
		return false;
	return (node->op == TD_OP_AND && left == 0) || (node->op == TD_OP_OR && is_true(left));
}

static void visit(const struct partial *p, unsigned int first, unsigned int end);

static void visit_node(const struct partial *p, unsigned int first, const struct td_expr_node *node)
{
	if (node->kind == TD_NODE_SLOT)
		p->fn(p->ctx, node->slot);
	if (node->kind == TD_NODE_BINARY && !is_decided(p, first, node))
		visit(p, node->right, 0);
}

/* Visit the part of a chain that ends with the choice at index at. */
static void visit_choice(const struct partial *p, unsigned int first, unsigned int at)
{
	const struct td_expr_node *choice = &p->nodes[at];
	double cond;

	if (!is_constant(p, choice->right)) {
		visit(p, first, at);
		visit(p, choice->right, 0);
		visit(p, choice->otherwise, 0);
		return;
	}
	cond = eval(p->nodes, choice->right, p->values, true);
	if (isnan(cond))
		return; /* the value is NaN, too */
	if (cond != 0)
		visit(p, first, at);
	else
		visit(p, choice->otherwise, 0);
}

/* Visit a chain from its first node to the one before end (0: to its end). */
static void visit(const struct partial *p, unsigned int first, unsigned int end)
{
	unsigned int choice = last_choice(p, first, end), i = first;

	if (choice) {
		visit_choice(p, first, choice);
		i = p->nodes[choice].next;
		if (i == end)
			return;
	}
	do {
		visit_node(p, first, &p->nodes[i]);
		i = p->nodes[i].next;
	} while (i != end);
}

void td_expr_each_needed(const struct td_expr *expr, const double *values,
			 bool (*known)(void *ctx, int slot), void (*fn)(void *ctx, int slot),
			 void *ctx)
{
	const struct partial p = { expr->nodes, values, known, fn, ctx };

	visit(&p, 0, 0);
}

/* --- uses of a slot --------------------------------------------------------- */

/* Is the slot used in the chain, or in a chain that belongs to it? */
static bool uses(const struct td_expr_node *nodes, unsigned int i, int slot)
{
	do {
		const struct td_expr_node *node = &nodes[i];

		if (node->kind == TD_NODE_SLOT && node->slot == slot)
			return true;
		if ((node->kind == TD_NODE_BINARY || node->kind == TD_NODE_CHOICE) &&
		    uses(nodes, node->right, slot))
			return true;
		if (node->kind == TD_NODE_CHOICE && uses(nodes, node->otherwise, slot))
			return true;
		i = node->next;
	} while (i);
	return false;
}

bool td_expr_divides_by(const struct td_expr *expr, int slot)
{
	for (unsigned int i = 0; i < expr->nr; i++) {
		const struct td_expr_node *node = &expr->nodes[i];

		if (node->kind == TD_NODE_BINARY &&
		    (node->op == TD_OP_DIV || node->op == TD_OP_RATIO) &&
		    uses(expr->nodes, node->right, slot))
			return true;
	}
	return false;
}

void td_expr_replace(struct td_expr *expr, int slot, int by)
{
	for (unsigned int i = 0; i < expr->nr; i++) {
		struct td_expr_node *node = &expr->nodes[i];

		if (node->kind == TD_NODE_SLOT && node->slot == slot)
			node->slot = by;
	}
}

void td_expr_free(struct td_expr *expr)
{
	if (!expr)
		return;
	free(expr->nodes);
	free(expr);
}

/* --- literals: #num_cpus and others --------------------------------------- */

static bool same_core(const struct td_place *a, const struct td_place *b)
{
	return a->socket == b->socket && a->die == b->die && a->core == b->core;
}

static bool same_die(const struct td_place *a, const struct td_place *b)
{
	return a->socket == b->socket && a->die == b->die;
}

static bool same_socket(const struct td_place *a, const struct td_place *b)
{
	return a->socket == b->socket;
}

/* Count the different places; NaN if the places are unknown. */
static double count_different(const struct td_place *places, size_t nr,
			      bool (*same)(const struct td_place *a, const struct td_place *b))
{
	double different = 0;

	if (!places || !nr)
		return NAN;
	for (size_t i = 0; i < nr; i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = same(&places[i], &places[j]);
		different += !seen;
	}
	return different;
}

void td_literals_fill(struct td_literals *out, const struct td_machine *machine,
		      const struct td_place *places, uint64_t tsc_hz, bool core_wide)
{
	size_t nr = machine->online.nr;

	*out = (struct td_literals){
		.smt_on = machine->smt,
		.core_wide = core_wide,
		.num_cpus = nr ? (double)machine->online.v[nr - 1] + 1 : NAN,
		.num_cpus_online = nr ? (double)nr : NAN,
		.num_cores = count_different(places, nr, same_core),
		.num_dies = count_different(places, nr, same_die),
		.num_packages = count_different(places, nr, same_socket),
		.system_tsc_freq = tsc_hz ? (double)tsc_hz : NAN,
		.has_pmem = machine->has_pmem,
	};
}

int td_literals_find(const struct td_literals *literals, const char *name, double *out)
{
	/* the names of expr__get_literal() in tools/perf/util/expr.c */
	const struct {
		const char *name;
		double value;
	} known[] = {
		{ "#smt_on", literals->smt_on },
		{ "#core_wide", literals->core_wide },
		/* true if CPUs are counted, rather than tasks; then all threads are counted */
		{ "#target_cpu", literals->core_wide },
		{ "#num_cpus", literals->num_cpus },
		{ "#num_cpus_online", literals->num_cpus_online },
		{ "#num_cores", literals->num_cores },
		{ "#num_dies", literals->num_dies },
		{ "#num_packages", literals->num_packages },
		{ "#system_tsc_freq", literals->system_tsc_freq },
		{ "#has_pmem", literals->has_pmem },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(known); i++) {
		if (strcasecmp(known[i].name, name) != 0)
			continue;
		*out = known[i].value;
		return 0;
	}
	return -ENOENT;
}
