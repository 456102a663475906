// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

static uint64_t hash_task(int tid, int life)
{
	return td_hash((uint64_t)(uint32_t)tid << 32 | (uint32_t)life);
}

static struct td_task_name *find(const struct td_task_names *names, int tid, int life)
{
	size_t at = td_index_find(&names->index, hash_task(tid, life));

	return at == TD_NOT_FOUND ? NULL : &names->v[at];
}

static int life_of(const struct td_task_names *names, int tid)
{
	size_t life = td_index_find(&names->lives, td_hash((uint32_t)tid));

	return life == TD_NOT_FOUND ? 0 : (int)life;
}

int td_task_names_next_life(const struct td_task_names *names, int tid)
{
	size_t life = td_index_find(&names->lives, td_hash((uint32_t)tid));

	return life == TD_NOT_FOUND ? 0 : (int)life + 1;
}

void td_task_names_begin(struct td_task_names *names, int tid, int life)
{
	td_index_set(&names->lives, td_hash((uint32_t)tid), (size_t)life);
}

static struct td_task_name *add(struct td_task_names *names, int tid, int life)
{
	struct td_task_name *task = td_array_add(&names->v, names->nr, sizeof(*task));

	td_index_add(&names->index, hash_task(tid, life), names->nr);
	*task = (struct td_task_name){ .tid = tid, .life = life };
	names->nr++;
	return task;
}

void td_task_names_set(struct td_task_names *names, int tid, const char *name)
{
	int life = life_of(names, tid);
	struct td_task_name *task = find(names, tid, life);
	size_t at;

	if (task)
		task->ended = false;
	if (task && strcmp(task->name, name) == 0)
		return;
	if (!task) {
		td_task_names_begin(names, tid, life);
		task = add(names, tid, life);
	}
	free(task->name);
	task->name = td_strdup(name);
	task->returned = false;
	at = (size_t)(task - names->v);
	if (names->next > at)
		names->next = at;
}

void td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs, int tid)
{
	char path[40], name[64];

	snprintf(path, sizeof(path), "%d/comm", tid);
	if (td_sysfs_read_at(fs->proc, path, name, sizeof(name)) >= 0)
		td_task_names_set(names, tid, name);
}

const char *td_task_names_find(const struct td_task_names *names, int tid)
{
	return td_task_names_find_life(names, tid, life_of(names, tid));
}

const char *td_task_names_find_life(const struct td_task_names *names, int tid, int life)
{
	const struct td_task_name *task = find(names, tid, life);

	return task ? task->name : NULL;
}

const struct td_task_name *td_task_names_next(struct td_task_names *names)
{
	while (names->next < names->nr && names->v[names->next].returned)
		names->next++;
	if (names->next == names->nr)
		return NULL;
	names->v[names->next].returned = true;
	return &names->v[names->next++];
}

void td_task_names_rewind(struct td_task_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		names->v[i].returned = false;
	names->next = 0;
}

void td_task_names_end(struct td_task_names *names, int tid)
{
	struct td_task_name *task = find(names, tid, life_of(names, tid));

	if (task)
		task->ended = true;
}

void td_task_names_forget_ended(struct td_task_names *names)
{
	size_t kept = 0;

	td_index_clear(&names->index);
	for (size_t i = 0; i < names->nr; i++) {
		const struct td_task_name task = names->v[i];

		if (task.ended) {
			free(task.name);
			continue;
		}
		td_index_add(&names->index, hash_task(task.tid, task.life), kept);
		names->v[kept++] = task;
	}
	names->nr = kept;
	names->next = 0;
}

void td_task_names_free(struct td_task_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->v[i].name);
	free(names->v);
	td_index_free(&names->index);
	td_index_free(&names->lives);
	*names = (struct td_task_names){ 0 };
}
