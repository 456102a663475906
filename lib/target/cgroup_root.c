// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/target/cgroup.h"

/*
 * The first version 1 mount ends the search; a later one of version 2 wins over
 * an earlier one.
 */
static int find_root(FILE *mounts, char **root)
{
	char line[4 * PATH_MAX];
	struct mntent mount;
	bool v1 = false;

	while (!v1 && getmntent_r(mounts, &mount, line, sizeof(line))) {
		v1 = strcmp(mount.mnt_type, "cgroup") == 0 &&
		     hasmntopt(&mount, "perf_event");
		if (!v1 && strcmp(mount.mnt_type, "cgroup2") != 0)
			continue;
		free(*root);
		*root = strdup(mount.mnt_dir);
		if (!*root)
			return -ENOMEM;
	}
	return ferror(mounts) ? -errno : 0;
}

static int read_mounts(int proc, char **root)
{
	int fd = proc < 0 ? -1
			  : openat(proc, "self/mounts",
				   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *mounts;
	int rc;

	if (fd < 0)
		return proc < 0 ? -ENOENT : -errno;
	mounts = fdopen(fd, "r");
	if (!mounts) {
		close(fd);
		return -ENOMEM;
	}
	rc = find_root(mounts, root);
	fclose(mounts);
	return rc;
}

int td_cgroup_root(const struct td_sysfs *fs, char **root, struct td_err *err)
{
	int rc;

	*root = NULL;
	rc = read_mounts(fs->proc, root);
	if (rc == 0 && *root)
		return 0;
	free(*root);
	*root = NULL;
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc)
		td_err_set(err, rc, "%s/self/mounts: %s", fs->proc_path,
			   strerror(-rc));
	else
		td_err_set(err, -ENOENT, "no cgroup file system is mounted");
	return td_err_hint(err, "try 'mount -t cgroup2 none /sys/fs/cgroup'");
}
