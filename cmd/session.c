// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/out/out.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/job.h"
#include "cmd/run/run.h"
#include "cmd/run/signals.h"
#include "cmd/say.h"
#include "lib/recording/recording.h"

static void tell_reached(const struct td_run *run, struct td_reached *reached)
{
	const struct td_session *session = run->session;

	*reached = (struct td_reached){
		.runs = session->begun,
		.pre = session->pre_done,
		.over = session->held_back ||
			td_child_is_over(&session->engine.child),
	};
}

static int count(struct td_job *job, const struct td_inherited *inherited,
		 const struct td_told *told, int *status, struct td_err *err)
{
	struct td_focus *focus = told->focus;
	struct td_session session;
	struct td_run run = {
		.session = &session,
		.job = job,
		.engine = &session.engine,
	};
	struct td_err late = { 0 };
	int rc, rc_finish;

	td_signals_keep_hangup(td_session_keeps_hangup(job->request));
	rc = td_session_open(&session, job, inherited, err);
	session.view.focus = focus;
	session.view.viewer = told->viewer;
	session.view.instead = told->again;
	session.engine.waiter.viewer = told->viewer ? told->viewer->fd : -1;
	do {
		if (!rc)
			rc = td_run_once(&run, err);
	} while (!rc && td_session_goes_on(&session));
	if (told->reached)
		tell_reached(&run, told->reached);
	/* show the results of earlier runs if a run fails */
	rc_finish = td_run_finish(&run, rc ? &late : err);
	/* if a run failed, only the status of a command that could not run */
	if (!rc || !session.engine.child.reaped)
		*status =
			rc ? session.engine.child.status : td_run_status(&run);
	td_run_close(&run);
	if (focus)
		focus->interrupted =
			session.engine.signals ||
			(session.is_last && job->request->target.command);
	return td_session_close(&session, rc ? rc : rc_finish, err);
}

/* Checked first, before a descriptor of ours gets this number. */
static int check_log_fd(const struct td_request *request, struct td_err *err)
{
	int flags = request->show.log_fd ? fcntl(request->show.log_fd, F_GETFL)
					 : O_WRONLY;

	if (flags < 0)
		return td_err_set(err, -errno, "--log-fd %d: %s",
				  request->show.log_fd, strerror(errno));
	if ((flags & O_ACCMODE) == O_RDONLY)
		return td_err_set(err, -EBADF,
				  "--log-fd %d: it is open for reading only",
				  request->show.log_fd);
	return 0;
}

int td_session_tell(const struct td_request *request,
		    const struct td_inherited *inherited,
		    const struct td_told *told, int *status, struct td_err *err)
{
	struct td_job job;
	int rc = check_log_fd(request, err);

	if (rc)
		return rc;
	rc = td_job_plan(&job, request, err);
	if (!rc)
		rc = request->dry_run
			     ? td_dry_run(&job, err)
			     : count(&job, inherited, told, status, err);
	if (rc && !told->again &&
	    td_request_has_events(request)) /* why no event is left */
		td_job_say_notes(&job);
	td_job_free(&job);
	return rc;
}

int td_session_view(const struct td_request *request,
		    const struct td_viewer *viewer, int *status,
		    struct td_err *err)
{
	const struct td_told told = { .viewer = viewer };
	struct td_inherited inherited = { 0 };

	td_inherited_change(&inherited);
	return td_session_tell(request, &inherited, &told, status, err);
}

int td_session_run(const struct td_request *request, int *status,
		   struct td_err *err)
{
	return td_session_view(request, NULL, status, err);
}

int td_session_find(const struct td_request *request,
		    const struct td_inherited *inherited,
		    struct td_focus *focus, struct td_reached *reached,
		    int *status, struct td_err *err)
{
	const struct td_told told = { .focus = focus, .reached = reached };
	struct td_request counting = *request;

	*focus = (struct td_focus){ 0 };
	counting.does = (struct td_does){ .latencies = true };
	counting.show.format = TD_FORMAT_TEXT;
	counting.ask = (struct td_ask){ .level = TD_MAX_LEVEL, .drill = true };
	counting.show.quiet = counting.show.verdict = true;
	return td_session_tell(&counting, inherited, &told, status, err);
}

/* --- a command runs, even where it cannot be measured --------------------- */

/* perf stat's software events of a command, which need no PMU. */
static struct td_event_arg software[] = {
	{ .list = "task-clock,context-switches,cpu-migrations,page-faults" },
};

enum {
	SHOW_SOFTWARE,
	SHOW_TIMES,
	SHOW_NOTHING,
	NR_SHOWINGS
};

/*
 * Readers of other formats expect the columns of what was asked for, and who asked
 * for places in the program has no use for how often it was switched.
 */
static int most_to_show(const struct td_request *request)
{
	bool text = request->show.format == TD_FORMAT_TEXT &&
		    !request->show.own_file && !request->openmetrics;

	return text && !request->show.quiet && !request->does.samples
		       ? SHOW_SOFTWARE
		       : SHOW_NOTHING;
}

/* The same runs, and nothing of what to count. */
static struct td_request make_request(const struct td_request *asked,
				      const struct td_reached *reached,
				      int showing)
{
	struct td_request request = {
		.typed = asked->typed,
		.target.command = asked->target.command,
		.target.no_inherit = asked->target.no_inherit,
		.nothing = showing != SHOW_SOFTWARE,
		.when = asked->when,
		.show.quiet = showing == SHOW_NOTHING,
	};

	request.when.interval_ms = request.when.interval_count = 0;
	request.when.delay_ms = 0;
	request.when.control = NULL;
	request.when.pre_done = reached->pre;
	if (request.when.repeat)
		request.when.repeat -= reached->runs;
	if (showing == SHOW_SOFTWARE) {
		request.events = software;
		request.nr_events = 1;
	}
	if (showing == SHOW_NOTHING)
		return request;
	request.show.no_big_num = asked->show.no_big_num;
	request.show.append = asked->show.append;
	request.show.log_fd = asked->show.log_fd;
	if (!asked->does.records)
		request.show.output = asked->show.output;
	return request;
}

/*
 * The last resort: fork(), exec() and waitpid(), which need no descriptor.  Signals that
 * tdstat holds go to the command all the same if they come from the terminal.
 */
static int run_plainly(const struct td_request *request,
		       const struct td_inherited *inherited, int *status,
		       struct td_err *err)
{
	char **argv = request->target.command;
	pid_t pid = fork();
	int wait = 0;

	if (pid == 0) {
		td_signals_hold();
		td_inherited_restore(inherited);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		return td_err_set(err, -errno, "fork: %s", strerror(errno));
	while (waitpid(pid, &wait, 0) < 0 && errno == EINTR)
		;
	*status = WIFSIGNALED(wait) ? 128 + WTERMSIG(wait) : WEXITSTATUS(wait);
	return 0;
}

/* From what shows most to what shows nothing. */
static int run_with(const struct td_request *asked,
		    const struct td_inherited *inherited,
		    struct td_reached *reached, int showing, int *status,
		    struct td_err *err)
{
	int rc = 0;

	for (; showing < NR_SHOWINGS; showing++) {
		struct td_reached now = { .pre = reached->pre };
		struct td_told told = { .reached = &now, .again = true };
		struct td_request request =
			make_request(asked, reached, showing);

		*err = (struct td_err){ 0 };
		rc = td_session_tell(&request, inherited, &told, status, err);
		reached->runs += now.runs;
		reached->pre = now.pre;
		if (!rc || now.over)
			return rc;
	}
	/* none of the runs that were made is made again */
	while (!reached->runs || reached->runs < asked->when.repeat) {
		rc = run_plainly(asked, inherited, status, err);
		if (rc)
			break;
		reached->runs++;
	}
	return rc;
}

static void say(const struct td_request *request,
		const struct td_reached *reached, const struct td_err *err)
{
	if (request->show.quiet || err->reader_gone)
		return;
	td_say_error(err);
	td_say(reached->runs ? "tdstat: nothing more is counted: %s goes on\n"
	       : request->does.records
		       ? "tdstat: nothing of this is counted, and nothing "
			 "recorded: %s runs anyway\n"
		       : "tdstat: nothing of this is counted: %s runs "
			 "anyway\n",
	       request->target.command[0]);
}

/* No recording is lost, and nothing waits for who reads a FIFO. */
static bool is_result(const char *name)
{
	struct stat st;

	return name && strcmp(name, "-") != 0 && !stat(name, &st) &&
	       S_ISREG(st.st_mode) && !td_recording_is_at(name);
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

/* What a link leads to is emptied. */
static void remove_stacks(const char *name)
{
	struct stat st;

	if (is_result(name) && !lstat(name, &st) && S_ISREG(st.st_mode))
		unlink(name);
	else
		empty(name);
}

/* Whoever reads results must not take those of an earlier run for these. */
static void empty_results(const struct td_request *request, int showing)
{
	bool rows = showing == SHOW_NOTHING && !request->does.records &&
		    !request->show.append && !request->show.quiet &&
		    !request->openmetrics && !request->show.own_file;

	empty(rows ? request->show.output : NULL);
	remove_stacks(request->sampling.files.folded);
	remove_stacks(request->sampling.files.pprof);
	remove_stacks(request->sampling.files.flame);
}

/* --no-multiplex makes more runs than -r says. */
static bool is_done(const struct td_request *request,
		    const struct td_reached *reached)
{
	return reached->over ||
	       (request->when.repeat && reached->runs >= request->when.repeat);
}

/* What was typed wrongly is wrong everywhere. */
bool td_always_is_due(const struct td_request *request,
		      const struct td_reached *reached,
		      const struct td_err *err)
{
	return request->does.always && request->target.command &&
	       !request->dry_run && !is_done(request, reached) &&
	       (!err->usage || err->elsewhere);
}

static int fall_back(const struct td_request *request,
		     const struct td_inherited *inherited,
		     struct td_reached *reached, int showing, int *status,
		     struct td_err *err)
{
	if (!td_always_is_due(request, reached, err))
		return err->code;
	td_inherited_hint(err);
	if (request->when.require) {
		*status = reached->runs ? *status : TD_NOT_STARTED;
		return err->code;
	}
	say(request, reached, err);
	if (!reached->runs)
		empty_results(request, showing);
	return run_with(request, inherited, reached, showing, status, err);
}

int td_always_run(const struct td_request *request,
		  const struct td_viewer *viewer, bool *counted, int *status,
		  struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_reached reached = { 0 };
	const struct td_told told = { .viewer = viewer, .reached = &reached };
	int rc;

	td_inherited_change(&inherited);
	rc = td_session_tell(request, &inherited, &told, status, err);
	if (counted)
		*counted = !rc;
	return rc ? fall_back(request, &inherited, &reached,
			      most_to_show(request), status, err)
		  : 0;
}

int td_always_go_on(const struct td_request *request,
		    const struct td_inherited *inherited,
		    struct td_reached *reached, int *status, struct td_err *err)
{
	return fall_back(request, inherited, reached, most_to_show(request),
			 status, err);
}

struct td_request td_always_uncounted(const struct td_request *request)
{
	const struct td_reached none = { 0 };

	return make_request(request, &none, SHOW_NOTHING);
}

int td_always_run_unseen(const struct td_request *request, int *status,
			 struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_reached reached = { 0 };

	td_inherited_change(&inherited);
	return fall_back(request, &inherited, &reached, SHOW_NOTHING, status,
			 err);
}
