// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/result.h"

#include "cmd/plan/catalog.h"
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
	rc = td_view_init(&result->view, &result->source, job->opts, err);
	if (!rc)
		rc = td_view_open(&result->view, job->opts, err);
	if (!rc)
		rc = td_view_check_append(&result->view, err);
	if (!rc && job->opts->record)
		rc = td_recorder_open(&result->recorder, job->opts->record,
				      err);
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
