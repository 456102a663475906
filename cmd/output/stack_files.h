/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdio.h>

#include "lib/base/err.h"

struct td_frame;
struct td_where;

/* Kinds of files of stacks.  Wings write them. */
enum {
	TD_STACKS_FOLDED,
	TD_STACKS_PPROF,
	TD_STACKS_FLAME,
	TD_NR_STACK_FILES,
};

struct td_stack_kind {
	const char *option;
	/* Checks the name; NULL: any name is valid. */
	int (*check)(const char *name, struct td_err *err);
	/* Loads libraries before a file is opened; NULL: none. */
	int (*load)(struct td_err *err);
	void (*write)(FILE *fp, const char *name, const struct td_where *where,
		      const struct td_frame *frame);
};

/* Files for samples, in addition to the table of functions. */
struct td_sample_files {
	const char *samples;                /* NULL: none */
	const char *folded, *pprof, *flame; /* files of stacks; NULL: none, "-": standard output */
	bool lbr;                           /* callers from last branch records */
	uint16_t copied;                    /* callers from copies of stacks of this size */
	FILE *fps[TD_NR_STACK_FILES];       /* the files of stacks */
};

/* Are there files of stacks? */
bool td_stack_files_any(const struct td_sample_files *files);
/* Do samples need call chains? */
bool td_sample_files_want_chains(const struct td_sample_files *files);
/* Is one of the files of stacks standard output? */
bool td_stack_files_take_stdout(const struct td_sample_files *files);
/* Check the names of the files of stacks. */
int td_stack_files_check(const struct td_sample_files *files, struct td_err *err);
/* Open the files without truncating them; call before sampling. */
int td_stack_files_open(struct td_sample_files *files, struct td_err *err);
int td_stack_files_write(const struct td_sample_files *files, const struct td_where *where,
			 const struct td_frame *frame, struct td_err *err);
/* Close the files; unless is_written, remove empty ones. */
void td_stack_files_close(struct td_sample_files *files, bool is_written);
