/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/slow: finds out why some calls of a function are slow.
 *
 * In: the rows of a report with the facts of timed calls.
 * Out: struct td_slow, shares of the extra time of a slow call.
 */
#pragma once

#include "lib/count/regions.h"
#include "lib/count/report.h"

/*
 * Compares the slow calls of the timed function at this index with typical calls.  Rows must still
 * have their values, even rows of few calls.  The result refers to the rows of the report, and to
 * names of its columns.
 */
void td_slow_find(const struct td_report *report, const struct td_timed *timed, size_t at,
		  struct td_slow *out);
/*
 * Returns why the metrics of a row of timed calls would be noise, or NULL.  period: period of the
 * samples, as in struct td_timed.
 */
const char *td_slow_why_not(const struct td_row *row, uint64_t period);
/* Returns the same as td_slow_why_not(), considering only samples. */
const char *td_slow_why_not_sampled(const struct td_row *row, uint64_t period);
