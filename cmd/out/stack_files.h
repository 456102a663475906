/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_STACK_FILES_H
#define TD_CMD_OUT_STACK_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/err.h"

struct td_frame;
struct td_where;

#define TD_NR_STACK_FILES 3

/* Files that samples go to, beside the table of functions. */
struct td_sample_files {
	const char *samples; /* NULL: none, as all */
	/* of stacks; "-" is standard output */
	const char *folded, *pprof, *flame;
	bool lbr;        /* callers by branches that the processor notes */
	uint16_t copied; /* or by copies of the stack, of so many bytes */
	FILE *fps[TD_NR_STACK_FILES]; /* of stacks */
};

/* True if there are files of stacks. */
bool td_stack_files_any(const struct td_sample_files *files);
/* True if samples have to come with their chains. */
bool td_sample_files_want_chains(const struct td_sample_files *files);
/* True if standard output has one of them. */
bool td_stack_files_take_stdout(const struct td_sample_files *files);
/* Of the options: names that cannot be. */
int td_stack_files_check(const struct td_sample_files *files,
			 struct td_err *err);
/* Before anything is sampled.  Nothing that they hold is lost yet. */
int td_stack_files_open(struct td_sample_files *files, struct td_err *err);
int td_stack_files_write(const struct td_sample_files *files,
			 const struct td_where *where,
			 const struct td_frame *frame, struct td_err *err);
/* Unless all are written, those that are empty are removed. */
void td_stack_files_close(struct td_sample_files *files, bool is_written);

#endif
