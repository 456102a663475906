// SPDX-License-Identifier: GPL-2.0-only
/* What rows of regions have besides, for programs. */
#include <math.h>
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/util.h"

struct cells {
	double calls, seconds, inclusive, exclusive, slots_per_call;
	double switched, migrated, moved, lost, skipped;
	double cost;
	bool is_short;
	double whole;
};

#define OF(member) offsetof(struct cells, member)

static const struct td_sheet_column columns[] = {
	{ "calls", TD_CELL_COUNT, OF(calls) },
	{ "seconds", TD_CELL_SECONDS, OF(seconds) },
	{ "inclusive", TD_CELL_PERCENT, OF(inclusive) },
	{ "exclusive", TD_CELL_PERCENT, OF(exclusive) },
	{ "slots_per_call", TD_CELL_NUMBER, OF(slots_per_call), .decimals = 1 },
	{ "switched", TD_CELL_COUNT, OF(switched) },
	{ "migrated", TD_CELL_COUNT, OF(migrated) },
	{ "moved", TD_CELL_COUNT, OF(moved) },
	{ "lost", TD_CELL_COUNT, OF(lost) },
	{ "skipped", TD_CELL_COUNT, OF(skipped) },
	{ "cost", TD_CELL_PERCENT, OF(cost) },
	{ "short", TD_CELL_FLAG, OF(is_short), .optional = true },
	/* the last one: of functions alone */
	{ "whole", TD_CELL_PERCENT, OF(whole) },
};

static struct cells make_cells(const struct td_region_facts *of)
{
	/* nobody has counted what is of calls for functions */
	double known = of->function ? NAN : 0;

	return (struct cells){
		.calls = of->outside && !of->function ? NAN : (double)of->calls,
		.seconds = (double)of->time_ns / 1e9,
		.inclusive = of->inclusive_pct,
		.exclusive = of->exclusive_pct,
		.slots_per_call = known + of->slots_per_call,
		.switched = known + (double)of->switched,
		.migrated = known + (double)of->migrated,
		.moved = known + (double)of->moved,
		.lost = known + (double)of->lost,
		.skipped = known + (double)of->skipped,
		.cost = known + of->cost_pct,
		.is_short = !isnan(of->least_slots),
		.whole = of->whole_pct,
	};
}

bool td_out_is_of_regions(const char *key)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(columns); i++) {
		if (strcmp(columns[i].key, key) == 0)
			return true;
	}
	return false;
}

void td_out_csv_region_names(const struct td_writer *writer)
{
	td_out_csv_names(writer, columns, TD_ARRAY_SIZE(columns));
}

void td_out_csv_region(const struct td_writer *writer,
		       const struct td_region_facts *of)
{
	const struct cells cells = make_cells(of);

	td_out_csv_cells(writer, columns, TD_ARRAY_SIZE(columns), &cells);
}

void td_out_json_region(struct json_object *to,
			const struct td_region_facts *of)
{
	const struct cells cells = make_cells(of);

	td_out_json_cells(to, columns,
			  TD_ARRAY_SIZE(columns) - (of->function ? 0 : 1),
			  &cells);
}
