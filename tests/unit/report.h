/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_REPORT_H
#define TD_TEST_REPORT_H

#include <math.h>

#include "lib/count/report.h"

/* Cells of a report, as td_eval() makes them. */

#define NO_ERRORS .error = NAN, .runs_error = NAN

#define NONE                                            \
	{                                               \
		.status = TD_STATUS_NONE, .value = NAN, \
	}
#define LOST_FOR(status_, why_)                                                    \
	{                                                                          \
		.status = (status_), .value = NAN, .matters = true, .why = (why_), \
	}
#define LOST         LOST_FOR(TD_STATUS_NOT_COUNTED, NULL)
#define REFUSED(why) LOST_FOR(TD_STATUS_NOT_SUPPORTED, why)
#define PART(v, running)                                                                   \
	{                                                                                  \
		.status = TD_STATUS_OK, .value = (v), NO_ERRORS, .running_pct = (running), \
		.matters = true,                                                           \
	}
#define OK(v) PART(v, 100)
#define OVER(v)                                                                      \
	{                                                                            \
		.status = TD_STATUS_OK, .value = (v), NO_ERRORS, .running_pct = 100, \
		.over_threshold = true, .matters = true,                             \
	}
/* counted in other slices of time than the parent */
#define OTHER_SLICES(v, running)                                                           \
	{                                                                                  \
		.status = TD_STATUS_OK, .value = (v), NO_ERRORS, .running_pct = (running), \
		.other_slices = true, .matters = true,                                     \
	}
/* shown only with --all */
#define MINOR(v)                                                                     \
	{                                                                            \
		.status = TD_STATUS_OK, .value = (v), NO_ERRORS, .running_pct = 100, \
	}

#endif
