// SPDX-License-Identifier: GPL-2.0-only
/* Handles commands of --control, which are perf stat's. */
#include <errno.h>
#include <string.h>

#include "cmd/plan/attr.h"
#include "cmd/run/run.h"
#include "cmd/say.h"
#include "lib/base/printable.h"

#define MAX_REMARKS 10
#define MAX_WORD    60 /* bytes of an unknown word to show */

/* The next event with this name, from index from on; -1 if there is none. */
static int find_event(const struct td_plan *plan, const char *name, int from)
{
	for (int i = from; i < (int)plan->events.nr; i++) {
		if (strcmp(plan->events.v[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* The length of a word to show.  *rest is "..." if it is cut off. */
static int shown(const char *word, const char **rest)
{
	size_t len = strlen(word);

	*rest = len > MAX_WORD ? "..." : "";
	if (len <= MAX_WORD)
		return (int)len;
	len = MAX_WORD;
	while (len && ((unsigned char)word[len] & 0xc0) == 0x80)
		len--; /* not in the middle of a UTF-8 character */
	return (int)len;
}

/*
 * Says what is wrong with a word.  The number of messages is limited, as a
 * script may send any number of wrong commands.
 */
static void remark(struct td_run *run, const char *why, const char *word,
		   const char *hint)
{
	struct td_session *session = run->session;
	const char *rest;
	int len = shown(word, &rest);

	if (session->control_remarks > MAX_REMARKS)
		return;
	if (session->control_remarks++ < MAX_REMARKS)
		td_job_say(run->job, "tdstat: --control: %s %.*s%s%s\n", why,
			   len, word, rest, hint);
	else
		td_job_say(run->job,
			   "tdstat: --control: further remarks are not "
			   "shown\n");
}

static int switch_event(struct td_run *run, const char *name, bool on,
			struct td_err *err)
{
	const struct td_plan *plan = &run->job->plan;
	int event = find_event(plan, name, 0), rc;

	if (event < 0) {
		remark(run, "no event", name, ": evlist lists them");
		return 0;
	}
	rc = on && !run->counting.baseline ? td_run_first_enable(run, err) : 0;
	for (; !rc && event >= 0; event = find_event(plan, name, event + 1))
		rc = td_counter_enable(run->counting.counter, on, event, err);
	if (!rc)
		td_job_say(run->job, "Event %s %s\n", name,
			   on ? "enabled" : "disabled");
	return rc;
}

static int switch_all(struct td_run *run, bool on, struct td_err *err)
{
	int rc;

	if (on && !run->counting.on)
		return td_run_end_delay(run, err);
	rc = td_counter_enable(run->counting.counter, on, -1, err);
	td_latency_enable(&run->latency, on);
	if (!rc)
		td_job_say(run->job, "Events %s\n",
			   on ? "enabled" : "disabled");
	return rc;
}

static int do_switch(struct td_run *run,
		     const struct td_control_request *request,
		     struct td_err *err)
{
	bool on = request->word == TD_CONTROL_ENABLE;
	/* the row ends here, as with perf */
	int rc = on ? td_run_put_row_now(run, err) : 0;

	if (!rc)
		rc = request->argument
			     ? switch_event(run, request->argument, on, err)
			     : switch_all(run, on, err);
	return rc || on ? rc : td_run_put_row_now(run, err);
}

/* Prints {slots,topdown-retiring}: the events of a group. */
static void list_group(const struct td_plan *plan, const struct td_group *group)
{
	fputs(group->nr > 1 ? "{" : "", stderr);
	for (size_t i = 0; i < group->nr; i++) {
		fputs(i ? "," : "", stderr);
		td_put_printable(stderr,
				 plan->events.v[group->members[i]].name);
	}
	fputs(group->nr > 1 ? "}\n" : "\n", stderr);
}

static void list_events(const struct td_job *job, const char *how)
{
	const struct td_plan *plan = &job->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (how && strcmp(how, "-g") == 0) {
			list_group(plan, group);
			continue;
		}
		for (size_t i = 0; i < group->nr; i++) {
			struct perf_event_attr attr =
				td_plan_attr(plan, group, i, &job->target);

			td_put_printable(
				stderr, plan->events.v[group->members[i]].name);
			fputc('\n', stderr);
			if (how && strcmp(how, "-v") == 0)
				td_attr_put(stderr, &attr,
					    job->machine.pmus[group->pmu].name);
		}
	}
	fflush(stderr); /* before the acknowledgement */
}

static int obey(struct td_run *run, const struct td_control_request *request,
		struct td_err *err)
{
	switch (request->word) {
	case TD_CONTROL_ENABLE:
	case TD_CONTROL_DISABLE:
		return do_switch(run, request, err);
	case TD_CONTROL_EVLIST:
		if (!run->job->request->show.quiet)
			list_events(run->job, request->argument);
		return 0;
	case TD_CONTROL_STOP:
		run->session->told = run->session->is_last = true;
		return 0;
	case TD_CONTROL_PING:
	case TD_CONTROL_SNAPSHOT:
		return 0;
	case TD_CONTROL_UNKNOWN:
		remark(run, "no such command:", request->line, "");
		return 0;
	}
	return 0;
}

static void answer(struct td_run *run)
{
	struct td_session *session = run->session;

	if (td_control_ack(&session->control) != -EAGAIN ||
	    session->control_unread)
		return;
	session->control_unread = true;
	td_job_say(run->job, "tdstat: --control: nobody reads the answers\n");
}

int td_run_take_control(struct td_run *run, struct td_err *err)
{
	struct td_control *control = &run->session->control;
	struct td_control_request request;
	int rc = 0;

	/* counting goes on without commands */
	if (td_control_read(control, err))
		td_say_error(err);
	while (!rc && td_control_next(control, &request)) {
		enum td_control_word word = request.word;

		rc = obey(run, &request, err);
		if (!rc && td_control_is_acked(word))
			answer(run);
	}
	run->engine->waiter.control = control->fd;
	return rc;
}
