/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_EXPOSED_H
#define TD_CMD_VIEW_EXPOSED_H

#include "cmd/out/openmetrics.h"
#include "cmd/request.h"
#include "cmd/view/source.h"

/* The counters of a live run, with what a page says besides. */
struct td_exposed {
	struct td_counters counters;
	char cpuid[48];
	bool said_left_out;
};

/* The request must have the interval. */
void td_exposed_begin(struct td_exposed *exposed,
		      const struct td_request *request,
		      const struct td_source *source);
/* Adds an interval, which was just read; says once that not all have room. */
int td_exposed_add(struct td_exposed *exposed, const struct td_report *report,
		   struct td_err *err);
/* Makes the text; the caller frees it.  NULL if out of memory. */
char *td_exposed_text(const struct td_exposed *exposed, enum td_exposition how,
		      size_t *size);
void td_exposed_free(struct td_exposed *exposed);

#endif
