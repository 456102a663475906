// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/result.h"

#include <inttypes.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/opts/rerun.h"
#include "cmd/plan/catalog.h"
#include "lib/base/printable.h"
#include "lib/counter/probe.h"
#include "lib/recording/recording.h"

int td_region_result_open(struct td_region_result *result, struct td_job *job,
			  const struct td_regions *regions, struct td_err *err)
{
	int rc;

	*result = (struct td_region_result){
		.job = job,
		.source = {
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
		},
	};
	rc = td_view_init(&result->view, &result->source, job->request, err);
	rc = rc ?: td_view_open(&result->view, job->request, err);
	rc = rc ?: td_view_check_append(&result->view, err);
	if (!rc && job->request->calls.record)
		rc = td_recorder_open(&result->recorder, job->request->calls.record, err);
	return rc;
}

static int record(struct td_region_result *result, const struct td_counted *counted,
		  const struct td_usage *usage, int status, struct td_err *err)
{
	struct td_recorder *recorder = &result->recorder;
	struct td_task_names names = { 0 };
	int rc;

	if (!recorder->fp)
		return 0;
	rc = td_recorder_begin(recorder, result->job, &result->source, err);
	if (!rc)
		td_recording_write_regions(recorder->fp, &result->job->machine,
					   result->source.regions);
	rc = rc ?: td_recorder_put(recorder, counted, &names, err);
	return rc ?: td_recorder_end(recorder, usage, status, err);
}

int td_region_result_show(struct td_region_result *result, const struct td_batched *counts,
			  const struct td_usage *usage, int status, struct td_err *err)
{
	const struct td_times times = { usage->elapsed_ns, usage->has_times, usage->user_ns,
					usage->sys_ns };
	const struct td_counted counted = { usage->elapsed_ns, &times, &counts->readings,
					    &counts->timeline };
	int rc = td_view_begin(&result->view, err);

	if (!rc && counts->readings.nr)
		rc = td_view_put(&result->view, &counted, err);
	rc = rc ?: td_view_end_run(&result->view, usage, err);
	return rc ?: record(result, &counted, usage, status, err);
}

int td_region_result_close(struct td_region_result *result, int rc, struct td_err *err)
{
	struct td_err late = { 0 };

	if (td_view_close(&result->view, rc ? &late : err) && !rc)
		rc = err->code;
	if (td_recorder_close(&result->recorder, rc ? &late : err) && !rc)
		rc = err->code;
	return rc;
}

/* --- the next command for slow calls -------------------------------------- */

/* Returns a function whose largest significant cause is a node, or -1. */
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

/* locate cannot probe functions of the kernel, or marked regions. */
static void put_in(FILE *fp, const struct td_request *request, const struct td_slow *slow,
		   const struct td_timed *timed)
{
	const char *file = strrchr(request->calls.names, '@');
	td_autofree char *in = NULL;
	char slower[TD_DURATION_NAME];

	if (timed->engine != TD_BY_UPROBES)
		return;
	in = td_aprintf("%s%s", timed->name, file ? file : "");
	fputs(" --in ", fp);
	td_put_shell_word(fp, in);
	td_duration_word(slower, (double)td_region_bucket_ns(slow->slow->bucket));
	fprintf(fp, " --slower %s", slower);
}

/* Slots that retire are not a loss. */
static bool is_work(const char *node)
{
	return strstr(node, "retiring") || strstr(node, "operations");
}

void td_calls_suggest_next(const struct td_job *job, const struct td_report *report)
{
	const struct td_request *request = job->request;
	int found = find_slow(report);
	const struct td_slow *slow = found < 0 ? NULL : &report->slow[found];
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!slow || (request->ask.level >= 2 && is_work(slow->causes[0].node)))
		return;
	fp = td_open_memstream(&text, &size);
	if (request->ask.level < 2) {
		fputs("tdstat calls -l 2 ", fp);
		if (request->calls.engine == TD_BY_KPROBES)
			fputs("-k ", fp);
		if (request->calls.engine == TD_BY_MARKS)
			fputs("--engine=marks ", fp);
		td_put_shell_word(fp, request->calls.names);
	} else {
		fprintf(fp, "tdstat locate %s", slow->causes[0].node);
		put_in(fp, request, slow, &report->timed[found]);
	}
	td_rerun_put_target(fp, request);
	td_text_close(fp, &text);
	td_job_say(job, "tdstat: what next: %s\n", text);
	free(text);
}
