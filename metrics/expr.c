// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/expr.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/util.h"
#include "metrics/expr_node.h"

int td_expr_add(struct td_expr *expr, struct td_expr_node node)
{
	struct td_expr_node *new =
		td_array_add(&expr->nodes, expr->nr, sizeof(*new));

	if (!new)
		return -ENOMEM;
	*new = node;
	expr->nr++;
	return 0;
}

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
	/* LONG_MAX is no double, the number after it is */
	return a >= (double)LONG_MIN && a < -(double)LONG_MIN;
}

/* Of whole numbers, as perf does it. */
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

static double eval(const struct td_expr_node *nodes, unsigned int i,
		   const double *values);

static double choose(const struct td_expr_node *nodes,
		     const struct td_expr_node *node, double value,
		     const double *values)
{
	double cond = eval(nodes, node->right, values);

	if (isnan(cond))
		return NAN;
	return cond != 0 ? value : eval(nodes, node->otherwise, values);
}

static double eval(const struct td_expr_node *nodes, unsigned int i,
		   const double *values)
{
	double value = NAN;

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
			value = apply(node->op, value,
				      eval(nodes, node->right, values));
			break;
		case TD_NODE_CHOICE:
			value = choose(nodes, node, value, values);
			break;
		}
		i = node->next;
	} while (i);
	return value;
}

double td_expr_eval(const struct td_expr *expr, const double *values)
{
	return eval(expr->nodes, 0, values);
}

void td_expr_each_slot(const struct td_expr *expr,
		       void (*fn)(void *ctx, int slot), void *ctx)
{
	for (unsigned int i = 0; i < expr->nr; i++) {
		if (expr->nodes[i].kind == TD_NODE_SLOT)
			fn(ctx, expr->nodes[i].slot);
	}
}

void td_expr_free(struct td_expr *expr)
{
	if (!expr)
		return;
	free(expr->nodes);
	free(expr);
}
