/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_LOOPS_H
#define TD_CMD_DOCTOR_LOOPS_H

#include <stdint.h>

#include "cmd/doctor/report.h"
#include "lib/base/err.h"

/*
 * The loops of the self-test.  Each does one thing, in user space only, so that
 * it is known where its slots go:
 *
 * retiring: additions that do not wait for each other, and as many no-ops, in a
 * body of 256 bytes: the front end delivers it without a miss and nothing waits.
 * mispredict: branches on the bits of a random number, of which no history tells
 * the next: half of them are predicted wrongly.
 * chase: each load needs the result of the one before it, in a random order over
 * more memory than the second-level caches have: nothing can be done meanwhile.
 */
struct td_loops {
	void **ring; /* of the chase: each element has the address of another */
};

/* Prepares the memory.  Returns -ENOMEM.  Free it even then. */
int td_loops_make(struct td_loops *loops, struct td_err *err);
void td_loops_free(struct td_loops *loops);

/*
 * Runs a loop for ns nanoseconds.  Meanwhile the thread has its name (td-chase),
 * by which top and perf tell the loops apart.  Returns the number of its steps:
 * bodies of instructions, branches, loads.
 */
uint64_t td_loop_run(const struct td_loops *loops, enum td_loop loop,
		     uint64_t ns);

/* Makes order, of nr indices, one cycle through all of them: random, and always the same. */
void td_loops_shuffle(uint32_t *order, uint32_t nr);

#endif
