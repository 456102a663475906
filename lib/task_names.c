// SPDX-License-Identifier: GPL-2.0-only
#include "lib/task_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

/* Where tid is, or belongs. */
static size_t place_of(const struct td_task_names *names, int tid)
{
	size_t low = 0, high = names->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->v[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_there(const struct td_task_names *names, size_t place, int tid)
{
	return place < names->nr && names->v[place].tid == tid;
}

/* Opens a gap for a tid that is not there. */
static int insert(struct td_task_names *names, size_t place, int tid)
{
	if (!td_array_add(&names->v, names->nr, sizeof(*names->v)))
		return -ENOMEM;
	memmove(&names->v[place + 1], &names->v[place],
		(names->nr - place) * sizeof(*names->v));
	names->v[place] = (struct td_task_name){ .tid = tid };
	names->nr++;
	return 0;
}

/* Takes the name over. */
static void rename_to(struct td_task_name *task, char *name)
{
	free(task->name);
	task->name = name;
	task->told = false;
}

int td_task_names_set(struct td_task_names *names, int tid, const char *name)
{
	size_t place = place_of(names, tid);
	char *copy;

	if (is_there(names, place, tid))
		names->v[place].ended = false;
	if (is_there(names, place, tid) && names->v[place].name &&
	    strcmp(names->v[place].name, name) == 0)
		return 0;
	if (!is_there(names, place, tid) && insert(names, place, tid))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	rename_to(&names->v[place], copy);
	return 0;
}

int td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs,
		       int tid)
{
	char path[40], name[64];

	snprintf(path, sizeof(path), "%d/comm", tid);
	if (td_sysfs_read_at(fs->proc, path, name, sizeof(name)) < 0)
		return 0;
	return td_task_names_set(names, tid, name);
}

const char *td_task_names_find(const struct td_task_names *names, int tid)
{
	size_t place = place_of(names, tid);

	return is_there(names, place, tid) ? names->v[place].name : NULL;
}

const struct td_task_name *td_task_names_next(struct td_task_names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		if (names->v[i].told)
			continue;
		names->v[i].told = true;
		return &names->v[i];
	}
	return NULL;
}

void td_task_names_end(struct td_task_names *names, int tid)
{
	size_t place = place_of(names, tid);

	if (is_there(names, place, tid))
		names->v[place].ended = true;
}

void td_task_names_forget_ended(struct td_task_names *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->nr; i++) {
		if (names->v[i].ended)
			free(names->v[i].name);
		else
			names->v[kept++] = names->v[i];
	}
	names->nr = kept;
}

void td_task_names_free(struct td_task_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->v[i].name);
	free(names->v);
	*names = (struct td_task_names){ 0 };
}
