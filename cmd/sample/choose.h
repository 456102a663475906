/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CHOOSE_H
#define TD_CMD_SAMPLE_CHOOSE_H

#include "cmd/opts/opts.h"

#define TD_CHOICE_NODE 64

/* What to sample for a node of the tree. */
struct td_choice {
	char *events;              /* "cpu_core/A.B/P,cpu_atom/C.D/P"; owned */
	char node[TD_CHOICE_NODE]; /* that they are for, as the files have it */
	/* where it was found to matter most, or empty: it was named */
	char pmu[TD_CHOICE_NODE];
	char *without; /* kinds of core that have none: "cpu_atom"; owned */
};

/*
 * Chooses the events that are known for the first of the nodes that has any, on
 * each kind of core; if none has, those of the nearest node above the first one.
 * A name may be without "tma_".  -ENOENT if there are none; the error tells a
 * name that is no node from one without events.
 */
int td_choose_events(struct td_choice *choice, const struct td_opts *opts,
		     const char *const *nodes, size_t nr, struct td_err *err);
void td_choice_free(struct td_choice *choice);

#endif
