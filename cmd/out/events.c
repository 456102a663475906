// SPDX-License-Identifier: GPL-2.0-only
/* What the event table in text, CSV and JSON has in common. */
#include "cmd/out/events.h"

#include <string.h>

#include "lib/base/util.h"

bool td_out_has_id(const struct td_event_row *row)
{
	return strcmp(row->id, "all") != 0;
}

const char *td_out_missing(enum td_status status)
{
	switch (status) {
	case TD_STATUS_OK:
		return NULL;
	case TD_STATUS_NOT_COUNTED:
		return "<not counted>";
	case TD_STATUS_NOT_SUPPORTED:
		return "<not supported>";
	case TD_STATUS_NONE:
		return "";
	}
	return "";
}

const char *td_out_ratio_unit(const struct td_ratio *ratio)
{
	const char *unit = ratio->unit;

	/* perf prints a % right after the value, as part of the value */
	if (*unit == '%')
		unit++;
	return unit + strspn(unit, " ");
}
