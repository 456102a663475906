/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_OPEN_ERROR_H
#define TD_LIB_COUNTER_OPEN_ERROR_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/event/event.h"
#include "lib/target/target.h"

/* Does it count the kernel alone, or what only the kernel does? */
bool td_event_needs_kernel(const struct td_event *event);
/* What the kernel's refusal (rc, negative errno) to open event on pmu means. */
int td_open_error(struct td_err *err, int rc, const struct td_event *event,
		  const char *pmu, const struct td_target *target);

#endif
