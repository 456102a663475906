// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/formula/expr.h"
#include "tests/fuzz/replay.h"

static const double values[] = { 0, 1, -1, 0.5, 1e18, -1e300, INFINITY, NAN };

static int any_slot(void *ctx, const char *name)
{
	(void)ctx;
	return (int)(strlen(name) % TD_ARRAY_SIZE(values));
}

static bool is_known(void *ctx, int slot)
{
	(void)ctx;
	return slot % 2;
}

static void touch(void *ctx, int slot)
{
	double *sum = ctx;

	*sum += values[slot];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct td_err err = { 0 };
	struct td_expr *expr;
	double sum = 0;
	int rc;

	if (!text)
		return 0;
	rc = td_expr_parse(&expr, text, any_slot, NULL, &err);
	free(text);
	if (rc != err.code || (rc == 0) != (expr != NULL))
		abort();
	if (expr) {
		td_expr_eval(expr, values);
		td_expr_each_needed(expr, values, is_known, touch, &sum);
	}
	td_expr_free(expr);
	return 0;
}
