/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_LIST_ENCODING_H
#define TD_CMD_LIST_ENCODING_H

#include <stdio.h>

#include "lib/event/event.h"

/* An event of the kernel's own tables, whose config is not a PMU's. */
bool td_encoding_is_numeric(const struct td_event *event);

/*
 * An event as every perf takes it: "cpu/event=0x8,umask=0xe/" by the fields of
 * pmu, called pmu_name, or "TYPE:0xCONFIG".  terms: words that came with the
 * event ("event=0xcd,ldlat=0x80"): of several fields that are made of the same
 * bits the one that stands there is taken; if none does, config1= and so on.
 */
void td_encoding_put(FILE *fp, const struct td_pmu *pmu, const char *pmu_name,
		     const struct td_event *event, const char *terms);
/* separator and the letters, of an event that is in no group; or nothing. */
void td_encoding_put_modifiers(FILE *fp, const char *separator,
			       const struct td_modifiers *mods);

#endif
