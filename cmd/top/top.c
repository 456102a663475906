// SPDX-License-Identifier: GPL-2.0-only
/* tdstat top: a live view of where the slots go. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/replay/recorded.h"
#include "cmd/run/clock.h"
#include "cmd/run/wait.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/top/parts.h"
#include "cmd/view/view.h"
#include "cmd/wing.h"
#include "lib/count/aggregation.h"

/* --- viewer ------------------------------------------------------------ */

/*
 * Standard error while the screen is shown: its output is kept in memory, and written
 * when the screen is closed.
 */
struct stderr_file {
	int real; /* a copy of standard error; -1: not held back */
	int kept;
};

/* A viewer that shows counts of a live run or of a recording. */
struct td_top {
	struct td_screen screen;
	struct stderr_file messages;
	struct td_canvas canvas;
	struct td_top_snapshot snapshot;
	struct td_top_state state;
	struct td_top_facts facts;
	const struct td_cgroups *cgroups; /* current ones; NULL: none, or a recording */
	char *what;                       /* facts.what */
	char level[16];                   /* facts.level */
	char by[16];                      /* facts.by */
	char cpuid[48];                   /* facts.machine, if the model has no name */
	enum td_top_wish wish; /* the key that ended counting; later reports are ignored */
	bool gone;             /* the terminal was closed */
	bool begun;            /* something was counted since top_describe() */
	bool no_switches;      /* tasks of the machine cannot be counted at context switches */
	struct td_viewer viewer;
};

#define STDERR_NONE ((struct stderr_file){ -1, -1 })

/* --- standard error, which is held back ----------------------------------- */

#define MAX_BYTES 65536 /* maximum to write at the end */

/* Hold standard error back if it is a terminal. */
static void hold_stderr(struct stderr_file *file)
{
	*file = STDERR_NONE;
	if (!isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	file->kept = memfd_create("tdstat-stderr", MFD_CLOEXEC);
	file->real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (file->kept >= 0 && file->real >= 0 && dup2(file->kept, STDERR_FILENO) >= 0)
		return;
	td_close_fd(&file->kept);
	td_close_fd(&file->real);
}

static ssize_t read_at(const struct stderr_file *file, char *buf, size_t size, off_t at)
{
	return file->kept < 0 ? 0 : pread(file->kept, buf, size, at);
}

/* Return the number of lines so far. */
static size_t count_lines(const struct stderr_file *file)
{
	char buf[4096];
	size_t nr = 0;
	off_t at = 0;
	ssize_t len;

	while (at < MAX_BYTES && (len = read_at(file, buf, sizeof(buf), at)) > 0) {
		for (ssize_t i = 0; i < len; i++)
			nr += buf[i] == '\n';
		at += len;
	}
	return nr;
}

/* Restore standard error and write the kept lines.  May be called twice. */
static void release_stderr(struct stderr_file *file)
{
	char buf[4096];
	off_t at = 0;
	ssize_t len;

	if (file->real < 0)
		return;
	fflush(stderr);
	dup2(file->real, STDERR_FILENO);
	while (at < MAX_BYTES && (len = read_at(file, buf, sizeof(buf), at)) > 0) {
		if (write(STDERR_FILENO, buf, (size_t)len) < 0)
			break;
		at += len;
	}
	td_close_fd(&file->kept);
	td_close_fd(&file->real);
}

static void redraw(struct td_top *top)
{
	int width, height;

	top->facts.nr_messages = count_lines(&top->messages);
	td_screen_size(&top->screen, &width, &height);
	td_top_draw(&top->canvas, width, height, &top->snapshot, &top->state, &top->facts);
	td_screen_show(&top->screen, &top->canvas);
}

/* --- the viewer ------------------------------------------------------------ */

static void capitalize(char *text)
{
	for (; *text; text++) {
		if (*text >= 'a' && *text <= 'z')
			*text = (char)(*text - 'a' + 'A');
	}
}

/* Return the header of the rows' ids: "CPU", "THREAD", "CGROUP". */
static const char *name_of_rows(struct td_top *top, const struct td_source *source)
{
	snprintf(top->by, sizeof(top->by), "%s",
		 source->nr_cgroups ? "cgroup" : td_aggregation_row(source->how)->name);
	capitalize(top->by);
	return top->by;
}

static const char *name_of_machine(struct td_top *top, const struct td_machine *machine)
{
	if (machine->model)
		return machine->model->name;
	td_cpuid_format(&machine->cpuid, top->cpuid);
	return top->cpuid;
}

static int begin(void *ctx, const struct td_source *source, struct td_err *err)
{
	struct td_top *top = ctx;
	struct td_top_facts *facts = &top->facts;

	td_top_snapshot_free(&top->snapshot);
	free(top->what);
	top->what = td_target_name_format(source->target);
	facts->what = top->what;
	facts->machine = name_of_machine(top, source->machine);
	facts->nr_cpus = source->machine->online.nr;
	top->cgroups = source->live_cgroups;
	facts->by = name_of_rows(top, source);
	facts->tasks = td_aggregation_names_tasks(source->how) || source->how == TD_AGGREGATE_ALL;
	if (top->screen.is_open)
		return 0;
	hold_stderr(&top->messages);
	if (td_screen_open(&top->screen, err))
		return err->code;
	redraw(top);
	return 0;
}

/* Keep the verdict and a copy of its row. */
static void keep_verdict(struct td_top *top, const struct td_report *whole,
			 const struct td_verdict *verdict)
{
	struct td_top_snapshot *snapshot = &top->snapshot;

	snapshot->has_whole = true;
	snapshot->verdict = *verdict;
	if (verdict->row)
		snapshot->verdict.row = &snapshot->whole.rows[verdict->row - whole->rows];
}

static bool is_frozen(const struct td_top *top)
{
	/* the counts between a key and the end of the interval are not a whole interval */
	return top->wish || (top->state.paused && top->snapshot.rows.rows);
}

static int keep_total(void *ctx, const struct td_report *whole, const struct td_verdict *verdict,
		      struct td_err *err)
{
	struct td_top *top = ctx;

	(void)err;
	if (is_frozen(top))
		return 0;
	td_top_keep(&top->snapshot.whole, whole, NULL);
	keep_verdict(top, whole, verdict);
	return 0;
}

static int show_report(void *ctx, const struct td_report *report, struct td_err *err)
{
	struct td_top *top = ctx;

	(void)err;
	top->begun = true;
	if (is_frozen(top))
		return 0;
	td_top_keep(&top->snapshot.rows, report, top->cgroups);
	redraw(top);
	return 0;
}

/* Live counts have no previous interval, and the last interval no next one. */
static enum td_top_wish handle_key(struct td_top *top, int key)
{
	enum td_top_wish wish = td_top_handle_key(&top->state, key);
	const char *why = NULL;

	if (wish == TD_TOP_BACK || wish == TD_TOP_FORWARD)
		why = !top->facts.played                           ? "b and f are for recordings"
		      : wish == TD_TOP_FORWARD && top->facts.ended ? "this is the last interval"
								   : NULL;
	if (!why)
		return wish;
	snprintf(top->state.note, sizeof(top->state.note), "%s", why);
	return TD_TOP_NO_WISH;
}

/* Handle all pending keys. */
static int handle_keys(void *ctx, bool *ends, struct td_err *err)
{
	struct td_top *top = ctx;
	enum td_screen_event event;
	int key = 0;

	(void)err;
	while (!top->wish && (event = td_screen_read(&top->screen, &key)) != TD_SCREEN_NOTHING) {
		if (event == TD_SCREEN_GONE) {
			top->wish = TD_TOP_QUIT;
			top->gone = true;
		} else if (event == TD_SCREEN_KEY) {
			top->wish = handle_key(top, key);
		}
		/* draw between keys, because the next one may need the lines */
		if (!top->gone)
			redraw(top);
	}
	*ends = top->wish != TD_TOP_NO_WISH;
	return 0;
}

/* --- all of it ------------------------------------------------------------- */

/* Set the facts of a session with these options. */
static void top_describe(struct td_top *top, const struct td_request *request)
{
	top->wish = TD_TOP_NO_WISH;
	top->begun = false;
	top->facts.interval_ms = request->when.interval_ms;
	top->facts.played = request->input != NULL;
	if (request->ask.drill)
		snprintf(top->level, sizeof(top->level), "auto");
	else
		snprintf(top->level, sizeof(top->level), "%d", request->ask.level);
	top->facts.level = top->level;
}

/* Prepare everything except the screen, which is shown when counting begins. */
static int top_open(struct td_top *top, struct td_err *err)
{
	int rc;

	*top = (struct td_top){ .screen = TD_SCREEN_CLOSED, .messages = STDERR_NONE };
	rc = td_terminal_check(err);
	rc = rc ?: td_screen_prepare(&top->screen, err);
	top->viewer = (struct td_viewer){
		.begin = begin,
		.whole = keep_total,
		.report = show_report,
		.ready = handle_keys,
		.fd = top->screen.fd,
		.ctx = top,
	};
	return rc;
}

/* Restore the terminal, then write the messages. */
static void top_close(struct td_top *top)
{
	td_screen_close(&top->screen);
	release_stderr(&top->messages);
	td_canvas_free(&top->canvas);
	td_top_snapshot_free(&top->snapshot);
	free(top->what);
	top->what = NULL;
}

/* --- a recording, played -------------------------------------------------- */

struct player {
	struct td_top *top;
	const struct td_request *request;
	struct td_recorded recorded;
	struct td_view view;
	struct td_waiter waiter;
	struct td_readings delta;
	uint64_t time_ns; /* time of the last row */
	bool ends;        /* a key or a signal ends it */
};

/* Wait for a key, a signal, or the end of the pause. */
static int wait(struct player *p, struct td_wake *wake, struct td_err *err)
{
	const struct td_viewer *viewer = &p->top->viewer;
	int rc = td_waiter_wait(&p->waiter, wake, err);

	if (!rc && wake->what & TD_WAKE_SIGNAL)
		p->ends = true;
	if (!rc && !p->ends && wake->what & TD_WAKE_VIEWER)
		rc = viewer->ready(viewer->ctx, &p->ends, err);
	return rc;
}

/* Wait for the time of a row, and while the screen is frozen. */
static int pause_for(struct player *p, uint64_t ns, struct td_err *err)
{
	struct td_wake wake = { 0 };
	bool passed = false;
	int rc = td_waiter_rearm(&p->waiter, ns, err);

	while (!rc && !p->ends && (!passed || p->top->state.paused)) {
		rc = wait(p, &wake, err);
		passed |= wake.what & TD_WAKE_TIMEOUT;
	}
	return rc;
}

static int wait_for_keys(struct player *p, struct td_err *err)
{
	struct td_wake wake;
	int rc = 0;

	p->top->facts.ended = true;
	redraw(p->top);
	while (!rc && !p->ends)
		rc = wait(p, &wake, err);
	p->top->facts.ended = false;
	return rc;
}

static int play_rows(struct player *p, size_t *at, struct td_err *err)
{
	uint64_t step_ns = (uint64_t)p->request->when.interval_ms * TD_NS_A_MS;
	uint64_t time_ns = 0;
	size_t row = 0;
	int rc = 0;

	while (!rc && !p->ends) {
		rc = td_recorded_next(&p->recorded.rec, p->view.source->how, &time_ns, &p->delta,
				      err);
		/* rows that were shown before the key are only counted */
		if (!rc && row >= *at && row)
			rc = pause_for(p, step_ns ? step_ns : time_ns - p->time_ns, err);
		if (!rc && !p->ends && row + 1 >= *at)
			rc = td_recorded_put(&p->recorded.rec, &p->view, &p->delta, time_ns, err);
		if (!rc && !p->ends)
			p->time_ns = time_ns, row++;
	}
	*at = row;
	if (rc == 1 && !p->ends) {
		td_recorded_warn(&p->recorded.rec);
		rc = wait_for_keys(p, err);
	}
	return rc < 0 ? rc : 0;
}

static int no_tree(const struct td_recorded *recorded, struct td_err *err)
{
	td_err_set(err, -ENODATA, "%s has events and no tree", recorded->rec.path);
	return td_err_hint(err, "tdstat report %s shows them", recorded->rec.path);
}

static int open_player(struct player *p, struct td_notes *notes, struct td_err *err)
{
	struct td_recorded *recorded = &p->recorded;
	const struct td_ints none = { 0 };
	int rc = td_recorded_open(recorded, p->request->input, p->request, err);

	rc = rc ?: td_recorded_measure(recorded, notes, err);
	if (!rc && !recorded->source.tree)
		return no_tree(recorded, err);
	rc = rc ?: td_recorded_check(&recorded->rec, recorded->source.how, &recorded->request, err);
	rc = rc ?: td_view_init(&p->view, &recorded->source, &recorded->request, err);
	p->view.viewer = &p->top->viewer;
	rc = rc ?: td_view_open(&p->view, &recorded->request, err);
	rc = rc ?: td_waiter_open(&p->waiter, &none, &none, err);
	p->waiter.viewer = p->top->screen.fd;
	return rc;
}

/*
 * Play the recording at its own pace, or one row per interval.  Begins with row *at
 * without a pause, and sets *at to the last row shown.  Waits for keys at the end.
 */
static int top_play(struct td_top *top, const struct td_request *request, size_t *at,
		    struct td_err *err)
{
	struct player p = { .top = top, .request = request, .waiter = TD_WAITER_NONE };
	struct td_notes notes = { 0 };
	struct td_err late = { 0 };
	int rc = open_player(&p, &notes, err);

	if (!rc) {
		top_describe(top, &p.recorded.request);
		td_say_notes(&notes);
		rc = td_view_begin(&p.view, err);
	}
	rc = rc ?: play_rows(&p, at, err);
	td_waiter_close(&p.waiter);
	if (td_view_close(&p.view, rc ? &late : err) && !rc)
		rc = err->code;
	td_recorded_close(&p.recorded);
	td_notes_free(&notes);
	free(p.delta.v);
	return rc;
}

#define DEFAULT_INTERVAL_MS 1000

/* --- what is counted ------------------------------------------------------- */

static unsigned int bit(enum td_aggregation how)
{
	return 1U << how;
}

/* A row per process of the machine, per CPU or thread; cgroups are rows already. */
static unsigned int default_rows(const struct td_request *request)
{
	if (request->target.each_cgroup)
		return 0;
	if (td_target_attaches(&request->target))
		return bit(TD_AGGREGATE_THREAD);
	return bit(request->input || request->target.has_cpus || request->ask.drill
			   ? TD_AGGREGATE_CPU
			   : TD_AGGREGATE_PROCESS);
}

/* Set the defaults, except for the level, which depends on the rows. */
static void set_defaults(struct td_request *request)
{
	if (!request->show.aggregations)
		request->show.aggregations = default_rows(request);
	if (request->input) {
		request->does.replays = true;
	} else if (!request->when.interval_ms) {
		request->when.interval_ms = DEFAULT_INTERVAL_MS;
	}
}

/* The cgroups of the key C: all but the root. */
static const char all_cgroups[] = "[^/]";

#define TASKS_LEVEL 2 /* default for processes and threads */

/*
 * Complete the request of a session.  switches: count threads of the machine at context switches,
 * like processes.  This limits the default level.  With a list of cgroups, the default is level 1,
 * because a deep tree may need its own groups of events in each cgroup.
 */
static void complete(struct td_request *request, bool switches)
{
	enum td_aggregation how = td_request_aggregation(request);
	bool threads = how == TD_AGGREGATE_THREAD && !td_target_attaches(&request->target);

	if (request->input)
		return;
	request->target.all_cpus |= td_aggregation_sums_tasks(how) || (switches && threads);
	request->target.by_events |= !switches;
	if (request->ask.level)
		return;
	request->ask.level =
		request->target.each_cgroup && request->target.each_cgroup != all_cgroups
			? 1
			: TASKS_LEVEL;
	if (request->target.each_cgroup || td_request_by_switches(request))
		return;
	request->ask.drill = true;
	request->ask.level = TD_MAX_LEVEL;
}

/* --- keys that begin a new session ----------------------------------------- */

/* Change the level.  Returns a note if the rows change as well, or NULL. */
static const char *change_level(struct td_request *request, int level)
{
	request->ask.drill = !level;
	request->ask.level = level ? level : TD_MAX_LEVEL;
	/* show the recorded levels */
	if (request->input && !level) {
		request->ask.drill = false;
		request->ask.level = 0;
	}
	if (!request->ask.drill || (!td_aggregation_sums_tasks(td_request_aggregation(request)) &&
				    request->target.each_cgroup != all_cgroups))
		return NULL;
	request->target.each_cgroup = NULL;
	request->show.aggregations = bit(TD_AGGREGATE_CPU);
	return "rows are CPUs now: level auto needs them";
}

static void change_interval(struct td_request *request, int step)
{
	static const int times_ms[] = { 100, 200, 500, 1000, 2000, 5000, 10000, 60000 };
	int nr = (int)TD_ARRAY_SIZE(times_ms), at = 0;

	while (at < nr - 1 && times_ms[at] < request->when.interval_ms)
		at++;
	/* from a time between two steps, go to the next lower or higher one */
	if (step < 0 || times_ms[at] <= request->when.interval_ms)
		at += step;
	if (at >= 0 && at < nr)
		request->when.interval_ms = times_ms[at];
}

/* Choose processes, threads or CPUs, in turn; users or cgroups, and then processes. */
static void change_tasks(struct td_request *request, enum td_top_wish wish, bool processes)
{
	enum td_aggregation how = td_request_aggregation(request);
	bool cgroups = wish == TD_TOP_CGROUPS && !request->target.each_cgroup;

	request->target.each_cgroup = cgroups ? all_cgroups : NULL;
	if (cgroups)
		how = TD_AGGREGATE_ALL;
	else if (wish == TD_TOP_USERS && how != TD_AGGREGATE_USER)
		how = TD_AGGREGATE_USER;
	else if (wish == TD_TOP_THREADS && how == TD_AGGREGATE_THREAD)
		how = TD_AGGREGATE_CPU;
	else if (wish == TD_TOP_THREADS && (how == TD_AGGREGATE_PROCESS || !processes))
		how = TD_AGGREGATE_THREAD;
	else
		how = TD_AGGREGATE_PROCESS;
	request->show.aggregations = cgroups ? 0 : bit(how);
	if (!(td_aggregation_sums_tasks(how) || cgroups) || !request->ask.drill)
		return;
	request->ask.drill = false;
	request->ask.level = 0;
}

/* Why the rows of a wish do not exist. */
struct no_rows {
	const char *with_cpus, *without_switches, *in_recording;
};

static const struct no_rows no_rows[] = {
	[TD_TOP_THREADS] = { .with_cpus = "-C counts CPUs, not threads" },
	[TD_TOP_USERS] = { "-C counts CPUs, not users",
			   "users have no rows here, because processes have none", NULL },
	[TD_TOP_CGROUPS] = { "-C counts CPUs, not cgroups",
			     "cgroups have no rows here, because processes have none",
			     "this recording shows only the rows that it was made with" },
};

/* Change the rows.  Returns why they cannot be changed, or NULL. */
static const char *change_rows(struct td_request *request, const struct td_top *top)
{
	static const enum td_aggregation places[] = { TD_AGGREGATE_CPU, TD_AGGREGATE_CORE,
						      TD_AGGREGATE_SOCKET };
	enum td_aggregation how = td_request_aggregation(request);
	const char *why;
	size_t at = 0;

	if (request->target.each_cgroup && request->target.each_cgroup != all_cgroups)
		return "cgroups have rows here";
	if (td_target_attaches(&request->target))
		return "rows are threads here, because -p and -t count tasks";
	if (top->wish != TD_TOP_CORES) {
		why = request->target.has_cpus ? no_rows[top->wish].with_cpus
		      : request->input         ? no_rows[top->wish].in_recording
		      : top->no_switches       ? no_rows[top->wish].without_switches
					       : NULL;
		if (!why)
			change_tasks(request, top->wish, !request->input && !top->no_switches);
		return why;
	}
	request->target.each_cgroup = NULL;
	while (at < TD_ARRAY_SIZE(places) && places[at] != how)
		at++;
	at = at < TD_ARRAY_SIZE(places) ? at + 1 : 0;
	request->show.aggregations = bit(places[at % TD_ARRAY_SIZE(places)]);
	return NULL;
}

static const char *change(struct td_request *request, const struct td_top *top)
{
	switch (top->wish) {
	case TD_TOP_LEVEL:
		return change_level(request, top->state.wish_level);
	case TD_TOP_SLOWER:
		change_interval(request, 1);
		break;
	case TD_TOP_FASTER:
		change_interval(request, -1);
		break;
	case TD_TOP_THREADS:
	case TD_TOP_USERS:
	case TD_TOP_CGROUPS:
	case TD_TOP_CORES:
		return change_rows(request, top);
	case TD_TOP_NO_WISH:
	case TD_TOP_QUIT:
	case TD_TOP_BACK:
	case TD_TOP_FORWARD:
		break;
	}
	return NULL;
}

/* --- sessions -------------------------------------------------------------- */

/* Step to another interval of a recording and freeze.  at: intervals shown so far. */
static void step(struct td_top *top, size_t *at)
{
	bool back = top->wish == TD_TOP_BACK;

	if (!back && top->wish != TD_TOP_FORWARD)
		return;
	if (!back)
		++*at;
	else if (*at > 1)
		--*at;
	top->state.paused = true;
}

static int count_once(struct td_top *top, const struct td_request *request, size_t *at, int *status,
		      struct td_err *err)
{
	struct td_request now = *request;
	int rc;

	complete(&now, !top->no_switches);
	top_describe(top, &now);
	rc = now.input ? top_play(top, &now, at, err)
		       : td_session_view(&now, &top->viewer, status, err);
	top->no_switches |=
		rc && !top->begun && td_request_by_switches(&now) && !now.target.each_cgroup;
	return rc;
}

/* Show a note in the last line until the next key. */
static void put_note(struct td_top *top, const char *text)
{
	snprintf(top->state.note, sizeof(top->state.note), "%s", text);
}

/*
 * Set the next aggregation to try if the user gave none.  Processes need the right to count whole
 * CPUs and memory for rings, threads of a core may have no values of their own, and a recording of
 * tasks has no CPUs.
 */
static bool choose_others(struct td_request *request)
{
	if (request->show.aggregations == bit(TD_AGGREGATE_PROCESS))
		request->show.aggregations = bit(TD_AGGREGATE_CPU);
	else if (request->show.aggregations == bit(TD_AGGREGATE_CPU))
		request->show.aggregations = bit(TD_AGGREGATE_CORE);
	else if (request->show.aggregations == bit(TD_AGGREGATE_CORE))
		request->show.aggregations = 0;
	else
		return false;
	return true;
}

/* Try different rows, or the chosen ones without switches, until something is counted. */
static int count_first(struct td_top *top, struct td_request *request, bool chosen, size_t *at,
		       int *status, struct td_err *err)
{
	bool needs_switches = td_aggregation_sums_tasks(td_request_aggregation(request));
	bool had_switches;
	int rc;

	do {
		had_switches = !top->no_switches;
		*err = (struct td_err){ 0 };
		rc = count_once(top, request, at, status, err);
	} while (rc && !top->begun &&
		 (chosen ? had_switches && top->no_switches && !needs_switches
			 : choose_others(request)));
	return rc;
}

/* Count.  If the request of a key fails, return to the previous request and show the reason. */
static int count(struct td_top *top, struct td_request *request, bool chosen, int *status,
		 struct td_err *err)
{
	size_t at = 0;
	int rc = count_first(top, request, chosen, &at, status, err);

	while (!rc && top->wish != TD_TOP_NO_WISH && top->wish != TD_TOP_QUIT) {
		const struct td_request before = *request;
		const char *why = change(request, top);
		size_t shown;

		if (why)
			put_note(top, why);
		step(top, &at);
		shown = at;
		rc = count_once(top, request, &at, status, err);
		if (!rc || top->begun)
			continue;
		put_note(top, err->msg);
		*err = (struct td_err){ 0 };
		*request = before;
		at = shown;
		rc = count_once(top, request, &at, status, err);
	}
	return rc;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_request request = opts->request;
	struct td_top top;
	int rc;

	set_defaults(&request);
	if (request.dry_run) {
		complete(&request, true);
		return td_session_run(&request, status, err);
	}
	rc = top_open(&top, err);
	if ((rc == -ENOTTY || rc == -EINVAL) && request.input)
		td_err_hint(err, "without a terminal use: tdstat report %s", request.input);
	rc = rc ?: count(&top, &request, opts->request.show.aggregations != 0, status, err);
	top_close(&top);
	return rc;
}

/* --- the subcommand -------------------------------------------------------- */

static int set_recording(struct td_opts *opts, const char *word, struct td_err *err)
{
	if (opts->request.input) {
		td_err_usage(
			err,
			"tdstat top plays one recording, %s, and runs no command: '%s' is one too "
			"many",
			opts->request.input, word);
		return td_err_hint(err, "for a running process: tdstat top -p PID");
	}
	opts->request.input = word;
	return *word ? 0 : td_err_usage(err, "top: an empty name");
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->request.input)
		return td_opts_check_counting(opts, err);
	if (opts->request.target.all_cpus || opts->request.target.has_cpus ||
	    td_target_attaches(&opts->request.target) || opts->request.target.each_cgroup ||
	    opts->request.dry_run)
		return td_err_usage(
			err,
			"tdstat top plays %s: -a, -C, -p, -t, --for-each-cgroup and --dry-run do "
			"not apply",
			opts->request.input);
	return 0;
}

/* clang-format off */
static const struct td_option what[] = {
	{ "for-each-cgroup", 0, "LIST",
	  "a row for each cgroup: names or regular expressions",
	  TD_OPTION_TEXT, offsetof(struct td_opts, request.target.each_cgroup) },
	{ "level", 'l', "N|auto",
	  "the tree down to level N, or auto: to where the time goes (default: 2 for processes)",
	  TD_OPTION_FUNCTION, .set = td_value_level },
	{ NULL },
};

static const struct td_option when[] = {
	{ "interval-print", 'I', "TIME",
	  "new values every TIME: 500 or 500ms, 1.5s, 2m (default: 1s)",
	  TD_OPTION_TIME, offsetof(struct td_opts, request.when.interval_ms), .min = 1 },
	{ NULL },
};

static const struct td_option how[] = {
	{ "hybrid-merge", 0, NULL,
	  "one row for all core types; metrics are weighted by slots",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.hybrid_merge) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_what = { TD_SECTION_WHAT, what };
static const struct td_option_group group_when = { TD_SECTION_WHEN, when };
static const struct td_option_group group_how = { TD_SECTION_HOW, how };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,
	&td_group_tasks,
	&group_what,
	&td_group_cores,
	&td_group_files,
	&group_when,
	&td_group_aggregations,
	&td_group_processes,
	&group_how,
	&td_group_dry_run,
	NULL,
};

static const struct td_command command = {
	.name = "top",
	.line = "live view of where the slots go",
	.args = "[RECORDING]",
	.doc = "Shows on a terminal where the pipeline slots go: for the machine and for its "
	       "processes, threads, CPUs or cgroups, updated every second; or plays a recording.",
	.what = "What to count:",
	.examples = "  tdstat top\n"
		    "  tdstat top -p 4711 -I 500ms",
	.status = "Exit status: 0; 64 for a wrong option; 1 if nothing can be counted, or if there "
		  "is no terminal.",
	.groups = groups,
	.does = { .leaves_level = true, .follows = true },
	.word = set_recording,
	.check = check,
	.counts = true,
	.run = run,
};

const struct td_wing td_wing_top = {
	.name = "top",
	.command = &command,
};
