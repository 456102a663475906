// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/latencies.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"

static struct td_latency *find(const struct td_latencies *latencies,
			       const char *event)
{
	for (size_t i = 0; i < latencies->nr; i++) {
		if (strcasecmp(latencies->v[i].event, event) == 0)
			return &latencies->v[i];
	}
	return NULL;
}

const struct td_latency *td_latencies_find(const struct td_latencies *latencies,
					   const char *event)
{
	return find(latencies, event);
}

int td_latencies_add(struct td_latencies *latencies, const char *event,
		     uint64_t sum, uint64_t nr)
{
	struct td_latency *latency = find(latencies, event);

	if (!latency) {
		latency = td_array_add(&latencies->v, latencies->nr,
				       sizeof(*latency));
		if (!latency)
			return -ENOMEM;
		latency->event = strdup(event);
		if (!latency->event)
			return -ENOMEM;
		latencies->nr++;
		latencies->changed = true;
	}
	latencies->changed |= nr > 0;
	latency->sum += sum;
	latency->nr += nr;
	return 0;
}

/*
 * A sum of 0 is of a processor, or of a virtual one, whose records have no
 * latency: their field is 0 then.
 */
double td_latency_mean(const struct td_latency *latency)
{
	if (!latency || latency->nr < TD_LEAST_LATENCIES || !latency->sum)
		return NAN;
	return (double)latency->sum / (double)latency->nr;
}

void td_latencies_free(struct td_latencies *latencies)
{
	for (size_t i = 0; i < latencies->nr; i++)
		free(latencies->v[i].event);
	free(latencies->v);
	*latencies = (struct td_latencies){ 0 };
}
