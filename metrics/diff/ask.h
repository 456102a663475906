/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_ASK_H
#define TD_METRICS_DIFF_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* The unit of work: slots and counts are compared for one of it. */
enum td_per {
	TD_PER_DEFAULT, /* what fits the recordings */
	TD_PER_INSTRUCTIONS,
	TD_PER_SECOND,
	TD_PER_RUN,
	TD_PER_SLOTS,
	TD_NR_PERS
};

/* How two sides are to be compared.  Strings are argv's; NULL: not given. */
struct td_diff_ask {
	enum td_per per;
	const char *fail_above; /* the limits */
	bool strict;            /* what is not known fails, too */
	const char *junit; /* the file that tells what became of each limit */
	size_t nr_before;  /* recordings before "--"; 0: there is none */
};

#endif
