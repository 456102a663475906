// SPDX-License-Identifier: GPL-2.0-only
/* The tasks of a target. */
#include "lib/target/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
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

/* perf stat's words, in print_header() of tools/perf/util/stat-display.c */
static const char *const words[] = {
	[TD_TARGET_COMMAND] = "",
	[TD_TARGET_SYSTEM] = "system wide",
	[TD_TARGET_CPUS] = "CPU(s) ",
	[TD_TARGET_PROCESSES] = "process id ",
	[TD_TARGET_THREADS] = "thread id ",
	[TD_TARGET_FILE] = "",
};

const char *td_target_words(enum td_target_kind kind)
{
	return words[kind];
}

char *td_target_name_format(const struct td_target_name *name)
{
	char *text;

	if (asprintf(&text, "%s%s", words[name->kind],
		     name->text ? name->text : "") < 0)
		return NULL;
	return text;
}

static bool is_kind(enum td_target_kind kind, const char *text)
{
	size_t len = strlen(words[kind]);

	if (!len || strncmp(text, words[kind], len) != 0)
		return false;
	return kind != TD_TARGET_SYSTEM || !text[len];
}

int td_target_name_parse(struct td_target_name *name, const char *text)
{
	enum td_target_kind kind = TD_TARGET_COMMAND;

	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		if (is_kind((enum td_target_kind)i, text))
			kind = (enum td_target_kind)i;
	}
	name->kind = kind;
	name->text = strdup(text + strlen(words[kind]));
	return name->text ? 0 : -ENOMEM;
}
