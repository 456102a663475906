// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/report.h"

#include <math.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/target/target.h"

const char *td_node_short_name(const char *name)
{
	static const char prefix[] = "tma_";
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) == 0 ? name + len : name;
}

bool td_node_is_called(const char *node, const char *name)
{
	return strcasecmp(node, name) == 0 || strcasecmp(td_node_short_name(node), name) == 0;
}

/* A shorter text is more likely mistyped than a short name, unless it is a word ("l1"). */
#define MIN_SHORT 3
#define LEFT_OUT  "bound" /* as in the verdict: "backend > memory > l1" */

/* Returns the length of the first word; 0 at the end. */
static size_t word_of(const char *text, const char *end)
{
	size_t len = strcspn(text, "_");

	return len < (size_t)(end - text) ? len : (size_t)(end - text);
}

bool td_node_is_short_for(const char *typed, size_t len, const char *name)
{
	const char *end = typed + len, *end_of_name = name + strlen(name);

	typed = td_node_short_name(typed);
	name = td_node_short_name(name);
	if (end - typed < MIN_SHORT && (size_t)(end - typed) != word_of(name, end_of_name))
		return false;
	while (typed < end && name < end_of_name) {
		size_t nr = word_of(typed, end);

		if (!nr || nr > word_of(name, end_of_name) || strncasecmp(typed, name, nr) != 0)
			return false;
		typed += nr + (typed + nr < end);
		name += word_of(name, end_of_name);
		name += name < end_of_name;
	}
	return typed == end && end[-1] != '_' && (name == end_of_name || !strcmp(name, LEFT_OUT));
}

const char *td_part_name(enum td_part part)
{
	static const char *const names[TD_NR_PARTS] = {
		[TD_PART_RETIRING] = "retiring",
		[TD_PART_BAD_SPECULATION] = "bad speculation",
		[TD_PART_FRONTEND] = "frontend bound",
		[TD_PART_BACKEND] = "backend bound",
		[TD_PART_OTHER] = "other thread",
	};

	return names[part];
}

enum td_part td_part_of(const char *name)
{
	/* substrings that the names of all vendors contain */
	static const char *const within[TD_NR_PARTS] = {
		[TD_PART_RETIRING] = "retiring",    [TD_PART_BAD_SPECULATION] = "bad_spec",
		[TD_PART_FRONTEND] = "frontend",    [TD_PART_BACKEND] = "backend",
		[TD_PART_OTHER] = "smt_contention",
	};
	int part = 0;

	while (part < TD_NR_PARTS && !strstr(name, within[part]))
		part++;
	return (enum td_part)part;
}

struct td_cell td_cell_make(enum td_status status, double value)
{
	return (struct td_cell){ .status = status,
				 .value = value,
				 .error = NAN,
				 .low = NAN,
				 .high = NAN,
				 .runs_error = NAN };
}

double td_cell_value(const struct td_cell *cell)
{
	return cell->status == TD_STATUS_OK ? cell->value : (double)NAN;
}

struct td_row td_row_init(const char *id, const char *pmu)
{
	return (struct td_row){ .id = id,
				.name = id,
				.interval = NAN,
				.seconds = NAN,
				.cpu = NAN,
				.tid = NAN,
				.pmu = pmu,
				.slots = NAN,
				.share_pct = NAN,
				.share_least = NAN,
				.share_most = NAN,
				.lost_pct = NAN,
				.lost_error = NAN,
				.running_pct = NAN,
				.running_least_pct = NAN,
				.busy_pct = NAN,
				.ghz = NAN,
				.ipc = NAN,
				.activity = { .busy_s = NAN,
					      .whole_s = NAN,
					      .cycles = NAN,
					      .clock_s = NAN,
					      .instructions = NAN },
				.fields_sum = NAN };
}

const char *td_row_shown(const struct td_row *row, char buf[TD_SHOWN_SIZE])
{
	if (!row->container)
		return row->id;
	/* an id ends with its cgroup */
	snprintf(buf, TD_SHOWN_SIZE, "%.*s%s", (int)(strlen(row->id) - strlen(row->cgroup)),
		 row->id, row->container);
	return buf;
}

/* Sets tid and comm from "comm-tid", or "comm-tid#2" for the second thread with this tid. */
static void tell_thread(struct td_row *row)
{
	const char *dash = strrchr(row->name, '-');

	if (!dash) {
		row->comm = row->name;
		return;
	}
	row->tid = (double)strtol(dash + 1, NULL, 10);
	snprintf(row->comm_text, sizeof(row->comm_text), "%.*s", (int)(dash - row->name),
		 row->name);
	row->comm = row->comm_text;
}

static void tell_place(struct td_row *row, enum td_aggregation how)
{
	size_t prefix = td_aggregation_row(how)->prefix;

	if (how == TD_AGGREGATE_CPU && strlen(row->name) > prefix)
		row->cpu = (double)strtol(row->name + prefix, NULL, 10);
	if (how == TD_AGGREGATE_CORE)
		row->core = row->name;
	if (td_aggregation_has_tids(how))
		tell_thread(row);
	/* the CPU time of tasks is only known for all modes together */
	if (how == TD_AGGREGATE_MODE)
		row->busy_pct = NAN;
}

void td_report_set_context(struct td_report *report, enum td_aggregation how, const char *host,
			   enum td_row_kind kind, double interval, double seconds)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];

		row->kind = kind;
		row->interval = interval;
		row->seconds = seconds;
		row->host = host;
		tell_place(row, how);
	}
}

double td_times_of_tool(const struct td_times *times, enum td_tool tool)
{
	switch (tool) {
	case TD_TOOL_NONE:
		return NAN;
	case TD_TOOL_DURATION_TIME:
		return (double)times->elapsed_ns;
	case TD_TOOL_USER_TIME:
		return times->has_cpu_times ? (double)times->user_ns : NAN;
	case TD_TOOL_SYSTEM_TIME:
		return times->has_cpu_times ? (double)times->system_ns : NAN;
	}
	return NAN;
}

static uint64_t hash_row(const struct td_row *row)
{
	return td_hash_more(td_hash_text(row->id), td_hash_text(row->pmu));
}

static bool is_same_row(const struct td_row *a, const struct td_row *b)
{
	return strcmp(a->id, b->id) == 0 && strcmp(a->pmu, b->pmu) == 0;
}

void td_report_index(const struct td_report *report, struct td_index *index)
{
	*index = (struct td_index){ 0 };
	for (size_t i = 0; i < report->nr_rows; i++)
		td_index_add(index, hash_row(&report->rows[i]), i);
}

const struct td_row *td_report_find(const struct td_report *in, const struct td_index *index,
				    const struct td_row *row)
{
	uint64_t hash = hash_row(row);
	size_t step = 0, at;

	do {
		at = td_index_next(index, hash, &step);
	} while (at != TD_NOT_FOUND && !is_same_row(&in->rows[at], row));
	return at == TD_NOT_FOUND ? NULL : &in->rows[at];
}

struct td_row *td_report_add_row(struct td_report *report, const char *id, const char *pmu)
{
	struct td_row *row =
		td_array_next(&report->rows, &report->nr_rows, &report->nr_kept, sizeof(*row));
	struct td_cell *cells = row->cells;

	*row = td_row_init(id, pmu);
	td_array_clear(&cells, report->nr_columns, sizeof(*cells));
	for (size_t i = 0; i < report->nr_columns; i++)
		cells[i] = td_cell_make(TD_STATUS_NONE, NAN);
	row->cells = cells;
	return row;
}

void td_report_drop_absent(struct td_report *report)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row row = report->rows[i];

		if (row.absent)
			continue;
		report->rows[i] = report->rows[kept];
		report->rows[kept++] = row;
	}
	if (report->nr_kept < report->nr_rows)
		report->nr_kept = report->nr_rows;
	report->nr_rows = kept;
}

bool td_row_is_idle_task(const struct td_row *row)
{
	return strcmp(row->id, TD_IDLE_NAME) == 0;
}

#define IDLE_OF_A_CPU 0.25

bool td_are_idle(double busy_pct, double busy_s, double whole_s, unsigned int nr_cpus)
{
	return nr_cpus && busy_pct < TD_IDLE_PCT && busy_s < IDLE_OF_A_CPU * whole_s / nr_cpus;
}

bool td_slow_is_clear(const struct td_slow_cause *cause)
{
	return cause->kind != TD_SLOW_REST && cause->share_pct > 0 &&
	       !(cause->share_pct <= cause->error_pct);
}

void td_report_clear(struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		free(report->rows[i].ranked);
	free(report->regions);
	free(report->slow);
	*report = (struct td_report){ .rows = report->rows, .nr_kept = report->nr_kept };
}

void td_report_free(struct td_report *report)
{
	size_t nr = report->nr_rows > report->nr_kept ? report->nr_rows : report->nr_kept;

	td_report_clear(report);
	for (size_t i = 0; i < nr; i++)
		free(report->rows[i].cells);
	free(report->rows);
	*report = (struct td_report){ 0 };
}
