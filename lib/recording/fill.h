/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_FILL_H
#define TD_LIB_RECORDING_FILL_H

#include "lib/recording/recording.h"

/* How the readers of both kinds of file fill a struct td_recording. */

#define TD_RECORDING_MAX_EVENTS 10000

/* -EINVAL: core PMUs must come before all others; -ENOMEM. */
int td_recording_add_pmu(struct td_recording *rec, const char *name,
			 enum td_pmu_kind kind, uint32_t type);
/*
 * A copy of name on the machine's pmu-th PMU, with its type, scale 1 and no
 * group: the caller sets what else is known.  NULL: out of memory.
 */
struct td_event *td_recording_add_event(struct td_recording *rec,
					const char *name, int pmu);
/*
 * The event that was added last joins the group of this index; groups up to it
 * are made.  -EINVAL: the group is of another PMU; -ENOMEM.
 */
int td_recording_add_to_group(struct td_recording *rec, size_t index);
/* -EINVAL: places must be added in the order of their CPUs; -ENOMEM. */
int td_recording_add_place(struct td_recording *rec,
			   const struct td_place *place);
/* Makes time_ns the time of the next interval.  -EINVAL: it goes back. */
int td_recording_set_time(struct td_recording *rec, uint64_t time_ns);
/* Makes room for nr readings; their values are not set.  -ENOMEM. */
int td_recording_resize(struct td_readings *readings, size_t nr);

#endif
