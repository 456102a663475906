/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_ENGINE_H
#define TD_CMD_RUN_ENGINE_H

#include "cmd/run/child.h"
#include "cmd/run/wait.h"

/*
 * What counting, sampling and regions have in common: a command, or tasks that
 * run already, until they end, a signal comes or the time is over.
 */
struct td_engine {
	struct td_waiter waiter;
	struct td_child child;
	int signals;        /* that ask us to stop, not only the command */
	uint64_t signal_ns; /* when the last of all came; 0: none did */
	bool timed_out;
};

/*
 * Called each time that something happens.  Returns 1 if it is over where there is
 * no command.  After an error it is not called again, but a command is waited for.
 */
typedef int td_engine_serve(void *ctx, const struct td_wake *wake,
			    struct td_err *err);

/* Forks the command and holds it as td_child_start() does; NULL: there is none. */
int td_engine_start(struct td_engine *engine, char **command,
		    const struct td_inherited *inherited, struct td_err *err);
/*
 * Until the command, which was released, has ended.  It gets signals, and SIGTERM
 * when the time is over; the second one kills it, as does a second more.  Returns
 * the first error.  serve NULL: the command alone.
 */
int td_engine_run(struct td_engine *engine, td_engine_serve *serve, void *ctx,
		  struct td_err *err);
/* Forgets a command, which has ended, and disarms all timers. */
int td_engine_reset(struct td_engine *engine, struct td_err *err);

#endif
