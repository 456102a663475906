// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/rate.h"

#include <stdlib.h>

#define MOST_PRECISE 3 /* perf_event_attr.precise_ip */

static int choose_rate(struct td_job *job, int usual)
{
	int wanted = job->opts->freq ? job->opts->freq : usual;
	int most = td_sampler_most_rate(&job->fs);

	if (wanted <= most)
		return wanted;
	td_notes_add(&job->notes,
		     "%d samples a second, not %d: kernel."
		     "perf_event_max_sample_rate allows no more",
		     most, wanted);
	return most;
}

struct td_sampling *td_rate_make(struct td_job *job, int usual)
{
	const struct td_events *events = &job->plan.events;
	struct td_sampling *how = calloc(events->nr + 1, sizeof(*how));
	int rate = choose_rate(job, usual);

	for (size_t i = 0; how && i < events->nr; i++) {
		const struct td_modifiers *mods = &events->v[i].mods;

		how[i] = (struct td_sampling){
			.period = (uint64_t)rate,
			.frequency = true,
			.precise = mods->precise_max ? MOST_PRECISE
						     : mods->precise,
		};
	}
	return how;
}
