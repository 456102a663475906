/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_TIMED_LINE_H
#define TD_LIB_RECORDING_TIMED_LINE_H

#include "lib/count/regions.h"
#include "lib/machine/machine.h"

/*
 * What the line with the regions has of timed calls: of their functions, and of each
 * region.
 */
struct json_object;

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

#endif
