/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_KEPT_H
#define TD_CMD_VIEW_KEPT_H

#include "lib/count/course.h"

/*
 * The runs of --no-multiplex, kept for the errors of what is joined of them.  A
 * run has not more than TD_COURSE_FEW points, and all together hardly more
 * readings than one run that takes turns.
 */
struct td_kept_run {
	uint64_t time_ns;
	struct td_times times;
	struct td_readings readings;
	struct td_course course;
};

struct td_kept {
	struct td_kept_run *v;
	size_t nr;
};

/* Copies what a run counted.  Returns 0 or -ENOMEM. */
int td_kept_add(struct td_kept *kept, const struct td_counted *counted);
void td_kept_free(struct td_kept *kept);

#endif
