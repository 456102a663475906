// SPDX-License-Identifier: GPL-2.0-only
/* The screen as a viewer of counts, of a live run or of a recording. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/top/parts.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"

#define SAID_NONE ((struct td_top_said){ -1, -1 })

/* --- standard error, kept back -------------------------------------------- */

/* What is written at the end of all that was kept. */
#define MOST_BYTES 65536

/* Leaves standard error alone if it is no terminal, or on errors. */
static void top_said_begin(struct td_top_said *said)
{
	*said = SAID_NONE;
	if (!isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	said->kept = memfd_create("tdstat-stderr", MFD_CLOEXEC);
	said->real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (said->kept >= 0 && said->real >= 0 &&
	    dup2(said->kept, STDERR_FILENO) >= 0)
		return;
	td_close_fd(&said->kept);
	td_close_fd(&said->real);
}

static ssize_t read_at(const struct td_top_said *said, char *buf, size_t size,
		       off_t at)
{
	return said->kept < 0 ? 0 : pread(said->kept, buf, size, at);
}

/* The number of lines so far. */
static size_t top_said_lines(const struct td_top_said *said)
{
	char buf[4096];
	size_t nr = 0;
	off_t at = 0;
	ssize_t len;

	while (at < MOST_BYTES &&
	       (len = read_at(said, buf, sizeof(buf), at)) > 0) {
		for (ssize_t i = 0; i < len; i++)
			nr += buf[i] == '\n';
		at += len;
	}
	return nr;
}

/* Puts standard error back, and writes what was kept.  May be called twice. */
static void top_said_end(struct td_top_said *said)
{
	char buf[4096];
	off_t at = 0;
	ssize_t len;

	if (said->real < 0)
		return;
	fflush(stderr);
	dup2(said->real, STDERR_FILENO);
	while (at < MOST_BYTES &&
	       (len = read_at(said, buf, sizeof(buf), at)) > 0) {
		if (write(STDERR_FILENO, buf, (size_t)len) < 0)
			break;
		at += len;
	}
	td_close_fd(&said->kept);
	td_close_fd(&said->real);
}

int td_top_redraw(struct td_top *top, struct td_err *err)
{
	int width, height;

	top->facts.nr_messages = top_said_lines(&top->said);
	td_screen_size(&top->screen, &width, &height);
	if (td_top_draw(&top->canvas, width, height, &top->snapshot,
			&top->state, &top->facts))
		return td_err_nomem(err);
	td_screen_show(&top->screen, &top->canvas);
	return 0;
}

/* --- the viewer ------------------------------------------------------------ */

static void capitalize(char *text)
{
	for (; *text; text++) {
		if (*text >= 'a' && *text <= 'z')
			*text = (char)(*text - 'a' + 'A');
	}
}

/* What has a row, as the header of a column: "CPU", "THREAD", "CGROUP". */
static const char *name_of_rows(struct td_top *top,
				const struct td_source *source)
{
	snprintf(top->by, sizeof(top->by), "%s",
		 source->nr_cgroups ? "cgroup"
				    : td_aggregation_row(source->how)->name);
	capitalize(top->by);
	return top->by;
}

static const char *name_of_machine(struct td_top *top,
				   const struct td_machine *machine)
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
	if (!top->what)
		return td_err_nomem(err);
	facts->what = top->what;
	facts->machine = name_of_machine(top, source->machine);
	facts->nr_cpus = source->machine->online.nr;
	facts->by = name_of_rows(top, source);
	facts->tasks = source->how == TD_AGGREGATE_THREAD ||
		       source->how == TD_AGGREGATE_ALL;
	if (top->screen.is_open)
		return 0;
	top_said_begin(&top->said);
	if (td_screen_open(&top->screen, err))
		return err->code;
	return td_top_redraw(top, err);
}

/* The verdict of the kept report: its row is a copy. */
static void keep_verdict(struct td_top *top, const struct td_report *whole,
			 const struct td_verdict *verdict)
{
	struct td_top_snapshot *snapshot = &top->snapshot;

	snapshot->has_whole = true;
	snapshot->verdict = *verdict;
	if (verdict->row)
		snapshot->verdict.row =
			&snapshot->whole.rows[verdict->row - whole->rows];
}

static bool is_frozen(const struct td_top *top)
{
	/* what is counted between a key and the end is not an interval */
	return top->wish || (top->state.paused && top->snapshot.rows.rows);
}

static int take_whole(void *ctx, const struct td_report *whole,
		      const struct td_verdict *verdict, struct td_err *err)
{
	struct td_top *top = ctx;

	if (is_frozen(top))
		return 0;
	if (td_top_keep(&top->snapshot.whole, whole, err))
		return err->code;
	keep_verdict(top, whole, verdict);
	return 0;
}

static int take_report(void *ctx, const struct td_report *report,
		       struct td_err *err)
{
	struct td_top *top = ctx;

	top->begun = true;
	if (is_frozen(top))
		return 0;
	if (td_top_keep(&top->snapshot.rows, report, err))
		return err->code;
	return td_top_redraw(top, err);
}

/* What is counted has no interval to go back to, and the end none behind it. */
static enum td_top_wish take_key(struct td_top *top, int key)
{
	enum td_top_wish wish = td_top_take_key(&top->state, key);
	const char *why = NULL;

	if (wish == TD_TOP_BACK || wish == TD_TOP_FORWARD)
		why = !top->facts.played ? "b and f are for recordings"
		      : wish == TD_TOP_FORWARD && top->facts.ended
			      ? "this is the last interval"
			      : NULL;
	if (!why)
		return wish;
	snprintf(top->state.said, sizeof(top->state.said), "%s", why);
	return TD_TOP_NO_WISH;
}

/* Takes all keys that there are. */
static int take_keys(void *ctx, bool *ends, struct td_err *err)
{
	struct td_top *top = ctx;
	enum td_screen_event event;
	int key = 0;

	while (!top->wish && (event = td_screen_take(&top->screen, &key)) !=
				     TD_SCREEN_NOTHING) {
		if (event == TD_SCREEN_GONE) {
			top->wish = TD_TOP_QUIT;
			top->gone = true;
		} else if (event == TD_SCREEN_KEY) {
			top->wish = take_key(top, key);
		}
		/* between two keys, as the second one may need the lines */
		if (!top->gone && td_top_redraw(top, err))
			return err->code;
	}
	*ends = top->wish != TD_TOP_NO_WISH;
	return 0;
}

/* --- all of it ------------------------------------------------------------- */

void td_top_describe(struct td_top *top, const struct td_request *request)
{
	top->wish = TD_TOP_NO_WISH;
	top->begun = false;
	top->facts.interval_ms = request->when.interval_ms;
	top->facts.played = request->input != NULL;
	if (request->ask.drill)
		snprintf(top->level, sizeof(top->level), "auto");
	else
		snprintf(top->level, sizeof(top->level), "%d",
			 request->ask.level);
	top->facts.level = top->level;
}

int td_top_open(struct td_top *top, struct td_err *err)
{
	int rc;

	*top = (struct td_top){ .screen = TD_SCREEN_CLOSED, .said = SAID_NONE };
	rc = td_terminal_check(err);
	if (!rc)
		rc = td_screen_prepare(&top->screen, err);
	top->viewer = (struct td_viewer){
		.begin = begin,
		.whole = take_whole,
		.report = take_report,
		.ready = take_keys,
		.fd = top->screen.fd,
		.ctx = top,
	};
	return rc;
}

void td_top_close(struct td_top *top)
{
	td_screen_close(&top->screen);
	top_said_end(&top->said);
	td_canvas_free(&top->canvas);
	td_top_snapshot_free(&top->snapshot);
	free(top->what);
	top->what = NULL;
}
