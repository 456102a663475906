/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdio.h>

#include "cmd/doctor/parts.h"
#include "cmd/view/viewer.h"
#include "lib/count/ask.h"
#include "lib/machine/machine.h"

struct td_arena;
struct td_opts;
struct td_request;

/* --- programs.c ------------------------------------------------------------ */

/* Kinds of trees, which name nodes differently. */
enum td_tree_kind {
	TD_TREE_LEVEL_1, /* any core that has no deeper levels */
	TD_TREE_CORE,    /* Intel's P-cores */
	TD_TREE_ATOM,    /* Intel's E-cores */
	TD_TREE_ZEN,
	TD_NR_TREES
};

/* A program of the evidence: one kind of work with a known duration and a known bottleneck. */
struct td_known {
	const char *name; /* its thread is called td-NAME */
	const char *unit; /* unit of work: "load" */
	/* expected duration of one unit: in ns, or in cycles of the core */
	double min, max;
	bool in_cycles;
	/* short names of the expected nodes, one for each kind of tree */
	const char *nodes[TD_NR_TREES];
	const char *deep; /* a child of the node in the tree of Intel's P-cores, or NULL */
	const char *why;  /* part of a sentence: "each load waits for ..." */
	int (*make)(struct td_arena *arena, struct td_err *err);
	/* NULL: it is the loop of the self-test */
	unsigned int (*step)(struct td_arena *arena);
	int loop;    /* enum td_loop */
	int per;     /* steps of the loop per unit */
	bool shares; /* a thread on another CPU does the same work */
};

#define TD_NR_PROGRAMS 12

extern const struct td_known td_programs[TD_NR_PROGRAMS];

struct td_program_took {
	uint64_t nr; /* units of work */
	double ns;   /* CPU time of the thread per unit */
	double ghz;  /* clock of the core before the run */
};

/*
 * Run the program in this thread for ns nanoseconds between td_begin() and td_end(), on the
 * last CPU that the thread may run on.  Returns -ENODEV if it needs a second CPU.
 */
int td_program_run(const struct td_known *program, uint64_t ns, struct td_program_took *took,
		   struct td_err *err);

/* --- measured.c ------------------------------------------------------------ */

/* A way to count a program. */
struct td_way {
	const char *name; /* "level 1", "rdpmc" */
	struct td_ask ask;
	int ms; /* duration */
	/* maximum size of the recording in bytes; points of the range are removed to fit it */
	size_t room;
	bool regions; /* counted with libtdstat */
	bool by_read; /* libtdstat uses system calls */
};

/* The place where a program runs. */
struct td_site {
	const struct td_pmu *pmu;
	int cpu; /* the last CPU of the PMU */
	/* CPUs are counted because the threads of a core share their slots */
	bool whole_core;
};

/* Counts of a program, and its values according to today's formulas. */
struct td_measured {
	struct td_err err; /* why the program was not counted; code 0: it was */
	char *recording;   /* tdstat-recording(5) */
	struct td_values {
		/* A node and its value, in the unit of its column. */
		struct td_value {
			char name[TD_FOCUS_NAME];
			double value;
			double error; /* NaN: unknown */
		} * v;
		size_t nr;
	} values;
	struct td_focus focus; /* the verdict; nr 0: no verdict */
};

/* Returns NULL if there is no such value. */
const struct td_value *td_values_find(const struct td_values *values, const char *short_name);

/*
 * Run and count a program once.  Failures to count it are stored in measured->err; returns only
 * 0 and -EINTR.  Call td_measured_free() in both cases.
 */
int td_measured_make(struct td_measured *measured, const struct td_request *request,
		     const struct td_known *program, const struct td_way *way,
		     const struct td_site *site, struct td_err *err);
void td_measured_free(struct td_measured *measured);

/* --- other tools, also in measured.c --------------------------------------- */

#define TD_PEER_VERSION 32

/* Get the version of the perf in PATH, or "". */
void td_peer_perf_version(char version[TD_PEER_VERSION]);
/*
 * Count a group of metrics of a program with this perf.  The group is one level, because more nodes
 * would be multiplexed more.  Sets the values, or err: -ENOENT without perf.  self: the path of this
 * program, because /proc/self/exe would be perf's.
 */
void td_peer_perf(struct td_measured *measured, const char *self, const struct td_known *program,
		  int ms, const struct td_site *site, const char *group);

/* Returns the name of the toplev (pmu-tools) in PATH, or NULL. */
const char *td_peer_toplev_find(void);
/* Count levels 1 and 2 of a thread with this toplev, like td_peer_perf(). */
void td_peer_toplev(struct td_measured *measured, const char *toplev, const char *self,
		    const struct td_known *program, int ms);

/* The largest difference between two ways of counting, over the nodes of both. */
struct td_difference {
	const char *than;         /* name of the second way */
	char name[TD_FOCUS_NAME]; /* name of the node; "": no common node */
	double points;            /* the first minus the second */
};

/* Return true if it is larger than the variation between two runs of a program on a core. */
bool td_difference_is_far(const struct td_difference *difference);
