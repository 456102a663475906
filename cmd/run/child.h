/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_CHILD_H
#define TD_CMD_RUN_CHILD_H

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
 * Forks the command, with the signals and limits of inherited, and holds it
 * before its exec().  0 or an error.
 */
int td_child_start(struct td_child *child, char **argv,
		   const struct td_inherited *inherited, struct td_err *err);
/*
 * Starts the command.  If exec() fails, that is the error, and status is 127 or
 * 126.
 */
int td_child_release(struct td_child *child, const char *name,
		     struct td_err *err);
/* True if it ran, or cannot be run: there is nothing more to start. */
bool td_child_is_over(const struct td_child *child);
/*
 * Passes a signal on that only we have got: a terminal's ^C has reached the command
 * as well, which decides what to do.  After a second one it is killed: whoever
 * sent it does not want to wait.
 */
void td_child_pass_on(struct td_child *child, const struct td_signal *signal);
/* Waits for its end and fills in the times of usage. */
int td_child_wait(struct td_child *child, struct td_usage *usage,
		  struct td_err *err);
/* Waits for its end; a command that was never released just exits. */
void td_child_end(struct td_child *child);

#endif
