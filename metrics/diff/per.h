/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_PER_H
#define TD_METRICS_DIFF_PER_H

/* The unit of work: slots and counts are compared for one of it. */
enum td_per {
	TD_PER_DEFAULT, /* what fits the recordings */
	TD_PER_INSTRUCTIONS,
	TD_PER_SECOND,
	TD_PER_RUN,
	TD_PER_SLOTS,
	TD_NR_PERS
};

#endif
