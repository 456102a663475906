/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_REWRITE_H
#define TD_TEST_REWRITE_H

#include <stdlib.h>

#include "lib/recording/recording.h"

/*
 * Reads an open recording to its end and writes it as "tdstat record" does.
 * Returns the last result of td_recording_next().
 */
static inline int test_rewrite(struct td_recording *rec, FILE *out, struct td_err *err)
{
	struct td_readings readings = { 0 };
	uint64_t time_ns;
	int rc;

	td_recording_write_head(out, &rec->machine, rec->places, &rec->plan, &rec->info);
	while (!(rc = td_recording_next(rec, &time_ns, &readings, err))) {
		td_recording_write_timeline(out, &rec->timeline);
		td_recording_write_counts(out, time_ns, &rec->times, &rec->names, &readings);
	}
	if (rec->ended)
		td_recording_write_end(out, &rec->usage, 0);
	free(readings.v);
	return rc;
}

static inline bool test_same_readings(const struct td_readings *a, const struct td_readings *b)
{
	bool same = a->nr == b->nr;

	for (size_t i = 0; same && i < a->nr; i++) {
		const struct td_reading *x = &a->v[i], *y = &b->v[i];

		same = x->event == y->event && x->cpu == y->cpu && x->tid == y->tid &&
		       x->value == y->value && x->enabled_ns == y->enabled_ns &&
		       x->running_ns == y->running_ns && x->cgroup == y->cgroup &&
		       x->life == y->life;
	}
	return same;
}

#endif
