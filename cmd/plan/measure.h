/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/plan/catalog.h"
#include "cmd/request.h"
#include "lib/target/target.h"
#include "metrics/tree/tree.h"

/* The metrics of a run or a recording, and everything that they borrow from. */
struct td_measure {
	struct td_catalog catalog;
	struct td_sets sets;
	struct td_ask ask;
	struct td_literals literals;
	struct td_tree tree;
};

/* The input of td_measure_build(). */
struct td_measuring {
	struct td_machine *machine;
	/* for further PMUs that a formula names; NULL: a recording */
	const struct td_sysfs *fs;
	const struct td_request *request;
	struct td_notes *notes;
	/* for the literals of formulas: */
	const struct td_place *places; /* one for each online CPU, or NULL */
	uint64_t tsc_hz;               /* 0: unknown */
	/* as in td_tree_setup */
	bool latencies;
	struct td_events *sampled;
	bool smt_unknown; /* it is unknown whether cores have several threads */
	bool core_wide;   /* all threads of each core are counted */
	bool in_turns;    /* each group is opened several times, so -l auto is off */
};

/*
 * Build the tree of the metrics in the request, and append their events to the list; for a
 * recording, find them in it.  Returns an error if the request cannot be fulfilled
 * (select.h).  Call td_measure_free() on error as well.
 */
int td_measure_build(struct td_measure *measure, struct td_events *events,
		     const struct td_measuring *how, struct td_err *err);
void td_measure_free(struct td_measure *measure);
