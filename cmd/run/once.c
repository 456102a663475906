// SPDX-License-Identifier: GPL-2.0-only
/* One run, from --pre to --post. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/plan/dry_run.h"
#include "cmd/run/run.h"

/*
 * How long the last read waits for a group that cannot be read yet.  A child
 * that was exiting without a CPU was seen to take 1.2 s.
 */
#define LAST_PATIENCE_NS (5000 * TD_NS_A_MS)

/*
 * Opened late, so that a run that cannot begin leaves no empty file.  Signals
 * are let through, as opening a FIFO waits for its reader.
 */
static int open_outputs(struct td_session *session, struct td_err *err)
{
	const struct td_opts *opts = session->job->opts;
	int rc;

	if (session->runs)
		return 0;
	if (opts->output)
		td_signals_let_through(true);
	rc = td_view_open(&session->view, opts, err);
	if (!rc && opts->does.records)
		rc = td_recorder_open(&session->recorder, opts->output, err);
	td_signals_let_through(false);
	return rc;
}

/* Reads the counters for the last time. */
static int read_last(struct td_run *run, struct td_err *err)
{
	int rc = run->counting.watch ? td_run_take_tasks(run, err) : 0;

	if (!rc)
		rc = td_run_read(run, LAST_PATIENCE_NS, err);
	if (!rc)
		run->clock.end_ns = run->clock.read_ns;
	if (!rc && run->tally.behind)
		td_job_say(run->job,
			   "tdstat: not all counters could be read at the "
			   "end, because a child process was beginning or "
			   "ending: what they counted last is missing\n");
	return rc;
}

/* Writes the last row, or the total if there are no rows. */
static int put_last(struct td_run *run, const struct td_usage *usage,
		    struct td_err *err)
{
	struct td_session *session = run->session;
	bool shown = run->given_up && run->job->opts->when.interval_ms &&
		     !run->tally.fresh;
	bool done = td_run_printed_all(run) || shown;
	int rc = 0;

	if (session->unwritable)
		return 0;
	if (!done)
		rc = td_run_put_sum(run,
				    run->given_up ? run->clock.read_ns
						  : usage->elapsed_ns,
				    usage, err);
	if (!rc)
		rc = td_view_end_run(&session->view, usage, err);
	if (!rc && !done && !run->given_up && !run->tally.behind)
		td_note_uncounted(run, usage);
	return rc ? rc
		  : td_recorder_end(&session->recorder, usage,
				    run->engine->child.status, err);
}

static void say_last(struct td_run *run)
{
	const struct td_job *job = run->job;

	td_run_explain(run);
	if (job->opts->verbose && !job->opts->quiet)
		td_describe_shares(stderr, &job->machine, &job->plan,
				   &run->tally.all);
	fflush(stderr); /* before the output of --post */
}

/* The time that was counted, without what the last read took to be looked at. */
static uint64_t elapsed_ns(const struct td_run *run)
{
	if (!run->clock.began)
		return 0;
	return run->clock.end_ns ? run->clock.end_ns : td_run_now(run);
}

/* Shows what was counted, also after an error. */
static int end_run(struct td_run *run, struct td_err *err)
{
	struct td_usage usage = { .elapsed_ns = elapsed_ns(run) };
	struct td_err late = { 0 };
	int rc = 0, rc_put;

	if (run->engine->child.pid > 0)
		rc = td_child_wait(&run->engine->child, &usage, err);
	td_progress_clear(&run->session->progress);
	rc_put = put_last(run, &usage, rc ? &late : err);
	if (rc_put && td_run_outlives(run, rc ? &late : err))
		rc_put = 0;
	say_last(run);
	return rc ? rc : rc_put;
}

/* Runs from the start of the command to the last row. */
static int count_to_the_end(struct td_run *run, struct td_err *err)
{
	struct td_err late = { 0 };
	int rc = td_run_begin(run, err), rc_end;

	if (rc && !td_run_outlives(run, err))
		return rc;
	rc = td_run_loop(run, err);
	if (!rc && !run->given_up && !td_run_printed_all(run))
		rc = read_last(run, err);
	if (rc && td_run_outlives(run, err))
		rc = 0;
	rc_end = end_run(run, rc ? &late : err);
	return rc ? rc : rc_end;
}

/*
 * Runs the shell command of --pre or --post, if there is one, with the signals
 * and limits that we were started with.
 */
static int run_hook(const struct td_session *session, const char *option,
		    const char *command, struct td_err *err)
{
	pid_t pid = command ? fork() : 0, ended;
	int status;

	if (!command)
		return 0;
	if (pid == 0) {
		td_signals_hold();
		td_inherited_restore(&session->inherited);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		return td_err_set(err, -errno, "%s %s: fork: %s", option,
				  command, strerror(errno));
	do {
		ended = waitpid(pid, &status, 0);
	} while (ended < 0 && errno == EINTR);
	if (ended < 0)
		return td_err_set(err, -errno, "%s: waitpid: %s", option,
				  strerror(errno));
	if (WIFSIGNALED(status))
		return td_err_set(err, -EINTR, "%s %s: ended by signal %d",
				  option, command, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return td_err_set(err, -EIO, "%s %s: exit status %d", option,
				  command, WEXITSTATUS(status));
	return 0;
}

/* A single run ends when it ends. */
static void show_progress(struct td_session *session)
{
	struct td_progress *progress = &session->progress;

	if (progress->all != 1)
		td_progress_run(progress, "run", (size_t)session->runs + 1,
				progress->all);
}

int td_run_once(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	const struct td_opts *opts = run->job->opts;
	struct td_err late = { 0 };
	struct td_signal signal;
	int rc = td_run_reset(run, err), rc_set;

	if (!rc)
		rc = td_session_take_set(session, err);
	if (opts->verbose &&
	    (opts->when.has_repeat || run->job->plan.nr_sets > 1))
		td_job_say(run->job, "tdstat: run %d\n", session->runs + 1);
	if (!rc)
		rc = run_hook(session, "--pre", opts->when.pre, err);
	if (!rc && opts->when.pre && td_signals_take(&signal)) {
		session->is_last = true;
		return td_err_set(err, -EINTR, "stopped before it began");
	}
	if (!rc && opts->when.sync)
		sync();
	if (!rc)
		rc = td_run_open(run, err);
	if (!rc)
		rc = open_outputs(session, err);
	if (!rc)
		show_progress(session);
	if (!rc)
		rc = count_to_the_end(run, err);
	td_progress_clear(&session->progress);
	/* not inherited by --post */
	td_counting_close(&run->counting);
	td_latency_close(&run->latency);
	session->runs++;
	rc_set = td_session_end_set(session, false, rc ? &late : err);
	rc = rc ? rc : rc_set;
	if (!rc)
		rc = run_hook(session, "--post", opts->when.post, err);
	return rc;
}

int td_run_finish(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	int rc = td_session_end_set(session, true, err);

	if (!rc && !session->unwritable)
		rc = td_view_end(&session->view, err);

	return rc && td_run_outlives(run, err) ? 0 : rc;
}
