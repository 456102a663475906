/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_WAIT_H
#define TD_CMD_RUN_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/run/signals.h"
#include "lib/base/err.h"
#include "lib/base/ints.h"

/* Waits for deadlines, signals and the ends of processes in one poll(). */
struct td_waiter {
	/* Timers; -1 until they are armed. */
	int timer;   /* the next tick, absolute, so that errors do not add up */
	int timeout; /* fires once */
	int delay;   /* fires once */
	int signals; /* borrowed */
	int *pidfds; /* of attached tasks; -1 after their end */
	struct pollfd *polls; /* of td_waiter_wait() */
	size_t nr_pids, nr_alive;
	/* Threads without a pidfd (before Linux 6.9), checked at each tick. */
	struct td_ints polled;
	/* Borrowed descriptors, or -1. */
	int child;   /* pidfd of the command */
	int control; /* commands of --control */
	int tasks;   /* of the task watch */
	int viewer;  /* of struct td_viewer */
	bool child_ended;
	uint64_t start_ns;
	uint64_t ticks_ns, period_ns; /* ticks are counted from ticks_ns */
	uint64_t ticks;               /* that were reported */
};

enum td_wakeup {
	TD_WAKE_TICK = 1,
	/* SIGINT, SIGTERM, SIGHUP or SIGQUIT; without a command others, too */
	TD_WAKE_SIGNAL = 2,
	TD_WAKE_RELAY = 4,   /* another one, for the command */
	TD_WAKE_TARGETS = 8, /* the last attached task has ended */
	TD_WAKE_TIMEOUT = 16,
	TD_WAKE_DELAY = 32,
	TD_WAKE_CONTROL = 64,
	TD_WAKE_TASKS = 128,
	TD_WAKE_VIEWER = 256,
	TD_WAKE_REOPEN = 512, /* SIGHUP, which ends nothing (signals.h) */
};

#define TD_WAITER_NONE                      \
	((struct td_waiter){ .timer = -1,   \
			     .timeout = -1, \
			     .delay = -1,   \
			     .signals = -1, \
			     .child = -1,   \
			     .control = -1, \
			     .tasks = -1,   \
			     .viewer = -1 })

struct td_wake {
	unsigned int what; /* bits of enum td_wakeup */
	uint64_t ticks;    /* passed since the last time */
	struct td_signal signal;
};

/*
 * Catches signals (signals.h) and watches for the end of pids and tids.  Close with
 * td_waiter_close(), also after an error.
 */
int td_waiter_open(struct td_waiter *waiter, const struct td_ints *pids,
		   const struct td_ints *tids, struct td_err *err);
/* Disarms all timers and forgets the command, before a run. */
int td_waiter_reset(struct td_waiter *waiter, struct td_err *err);
/* Starts ticks every period_ns from now; timeout_ns 0 means no timeout. */
int td_waiter_start(struct td_waiter *waiter, uint64_t period_ns,
		    uint64_t timeout_ns, struct td_err *err);
/* From the last tick on; the next one may come as late as it would have. */
void td_waiter_set_period(struct td_waiter *waiter, uint64_t period_ns);
/* Stops ticks, --control, tasks and the viewer; signals, timeouts and ends go on. */
void td_waiter_stop_counting(struct td_waiter *waiter);
/* Sets the TD_WAKE_TIMEOUT to ns from now. */
int td_waiter_again(struct td_waiter *waiter, uint64_t ns, struct td_err *err);
/* Sets the TD_WAKE_DELAY to ns from now. */
int td_waiter_delay(struct td_waiter *waiter, uint64_t ns, struct td_err *err);
int td_waiter_wait(struct td_waiter *waiter, struct td_wake *wake,
		   struct td_err *err);
void td_waiter_close(struct td_waiter *waiter);

#endif
