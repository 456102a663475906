// SPDX-License-Identifier: GPL-2.0-only
/* A recording as counters: each read returns one interval. */
#include <stdlib.h>

#include "lib/counter/counter.h"
#include "lib/recording/recording.h"

struct replay_counter {
	struct td_counter base;
	struct td_recording *recording;
	struct td_readings delta;
};

static int replay_read(struct td_counter *base, uint64_t patience_ns,
		       uint64_t *time_ns, struct td_readings *readings,
		       struct td_err *err)
{
	struct replay_counter *counter = (struct replay_counter *)base;
	int rc = td_recording_next(counter->recording, time_ns, &counter->delta,
				   err);

	(void)patience_ns; /* a file needs no waiting */
	*readings = counter->delta;
	return rc;
}

static void replay_close(struct td_counter *base)
{
	struct replay_counter *counter = (struct replay_counter *)base;

	free(counter->delta.v);
	free(counter);
}

static const struct td_counter_ops replay_ops = {
	.read = replay_read,
	.close = replay_close,
};

int td_counter_replay_open(struct td_counter **out,
			   struct td_recording *recording, struct td_err *err)
{
	struct replay_counter *counter = calloc(1, sizeof(*counter));

	if (!counter)
		return td_err_nomem(err);
	counter->base.ops = &replay_ops;
	counter->recording = recording;
	*out = &counter->base;
	return 0;
}
