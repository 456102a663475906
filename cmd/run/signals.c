// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/signals.h"

#include <errno.h>
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
/* What else ends a process by default and is no fault; and those of real time. */
static const int others[] = { SIGUSR1, SIGUSR2,   SIGALRM, SIGABRT,   SIGPOLL,
			      SIGPROF, SIGVTALRM, SIGPWR,  SIGSTKFLT, SIGXCPU };

/* For the handler, which has nothing else to know it from. */
static struct {
	bool is_open;
	int fds[2];                  /* a pipe of struct td_signal */
	sigset_t mask, ignored;      /* before */
	atomic_int waiting;          /* signals that were not taken */
	_Atomic uint64_t waiting_ns; /* when the first of them came */
	_Atomic uint64_t first_ns;   /* when the first of all came; 0: none */
	atomic_bool over, let;
	bool keeps_hangup; /* SIGHUP is a request, and ends nothing */
	void (*tidy_up)(void);
} heard;

/* It comes again when the handler returns, and nobody catches it. */
static void end_by(int number)
{
	if (heard.tidy_up)
		heard.tidy_up();
	signal(number, SIG_DFL);
	raise(number);
}

static bool is_second(uint64_t first_ns, uint64_t now)
{
	return first_ns && now > first_ns && now - first_ns >= TD_TWICE_NS;
}

static bool is_to_end(uint64_t now)
{
	return heard.let ||
	       (heard.waiting && is_second(heard.waiting_ns, now)) ||
	       (heard.over && is_second(heard.first_ns, now));
}

static bool is_request(int number)
{
	return number == SIGHUP && heard.keeps_hangup;
}

static bool is_ending(int number)
{
	size_t i = 0;

	while (i < TD_ARRAY_SIZE(ending) && ending[i] != number)
		i++;
	return i < TD_ARRAY_SIZE(ending) && !is_request(number);
}

/* A full pipe has more of them than anybody waits for. */
static void tell(const struct td_signal *signal)
{
	if (write(heard.fds[1], signal, sizeof(*signal)) < 0)
		errno = 0;
}

static void hear(int number, siginfo_t *info, void *context)
{
	const struct td_signal signal = { td_now_ns(), number,
					  info->si_code <= 0 };
	int before = errno;

	(void)context;
	if (is_request(number) || (!is_ending(number) && !heard.let)) {
		tell(&signal);
		errno = before;
		return;
	}
	if (is_to_end(signal.time_ns)) {
		end_by(number);
		return;
	}
	if (!heard.first_ns)
		heard.first_ns = signal.time_ns;
	if (!heard.waiting++)
		heard.waiting_ns = signal.time_ns;
	tell(&signal);
	errno = before;
}

static int catch_signal(int number, struct sigaction *before)
{
	struct sigaction action = { .sa_sigaction = hear };

	/* all else that was begun goes on */
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigfillset(&action.sa_mask);
	return sigaction(number, &action, before);
}

/* Not if it is ignored, or a library that was loaded first wants it. */
static void listen_to_other(int number)
{
	struct sigaction before;

	if (catch_signal(number, &before) == 0 && before.sa_handler != SIG_DFL)
		sigaction(number, &before, NULL);
}

static int listen_to(int number)
{
	struct sigaction before;

	if (catch_signal(number, &before))
		return -1;
	if (before.sa_handler != SIG_IGN)
		return 0;
	if (number == SIGHUP)
		return sigaction(number, &before, NULL);
	sigaddset(&heard.ignored, number);
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

	if (heard.is_open)
		return heard.fds[0];
	if (pipe2(heard.fds, O_CLOEXEC | O_NONBLOCK))
		return -1;
	sigemptyset(&heard.ignored);
	for (size_t i = 0; i < TD_ARRAY_SIZE(ending); i++) {
		if (listen_to(ending[i]))
			return -1;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++)
		listen_to_other(others[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		listen_to_other(number);
	heard.is_open = sigprocmask(SIG_UNBLOCK, &set, &heard.mask) == 0;
	return heard.is_open ? heard.fds[0] : -1;
}

bool td_signals_take(struct td_signal *taken)
{
	if (!heard.is_open ||
	    read(heard.fds[0], taken, sizeof(*taken)) != sizeof(*taken))
		return false;
	if (is_ending(taken->number))
		heard.waiting--;
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
	heard.keeps_hangup = keep;
}

void td_signals_over(bool over)
{
	heard.over = over;
}

void td_signals_let_through(bool let)
{
	heard.let = let;
}

void td_signals_before_end(void (*tidy_up)(void))
{
	heard.tidy_up = tidy_up;
}

void td_signals_hold(void)
{
	sigset_t all;

	if (!heard.is_open)
		return;
	/* what has waited ends the child when it may */
	heard.let = true;
	heard.keeps_hangup = false;
	heard.tidy_up = NULL;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

static void signals_restore(void)
{
	if (!heard.is_open)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(ending); i++) {
		if (sigismember(&heard.ignored, ending[i]))
			signal(ending[i], SIG_IGN);
	}
	sigprocmask(SIG_SETMASK, &heard.mask, NULL);
}

/* --- dispositions that the command inherits ------------------------------- */

/*
 * The right to count is ours alone.  As a capability of our file, exec() of the
 * command takes it away; as an ambient one, exec() would hand it on.
 */
static void keep_right_to_ourselves(void)
{
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, CAP_PERFMON, 0, 0);
}

void td_inherited_change(struct td_inherited *inherited)
{
	keep_right_to_ourselves();
	/* if it is ignored, wait4() cannot return the command's status */
	inherited->sigchld_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	inherited->nofile_raised = td_open_files_raise(&inherited->nofile);
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

	if (err->code != -EMFILE || err->hint[0] ||
	    getrlimit(RLIMIT_NOFILE, &limit))
		return;
	td_err_hint(err,
		    "no more than %" PRIu64 " may be open at a time: "
		    "raise the limit (ulimit -n)",
		    (uint64_t)limit.rlim_cur);
}
