// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* Does --per-thread mean all tasks of the machine? */
static bool wants_all_tasks(const struct td_opts *opts)
{
	return td_opts_aggregation(opts) == TD_AGGREGATE_THREAD &&
	       !td_opts_attaches(opts) && (opts->all_cpus || !opts->command);
}

static enum td_target_kind kind_of(const struct td_opts *opts)
{
	if (opts->pids.nr)
		return TD_TARGET_PROCESSES;
	if (opts->tids.nr)
		return TD_TARGET_THREADS;
	if (opts->has_cpus)
		return TD_TARGET_CPUS;
	return opts->all_cpus || !opts->command ? TD_TARGET_SYSTEM
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

static int make_name(struct td_target_name *name, const struct td_opts *opts)
{
	name->kind = kind_of(opts);
	switch (name->kind) {
	case TD_TARGET_PROCESSES:
		name->text = td_ints_format(&opts->pids);
		break;
	case TD_TARGET_THREADS:
		name->text = td_ints_format(&opts->tids);
		break;
	case TD_TARGET_CPUS:
		name->text = td_ints_format(&opts->cpus);
		break;
	case TD_TARGET_COMMAND:
		name->text = join(opts->command);
		break;
	case TD_TARGET_SYSTEM:
	case TD_TARGET_FILE:
		name->text = strdup("");
		break;
	}
	return name->text ? 0 : -ENOMEM;
}

int td_target_make(struct td_target *target, const struct td_opts *opts,
		   struct td_err *err)
{
	bool per_thread = td_opts_aggregation(opts) == TD_AGGREGATE_THREAD;
	bool system_wide = td_opts_system_wide(opts);

	*target = (struct td_target){
		.system_wide = system_wide,
		.has_cpus = opts->has_cpus,
		.per_thread = per_thread,
		.all_tasks = wants_all_tasks(opts),
		.inherit = !system_wide && !opts->no_inherit && !per_thread,
		.enable_on_exec = !system_wide && !td_opts_attaches(opts) &&
				  !wants_all_tasks(opts) &&
				  !opts->when.delay_ms,
		.all_user = opts->all_user,
		.all_kernel = opts->all_kernel,
	};
	if (make_name(&target->name, opts) ||
	    td_ints_copy(&target->cpus, &opts->cpus) ||
	    td_ints_copy(&target->pids, &opts->pids) ||
	    td_ints_copy(&target->threads, &opts->tids))
		return td_err_nomem(err);
	return 0;
}

int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_opts *opts, struct td_notes *notes,
			   struct td_err *err)
{
	td_autofree char *root = NULL;
	int rc;

	if (!opts->cgroups && !opts->each_cgroup)
		return 0;
	rc = td_cgroup_root(fs, &root, err);
	if (rc)
		return rc;
	target->each_cgroup = opts->each_cgroup != NULL;
	return opts->each_cgroup
		       ? td_cgroups_match(&target->cgroups, root,
					  opts->each_cgroup, notes, err)
		       : td_cgroups_name(&target->cgroups, root, opts->cgroups,
					 err);
}
