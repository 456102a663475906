/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_WAIT_H
#define TD_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/parse.h"

/*
 * What a run waits for: deadlines, signals, the ends of processes, in one
 * poll().
 */
struct td_waiter {
	int timer;   /* the next tick, absolute: nothing accumulates */
	int timeout; /* once, when armed */
	int signals;
	int *pidfds; /* of attached processes, -1 behind their end */
	size_t nr_pids, nr_alive;
	int child; /* the command's pidfd, -1: none; borrowed */
	bool child_ended;
	sigset_t old_mask; /* the signals' state before */
	uint64_t start_ns;
};

enum td_wakeup {
	TD_WAKE_TICK = 1,
	TD_WAKE_SIGNAL = 2,  /* of SIGINT, SIGTERM, SIGHUP, SIGQUIT */
	TD_WAKE_TARGETS = 8, /* the last attached process has ended */
	TD_WAKE_TIMEOUT = 16,
};

struct td_wake {
	unsigned int what; /* td_wakeup bits */
	uint64_t ticks;    /* that have passed since the last time */
	int signal;
	bool from_process; /* kill(2), not the terminal */
};

uint64_t td_now_ns(void); /* CLOCK_MONOTONIC */

/* Blocks the signals.  Close with td_waiter_close(), whatever the result. */
int td_waiter_open(struct td_waiter *waiter, const struct td_ints *pids,
		   struct td_err *err);
/* Counting begins: ticks every period_ns from now; timeout_ns 0: none. */
int td_waiter_start(struct td_waiter *waiter, uint64_t period_ns,
		    uint64_t timeout_ns, struct td_err *err);
/* A TD_WAKE_TIMEOUT (once more), ns from now. */
int td_waiter_again(struct td_waiter *waiter, uint64_t ns, struct td_err *err);
int td_waiter_wait(struct td_waiter *waiter, struct td_wake *wake,
		   struct td_err *err);
void td_waiter_close(struct td_waiter *waiter);

#endif
