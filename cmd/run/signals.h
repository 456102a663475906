/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_SIGNALS_H
#define TD_CMD_RUN_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "lib/base/err.h"

/*
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT, of all subcommands that count.  A signal is
 * waited for in a poll() like all else (wait.h), and what is to be done for it is
 * said there.  But it ends this process at once, as if nobody had caught it,
 *
 *   if the one before it, TD_TWICE_NS ago or more, is still waited with: something
 *   keeps us from looking, such as a pipe that nobody reads;
 *   if counting is over, and one has come before.
 *
 * So the second or third one ends each subcommand, whatever it is at.  Signals
 * closer together count as one: timeout(1), and a terminal that hangs up, signal
 * us and our process group at the same time.
 *
 * All others that would end us are waited for, too, as the result would be lost, and
 * a command would go on alone: they are the command's, and without one end the
 * counting.  None of them ends us at once.
 */
#define TD_TWICE_NS UINT64_C(100000000)

struct td_signal {
	uint64_t time_ns;
	int number;
	bool from_process; /* kill(2), not the terminal */
};

/*
 * Catches them from now on, but not a SIGHUP that is ignored, as under nohup(1).
 * Returns a descriptor that is readable when one has come, for all callers the
 * same; -1 with errno.
 */
int td_signals_open(void);
/*
 * Before td_signals_open(), of who writes to files that somebody may rotate: SIGHUP
 * is a request to open them anew.  It ends nothing, however often it comes; with
 * false, it ends the run again.
 */
void td_signals_keep_hangup(bool keep);
/* False: none has come that was not taken. */
bool td_signals_take(struct td_signal *taken);
/* Is it a SIGHUP that asks for files to be opened anew? */
bool td_signals_is_request(const struct td_signal *signal);
/* Is it one of the first four, and no request? */
bool td_signals_is_ending(const struct td_signal *signal);
/* What is left to do is to show what was counted. */
void td_signals_over(bool over);
/* The first one ends us: nothing would be lost. */
void td_signals_let_through(bool let);
/*
 * What is to be done before one ends us, of what a handler may do; NULL: nothing.
 */
void td_signals_before_end(void (*tidy_up)(void));
/*
 * In a child, at once: signals wait, as our handlers would tell us of them.
 * td_inherited_restore() ends it.
 */
void td_signals_hold(void);

/*
 * Process state that we inherited and changed, to restore it in children, besides
 * what signals did before.
 */
struct td_inherited {
	bool sigchld_ignored;
	struct rlimit nofile;
	bool nofile_raised;
};

/*
 * Stops ignoring SIGCHLD, raises the limit of open files, and keeps the right to
 * count from commands.
 */
void td_inherited_change(struct td_inherited *inherited);
/* Restores the state in a child before its exec(). */
void td_inherited_restore(const struct td_inherited *inherited);
/* Adds a hint to an error for lack of descriptors, unless it has one. */
void td_inherited_hint(struct td_err *err);

#endif
