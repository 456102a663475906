/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/run/signals.h"
#include "lib/base/ints.h"

/* Waits for deadlines, signals and the ends of processes in one poll(). */
struct td_waiter {
	/* Timers; -1 until they are armed. */
	int timer;   /* timer of the next tick, which is absolute so that errors do not add up */
	int timeout; /* timer of TD_WAKE_TIMEOUT; fires once */
	int delay;   /* timer of TD_WAKE_DELAY; fires once */
	int signals; /* borrowed */
	int *pidfds; /* pidfds of attached tasks; -1 after their end */
	struct pollfd *polls; /* array for td_waiter_wait() */
	size_t nr_pids, nr_alive;
	/* Threads without a pidfd (before Linux 6.9), checked at each tick. */
	struct td_ints polled;
	/* Borrowed descriptors, or -1. */
	int child;   /* pidfd of the command */
	int control; /* descriptor of the commands of --control */
	int tasks;   /* descriptor of the task watch */
	int viewer;  /* descriptor of the viewer */
	bool child_ended;
	uint64_t start_ns;
	uint64_t ticks_ns, period_ns; /* ticks are counted from ticks_ns */
	uint64_t ticks;               /* number of ticks reported */
};

enum td_wakeup {
	TD_WAKE_TICK = 1,
	/* SIGINT, SIGTERM, SIGHUP or SIGQUIT; without a command also other signals */
	TD_WAKE_SIGNAL = 2,
	TD_WAKE_RELAY = 4,   /* another signal, to pass on to the command */
	TD_WAKE_TARGETS = 8, /* the last attached task has ended */
	TD_WAKE_TIMEOUT = 16,
	TD_WAKE_DELAY = 32,
	TD_WAKE_CONTROL = 64,
	TD_WAKE_TASKS = 128,
	TD_WAKE_VIEWER = 256,
	TD_WAKE_REOPEN = 512, /* SIGHUP as a request to reopen files (signals.h) */
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
	uint64_t ticks;    /* number of ticks since the last report */
	struct td_signal signal;
};

/*
 * Catches signals (signals.h) and watches for the end of pids and tids.  Close with
 * td_waiter_close(), also after an error.
 */
int td_waiter_open(struct td_waiter *waiter, const struct td_ints *pids, const struct td_ints *tids,
		   struct td_err *err);
/* Disarms all timers and forgets the command, before a run. */
int td_waiter_reset(struct td_waiter *waiter, struct td_err *err);
/* Starts ticks every period_ns from now; timeout_ns 0 means no timeout. */
int td_waiter_start(struct td_waiter *waiter, uint64_t period_ns, uint64_t timeout_ns,
		    struct td_err *err);
/* Sets the period from the last tick on.  The next tick may still come after the old period. */
void td_waiter_set_period(struct td_waiter *waiter, uint64_t period_ns);
/* Stops waking for ticks, --control, tasks and the viewer; not for signals, timeouts and ends. */
void td_waiter_stop_counting(struct td_waiter *waiter);
/* Arms the timer of TD_WAKE_TIMEOUT, ns from now. */
int td_waiter_rearm(struct td_waiter *waiter, uint64_t ns, struct td_err *err);
/* Arms the timer of TD_WAKE_DELAY, ns from now. */
int td_waiter_delay(struct td_waiter *waiter, uint64_t ns, struct td_err *err);
int td_waiter_wait(struct td_waiter *waiter, struct td_wake *wake, struct td_err *err);
void td_waiter_close(struct td_waiter *waiter);
