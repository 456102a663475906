// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/target.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/target/tasks.h"

bool td_target_is_everyone(const struct td_opts *opts)
{
	return td_opts_aggregation(opts) == TD_AGGREGATE_THREAD &&
	       !td_opts_attaches(opts) && (opts->all_cpus || !opts->command);
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
		.inherit = !system_wide && !opts->no_inherit && !per_thread,
		.enable_on_exec = !system_wide && !td_opts_attaches(opts) &&
				  !td_target_is_everyone(opts) &&
				  !opts->delay_ms,
		.all_user = opts->all_user,
		.all_kernel = opts->all_kernel,
	};
	if (td_ints_copy(&target->cpus, &opts->cpus))
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

int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs,
			 const struct td_opts *opts, struct td_err *err)
{
	int rc = 0;

	if (td_target_is_everyone(opts)) {
		td_ints_free(&target->tids);
		return td_tasks_add_all(fs, &target->tids, err);
	}
	if (!td_opts_attaches(opts))
		return 0;
	td_ints_free(&target->tids);
	for (size_t i = 0; !rc && i < opts->pids.nr; i++)
		rc = td_tasks_add_process(fs, opts->pids.v[i], &target->tids,
					  err);
	for (size_t i = 0; !rc && i < opts->tids.nr; i++)
		rc = td_tasks_add_thread(fs, opts->tids.v[i], &target->tids,
					 err);
	return rc;
}

int td_target_check_alive(const struct td_sysfs *fs, const struct td_opts *opts,
			  struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < opts->pids.nr; i++)
		rc = td_tasks_check_process(fs, opts->pids.v[i], err);
	for (size_t i = 0; !rc && i < opts->tids.nr; i++)
		rc = td_tasks_check_thread(fs, opts->tids.v[i], err);
	return rc;
}

void td_target_free(struct td_target *target)
{
	td_ints_free(&target->cpus);
	td_ints_free(&target->tids);
	td_cgroups_free(&target->cgroups);
}

static void describe(FILE *fp, const struct td_opts *opts)
{
	td_autofree char *list = NULL;

	if (opts->pids.nr) {
		list = td_ints_format(&opts->pids);
		fprintf(fp, "process id %s", list ? list : "");
	} else if (opts->tids.nr) {
		list = td_ints_format(&opts->tids);
		fprintf(fp, "thread id %s", list ? list : "");
	} else if (opts->has_cpus) {
		list = td_ints_format(&opts->cpus);
		fprintf(fp, "CPU(s) %s", list ? list : "");
	} else if (opts->all_cpus || !opts->command) {
		fputs("system wide", fp);
	} else {
		for (char **word = opts->command; *word; word++) {
			fputs(word == opts->command ? "" : " ", fp);
			fputs(*word, fp);
		}
	}
}

char *td_target_describe(const struct td_opts *opts)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	describe(fp, opts);
	if (fclose(fp)) {
		free(text);
		return NULL;
	}
	return text;
}
