/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_H
#define TD_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* TAP: a line for each check, then the number of checks. */
static int test_nr, test_failed;

#define ok(cond, ...)                                                       \
	do {                                                                \
		bool ok_ = (cond);                                          \
		printf("%sok %d - ", ok_ ? "" : "not ", ++test_nr);         \
		printf(__VA_ARGS__);                                        \
		printf("\n");                                               \
		if (!ok_) {                                                 \
			test_failed++;                                      \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
		}                                                           \
	} while (0)

#define is_str(got, want, ...)                                                     \
	do {                                                                       \
		const char *got_ = (got), *want_ = (want);                         \
		bool same_ = got_ && want_ && strcmp(got_, want_) == 0;            \
		ok(same_, __VA_ARGS__);                                            \
		if (!same_)                                                        \
			printf("# got:  %s\n# want: %s\n", got_ ? got_ : "(null)", \
			       want_ ? want_ : "(null)");                          \
	} while (0)

/* NaN equals NaN.  The tolerance is relative to the larger value, or to 1. */
static inline bool test_near(double got, double want, double tolerance)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	return fabs(got - want) <= tolerance * fmax(1, fmax(fabs(got), fabs(want)));
}

static inline int done_testing(void)
{
	printf("1..%d\n", test_nr);
	return test_failed ? 1 : 0;
}

#endif
