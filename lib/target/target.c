// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/target/cgroup.h"
#include "lib/target/tasks.h"

/* --- what is asked for ------------------------------------------------------- */

bool td_target_attaches(const struct td_target_ask *ask)
{
	return ask->pids.nr || ask->tids.nr;
}

bool td_target_has_cgroups(const struct td_target_ask *ask)
{
	return ask->cgroups || ask->each_cgroup;
}

bool td_target_is_wide(const struct td_target_ask *ask)
{
	return !td_target_attaches(ask) &&
	       (ask->all_cpus || ask->has_cpus || !ask->command);
}

static enum td_target_kind kind_of(const struct td_target_ask *ask)
{
	if (ask->pids.nr)
		return TD_TARGET_PROCESSES;
	if (ask->tids.nr)
		return TD_TARGET_THREADS;
	if (ask->has_cpus)
		return TD_TARGET_CPUS;
	return ask->all_cpus || !ask->command ? TD_TARGET_SYSTEM
					      : TD_TARGET_COMMAND;
}

/* To be freed; NULL if memory ran out. */
static char *join(char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	for (char *const *word = words; *word; word++) {
		fputs(word == words ? "" : " ", fp);
		fputs(*word, fp);
	}
	td_text_close(fp, &text);
	return text;
}

static int make_name(struct td_target_name *name,
		     const struct td_target_ask *ask)
{
	name->kind = kind_of(ask);
	switch (name->kind) {
	case TD_TARGET_PROCESSES:
		name->text = td_ints_format(&ask->pids);
		break;
	case TD_TARGET_THREADS:
		name->text = td_ints_format(&ask->tids);
		break;
	case TD_TARGET_CPUS:
		name->text = td_ints_format(&ask->cpus);
		break;
	case TD_TARGET_COMMAND:
		name->text = join(ask->command);
		break;
	case TD_TARGET_SYSTEM:
	case TD_TARGET_FILE:
		name->text = strdup("");
		break;
	}
	return name->text ? 0 : -ENOMEM;
}

int td_target_make(struct td_target *target, const struct td_target_ask *ask,
		   bool per_thread, struct td_err *err)
{
	bool wide = td_target_is_wide(ask), system_wide = wide && !per_thread;
	bool all_tasks = wide && per_thread && (ask->all_cpus || !ask->command);

	*target = (struct td_target){
		.system_wide = system_wide,
		.has_cpus = ask->has_cpus,
		.per_thread = per_thread,
		.all_tasks = all_tasks,
		.inherit = !system_wide && !ask->no_inherit && !per_thread,
		.enable_on_exec =
			!system_wide && !all_tasks && !td_target_attaches(ask),
		.all_user = ask->all_user,
		.all_kernel = ask->all_kernel,
	};
	if (make_name(&target->name, ask) ||
	    td_ints_copy(&target->cpus, &ask->cpus) ||
	    td_ints_copy(&target->pids, &ask->pids) ||
	    td_ints_copy(&target->threads, &ask->tids))
		return td_err_nomem(err);
	return 0;
}

int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_target_ask *ask,
			   struct td_notes *notes, struct td_err *err)
{
	td_autofree char *root = NULL;
	int rc;

	if (!td_target_has_cgroups(ask))
		return 0;
	rc = td_cgroup_root(fs, &root, err);
	if (rc)
		return rc;
	target->each_cgroup = ask->each_cgroup != NULL;
	rc = ask->each_cgroup ? td_cgroups_match(&target->cgroups, root,
						 ask->each_cgroup, notes, err)
			      : td_cgroups_name(&target->cgroups, root,
						ask->cgroups, err);
	for (size_t i = 0; !rc && i < target->cgroups.nr; i++)
		td_container_look(&target->cgroups, i, fs);
	return rc;
}

/* --- its tasks --------------------------------------------------------------- */

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

bool td_target_leave_out_ended(struct td_target *target,
			       const struct td_sysfs *fs)
{
	struct td_ints *tids = &target->tids;
	size_t nr = 0, before = tids->nr;
	struct td_err unused = { 0 };

	if (td_target_check_alive(target, fs, &unused))
		return false;
	for (size_t i = 0; i < before; i++) {
		if (td_tasks_is_alive(fs, tids->v[i]))
			tids->v[nr++] = tids->v[i];
	}
	tids->nr = nr;
	return nr && nr < before;
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
