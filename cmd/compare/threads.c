// SPDX-License-Identifier: GPL-2.0-only
/* Joins the threads of one name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare/compare.h"
#include "lib/base/util.h"

static const struct td_thread_first *find(const struct td_threads *threads,
					  const char *name)
{
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(&threads->index, hash, &step);
	} while (at != TD_NOT_FOUND && strcmp(threads->v[at].name, name) != 0);
	return at == TD_NOT_FOUND ? NULL : &threads->v[at];
}

static const struct td_thread_first *add(struct td_threads *threads,
					 const char *name,
					 const struct td_reading *reading)
{
	struct td_thread_first *first =
		td_array_add(&threads->v, threads->nr, sizeof(*first));

	if (!first ||
	    td_index_add(&threads->index, td_hash_text(name), threads->nr))
		return NULL;
	*first = (struct td_thread_first){ strdup(name), reading->tid,
					   reading->life };
	if (!first->name)
		return NULL;
	threads->nr++;
	return first;
}

int td_threads_join(struct td_threads *threads,
		    const struct td_task_names *names,
		    struct td_readings *readings)
{
	for (size_t i = 0; i < readings->nr; i++) {
		struct td_reading *reading = &readings->v[i];
		const struct td_thread_first *first;
		const char *name;

		if (reading->tid < 0)
			continue;
		name = td_task_names_find_life(names, reading->tid,
					       reading->life);
		/* without a name, each is another thread */
		if (!name)
			continue;
		first = find(threads, name);
		if (!first)
			first = add(threads, name, reading);
		if (!first)
			return -ENOMEM;
		reading->tid = first->tid;
		reading->life = first->life;
	}
	return 0;
}

void td_threads_free(struct td_threads *threads)
{
	for (size_t i = 0; i < threads->nr; i++)
		free(threads->v[i].name);
	free(threads->v);
	td_index_free(&threads->index);
	*threads = (struct td_threads){ 0 };
}
