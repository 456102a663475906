/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_WITHIN_H
#define TD_CMD_SAMPLE_WITHIN_H

#include "cmd/run/signals.h"
#include "cmd/sample/choose.h"
#include "cmd/sample/functions.h"
#include "cmd/sample/gathering.h"
#include "cmd/sample/where.h"
#include "cmd/session.h"
#include "cmd/view/sink.h"
#include "lib/sample/locations.h"
#include "lib/sample/pairing.h"
#include "lib/sample/probes.h"

/* A run of tdstat locate. */
struct td_locating {
	const struct td_opts *opts;
	struct td_choice choice;
	struct td_event_arg arg; /* the choice, as if typed with -e */
	struct td_opts sampled;  /* the options with it */
	struct td_job job;
	struct td_gathering gathering;
	struct td_hits hits;
	struct td_sink sink;
	struct td_where where;
	struct td_sample_files files;
	struct td_reached reached;
	/* Of --in: the calls of a function, and samples of those that have not ended. */
	struct {
		struct td_functions functions;
		struct td_probes probes;
		struct td_companion companions[2];
		struct td_pairing pairing;
		struct {
			int event, spot, caller, tid;
			uint64_t period, time_ns;
		} * held;
		size_t nr_held;
		uint64_t calls, slow;     /* that have ended */
		uint64_t samples, within; /* of all, in slow calls */
	} in;
};

/*
 * tdstat locate --in FUNCTION --slower TIME: a sample counts if it was taken within a
 * call of the function that took so long, which is known when the call has ended.
 */

/* Finds the function, and probes it.  Close it even after an error. */
int td_within_open(struct td_locating *locating, struct td_err *err);
/* As td_take_sample, with all records. */
int td_within_take(struct td_locating *locating, const struct td_record *record,
		   int event, int spot, int caller);
/* Says how many calls there were, and how many samples are of them. */
void td_within_say(const struct td_locating *locating);
/* When the events are closed. */
void td_within_close(struct td_locating *locating);

#endif
