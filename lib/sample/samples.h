/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SAMPLES_H
#define TD_LIB_SAMPLE_SAMPLES_H

#include <stdio.h>

#include "lib/recording/recording.h"
#include "lib/sample/record.h"

/*
 * Samples in a recording (tdstat-recording(5)): behind its first line, and in
 * place of its intervals.
 */

/*
 * Gets a record; of a sample, event is the plan's, spot is where it was, and
 * caller is the call that it was in, or -1.  Returns 0 or -ENOMEM.
 */
typedef int td_take_sample(void *ctx, const struct td_record *record, int event,
			   int spot, int caller);

/* What of the spots has been written. */
struct td_samples_writer {
	FILE *fp; /* NULL: nothing is written */
	const struct td_plan *plan;
	size_t nr_spots, nr_objects, nr_calls;
};

/*
 * The line that says what was sampled.  node: NULL if events were typed.
 * longest_ns: as in struct td_windows, or 0.  The functions that write return 0 or
 * -ENOMEM.
 */
int td_samples_write_head(struct td_samples_writer *writer, const char *node,
			  uint64_t longest_ns);
/* A record, behind the spots that it refers to. */
int td_samples_write(struct td_samples_writer *writer,
		     const struct td_spots *spots,
		     const struct td_record *record, int event, int spot,
		     int caller);
/* The functions of the spots, when they are resolved. */
int td_samples_write_functions(struct td_samples_writer *writer,
			       const struct td_spots *spots);

/* What was read. */
struct td_samples {
	bool any;       /* the line that says what was sampled was there */
	char node[128]; /* that it was for; "": none */
	uint64_t longest_ns;
	bool calls; /* it has chains; else callers are spots, as they once were */
	struct td_spots spots;
};

/*
 * Reads all of a recording whose first line was read.  Errors name file and
 * line.  Free it even then.
 */
int td_samples_read(struct td_samples *samples, struct td_recording *rec,
		    td_take_sample *take, void *ctx, struct td_err *err);
void td_samples_free(struct td_samples *samples);

#endif
