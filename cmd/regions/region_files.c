// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/regions/region_sums.h"
#include "lib/base/util.h"

/* --- checking --------------------------------------------------------------- */

static int bad(const struct td_region_file *file, const char *why, struct td_err *err)
{
	return td_err_set(err, -EINVAL, "%s: %s", file->path, why);
}

static bool fits(const struct td_region_file *file, uint64_t at, uint64_t size)
{
	return at <= file->size && size <= file->size - at;
}

static uint64_t min_sum(const struct td_region_head *head)
{
	return sizeof(struct td_region_sum) + 2 * sizeof(int64_t) * head->nr_values;
}

/* Return the size of the buckets of a record, if it has any. */
static uint64_t size_of_buckets(const struct td_region_head *head)
{
	return head->buckets ? td_region_buckets_size(head->nr_values) : 0;
}

static bool has_room(const struct td_region_head *head)
{
	return head->sum_size >= min_sum(head) && head->sum_size % 8 == 0 &&
	       head->sum_size < UINT32_MAX && head->record_size % 8 == 0 &&
	       head->records_at % 8 == 0 &&
	       head->record_size >= sizeof(struct td_region_record) +
					    TD_REGION_SUMS * head->sum_size + size_of_buckets(head);
}

static int check_head(const struct td_region_file *file, size_t nr_values, struct td_err *err)
{
	const struct td_region_head *head = file->head;

	if (memcmp(head->magic, TD_REGION_MAGIC, sizeof(head->magic)) != 0)
		return bad(file, "is not of the regions of a program", err);
	if (head->version < TD_REGION_OLDEST || head->version > TD_REGION_VERSION ||
	    head->size != sizeof(*head))
		return bad(file, "is of another version of libtdstat than this tdstat", err);
	if (head->nr_values != nr_values || nr_values > TD_REGION_VALUES)
		return bad(file, "has other events than were asked for", err);
	if (!has_room(head) || head->nr_records > file->size / head->record_size ||
	    !fits(file, head->records_at, head->nr_records * head->record_size))
		return bad(file, "is shorter than it says", err);
	return 0;
}

/* --- adding ----------------------------------------------------------------- */

static void add_records(struct td_region_files *files, const struct td_region_file *file)
{
	const struct td_region_head *head = file->head;

	for (uint64_t i = 0; i < head->nr_records; i++) {
		const void *at = file->data + head->records_at + i * head->record_size;
		const struct td_region_record *record = at;

		/* skip incomplete and damaged records */
		if (record->kind != TD_REGION_MARKED && record->kind != TD_REGION_OUTSIDE)
			continue;
		if (record->name[sizeof(record->name) - 1] || !td_region_files_check(file, record))
			continue;
		td_region_files_add(files, file, record);
	}
}

static void add_head(struct td_region_files *files, const struct td_region_head *head)
{
	files->nr_processes++;
	files->nr_by_read += head->by_read != 0;
	files->nr_user_only += head->user_only != 0;
	files->nr_with_buckets += head->buckets != 0;
	for (size_t i = 0; i < TD_REGION_NR_LOSSES; i++)
		files->losses[i] += head->losses[i];
	if (!files->unmatched[0])
		memcpy(files->unmatched, head->unmatched, sizeof(files->unmatched) - 1);
	if (!files->open_errno)
		files->open_errno = head->open_errno;
}

/* --- files ------------------------------------------------------------------ */

static int failed(const struct td_region_file *file, int error, struct td_err *err)
{
	return td_err_set(err, -error, "%s: %s", file->path, strerror(error));
}

/* Return where the last record ends; after it, the file has a hole. */
static uint64_t size_in_use(const struct td_region_head *head, uint64_t size)
{
	uint64_t used;

	if (head->record_size > size || head->nr_records > size)
		return size;
	used = head->records_at + head->nr_records * head->record_size;
	return used > sizeof(*head) && used < size ? used : size;
}

static int read_whole(int fd, char *to, uint64_t size)
{
	uint64_t at = 0;

	while (at < size) {
		ssize_t got = pread(fd, to + at, size - at, (off_t)at);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			return got ? -errno : -ENODATA;
		at += got > 0 ? (uint64_t)got : 0;
	}
	return 0;
}

/* Copy the records that the head counted when it was read.  The process may be adding more. */
static int copy_data(struct td_region_file *file, int fd, uint64_t size, struct td_err *err)
{
	struct td_region_head head;
	int rc = read_whole(fd, (char *)&head, sizeof(head));

	if (rc)
		return failed(file, -rc, err);
	file->size = size_in_use(&head, size);
	file->data = td_malloc(file->size);
	rc = read_whole(fd, file->data, file->size);
	if (rc)
		return failed(file, -rc, err);
	memcpy(file->data, &head, sizeof(head));
	file->head = (const void *)file->data;
	return 0;
}

static int copy_file(struct td_region_file *file, int fd, struct td_err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return failed(file, errno, err);
	if (!S_ISREG(st.st_mode) || st.st_size > TD_REGION_FILE)
		return bad(file, "is not of the regions of a program", err);
	if (st.st_size < (off_t)sizeof(*file->head))
		return 0;
	return copy_data(file, fd, (uint64_t)st.st_size, err);
}

/* Return true if the head is complete: the process may have lacked room, or been killed. */
static bool has_begun(const struct td_region_file *file)
{
	return file->head && file->head->magic[0];
}

static int add_file(struct td_region_files *files, const struct td_region_file *file,
		    struct td_err *err)
{
	if (check_head(file, files->nr_values, err))
		return err->code;
	add_records(files, file);
	add_head(files, file->head);
	return 0;
}

/* Read a file, which is untrusted: the program may have put a FIFO or a symbolic link there. */
static int read_file(struct td_region_files *files, const char *path, struct td_err *err)
{
	struct td_region_file file = { .path = path };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int rc;

	if (fd < 0 && errno == ELOOP)
		return bad(&file, "is not of the regions of a program", err);
	if (fd < 0)
		return failed(&file, errno, err);
	rc = copy_file(&file, fd, err);
	close(fd);
	if (!rc && has_begun(&file))
		rc = add_file(files, &file, err);
	free(file.data);
	return rc;
}

/* Return true for "PREFIX.123" and "PREFIX.123.1". */
static bool is_of(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) == 0 && name[len] == '.' && name[len + 1] &&
	       !name[len + 1 + strspn(name + len + 1, "0123456789.")];
}

/* Read the files of a directory with this prefix, in the order of their names. */
static int read_directory(struct td_region_files *files, const char *directory, const char *prefix,
			  struct td_err *err)
{
	struct dirent **found = NULL;
	int nr = scandir(directory, &found, NULL, versionsort), rc = 0;

	if (nr < 0)
		return td_err_set(err, -errno, "%s: %s", directory, strerror(errno));
	for (int i = 0; i < nr; i++) {
		td_autofree char *path = td_aprintf("%s/%s", directory, found[i]->d_name);

		if (!rc && is_of(found[i]->d_name, prefix))
			rc = read_file(files, path, err);
		free(found[i]);
	}
	free(found);
	return rc;
}

/* --- slow calls ----------------------------------------------------------- */

static bool is_slow(const struct td_region *region, const struct td_region *slow)
{
	return region->timed == slow->timed && !region->slow && region->bucket >= slow->bucket;
}

/* Add a copy of a reading of a bucket to a region of slow calls. */
static void add_slow_reading(struct td_region_files *files, size_t at, int region)
{
	struct td_reading reading = files->counts.readings.v[at];
	struct td_sums values, times;

	reading.region = region;
	for (size_t i = 0; i < TD_BATCHES; i++) {
		const struct td_course_sum *sum = &files->counts.course.points[i].v[at];

		values.v[i] = (int64_t)sum->value;
		times.v[i] = (int64_t)sum->running_ns;
	}
	td_batched_add(&files->counts, &reading, &values, &times);
}

static void add_slow(struct td_region_files *files, const struct td_timed *timed)
{
	struct td_regions *regions = &files->regions;
	struct td_region *slow = td_regions_bucket(regions, timed, timed->slow, true);
	size_t nr = files->counts.readings.nr;

	for (size_t i = 0; i < regions->nr; i++) {
		if (is_slow(&regions->v[i], slow))
			td_region_add_calls(slow, &regions->v[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		int of = files->counts.readings.v[i].region;

		if (is_slow(&regions->v[of - 1], slow))
			add_slow_reading(files, i, 1 + (int)(slow - regions->v));
	}
}

static void find_slow(struct td_region_files *files)
{
	struct td_regions *regions = &files->regions;

	for (size_t t = 0; t < regions->nr_timed; t++) {
		uint64_t calls[TD_REGION_BUCKETS] = { 0 };

		for (size_t i = 0; i < regions->nr; i++) {
			const struct td_region *region = &regions->v[i];

			if (region->timed == 1 + (int)t)
				calls[region->bucket] = region->calls.counted;
		}
		td_timed_choose(&regions->timed[t], calls);
		if (regions->timed[t].slow)
			add_slow(files, &regions->timed[t]);
	}
}

/* Move the row outside of all regions, each thread's first one, to the end of tables. */
static void put_outside_last(struct td_region_files *files)
{
	struct td_regions *regions = &files->regions;
	int at = 0, nr = (int)regions->nr;

	while (at < nr && !regions->v[at].outside)
		at++;
	if (at == nr)
		return;
	for (size_t i = 0; i < files->counts.readings.nr; i++) {
		int *region = &files->counts.readings.v[i].region;

		if (*region > at)
			*region = *region == at + 1 ? nr : *region - 1;
	}
	td_regions_move_last(regions, (size_t)at);
}

void td_region_files_end(struct td_region_files *files)
{
	find_slow(files);
	put_outside_last(files);
	td_batched_end(&files->counts);
}

int td_region_files_read(struct td_region_files *files, const char *prefix, struct td_err *err)
{
	td_autofree char *one = td_strdup(prefix), *other = td_strdup(prefix);

	if (read_directory(files, dirname(one), basename(other), err))
		return err->code;
	td_region_files_end(files);
	return 0;
}

void td_region_files_free(struct td_region_files *files)
{
	td_regions_free(&files->regions);
	td_batched_free(&files->counts);
	*files = (struct td_region_files){ 0 };
}
