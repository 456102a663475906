/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SLOW_USUAL_H
#define TD_METRICS_SLOW_USUAL_H

#include "lib/count/regions.h"
#include "lib/count/report.h"

/*
 * Why the metrics of a row of timed calls would be of chance, or NULL: they are not.
 * period: of samples, as in struct td_timed.
 */
const char *td_slow_why_not(const struct td_row *row, uint64_t period);
/* The same of samples alone. */
const char *td_slow_why_not_sampled(const struct td_row *row, uint64_t period);

#define TD_SLOW_CHANCE 1.96 /* standard deviations of the 95 % interval */
/* Slots that are sampled are by chance so much more or less, as a part of them. */
double td_slow_chance(const struct td_row *row, uint64_t period);

/*
 * A report in which the calls around the median are a row for each PMU, which
 * joins rows of few calls with their neighbours up to half and twice as long.
 */
struct td_usual {
	struct td_report report;
	unsigned int from,
		to; /* the buckets; their rows are of the first one */
	size_t nr;  /* of the joined rows, which come first */
	struct td_row *rows;
	struct td_region_facts *facts;
	struct td_cell *cells;
};

/* 0 or -ENOMEM; to be freed in either case. */
int td_usual_join(struct td_usual *usual, const struct td_report *report,
		  const struct td_timed *timed, size_t at);
void td_usual_free(struct td_usual *usual);

#endif
