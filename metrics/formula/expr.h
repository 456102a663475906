/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/formula: parses and evaluates the formulas of metrics.
 *
 * In: text in the language of perf's metric files.
 * Out: struct td_expr, which computes a value from an array of operands, and
 * the literals (#num_cores ...) that formulas can use.
 */
#ifndef TD_METRICS_FORMULA_EXPR_H
#define TD_METRICS_FORMULA_EXPR_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"

/*
 * Formulas in the language of perf's MetricExpr and MetricThreshold
 * (tools/perf/util/expr.l, expr.y of the kernel tree), lowest precedence first:
 *
 *	a if c else b	right-associative, at top level and in parentheses
 *	|  ^  &		logical (0 or 1)
 *	<  >  <=  >=	(the last two are intel/perfmon's)
 *	+  -
 *	*  /  %
 *	- (unary)
 *	min(a,b) max(a,b) d_ratio(a,b), numbers, NaN, names
 *	has_event(name) source_count(name) aggr_nr(name) strcmp_cpuid_str(name)
 *
 * Arithmetic on NaN is NaN, x / 0 and x % 0 are NaN, d_ratio(x, 0) is 0.
 * NaN means "not known": a comparison with it is NaN, "|" and "&" are NaN
 * unless the other side decides, min and max of it are NaN, and so is a choice
 * whose condition is NaN.
 */
struct td_expr;

/*
 * Returns the index in the array of values that holds name, or a negative errno
 * if the name is unknown.  A name is an event, a metric, a literal (#smt_on), a
 * call (has_event(name)), or an event in perf's form pmu@event\,term\=1@mods,
 * passed without the backslashes and with each @ as a slash
 * (pmu/event,term=1/mods).
 */
typedef int (*td_expr_lookup)(void *ctx, const char *name);

/*
 * Parses text into *out, to be freed with td_expr_free().  Returns -EINVAL for
 * a syntax error, or the error of lookup for an unknown name (-ENOENT); err has
 * the text and the column, from 1.
 */
int td_expr_parse(struct td_expr **out, const char *text, td_expr_lookup lookup,
		  void *ctx, struct td_err *err);
void td_expr_free(struct td_expr *expr); /* expr may be NULL */

/* Evaluates without allocating; values is indexed by what lookup returned. */
double td_expr_eval(const struct td_expr *expr, const double *values);
/*
 * The same, but max(0, a) and min(a, 1) are a: how much a value may change, where
 * the bound keeps it from changing.
 */
double td_expr_eval_unbounded(const struct td_expr *expr, const double *values);

/*
 * Calls fn for each use of a slot that the value can depend on, given what is
 * known before counting: for "a if #smt_on else b" that is either a or b.
 * known() tells which slots already have their value in values.
 */
void td_expr_each_needed(const struct td_expr *expr, const double *values,
			 bool (*known)(void *ctx, int slot),
			 void (*fn)(void *ctx, int slot), void *ctx);

/* Is the slot used in a divisor? */
bool td_expr_divides_by(const struct td_expr *expr, int slot);
/* Uses another slot in place of this one. */
void td_expr_replace(struct td_expr *expr, int slot, int by);

/* The literals of formulas, such as "#num_cores".  NaN: not known. */
struct td_literals {
	double smt_on;    /* 0 or 1 */
	double core_wide; /* 1: all threads of each core are counted */
	double num_cpus, num_cpus_online;
	double num_cores, num_dies, num_packages;
	double system_tsc_freq; /* Hz */
	double has_pmem;        /* 0 or 1 */
};

/*
 * places: one for each CPU of machine->online, NULL if not known.  tsc_hz: 0 if
 * not known.
 */
void td_literals_fill(struct td_literals *out, const struct td_machine *machine,
		      const struct td_place *places, uint64_t tsc_hz,
		      bool core_wide);
/*
 * Looks up "#num_cores", in any case.  Returns -ENOENT if there is no such
 * literal.
 */
int td_literals_find(const struct td_literals *literals, const char *name,
		     double *out);

#endif
