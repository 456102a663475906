// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/recording/lines.h"
#include "lib/recording/open.h"
#include "lib/recording/perf/output.h"

bool td_recording_is_written(const struct td_recording *rec, int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	return rec->is_file && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       fstat(fd, &st) == 0 && st.st_dev == rec->dev &&
	       st.st_ino == rec->ino;
}

int td_recording_open(struct td_recording *rec, const char *path,
		      struct td_err *err)
{
	int rc;

	*rec = (struct td_recording){ .path = path };
	rc = td_recording_open_stream(rec, err);
	if (rc)
		return rc;
	rc = td_perf_output_open(rec, err);
	return rc > 0 ? td_recording_read_head(rec, err) : rc;
}

int td_recording_next(struct td_recording *rec, uint64_t *time_ns,
		      struct td_readings *readings, struct td_err *err)
{
	return rec->perf ? td_perf_output_next(rec, time_ns, readings, err)
			 : td_recording_read_interval(rec, time_ns, readings,
						      err);
}

static void free_names(char **names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

void td_recording_close(struct td_recording *rec)
{
	td_recording_close_stream(rec);
	free(rec->text);
	td_perf_output_free(rec->perf);
	free(rec->info.target.text);
	td_identity_free(&rec->info.identity);
	free(rec->places);
	free_names(rec->info.ask.names, rec->info.ask.nr_names);
	free_names(rec->info.cgroups, rec->info.nr_cgroups);
	free_names(rec->info.containers, rec->info.nr_containers);
	td_task_names_free(&rec->names);
	td_regions_free(&rec->regions);
	td_course_free(&rec->course);
	td_latencies_free(&rec->latencies);
	td_plan_free(&rec->plan);
	td_machine_free(&rec->machine);
	*rec = (struct td_recording){ 0 };
}
