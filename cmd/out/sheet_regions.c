// SPDX-License-Identifier: GPL-2.0-only
/* What rows of regions have besides, for programs. */
#include <math.h>
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/util.h"
#include "lib/region/layout.h"

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

/* What rows of timed calls have besides. */
struct timed_cells {
	const char *function;
	double from_s, to_s;
	bool slow;
	double time_share, on_cpu;
	double waited_s, preempted_s;
	double faults, switches, migrations;
	double interrupted_s;
};

#define OF_TIMED(member) offsetof(struct timed_cells, member)

static const struct td_sheet_column timed_columns[] = {
	{ "function", TD_CELL_TEXT, OF_TIMED(function) },
	{ "took_from", TD_CELL_SECONDS, OF_TIMED(from_s) },
	{ "took_to", TD_CELL_SECONDS, OF_TIMED(to_s) },
	{ "slow", TD_CELL_FLAG, OF_TIMED(slow) },
	{ "time_share", TD_CELL_PERCENT, OF_TIMED(time_share) },
	{ "on_cpu", TD_CELL_PERCENT, OF_TIMED(on_cpu) },
	{ "waited", TD_CELL_SECONDS, OF_TIMED(waited_s) },
	{ "preempted", TD_CELL_SECONDS, OF_TIMED(preempted_s) },
	{ "faults", TD_CELL_NUMBER, OF_TIMED(faults), .decimals = 2 },
	{ "switches", TD_CELL_NUMBER, OF_TIMED(switches), .decimals = 2 },
	{ "migrations", TD_CELL_NUMBER, OF_TIMED(migrations), .decimals = 2 },
	{ "interrupted", TD_CELL_SECONDS, OF_TIMED(interrupted_s) },
};

/* The last bucket has no end, and neither have slow calls. */
static struct timed_cells make_timed(const struct td_region_facts *of)
{
	bool open = of->slow || of->bucket == TD_REGION_BUCKETS - 1;
	double to_ns = open ? NAN : (double)td_region_bucket_ns(of->bucket + 1);

	/* a region beside its buckets */
	if (!of->timed)
		return (struct timed_cells){ NULL, NAN, NAN, false, NAN, NAN,
					     NAN,  NAN, NAN, NAN,   NAN, NAN };
	return (struct timed_cells){
		.function = of->of,
		.from_s = (double)td_region_bucket_ns(of->bucket) / 1e9,
		.to_s = to_ns / 1e9,
		.slow = of->slow,
		.time_share = of->time_pct,
		.on_cpu = of->on_cpu_pct,
		.waited_s = of->waited_ns / 1e9,
		.preempted_s = of->preempted_ns / 1e9,
		.faults = of->faults,
		.switches = of->switches,
		.migrations = of->migrations,
		.interrupted_s = of->interrupted_ns / 1e9,
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
	if (writer->frame->timed)
		td_out_csv_names(writer, timed_columns,
				 TD_ARRAY_SIZE(timed_columns));
}

void td_out_csv_region(const struct td_writer *writer,
		       const struct td_region_facts *of)
{
	const struct cells cells = make_cells(of);
	const struct timed_cells timed = make_timed(of);

	td_out_csv_cells(writer, columns, TD_ARRAY_SIZE(columns), &cells);
	if (writer->frame->timed)
		td_out_csv_cells(writer, timed_columns,
				 TD_ARRAY_SIZE(timed_columns), &timed);
}

void td_out_json_region(struct json_object *to,
			const struct td_region_facts *of)
{
	const struct cells cells = make_cells(of);
	const struct timed_cells timed = make_timed(of);

	td_out_json_cells(to, columns,
			  TD_ARRAY_SIZE(columns) - (of->function ? 0 : 1),
			  &cells);
	if (of->timed)
		td_out_json_cells(to, timed_columns,
				  TD_ARRAY_SIZE(timed_columns), &timed);
}
