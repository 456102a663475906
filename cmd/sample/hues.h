/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_HUES_H
#define TD_CMD_SAMPLE_HUES_H

#include "lib/count/report.h"
#include "lib/sample/spots.h"

/*
 * Of each function the part of level 1 that most of its slots go to, by the row of
 * its name; TD_NR_PARTS: it is not known.  To be freed; NULL: memory ran out.
 */
int *td_hues_make(const struct td_report *report, const struct td_spots *spots);

#endif
