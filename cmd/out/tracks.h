/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_TRACKS_H
#define TD_CMD_OUT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/index.h"

/* What a trace has so far: tracks of counters, in what it calls processes. */

struct td_track {
	char *name, *unit;
	bool has_value; /* in the last interval */
};

/* The rows of one id and PMU. */
struct td_track_process {
	char *name;
	int pid;   /* not one that a real process can have */
	bool seen; /* in this interval */
	struct td_track *v;
	size_t nr;
	size_t next; /* where to look first: rows have a constant order */
};

struct td_tracks {
	struct td_track_process *v;
	size_t nr;
	struct td_index index; /* by name */
	uint64_t from_ns;      /* the beginning of the interval */
	bool running;          /* a run has begun, and not ended */
	bool has_events;       /* the file is not empty */
};

/* The pid of what is of the whole trace. */
#define TD_TRACKS_PID 5000000

/* The functions that return a pointer return NULL if out of memory. */
struct td_tracks *td_tracks_new(void);
/* Finds the process of this name, or adds it: *is_new. */
struct td_track_process *td_tracks_process(struct td_tracks *tracks,
					   const char *name, bool *is_new);
/* Finds a track, or adds it.  A later track may move it. */
struct td_track *td_tracks_track(struct td_track_process *process,
				 const char *name, const char *unit);
void td_tracks_free(struct td_tracks *tracks);

#endif
