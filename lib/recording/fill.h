/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_FILL_H
#define TD_LIB_RECORDING_FILL_H

#include "lib/base/json.h"
#include "lib/recording/recording.h"

/* How the readers of both kinds of file fill a struct td_recording. */

#define TD_RECORDING_MAX_EVENTS 10000

/*
 * Refuses a member of the line that has another type: its value would be read as
 * if it were not there.
 */
int td_recording_check_types(const struct td_recording *rec,
			     struct json_object *object,
			     const struct td_json_optional *members,
			     struct td_err *err);
/* -EINVAL: core PMUs must come before all others; -ENOMEM. */
int td_recording_add_pmu(struct td_recording *rec, const char *name,
			 enum td_pmu_kind kind, uint32_t type);
/*
 * Adds an event with a copy of name, the type of the machine's pmu-th PMU,
 * scale 1 and no group; the caller sets the rest.  NULL if out of memory.
 */
struct td_event *td_recording_add_event(struct td_recording *rec,
					const char *name, int pmu);
/*
 * Adds "slots" of "cpu_core/slots/" to the events that the PMU is known to have,
 * for trees; a name with modifiers, or of another PMU, is left out.  -ENOMEM.
 */
int td_recording_note_name(struct td_pmu *pmu, const char *event);
int td_recording_note_event(struct td_pmu *pmu, const char *id);
/*
 * Adds the last event to the group of this index; missing groups are created.
 * -EINVAL if the group is of another PMU; -ENOMEM.
 */
int td_recording_add_to_group(struct td_recording *rec, size_t index);
/* -EINVAL if places are not added in the order of their CPUs; -ENOMEM. */
int td_recording_add_place(struct td_recording *rec,
			   const struct td_place *place);
/* Sets the time of the next interval.  -EINVAL if it goes backwards. */
int td_recording_set_time(struct td_recording *rec, uint64_t time_ns);
/* Makes room for nr readings; their values are not set.  -ENOMEM. */
int td_recording_resize(struct td_readings *readings, size_t nr);

#endif
