// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/regular_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/util.h"

#define CONFIGFS_MAGIC 0x62656570 /* fs/configfs/mount.c */

/* Filesystems whose files are made by the kernel while they are read. */
static const unsigned int made_up[] = {
	PROC_SUPER_MAGIC,    SYSFS_MAGIC,      DEBUGFS_MAGIC,
	TRACEFS_MAGIC,       SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,     SELINUX_MAGIC,
	SMACK_MAGIC,         PSTOREFS_MAGIC,   EFIVARFS_MAGIC,
	CONFIGFS_MAGIC,
};

static bool is_made_up(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(made_up); i++) {
		if ((unsigned int)fs.f_type == made_up[i])
			return true;
	}
	return false;
}

static int open_again(int place)
{
	char link[40];
	struct stat st;
	int fd;

	if (fstat(place, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || is_made_up(place))
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
