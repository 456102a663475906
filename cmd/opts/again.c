// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/again.h"

#include <string.h>

#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "lib/base/shell.h"
#include "lib/base/util.h"

/* What is asked of the target is left out: levels, rows, formats, files. */
static const struct td_option_group *const kept[] = {
	&td_group_target,
	&td_group_cores,
	&td_group_files,
	&td_group_when,
	NULL,
};

/* The row of a kept option; NULL for others.  A result has no intervals. */
static const struct td_option *find_kept(const struct td_option *o)
{
	const struct td_option *found =
		o ? td_option_find(kept, o->name, strlen(o->name)) : NULL;

	return found && strncmp(found->name, "interval", 8) != 0 ? found : NULL;
}

static void put_option(FILE *fp, const struct td_option *o, const char *value)
{
	if (!find_kept(o))
		return;
	if (o->letter)
		fprintf(fp, " -%c", o->letter);
	else
		fprintf(fp, " --%s", o->name);
	if (!value)
		return;
	fputc(o->letter ? ' ' : '=', fp);
	td_put_shell_word(fp, value);
}

/* Both return true if next was used up as a value. */
static bool put_long(FILE *fp, const struct td_option_group *const *groups,
		     const char *name, const char *next)
{
	size_t len = strcspn(name, "=");
	const struct td_option *o = td_option_find(groups, name, len);
	const char *value = name[len] ? name + len + 1 : NULL;
	bool takes;

	if (!o)
		o = td_option_find_begin(groups, name, len);
	takes = o && o->arg && !o->optional && !value;
	put_option(fp, o, takes ? next : value);
	return takes;
}

static bool put_letters(FILE *fp, const struct td_option_group *const *groups,
			const char *letters, const char *next)
{
	for (; *letters; letters++) {
		const struct td_option *o =
			td_option_find_letter(groups, *letters);

		if (!o || !o->arg) {
			put_option(fp, o, NULL);
			continue;
		}
		put_option(fp, o, letters[1] ? letters + 1 : next);
		return !letters[1] && !o->optional;
	}
	return false;
}

void td_again_put_options(FILE *fp, const struct td_opts *opts)
{
	const struct td_option_group *const *groups = opts->chosen->groups;

	for (int i = 0; i < opts->nr_words; i++) {
		const char *word = opts->words[i];
		const char *next =
			i + 1 < opts->nr_words ? opts->words[i + 1] : NULL;

		if (strcmp(word, "--") == 0)
			break;
		if (word[0] != '-' || !word[1])
			continue;
		i += word[1] == '-' ? put_long(fp, groups, word + 2, next)
				    : put_letters(fp, groups, word + 1, next);
	}
}

void td_again_put_runs(FILE *fp, const struct td_opts *opts)
{
	if (opts->has_repeat)
		fprintf(fp, " -r %d", opts->repeat);
	if (opts->no_multiplex)
		fputs(" --no-multiplex", fp);
}

void td_again_put_command(FILE *fp, const struct td_opts *opts)
{
	if (!opts->command)
		return;
	fputs(" --", fp);
	for (char **word = opts->command; *word; word++) {
		fputc(' ', fp);
		td_put_shell_word(fp, *word);
	}
}

static void put_list(FILE *fp, const char *option, const struct td_ints *list)
{
	td_autofree char *text = list->nr ? td_ints_format(list) : NULL;

	if (text)
		fprintf(fp, " %s %s", option, text);
}

void td_again_put_perf(FILE *fp, const struct td_opts *opts)
{
	if (opts->all_user)
		fputs(" --all-user", fp);
	if (opts->all_kernel)
		fputs(" --all-kernel", fp);
	if (opts->no_inherit)
		fputs(" -i", fp);
	put_list(fp, "-p", &opts->pids);
	put_list(fp, "-t", &opts->tids);
	put_list(fp, "-C", &opts->cpus);
	if (opts->all_cpus ||
	    (!opts->command && !td_opts_attaches(opts) && !opts->has_cpus))
		fputs(" -a", fp);
	if (opts->command)
		td_again_put_command(fp, opts);
	else
		fputs(" -- sleep 10", fp);
}
