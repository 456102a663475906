// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/files/unit.h"

#include <string.h>

#include "lib/base/util.h"

/* The metric that is duration_time, in the kernel tree since Linux 6.13. */
#define TIME "tma_info_system_time"

/* What a formula must contain before words are believed to name its unit. */
enum proof {
	PER_SECOND, /* division by the time; UPI's "MB / sec" lacks it */
	NANOSECONDS,
	HUNDREDFOLD,
	OF_HUNDRED, /* also what others leave of it: "100 - (" */
	THOUSANDFOLD,
	NONE_NEEDED,
};

static const char *const proofs[] = {
	[PER_SECOND] = "duration_time", [NANOSECONDS] = "1e9 *",
	[HUNDREDFOLD] = "100 *",        [OF_HUNDRED] = "100 ",
	[THOUSANDFOLD] = "1e3 *",       [NONE_NEEDED] = "",
};

static const struct {
	const char *words; /* part of the description */
	const char *unit;
	enum proof proof;
} described[] = {
	{ "[GB / sec]", "1GB/s", PER_SECOND },
	{ "[MB / sec]", "1MB/s", PER_SECOND },
	{ "[GHz]", "1GHz", PER_SECOND },
	{ "[GHZ]", "1GHz", PER_SECOND },
	{ "in nanoseconds", "1ns", NANOSECONDS },
	{ "(in core cycles)", "1cycles", NONE_NEEDED },
	{ "Percentage of", "1%", HUNDREDFOLD },
	{ "per kilo instruction", "1per_kinstr", THOUSANDFOLD },
	{ "per Kilo instruction", "1per_kinstr", THOUSANDFOLD },
};

static const struct {
	const char *part; /* part of the name */
	const char *unit;
	enum proof proof;
} named[] = {
	{ "_bw", "1GB/s", PER_SECOND },
	{ "_%_", "1%", HUNDREDFOLD },
	/* a share of the slots: "Scaled_Slots" in Intel's own tables */
	{ "bottleneck_", "1%", OF_HUNDRED },
	{ "_pki", "1per_kinstr", THOUSANDFOLD },
};

/*
 * Is the formula just another metric's name?  Then the factor is in that
 * metric's formula.
 */
static bool is_alias(const char *formula)
{
	return !formula[strcspn(formula, " +-*/()")];
}

static bool is_proven(const char *formula, enum proof proof)
{
	return is_alias(formula) || strstr(formula, proofs[proof]) ||
	       (proof == PER_SECOND && strstr(formula, TIME));
}

static const char *find_unit(const struct td_model_metric *metric)
{
	for (size_t i = 0; metric->desc && i < TD_ARRAY_SIZE(described); i++) {
		if (strstr(metric->desc, described[i].words) &&
		    is_proven(metric->formula, described[i].proof))
			return described[i].unit;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(named); i++) {
		if (strstr(metric->name, named[i].part) &&
		    is_proven(metric->formula, named[i].proof))
			return named[i].unit;
	}
	return NULL;
}

int td_unit_from_words(struct td_model_metric *metric, struct td_err *err)
{
	const char *unit = metric->unit ? NULL : find_unit(metric);

	if (!unit)
		return 0;
	metric->unit = strdup(unit);
	return metric->unit ? 0 : td_err_nomem(err);
}
