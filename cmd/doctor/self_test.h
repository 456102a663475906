/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_SELF_TEST_H
#define TD_CMD_DOCTOR_SELF_TEST_H

#include "cmd/doctor/report.h"
#include "cmd/opts/opts.h"
#include "lib/machine/machine.h"

/*
 * Counts level 1 of this thread while it runs the loops (loops.h), on a CPU of
 * each kind of core, for half a second in all.  Where the threads of a core
 * share their slots, the core is counted.  Adds a test for each kind, and what
 * was noted as findings.  The thread may run where it could before at the end.
 * Returns -ENOMEM.
 */
int td_self_test_run(struct td_doctor *doctor, const struct td_opts *opts,
		     const struct td_machine *machine, struct td_err *err);

#endif
