// SPDX-License-Identifier: GPL-2.0-only
/* What can be told of regions when all of their files were read. */
#include <errno.h>

#include "lib/recording/region_sums.h"

/* --- slow calls ----------------------------------------------------------- */

static bool is_slow(const struct td_region *region,
		    const struct td_region *slow)
{
	return region->timed == slow->timed && !region->slow &&
	       region->bucket >= slow->bucket;
}

/* As another reading, what one of a bucket has. */
static int add_slow_reading(struct td_region_files *files, size_t at,
			    int region)
{
	struct td_reading reading = files->counts.readings.v[at];
	struct td_sums values, times;

	reading.region = region;
	for (size_t i = 0; i < TD_BATCHES; i++) {
		const struct td_course_sum *sum =
			&files->counts.course.points[i].v[at];

		values.v[i] = (int64_t)sum->value;
		times.v[i] = (int64_t)sum->running_ns;
	}
	return td_batched_add(&files->counts, &reading, &values, &times);
}

static int add_slow(struct td_region_files *files, const struct td_timed *timed)
{
	struct td_regions *regions = &files->regions;
	struct td_region *slow =
		td_regions_bucket(regions, timed, timed->slow, true);
	size_t nr = files->counts.readings.nr;
	int rc = slow ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < regions->nr; i++) {
		if (is_slow(&regions->v[i], slow))
			td_region_add_calls(slow, &regions->v[i]);
	}
	for (size_t i = 0; !rc && i < nr; i++) {
		int of = files->counts.readings.v[i].region;

		if (is_slow(&regions->v[of - 1], slow))
			rc = add_slow_reading(files, i,
					      1 + (int)(slow - regions->v));
	}
	return rc;
}

static int find_slow(struct td_region_files *files)
{
	struct td_regions *regions = &files->regions;
	int rc = 0;

	for (size_t t = 0; !rc && t < regions->nr_timed; t++) {
		uint64_t calls[TD_REGION_BUCKETS] = { 0 };

		for (size_t i = 0; i < regions->nr; i++) {
			const struct td_region *region = &regions->v[i];

			if (region->timed == 1 + (int)t)
				calls[region->bucket] = region->calls.counted;
		}
		td_timed_choose(&regions->timed[t], calls);
		if (regions->timed[t].slow)
			rc = add_slow(files, &regions->timed[t]);
	}
	return rc;
}

/* --- the end ------------------------------------------------------------- */

/* It is the first of all that a thread has; in tables it comes last. */
static int put_outside_last(struct td_region_files *files)
{
	struct td_regions *regions = &files->regions;
	int at = 0, nr = (int)regions->nr;

	while (at < nr && !regions->v[at].outside)
		at++;
	if (at == nr)
		return 0;
	for (size_t i = 0; i < files->counts.readings.nr; i++) {
		int *region = &files->counts.readings.v[i].region;

		if (*region > at)
			*region = *region == at + 1 ? nr : *region - 1;
	}
	return td_regions_move_last(regions, (size_t)at);
}

int td_region_files_end(struct td_region_files *files)
{
	if (find_slow(files) || put_outside_last(files))
		return -ENOMEM;
	td_batched_end(&files->counts);
	return 0;
}
