// SPDX-License-Identifier: GPL-2.0-only
/*
 * With -DTD_FUZZ a target for libFuzzer, without it a program that feeds the
 * files named on its command line to the same function.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "metrics/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double values[] = { 0, 1, -1, 0.5, 1e18, -1e300, INFINITY, NAN };

static int any_slot(void *ctx, const char *name)
{
	(void)ctx;
	return (int)(strlen(name) % TD_ARRAY_SIZE(values));
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
		td_expr_each_slot(expr, touch, &sum);
	}
	td_expr_free(expr);
	return 0;
}

#ifndef TD_FUZZ
static int replay(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *fp = fopen(path, "re");
	size_t size;

	if (!fp)
		return -1;
	size = fread(data, 1, sizeof(data), fp);
	fclose(fp);
	return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		int rc = replay(argv[i]);

		printf("%sok %d - %s\n", rc ? "not " : "", i, argv[i]);
		failed |= rc;
	}
	printf("1..%d\n", argc - 1);
	return failed ? 1 : 0;
}
#endif
