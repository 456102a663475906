// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/recording/lines.h"
#include "lib/recording/perf/output.h"

static void look_at_file(struct td_recording *rec)
{
	struct stat st;

	rec->is_file = fstat(fileno(rec->fp), &st) == 0 && S_ISREG(st.st_mode);
	if (!rec->is_file)
		return;
	rec->dev = st.st_dev;
	rec->ino = st.st_ino;
}

bool td_recording_is_written(const struct td_recording *rec, int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	return rec->is_file && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       fstat(fd, &st) == 0 && st.st_dev == rec->dev &&
	       st.st_ino == rec->ino;
}

/* True if text begins with these tokens of JSON, whatever blanks are between. */
static bool has_tokens(const char *text, const char *const *tokens, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		text += strspn(text, " \t\r\n");
		if (strncmp(text, tokens[i], strlen(tokens[i])) != 0)
			return false;
		text += strlen(tokens[i]);
	}
	return true;
}

bool td_recording_is_at(const char *path)
{
	static const char *const tokens[] = { "{", "\"tdstat\"", ":" };
	struct stat st;
	char text[128];
	ssize_t size;
	int fd;

	/* opening what is no file may have an effect, and may block */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	td_close_fd(&fd);
	if (size < 0)
		return false;
	text[size] = '\0';
	return has_tokens(text, tokens, TD_ARRAY_SIZE(tokens));
}

int td_recording_open(struct td_recording *rec, const char *path,
		      struct td_err *err)
{
	int rc;

	*rec = (struct td_recording){ .path = path };
	rec->fp = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!rec->fp)
		return td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	look_at_file(rec);
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
	if (rec->fp && rec->fp != stdin)
		fclose(rec->fp);
	free(rec->text);
	td_perf_output_free(rec->perf);
	free(rec->info.target.text);
	td_identity_free(&rec->info.identity);
	free(rec->places);
	free_names(rec->info.ask.names, rec->info.ask.nr_names);
	free_names(rec->info.cgroups, rec->info.nr_cgroups);
	td_task_names_free(&rec->names);
	td_regions_free(&rec->regions);
	td_course_free(&rec->course);
	td_latencies_free(&rec->latencies);
	td_plan_free(&rec->plan);
	td_machine_free(&rec->machine);
	*rec = (struct td_recording){ 0 };
}
