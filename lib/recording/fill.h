/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_FILL_H
#define TD_LIB_RECORDING_FILL_H

#include "lib/base/json.h"
#include "lib/recording/recording.h"

/* Functions with which the readers of both kinds of file fill a struct td_recording. */

#define TD_RECORDING_MAX_EVENTS 10000

/*
 * Return an error for a line with a member of the wrong type, which would be ignored otherwise.
 */
int td_recording_check_types(const struct td_recording *rec, struct json_object *object,
			     const struct td_json_optional *members, struct td_err *err);
/* Add a PMU.  Returns -EINVAL for a core PMU after others. */
int td_recording_add_pmu(struct td_recording *rec, const char *name, enum td_pmu_kind kind,
			 uint32_t type);
/*
 * Add an event with a copy of name, the type of the machine's pmu-th PMU, scale 1 and no
 * group; the caller sets the remainder.
 */
struct td_event *td_recording_add_event(struct td_recording *rec, const char *name, int pmu);
/*
 * For trees, add the event to those that the PMU is known to have: "slots" for
 * "cpu_core/slots/".  Ignores names with modifiers, or of another PMU.
 */
void td_recording_note_name(struct td_pmu *pmu, const char *event);
void td_recording_note_event(struct td_pmu *pmu, const char *id);
/*
 * Add the last event to the group of this index; missing groups are created.  Returns
 * -EINVAL if the group belongs to another PMU.
 */
int td_recording_add_to_group(struct td_recording *rec, size_t index);
/* Add a place.  Returns -EINVAL if CPUs are not in order. */
int td_recording_add_place(struct td_recording *rec, const struct td_place *place);
/*
 * Set the end of the next interval.  Returns -EINVAL if it is before the end of the previous one.
 */
int td_recording_set_time(struct td_recording *rec, uint64_t time_ns);
/* Make room for nr readings; their values are not set. */
void td_recording_resize(struct td_readings *readings, size_t nr);

#endif
