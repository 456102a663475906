// SPDX-License-Identifier: GPL-2.0-only
/* Count a program of the evidence into memory, and read the recording. */
#include "cmd/evidence/parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/replay/recorded.h"
#include "cmd/session.h"
#include "cmd/wing.h"
#include "lib/base/util.h"

/* --- values ------------------------------------------------------------------ */

const struct td_value *td_values_find(const struct td_values *values, const char *short_name)
{
	for (size_t i = 0; i < values->nr; i++) {
		if (strcmp(td_node_short_name(values->v[i].name), short_name) == 0)
			return &values->v[i];
	}
	return NULL;
}

void td_values_add(struct td_values *values, const char *name, double value, double error)
{
	struct td_value *added = td_array_add(&values->v, values->nr, sizeof(*values->v));

	values->nr++;
	snprintf(added->name, sizeof(added->name), "%s", name);
	added->value = value;
	added->error = error;
}

/* --- reading the recording ------------------------------------------------------ */

struct rereading {
	struct td_measured *measured;
	const char *pmu;
	const char *region; /* region of the row; NULL: the total */
};

static void take_row(struct td_values *values, const struct td_report *report,
		     const struct td_row *row)
{
	values->nr = 0;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		int c = row->nodes[i].column;
		const struct td_cell *cell = &row->cells[c];

		if (row->nodes[i].level && cell->status == TD_STATUS_OK)
			td_values_add(values, report->columns[c].name, cell->value, cell->error);
	}
}

static void take(const struct rereading *reading, const struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];

		if (strcmp(row->pmu, reading->pmu) != 0 ||
		    (reading->region && strcmp(row->id, reading->region) != 0))
			continue;
		take_row(&reading->measured->values, report, row);
	}
}

static int take_whole(void *ctx, const struct td_report *whole, const struct td_verdict *verdict,
		      struct td_err *err)
{
	const struct rereading *reading = ctx;

	(void)err;
	if (reading->region)
		return 0;
	td_focus_copy(&reading->measured->focus, verdict);
	take(reading, whole);
	return 0;
}

static int take_report(void *ctx, const struct td_report *report, struct td_err *err)
{
	const struct rereading *reading = ctx;

	(void)err;
	if (reading->region)
		take(reading, report);
	return 0;
}

static int put_intervals(struct td_recorded *recorded, struct td_view *view, struct td_err *err)
{
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = td_view_begin(view, err);

	while (!rc) {
		rc = td_recorded_next(&recorded->rec, view->source->how, &time_ns, &delta, err);
		if (!rc)
			rc = td_recorded_put(&recorded->rec, view, &delta, time_ns, err);
	}
	free(delta.v);
	return rc < 0 ? rc : 0;
}

static int open_view(struct td_recorded *recorded, struct td_view *view,
		     const struct td_viewer *viewer, struct td_err *err)
{
	struct td_notes notes = { 0 };
	int rc = td_recorded_measure(recorded, &notes, err);

	td_notes_free(&notes);
	if (!rc)
		rc = td_view_init(view, &recorded->source, &recorded->request, err);
	view->viewer = viewer;
	return rc ? rc : td_view_open(view, &recorded->request, err);
}

/* Compute the values of the recording at path with today's formulas. */
static int read_recording(const struct rereading *reading, const char *path,
			  const struct td_request *request, struct td_err *err)
{
	struct rereading into = *reading;
	const struct td_viewer viewer = {
		.whole = take_whole, .report = take_report, .fd = -1, .ctx = &into
	};
	struct td_request asked = *request;
	struct td_recorded recorded;
	struct td_view view = { 0 };
	struct td_err late = { 0 };
	int rc;

	asked.does = (struct td_does){ .replays = true, .leaves_level = true };
	asked.ask = (struct td_ask){ 0 };
	asked.show.quiet = true;
	rc = td_recorded_open(&recorded, path, &asked, err);
	if (!rc)
		rc = open_view(&recorded, &view, &viewer, err);
	if (!rc)
		rc = put_intervals(&recorded, &view, err);
	if (view.source)
		td_view_close(&view, &late);
	td_recorded_close(&recorded);
	return rc;
}

/* --- counting the program --------------------------------------------------------- */

struct memories {
	int recording, nothing;
	char path[40]; /* path of the recording */
};

static int open_files(struct memories *files, struct td_err *err)
{
	files->recording = memfd_create("tdstat", MFD_CLOEXEC);
	files->nothing = memfd_create("tdstat", MFD_CLOEXEC);
	if (files->recording < 0 || files->nothing < 0)
		return td_err_set(err, -errno, "memory for a recording: %s", strerror(errno));
	snprintf(files->path, sizeof(files->path), "/proc/self/fd/%d", files->recording);
	return 0;
}

static struct td_request request_of(const struct td_request *request, const struct td_way *way,
				    struct td_site *spot, const struct memories *files)
{
	struct td_request counting = *request;

	counting.does = (struct td_does){ .records = !way->regions,
					  .regions = way->regions,
					  .latencies = !way->regions };
	counting.ask = way->ask;
	counting.level_or_less = true;
	counting.cputype = spot->pmu->name;
	counting.when.repeat = 1;
	counting.show.quiet = true;
	counting.show.no_verdict = true;
	counting.show.head.no_host = true;
	counting.show.log_fd = files->nothing;
	counting.calls.by_read = way->by_read;
	if (way->regions)
		counting.calls.record = files->path;
	else
		counting.show.output = files->path;
	if (spot->whole_core) {
		counting.target.has_cpus = true;
		counting.target.cpus = (struct td_ints){ &spot->cpu, 1 };
	}
	return counting;
}

static int count(const struct td_request *counting, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_focus focus = { 0 };
	const struct td_receivers receivers = { .focus = &focus };
	int status = 0, rc;

	td_inherited_change(&inherited);
	if (counting->does.regions)
		rc = td_wing_run_marked(counting, &inherited, &status, err);
	else
		rc = td_session_count(counting, &inherited, &receivers, &status, err);
	if (!rc && (focus.interrupted || status > 128))
		rc = td_err_set(err, -EINTR, "interrupted");
	if (!rc && status)
		rc = td_err_set(err, -ECHILD, "the program did not run");
	return rc;
}

static int keep_recording(struct td_measured *measured, const struct memories *files,
			  struct td_err *err)
{
	off_t size = lseek(files->recording, 0, SEEK_END);

	measured->recording = td_calloc(1, (size_t)size + 1);
	if (pread(files->recording, measured->recording, (size_t)size, 0) != size)
		return td_err_set(err, -EIO, "memory for a recording");
	return 0;
}

static bool is_point(const char *line)
{
	return strncmp(line, "{\"so_far\"", 9) == 0;
}

static size_t length_of(const char *line)
{
	size_t length = strcspn(line, "\n");

	return length + (line[length] == '\n');
}

/*
 * Remove points of the range, which are running totals: keep the last of each stride, or for 0
 * none.
 */
static void thin(char *text, size_t stride)
{
	size_t left = 0;
	char *to = text;

	for (const char *at = text; *at; at += length_of(at))
		left += is_point(at);
	for (const char *at = text; *at;) {
		size_t length = length_of(at);

		if (!is_point(at) || (stride && --left % stride == 0)) {
			memmove(to, at, length);
			to += length;
		}
		at += length;
	}
	*to = '\0';
}

/* Keep as many points as fit; the values are then those of the reduced recording. */
static int fit(const struct rereading *reading, const struct memories *files,
	       const struct td_request *request, size_t room, struct td_err *err)
{
	char *text = reading->measured->recording;
	const struct td_focus focus = reading->measured->focus;
	size_t size = strlen(text), before = 0;
	int rc;

	if (size <= room)
		return 0;
	for (; room && size > room && size != before; size = strlen(text)) {
		before = size;
		thin(text, 2);
	}
	if (size > room)
		thin(text, 0);
	if (ftruncate(files->recording, 0) || lseek(files->recording, 0, SEEK_SET) ||
	    td_write_all(files->recording, text, strlen(text)))
		return td_err_set(err, -EIO, "memory for a recording");
	rc = read_recording(reading, files->path, request, err);
	reading->measured->focus = focus;
	return rc;
}

static int count_into(struct td_measured *measured, const struct td_request *request,
		      const struct td_known *program, const struct td_way *way, struct td_site spot,
		      struct td_err *err)
{
	char word[40], self[] = "/proc/self/exe", name[] = "doctor", option[] = "--program",
		       quiet[] = "--quiet";
	char *command[] = { self, name, quiet, option, word, NULL };
	const struct rereading reading = { measured, spot.pmu->name,
					   way->regions ? program->name : NULL };
	struct memories files = { -1, -1, "" };
	struct td_request counting;
	int rc = open_files(&files, err);

	snprintf(word, sizeof(word), "%s:%d", program->name, way->ms);
	counting = request_of(request, way, &spot, &files);
	counting.target.command = command;
	if (!rc)
		rc = count(&counting, err);
	if (!rc)
		rc = keep_recording(measured, &files, err);
	if (!rc)
		rc = read_recording(&reading, files.path, request, err);
	if (!rc)
		rc = fit(&reading, &files, request, way->room, err);
	td_close_fd(&files.recording);
	td_close_fd(&files.nothing);
	return rc;
}

int td_measured_make(struct td_measured *measured, const struct td_request *request,
		     const struct td_known *program, const struct td_way *way,
		     const struct td_site *spot, struct td_err *err)
{
	int rc;

	*measured = (struct td_measured){ 0 };
	rc = count_into(measured, request, program, way, *spot, &measured->err);
	if (rc == -EINTR)
		*err = measured->err;
	return rc == -EINTR ? rc : 0;
}

void td_measured_free(struct td_measured *measured)
{
	free(measured->recording);
	free(measured->values.v);
	*measured = (struct td_measured){ 0 };
}
