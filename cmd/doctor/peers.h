/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_PEERS_H
#define TD_CMD_DOCTOR_PEERS_H

#include "cmd/doctor/measured.h"

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
