/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_FUNCTIONS_H
#define TD_CMD_SAMPLE_FUNCTIONS_H

#include "cmd/plan/job.h"
#include "lib/sample/symbols.h"

/* The functions whose calls are counted. */
struct td_functions {
	struct td_entry_point *v;
	size_t nr;
};

/*
 * Finds those of names, "parse,scan@libx.so", in the command's file or
 * that of the process.  Free them even after an error.
 */
int td_functions_find(struct td_functions *functions, struct td_job *job,
		      const char *names, struct td_err *err);
void td_functions_free(struct td_functions *functions);

#endif
