// SPDX-License-Identifier: GPL-2.0-only
/* Sheets as CSV (RFC 4180: one header line, then the same columns in every line) and JSON Lines. */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>

#include "cmd/output/columns.h"
#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "cmd/output/where.h"
#include "lib/base/identity.h"
#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/count/aggregation.h"
#include "lib/machine/machine.h"
#include "lib/machine/pmu.h"
#include "lib/region/layout.h"
#include "lib/target/target.h"

/* A line of the header; text is NULL if it is unknown. */
struct row {
	const char *key, *text;
};

enum {
	BEFORE_START = 5, /* number of facts before the start */
	NR_FACTS = 7,
};

static void take_facts(const struct td_frame *frame, struct row facts[NR_FACTS], char cpuid[48],
		       const char *target)
{
	static const struct td_identity unknown = { 0 };
	const struct td_identity *of = frame->identity ? frame->identity : &unknown;
	const struct td_machine *machine = frame->machine;

	if (machine && machine->cpuid.family)
		td_cpuid_format(&machine->cpuid, cpuid);
	else
		cpuid = NULL;
	facts[0] = (struct row){ "version", of->version };
	facts[1] = (struct row){ "files", frame->files };
	facts[2] = (struct row){ "host", of->unnamed ? NULL : of->host };
	facts[3] = (struct row){ "cpuid", cpuid };
	facts[4] = (struct row){ "kernel", of->kernel };
	facts[5] = (struct row){ "command", of->command };
	facts[6] = (struct row){ "target", target };
}

/* Return the target as in "Performance counter stats for"; NULL: none. */
static char *target_of(const struct td_frame *frame)
{
	if (!frame->target)
		return NULL;
	return td_aprintf("%s%s", td_target_words(frame->target_kind), frame->target);
}

static void add_facts(struct json_object *head, const struct row *facts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		td_json_add(head, facts[i].key,
			    facts[i].text ? json_object_new_string(facts[i].text) : NULL);
}

void td_out_json_head(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	struct json_object *head = td_json_line();
	td_autofree char *target = target_of(frame);
	struct row facts[NR_FACTS];
	char cpuid[48];

	take_facts(frame, facts, cpuid, target);
	td_json_put_int(head, "tdstat_rows", TD_ROWS_VERSION);
	add_facts(head, facts, BEFORE_START);
	if (frame->start_ns)
		td_json_put_seconds(head, "start", frame->start_ns);
	else
		td_json_add(head, "start", NULL);
	add_facts(head, facts + BEFORE_START, NR_FACTS - BEFORE_START);
	if (frame->held)
		td_json_add(head, "held", json_object_new_string(frame->held));
	if (frame->in)
		td_json_add(head, "in", json_object_new_string(frame->in));
	if (frame->slower_ns)
		td_json_put_seconds(head, "slower", frame->slower_ns);
	td_json_add(head, "labels",
		    frame->identity ? td_identity_labels(frame->identity)
				    : json_object_new_object());
	td_out_json_line(writer, head);
}

/* Write a comment line, which most readers of CSV can skip. */
static void put_line(FILE *fp, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(fp, "# %s: ", key);
	td_put_printable(fp, text);
	fputc('\n', fp);
}

static void put_lines(FILE *fp, const struct row *facts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_line(fp, facts[i].key, facts[i].text);
}

static void csv_head(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	const struct td_identity *of = frame->identity;
	td_autofree char *target = target_of(frame);
	struct row facts[NR_FACTS];
	char cpuid[48], seconds[40];

	take_facts(frame, facts, cpuid, target);
	fprintf(writer->fp, "# tdstat_rows: %d\n", TD_ROWS_VERSION);
	put_lines(writer->fp, facts, BEFORE_START);
	if (frame->start_ns)
		put_line(writer->fp, "start", td_format_seconds(seconds, frame->start_ns));
	put_lines(writer->fp, facts + BEFORE_START, NR_FACTS - BEFORE_START);
	put_line(writer->fp, "held", frame->held);
	put_line(writer->fp, "in", frame->in);
	if (frame->slower_ns)
		put_line(writer->fp, "slower", td_format_seconds(seconds, frame->slower_ns));
	for (size_t i = 0; of && i < of->nr_labels; i++)
		put_line(writer->fp, "label", of->labels[i]);
}

static const void *member(const struct td_sheet_column *column, const void *row)
{
	return (const char *)row + column->offset;
}

static bool is_number(const struct td_sheet_column *column)
{
	return column->kind >= TD_CELL_COUNT;
}

/* Return the text of a cell that is not a number; NULL: none. */
static const char *text_of(const struct td_sheet_column *column, const void *at)
{
	if (column->kind == TD_CELL_WORD)
		return column->words[*(const int *)at];
	return *(const char *const *)at;
}

/* --- CSV -------------------------------------------------------------------- */

/*
 * Must the text be quoted?  With the separator "--", "a-" must: in "a---", the separator would
 * begin too early.
 */
static bool needs_quotes(const char *separator, const char *text)
{
	size_t len = strlen(text);

	return strstr(text, separator) || strchr(text, '"') || !td_is_text(text) ||
	       (len && strchr(separator, text[len - 1]));
}

/* Escape unprintable characters, because a record is one line. */
static void csv_field(const struct td_writer *writer, const char *text)
{
	FILE *fp = writer->fp;
	size_t len;

	if (!needs_quotes(writer->separator, text)) {
		fputs(text, fp);
		return;
	}
	fputc('"', fp);
	for (; *text; text += len) {
		len = *text == '"' ? 1 : strcspn(text, "\"");
		if (*text == '"')
			fputc('"', fp);
		td_put_printable_n(fp, text, len);
	}
	fputc('"', fp);
}

static const char *csv_number(const struct td_sheet_column *column, double value,
			      char buf[TD_VALUE_SIZE])
{
	static const struct td_column any = { .unit = "" };

	if (isnan(value))
		return NULL;
	if (column->kind == TD_CELL_COUNT)
		return td_out_format(buf, 0, value);
	if (column->kind == TD_CELL_PERCENT)
		return td_out_format(buf, 2, value);
	if (column->kind == TD_CELL_SECONDS)
		return td_out_format(buf, 9, value);
	if (column->decimals)
		return td_out_format(buf, column->decimals, value);
	return td_out_value(buf, &any, value, TD_READER_SCRIPT);
}

static void put_csv_cell(const struct td_writer *writer, const struct td_sheet_column *column,
			 const void *row)
{
	const void *at = member(column, row);
	char buf[TD_VALUE_SIZE];
	const char *text;

	if (column->kind == TD_CELL_FLAG)
		text = *(const bool *)at ? "1" : "0";
	else if (is_number(column))
		text = csv_number(column, *(const double *)at, buf);
	else if (column->kind != TD_CELL_LEVEL)
		text = text_of(column, at);
	else if (*(const int *)at)
		text = td_out_format(buf, 0, *(const int *)at);
	else
		text = NULL;
	if (text)
		csv_field(writer, text);
}

/* Put names or cells of a row, each after a separator. */
static void csv_names(const struct td_writer *writer, const struct td_sheet_column *columns,
		      size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!columns[i].key)
			continue;
		fputs(writer->separator, writer->fp);
		csv_field(writer, columns[i].key);
	}
}

static void csv_cells(const struct td_writer *writer, const struct td_sheet_column *columns,
		      size_t nr, const void *row)
{
	for (size_t i = 0; i < nr; i++) {
		if (!columns[i].key)
			continue;
		fputs(writer->separator, writer->fp);
		put_csv_cell(writer, &columns[i], row);
	}
}

/* Put a line per row, and before the first row a header. */
static void csv_sheet(struct td_writer *writer, const struct td_sheet *sheet)
{
	const struct td_sheet_column *columns = sheet->columns;
	const char *row = sheet->rows;

	if (!writer->header_done) {
		csv_field(writer, columns[0].key);
		csv_names(writer, columns + 1, sheet->nr_columns - 1);
		fputc('\n', writer->fp);
		writer->header_done = true;
	}
	for (size_t i = 0; i < sheet->nr_rows; i++, row += sheet->row_size) {
		put_csv_cell(writer, &columns[0], row);
		csv_cells(writer, columns + 1, sheet->nr_columns - 1, row);
		fputc('\n', writer->fp);
	}
}

/* --- JSON ------------------------------------------------------------------- */

void td_out_json_line(struct td_writer *writer, struct json_object *line)
{
	td_json_put_line(writer->fp, line);
}

/*
 * Write a number without the last of 17 digits, which is noise.  Always write a point or an
 * exponent, because some readers use the type of the first value for all values.
 */
struct json_object *td_out_json_number(double value)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%.12g", value == 0 ? 0 : value);
	if (!strpbrk(buf, ".e"))
		strcat(buf, ".0");
	return json_object_new_double_s(value, buf);
}

/* Write a percentage with two decimals instead of json-c's 17 digits. */
struct json_object *td_out_json_percent(double value)
{
	char buf[64];

	return json_object_new_double_s(value, td_out_format(buf, 2, value));
}

static struct json_object *json_number(const struct td_sheet_column *column, double value)
{
	char buf[64];

	if (!isfinite(value))
		return NULL;
	if (column->kind == TD_CELL_COUNT && fabs(value) < (double)INT64_MAX)
		return json_object_new_int64((int64_t)value);
	if (column->kind == TD_CELL_PERCENT)
		return td_out_json_percent(value);
	if (column->kind == TD_CELL_SECONDS)
		return json_object_new_double_s(value, td_out_format(buf, 9, value));
	return td_out_json_number(value);
}

/* Return a cell's value; NULL means null. */
static struct json_object *json_cell(const struct td_sheet_column *column, const void *at)
{
	const char *text;

	if (is_number(column))
		return json_number(column, *(const double *)at);
	if (column->kind == TD_CELL_FLAG)
		return column->optional && !*(const bool *)at
			       ? NULL
			       : json_object_new_boolean(*(const bool *)at);
	if (column->kind == TD_CELL_LEVEL)
		return *(const int *)at ? json_object_new_int(*(const int *)at) : NULL;
	text = text_of(column, at);
	return text ? json_object_new_string(text) : NULL;
}

void td_out_json_cells(struct json_object *to, const struct td_sheet_column *columns, size_t nr,
		       const void *row)
{
	td_for_each(const struct td_sheet_column, column, columns, nr) {
		struct json_object *cell;

		if (!column->key || column->csv_only)
			continue;
		cell = json_cell(column, member(column, row));
		if (cell || !column->optional)
			td_json_add(to, column->key, cell);
	}
}

void td_out_json_sheet(struct td_writer *writer, const struct td_sheet *sheet)
{
	const char *row = sheet->rows;

	for (size_t i = 0; i < sheet->nr_rows; i++, row += sheet->row_size) {
		struct json_object *o = td_json_line();

		td_out_json_cells(o, sheet->columns, sheet->nr_columns, row);
		td_out_json_line(writer, o);
	}
}

enum kind {
	OF_FUNCTION,
	OF_LINE,
	OF_CALLER,
};

struct function_row {
	const char *pmu, *event, *node;
	enum kind of;
	double share, error, samples;
	const char *function, *object, *address, *file;
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
	{ "pmu", TD_CELL_TEXT, offsetof(struct function_row, pmu) },
	{ "event", TD_CELL_TEXT, offsetof(struct function_row, event) },
	{ "node", TD_CELL_TEXT, offsetof(struct function_row, node) },
	[OF] = { "of", TD_CELL_WORD, offsetof(struct function_row, of), kinds },
	[SHARE] = { "share", TD_CELL_PERCENT, offsetof(struct function_row, share) },
	{ "error", TD_CELL_PERCENT, offsetof(struct function_row, error) },
	{ "samples", TD_CELL_COUNT, offsetof(struct function_row, samples) },
	[FUNCTION] = { "function", TD_CELL_TEXT, offsetof(struct function_row, function) },
	{ "object", TD_CELL_TEXT, offsetof(struct function_row, object) },
	{ "address", TD_CELL_TEXT, offsetof(struct function_row, address) },
	[SOURCE] = { "file", TD_CELL_TEXT, offsetof(struct function_row, file) },
	{ "line", TD_CELL_COUNT, offsetof(struct function_row, line) },
	[CALLER] = { "caller", TD_CELL_TEXT, offsetof(struct function_row, caller) },
	[IN] = { "in", TD_CELL_TEXT, offsetof(struct function_row, in) },
	{ "slower", TD_CELL_SECONDS, offsetof(struct function_row, slower) },
	[SAMPLED] = { "sampled", TD_CELL_TEXT, offsetof(struct function_row, sampled),
		      .optional = true },
};

static const char *put_address(char buf[32], uint64_t address)
{
	snprintf(buf, 32, "0x%" PRIx64, address);
	return buf;
}

const char *td_where_name(char buf[32], const struct td_locations *locations, int function)
{
	const struct td_function *f = &locations->functions[function];

	return f->name ? f->name : put_address(buf, f->address);
}

const char *td_where_unit(const struct td_where *where, const struct td_where_event *event)
{
	return where->node && td_pmu_kind(event->pmu) == TD_PMU_IBS ? "cycles" : "events";
}

static void set_share(struct function_row *row, const struct td_share *share)
{
	row->share = share->percent;
	row->error = share->error;
	row->samples = (double)share->samples;
}

static void set_function(struct function_row *row, const struct td_locations *locations,
			 int function)
{
	const struct td_function *f = &locations->functions[function];

	row->function = f->name;
	row->object = locations->objects[f->object].path;
	row->address = put_address(row->address_text, f->address);
}

static void set_line(struct function_row *row, const struct td_locations *locations,
		     const struct td_detail *line)
{
	bool known = line->file >= 0;

	set_share(row, &line->share);
	row->file = known ? locations->files[line->file] : NULL;
	row->line = known ? line->line : (double)NAN;
}

static void set_hot_function(struct function_row *row, const struct td_where *where,
			     const struct td_where_event *event, const struct td_hot_function *hot)
{
	*row = (struct function_row){ .pmu = event->pmu,
				      .event = event->name,
				      .node = where->node,
				      .line = NAN,
				      .in = where->in,
				      .slower = where->slower_ns ? (double)where->slower_ns / 1e9
								 : NAN,
				      .sampled = event->sampled };
	set_share(row, &hot->share);
	set_function(row, where->locations, hot->function);
}

/* --- CSV -------------------------------------------------------------------- */

static void put_function_line(struct td_writer *writer, const struct function_row *row)
{
	const struct td_sheet sheet = { columns, TD_ARRAY_SIZE(columns), row, row ? 1 : 0,
					sizeof(*row) };

	csv_sheet(writer, &sheet);
}

static void put_function_lines(struct td_writer *writer, const struct td_where *where,
			       const struct td_hot_function *hot, struct function_row *row)
{
	put_function_line(writer, row);
	row->of = OF_LINE;
	for (size_t i = 0; where->lines && i < hot->lines.nr; i++) {
		set_line(row, where->locations, &hot->lines.v[i]);
		put_function_line(writer, row);
	}
	row->of = OF_CALLER;
	row->file = NULL;
	row->line = NAN;
	for (size_t i = 0; where->callers && i < hot->callers.nr; i++) {
		const struct td_detail *caller = &hot->callers.v[i];

		set_share(row, &caller->share);
		row->caller = caller->function < 0
				      ? NULL
				      : td_where_name(row->caller_text, where->locations,
						      caller->function);
		put_function_line(writer, row);
	}
}

struct td_sheet td_out_where_sheet(void)
{
	return (struct td_sheet){ .columns = columns, .nr_columns = TD_ARRAY_SIZE(columns) };
}

static void csv_where(struct td_writer *writer, const struct td_where *where)
{
	struct function_row row;

	put_function_line(writer, NULL); /* the header */
	td_for_each(const struct td_where_event, event, where->events, where->nr) {
		for (size_t j = 0; j < event->functions.nr; j++) {
			set_hot_function(&row, where, event, &event->functions.v[j]);
			put_function_lines(writer, where, &event->functions.v[j], &row);
		}
	}
}

/* --- JSON ------------------------------------------------------------------- */

static void add(struct json_object *to, const struct function_row *row, size_t from, size_t end)
{
	td_out_json_cells(to, columns + from, end - from, row);
}

static struct json_object *lines_of(const struct td_locations *locations,
				    const struct td_details *lines)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < lines->nr; i++) {
		struct json_object *o = json_object_new_object();
		struct function_row row;

		set_line(&row, locations, &lines->v[i]);
		add(o, &row, SHARE, FUNCTION);
		add(o, &row, SOURCE, CALLER);
		td_json_append(list, o);
	}
	return list;
}

static struct json_object *callers_of(const struct td_locations *locations,
				      const struct td_details *callers)
{
	struct json_object *list = json_object_new_array();

	td_for_each(const struct td_detail, caller, callers->v, callers->nr) {
		struct json_object *o = json_object_new_object();
		bool known = caller->function >= 0;
		struct function_row row = { .function = NULL };

		set_share(&row, &caller->share);
		if (known)
			set_function(&row, locations, caller->function);
		add(o, &row, SHARE, known ? SOURCE : FUNCTION + 1);
		td_json_append(list, o);
	}
	return list;
}

static void put_object(struct td_writer *writer, const struct td_where *where,
		       const struct td_hot_function *hot, const struct function_row *row)
{
	struct json_object *o = td_json_line();

	add(o, row, 0, OF);
	add(o, row, SHARE, SOURCE);
	if (where->in)
		add(o, row, IN, SAMPLED);
	add(o, row, SAMPLED, TD_ARRAY_SIZE(columns));
	if (where->lines)
		td_json_add(o, "lines", lines_of(where->locations, &hot->lines));
	if (where->callers)
		td_json_add(o, "callers", callers_of(where->locations, &hot->callers));
	td_out_json_line(writer, o);
}

void td_out_json_where(struct td_writer *writer, const struct td_where *where)
{
	struct function_row row;

	td_for_each(const struct td_where_event, event, where->events, where->nr) {
		for (size_t j = 0; j < event->functions.nr; j++) {
			set_hot_function(&row, where, event, &event->functions.v[j]);
			put_object(writer, where, &event->functions.v[j], &row);
		}
	}
}

/* --- additional columns of regions and functions -------------------------- */

struct cells {
	double calls, seconds, inclusive, exclusive, slots_per_call;
	double switched, migrated, moved, lost, skipped, cost;
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
	double time_share, on_cpu, waited_s, preempted_s, faults, switches, migrations;
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

void td_out_json_region(struct json_object *to, const struct td_region_facts *of)
{
	const struct cells cells = make_cells(of);
	const struct timed_cells timed = make_timed(of);

	td_out_json_cells(to, region_columns,
			  TD_ARRAY_SIZE(region_columns) - (of->function ? 0 : 1), &cells);
	if (of->timed)
		td_out_json_cells(to, timed_columns, TD_ARRAY_SIZE(timed_columns), &timed);
}

/* --- events, as in perf stat -x -------------------------------------------- */

/*
 * Fields of perf stat: [time] [summary] [id [counters]] value unit event [cgroup] [variance]
 * runtime percent metric-value metric-unit.  There is no header, and all lines have the same number
 * of fields.
 */

/* Put a separator and a field. */
static void put_next(const struct td_writer *writer, const char *text)
{
	fputs(writer->separator, writer->fp);
	csv_field(writer, text);
}

static void begin_line(const struct td_writer *writer, uint64_t time_ns,
		       const struct td_event_row *row)
{
	const struct td_aggregation_row *by = td_aggregation_row(writer->frame->how);
	char time[TD_CLOCK_SIZE];

	if (writer->frame->interval)
		fprintf(writer->fp, "%s%s", td_out_time(time, writer->frame, time_ns),
			writer->separator);
	if (writer->summary && writer->frame->summary_word)
		fprintf(writer->fp, "summary%s", writer->separator);
	if (!by->width)
		return;
	csv_field(writer, td_out_has_id(row) ? row->id : "");
	fputs(writer->separator, writer->fp);
	if (by->counted)
		fprintf(writer->fp, "%u%s", row->nr, writer->separator);
}

/* Put the error, "1.25%", after the event, not after the percentage as in perf's manual. */
static void put_error(const struct td_writer *writer, const struct td_event_row *row)
{
	bool known = !isnan(row->error_pct);

	fputs(writer->separator, writer->fp);
	if (!known && !writer->frame->perf)
		return;
	td_out_number(writer->fp, 0, 2, known ? row->error_pct : 0);
	fputc('%', writer->fp);
}

static void put_count(const struct td_writer *writer, const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);

	if (missing)
		csv_field(writer, missing);
	else
		td_out_number(writer->fp, 0, row->decimals, row->value);
	put_next(writer, row->unit);
	put_next(writer, row->event);
	if (writer->frame->show_cgroup)
		put_next(writer, row->cgroup ? row->cgroup : "");
	if (writer->frame->runs > 1)
		put_error(writer, row);
	fprintf(writer->fp, "%s%" PRIu64 "%s", writer->separator, row->running_ns,
		writer->separator);
	td_out_number(writer->fp, 0, 2, row->running_pct);
}

static void put_event_row(const struct td_writer *writer, uint64_t time_ns,
			  const struct td_event_row *row)
{
	const char *sep = writer->separator;

	begin_line(writer, time_ns, row);
	put_count(writer, row);
	if (!row->nr_ratios)
		fprintf(writer->fp, "%s%s", sep, sep);
	for (int i = 0; i < row->nr_ratios; i++) {
		if (i > 0) { /* the fields of the count are empty */
			fputc('\n', writer->fp);
			begin_line(writer, time_ns, row);
			fprintf(writer->fp, "%s%s%s%s%s%s", sep, sep, sep, sep,
				writer->frame->show_cgroup ? sep : "",
				writer->frame->runs > 1 ? sep : "");
		}
		fputs(writer->separator, writer->fp);
		td_out_number(writer->fp, 0, row->ratios[i].decimals, row->ratios[i].value);
		put_next(writer, row->ratios[i].unit);
	}
	fputc('\n', writer->fp);
}

static void csv_events(struct td_writer *writer, const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		put_event_row(writer, report->time_ns, &report->rows[i]);
}

/* --- metrics --------------------------------------------------------------- */

/* Put the name of a column of a metric, such as "tma_retiring_error". */
static void put_name_of(struct td_writer *writer, const char *metric, const char *what)
{
	td_autofree char *name = td_aprintf("%s_%s", metric, what);

	put_next(writer, name);
}

static bool has_regions(const struct td_writer *writer)
{
	return writer->frame->how == TD_AGGREGATE_REGION;
}

/* Is there another column with this name, from -M or for regions?  Names are unique. */
static bool is_duplicate(const struct td_writer *writer, const struct td_report *report,
			 const struct td_sheet_column *fact)
{
	if (fact->key && has_regions(writer) && td_out_is_of_regions(fact->key))
		return true;
	for (size_t i = 0; fact->key && i < report->nr_columns; i++) {
		if (!strcmp(report->columns[i].name, fact->key))
			return true;
	}
	return false;
}

/* Put the names of metrics with impossible values, separated by blanks. */
static void put_flags(struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row)
{
	char *names = NULL, *longer;

	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!(row->cells && row->cells[i].status == TD_STATUS_OK && row->cells[i].misfit))
			continue;
		longer = td_aprintf("%s%s%s", names ? names : "", names ? " " : "",
				    report->columns[i].name);
		free(names);
		names = longer;
	}
	put_next(writer, names ? names : "");
	free(names);
}

/* Put the names of facts or, if row is not NULL, their values. */
static void put_facts(struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row, bool after)
{
	td_for_each(const struct td_sheet_column, fact, td_row_facts, td_nr_row_facts) {
		if (fact->after != after || is_duplicate(writer, report, fact))
			continue;
		if (row)
			csv_cells(writer, fact, 1, row);
		else
			csv_names(writer, fact, 1);
	}
}

static void put_header(struct td_writer *writer, const struct td_report *report)
{
	csv_field(writer, "time");
	put_next(writer, "id");
	put_next(writer, "pmu");
	put_facts(writer, report, NULL, false);
	if (has_regions(writer)) {
		csv_names(writer, region_columns, TD_ARRAY_SIZE(region_columns));
		if (writer->frame->timed)
			csv_names(writer, timed_columns, TD_ARRAY_SIZE(timed_columns));
	}
	for (size_t i = 0; i < report->nr_columns; i++) {
		const char *name = report->columns[i].name;

		put_next(writer, name);
		if (!writer->frame->errors)
			continue;
		put_name_of(writer, name, "error");
		if (has_regions(writer))
			continue;
		put_name_of(writer, name, "low");
		put_name_of(writer, name, "high");
	}
	put_facts(writer, report, NULL, true);
	fprintf(writer->fp, "%sflags", writer->separator);
	fputc('\n', writer->fp);
	writer->header_done = true;
}

/* Put a value, or an empty field if there is none. */
static void put_value(const struct td_writer *writer, const struct td_column *column,
		      const struct td_cell *cell, double value)
{
	char text[TD_VALUE_SIZE];

	fputs(writer->separator, writer->fp);
	if (cell->status == TD_STATUS_OK && !isnan(value))
		fputs(td_out_value(text, column, value, TD_READER_SCRIPT), writer->fp);
}

/* Put a row; if facts is not the row itself, put the line of its errors. */
static void put_row(struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row, const struct td_row *facts)
{
	bool errors = facts != row;
	char time[TD_CLOCK_SIZE];

	fputs(td_out_time(time, writer->frame, report->time_ns), writer->fp);
	put_next(writer, row->id);
	put_next(writer, row->pmu);
	put_facts(writer, report, facts, false);
	if (row->region) {
		const struct cells cells = make_cells(row->region);
		const struct timed_cells timed = make_timed(row->region);

		csv_cells(writer, region_columns, TD_ARRAY_SIZE(region_columns), &cells);
		if (writer->frame->timed)
			csv_cells(writer, timed_columns, TD_ARRAY_SIZE(timed_columns), &timed);
	}
	for (size_t i = 0; i < report->nr_columns; i++) {
		const struct td_column *column = &report->columns[i];
		const struct td_cell *cell = &row->cells[i];

		put_value(writer, column, cell, errors ? cell->runs_error : cell->value);
		if (!writer->frame->errors)
			continue;
		put_value(writer, column, cell, errors ? NAN : cell->error);
		if (has_regions(writer)) /* regions have no range over time */
			continue;
		put_value(writer, column, cell, errors ? NAN : cell->low);
		put_value(writer, column, cell, errors ? NAN : cell->high);
	}
	put_facts(writer, report, facts, true);
	put_flags(writer, report, facts);
	fputc('\n', writer->fp);
}

static void csv_report(struct td_writer *writer, const struct td_report *report)
{
	if (!writer->header_done)
		put_header(writer, report);
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		struct td_row spread;

		put_row(writer, report, row, row);
		if (writer->frame->runs < 2)
			continue;
		spread = td_row_init(row->id, row->pmu);
		spread.kind = TD_ROW_SPREAD;
		spread.cpu = row->cpu;
		spread.core = row->core;
		spread.cgroup = row->cgroup;
		spread.container = row->container;
		put_row(writer, report, row, &spread);
	}
}

const struct td_out td_out_csv = {
	.option = "--field-separator",
	.letter = "-x",
	.arg = "SEP",
	.help = "CSV with SEP between fields; \\t is a tab",
	.one_header = true,
	.head = csv_head,
	.header = put_header,
	.report = csv_report,
	.events = csv_events,
	.where = csv_where,
	.sheet = csv_sheet,
};
