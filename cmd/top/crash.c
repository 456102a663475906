// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/crash.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/run/signals.h"
#include "lib/base/util.h"

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* For a handler, which has nothing else to know it from. */
static struct {
	struct termios modes;
	char leave[128];
	size_t len;
} before;

/* Calls only what a handler may call. */
static void leave_terminal(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &before.modes);
	if (write(STDOUT_FILENO, before.leave, before.len) < 0)
		before.len = 0; /* the terminal has gone */
}

/* The signal comes again, and ends us. */
static void restore(int number)
{
	leave_terminal();
	raise(number);
}

/* Leaves the handlers of sanitizers alone. */
static void set(int number, void (*from)(int), void (*to)(int))
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) || action.sa_handler != from)
		return;
	action = (struct sigaction){ .sa_handler = to };
	sigemptyset(&action.sa_mask);
	action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
	sigaction(number, &action, NULL);
}

void td_crash_prepare(const char *leave)
{
	if (tcgetattr(STDIN_FILENO, &before.modes))
		return;
	snprintf(before.leave, sizeof(before.leave), "%s", leave);
	before.len = strlen(before.leave);
	for (size_t i = 0; i < TD_ARRAY_SIZE(crashes); i++)
		set(crashes[i], SIG_DFL, restore);
	td_signals_before_end(leave_terminal);
}

void td_crash_forget(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(crashes); i++)
		set(crashes[i], restore, SIG_DFL);
	td_signals_before_end(NULL);
}
