/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_WHERE_H
#define TD_CMD_OUT_WHERE_H

#include "cmd/out/frame.h"
#include "lib/sample/locations.h"

/* Where an event of one PMU was sampled. */
struct td_where_event {
	const char *pmu;
	const char *name;
	int index; /* of the hits */
	struct td_locations locations;
};

/* One sample. */
struct td_where_sample {
	uint64_t time_ns, period;
	int cpu, pid, tid, spot;
	const char *event;
};

/* A finished result: where a program was sampled. */
struct td_where {
	const char *node; /* the node of the tree; NULL: events were typed */
	const char *in;   /* text: only of calls of this function; NULL: all */
	uint64_t slower_ns; /* that took so long */
	const struct td_spots *spots;
	const struct td_hits *hits; /* that the rest is made of */
	/* the part of level 1 of each function; NULL: all have the node's */
	const int *hues;
	struct td_where_event *events;
	size_t nr;
	/* text: each sample is shown, too, in the order of time */
	const struct td_where_sample *samples;
	size_t nr_samples;
	bool lines, callers; /* show them, too */
	bool all;            /* text: functions with small shares, too */
};

/* sheet_where.c: the name of a function; "0x4010", its address, if it has none. */
const char *td_where_name(char buf[32], const struct td_spots *spots,
			  int function);
/*
 * sheet_where.c: what samples stand for: "events", or the "cycles" that operations or
 * fetches of a node have waited, which IBS tells.
 */
const char *td_where_unit(const struct td_where *where,
			  const struct td_where_event *event);

/* pprof.c: profile.proto in gzip, after td_gzip_load().  0 or -ENOMEM. */
int td_pprof_write(FILE *fp, const struct td_where *where,
		   const struct td_frame *frame);
/* page/html.c: a page with flame graphs.  0 or -ENOMEM. */
int td_flame_write(FILE *fp, const struct td_where *where,
		   const struct td_frame *frame);
/* page/flame.c: the graphs as a picture in SVG.  0 or -ENOMEM. */
int td_flame_write_svg(FILE *fp, const struct td_where *where,
		       const struct td_frame *frame);

#endif
