/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_MEASURED_H
#define TD_CMD_DOCTOR_MEASURED_H

#include <stdint.h>

#include "cmd/doctor/programs.h"
#include "cmd/view/viewer.h"
#include "lib/count/ask.h"
#include "lib/machine/machine.h"

struct td_opts;

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
int td_measured_make(struct td_measured *measured, const struct td_opts *opts,
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

#endif
