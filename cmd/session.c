// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/out.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/job.h"
#include "cmd/run/run.h"
#include "cmd/run/signals.h"
#include "cmd/say.h"
#include "lib/recording/recording.h"

static void fill_attempt(const struct td_run *run, struct td_attempt *attempt)
{
	const struct td_session *session = run->session;

	*attempt = (struct td_attempt){
		.runs = session->begun,
		.pre = session->pre_done,
		.over = session->blocked || td_child_is_over(&session->engine.child),
	};
}

static int count(struct td_job *job, const struct td_inherited *inherited,
		 const struct td_receivers *receivers, int *status, struct td_err *err)
{
	struct td_focus *focus = receivers->focus;
	struct td_session session;
	struct td_run run = { .session = &session, .job = job, .engine = &session.engine };
	struct td_err late = { 0 };
	int rc, rc_finish;

	td_signals_keep_hangup(td_session_keeps_hangup(job->request));
	rc = td_session_open(&session, job, inherited, err);
	session.view.focus = focus;
	session.view.viewer = receivers->viewer;
	session.view.instead = receivers->again;
	session.engine.waiter.viewer = receivers->viewer ? receivers->viewer->fd : -1;
	do {
		rc = rc ?: td_run_once(&run, err);
	} while (!rc && td_session_continues(&session));
	if (receivers->attempt)
		fill_attempt(&run, receivers->attempt);
	/* show the results of earlier runs if a run fails */
	rc_finish = td_run_finish(&run, rc ? &late : err);
	/* after a failed run, the status is only set if the command could not run */
	if (!rc || !session.engine.child.reaped)
		*status = rc ? session.engine.child.status : td_run_status(&run);
	td_run_close(&run);
	if (focus)
		focus->interrupted =
			session.engine.signals || (session.is_last && job->request->target.command);
	return td_session_close(&session, rc ? rc : rc_finish, err);
}

/* Check the descriptor of --log-fd, before tdstat opens a file that gets its number. */
static int check_log_fd(const struct td_request *request, struct td_err *err)
{
	int flags = request->show.log_fd ? fcntl(request->show.log_fd, F_GETFL) : O_WRONLY;

	if (flags < 0)
		return td_err_set(err, -errno, "--log-fd %d: %s", request->show.log_fd,
				  strerror(errno));
	if ((flags & O_ACCMODE) == O_RDONLY)
		return td_err_set(err, -EBADF, "--log-fd %d: it is open for reading only",
				  request->show.log_fd);
	return 0;
}

int td_session_count(const struct td_request *request, const struct td_inherited *inherited,
		     const struct td_receivers *receivers, int *status, struct td_err *err)
{
	struct td_job job;
	int rc = check_log_fd(request, err);

	if (rc)
		return rc;
	rc = td_job_plan(&job, request, err);
	if (!rc)
		rc = request->show.print_perf ? td_print_perf(&job, err)
		     : request->dry_run       ? td_dry_run(&job, err)
					      : count(&job, inherited, receivers, status, err);
	if (rc && !receivers->again && td_request_has_events(request)) /* why no event is left */
		td_job_say_notes(&job);
	td_job_free(&job);
	return rc;
}

int td_session_view(const struct td_request *request, const struct td_viewer *viewer, int *status,
		    struct td_err *err)
{
	const struct td_receivers receivers = { .viewer = viewer };
	struct td_inherited inherited = { 0 };

	td_inherited_change(&inherited);
	return td_session_count(request, &inherited, &receivers, status, err);
}

int td_session_run(const struct td_request *request, int *status, struct td_err *err)
{
	return td_session_view(request, NULL, status, err);
}

int td_session_find(const struct td_request *request, const struct td_inherited *inherited,
		    struct td_focus *focus, struct td_attempt *attempt, int *status,
		    struct td_err *err)
{
	const struct td_receivers receivers = { .focus = focus, .attempt = attempt };
	struct td_request counting = *request;

	*focus = (struct td_focus){ 0 };
	counting.does = (struct td_does){ .latencies = true };
	counting.show.format = TD_FORMAT_TEXT;
	counting.ask = (struct td_ask){ .level = TD_MAX_LEVEL, .drill = true };
	counting.show.quiet = counting.show.verdict = true;
	return td_session_count(&counting, inherited, &receivers, status, err);
}

/* --- run a command that cannot be counted ---------------------------------- */

/* perf stat's software events of a command, which need no PMU. */
static struct td_event_arg software[] = {
	{ .list = "task-clock,context-switches,cpu-migrations,page-faults" },
};

/* The results that can be shown without counting, from most to least. */
enum {
	SHOW_SOFTWARE,
	SHOW_TIMES,
	SHOW_NOTHING,
	NR_RESULTS
};

/*
 * Return the first result to try.  Other formats must have the requested columns, and
 * software events do not help to find locations.
 */
static int first_result(const struct td_request *request)
{
	bool text = request->show.format == TD_FORMAT_TEXT && !request->show.own_file &&
		    !request->openmetrics;

	return text && !request->show.quiet && !request->does.samples ? SHOW_SOFTWARE
								      : SHOW_NOTHING;
}

/* Return a request for the remaining runs that shows this result. */
static struct td_request make_request(const struct td_request *asked,
				      const struct td_attempt *attempt, int result)
{
	struct td_request request = {
		.typed = asked->typed,
		.target.command = asked->target.command,
		.target.no_inherit = asked->target.no_inherit,
		.nothing = result != SHOW_SOFTWARE,
		.when = asked->when,
		.show.quiet = result == SHOW_NOTHING,
	};

	request.when.interval_ms = request.when.interval_count = 0;
	request.when.delay_ms = 0;
	request.when.control = NULL;
	request.when.pre_done = attempt->pre;
	if (request.when.repeat)
		request.when.repeat -= attempt->runs;
	if (result == SHOW_SOFTWARE) {
		request.events = software;
		request.nr_events = 1;
	}
	if (result == SHOW_NOTHING)
		return request;
	request.show.no_big_num = asked->show.no_big_num;
	request.show.append = asked->show.append;
	request.show.log_fd = asked->show.log_fd;
	if (!asked->does.records)
		request.show.output = asked->show.output;
	return request;
}

/* Run the command, with the best result that is possible. */
static int run_with(const struct td_request *asked, const struct td_inherited *inherited,
		    struct td_attempt *attempt, int result, int *status, struct td_err *err)
{
	int rc = 0;

	for (; result < NR_RESULTS; result++) {
		struct td_attempt now = { .pre = attempt->pre };
		struct td_receivers receivers = { .attempt = &now, .again = true };
		struct td_request request = make_request(asked, attempt, result);

		*err = (struct td_err){ 0 };
		rc = td_session_count(&request, inherited, &receivers, status, err);
		attempt->runs += now.runs;
		attempt->pre = now.pre;
		if (!rc || now.over)
			return rc;
	}
	/* runs that were made are not repeated */
	while (!attempt->runs || attempt->runs < asked->when.repeat) {
		rc = td_run_plainly(asked->target.command, inherited, status);
		if (rc)
			return td_err_set(err, rc, "fork: %s", strerror(-rc));
		attempt->runs++;
	}
	return rc;
}

static void say(const struct td_request *request, const struct td_attempt *attempt,
		const struct td_err *err)
{
	if (request->show.quiet || err->reader_gone)
		return;
	td_say_error(err);
	td_say(attempt->runs           ? "tdstat: counting stopped; %s continues\n"
	       : request->does.records ? "tdstat: running %s without counting or recording\n"
				       : "tdstat: running %s without counting\n",
	       request->target.command[0]);
}

/* Return true for a regular file that is not a recording: a FIFO would wait for its reader. */
static bool is_result(const char *name)
{
	struct stat st;

	return name && strcmp(name, "-") != 0 && !stat(name, &st) && S_ISREG(st.st_mode) &&
	       !td_recording_is_at(name);
}

static void empty(const char *name)
{
	struct td_err unused = { 0 };
	FILE *fp;

	if (!is_result(name))
		return;
	fp = td_out_open(name, false, &unused);
	if (!fp)
		return;
	td_out_empty(fp);
	fclose(fp);
}

/* Remove a file; truncate the target of a symlink. */
static void remove_stacks(const char *name)
{
	struct stat st;

	if (is_result(name) && !lstat(name, &st) && S_ISREG(st.st_mode))
		unlink(name);
	else
		empty(name);
}

/* Empty the results, so that results of an earlier run are not mistaken for those of this run. */
static void empty_results(const struct td_request *request, int result)
{
	bool rows = result == SHOW_NOTHING && !request->does.records && !request->show.append &&
		    !request->show.quiet && !request->openmetrics && !request->show.own_file;

	empty(rows ? request->show.output : NULL);
	remove_stacks(request->sampling.files.folded);
	remove_stacks(request->sampling.files.pprof);
	remove_stacks(request->sampling.files.flame);
}

/* Return true if no further run is due.  --no-multiplex makes more runs than -r. */
static bool is_done(const struct td_request *request, const struct td_attempt *attempt)
{
	return attempt->over || (request->when.repeat && attempt->runs >= request->when.repeat);
}

/* A usage error must not run the command, unless it is valid on other machines. */
bool td_always_is_due(const struct td_request *request, const struct td_attempt *attempt,
		      const struct td_err *err)
{
	return request->does.always && request->target.command && !request->dry_run &&
	       !is_done(request, attempt) && (!err->usage || err->elsewhere);
}

static int fall_back(const struct td_request *request, const struct td_inherited *inherited,
		     struct td_attempt *attempt, int result, int *status, struct td_err *err)
{
	if (!td_always_is_due(request, attempt, err))
		return err->code;
	td_inherited_hint(err);
	if (request->when.require) {
		*status = attempt->runs ? *status : TD_NOT_STARTED;
		return err->code;
	}
	say(request, attempt, err);
	if (!attempt->runs)
		empty_results(request, result);
	return run_with(request, inherited, attempt, result, status, err);
}

int td_always_run(const struct td_request *request, const struct td_viewer *viewer, bool *counted,
		  int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_attempt attempt = { 0 };
	const struct td_receivers receivers = { .viewer = viewer, .attempt = &attempt };
	int rc;

	td_inherited_change(&inherited);
	rc = td_session_count(request, &inherited, &receivers, status, err);
	if (counted)
		*counted = !rc;
	return rc ? fall_back(request, &inherited, &attempt, first_result(request), status, err)
		  : 0;
}

int td_always_continue(const struct td_request *request, const struct td_inherited *inherited,
		       struct td_attempt *attempt, int *status, struct td_err *err)
{
	return fall_back(request, inherited, attempt, first_result(request), status, err);
}

struct td_request td_always_uncounted(const struct td_request *request)
{
	const struct td_attempt none = { 0 };

	return make_request(request, &none, SHOW_NOTHING);
}

int td_always_run_unseen(const struct td_request *request, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_attempt attempt = { 0 };

	td_inherited_change(&inherited);
	return fall_back(request, &inherited, &attempt, SHOW_NOTHING, status, err);
}
