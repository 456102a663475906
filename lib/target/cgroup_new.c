// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups that come after the start. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/target/cgroup.h"

int td_cgroup_news_look(struct td_cgroup_news *news, const struct td_sysfs *fs,
			const char *list)
{
	struct td_notes notes = { 0 };
	struct td_err err = { 0 };
	char *root;
	int rc;

	td_cgroup_news_free(news);
	rc = td_cgroup_root(fs, &root, &err);
	if (rc)
		return rc;
	/* what cannot be opened was said at the start, or will be another time */
	rc = td_cgroups_match(&news->found, root, list, &notes, &err);
	td_notes_free(&notes);
	free(root);
	return rc;
}

static size_t find_gone(const struct td_cgroups *cgroups)
{
	size_t at = 0;

	while (at < cgroups->nr && !cgroups->gone[at])
		at++;
	return at;
}

/* cannot fail to find room: there was as much before */
static int index_again(struct td_cgroups *cgroups)
{
	int rc = 0;

	td_index_clear(&cgroups->index);
	for (size_t i = 0; !rc && i < cgroups->nr; i++)
		rc = td_index_add(&cgroups->index,
				  td_hash_text(cgroups->names[i]), i);
	return rc;
}

static int replace(struct td_cgroups *cgroups, size_t at, char **name, int fd)
{
	char *before = cgroups->names[at];

	if (dup3(fd, cgroups->fds[at], O_CLOEXEC) < 0)
		return -errno;
	cgroups->names[at] = *name;
	*name = before;
	return index_again(cgroups);
}

static int append(struct td_cgroups *cgroups, char **name, int *fd)
{
	if (td_cgroups_add(cgroups, *name, *fd))
		return -ENOMEM;
	td_cgroup_set_gone(cgroups, cgroups->nr - 1, true);
	*name = NULL;
	*fd = -1;
	return 0;
}

/* The names stay. */
static void close_found(struct td_cgroups *found)
{
	for (size_t i = 0; i < found->nr; i++)
		td_close_fd(&found->fds[i]);
	if (found->root)
		td_close_fd(&found->root);
	found->root = 0;
}

int td_cgroup_news_take(struct td_cgroup_news *news, struct td_cgroups *cgroups,
			size_t *index)
{
	struct td_cgroups *found = &news->found;

	for (; news->next < found->nr; news->next++) {
		char **name = &found->names[news->next];
		int *fd = &found->fds[news->next];

		if (td_cgroups_find(cgroups, *name) < cgroups->nr)
			continue;
		news->next++;
		*index = find_gone(cgroups);
		return *index < cgroups->nr
			       ? replace(cgroups, *index, name, *fd)
			       : append(cgroups, name, fd);
	}
	close_found(found);
	return 1;
}

void td_cgroups_drop_last(struct td_cgroups *cgroups)
{
	size_t last = cgroups->nr - 1;

	td_cgroup_set_gone(cgroups, last, false);
	free(cgroups->names[last]);
	free(cgroups->containers[last]);
	td_close_fd(&cgroups->fds[last]);
	cgroups->nr = last;
	index_again(cgroups);
}

void td_cgroup_news_free(struct td_cgroup_news *news)
{
	td_cgroups_free(&news->found);
	*news = (struct td_cgroup_news){ 0 };
}
