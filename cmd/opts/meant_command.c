// SPDX-License-Identifier: GPL-2.0-only
/* Hints for commands that do not exist and files that are no recordings. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/opts/meant.h"
#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"

#define DIGITS "0123456789"

static bool is_number(const char *text)
{
	return *text && strspn(text, DIGITS) == strlen(text);
}

/* "-p $(pidof bash)" if there are two of them */
static int meant_more_tasks(const struct td_opts *opts, struct td_err *err)
{
	const struct td_ints *ids = opts->request.target.pids.nr
					    ? &opts->request.target.pids
					    : &opts->request.target.tids;
	td_autofree char *list = td_ints_format(ids);

	return td_err_hint(err,
			   "did you mean %s %s,%s? Numbers are separated by "
			   "commas",
			   opts->request.target.pids.nr ? "-p" : "-t",
			   list ? list : "", opts->request.target.command[0]);
}

/* "-e cycles instructions" */
static int meant_more_names(const struct td_opts *opts, struct td_err *err)
{
	const char *word = opts->request.target.command[0];

	if (opts->request.nr_events && td_symbol_find(word))
		return td_err_hint(
			err,
			"did you mean -e %s,%s? Names are separated "
			"by commas",
			opts->request.events[opts->request.nr_events - 1].list,
			word);
	if (opts->request.ask.nr_names && (strncmp(word, "tma_", 4) == 0 ||
					   strncmp(word, "TopdownL", 8) == 0))
		return td_err_hint(
			err,
			"did you mean -M %s,%s? Names are separated "
			"by commas",
			opts->request.ask.names[opts->request.ask.nr_names - 1],
			word);
	return 0;
}

/* "tdstat 'sleep 1'" */
static bool is_whole_line(const struct td_opts *opts)
{
	return strchr(opts->request.target.command[0], ' ') &&
	       !opts->request.target.command[1];
}

/* True if a file of this name is where execvp() would look for it. */
static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	td_autofree char *copy = strdup(path ? path : "/bin:/usr/bin");
	char *rest = copy, *folder;
	bool found = !copy || strchr(name, '/');

	while (!found && (folder = strsep(&rest, ":"))) {
		td_autofree char *file = NULL;

		if (asprintf(&file, "%s%s%s", folder, *folder ? "/" : "",
			     name) < 0) {
			file = NULL;
			return true;
		}
		found = access(file, F_OK) == 0;
	}
	return found;
}

int td_meant_command_name(const char *name, const struct td_opts *opts,
			  struct td_err *err)
{
	const struct td_command *const *commands = opts->commands;
	struct td_closest closest = { .wanted = name };
	char title[TD_TITLE_SIZE];

	for (const struct td_command *const *c = commands; *c; c++)
		td_closest_offer(&closest, (*c)->name);
	td_closest_offer(&closest, "version");
	for (; *commands; commands++) {
		if (strcmp(closest.best, (*commands)->name) != 0)
			continue;
		if (commands == opts->commands)
			return td_err_hint(err,
					   "tdstat does what perf %s does "
					   "without a subcommand",
					   closest.best);
		return td_err_hint(
			err, "did you mean %s?",
			td_command_title(*commands, opts->commands, title));
	}
	if (closest.best[0])
		return td_err_hint(err, "did you mean tdstat --version?");
	return 0;
}

/* "--sort lost" */
static bool is_key_of_sort(const struct td_opts *opts)
{
	return opts->request.show.by_lost &&
	       !is_program(opts->request.target.command[0]);
}

/*
 * Commands of perf that tdstat lacks, without those that a program to measure may be
 * called, such as bench.  script(1) is one, but who types it has perf in mind.
 */
static const struct {
	const char *name, *instead;
} perfs[] = {
	{ "annotate", "tdstat locate -v shows source lines; " },
	{ "c2c", "tdstat locate tma_contested_accesses shows functions; " },
	{ "mem", "tdstat locate tma_memory_bound shows functions; " },
	{ "script", "tdstat locate --folded FILE writes stacks; " },
	{ "archive", "" },
	{ "buildid-cache", "" },
	{ "buildid-list", "" },
	{ "evlist", "" },
	{ "ftrace", "" },
	{ "inject", "" },
	{ "iostat", "" },
	{ "kallsyms", "" },
	{ "kmem", "" },
	{ "kwork", "" },
	{ "lock", "" },
	{ "probe", "" },
	{ "sched", "" },
	{ "timechart", "" },
	{ "trace", "" },
};

static int meant_perf(const char *name, struct td_err *err)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(perfs); i++) {
		if (strcmp(perfs[i].name, name) != 0)
			continue;
		td_err_usage(err, "%s is a command of perf, not of tdstat",
			     name);
		return td_err_hint(err,
				   "%sa program of this name is run by "
				   "tdstat -- %s",
				   perfs[i].instead, name);
	}
	return 0;
}

int td_meant_subcommand(const struct td_opts *opts, struct td_err *err)
{
	struct td_err meant = { .code = -ENOENT };

	if (opts->request.target.command && !opts->behind_dashes &&
	    is_key_of_sort(opts))
		return td_err_usage(err,
				    "--sort takes no value: it sorts by lost "
				    "slots, and '%s' is no command",
				    opts->request.target.command[0]);
	if (!opts->request.target.command || opts->behind_dashes ||
	    opts->chosen != opts->commands[0])
		return 0;
	if (meant_perf(opts->request.target.command[0], err))
		return err->code;
	if (!td_meant_command_name(opts->request.target.command[0], opts,
				   &meant) ||
	    is_program(opts->request.target.command[0]))
		return 0;
	td_err_set(err, -ENOENT, "%s: %s", opts->request.target.command[0],
		   strerror(ENOENT));
	return td_err_hint(err, "%s", meant.hint);
}

int td_meant_command(const struct td_opts *opts, struct td_err *err)
{
	const char *command = opts->request.target.command[0];

	if (is_number(command) && td_target_attaches(&opts->request.target))
		return meant_more_tasks(opts, err);
	if (is_number(command) && opts->request.when.interval_ms &&
	    !opts->request.when.interval_count)
		return td_err_hint(err, "did you mean --interval-count %s?",
				   command);
	if (is_whole_line(opts))
		return td_err_hint(err,
				   "without the quotes: tdstat -- %s; or for "
				   "a shell: tdstat -- sh -c '%s'",
				   command, command);
	meant_more_names(opts, err);
	return err->code;
}

int td_meant_recording(const char *path, struct td_err *err)
{
	static const char magic[] = "PERFILE2"; /* tools/perf/util/header.c */
	char begin[sizeof(magic)] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_perfs = fd >= 0 && read(fd, begin, sizeof(magic) - 1) > 0 &&
			strcmp(begin, magic) == 0;

	td_close_fd(&fd);
	return is_perfs ? td_err_hint(err, "this is a file of perf record; "
					   "report shows files of tdstat "
					   "record and of perf stat -x or -j")
			: err->code;
}
