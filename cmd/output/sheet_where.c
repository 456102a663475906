// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions and regions, for programs.  In CSV, each sampled function has a line, followed by lines
 * for its source lines and callers.  In JSON Lines, each function is an object with lists of both.
 * Rows of regions have additional columns.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "cmd/output/out.h"
#include "cmd/output/where.h"
#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/machine/pmu.h"
#include "lib/region/layout.h"

enum kind {
	OF_FUNCTION,
	OF_LINE,
	OF_CALLER,
};

struct row {
	const char *pmu, *event, *node;
	enum kind of;
	double share, error, samples;
	const char *function, *object, *address;
	const char *file;
	double line;
	const char *caller;
	const char *in;      /* samples are only from calls of this function; NULL: all */
	double slower;       /* minimum duration of slow calls in seconds */
	const char *sampled; /* event whose samples have the counts; NULL: this one */
	char address_text[32], caller_text[32];
};

/* Indices of the first columns of parts of JSON objects. */
enum {
	OF = 3,
	SHARE,
	FUNCTION = SHARE + 3,
	SOURCE = FUNCTION + 3,
	CALLER = SOURCE + 2,
	IN,
	SAMPLED = IN + 2,
};

static const char *const kinds[] = { "function", "line", "caller" };

static const struct td_sheet_column columns[] = {
	{ "pmu", TD_CELL_TEXT, offsetof(struct row, pmu) },
	{ "event", TD_CELL_TEXT, offsetof(struct row, event) },
	{ "node", TD_CELL_TEXT, offsetof(struct row, node) },
	[OF] = { "of", TD_CELL_WORD, offsetof(struct row, of), kinds },
	[SHARE] = { "share", TD_CELL_PERCENT, offsetof(struct row, share) },
	{ "error", TD_CELL_PERCENT, offsetof(struct row, error) },
	{ "samples", TD_CELL_COUNT, offsetof(struct row, samples) },
	[FUNCTION] = { "function", TD_CELL_TEXT, offsetof(struct row, function) },
	{ "object", TD_CELL_TEXT, offsetof(struct row, object) },
	{ "address", TD_CELL_TEXT, offsetof(struct row, address) },
	[SOURCE] = { "file", TD_CELL_TEXT, offsetof(struct row, file) },
	{ "line", TD_CELL_COUNT, offsetof(struct row, line) },
	[CALLER] = { "caller", TD_CELL_TEXT, offsetof(struct row, caller) },
	[IN] = { "in", TD_CELL_TEXT, offsetof(struct row, in) },
	{ "slower", TD_CELL_SECONDS, offsetof(struct row, slower) },
	[SAMPLED] = { "sampled", TD_CELL_TEXT, offsetof(struct row, sampled), .optional = true },
};

static const char *put_address(char buf[32], uint64_t address)
{
	snprintf(buf, 32, "0x%" PRIx64, address);
	return buf;
}

const char *td_where_name(char buf[32], const struct td_spots *spots, int function)
{
	const struct td_function *f = &spots->functions[function];

	return f->name ? f->name : put_address(buf, f->address);
}

const char *td_where_unit(const struct td_where *where, const struct td_where_event *event)
{
	return where->node && td_pmu_kind(event->pmu) == TD_PMU_IBS ? "cycles" : "events";
}

static void set_share(struct row *row, const struct td_share *share)
{
	row->share = share->percent;
	row->error = share->error;
	row->samples = (double)share->samples;
}

static void set_function(struct row *row, const struct td_spots *spots, int function)
{
	const struct td_function *f = &spots->functions[function];

	row->function = f->name;
	row->object = spots->objects[f->object].path;
	row->address = put_address(row->address_text, f->address);
}

static void set_line(struct row *row, const struct td_spots *spots, const struct td_detail *line)
{
	bool known = line->file >= 0;

	set_share(row, &line->share);
	row->file = known ? spots->files[line->file] : NULL;
	row->line = known ? line->line : (double)NAN;
}

static void set_location(struct row *row, const struct td_where *where,
			 const struct td_where_event *event, const struct td_location *location)
{
	*row = (struct row){ .pmu = event->pmu,
			     .event = event->name,
			     .node = where->node,
			     .line = NAN,
			     .in = where->in,
			     .slower = where->slower_ns ? (double)where->slower_ns / 1e9 : NAN,
			     .sampled = event->sampled };
	set_share(row, &location->share);
	set_function(row, where->spots, location->function);
}

/* --- CSV -------------------------------------------------------------------- */

static void put_line(struct td_writer *writer, const struct row *row)
{
	const struct td_sheet sheet = { columns, TD_ARRAY_SIZE(columns), row, row ? 1 : 0,
					sizeof(*row) };

	td_out_csv_sheet(writer, &sheet);
}

static void put_lines(struct td_writer *writer, const struct td_where *where,
		      const struct td_location *location, struct row *row)
{
	put_line(writer, row);
	row->of = OF_LINE;
	for (size_t i = 0; where->lines && i < location->lines.nr; i++) {
		set_line(row, where->spots, &location->lines.v[i]);
		put_line(writer, row);
	}
	row->of = OF_CALLER;
	row->file = NULL;
	row->line = NAN;
	for (size_t i = 0; where->callers && i < location->callers.nr; i++) {
		const struct td_detail *caller = &location->callers.v[i];

		set_share(row, &caller->share);
		row->caller = caller->function < 0 ? NULL
						   : td_where_name(row->caller_text, where->spots,
								   caller->function);
		put_line(writer, row);
	}
}

struct td_sheet td_out_where_sheet(void)
{
	return (struct td_sheet){ .columns = columns, .nr_columns = TD_ARRAY_SIZE(columns) };
}

void td_out_csv_where(struct td_writer *writer, const struct td_where *where)
{
	struct row row;

	put_line(writer, NULL); /* the header */
	for (size_t i = 0; i < where->nr; i++) {
		const struct td_where_event *event = &where->events[i];

		for (size_t j = 0; j < event->locations.nr; j++) {
			set_location(&row, where, event, &event->locations.v[j]);
			put_lines(writer, where, &event->locations.v[j], &row);
		}
	}
}

/* --- JSON ------------------------------------------------------------------- */

static void add(struct json_object *to, const struct row *row, size_t from, size_t end)
{
	td_out_json_cells(to, columns + from, end - from, row);
}

static struct json_object *lines_of(const struct td_spots *spots, const struct td_details *lines)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < lines->nr; i++) {
		struct json_object *o = json_object_new_object();
		struct row row;

		set_line(&row, spots, &lines->v[i]);
		add(o, &row, SHARE, FUNCTION);
		add(o, &row, SOURCE, CALLER);
		td_json_append(list, o);
	}
	return list;
}

static struct json_object *callers_of(const struct td_spots *spots,
				      const struct td_details *callers)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < callers->nr; i++) {
		const struct td_detail *caller = &callers->v[i];
		struct json_object *o = json_object_new_object();
		bool known = caller->function >= 0;
		struct row row = { .function = NULL };

		set_share(&row, &caller->share);
		if (known)
			set_function(&row, spots, caller->function);
		add(o, &row, SHARE, known ? SOURCE : FUNCTION + 1);
		td_json_append(list, o);
	}
	return list;
}

static void put_object(struct td_writer *writer, const struct td_where *where,
		       const struct td_location *location, const struct row *row)
{
	struct json_object *o = td_json_line();

	add(o, row, 0, OF);
	add(o, row, SHARE, SOURCE);
	if (where->in)
		add(o, row, IN, SAMPLED);
	add(o, row, SAMPLED, TD_ARRAY_SIZE(columns));
	if (where->lines)
		td_json_add(o, "lines", lines_of(where->spots, &location->lines));
	if (where->callers)
		td_json_add(o, "callers", callers_of(where->spots, &location->callers));
	td_out_json_line(writer, o);
}

void td_out_json_where(struct td_writer *writer, const struct td_where *where)
{
	struct row row;

	for (size_t i = 0; i < where->nr; i++) {
		const struct td_where_event *event = &where->events[i];

		for (size_t j = 0; j < event->locations.nr; j++) {
			set_location(&row, where, event, &event->locations.v[j]);
			put_object(writer, where, &event->locations.v[j], &row);
		}
	}
}

/* --- additional columns of regions and functions -------------------------- */

struct cells {
	double calls, seconds, inclusive, exclusive, slots_per_call;
	double switched, migrated, moved, lost, skipped;
	double cost;
	bool is_short;
	double whole;
};

#define OF(member) offsetof(struct cells, member)

static const struct td_sheet_column region_columns[] = {
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
	/* the last column is only for functions */
	{ "whole", TD_CELL_PERCENT, OF(whole) },
};

static struct cells make_cells(const struct td_region_facts *of)
{
	/* sampled functions have no counts of calls */
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

/* Additional columns of timed calls. */
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

/* The last bucket and slow calls have no upper bound. */
static struct timed_cells make_timed(const struct td_region_facts *of)
{
	bool open = of->slow || of->bucket == TD_REGION_BUCKETS - 1;
	double to_ns = open ? NAN : (double)td_region_bucket_ns(of->bucket + 1);

	/* a region, in a report with timed calls of other functions */
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
	for (size_t i = 0; i < TD_ARRAY_SIZE(region_columns); i++) {
		if (strcmp(region_columns[i].key, key) == 0)
			return true;
	}
	return false;
}

void td_out_csv_region_names(const struct td_writer *writer)
{
	td_out_csv_names(writer, region_columns, TD_ARRAY_SIZE(region_columns));
	if (writer->frame->timed)
		td_out_csv_names(writer, timed_columns, TD_ARRAY_SIZE(timed_columns));
}

void td_out_csv_region(const struct td_writer *writer, const struct td_region_facts *of)
{
	const struct cells cells = make_cells(of);
	const struct timed_cells timed = make_timed(of);

	td_out_csv_cells(writer, region_columns, TD_ARRAY_SIZE(region_columns), &cells);
	if (writer->frame->timed)
		td_out_csv_cells(writer, timed_columns, TD_ARRAY_SIZE(timed_columns), &timed);
}

void td_out_json_region(struct json_object *to, const struct td_region_facts *of)
{
	const struct cells cells = make_cells(of);
	const struct timed_cells timed = make_timed(of);

	td_out_json_cells(to, region_columns,
			  TD_ARRAY_SIZE(region_columns) - (of->function ? 0 : 1), &cells);
	if (of->timed)
		td_out_json_cells(to, timed_columns, TD_ARRAY_SIZE(timed_columns), &timed);
}
