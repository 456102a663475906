/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_CORES_H
#define TD_CMD_COMPARE_CORES_H

#include "cmd/compare/sides.h"

/*
 * Notes that the sides ran on different kinds of core, whose shares and slots
 * cannot be compared, and how to keep both on one kind.  Once they are evaluated.
 */
void td_note_cores(const struct td_sides *sides, struct td_notes *notes);

#endif
