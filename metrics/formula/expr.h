/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/formula: formulas, and what they may know of the machine.
 *
 * In: text in the language of perf's metric files.
 * Out: struct td_expr, which gives a value for an array of values.
 */
#ifndef TD_METRICS_FORMULA_EXPR_H
#define TD_METRICS_FORMULA_EXPR_H

#include <stdbool.h>

#include "lib/base/err.h"

/*
 * Formulas in the language of perf's MetricExpr and MetricThreshold
 * (tools/perf/util/expr.l, expr.y of the kernel tree), loosest first:
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
 * NaN is "not known": comparing it is not known, "|" and "&" know their
 * result when one side decides it, min and max of it are NaN, and a choice
 * on it is NaN.
 */
struct td_expr;

/*
 * Says which slot of the value array holds name: an event, a metric, a
 * literal such as #smt_on, a call such as has_event(name), or the whole of what
 * stands between two @ of pmu@event\,term\=1@mods, backslashes taken out and
 * each @ turned into a slash (pmu/event,term=1/mods).  Negative errno: there is
 * no such name.
 */
typedef int (*td_expr_lookup)(void *ctx, const char *name);

/*
 * Parses text into *out; free with td_expr_free().  A syntax error or a
 * name that lookup does not have is -EINVAL or -ENOENT, with the text and the
 * column (from 1) in err.
 */
int td_expr_parse(struct td_expr **out, const char *text, td_expr_lookup lookup,
		  void *ctx, struct td_err *err);
void td_expr_free(struct td_expr *expr); /* NULL is fine */

/* No allocation.  values is indexed by what lookup returned. */
double td_expr_eval(const struct td_expr *expr, const double *values);

/*
 * Calls fn for each use of a slot that the value can depend on, given what is
 * known before anything is counted: of "a if #smt_on else b" that is a or b.
 * known says which slots hold such a value in values.
 */
void td_expr_each_needed(const struct td_expr *expr, const double *values,
			 bool (*known)(void *ctx, int slot),
			 void (*fn)(void *ctx, int slot), void *ctx);

#endif
