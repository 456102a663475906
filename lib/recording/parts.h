/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_PARTS_H
#define TD_LIB_RECORDING_PARTS_H

/* The parts that read and write a recording. */
#include <json-c/json.h>

#include "lib/count/regions.h"
#include "lib/event/event.h"
#include "lib/machine/machine.h"
#include "lib/recording/recording.h"

/* --- head.c: the first line ----------------------------------------------- */

/* Replaces the topology by that of a line, which has more CPUs. */
int td_recording_read_topology(struct td_recording *rec,
			       struct json_object *line, struct td_err *err);

/* Fills rec with what a recording's first line says. */
int td_recording_parse_head(struct td_recording *rec, struct json_object *head,
			    struct td_err *err);

/* --- request.c: what was asked for, in the first line --------------------- */

/*
 * Members of an event in a recording of -e: what the event table needs to show
 * it and to choose the ratios that are shown next to counts.
 */
void td_typed_put(struct json_object *object, const struct td_event *event);
/* -EINVAL if a value is of the wrong type or too large; -ENOMEM. */
int td_typed_get(struct json_object *object, struct td_event *event);

/*
 * The members of a recording's first line that say what was requested, how it
 * was aggregated and the names of its cgroups.
 */
void td_recording_put_request(struct json_object *head,
			      const struct td_recording_info *info);
int td_recording_parse_request(struct td_recording *rec,
			       struct json_object *head, struct td_err *err);

/* --- region_line.c -------------------------------------------------------- */

/* Reads the line with the regions that the counts behind it refer to. */
int td_recording_read_regions(struct td_recording *rec,
			      struct json_object *line, struct td_err *err);

/* --- timed_line.c --------------------------------------------------------- */

/*
 * What the line with the regions has of timed calls: of their functions, and of each
 * region.
 */
void td_timed_put(struct json_object *line, const struct td_regions *regions);
void td_timed_put_region(struct json_object *object,
			 const struct td_machine *machine,
			 const struct td_region *region);
/* Nothing if there are none.  -EINVAL if it is not as it was written; -ENOMEM. */
int td_timed_read(struct json_object *line, struct td_regions *regions);
/* Of a region of these, whose other members are read. */
int td_timed_read_region(struct json_object *object,
			 const struct td_machine *machine,
			 const struct td_regions *regions,
			 struct td_region *region);

/* --- lines.c: the format that write.c writes, read from rec->fp ----------- */

/* Reads the first line into rec. */
int td_recording_read_head(struct td_recording *rec, struct td_err *err);
/* Reads a line into an object, which the caller frees.  Returns 1 at the end. */
int td_recording_next_line(struct td_recording *rec, struct json_object **line,
			   struct td_err *err);
/* Reads what "end" is; returns 1, if it is right. */
int td_recording_read_end(struct td_recording *rec, struct json_object *end,
			  struct td_err *err);
/* Does the same as td_recording_next(). */
int td_recording_read_interval(struct td_recording *rec, uint64_t *time_ns,
			       struct td_readings *readings,
			       struct td_err *err);

#endif
