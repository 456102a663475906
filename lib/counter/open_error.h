/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_OPEN_ERROR_H
#define TD_LIB_COUNTER_OPEN_ERROR_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/event/event.h"
#include "lib/target/target.h"

/* True if the event cannot be counted without the kernel. */
bool td_event_needs_kernel(const struct td_event *event, const char *pmu);
/* Explains the kernel's refusal (rc, a negative errno) to open event on pmu. */
int td_open_error(struct td_err *err, int rc, const struct td_event *event,
		  const char *pmu, const struct td_target *target);

#endif
