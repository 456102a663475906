/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_LIST_ENCODING_H
#define TD_CMD_LIST_ENCODING_H

#include <stdio.h>

#include "lib/event/event.h"

/* Is it an event of the kernel's own tables, whose config has no PMU format? */
bool td_encoding_is_numeric(const struct td_event *event);

/*
 * Writes an event as any version of perf takes it: "cpu/event=0x8,umask=0xe/",
 * with the formats of pmu, called pmu_name, or "TYPE:0xCONFIG".  terms: the
 * terms that defined the event ("event=0xcd,ldlat=0x80").  If several formats
 * share bits, the one in terms is written, or if none is, config1= and so on.
 */
void td_encoding_put(FILE *fp, const struct td_pmu *pmu, const char *pmu_name,
		     const struct td_event *event, const char *terms);
/*
 * Writes separator and the modifiers' letters, or nothing; the event is in no
 * group.
 */
void td_encoding_put_modifiers(FILE *fp, const char *separator,
			       const struct td_modifiers *mods);

#endif
