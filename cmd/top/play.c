// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/play.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/replay/check.h"
#include "cmd/replay/recorded.h"
#include "cmd/run/clock.h"
#include "cmd/run/wait.h"
#include "cmd/say.h"
#include "cmd/view/view.h"

struct player {
	struct td_top *top;
	const struct td_opts *opts;
	struct td_recorded recorded;
	struct td_view view;
	struct td_waiter waiter;
	struct td_readings delta;
	uint64_t time_ns; /* of the last row */
	bool ends;        /* a key or a signal says so */
};

/* Until a key, a signal, or the end of the pause. */
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

/* Lets the time of a row pass, and then as long as the screen is frozen. */
static int pause_for(struct player *p, uint64_t ns, struct td_err *err)
{
	struct td_wake wake = { 0 };
	bool passed = false;
	int rc = td_waiter_again(&p->waiter, ns, err);

	while (!rc && !p->ends && (!passed || p->top->state.paused)) {
		rc = wait(p, &wake, err);
		passed |= wake.what & TD_WAKE_TIMEOUT;
	}
	return rc;
}

static int wait_for_keys(struct player *p, struct td_err *err)
{
	struct td_wake wake;
	int rc;

	p->top->facts.ended = true;
	rc = td_top_redraw(p->top, err);
	while (!rc && !p->ends)
		rc = wait(p, &wake, err);
	p->top->facts.ended = false;
	return rc;
}

static int play_rows(struct player *p, size_t *at, struct td_err *err)
{
	uint64_t step_ns = (uint64_t)p->opts->when.interval_ms * TD_NS_A_MS;
	uint64_t time_ns = 0;
	size_t row = 0;
	int rc = 0;

	while (!rc && !p->ends) {
		rc = td_recorded_next(&p->recorded.rec, p->view.source->how,
				      &time_ns, &p->delta, err);
		/* what was shown already before a key is only counted */
		if (!rc && row >= *at && row)
			rc = pause_for(p,
				       step_ns ? step_ns : time_ns - p->time_ns,
				       err);
		if (!rc && !p->ends && row + 1 >= *at)
			rc = td_recorded_put(&p->recorded.rec, &p->view,
					     &p->delta, time_ns, err);
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
	td_err_set(err, -ENODATA, "%s has events and no tree",
		   recorded->rec.path);
	return td_err_hint(err, "tdstat report %s shows them",
			   recorded->rec.path);
}

static int open_player(struct player *p, struct td_notes *notes,
		       struct td_err *err)
{
	struct td_recorded *recorded = &p->recorded;
	const struct td_ints none = { 0 };
	int rc = td_recorded_open(recorded, p->opts->input, p->opts, err);

	if (!rc)
		rc = td_recorded_measure(recorded, notes, err);
	if (!rc && !recorded->source.tree)
		return no_tree(recorded, err);
	if (!rc)
		rc = td_recorded_check(&recorded->rec, recorded->source.how,
				       &recorded->opts, err);
	if (!rc)
		rc = td_view_init(&p->view, &recorded->source, &recorded->opts,
				  err);
	p->view.viewer = &p->top->viewer;
	if (!rc)
		rc = td_view_open(&p->view, &recorded->opts, err);
	if (!rc)
		rc = td_waiter_open(&p->waiter, &none, &none, err);
	p->waiter.viewer = p->top->screen.fd;
	return rc;
}

int td_top_play(struct td_top *top, const struct td_opts *opts, size_t *at,
		struct td_err *err)
{
	struct player p = { .top = top,
			    .opts = opts,
			    .waiter = TD_WAITER_NONE };
	struct td_notes notes = { 0 };
	struct td_err late = { 0 };
	int rc = open_player(&p, &notes, err);

	if (!rc) {
		td_top_describe(top, &p.recorded.opts);
		td_say_notes(&notes);
		rc = td_view_begin(&p.view, err);
	}
	if (!rc)
		rc = play_rows(&p, at, err);
	td_waiter_close(&p.waiter);
	if (td_view_close(&p.view, rc ? &late : err) && !rc)
		rc = err->code;
	td_recorded_close(&p.recorded);
	td_notes_free(&notes);
	free(p.delta.v);
	return rc;
}
