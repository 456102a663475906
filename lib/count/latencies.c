// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/latencies.h"

#include <math.h>
#include <strings.h>

#include "lib/base/util.h"

static struct td_latency *find(const struct td_latencies *latencies, const char *event)
{
	for (size_t i = 0; i < latencies->nr; i++) {
		if (strcasecmp(latencies->v[i].event, event) == 0)
			return &latencies->v[i];
	}
	return NULL;
}

const struct td_latency *td_latencies_find(const struct td_latencies *latencies, const char *event)
{
	return find(latencies, event);
}

/* Returns the event's latency; adds it without samples if it is new. */
static struct td_latency *find_or_add(struct td_latencies *latencies, const char *event)
{
	struct td_latency *latency = find(latencies, event);

	if (latency)
		return latency;
	latency = td_array_add(&latencies->v, latencies->nr, sizeof(*latency));
	latency->event = td_strdup(event);
	latencies->nr++;
	latencies->changed = true;
	return latency;
}

static void add(struct td_latencies *latencies, struct td_latency *latency, uint64_t sum,
		uint64_t nr)
{
	latencies->changed |= nr > 0;
	latency->sum += sum;
	latency->nr += nr;
}

void td_latencies_add(struct td_latencies *latencies, const char *event, uint64_t sum, uint64_t nr)
{
	add(latencies, find_or_add(latencies, event), sum, nr);
}

void td_latency_add_sample(struct td_latency *latency, uint16_t cycles, uint64_t period)
{
	latency->sum += cycles;
	latency->nr++;
	latency->weighted += (double)cycles * (double)period;
	latency->weight += (double)period;
}

void td_latencies_add_samples(struct td_latencies *latencies, const struct td_latency *samples)
{
	struct td_latency *latency = find_or_add(latencies, samples->event);

	add(latencies, latency, samples->sum, samples->nr);
	latency->weighted += samples->weighted;
	latency->weight += samples->weight;
}

uint64_t td_latency_sum(const struct td_latency *latency)
{
	if (!(latency->weight > 0))
		return latency->sum;
	return (uint64_t)llround(latency->weighted / latency->weight * (double)latency->nr);
}

/* Without latencies in the records of a (virtual) processor, the field is 0, and so is the sum. */
double td_latency_mean(const struct td_latency *latency)
{
	if (!latency || latency->nr < TD_MIN_LATENCIES || !latency->sum)
		return NAN;
	return latency->weight > 0 ? latency->weighted / latency->weight
				   : (double)latency->sum / (double)latency->nr;
}

void td_latencies_free(struct td_latencies *latencies)
{
	for (size_t i = 0; i < latencies->nr; i++)
		free(latencies->v[i].event);
	free(latencies->v);
	*latencies = (struct td_latencies){ 0 };
}
