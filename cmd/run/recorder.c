// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/recorder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd/output/out.h"
#include "cmd/say.h"
#include "lib/base/compress.h"
#include "lib/recording/recording.h"
#include "lib/target/cgroup.h"

int td_recorder_open(struct td_recorder *recorder, const char *name, struct td_err *err)
{
	recorder->name = name;
	if (td_ends_with(name, TD_ZSTD_SUFFIX) && td_zstd_load(err))
		return err->code;
	recorder->fp = td_out_open(name, false, err);
	if (!recorder->fp)
		return err->code;
	recorder->replaces = td_out_has_content(recorder->fp);
	return 0;
}

static int cannot_write(const struct td_recorder *recorder, int rc, struct td_err *err)
{
	td_err_set(err, rc, "cannot write %s: %s", recorder->name, strerror(-rc));
	err->reader_gone = rc == -EPIPE;
	return rc;
}

/* Write all lines so far to the file, so that it is readable if tdstat is killed. */
static int flush(struct td_recorder *recorder, struct td_err *err)
{
	int rc = td_out_check(recorder->fp, recorder->name, err);

	if (!rc && recorder->zstd) {
		rc = td_zstd_flush(recorder->zstd);
		rc = rc ? cannot_write(recorder, rc, err) : 0;
	}
	recorder->failed |= rc != 0;
	return rc;
}

/* Note the device and inode of the file.  Call it before the stream is compressed. */
static void look_at_file(struct td_recorder *recorder)
{
	struct stat st;

	if (fstat(fileno(recorder->fp), &st))
		return;
	recorder->dev = st.st_dev;
	recorder->ino = st.st_ino;
}

bool td_recorder_is_file(const struct td_recorder *recorder, FILE *fp)
{
	struct stat st;

	return fstat(fileno(fp), &st) == 0 && st.st_dev == recorder->dev &&
	       st.st_ino == recorder->ino;
}

/* Compress the remainder of the file. */
static int pack(struct td_recorder *recorder, struct td_err *err)
{
	int fd = fcntl(fileno(recorder->fp), F_DUPFD_CLOEXEC, 0);
	FILE *fp = fd < 0 ? NULL : td_zstd_writer(fd, &recorder->zstd, err);

	if (fd < 0)
		return cannot_write(recorder, -errno, err);
	if (!fp) {
		td_close_fd(&fd);
		return err->code;
	}
	fclose(recorder->fp);
	recorder->fp = fp;
	return 0;
}

static void put_head(const struct td_recorder *recorder, const struct td_job *job,
		     const struct td_source *source)
{
	const struct td_request *request = job->request;
	const struct td_pmu_events *files = &job->measure.catalog.events;
	const struct td_recording_info info = {
		.interval_ms = request->when.interval_ms,
		.start_ns = recorder->start_ns + recorder->base_ns,
		.clocks = { recorder->clocks.mono_ns + recorder->base_ns,
			    recorder->clocks.suspended_ns },
		.target = job->target.name,
		.identity = job->identity,
		.tsc_hz = job->tree ? job->tsc_hz : td_tsc_hz(),
		.tasks = !job->target.system_wide || job->target.tells_tasks,
		.of_events = !job->tree,
		.ask = job->tree ? request->ask : (struct td_ask){ 0 },
		.files = job->tree ? files->dir : NULL,
		.files_version = job->tree ? files->version : NULL,
		.latencies = job->sampled.nr_groups > 0,
		.how = source->how,
		.cache_level = source->cache_level,
		.cgroups = job->target.cgroups.names,
		.containers = job->target.cgroups.containers,
		.nr_containers = td_cgroups_have_containers(&job->target.cgroups)
					 ? job->target.cgroups.nr
					 : 0,
		.nr_cgroups = job->target.cgroups.nr,
	};

	td_recording_write_head(recorder->fp, &job->machine, job->places, &job->plan, &info);
}

void td_recorder_put_places(struct td_recorder *recorder, const struct td_job *job)
{
	size_t nr = job->machine.online.nr;

	if (nr > recorder->nr_cpus)
		td_recording_write_topology(recorder->fp, &job->machine, job->places);
	recorder->nr_cpus = nr;
}

int td_recorder_begin(struct td_recorder *recorder, struct td_job *job,
		      const struct td_source *source, struct td_err *err)
{
	int rc;

	if (!recorder->fp)
		return 0;
	look_at_file(recorder);
	td_out_empty(recorder->fp);
	rc = td_job_read_places(job, true, err);
	if (rc)
		return rc;
	recorder->nr_cpus = job->machine.online.nr;
	if (td_ends_with(recorder->name, TD_ZSTD_SUFFIX) && pack(recorder, err))
		return err->code;
	put_head(recorder, job, source);
	return flush(recorder, err);
}

void td_recorder_put_latencies(struct td_recorder *recorder, struct td_latencies *latencies)
{
	if (latencies->changed)
		td_recording_write_latencies(recorder->fp, latencies);
	latencies->changed = false;
}

/* Write the timeline; times in a file start at its beginning. */
static void put_timeline(const struct td_recorder *recorder, const struct td_timeline *timeline)
{
	struct td_timeline shifted;

	if (!recorder->base_ns) {
		td_recording_write_timeline(recorder->fp, timeline);
		return;
	}
	shifted = *timeline;
	for (size_t i = 0; i < shifted.nr; i++)
		shifted.points[i].time_ns -= recorder->base_ns;
	td_recording_write_timeline(recorder->fp, &shifted);
}

int td_recorder_put(struct td_recorder *recorder, const struct td_counted *counted,
		    struct td_task_names *names, struct td_err *err)
{
	if (!recorder->fp)
		return 0;
	put_timeline(recorder, counted->timeline);
	td_recording_write_counts(recorder->fp, counted->time_ns - recorder->base_ns,
				  counted->times, names, counted->readings);
	recorder->last_ns = counted->time_ns;
	return flush(recorder, err);
}

int td_recorder_end(struct td_recorder *recorder, const struct td_usage *usage, int exit_status,
		    struct td_err *err)
{
	/* CPU times of a command are for all its files, so the last file contains none */
	const struct td_usage part = {
		.elapsed_ns = td_since(usage->elapsed_ns, recorder->base_ns),
	};

	if (!recorder->fp)
		return 0;
	td_recording_write_end(recorder->fp, recorder->base_ns ? &part : usage, exit_status);
	return flush(recorder, err);
}

uint64_t td_recorder_size(const struct td_recorder *recorder)
{
	off_t size = recorder->zstd ? (off_t)td_zstd_size(recorder->zstd) : ftello(recorder->fp);

	return size > 0 ? (uint64_t)size : 0;
}

static int close_file(struct td_recorder *recorder, struct td_err *err)
{
	FILE *fp = recorder->fp;

	recorder->fp = NULL;
	recorder->zstd = NULL;
	return fp && fclose(fp) ? cannot_write(recorder, -errno, err) : 0;
}

int td_recorder_switch(struct td_recorder *recorder, FILE *fp, const char *name, struct td_job *job,
		       const struct td_source *source, struct td_err *err)
{
	const struct td_usage whole = { .elapsed_ns = recorder->last_ns };
	struct td_err late = { 0 };
	int rc = td_recorder_end(recorder, &whole, 0, err);

	if (close_file(recorder, rc ? &late : err) && !rc)
		rc = err->code;
	recorder->fp = fp;
	recorder->name = name;
	recorder->base_ns = recorder->last_ns;
	recorder->failed |= rc != 0;
	return rc ?: td_recorder_begin(recorder, job, source, err);
}

int td_recorder_close(struct td_recorder *recorder, struct td_err *err)
{
	int rc = close_file(recorder, err);

	free(recorder->stamped);
	recorder->stamped = NULL;
	return rc;
}
