/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/formula: parses and evaluates the formulas of metrics.
 *
 * In: text in the language of perf's metric files.
 * Out: struct td_expr, which computes a value from an array of operands, and
 * the literals (#num_cores ...) that formulas can use.
 */
#pragma once

#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"

/*
 * Formulas in the language of perf's MetricExpr and MetricThreshold
 * (tools/perf/util/expr.l, expr.y of the kernel tree), lowest precedence first:
 *
 *	a if c else b	right-associative, at top level and in parentheses
 *	|  ^  &		logical (0 or 1)
 *	<  >  <=  >=	(the last two only in intel/perfmon)
 *	+  -
 *	*  /  %
 *	- (unary)
 *	min(a,b) max(a,b) d_ratio(a,b), numbers, NaN, names
 *	has_event(name) source_count(name) aggr_nr(name) strcmp_cpuid_str(name)
 *
 * Arithmetic on NaN is NaN, x / 0 and x % 0 are NaN, d_ratio(x, 0) is 0.
 * NaN means "unknown": comparisons with NaN, min and max of it, and choices whose
 * condition is NaN are NaN.  "|" and "&" with NaN are NaN unless the other side
 * determines the result.
 */
struct td_expr;

/*
 * Returns the slot of name, its index in the array of values, or a negative errno if the name is
 * unknown.  A name is an event, a metric, a literal (#smt_on), a call (has_event(name)), or an
 * event such as pmu@event\,term\=1@mods, which is passed as pmu/event,term=1/mods.
 */
typedef int (*td_expr_lookup)(void *ctx, const char *name);

/*
 * Parses text into *out; free it with td_expr_free().  Returns -EINVAL for a syntax error, or the
 * error of lookup for an unknown name (-ENOENT).  err contains the text and the column, from 1.
 */
int td_expr_parse(struct td_expr **out, const char *text, td_expr_lookup lookup, void *ctx,
		  struct td_err *err);
void td_expr_free(struct td_expr *expr); /* expr may be NULL */

/* Returns the value of a formula.  values has a value for each slot.  Allocates no memory. */
double td_expr_eval(const struct td_expr *expr, const double *values);
/*
 * Returns the value as td_expr_eval() does, but without bounds: max(0, a) and min(a, 1) are
 * a.  Used to compute how much a value may change, which a bound would hide.
 */
double td_expr_eval_unbounded(const struct td_expr *expr, const double *values);

/*
 * Calls fn for each use of a slot on which the value can depend, given the values that
 * are known before counting: for "a if #smt_on else b", a or b.  known() returns true
 * for slots whose value is already in values.
 */
void td_expr_each_needed(const struct td_expr *expr, const double *values,
			 bool (*known)(void *ctx, int slot), void (*fn)(void *ctx, int slot),
			 void *ctx);

/* Is the slot used in a divisor? */
bool td_expr_divides_by(const struct td_expr *expr, int slot);
/* Replaces each use of a slot by another slot (by). */
void td_expr_replace(struct td_expr *expr, int slot, int by);

/* Values of the literals of formulas, such as "#num_cores".  NaN: unknown. */
struct td_literals {
	double smt_on;    /* 0 or 1 */
	double core_wide; /* 1: all threads of each core are counted */
	double num_cpus, num_cpus_online, num_cores, num_dies, num_packages;
	double system_tsc_freq; /* Hz */
	double has_pmem;        /* 0 or 1 */
};

/*
 * Fills in the literals.  places has an element for each CPU of machine->online; NULL:
 * unknown.  tsc_hz 0: unknown.
 */
void td_literals_fill(struct td_literals *out, const struct td_machine *machine,
		      const struct td_place *places, uint64_t tsc_hz, bool core_wide);
/* Looks up a literal such as "#num_cores", ignoring case.  Returns -ENOENT if it does not exist. */
int td_literals_find(const struct td_literals *literals, const char *name, double *out);
