// SPDX-License-Identifier: GPL-2.0-only
/* The tasks of a target. */
#include "lib/target/target.h"

#include <stdlib.h>

#include "lib/target/tasks.h"

/* Does it attach to tasks that run already? */
static bool attaches(const struct td_target *target)
{
	return target->pids.nr || target->threads.nr;
}

int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs,
			 struct td_err *err)
{
	int rc = 0;

	if (!target->all_tasks && !attaches(target))
		return 0;
	td_ints_free(&target->tids);
	target->since = td_tasks_now();
	if (target->all_tasks)
		return td_tasks_add_all(fs, &target->tids, err);
	for (size_t i = 0; !rc && i < target->pids.nr; i++)
		rc = td_tasks_add_process(fs, target->pids.v[i], &target->tids,
					  err);
	for (size_t i = 0; !rc && i < target->threads.nr; i++)
		rc = td_tasks_add_thread(fs, target->threads.v[i],
					 &target->tids, err);
	return rc;
}

int td_target_list_running(const struct td_target *target,
			   const struct td_sysfs *fs, struct td_ints *tids,
			   struct td_err *err)
{
	const struct td_ints *roots =
		attaches(target) ? &target->pids : &target->tids;
	struct td_err ended;
	int rc = 0;

	if (target->system_wide)
		return 0;
	for (size_t i = 0; !rc && i < roots->nr; i++)
		rc = td_tasks_add_family(fs, roots->v[i], target->since, tids,
					 err);
	for (size_t i = 0; !rc && i < target->threads.nr; i++) {
		if (!td_tasks_check_thread(fs, target->threads.v[i], &ended) &&
		    td_ints_add(tids, target->threads.v[i]))
			rc = td_err_nomem(err);
	}
	return rc;
}

int td_target_check_alive(const struct td_target *target,
			  const struct td_sysfs *fs, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < target->pids.nr; i++)
		rc = td_tasks_check_process(fs, target->pids.v[i], err);
	for (size_t i = 0; !rc && i < target->threads.nr; i++)
		rc = td_tasks_check_thread(fs, target->threads.v[i], err);
	return rc;
}

void td_target_free(struct td_target *target)
{
	free(target->name.text);
	td_ints_free(&target->cpus);
	td_ints_free(&target->pids);
	td_ints_free(&target->threads);
	td_ints_free(&target->tids);
	td_cgroups_free(&target->cgroups);
	*target = (struct td_target){ 0 };
}
