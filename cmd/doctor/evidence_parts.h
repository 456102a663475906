/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_EVIDENCE_PARTS_H
#define TD_CMD_DOCTOR_EVIDENCE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/doctor/parts.h"
#include "cmd/view/viewer.h"
#include "lib/base/err.h"
#include "lib/count/ask.h"
#include "lib/machine/machine.h"

struct td_request;

/* --- steps.c --------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)
#define TD_HAS_STEPS 1
#else
#define TD_HAS_STEPS 0
#endif

/* What a program of the evidence (programs.c) works on. */
struct td_ground {
	char *memory;
	size_t size;    /* of it */
	size_t at;      /* a byte of it, of a walk the next */
	int page;       /* the file that all pages are of; -1: of none */
	uint32_t index; /* of a page */
	uint32_t sum;   /* so that no result is unused */
};

/*
 * Prepare the ground: memory that is written once, a piece of code, one page in
 * many places.  Return 0 or a negative errno; td_ground_free() even then.
 */
int td_ground_fill(struct td_ground *ground, struct td_err *err);
int td_ground_write_code(struct td_ground *ground, struct td_err *err);
int td_ground_map_page(struct td_ground *ground, struct td_err *err);
int td_ground_take_line(struct td_ground *ground, struct td_err *err);
void td_ground_free(struct td_ground *ground);

/*
 * Each is some tens of microseconds of one thing, between two looks at the clock.
 * Returns how often it did it.
 */
unsigned int td_step_stream(struct td_ground *ground); /* lines read */
unsigned int td_step_ports(struct td_ground *ground);  /* multiplications */
unsigned int td_step_code(struct td_ground *ground);   /* jumps */
unsigned int td_step_divide(struct td_ground *ground); /* divisions */
unsigned int td_step_pages(struct td_ground *ground);  /* loads */
unsigned int td_step_store(struct td_ground *ground);  /* lines written */
unsigned int td_step_lock(struct td_ground *ground);   /* locked additions */
unsigned int td_step_alias(struct td_ground *ground);  /* loads */
unsigned int td_step_spin(struct td_ground *ground);   /* pauses */

/* The clock in GHz, by additions that each need the one before. */
double td_step_ghz(void);

/* --- programs.c ------------------------------------------------------------ */

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

/* --- measured.c ------------------------------------------------------------ */

/* How a program is counted. */
struct td_way {
	const char *name; /* "level 1", "rdpmc" */
	struct td_ask ask;
	int ms; /* for so long */
	/* of the recording, in bytes: if it has more, points of its course go */
	size_t room;
	bool regions; /* from inside, by libtdstat */
	bool by_read; /* and with system calls */
};

/* Where it runs. */
struct td_site {
	const struct td_pmu *pmu;
	int cpu; /* the last one */
	/* the threads of a core share their slots, so CPUs are counted */
	bool whole_core;
};

/* A node and what it is, in its column's unit. */
struct td_value {
	char name[TD_FOCUS_NAME];
	double value;
	double error; /* NaN: unknown */
};

struct td_values {
	struct td_value *v;
	size_t nr;
};

/* What a program was counted as, and what today's formulas make of it. */
struct td_measured {
	struct td_err err; /* why it was not; code 0: it was */
	char *recording;   /* tdstat-recording(5) */
	struct td_values values;
	struct td_focus focus; /* the verdict; nr 0: there is none */
};

/* NULL: it has none. */
const struct td_value *td_values_find(const struct td_values *values,
				      const char *short_name);
int td_values_add(struct td_values *values, const char *name, double value,
		  double error);

/*
 * Runs and counts a program once.  What keeps it from being counted is in
 * measured->err; returns only -ENOMEM and -EINTR.  Free it even then.
 */
int td_measured_make(struct td_measured *measured,
		     const struct td_request *request,
		     const struct td_known *program, const struct td_way *way,
		     const struct td_site *spot, struct td_err *err);
void td_measured_free(struct td_measured *measured);

/* peers.c */
#define TD_PEER_VERSION 32

/* The version of the perf that PATH has, or "". */
void td_peer_perf_version(char version[TD_PEER_VERSION]);
/*
 * Counts a group of metrics of a program with that perf: one level, as more would
 * take more turns.
 * Fills the values, or err: -ENOENT if there is no perf.  Free it.
 */
void td_peer_perf(struct td_measured *measured, const struct td_known *program,
		  int ms, const struct td_site *spot, const char *group);

/* The name of the toplev (pmu-tools) that PATH has, or NULL. */
const char *td_peer_toplev_find(void);
/* Levels 1 and 2 by that toplev, of a thread; else as td_peer_perf(). */
void td_peer_toplev(struct td_measured *measured, const char *toplev,
		    const struct td_known *program, int ms);

/* Where two ways of counting are farthest apart, of the nodes that both have. */
struct td_difference {
	const char *than; /* the other one */
	char name
		[TD_FOCUS_NAME]; /* of the node; "": they have none in common */
	double points;           /* the first minus the second */
};

struct td_difference td_values_compare(const struct td_values *a,
				       const struct td_values *b,
				       const char *than);
/* Is it more than two runs of one program on one core are apart? */
bool td_difference_is_far(const struct td_difference *difference);

/* --- evidence_file.c ------------------------------------------------------- */

/*
 * The file of tdstat doctor --evidence: JSON Lines; tdstat-doctor(1) has what is
 * in it.  The functions return 0 or -ENOMEM, and leave it to the caller to check
 * fp for errors.
 */

/*
 * The first line: the machine, and nothing that tells whose it is; the version of
 * perf, or "".
 */
int td_evidence_put_machine(FILE *fp, const struct td_sysfs *fs,
			    const struct td_machine *machine,
			    const struct td_surroundings *around,
			    const char *perf);
/* What one way of counting gave, with its recording. */
int td_evidence_put_counts(FILE *fp, const struct td_known *program,
			   const struct td_site *spot, const char *way,
			   const struct td_measured *measured);

#define TD_NR_DIFFERENCES 4

/* What became of a program on a kind of core. */
struct td_shown_program {
	const struct td_known *program;
	struct td_program_took took;
	struct td_err err;     /* why there is no verdict; code 0: there is */
	const char *expected;  /* a short name */
	struct td_focus focus; /* the verdict */
	bool agrees;
	/* of rdpmc from read, of tdstat from perf and from toplev; or no name */
	struct td_difference differences[TD_NR_DIFFERENCES];
	bool far; /* one of them is more than noise */
};

int td_evidence_put_program(FILE *fp, const struct td_site *spot,
			    const struct td_shown_program *found);

#endif
