// SPDX-License-Identifier: GPL-2.0-only
/* What the three forms of the event table share. */
#include "cmd/out_events.h"

#include <string.h>

#include "lib/util.h"

/* The widths are perf stat's; the last row is for what is none of these. */
static const struct {
	const char *prefix;
	struct td_id_kind kind;
} kinds[] = {
	{ "CPU", { .name = "cpu", .width = 6, .prefix = 3 } },
	{ "", { .name = "id", .width = 8 } },
};

const struct td_id_kind *td_out_id_kind(const char *id)
{
	size_t i = 0;

	if (strcmp(id, "all") == 0)
		return NULL;
	while (strncmp(id, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	return &kinds[i].kind;
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

const char *td_out_beside_unit(const struct td_beside *beside)
{
	const char *unit = beside->unit;

	/* perf takes a sign right behind the value for a part of the value */
	if (*unit == '%')
		unit++;
	return unit + strspn(unit, " ");
}
