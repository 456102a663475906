// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/signals.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/machine/privileges.h"

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
/* Other signals that end a process by default and are not faults, except real-time signals. */
static const int others[] = { SIGUSR1, SIGUSR2,   SIGALRM, SIGABRT,   SIGPOLL,
			      SIGPROF, SIGVTALRM, SIGPWR,  SIGSTKFLT, SIGXCPU };

/* Global because a signal handler gets no context argument. */
static struct {
	bool is_open;
	int fds[2];                  /* pipe of struct td_signal */
	sigset_t mask, ignored;      /* inherited state */
	atomic_int waiting;          /* number of signals not read yet */
	_Atomic uint64_t waiting_ns; /* time of the first signal not read yet */
	_Atomic uint64_t first_ns;   /* time of the first signal; 0: none */
	atomic_bool over, let;
	bool keeps_hangup; /* SIGHUP is a request, and never ends the run */
	void (*tidy_up)(void);
} caught;

void td_signals_tidy_up(void)
{
	if (caught.tidy_up)
		caught.tidy_up();
}

/* Raise the signal again, with its default action when the handler returns. */
static void end_by(int number)
{
	td_signals_tidy_up();
	signal(number, SIG_DFL);
	raise(number);
}

static bool is_second(uint64_t first_ns, uint64_t now)
{
	return first_ns && now > first_ns && now - first_ns >= TD_TWICE_NS;
}

static bool is_to_end(uint64_t now)
{
	return caught.let || (caught.waiting && is_second(caught.waiting_ns, now)) ||
	       (caught.over && is_second(caught.first_ns, now));
}

static bool is_request(int number)
{
	return number == SIGHUP && caught.keeps_hangup;
}

static bool is_ending(int number)
{
	size_t i = 0;

	while (i < TD_ARRAY_SIZE(ending) && ending[i] != number)
		i++;
	return i < TD_ARRAY_SIZE(ending) && !is_request(number);
}

/* Write to the pipe.  A full pipe has more signals than the reader needs. */
static void send(const struct td_signal *signal)
{
	if (write(caught.fds[1], signal, sizeof(*signal)) < 0)
		errno = 0;
}

static void handle(int number, siginfo_t *info, void *context)
{
	const struct td_signal signal = { td_now_ns(), number, info->si_code <= 0 };
	int before = errno;

	(void)context;
	if (is_request(number) || (!is_ending(number) && !caught.let)) {
		send(&signal);
		errno = before;
		return;
	}
	if (is_to_end(signal.time_ns)) {
		end_by(number);
		return;
	}
	if (!caught.first_ns)
		caught.first_ns = signal.time_ns;
	if (!caught.waiting++)
		caught.waiting_ns = signal.time_ns;
	send(&signal);
	errno = before;
}

static int catch_signal(int number, struct sigaction *before)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigfillset(&action.sa_mask);
	return sigaction(number, &action, before);
}

/* Catch a signal, unless it is ignored or caught by a library that was loaded first. */
static void catch_other(int number)
{
	struct sigaction before;

	if (catch_signal(number, &before) == 0 && before.sa_handler != SIG_DFL)
		sigaction(number, &before, NULL);
}

static int catch_ending(int number)
{
	struct sigaction before;

	if (catch_signal(number, &before))
		return -1;
	if (before.sa_handler != SIG_IGN)
		return 0;
	if (number == SIGHUP)
		return sigaction(number, &before, NULL);
	sigaddset(&caught.ignored, number);
	return 0;
}

static sigset_t list_ending(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < TD_ARRAY_SIZE(ending); i++)
		sigaddset(&set, ending[i]);
	return set;
}

int td_signals_open(void)
{
	sigset_t set = list_ending();

	if (caught.is_open)
		return caught.fds[0];
	if (pipe2(caught.fds, O_CLOEXEC | O_NONBLOCK))
		return -1;
	sigemptyset(&caught.ignored);
	for (size_t i = 0; i < TD_ARRAY_SIZE(ending); i++) {
		if (catch_ending(ending[i]))
			return -1;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++)
		catch_other(others[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		catch_other(number);
	caught.is_open = sigprocmask(SIG_UNBLOCK, &set, &caught.mask) == 0;
	return caught.is_open ? caught.fds[0] : -1;
}

bool td_signals_take(struct td_signal *taken)
{
	if (!caught.is_open || read(caught.fds[0], taken, sizeof(*taken)) != sizeof(*taken))
		return false;
	if (is_ending(taken->number))
		caught.waiting--;
	return true;
}

bool td_signals_is_request(const struct td_signal *signal)
{
	return is_request(signal->number);
}

bool td_signals_is_ending(const struct td_signal *signal)
{
	return is_ending(signal->number);
}

void td_signals_keep_hangup(bool keep)
{
	caught.keeps_hangup = keep;
}

void td_signals_over(bool over)
{
	caught.over = over;
}

void td_signals_let_through(bool let)
{
	caught.let = let;
}

void td_signals_before_end(void (*tidy_up)(void))
{
	caught.tidy_up = tidy_up;
}

void td_signals_hold(void)
{
	sigset_t all;

	if (!caught.is_open)
		return;
	/* a pending signal ends the child when it is unblocked */
	caught.let = true;
	caught.keeps_hangup = false;
	caught.tidy_up = NULL;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

static void signals_restore(void)
{
	if (!caught.is_open)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(ending); i++) {
		if (sigismember(&caught.ignored, ending[i]))
			signal(ending[i], SIG_IGN);
	}
	sigprocmask(SIG_SETMASK, &caught.mask, NULL);
}

/* --- dispositions that the command inherits ------------------------------- */

static struct td_inherited last;

void td_inherited_change(struct td_inherited *inherited)
{
	/*
	 * the command must not inherit the right to count: exec() would remove a capability that
	 * comes from the file, but not an ambient one
	 */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, CAP_PERFMON, 0, 0);
	/* if SIGCHLD is ignored, wait4() cannot return the command's status */
	inherited->sigchld_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	inherited->nofile_raised = td_open_files_raise(&inherited->nofile);
	last = *inherited;
}

const struct td_inherited *td_inherited_last(void)
{
	return &last;
}

void td_inherited_restore(const struct td_inherited *inherited)
{
	if (inherited->nofile_raised)
		setrlimit(RLIMIT_NOFILE, &inherited->nofile);
	if (inherited->sigchld_ignored)
		signal(SIGCHLD, SIG_IGN);
	signals_restore();
}

void td_inherited_hint(struct td_err *err)
{
	struct rlimit limit;

	if (err->code != -EMFILE || err->hint[0] || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	td_err_hint(err,
		    "no more than %" PRIu64 " may be open at a time: raise the limit (ulimit -n)",
		    (uint64_t)limit.rlim_cur);
}
