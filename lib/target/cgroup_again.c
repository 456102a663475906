// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups that are removed, and made anew with the same name. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/target/cgroup.h"

static bool same_folder(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int td_cgroup_look(const struct td_cgroups *cgroups, size_t index)
{
	const char *name = cgroups->names[index];
	struct stat open_one, there;
	int fd, rc = 0;

	if (!name || fstat(cgroups->fds[index], &open_one))
		return 0;
	name = strcmp(name, "/") == 0 ? "." : name;
	if (fstatat(cgroups->root, name, &there, 0))
		return -errno;
	if (same_folder(&open_one, &there))
		return 0;
	fd = openat(cgroups->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (dup3(fd, cgroups->fds[index], O_CLOEXEC) < 0)
		rc = -errno;
	td_close_fd(&fd);
	return rc ? rc : 1;
}

bool td_cgroup_set_gone(struct td_cgroups *cgroups, size_t index, bool gone)
{
	if (cgroups->gone[index] == gone)
		return false;
	cgroups->gone[index] = gone;
	cgroups->nr_gone += gone ? 1 : (size_t)-1;
	return true;
}
