// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "lib/base/number.h"
#include "lib/base/util.h"

/* Opens a directory.  If it is missing, sets *fd to -1, so that no file is found in it. */
static int open_root(const char *path, int *fd, struct td_err *err)
{
	*fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 && errno != ENOENT)
		return td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

static int open_below(int dir, const char *path, int flags)
{
	if (dir == -1) {
		errno = ENOENT;
		return -1;
	}
	return openat(dir, path, flags | O_CLOEXEC);
}

int td_sysfs_open(struct td_sysfs *fs, const char *sys_path, const char *proc_path,
		  struct td_err *err)
{
	*fs = (struct td_sysfs){ -1, -1, sys_path, proc_path };
	if (open_root(sys_path, &fs->sys, err))
		return err->code;
	if (open_root(proc_path, &fs->proc, err)) {
		td_sysfs_close(fs);
		return err->code;
	}
	return 0;
}

void td_sysfs_close(struct td_sysfs *fs)
{
	if (fs->sys >= 0)
		close(fs->sys);
	if (fs->proc >= 0)
		close(fs->proc);
	fs->sys = fs->proc = -1;
}

/*
 * Did a read return exactly one line?  Then the file is complete, because the kernel returns as
 * many lines as fit.
 */
static bool is_line(const char *buf, size_t len)
{
	const char *end = memchr(buf, '\n', len);

	return end && end + 1 == buf + len;
}

/* Reads until the end of the file, a full buffer or an error. */
static ssize_t read_some(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t nr = read(fd, buf + len, size - len);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		len += (size_t)nr;
		if (nr == 0 || is_line(buf, len))
			break;
	}
	return (ssize_t)len;
}

/* Reads the bytes as they are and adds a NUL. */
static ssize_t read_bytes(int dir, const char *path, char *buf, size_t size)
{
	int fd = open_below(dir, path, O_RDONLY | O_NONBLOCK);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read_some(fd, buf, size - 1);
	close(fd);
	if (len >= 0)
		buf[len] = '\0';
	return len;
}

ssize_t td_sysfs_read_at(int dir, const char *path, char *buf, size_t size)
{
	ssize_t len = read_bytes(dir, path, buf, size);

	if (len < 0)
		return len;
	len = (ssize_t)strlen(buf);
	while (len > 0 && strchr(" \t\r\n", buf[len - 1]))
		buf[--len] = '\0';
	return len;
}

static int cannot_read(const char *root, const char *path, ssize_t rc, struct td_err *err)
{
	return td_err_set(err, (int)rc, "%s/%s: %s", root, path, strerror((int)-rc));
}

ssize_t td_sysfs_read(const struct td_sysfs *fs, const char *path, char *buf, size_t size,
		      struct td_err *err)
{
	ssize_t len = td_sysfs_read_at(fs->sys, path, buf, size);

	if (len < 0)
		cannot_read(fs->sys_path, path, len, err);
	return len;
}

ssize_t td_proc_read(const struct td_sysfs *fs, const char *path, char *buf, size_t size,
		     struct td_err *err)
{
	ssize_t len = td_sysfs_read_at(fs->proc, path, buf, size);

	if (len < 0)
		cannot_read(fs->proc_path, path, len, err);
	return len;
}

const char *td_proc_stat(const struct td_sysfs *fs, int tid, char *buf, size_t size)
{
	const char *name_end;
	char path[32];

	snprintf(path, sizeof(path), "%d/stat", tid);
	if (td_sysfs_read_at(fs->proc, path, buf, size) < 0)
		return NULL;
	/* the name may contain any byte, even ')' */
	name_end = strrchr(buf, ')');
	return name_end ? name_end + 1 : NULL;
}

int td_sysfs_read_list(const struct td_sysfs *fs, const char *path, int max, struct td_ints *out,
		       struct td_err *err)
{
	char text[4097];
	ssize_t len = read_bytes(fs->sys, path, text, sizeof(text));
	int rc = -EINVAL;

	*out = (struct td_ints){ 0 };
	if (len < 0)
		return cannot_read(fs->sys_path, path, len, err);
	if (len && (size_t)len < sizeof(text) - 1 && strlen(text) == (size_t)len)
		rc = td_ints_parse(text, max, out);
	text[strcspn(text, "\n")] = '\0';
	return rc ? td_err_set(err, -EINVAL, "%s/%s: not a CPU list: %.40s", fs->sys_path, path,
			       *text ? text : "empty")
		  : 0;
}

int td_sysfs_read_int(const struct td_sysfs *fs, const char *path, int *out, struct td_err *err)
{
	char text[32];
	ssize_t len = td_sysfs_read_at(fs->sys, path, text, sizeof(text));

	*out = -1;
	if (td_sysfs_is_none(len))
		return 0;
	if (len < 0)
		return cannot_read(fs->sys_path, path, len, err);
	if (strcmp(text, "-1") == 0 || td_parse_int(text, 0, INT_MAX, out) == 0)
		return 0;
	return td_err_set(err, -EINVAL, "%s/%s: not a number: %s", fs->sys_path, path,
			  *text ? text : "empty");
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

int td_sysfs_list(int dirfd, const char *path, struct td_names *names)
{
	int fd = open_below(dirfd, path, O_RDONLY | O_DIRECTORY);
	const struct dirent *entry;
	DIR *dir;
	int rc;

	*names = (struct td_names){ 0 };
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		td_memory_check();
		rc = -errno;
		close(fd);
		return rc;
	}
	while ((errno = 0, entry = readdir(dir))) {
		char *name;

		if (entry->d_name[0] == '.')
			continue;
		name = td_strdup(entry->d_name);
		td_array_push(&names->v, &names->nr, &name, sizeof(name));
	}
	rc = -errno;
	closedir(dir);
	if (rc)
		td_names_free(names);
	else if (names->nr)
		qsort(names->v, names->nr, sizeof(*names->v), by_name);
	return rc;
}

void td_names_free(struct td_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct td_names){ 0 };
}
