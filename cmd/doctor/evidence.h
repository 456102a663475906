/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_EVIDENCE_H
#define TD_CMD_DOCTOR_EVIDENCE_H

#include "lib/base/err.h"

struct td_opts;

/* tdstat doctor --evidence [FILE], and --program NAME[:MS]. */
int td_evidence_check(const struct td_opts *opts, struct td_err *err);
/*
 * Counts the programs on each kind of core, and writes what came of it to the file
 * and, a line for each program, to standard output.  *status is 1 if a verdict is
 * not the one that is expected, or there is none at all.
 */
int td_evidence_give(const struct td_opts *opts, int *status,
		     struct td_err *err);
/* Runs one program, and prints how long it takes; nothing with --quiet. */
int td_evidence_run(const struct td_opts *opts, struct td_err *err);

#endif
