// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/result.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/opts/again.h"
#include "cmd/plan/catalog.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/counter/probe.h"
#include "lib/recording/recording.h"

static struct td_source make_source(struct td_job *job,
				    const struct td_regions *regions)
{
	return (struct td_source){
		.machine = &job->machine,
		.plan = &job->plan,
		.tree = job->tree,
		.find_facts = td_facts_find,
		.facts_ctx = &job->measure.catalog,
		.files_version = job->measure.catalog.events.version,
		.target = &job->target.name,
		.identity = &job->identity,
		.how = TD_AGGREGATE_REGION,
		.regions = regions,
	};
}

int td_region_result_open(struct td_region_result *result, struct td_job *job,
			  const struct td_regions *regions, struct td_err *err)
{
	int rc;

	*result = (struct td_region_result){
		.job = job,
		.source = make_source(job, regions),
	};
	rc = td_view_init(&result->view, &result->source, job->request, err);
	if (!rc)
		rc = td_view_open(&result->view, job->request, err);
	if (!rc)
		rc = td_view_check_append(&result->view, err);
	if (!rc && job->request->calls.record)
		rc = td_recorder_open(&result->recorder,
				      job->request->calls.record, err);
	return rc;
}

static int record(struct td_region_result *result,
		  const struct td_counted *counted,
		  const struct td_usage *usage, int status, struct td_err *err)
{
	struct td_recorder *recorder = &result->recorder;
	struct td_task_names names = { 0 };
	int rc;

	if (!recorder->fp)
		return 0;
	rc = td_recorder_begin(recorder, result->job, &result->source, err);
	if (!rc &&
	    td_recording_write_regions(recorder->fp, &result->job->machine,
				       result->source.regions))
		return td_err_nomem(err);
	if (!rc)
		rc = td_recorder_put(recorder, counted, &names, err);
	return rc ? rc : td_recorder_end(recorder, usage, status, err);
}

int td_region_result_show(struct td_region_result *result,
			  const struct td_batched *counts,
			  const struct td_usage *usage, int status,
			  struct td_err *err)
{
	const struct td_times times = { usage->elapsed_ns, usage->has_times,
					usage->user_ns, usage->sys_ns };
	const struct td_counted counted = { usage->elapsed_ns, &times,
					    &counts->readings,
					    &counts->course };
	int rc = td_view_begin(&result->view, err);

	if (!rc && counts->readings.nr)
		rc = td_view_put(&result->view, &counted, err);
	if (!rc)
		rc = td_view_end_run(&result->view, usage, err);
	return rc ? rc : record(result, &counted, usage, status, err);
}

int td_region_result_close(struct td_region_result *result, int rc,
			   struct td_err *err)
{
	struct td_err late = { 0 };

	if (td_view_close(&result->view, rc ? &late : err) && !rc)
		rc = err->code;
	if (td_recorder_close(&result->recorder, rc ? &late : err) && !rc)
		rc = err->code;
	return rc;
}

/* --- what was not as it was asked for, and what to type next -------------- */

/* What each reason of enum td_region_loss means to a user. */
static const char *const texts[TD_REGION_NR_LOSSES] = {
	[TD_REGION_NO_ROOM] =
		"region(s) had no room: a file of 256 MiB, or its disk, is "
		"full",
	[TD_REGION_CLOSED] = "region(s) had no room: their process has closed "
			     "the descriptor of its file",
	[TD_REGION_TOO_DEEP] =
		"call(s) were within more than 64 others, and are "
		"not counted by themselves",
	[TD_REGION_UNMATCHED] =
		"time(s) td_end was of a region that was not open",
	[TD_REGION_UNENDED] = "call(s) had no td_end: they ended with the call "
			      "around them, or with their thread",
	[TD_REGION_BUSY] = "mark(s) came within another one, of a signal "
			   "handler or a child that shares the memory, and "
			   "are left out",
};

/* Why the first of them was not. */
static void say_uncounted(const struct td_job *job,
			  const struct td_region_files *files)
{
	uint64_t nr = files->losses[TD_REGION_NO_COUNTERS];
	const struct td_region_value *value = &files->values[0];
	int error = files->open_errno;
	struct td_err why = { 0 };

	if (error == EACCES || error == EPERM)
		td_open_error(&why, -error, &job->plan.events.v[value->event],
			      job->machine.pmus[value->pmu].name, &job->target);
	else
		td_err_set(&why, -error, "%s", strerror(error));
	if (error == EMFILE)
		td_err_hint(&why, "half of the descriptors are the program's; "
				  "ulimit -n allows more");
	td_job_say(job, "tdstat: %" PRIu64 " thread(s) were not counted: %s\n",
		   nr, why.msg);
	if (why.hint[0])
		td_job_say(job, "tdstat: %s\n", why.hint);
}

static void say_losses(const struct td_job *job,
		       const struct td_region_files *files)
{
	for (size_t i = 0; i < TD_REGION_NR_LOSSES; i++) {
		if (!files->losses[i])
			continue;
		if (i == TD_REGION_NO_COUNTERS)
			say_uncounted(job, files);
		else if (i == TD_REGION_UNMATCHED)
			td_job_say(job, "tdstat: %" PRIu64 " %s, first %s\n",
				   files->losses[i], texts[i],
				   files->unmatched);
		else
			td_job_say(job, "tdstat: %" PRIu64 " %s\n",
				   files->losses[i], texts[i]);
	}
}

static void say_lost_calls(const struct td_job *job,
			   const struct td_region_files *files)
{
	uint64_t lost = 0, all = 0;

	for (size_t i = 0; i < files->regions.nr; i++) {
		const struct td_region *region = &files->regions.v[i];

		/* buckets have them once more */
		if (region->own || region->timed)
			continue;
		lost += region->calls.lost;
		all += region->calls.lost + region->calls.counted;
	}
	if (lost)
		td_job_say(
			job,
			"tdstat: %" PRIu64 " of %" PRIu64 " calls are not "
			"counted, for their threads ran without counters%s\n",
			lost, all,
			job->request->cputype
				? ", or on cores that --cputype leaves out"
				: ": they are a part of what was around "
				  "them");
}

/* Of each region; what was complete of it is there. */
static void say_open(const struct td_job *job,
		     const struct td_region_files *files)
{
	for (size_t i = 0; i < files->regions.nr; i++) {
		const struct td_region *region = &files->regions.v[i];

		if (!region->own && region->calls.open)
			td_job_say(job,
				   "tdstat: %s: %" PRIu64 " call(s) had not "
				   "ended when their process did, and are not "
				   "counted\n",
				   region->name, region->calls.open);
	}
}

/* The folder on the way there that not all may enter, or "". */
static const char *find_closed(char *path)
{
	struct stat st;

	while (strcmp(path, "/") != 0 && strcmp(path, ".") != 0) {
		path = dirname(path);
		if (stat(path, &st) == 0 && !(st.st_mode & S_IXOTH))
			return path;
	}
	return "";
}

/* A process without a file leaves no trace: only root's may be of another user. */
static void say_none(const struct td_job *job, const char *folder)
{
	td_autofree char *path = geteuid() == 0 ? strdup(folder) : NULL;
	const char *closed = path ? find_closed(path) : "";

	td_job_say(job,
		   "tdstat: no process had regions: is %s, or what it runs, "
		   "linked with libtdstat, does it call td_begin, and can it "
		   "write to %s?\n",
		   job->request->target.command[0], folder);
	if (*closed)
		td_job_say(job,
			   "tdstat: a program of another user cannot: %s: %s; "
			   "TMPDIR=/tmp is open to all\n",
			   closed, strerror(EACCES));
}

static void say_buckets(const struct td_job *job,
			const struct td_region_files *files)
{
	unsigned int without = files->nr_processes - files->nr_with_buckets;

	if (job->request->calls.by_duration && without)
		td_job_say(job,
			   "tdstat: %u process(es) have an older libtdstat, "
			   "which does not tell calls apart by how long they "
			   "took\n",
			   without);
	if (files->elsewhere)
		td_job_say(
			job,
			"tdstat: %" PRIu64 " call(s) are in the nearest "
			"row: of a region in a thread there are at most %d\n",
			files->elsewhere, TD_REGION_PLACES);
}

/* Of a list of names, one that the program does not mark, and what it marks. */
static void say_missing(const struct td_job *job,
			const struct td_region_files *files, const char *name,
			int len)
{
	td_autofree char *all = NULL;
	size_t size;
	FILE *fp;

	for (size_t i = 0; i < files->regions.nr; i++) {
		const char *marked = files->regions.v[i].name;

		if (strncmp(marked, name, (size_t)len) == 0 && !marked[len])
			return;
	}
	fp = open_memstream(&all, &size);
	for (size_t i = 0; fp && i < files->regions.nr; i++) {
		if (!files->regions.v[i].timed)
			fprintf(fp, "%s%s", ftell(fp) ? ", " : "",
				files->regions.v[i].name);
	}
	if (fp && !td_text_close(fp, &all))
		td_job_say(job,
			   "tdstat: %.*s: no such region: those that are "
			   "marked are %s\n",
			   len, name, all);
}

static void say_all_missing(const struct td_job *job,
			    const struct td_region_files *files)
{
	const char *name = files->names;

	while (name && *name) {
		int len = (int)strcspn(name, ",");

		say_missing(job, files, name, len);
		name += len + (name[len] == ',');
	}
}

void td_regions_say(const struct td_job *job,
		    const struct td_region_files *files, const char *folder)
{
	if (!files->nr_processes) {
		say_none(job, folder);
		return;
	}
	say_all_missing(job, files);
	say_losses(job, files);
	say_lost_calls(job, files);
	say_open(job, files);
	say_buckets(job, files);
	if (files->nr_user_only)
		td_job_say(job, "tdstat: counting user space only: kernel."
				"perf_event_paranoid does not let this "
				"user count the kernel\n");
	if (files->nr_by_read && !job->request->calls.by_read)
		td_job_say(
			job,
			"tdstat: RDPMC could not be used: each begin and end "
			"is a system call\n");
}

/* --- what to type next, of slow calls ------------------------------------- */

/* The function whose largest cause is a node, for sure; -1: there is none. */
static int find_slow(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_timed; i++) {
		const struct td_slow *slow = &report->slow[i];

		if (slow->nr && slow->causes[0].kind == TD_SLOW_NODE &&
		    td_slow_is_clear(&slow->causes[0]))
			return (int)i;
	}
	return -1;
}

/* The kernel's, and regions that are marked, have no place to probe for locate. */
static void put_in(FILE *fp, const struct td_request *request,
		   const struct td_slow *slow, const struct td_timed *timed)
{
	const char *file = strrchr(request->calls.names, '@');
	td_autofree char *in = NULL;
	char slower[TD_DURATION_NAME];

	if (timed->engine != TD_BY_UPROBES ||
	    asprintf(&in, "%s%s", timed->name, file ? file : "") < 0)
		return;
	fputs(" --in ", fp);
	td_put_shell_word(fp, in);
	td_duration_word(slower,
			 (double)td_region_bucket_ns(slow->slow->bucket));
	fprintf(fp, " --slower %s", slower);
}

static void put_next(FILE *fp, const struct td_request *request,
		     const struct td_slow *slow, const struct td_timed *timed)
{
	if (request->ask.level < 2) {
		fputs("tdstat calls -l 2 ", fp);
		if (request->calls.engine == TD_BY_KPROBES)
			fputs("-k ", fp);
		if (request->calls.engine == TD_BY_MARKS)
			fputs("--engine=marks ", fp);
		td_put_shell_word(fp, request->calls.names);
	} else {
		fprintf(fp, "tdstat locate %s", slow->causes[0].node);
		put_in(fp, request, slow, timed);
	}
	td_again_put_target(fp, request);
}

/* Slots that retire are no loss: there is nothing to locate. */
static bool is_work(const char *node)
{
	return strstr(node, "retiring") || strstr(node, "operations");
}

void td_calls_say_next(const struct td_job *job, const struct td_report *report)
{
	const struct td_request *request = job->request;
	int found = find_slow(report);
	const struct td_slow *slow = found < 0 ? NULL : &report->slow[found];
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!slow || (request->ask.level >= 2 && is_work(slow->causes[0].node)))
		return;
	fp = open_memstream(&text, &size);
	if (!fp)
		return;
	put_next(fp, request, slow, &report->timed[found]);
	if (!td_text_close(fp, &text))
		td_job_say(job, "tdstat: what next: %s\n", text);
	free(text);
}
