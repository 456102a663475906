// SPDX-License-Identifier: GPL-2.0-only
/* Count a program of the evidence into memory, and read the recording. */
#include "cmd/evidence/parts.h"

#include <json-c/json.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/replay/recorded.h"
#include "cmd/session.h"
#include "cmd/wing.h"
#include "metrics/files/parts.h"

/* --- values ------------------------------------------------------------------ */

const struct td_value *td_values_find(const struct td_values *values, const char *short_name)
{
	for (size_t i = 0; i < values->nr; i++) {
		if (strcmp(td_node_short_name(values->v[i].name), short_name) == 0)
			return &values->v[i];
	}
	return NULL;
}

static void add_value(struct td_values *values, const char *name, double value, double error)
{
	struct td_value *added = td_array_add(&values->v, values->nr++, sizeof(*values->v));

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

static void copy_rows(const struct rereading *reading, const struct td_report *report)
{
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (strcmp(row->pmu, reading->pmu) != 0 ||
		    (reading->region && strcmp(row->id, reading->region) != 0))
			continue;
		reading->measured->values.nr = 0;
		for (size_t i = 0; i < row->nr_nodes; i++) {
			int c = row->nodes[i].column;
			const struct td_cell *cell = &row->cells[c];

			if (row->nodes[i].level && cell->status == TD_STATUS_OK)
				add_value(&reading->measured->values, report->columns[c].name,
					  cell->value, cell->error);
		}
	}
}

static int keep_total(void *ctx, const struct td_report *whole, const struct td_verdict *verdict,
		      struct td_err *err)
{
	const struct rereading *reading = ctx;

	(void)err;
	if (reading->region)
		return 0;
	td_focus_copy(&reading->measured->focus, verdict);
	copy_rows(reading, whole);
	return 0;
}

static int keep_report(void *ctx, const struct td_report *report, struct td_err *err)
{
	const struct rereading *reading = ctx;

	(void)err;
	if (reading->region)
		copy_rows(reading, report);
	return 0;
}

static int put_intervals(struct td_recorded *recorded, struct td_view *view, struct td_err *err)
{
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = td_view_begin(view, err);

	while (!rc) {
		rc = td_recorded_next(&recorded->rec, view->source->how, &time_ns, &delta, err);
		rc = rc ?: td_recorded_put(&recorded->rec, view, &delta, time_ns, err);
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
	rc = rc ?: td_view_init(view, &recorded->source, &recorded->request, err);
	view->viewer = viewer;
	return rc ?: td_view_open(view, &recorded->request, err);
}

/* Compute the values of the recording at path with today's formulas. */
static int read_recording(const struct rereading *reading, const char *path,
			  const struct td_request *request, struct td_err *err)
{
	struct rereading into = *reading;
	const struct td_viewer viewer = {
		.whole = keep_total, .report = keep_report, .fd = -1, .ctx = &into
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
	rc = rc ?: open_view(&recorded, &view, &viewer, err);
	rc = rc ?: put_intervals(&recorded, &view, err);
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
				    struct td_site *site, const struct memories *files)
{
	struct td_request counting = *request;

	counting.does = (struct td_does){ .records = !way->regions,
					  .regions = way->regions,
					  .latencies = !way->regions };
	counting.ask = way->ask;
	counting.level_or_less = true;
	counting.cputype = site->pmu->name;
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
	if (site->whole_core) {
		counting.target.has_cpus = true;
		counting.target.cpus = (struct td_ints){ &site->cpu, 1 };
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
 * Remove points of the range, which are running totals.  Keep the last of each stride; if stride is
 * 0, keep none.
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
		      const struct td_known *program, const struct td_way *way, struct td_site site,
		      struct td_err *err)
{
	char word[40], self[] = "/proc/self/exe", name[] = "doctor", option[] = "--program",
		       quiet[] = "--quiet";
	char *command[] = { self, name, quiet, option, word, NULL };
	const struct rereading reading = { measured, site.pmu->name,
					   way->regions ? program->name : NULL };
	struct memories files = { -1, -1, "" };
	struct td_request counting;
	int rc = open_files(&files, err);

	snprintf(word, sizeof(word), "%s:%d", program->name, way->ms);
	counting = request_of(request, way, &site, &files);
	counting.target.command = command;
	rc = rc ?: count(&counting, err);
	rc = rc ?: keep_recording(measured, &files, err);
	rc = rc ?: read_recording(&reading, files.path, request, err);
	rc = rc ?: fit(&reading, &files, request, way->room, err);
	td_close_fd(&files.recording);
	td_close_fd(&files.nothing);
	return rc;
}

int td_measured_make(struct td_measured *measured, const struct td_request *request,
		     const struct td_known *program, const struct td_way *way,
		     const struct td_site *site, struct td_err *err)
{
	int rc;

	*measured = (struct td_measured){ 0 };
	rc = count_into(measured, request, program, way, *site, &measured->err);
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

/* --- running other tools --------------------------------------------------------------- */

#define LOG_FD 3 /* file descriptor of the results */

_Noreturn static void become(const char *const *command, int results)
{
	int nothing = memfd_create("tdstat", MFD_CLOEXEC);
	sigset_t none;

	/* perf stat waits for SIGCHLD, which a session leaves blocked */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* a locale would change the format of numbers */
	setenv("LC_ALL", "C", 1);
	dup2(nothing, STDERR_FILENO);
	dup2(results, STDOUT_FILENO);
	if (results == LOG_FD || dup2(results, LOG_FD) < 0)
		_exit(126);
	/* the words are not modified */
	execvp(command[0], (char *const *)(uintptr_t)command);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Return the output, which the caller frees, or NULL. */
static char *run(const char *const *command, struct td_err *err)
{
	int results = memfd_create("tdstat", MFD_CLOEXEC), status = -1;
	char *text = NULL;
	pid_t pid;
	off_t size;

	/* the command needs this descriptor */
	if (results == LOG_FD) {
		results = dup(results);
		close(LOG_FD);
	}
	pid = results < 0 ? -1 : fork();
	if (pid == 0)
		become(command, results);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	size = pid > 0 ? lseek(results, 0, SEEK_END) : -1;
	if (status == 0 && size >= 0)
		text = td_calloc(1, (size_t)size + 1);
	if (text && pread(results, text, (size_t)size, 0) != size)
		text[0] = '\0';
	td_close_fd(&results);
	if (!text && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		td_err_set(err, -ENOENT, "there is no %s", command[0]);
	else if (!text)
		td_err_set(err, -ECHILD, "%s could not count it", command[0]);
	return text;
}

void td_peer_perf_version(char version[TD_PEER_VERSION])
{
	const char *const command[] = { "perf", "--version", NULL };
	struct td_err unused = { 0 };
	td_autofree char *text = run(command, &unused);

	version[0] = '\0';
	if (text)
		sscanf(text, "perf version %31[0-9.]", version);
}

/* --- perf's results --------------------------------------------------------------- */

/* Return the name in "%  tma_retiring". */
static const char *name_of(struct json_object *object)
{
	struct json_object *unit;
	const char *text;

	if (!json_object_object_get_ex(object, "metric-unit", &unit))
		return NULL;
	text = json_object_get_string(unit);
	return text && text[0] == '%' ? text + 1 + strspn(text + 1, " ") : NULL;
}

static void add_object(struct td_values *values, struct json_object *object)
{
	const char *name = name_of(object);
	struct json_object *value;
	const char *text;
	char *end;
	double number;

	if (!name || !json_object_object_get_ex(object, "metric-value", &value))
		return;
	text = json_object_get_string(value);
	number = text ? strtod(text, &end) : NAN;
	if (isfinite(number) && end != text)
		add_value(values, name, number, NAN);
}

static void add_lines(struct td_values *values, char *text)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct json_object *object = json_tokener_parse(line);

		if (json_object_is_type(object, json_type_object))
			add_object(values, object);
		json_object_put(object);
	}
}

void td_peer_perf(struct td_measured *measured, const char *self, const struct td_known *program,
		  int ms, const struct td_site *site, const char *group)
{
	char word[40], cpus[24] = "-j";
	/* without a CPU, repeat -j to fill the place */
	const char *const command[] = { "perf",   "stat",    "-j",        "--log-fd", "3",
					"-M",     group,     cpus,        "--",       self,
					"doctor", "--quiet", "--program", word,       NULL };
	td_autofree char *text = NULL;

	*measured = (struct td_measured){ 0 };
	snprintf(word, sizeof(word), "%s:%d", program->name, ms);
	if (site->whole_core)
		snprintf(cpus, sizeof(cpus), "-C%d", site->cpu);
	text = run(command, &measured->err);
	if (text)
		add_lines(&measured->values, text);
	if (text && !measured->values.nr)
		td_err_set(&measured->err, -ENODATA, "perf has no values");
}

/* --- toplev ------------------------------------------------------------------------- */

const char *td_peer_toplev_find(void)
{
	static const char *const names[] = { "toplev", "toplev.py" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		const char *const command[] = { names[i], "--help", NULL };
		struct td_err unused = { 0 };
		td_autofree char *text = run(command, &unused);

		if (text)
			return names[i];
	}
	return NULL;
}

/*
 * Add "Backend_Bound.Memory_Bound" as memory_bound: names of toplev only differ in case and in
 * the ancestors.
 */
static void add_node(struct td_values *values, const char *path, double value)
{
	const char *dot = strrchr(path, '.');
	char name[TD_FOCUS_NAME];

	snprintf(name, sizeof(name), "%s", dot ? dot + 1 : path);
	add_value(values, td_lower(name), value, NAN);
}

/*
 * Parse a line of CSV: a CPU if there are several, a node, its value, its unit, and more.
 * Metrics outside of the tree have other units than slots.
 */
static void add_fields(struct td_values *values, char *line)
{
	const char *fields[4] = { NULL };
	size_t nr = 0;

	while (nr < TD_ARRAY_SIZE(fields) && line)
		fields[nr++] = strsep(&line, ",");
	for (size_t i = 0; i + 2 < nr; i++) {
		char *end;
		double value = strtod(fields[i + 1], &end);

		if (end != fields[i + 1] && !*end && isfinite(value) &&
		    strncmp(fields[i + 2], "% Slots", 7) == 0) {
			add_node(values, fields[i], value);
			return;
		}
	}
}

void td_peer_toplev(struct td_measured *measured, const char *toplev, const char *self,
		    const struct td_known *program, int ms)
{
	char word[40];
	const char *const command[] = { toplev,      "-l2",       "-v",
					"--no-desc", "-x,",       "--single-thread",
					"-o",        "/dev/fd/3", "--",
					self,        "doctor",    "--quiet",
					"--program", word,        NULL };
	td_autofree char *text = NULL;
	char *rest;

	*measured = (struct td_measured){ 0 };
	snprintf(word, sizeof(word), "%s:%d", program->name, ms);
	text = rest = run(command, &measured->err);
	while (rest)
		add_fields(&measured->values, strsep(&rest, "\n"));
	if (text && !measured->values.nr)
		td_err_set(&measured->err, -ENODATA, "%s has no values", toplev);
}

/* --- comparing ---------------------------------------------------------------------- */

#define MAX_POINTS 6

bool td_difference_is_far(const struct td_difference *difference)
{
	return difference->name[0] && fabs(difference->points) > MAX_POINTS;
}
