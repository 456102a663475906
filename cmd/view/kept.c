// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/kept.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"

int td_kept_add(struct td_kept *kept, const struct td_counted *counted)
{
	struct td_kept_run *run =
		td_array_add(&kept->v, kept->nr, sizeof(*run));
	struct td_course few;

	if (!run)
		return -ENOMEM;
	kept->nr++;
	td_course_join(&few, counted->course);
	*run = (struct td_kept_run){ .time_ns = counted->time_ns,
				     .times = *counted->times };
	if (td_readings_copy(&run->readings, counted->readings))
		return -ENOMEM;
	return td_course_copy(&run->course, &few);
}

void td_kept_free(struct td_kept *kept)
{
	for (size_t i = 0; i < kept->nr; i++) {
		free(kept->v[i].readings.v);
		td_course_free(&kept->v[i].course);
	}
	free(kept->v);
	*kept = (struct td_kept){ 0 };
}
