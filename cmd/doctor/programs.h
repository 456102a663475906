/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_PROGRAMS_H
#define TD_CMD_DOCTOR_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/doctor/steps.h"

/* The trees that a program's slots are looked for in. */
enum td_tree_kind {
	TD_TREE_LEVEL_1, /* of any core, if it has no more */
	TD_TREE_CORE,    /* Intel's P-cores */
	TD_TREE_ATOM,    /* and its E-cores */
	TD_TREE_ZEN,
	TD_NR_TREES
};

/*
 * A program of the evidence: it does one thing, of which it is known how long it
 * takes and where the slots go meanwhile.
 */
struct td_known {
	const char *name; /* its thread is called td-NAME */
	const char *unit; /* what is counted: "load" */
	/* what theory gives for one of them: in ns, or in cycles of the core */
	double least, most;
	bool in_cycles;
	/* short names of nodes; what a tree lacks is looked for at level 1 */
	const char *nodes[TD_NR_TREES];
	const char *deep; /* a node below that of Intel's P-cores, or NULL */
	const char *why;  /* as a sentence goes on: "each load waits for ..." */
	int (*make)(struct td_ground *ground, struct td_err *err);
	/* NULL: it is the loop of the self-test */
	unsigned int (*step)(struct td_ground *ground);
	int loop;    /* enum td_loop */
	int per;     /* number of the loop's steps that are one of unit */
	bool shares; /* with a thread on another CPU */
};

#define TD_NR_PROGRAMS 12

extern const struct td_known td_programs[TD_NR_PROGRAMS];

/* NULL: none is called so. */
const struct td_known *td_program_find(const char *name);

struct td_program_took {
	uint64_t nr; /* of its unit */
	double ns;   /* of the thread, for one of them */
	double ghz;  /* of the core, before */
};

/*
 * Runs it in this thread for so long, on the last CPU of those that the thread may
 * run on, with td_begin() and td_end() around it.  -ENODEV: it needs another CPU
 * as well.
 */
int td_program_run(const struct td_known *program, uint64_t ns,
		   struct td_program_took *took, struct td_err *err);
/* Is it what theory gives? */
bool td_program_in_range(const struct td_known *program,
			 const struct td_program_took *took);

#endif
