// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/wait.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"

/* Indices in polls. */
enum {
	POLL_TIMER,
	POLL_TIMEOUT,
	POLL_DELAY,
	POLL_SIGNALS,
	POLL_CHILD,
	POLL_CONTROL,
	POLL_TASKS,
	POLL_VIEWER,
	POLL_PIDS
};

static int no_such(const char *what, int id, struct td_err *err)
{
	return td_err_set(err, -errno, "%s %d: %s", what, id, strerror(errno));
}

static void add_pidfd(struct td_waiter *waiter, int fd)
{
	td_array_push(&waiter->pidfds, &waiter->nr_pids, &fd, sizeof(fd));
	waiter->nr_alive++;
}

static int open_pid(struct td_waiter *waiter, int pid, struct td_err *err)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 && errno == EINVAL)
		return td_err_set(err, -EINVAL, "process %d: this is a thread (-t %d)", pid, pid);
	if (fd < 0)
		return no_such("process", pid, err);
	add_pidfd(waiter, fd);
	return 0;
}

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* since Linux 6.9 */
#endif

static int open_tid(struct td_waiter *waiter, int tid, struct td_err *err)
{
	int fd = (int)syscall(SYS_pidfd_open, tid, PIDFD_THREAD);

	if (fd >= 0) {
		add_pidfd(waiter, fd);
		return 0;
	}
	if (errno != EINVAL)
		return no_such("thread", tid, err);
	td_ints_add(&waiter->polled, tid);
	waiter->nr_alive++;
	return 0;
}

int td_waiter_open(struct td_waiter *waiter, const struct td_ints *pids, const struct td_ints *tids,
		   struct td_err *err)
{
	int rc = 0;

	*waiter = TD_WAITER_NONE;
	waiter->signals = td_signals_open();
	td_signals_over(false);
	if (waiter->signals < 0)
		return td_err_set(err, -errno, "cannot wait for signals: %s", strerror(errno));
	for (size_t i = 0; !rc && i < pids->nr; i++)
		rc = open_pid(waiter, pids->v[i], err);
	for (size_t i = 0; !rc && i < tids->nr; i++)
		rc = open_tid(waiter, tids->v[i], err);
	/* here, so that waiting does not allocate memory */
	waiter->polls = td_calloc(POLL_PIDS + waiter->nr_pids, sizeof(*waiter->polls));
	return rc;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / TD_NS_A_SECOND), (long)(ns % TD_NS_A_SECOND) };
}

static int timer_error(struct td_err *err)
{
	return td_err_set(err, -errno, "timerfd: %s", strerror(errno));
}

/* Arms a timer.  Creates it first if necessary, because most runs need one of three timers. */
static int arm(int *fd, uint64_t deadline_ns, struct td_err *err)
{
	struct itimerspec spec = { .it_value = to_timespec(deadline_ns) };

	if (*fd < 0)
		*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd < 0 || timerfd_settime(*fd, TFD_TIMER_ABSTIME, &spec, NULL))
		return timer_error(err);
	return 0;
}

static int disarm(int fd, struct td_err *err)
{
	static const struct itimerspec never;

	return fd >= 0 && timerfd_settime(fd, 0, &never, NULL) ? timer_error(err) : 0;
}

int td_waiter_start(struct td_waiter *waiter, uint64_t period_ns, uint64_t timeout_ns,
		    struct td_err *err)
{
	int rc;

	waiter->start_ns = waiter->ticks_ns = td_now_ns();
	waiter->period_ns = period_ns;
	waiter->ticks = 0;
	rc = arm(&waiter->timer, waiter->start_ns + period_ns, err);
	if (!rc && timeout_ns)
		rc = arm(&waiter->timeout, waiter->start_ns + timeout_ns, err);
	return rc;
}

void td_waiter_set_period(struct td_waiter *waiter, uint64_t period_ns)
{
	waiter->ticks_ns += waiter->ticks * waiter->period_ns;
	waiter->ticks = 0;
	waiter->period_ns = period_ns;
}

int td_waiter_reset(struct td_waiter *waiter, struct td_err *err)
{
	int rc = disarm(waiter->timer, err);

	rc = rc ?: disarm(waiter->timeout, err);
	rc = rc ?: disarm(waiter->delay, err);
	waiter->child = waiter->tasks = -1;
	waiter->child_ended = false;
	waiter->start_ns = 0;
	return rc;
}

void td_waiter_stop_counting(struct td_waiter *waiter)
{
	td_close_fd(&waiter->timer);
	td_close_fd(&waiter->delay);
	waiter->control = waiter->tasks = waiter->viewer = -1;
}

int td_waiter_delay(struct td_waiter *waiter, uint64_t ns, struct td_err *err)
{
	return arm(&waiter->delay, td_now_ns() + ns, err);
}

int td_waiter_rearm(struct td_waiter *waiter, uint64_t ns, struct td_err *err)
{
	return arm(&waiter->timeout, td_now_ns() + ns, err);
}

/*
 * Returns the number of ticks that have passed according to the clock, and arms the timer for the
 * next one.  Arming clears its descriptor as read() does, so no tick is lost.
 */
static int take_ticks(struct td_waiter *waiter, struct td_wake *wake, struct td_err *err)
{
	uint64_t passed = (td_now_ns() - waiter->ticks_ns) / waiter->period_ns;

	wake->ticks = passed - waiter->ticks;
	wake->what |= wake->ticks ? TD_WAKE_TICK : 0;
	waiter->ticks = passed;
	return arm(&waiter->timer, waiter->ticks_ns + (passed + 1) * waiter->period_ns, err);
}

static int take_alarm(int fd, enum td_wakeup which, struct td_wake *wake, struct td_err *err)
{
	wake->what |= which;
	return disarm(fd, err);
}

static void take_pids(struct td_waiter *waiter, const struct pollfd *polls, struct td_wake *wake)
{
	for (size_t i = 0; i < waiter->nr_pids; i++) {
		if (waiter->pidfds[i] < 0 || !polls[POLL_PIDS + i].revents)
			continue;
		td_close_fd(&waiter->pidfds[i]);
		if (--waiter->nr_alive == 0)
			wake->what |= TD_WAKE_TARGETS;
	}
}

static void look_at_polled(struct td_waiter *waiter, struct td_wake *wake)
{
	size_t kept = 0;

	for (size_t i = 0; i < waiter->polled.nr; i++) {
		int tid = waiter->polled.v[i];

		if (kill(tid, 0) == 0 || errno != ESRCH)
			waiter->polled.v[kept++] = tid;
		else if (--waiter->nr_alive == 0)
			wake->what |= TD_WAKE_TARGETS;
	}
	waiter->polled.nr = kept;
}

static int take_timers(struct td_waiter *waiter, const struct pollfd *polls, struct td_wake *wake,
		       struct td_err *err)
{
	int rc = 0;

	if (polls[POLL_TIMER].revents) {
		look_at_polled(waiter, wake);
		rc = take_ticks(waiter, wake, err);
	}
	if (!rc && polls[POLL_DELAY].revents)
		rc = take_alarm(waiter->delay, TD_WAKE_DELAY, wake, err);
	if (!rc && polls[POLL_TIMEOUT].revents)
		rc = take_alarm(waiter->timeout, TD_WAKE_TIMEOUT, wake, err);
	return rc;
}

/*
 * Takes a signal.  When the command has ended, the signal that ended it may have been sent to
 * tdstat as well: it has arrived, but perhaps after poll() returned.
 */
static void take_signal(const struct td_waiter *waiter, const struct pollfd *polls,
			struct td_wake *wake)
{
	if (!polls[POLL_SIGNALS].revents && !waiter->child_ended)
		return;
	if (!td_signals_take(&wake->signal))
		return;
	if (td_signals_is_request(&wake->signal))
		wake->what |= TD_WAKE_REOPEN;
	else if (td_signals_is_ending(&wake->signal) || waiter->child < 0)
		wake->what |= TD_WAKE_SIGNAL;
	else
		wake->what |= TD_WAKE_RELAY;
}

static void take_rest(struct td_waiter *waiter, const struct pollfd *polls, struct td_wake *wake)
{
	if (polls[POLL_CONTROL].revents)
		wake->what |= TD_WAKE_CONTROL;
	if (polls[POLL_TASKS].revents)
		wake->what |= TD_WAKE_TASKS;
	if (polls[POLL_VIEWER].revents)
		wake->what |= TD_WAKE_VIEWER;
	if (polls[POLL_CHILD].revents)
		waiter->child_ended = true;
	take_signal(waiter, polls, wake);
	take_pids(waiter, polls, wake);
}

int td_waiter_wait(struct td_waiter *waiter, struct td_wake *wake, struct td_err *err)
{
	size_t nr = POLL_PIDS + waiter->nr_pids;
	struct pollfd *polls = waiter->polls;

	*wake = (struct td_wake){ 0 };
	polls[POLL_TIMER].fd = waiter->timer;
	polls[POLL_TIMEOUT].fd = waiter->timeout;
	polls[POLL_DELAY].fd = waiter->delay;
	polls[POLL_CONTROL].fd = waiter->control;
	polls[POLL_TASKS].fd = waiter->tasks;
	polls[POLL_VIEWER].fd = waiter->viewer;
	polls[POLL_SIGNALS].fd = waiter->signals;
	polls[POLL_CHILD].fd = waiter->child_ended ? -1 : waiter->child;
	for (size_t i = 0; i < waiter->nr_pids; i++)
		polls[POLL_PIDS + i].fd = waiter->pidfds[i];
	for (size_t i = 0; i < nr; i++)
		polls[i].events = POLLIN;
	while (poll(polls, nr, -1) < 0) {
		if (errno != EINTR)
			return td_err_set(err, -errno, "poll: %s", strerror(errno));
	}
	if (take_timers(waiter, polls, wake, err))
		return err->code;
	take_rest(waiter, polls, wake);
	return 0;
}

void td_waiter_close(struct td_waiter *waiter)
{
	td_close_fd(&waiter->timer);
	td_close_fd(&waiter->timeout);
	td_close_fd(&waiter->delay);
	for (size_t i = 0; i < waiter->nr_pids; i++)
		td_close_fd(&waiter->pidfds[i]);
	free(waiter->pidfds);
	free(waiter->polls);
	td_ints_free(&waiter->polled);
	*waiter = TD_WAITER_NONE;
}
