// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/target.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/parse.h"
#include "lib/base/util.h"

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

/* Not to be seen in proc, it is gone, or proc is not there. */
static int gone(const struct td_sysfs *fs, const char *what, int tid,
		struct td_err *err)
{
	if (kill(tid, 0) && errno != EPERM)
		return td_err_set(err, -ESRCH, "%s %d: there is none", what,
				  tid);
	td_err_set(err, -ENOENT, "%s/%d: %s", fs->proc_path, tid,
		   strerror(ENOENT));
	return td_err_hint(err, "is proc mounted on %s?", fs->proc_path);
}

/* -ESRCH: it has ended */
static int add_threads(const struct td_sysfs *fs, int pid, struct td_ints *tids)
{
	struct td_names names;
	char path[64];
	int tid, rc;

	snprintf(path, sizeof(path), "%d/task", pid);
	rc = td_sysfs_list(fs->proc, path, &names);
	if (rc != -ENOMEM && (rc || names.nr == 0))
		rc = -ESRCH;
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (td_parse_int(names.v[i], 1, INT_MAX, &tid) == 0)
			rc = td_ints_add(tids, tid);
	}
	td_names_free(&names);
	return rc;
}

static int add_everyone(const struct td_sysfs *fs, struct td_ints *tids,
			struct td_err *err)
{
	struct td_names names;
	int pid, rc = td_sysfs_list(fs->proc, ".", &names);

	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (td_parse_int(names.v[i], 1, INT_MAX, &pid) == 0 &&
		    add_threads(fs, pid, tids) == -ENOMEM)
			rc = -ENOMEM;
	}
	td_names_free(&names);
	return rc == -ENOMEM ? td_err_nomem(err)
	       : rc          ? td_err_set(err, rc, "%s: %s", fs->proc_path,
					  strerror(-rc))
			     : 0;
}

static int add_tid(const struct td_sysfs *fs, int tid, struct td_ints *tids,
		   struct td_err *err)
{
	char path[32];

	snprintf(path, sizeof(path), "%d", tid);
	if (faccessat(fs->proc, path, F_OK, 0))
		return gone(fs, "thread", tid, err);
	return td_ints_add(tids, tid) ? td_err_nomem(err) : 0;
}

int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs,
			 const struct td_opts *opts, struct td_err *err)
{
	int rc = 0;

	if (td_target_is_everyone(opts)) {
		td_ints_free(&target->tids);
		return add_everyone(fs, &target->tids, err);
	}
	if (!td_opts_attaches(opts))
		return 0;
	td_ints_free(&target->tids);
	for (size_t i = 0; i < opts->pids.nr; i++) {
		rc = add_threads(fs, opts->pids.v[i], &target->tids);
		if (rc)
			return rc == -ENOMEM ? td_err_nomem(err)
					     : gone(fs, "process",
						    opts->pids.v[i], err);
	}
	for (size_t i = 0; !rc && i < opts->tids.nr; i++)
		rc = add_tid(fs, opts->tids.v[i], &target->tids, err);
	return rc;
}

/* In proc(5)'s stat: PF_EXITING of include/linux/sched.h, of zombies, too. */
#define EXITING 0x4

/* Field 9 is the flags; 2 is a name in parentheses, of whatever bytes. */
static bool is_alive(const struct td_sysfs *fs, int tid)
{
	unsigned int flags;
	char path[32], text[512];
	const char *name_end;

	snprintf(path, sizeof(path), "%d/stat", tid);
	if (td_sysfs_read_at(fs->proc, path, text, sizeof(text)) < 0)
		return false;
	name_end = strrchr(text, ')');
	return name_end &&
	       sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       !(flags & EXITING);
}

static int check_process(const struct td_sysfs *fs, int pid, struct td_err *err)
{
	struct td_ints tids = { 0 };
	int rc = add_threads(fs, pid, &tids);
	bool alive = false;

	for (size_t i = 0; i < tids.nr; i++)
		alive = alive || is_alive(fs, tids.v[i]);
	td_ints_free(&tids);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	return alive ? 0 : td_err_set(err, -ESRCH, "process %d has ended", pid);
}

int td_target_check_alive(const struct td_sysfs *fs, const struct td_opts *opts,
			  struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < opts->pids.nr; i++)
		rc = check_process(fs, opts->pids.v[i], err);
	for (size_t i = 0; !rc && i < opts->tids.nr; i++) {
		if (!is_alive(fs, opts->tids.v[i]))
			rc = td_err_set(err, -ESRCH, "thread %d has ended",
					opts->tids.v[i]);
	}
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
