// SPDX-License-Identifier: GPL-2.0-only
/* Files of long runs: rotated by another program, or by record --rotate. */
#include <sys/stat.h>
#include <time.h>

#include "cmd/output/format.h"
#include "cmd/run/run.h"
#include "cmd/say.h"
#include "lib/base/compress.h"

/* Return true if there is no file with this name, or a regular file. */
static bool is_file_name(const char *name)
{
	struct stat st;

	return stat(name, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* A page or a trace is a single document, which cannot continue in another file. */
bool td_session_keeps_hangup(const struct td_request *request)
{
	if (request->does.exposes)
		return true;
	return request->does.reopens && request->show.output && !request->does.unnamed &&
	       !request->show.own_file && is_file_name(request->show.output);
}

/* --- the next name ----------------------------------------------------------- */

size_t td_rotated_stem(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	size_t len = strlen(name);

	if (td_ends_with(base, TD_ZSTD_SUFFIX))
		len -= strlen(TD_ZSTD_SUFFIX);
	for (size_t i = len; name + i > base + 1; i--) {
		if (name[i - 1] == '.')
			return i - 1;
	}
	return len;
}

/*
 * Return the name with a time stamp.  It is in UTC, so that the order of names is that of times,
 * even when clocks change.
 */
static char *stamp(const char *name, uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / TD_NS_A_SECOND);
	int ms = (int)(wall_ns % TD_NS_A_SECOND / TD_NS_A_MS);
	int stem = (int)td_rotated_stem(name);
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &tm);
	return td_aprintf("%.*s.%s.%03dZ%s", stem, name, text, ms, name + stem);
}

/* --- the first file -------------------------------------------------------------- */

int td_session_open_recorder(struct td_session *session, struct td_err *err)
{
	const struct td_request *request = session->job->request;
	struct td_recorder *recorder = &session->recorder;
	const char *name = request->show.output;

	recorder->next_ns = request->when.rotate_ns;
	if (!td_when_rotates(&request->when))
		return td_recorder_open(recorder, name, err);
	if (!is_file_name(name))
		return td_err_set(err, -EINVAL, "--rotate: %s is not a file", name);
	recorder->stamped = stamp(name, td_wall_ns());
	return td_recorder_open(recorder, recorder->stamped, err);
}

/* --- the next file --------------------------------------------------------------- */

/* Print and clear the error: the old file continues, so that no counts are lost. */
static void say_stuck(const struct td_session *session, struct td_err *err)
{
	td_job_say(session->job, "tdstat: %s: writing to the previous file instead\n", err->msg);
	*err = (struct td_err){ 0 };
}

/* Continue in a new file, which can be read without the old one. */
static int switch_file(struct td_session *session, FILE *fp, const char *name, struct td_err *err)
{
	session->recorder.stuck = false;
	td_task_names_rewind(&session->names);
	session->latencies.changed = session->latencies.nr > 0;
	return td_recorder_switch(&session->recorder, fp, name, session->job, &session->source,
				  err);
}

static int begin_stamped(struct td_session *session, struct td_err *err)
{
	struct td_recorder *recorder = &session->recorder;
	char *name =
		stamp(session->job->request->show.output, recorder->start_ns + recorder->last_ns);
	FILE *fp = td_out_open(name, false, err);
	int rc;

	if (!fp) {
		/* print it once, because each interval tries again */
		if (!recorder->stuck)
			say_stuck(session, err);
		*err = (struct td_err){ 0 };
		recorder->stuck = true;
		free(name);
		return 0;
	}
	rc = switch_file(session, fp, name, err);
	free(recorder->stamped);
	recorder->stamped = name;
	return rc;
}

/* Return true at the time of the next file, with a tolerance: intervals may end a little early. */
static bool is_time(const struct td_recorder *recorder, const struct td_when *when)
{
	uint64_t half_ns = (uint64_t)when->interval_ms * TD_NS_A_MS / 2;

	return recorder->last_ns + half_ns >= recorder->next_ns;
}

int td_session_rotate(struct td_session *session, struct td_err *err)
{
	const struct td_when *when = &session->job->request->when;
	struct td_recorder *recorder = &session->recorder;
	int rc;

	/* a file needs an interval before the next one */
	if (!recorder->fp || recorder->last_ns == recorder->base_ns ||
	    !((when->rotate_ns && is_time(recorder, when)) ||
	      (when->rotate_bytes && td_recorder_size(recorder) >= when->rotate_bytes)))
		return 0;
	rc = begin_stamped(session, err);
	while (when->rotate_ns && is_time(recorder, when))
		recorder->next_ns += when->rotate_ns;
	return rc;
}

/* --- SIGHUP ---------------------------------------------------------------------- */

static int reopen_recording(struct td_session *session, struct td_err *err)
{
	struct td_recorder *recorder = &session->recorder;
	FILE *fp;

	/* a file needs an interval before the next one */
	if (recorder->last_ns == recorder->base_ns)
		return 0;
	if (td_when_rotates(&session->job->request->when))
		return begin_stamped(session, err);
	fp = td_out_open(recorder->name, false, err);
	if (!fp) {
		say_stuck(session, err);
		return 0;
	}
	if (td_recorder_is_file(recorder, fp)) {
		fclose(fp);
		return 0;
	}
	return switch_file(session, fp, recorder->name, err);
}

int td_session_reopen(struct td_session *session, struct td_err *err)
{
	int rc = session->recorder.fp ? reopen_recording(session, err) : 0;

	if (!rc && td_sink_reopen(&session->view.sink, err))
		say_stuck(session, err);
	return rc;
}
