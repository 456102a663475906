// SPDX-License-Identifier: GPL-2.0-only
/* A program of the evidence is counted into memory, and the recording is read. */
#include "cmd/doctor/measured.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/opts/command.h"
#include "cmd/replay/check.h"
#include "cmd/replay/recorded.h"
#include "cmd/session.h"
#include "lib/base/util.h"

/* --- values ------------------------------------------------------------------ */

const struct td_value *td_values_find(const struct td_values *values,
				      const char *short_name)
{
	for (size_t i = 0; i < values->nr; i++) {
		if (strcmp(td_node_short_name(values->v[i].name), short_name) ==
		    0)
			return &values->v[i];
	}
	return NULL;
}

int td_values_add(struct td_values *values, const char *name, double value,
		  double error)
{
	struct td_value *added =
		td_array_add(&values->v, values->nr, sizeof(*values->v));

	if (!added)
		return -ENOMEM;
	values->nr++;
	snprintf(added->name, sizeof(added->name), "%s", name);
	added->value = value;
	added->error = error;
	return 0;
}

/* --- the recording is read ------------------------------------------------------ */

struct reading {
	struct td_measured *measured;
	const char *pmu;
};

static int take_whole(void *ctx, const struct td_report *whole,
		      const struct td_verdict *verdict, struct td_err *err)
{
	const struct reading *reading = ctx;
	struct td_measured *measured = reading->measured;
	int rc = 0;

	measured->values.nr = 0;
	td_focus_take(&measured->focus, verdict);
	for (size_t r = 0; r < whole->nr_rows; r++) {
		const struct td_row *row = &whole->rows[r];

		if (strcmp(row->pmu, reading->pmu) != 0)
			continue;
		for (size_t i = 0; !rc && i < row->nr_nodes; i++) {
			int c = row->nodes[i].column;
			const struct td_cell *cell = &row->cells[c];

			if (row->nodes[i].level &&
			    cell->status == TD_STATUS_OK)
				rc = td_values_add(&measured->values,
						   whole->columns[c].name,
						   cell->value, cell->error);
		}
	}
	return rc ? td_err_nomem(err) : 0;
}

static int take_report(void *ctx, const struct td_report *report,
		       struct td_err *err)
{
	(void)ctx;
	(void)report;
	(void)err;
	return 0;
}

static int put_intervals(struct td_recorded *recorded, struct td_view *view,
			 struct td_err *err)
{
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = td_view_begin(view, err);

	while (!rc) {
		rc = td_recorded_next(&recorded->rec, view->source->how,
				      &time_ns, &delta, err);
		if (!rc)
			rc = td_recorded_put(&recorded->rec, view, &delta,
					     time_ns, err);
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
		rc = td_view_init(view, &recorded->source, &recorded->opts,
				  err);
	view->viewer = viewer;
	return rc ? rc : td_view_open(view, &recorded->opts, err);
}

/* The values of the recording at path, by today's formulas. */
static int read_recording(struct td_measured *measured, const char *path,
			  const struct td_opts *opts, const char *pmu,
			  struct td_err *err)
{
	struct reading reading = { measured, pmu };
	const struct td_viewer viewer = { .whole = take_whole,
					  .report = take_report,
					  .fd = -1,
					  .ctx = &reading };
	struct td_opts asked = *opts;
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

/* --- the program is counted ------------------------------------------------------- */

struct files {
	int recording, nothing;
	char path[40]; /* of the recording */
};

static int open_files(struct files *files, struct td_err *err)
{
	files->recording = memfd_create("tdstat", MFD_CLOEXEC);
	files->nothing = memfd_create("tdstat", MFD_CLOEXEC);
	if (files->recording < 0 || files->nothing < 0)
		return td_err_set(err, -errno, "memory for a recording: %s",
				  strerror(errno));
	snprintf(files->path, sizeof(files->path), "/proc/self/fd/%d",
		 files->recording);
	return 0;
}

static struct td_opts options_of(const struct td_opts *opts,
				 const struct td_way *way,
				 struct td_spot *spot,
				 const struct files *files)
{
	struct td_opts counting = *opts;

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
	counting.by_read = way->by_read;
	if (way->regions)
		counting.record = files->path;
	else
		counting.show.output = files->path;
	if (spot->whole_core) {
		counting.target.has_cpus = true;
		counting.target.cpus = (struct td_ints){ &spot->cpu, 1 };
	}
	return counting;
}

static int count(const struct td_opts *counting, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_focus focus = { 0 };
	const struct td_told told = { .focus = &focus };
	int status = 0, rc;

	td_inherited_change(&inherited);
	if (counting->does.regions)
		rc = td_command_find(counting->commands, "regions")
			     ->run(counting, &status, err);
	else
		rc = td_session_tell(counting, &inherited, &told, &status,
				     err);
	if (!rc && (focus.interrupted || status > 128))
		rc = td_err_set(err, -EINTR, "interrupted");
	if (!rc && status)
		rc = td_err_set(err, -ECHILD, "the program did not run");
	return rc;
}

static int keep_recording(struct td_measured *measured,
			  const struct files *files, struct td_err *err)
{
	off_t size = lseek(files->recording, 0, SEEK_END);

	measured->recording = calloc(1, (size_t)size + 1);
	if (!measured->recording)
		return td_err_nomem(err);
	if (pread(files->recording, measured->recording, (size_t)size, 0) !=
	    size)
		return td_err_set(err, -EIO, "memory for a recording");
	return 0;
}

static int count_into(struct td_measured *measured, const struct td_opts *opts,
		      const struct td_program *program,
		      const struct td_way *way, struct td_spot spot,
		      struct td_err *err)
{
	char word[40], self[] = "/proc/self/exe", name[] = "doctor",
		       option[] = "--program", quiet[] = "--quiet";
	char *command[] = { self, name, quiet, option, word, NULL };
	struct files files = { -1, -1, "" };
	struct td_opts counting;
	int rc = open_files(&files, err);

	snprintf(word, sizeof(word), "%s:%d", program->name, way->ms);
	counting = options_of(opts, way, &spot, &files);
	counting.target.command = command;
	if (!rc)
		rc = count(&counting, err);
	if (!rc)
		rc = keep_recording(measured, &files, err);
	if (!rc)
		rc = read_recording(measured, files.path, opts, spot.pmu->name,
				    err);
	td_close_fd(&files.recording);
	td_close_fd(&files.nothing);
	return rc;
}

int td_measured_make(struct td_measured *measured, const struct td_opts *opts,
		     const struct td_program *program, const struct td_way *way,
		     const struct td_spot *spot, struct td_err *err)
{
	int rc;

	*measured = (struct td_measured){ 0 };
	rc = count_into(measured, opts, program, way, *spot, &measured->err);
	if (rc == -ENOMEM || rc == -EINTR)
		*err = measured->err;
	return rc == -ENOMEM || rc == -EINTR ? rc : 0;
}

void td_measured_free(struct td_measured *measured)
{
	free(measured->recording);
	free(measured->values.v);
	*measured = (struct td_measured){ 0 };
}
