// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/regular_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"

static int open_again(int place)
{
	char link[40];
	struct stat st;
	int fd;

	if (fstat(place, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int td_regular_open(const struct td_sysfs *fs, const char *path)
{
	/* O_PATH finds it without opening it */
	int place, fd;

	if (*path != '/' && fs->proc < 0)
		return -ENOENT;
	place = openat(*path == '/' ? AT_FDCWD : fs->proc, path,
		       O_PATH | O_CLOEXEC);
	if (place < 0)
		return -errno;
	fd = open_again(place);
	close(place);
	return fd;
}

char *td_regular_path(int pid, const char *path)
{
	char *text;
	int rc;

	if (pid > 0)
		rc = asprintf(&text, "%d/root%s%s", pid,
			      *path == '/' ? "" : "/", path);
	else
		rc = asprintf(&text, "%s", path);
	return rc < 0 ? NULL : text;
}
