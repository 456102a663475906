// SPDX-License-Identifier: GPL-2.0-only
/* What the three forms of the event table share. */
#include "cmd/out/events.h"

#include <string.h>

#include "lib/base/util.h"

/* aggr_header_lens and aggr_header_names in tools/perf/util/stat-display.c */
static const struct td_id_kind kinds[TD_NR_AGGREGATIONS] = {
	[TD_AGGREGATE_ALL] = { NULL, 0, 0, false },
	[TD_AGGREGATE_CPU] = { "cpu", 6, 3, false },
	[TD_AGGREGATE_CORE] = { "core", 18, 0, true },
	[TD_AGGREGATE_CLUSTER] = { "cluster", 20, 0, true },
	[TD_AGGREGATE_CACHE] = { "cache", 22, 0, true },
	[TD_AGGREGATE_DIE] = { "die", 12, 0, true },
	[TD_AGGREGATE_SOCKET] = { "socket", 6, 0, true },
	[TD_AGGREGATE_NODE] = { "node", 6, 0, true },
	[TD_AGGREGATE_THREAD] = { "thread", 24, 0, false },
};

const struct td_id_kind *td_out_id_kind(enum td_aggregation how)
{
	return &kinds[how];
}

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

const char *td_out_beside_unit(const struct td_beside *beside)
{
	const char *unit = beside->unit;

	/* perf takes a sign right behind the value for a part of the value */
	if (*unit == '%')
		unit++;
	return unit + strspn(unit, " ");
}
