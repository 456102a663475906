// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/recorder.h"

#include <errno.h>
#include <string.h>

#include "cmd/out/out.h"
#include "lib/recording/recording.h"

int td_recorder_open(struct td_recorder *recorder, const char *name,
		     struct td_err *err)
{
	recorder->name = name;
	recorder->fp = td_out_open(name, false, err);
	if (!recorder->fp)
		return err->code;
	recorder->replaces = td_out_has_content(recorder->fp);
	return 0;
}

/* Behind a line that is missing none is written: readers take it for a cut. */
static int check(struct td_recorder *recorder, int rc, struct td_err *err)
{
	recorder->no_memory |= rc == -ENOMEM;
	return rc ? td_err_nomem(err)
		  : td_out_check(recorder->fp, recorder->name, err);
}

static int put_head(const struct td_recorder *recorder,
		    const struct td_job *job, const struct td_source *source)
{
	const struct td_opts *opts = job->opts;
	const struct td_pmu_events *files = &job->measure.catalog.events;
	const struct td_recording_info info = {
		.interval_ms = opts->when.interval_ms,
		.start_ns = recorder->start_ns,
		.clocks = recorder->clocks,
		.target = job->target.name,
		.identity = job->identity,
		.tsc_hz = job->tree ? job->tsc_hz : td_tsc_hz(),
		.tasks = !job->target.system_wide,
		.of_events = !job->tree,
		.ask = job->tree ? opts->ask : (struct td_ask){ 0 },
		.files = job->tree ? files->dir : NULL,
		.files_version = job->tree ? files->version : NULL,
		.latencies = job->sampled.nr_groups > 0,
		.how = source->how,
		.cache_level = source->cache_level,
		.cgroups = job->target.cgroups.names,
		.nr_cgroups = job->target.cgroups.nr,
	};

	return td_recording_write_head(recorder->fp, &job->machine, job->places,
				       &job->plan, &info);
}

int td_recorder_put_places(struct td_recorder *recorder,
			   const struct td_job *job, struct td_err *err)
{
	size_t nr = job->machine.online.nr;
	int rc = 0;

	if (recorder->fp && nr > recorder->nr_cpus)
		rc = td_recording_write_topology(recorder->fp, &job->machine,
						 job->places);
	recorder->nr_cpus = nr;
	return rc ? check(recorder, rc, err) : 0;
}

int td_recorder_begin(struct td_recorder *recorder, struct td_job *job,
		      const struct td_source *source, struct td_err *err)
{
	int rc;

	if (!recorder->fp)
		return 0;
	td_out_empty(recorder->fp);
	rc = td_job_read_places(job, true, err);
	if (rc)
		return rc;
	recorder->nr_cpus = job->machine.online.nr;
	return check(recorder, put_head(recorder, job, source), err);
}

int td_recorder_put_latencies(struct td_recorder *recorder,
			      struct td_latencies *latencies,
			      struct td_err *err)
{
	int rc = 0;

	if (recorder->fp && latencies->changed)
		rc = td_recording_write_latencies(recorder->fp, latencies);
	latencies->changed = false;
	return rc ? check(recorder, rc, err) : 0;
}

int td_recorder_put(struct td_recorder *recorder,
		    const struct td_counted *counted,
		    struct td_task_names *names, struct td_err *err)
{
	int rc;

	if (!recorder->fp)
		return 0;
	rc = td_recording_write_course(recorder->fp, counted->course);
	if (!rc)
		rc = td_recording_write_counts(recorder->fp, counted->time_ns,
					       counted->times, names,
					       counted->readings);
	return check(recorder, rc, err);
}

int td_recorder_end(struct td_recorder *recorder, const struct td_usage *usage,
		    int exit_status, struct td_err *err)
{
	int rc;

	if (!recorder->fp)
		return 0;
	rc = td_recording_write_end(recorder->fp, usage, exit_status);
	return check(recorder, rc, err);
}

int td_recorder_close(struct td_recorder *recorder, struct td_err *err)
{
	FILE *fp = recorder->fp;

	recorder->fp = NULL;
	if (!fp || !fclose(fp))
		return 0;
	return td_err_set(err, -errno, "cannot write %s: %s", recorder->name,
			  strerror(errno));
}
