/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_ASK_H
#define TD_METRICS_DIFF_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/diff/per.h"

/* How two sides are to be compared.  Strings are argv's; NULL: not given. */
struct td_diff_ask {
	enum td_per per;
	const char *fail_above; /* the limits */
	bool strict;            /* what is not known fails, too */
	const char *junit; /* the file that tells what became of each limit */
	size_t nr_before;  /* recordings before "--"; 0: there is none */
};

#endif
