/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/recording/recording.h"
#include "lib/sample/record.h"

/* Samples in a recording (tdstat-recording(5)): after its first line, instead of intervals. */

/* Takes a record.  A sample has an event of the plan, a location, and the call to it, or -1. */
typedef void td_take_sample(void *ctx, const struct td_record *record, int event, int location,
			    int caller);

struct td_samples_writer {
	FILE *fp; /* NULL: nothing is written */
	const struct td_plan *plan;
	/* numbers of locations, objects and calls that were written */
	size_t nr_locations, nr_objects, nr_calls;
};

/*
 * Writes the line that describes the sampling.  node is NULL if the user named events.  longest_ns:
 * see struct td_windows; 0: no limit.
 */
void td_samples_write_head(struct td_samples_writer *writer, const char *node, uint64_t longest_ns);
/* Writes the locations that a record refers to, then the record. */
void td_samples_write(struct td_samples_writer *writer, const struct td_locations *locations,
		      const struct td_record *record, int event, int location, int caller);
/* Writes the functions of the locations, which must be resolved. */
void td_samples_write_functions(struct td_samples_writer *writer,
				const struct td_locations *locations);

/* A recording of samples. */
struct td_samples {
	bool any;       /* the recording contains a line that describes the sampling */
	char node[128]; /* the sampled node; "": none */
	uint64_t longest_ns;
	bool calls; /* the recording contains calls; in old ones, a sample's caller is a location */
	struct td_locations locations;
};

/*
 * Reads the rest of a recording whose first line was read.  Errors contain file and line.  On
 * error, too, call td_samples_free().
 */
int td_samples_read(struct td_samples *samples, struct td_recording *rec, td_take_sample *take,
		    void *ctx, struct td_err *err);
void td_samples_free(struct td_samples *samples);
