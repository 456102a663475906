/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_EXPOSED_H
#define TD_CMD_VIEW_EXPOSED_H

#include "cmd/opts/opts.h"
#include "cmd/out/openmetrics.h"
#include "cmd/view/source.h"

/* The counters of a live run, with what a page says besides. */
struct td_exposed {
	struct td_counters counters;
	struct td_exposed_info info;
	char cpuid[48];
};

/* opts must have the interval. */
void td_exposed_begin(struct td_exposed *exposed, const struct td_opts *opts,
		      const struct td_source *source);
/* Makes the text; the caller frees it.  NULL if out of memory. */
char *td_exposed_text(const struct td_exposed *exposed, enum td_exposition how,
		      size_t *size);
void td_exposed_free(struct td_exposed *exposed);

#endif
