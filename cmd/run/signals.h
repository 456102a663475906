/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sys/resource.h>

#include "lib/base/err.h"

/*
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT, in all subcommands that count.  A handler writes them to a
 * pipe, which poll() waits for (wait.h).
 *
 * A signal ends this process immediately, as if it were not caught,
 *
 *   if the previous signal, at least TD_TWICE_NS ago, was not read yet: tdstat is blocked, for
 *   example by a pipe without a reader;
 *   if counting is over, and a signal has arrived before.
 *
 * So the second or third signal ends each subcommand, whatever it does.  Signals at shorter
 * distances count as one, because timeout(1), and a terminal that hangs up, signal tdstat and its
 * process group at the same time.
 *
 * All other signals that would end tdstat are caught as well, because the result would be lost, and
 * the command would continue alone.  They are passed to the command; without a command, they end
 * the counting.  They never end tdstat immediately.
 */
#define TD_TWICE_NS UINT64_C(100000000)

struct td_signal {
	uint64_t time_ns;
	int number;
	bool from_process; /* kill(2), not the terminal */
};

/*
 * Catch signals, except an ignored SIGHUP, for example under nohup(1).  Returns a descriptor
 * that is readable when a signal has arrived, and is the same for all callers; -1 with errno.
 */
int td_signals_open(void);
/*
 * Set whether SIGHUP is a request to reopen files, which never ends the run.  Call it before
 * td_signals_open().
 */
void td_signals_keep_hangup(bool keep);
/* Get the next signal.  Returns false if there is none. */
bool td_signals_take(struct td_signal *taken);
/* Return true if the signal is a SIGHUP that asks to reopen files. */
bool td_signals_is_request(const struct td_signal *signal);
/* Return true for SIGINT, SIGTERM, SIGHUP and SIGQUIT, unless the signal is a request. */
bool td_signals_is_ending(const struct td_signal *signal);
/* Set whether counting is over, and only the result has to be shown. */
void td_signals_over(bool over);
/* Set whether the first signal ends tdstat, because nothing would be lost. */
void td_signals_let_through(bool let);
/* Set a function to call in the handler before a signal ends tdstat; NULL: none. */
void td_signals_before_end(void (*tidy_up)(void));
/* Call the function of td_signals_before_end(), before tdstat ends in another way. */
void td_signals_tidy_up(void);
/*
 * Block all signals until td_inherited_restore().  Call it first in a child: the handlers
 * would write to the parent's pipe.
 */
void td_signals_hold(void);

/* Inherited process state that tdstat changed, to restore it in children. */
struct td_inherited {
	bool sigchld_ignored;
	struct rlimit nofile;
	bool nofile_raised;
};

/*
 * Stop ignoring SIGCHLD, raise the limit of open files, and keep the right to count from commands.
 */
void td_inherited_change(struct td_inherited *inherited);
/* Return the state of the last change, or an empty one. */
const struct td_inherited *td_inherited_last(void);
/* Restore the state in a child before its exec(). */
void td_inherited_restore(const struct td_inherited *inherited);
/* Add a hint to an error for lack of descriptors, unless it has one. */
void td_inherited_hint(struct td_err *err);
