/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_WAIT_H
#define TD_CMD_RUN_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"

/*
 * What a run waits for: deadlines, signals, the ends of processes, in one
 * poll().
 */
struct td_waiter {
	/* -1: not armed yet */
	int timer;   /* the next tick, absolute: nothing accumulates */
	int timeout; /* once, when armed */
	int delay;   /* the same */
	int signals;
	int *pidfds; /* of attached tasks, -1 behind their end */
	size_t nr_pids, nr_alive;
	/* Threads that the kernel gives no pidfd for: looked at every tick. */
	struct td_ints polled;
	/* Borrowed, -1: none. */
	int child;   /* the command's pidfd */
	int control; /* commands come in here */
	int tasks;   /* what becomes of threads */
	bool child_ended;
	uint64_t start_ns, period_ns;
	uint64_t ticks; /* that were told of */
	sigset_t mask;  /* the signals that are waited for */
};

enum td_wakeup {
	TD_WAKE_TICK = 1,
	TD_WAKE_SIGNAL = 2,  /* of SIGINT, SIGTERM, SIGHUP, SIGQUIT */
	TD_WAKE_TARGETS = 8, /* the last attached process has ended */
	TD_WAKE_TIMEOUT = 16,
	TD_WAKE_DELAY = 32,
	TD_WAKE_CONTROL = 64,
	TD_WAKE_TASKS = 128,
};

#define TD_WAITER_NONE                      \
	((struct td_waiter){ .timer = -1,   \
			     .timeout = -1, \
			     .delay = -1,   \
			     .signals = -1, \
			     .child = -1,   \
			     .control = -1, \
			     .tasks = -1 })

struct td_wake {
	unsigned int what; /* td_wakeup bits */
	uint64_t ticks;    /* that have passed since the last time */
	int signal;
	bool from_process; /* kill(2), not the terminal */
};

/*
 * Blocks the signals, SIGHUP unless it is ignored (nohup(1)), until we end;
 * before: what was blocked so far.  Of each process and thread the end is to be
 * noticed.  Close with td_waiter_close(), whatever the result.
 */
int td_waiter_open(struct td_waiter *waiter, const struct td_ints *pids,
		   const struct td_ints *tids, sigset_t *before,
		   struct td_err *err);
/* Before a run: nothing is armed, and there is no command. */
int td_waiter_reset(struct td_waiter *waiter, struct td_err *err);
/* Counting begins: ticks every period_ns from now; timeout_ns 0: none. */
int td_waiter_start(struct td_waiter *waiter, uint64_t period_ns,
		    uint64_t timeout_ns, struct td_err *err);
/* No more ticks, controls and tasks: only signals, timeouts and ends. */
void td_waiter_stop_counting(struct td_waiter *waiter);
/* A TD_WAKE_TIMEOUT (once more), ns from now. */
int td_waiter_again(struct td_waiter *waiter, uint64_t ns, struct td_err *err);
/* A TD_WAKE_DELAY, ns from now. */
int td_waiter_delay(struct td_waiter *waiter, uint64_t ns, struct td_err *err);
int td_waiter_wait(struct td_waiter *waiter, struct td_wake *wake,
		   struct td_err *err);
/* Has one of the signals come that nobody waited for?  It is taken. */
bool td_waiter_has_signal(struct td_waiter *waiter);
void td_waiter_close(struct td_waiter *waiter);

#endif
