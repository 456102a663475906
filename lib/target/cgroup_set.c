// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups that were found: they may be removed, and made anew with the same name. */
#include "lib/target/cgroup_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"

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

size_t td_cgroups_find(const struct td_cgroups *cgroups, const char *name)
{
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(&cgroups->index, hash, &step);
	} while (at != TD_NOT_FOUND && strcmp(cgroups->names[at], name) != 0);
	return at == TD_NOT_FOUND ? cgroups->nr : at;
}

void td_cgroups_free(struct td_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->nr; i++) {
		free(cgroups->names[i]);
		td_close_fd(&cgroups->fds[i]);
	}
	if (cgroups->root)
		td_close_fd(&cgroups->root);
	free(cgroups->gone);
	free(cgroups->names);
	free(cgroups->fds);
	td_index_free(&cgroups->index);
	*cgroups = (struct td_cgroups){ 0 };
}
