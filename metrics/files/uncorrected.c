// SPDX-License-Identifier: GPL-2.0-only
/* Takes out of the formulas of level 1 what corrects the fields' shares. */
#include <string.h>

#include "metrics/files/pmu_events.h"

#define CORRECTION "INT_MISC."

/*
 * Ends the formula before its correction, which is its last summand:
 * "topdown\-fe\-bound / (...) - INT_MISC.UOP_DROPPING / tma_info_thread_slots".
 */
static void cut(char *formula)
{
	char *at = strstr(formula, CORRECTION);

	while (at && at > formula) {
		at--;
		if (strncmp(at, " - ", 3) == 0 || strncmp(at, " + ", 3) == 0) {
			*at = '\0';
			return;
		}
	}
}

void td_pmu_events_leave_uncorrected(struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		if (events->metrics[i].level == 1)
			cut(events->metrics[i].formula);
	}
}
