// SPDX-License-Identifier: GPL-2.0-only
/* The writer of traces: what begins and ends a track, and when. */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "cmd/pictures/page.h"
#include "lib/base/json.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

#define NOT_THERE (-1)
#define LOST      (-2)
#define NEVER     (-3)

/* Reports of one metric each, with up to two rows: a value, or the reason for its absence. */
static const struct {
	const char *name;
	struct td_clocks clocks;
	uint64_t start_ns;
	const char *ids[2];
	double values[4][2];
	int runs;
	size_t gap;       /* the interval that begins after the previous one ended; 0: none */
	const char *want; /* "process track ts value", a line each */
} rows[] = {
	{ "a value stands at the beginning of its interval, and ends",
	  { 5000000000, 0 },
	  1000000,
	  { "all" },
	  { { 1, NOT_THERE }, { 2, NOT_THERE }, { 3, NOT_THERE }, { 4, NOT_THERE } },
	  .want = "tdstat cpu|tma_x|5000000.000|1\n"
		  "tdstat cpu|tma_x|5001000.000|2\n"
		  "tdstat cpu|tma_x|5002000.000|3\n"
		  "tdstat cpu|tma_x|5003000.000|4\n"
		  "tdstat cpu|tma_x|5004000.000|NaN\n" },
	{ "no value: not the old one, once",
	  { 0, 0 },
	  7000000,
	  { "all" },
	  { { 1, NOT_THERE }, { LOST, NOT_THERE }, { LOST, NOT_THERE }, { 0, NOT_THERE } },
	  .want = "tdstat cpu|tma_x|7000.000|1\n"
		  "tdstat cpu|tma_x|8000.000|NaN\n"
		  "tdstat cpu|tma_x|10000.000|0\n"
		  "tdstat cpu|tma_x|11000.000|NaN\n" },
	{ "a row that is not there, and comes back; no clock is known",
	  { 0, 0 },
	  0,
	  { "a-1", "b\"<\n\x1b\xff-2" },
	  { { 1, 5 }, { 2, NOT_THERE }, { 3, NOT_THERE }, { 4, 6 } },
	  .want = "tdstat a-1 cpu|tma_x|0.000|1\n"
		  "tdstat b\"<\n\x1b\\xff-2 cpu|tma_x|0.000|5\n"
		  "tdstat a-1 cpu|tma_x|1000.000|2\n"
		  "tdstat b\"<\n\x1b\\xff-2 cpu|tma_x|1000.000|NaN\n"
		  "tdstat a-1 cpu|tma_x|2000.000|3\n"
		  "tdstat a-1 cpu|tma_x|3000.000|4\n"
		  "tdstat b\"<\n\x1b\\xff-2 cpu|tma_x|3000.000|6\n"
		  "tdstat a-1 cpu|tma_x|4000.000|NaN\n"
		  "tdstat b\"<\n\x1b\\xff-2 cpu|tma_x|4000.000|NaN\n" },
	{ "between two intervals there is no value",
	  { 0, 0 },
	  0,
	  { "all" },
	  { { 1, NOT_THERE }, { 2, NOT_THERE }, { 3, NOT_THERE }, { 4, NOT_THERE } },
	  .gap = 2,
	  .want = "tdstat cpu|tma_x|0.000|1\n"
		  "tdstat cpu|tma_x|1000.000|2\n"
		  "tdstat cpu|tma_x|2000.000|NaN\n"
		  "tdstat cpu|tma_x|2600.000|3\n"
		  "tdstat cpu|tma_x|3000.000|4\n"
		  "tdstat cpu|tma_x|4000.000|NaN\n" },
	{ "what is never counted has no track",
	  { 0, 0 },
	  0,
	  { "all" },
	  { { NEVER, NOT_THERE },
	    { NEVER, NOT_THERE },
	    { NEVER, NOT_THERE },
	    { NEVER, NOT_THERE } },
	  .want = "" },
	{ "each run begins again",
	  { 2000000, 0 },
	  0,
	  { "all" },
	  { { 1, NOT_THERE }, { 1, NOT_THERE }, { 1, NOT_THERE }, { 1, NOT_THERE } },
	  .runs = 2,
	  .want = "tdstat cpu|tma_x|2000.000|1\n"
		  "tdstat cpu|tma_x|3000.000|1\n"
		  "tdstat cpu|tma_x|4000.000|1\n"
		  "tdstat cpu|tma_x|5000.000|1\n"
		  "tdstat cpu|tma_x|6000.000|NaN\n"
		  "tdstat cpu|tma_x|2000.000|1\n"
		  "tdstat cpu|tma_x|3000.000|1\n"
		  "tdstat cpu|tma_x|4000.000|1\n"
		  "tdstat cpu|tma_x|5000.000|1\n"
		  "tdstat cpu|tma_x|6000.000|NaN\n" },
};

static enum td_status status_of(double value)
{
	if (value >= 0)
		return TD_STATUS_OK;
	return value > -2.5 ? TD_STATUS_NOT_COUNTED : TD_STATUS_NOT_SUPPORTED;
}

static void put_report(struct td_writer *writer, size_t t, size_t i)
{
	const struct td_column column = { "tma_x", "%", true };
	const struct td_node node = { .column = 0 };
	struct td_cell cells[2];
	struct td_row out[2];
	struct td_report report = {
		.time_ns = (i + 1) * 1000000,
		.elapsed_ns = i && i == rows[t].gap ? 400000 : 1000000,
		.columns = &column,
		.nr_columns = 1,
		.rows = out,
	};

	for (size_t r = 0; r < 2; r++) {
		double value = rows[t].values[i][r];

		if (value == NOT_THERE)
			continue;
		cells[r] = (struct td_cell){ .status = status_of(value), .value = value };
		out[report.nr_rows++] = (struct td_row){
			.id = rows[t].ids[r],
			.pmu = "cpu",
			.cells = &cells[r],
			.nodes = &node,
			.nr_nodes = 1,
		};
	}
	writer->out->report(writer, &report);
}

static char *write_trace(size_t t)
{
	const struct td_frame frame = { .target = "x",
					.clocks = rows[t].clocks,
					.start_ns = rows[t].start_ns };
	const struct td_usage usage = { 0 };
	char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = &td_out_perfetto,
		.fp = open_memstream(&text, &size),
		.frame = &frame,
	};

	for (int run = 0; run < (rows[t].runs ? rows[t].runs : 1); run++) {
		for (size_t i = 0; i < 4; i++)
			put_report(&writer, t, i);
		writer.out->end(&writer, &usage);
	}
	writer.out->close(&writer);
	fclose(writer.fp);
	return text;
}

/* The name that a process was given before this event; "" if none. */
static const char *name_of(struct json_object *trace, size_t before, int64_t pid)
{
	const char *name = "";

	for (size_t i = 0; i < before; i++) {
		struct json_object *o = json_object_array_get_idx(trace, i);
		struct json_object *args;
		int64_t of;

		if (strcmp(td_json_string(o, "name"), "process_name") == 0 &&
		    json_object_object_get_ex(o, "args", &args) &&
		    td_json_int(o, "pid", 0, INT64_MAX, &of) && of == pid)
			name = td_json_string(args, "name");
	}
	return name;
}

/* The counters, as in want; cut numbers as text, since they have fixed digits. */
static char *list_counters(struct json_object *trace)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	for (size_t i = 0; fp && i < json_object_array_length(trace); i++) {
		struct json_object *o = json_object_array_get_idx(trace, i);
		struct json_object *args, *ts, *value;
		int64_t pid = 0;

		if (strcmp(td_json_string(o, "ph"), "C") != 0)
			continue;
		json_object_object_get_ex(o, "args", &args);
		json_object_object_get_ex(o, "ts", &ts);
		json_object_object_get_ex(args, "%", &value);
		td_json_int(o, "pid", 0, INT64_MAX, &pid);
		fprintf(fp, "%s|%s|%.3f|", name_of(trace, i, pid), td_json_string(o, "name"),
			json_object_get_double(ts));
		if (json_object_is_type(value, json_type_string))
			fprintf(fp, "%s\n", json_object_get_string(value));
		else
			fprintf(fp, "%g\n", json_object_get_double(value));
	}
	if (fp)
		fclose(fp);
	return text;
}

/* How often an event of this name is in the trace. */
static size_t count_events(const char *text, const char *name)
{
	size_t nr = 0;

	for (; (text = strstr(text, name)); text++)
		nr++;
	return nr;
}

/* No counts at all: no file, or one that contains only the time. */
static void check_empty(void)
{
	const struct td_frame frame = { .target = "x" };
	const struct td_usage usage = { 0 };
	char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = &td_out_perfetto,
		.fp = open_memstream(&text, &size),
		.frame = &frame,
	};
	struct json_object *trace;

	writer.out->close(&writer);
	fflush(writer.fp);
	is_str(text, "", "closed before it was begun: nothing");
	writer.out->end(&writer, &usage);
	writer.out->close(&writer);
	fclose(writer.fp);
	trace = json_tokener_parse(text);
	ok(json_object_is_type(trace, json_type_array), "no rows: a trace");
	json_object_put(trace);
	free(text);
}

static void check_slices(void)
{
	td_autofree char *text = write_trace(1);

	ok(count_events(text, "\"ph\":\"X\"") == 2, "a slice for each interval without a value");
	ok(strstr(text, "\"dur\":1000.000,\"args\":{\"tma_x\":\"<not counted>\"}"),
	   "of its length, with the reason");
}

static void check_row(size_t t)
{
	td_autofree char *text = write_trace(t), *got = NULL;
	struct json_object *trace = json_tokener_parse(text);

	ok(json_object_is_type(trace, json_type_array), "%s: an array", rows[t].name);
	got = list_counters(trace);
	is_str(got, rows[t].want, "%s", rows[t].name);
	ok(count_events(text, "\"counting begins\"") == (rows[t].runs ? 2U : 1U),
	   "%s: a mark a run", rows[t].name);
	json_object_put(trace);
}

int main(void)
{
	for (size_t t = 0; t < TD_ARRAY_SIZE(rows); t++)
		check_row(t);
	check_slices();
	check_empty();
	return done_testing();
}
