/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/output/frame.h"
#include "lib/sample/hits.h"

/* The functions in which an event of one PMU was sampled. */
struct td_where_event {
	const char *pmu, *name;
	const char *sampled; /* the event whose samples have the counts; NULL: this one */
	int index;           /* index in the hits */
	struct td_hot_functions functions;
};

/* A finished result of sampling. */
struct td_where {
	const char *node;   /* the node of the tree; NULL: events were typed */
	const char *in;     /* only calls of this function; NULL: all */
	uint64_t slower_ns; /* minimum duration of the calls of in */
	const struct td_locations *locations;
	const struct td_hits *hits; /* all samples */
	const int *hues;            /* level-1 node of each function; NULL: that of the node */
	struct td_where_event *events;
	size_t nr;
	/* samples to list in text, in order of time */
	const struct td_where_sample {
		uint64_t time_ns, period;
		int cpu, pid, tid, location;
		const char *event;
	} * samples;
	size_t nr_samples;
	bool lines, callers; /* show source lines, callers */
	bool all;            /* text: include functions with small shares */
};

/* sheet.c: return the name of a function, or its address, "0x4010". */
const char *td_where_name(char buf[32], const struct td_locations *locations, int function);
/* sheet.c: return the unit of weights: "events", or with IBS the "cycles" waited. */
const char *td_where_unit(const struct td_where *where, const struct td_where_event *event);
