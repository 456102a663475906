/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sys/types.h>

#include "cmd/run/signals.h"
#include "cmd/run/wait.h"
#include "lib/count/report.h"

/* The command, which is forked first and held until the counters are open. */
struct td_child {
	pid_t pid;  /* 0: no command */
	int go;     /* pipe: a byte starts the command */
	int failed; /* pipe from the child: before_ns, and the errno of exec() if that failed */
	int pidfd;
	bool runs; /* exec() succeeded */
	bool reaped;
	int status;         /* as in the shell: exit status, or 128 + signal */
	uint64_t before_ns; /* CPU time before exec() */
	uint64_t switches;  /* voluntary context switches, including its children's */
	uint64_t signal_ns; /* time of the first signal that was passed on; 0: none */
};

/* Start the command.  Returns an error if exec() fails; status is then 127 or 126. */
int td_child_release(struct td_child *child, const char *name, struct td_err *err);
/* Return true if the command ran or cannot be run, so that it must not be started again. */
bool td_child_is_over(const struct td_child *child);
/* Wait for the end of the command and fill in the times of usage. */
int td_child_wait(struct td_child *child, struct td_usage *usage, struct td_err *err);
/*
 * The last resort: fork(), exec() and waitpid(), which need no descriptor and no memory.
 * Signals that tdstat blocks still reach the command if they come from the terminal.
 * Returns 0, with the status, or -errno.
 */
int td_run_plainly(char **argv, const struct td_inherited *inherited, int *status);
/* Wait for the end of the command; one that was never released just exits. */
void td_child_end(struct td_child *child);

/*
 * The loop of counting, sampling and regions: a command, or tasks that already run,
 * until they end, a signal arrives or the time is over.
 */
struct td_engine {
	struct td_waiter waiter;
	struct td_child child;
	int signals;        /* number of signals that ask tdstat to stop, not only the command */
	uint64_t signal_ns; /* time of the last signal of any kind; 0: none */
	bool timed_out;
};

/*
 * Called for each wakeup.  Without a command, returning 1 ends the loop.  After an error it
 * is not called again, but the loop waits for a command.
 */
typedef int td_engine_serve(void *ctx, const struct td_wake *wake, struct td_err *err);

/*
 * Fork the command, with the signals and limits of inherited, and hold it before its
 * exec().  command NULL: do nothing.
 */
int td_engine_start(struct td_engine *engine, char **command, const struct td_inherited *inherited,
		    struct td_err *err);
/*
 * Run the loop until the command, which was released, has ended.  Signals are passed on to it; a
 * second signal kills it.  When the time is over, it gets SIGTERM, and SIGKILL a second later.
 * serve may be NULL.  Returns the first error.
 */
int td_engine_run(struct td_engine *engine, td_engine_serve *serve, void *ctx, struct td_err *err);
/* Forget a command that has ended, and disarm all timers. */
int td_engine_reset(struct td_engine *engine, struct td_err *err);
/*
 * Set what happens if memory runs out (lib/base/memory.h): tdstat prints an error, restores the
 * terminal, waits for the command of the engine and exits with its status.  If no command was
 * started yet, it exits with refused, or runs the command if refused is 0.  Without a command, the
 * status is 1.  The next run removes left-over files, as after SIGKILL.
 */
void td_engine_handle_no_memory(char **command, int refused);
