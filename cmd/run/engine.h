/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_ENGINE_H
#define TD_CMD_RUN_ENGINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cmd/run/signals.h"
#include "cmd/run/wait.h"
#include "lib/base/err.h"
#include "lib/count/report.h"

/* The command: forked first, held until the counters are open. */
struct td_child {
	pid_t pid;  /* 0 if there is none */
	int go;     /* pipe: a byte starts the command */
	int failed; /* pipe: returns before_ns and the errno of exec() */
	int pidfd;
	bool runs; /* its exec() succeeded */
	bool reaped;
	int status;         /* as in the shell: exit status, or 128 + signal */
	uint64_t before_ns; /* CPU time before its exec() */
	uint64_t switches; /* voluntary context switches, with its children's */
	uint64_t signal_ns; /* when the first was passed on; 0: none was */
};

/*
 * Starts the command.  If exec() fails, that is the error, and status is 127 or
 * 126.
 */
int td_child_release(struct td_child *child, const char *name,
		     struct td_err *err);
/* True if it ran, or cannot be run: there is nothing more to start. */
bool td_child_is_over(const struct td_child *child);
/* Waits for its end and fills in the times of usage. */
int td_child_wait(struct td_child *child, struct td_usage *usage,
		  struct td_err *err);
/* Waits for its end; a command that was never released just exits. */
void td_child_end(struct td_child *child);

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

/*
 * Forks the command, with the signals and limits of inherited, and holds it before
 * its exec().  NULL: there is none.
 */
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
