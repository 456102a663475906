// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

int td_target_make(struct td_target *target, const struct td_opts *opts,
		   struct td_err *err)
{
	bool tasks = opts->pids.nr || opts->command;

	*target = (struct td_target){
		.system_wide = opts->all_cpus || opts->has_cpus || !tasks,
		.has_cpus = opts->has_cpus,
	};
	target->inherit = !target->system_wide;
	target->enable_on_exec = !target->system_wide && !opts->pids.nr;
	if (td_ints_copy(&target->cpus, &opts->cpus))
		return td_err_nomem(err);
	return 0;
}

static int gone(int pid, struct td_err *err)
{
	td_err_set(err, -ESRCH, "process %d: there is none", pid);
	return err->code;
}

int td_target_threads(const struct td_sysfs *fs, const struct td_ints *pids,
		      struct td_ints *tids, struct td_err *err)
{
	char path[64];

	td_ints_free(tids);
	for (size_t i = 0; i < pids->nr; i++) {
		struct td_names names;
		int tid, rc;

		snprintf(path, sizeof(path), "%d/task", pids->v[i]);
		rc = td_sysfs_list(fs->proc, path, &names);
		if (rc || names.nr == 0) {
			td_names_free(&names);
			return rc == -ENOMEM ? td_err_nomem(err)
					     : gone(pids->v[i], err);
		}
		for (size_t j = 0; !rc && j < names.nr; j++) {
			if (td_parse_int(names.v[j], 1, INT_MAX, &tid) == 0)
				rc = td_ints_add(tids, tid);
		}
		td_names_free(&names);
		if (rc)
			return td_err_nomem(err);
	}
	return 0;
}

void td_target_free(struct td_target *target)
{
	td_ints_free(&target->cpus);
	td_ints_free(&target->tids);
}

/* A word of the command; what is not text reaches no terminal and no JSON. */
static void put_word(FILE *fp, const char *word)
{
	const unsigned char *s = (const unsigned char *)word;

	while (*s) {
		int len = *s < 0x20 || *s == 0x7f ? 0 : td_utf8_length(s);

		if (len)
			fwrite(s, 1, (size_t)len, fp);
		else
			fprintf(fp, "\\x%02x", *s);
		s += len ? len : 1;
	}
}

static void describe(FILE *fp, const struct td_opts *opts)
{
	td_autofree char *list = NULL;

	if (opts->pids.nr) {
		list = td_ints_format(&opts->pids);
		fprintf(fp, "process id %s", list ? list : "");
	} else if (opts->has_cpus) {
		list = td_ints_format(&opts->cpus);
		fprintf(fp, "CPU(s) %s", list ? list : "");
	} else if (opts->all_cpus || !opts->command) {
		fputs("system wide", fp);
	} else {
		for (char **word = opts->command; *word; word++) {
			fputs(word == opts->command ? "" : " ", fp);
			put_word(fp, *word);
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
