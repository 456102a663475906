/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_CHILD_H
#define TD_CMD_RUN_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "cmd/run/given.h"
#include "lib/base/err.h"
#include "lib/count/report.h"

/* The command: forked first, held until the counters stand ready. */
struct td_child {
	pid_t pid;  /* 0: none */
	int go;     /* one byte lets it start */
	int failed; /* before_ns and its exec()'s errno come out here */
	int pidfd;
	bool runs; /* or ran: it was let go, and its exec() succeeded */
	bool reaped;
	int status;         /* the shell's: its own, or 128 + signal */
	uint64_t before_ns; /* CPU time, up to its exec() */
	uint64_t switches;  /* by its own will, and its children's */
};

/* The command has what we were given. */
int td_child_start(struct td_child *child, char **argv,
		   const struct td_given *given, struct td_err *err);
/*
 * Lets it go.  The exec()'s failure is the error, and the status 127 or
 * 126.
 */
int td_child_release(struct td_child *child, const char *name,
		     struct td_err *err);
/* Waits for its end; usage gets its times. */
int td_child_wait(struct td_child *child, struct td_usage *usage,
		  struct td_err *err);
/* Waits for its end, unless it was never let go: then it ends by itself. */
void td_child_end(struct td_child *child);

#endif
