// SPDX-License-Identifier: GPL-2.0-only
/* A command that is not there, and a file that is no recording. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cmd/opts/meant.h"
#include "lib/base/closest.h"
#include "lib/base/util.h"
#include "lib/event/names.h"

#define DIGITS "0123456789"

static bool is_number(const char *text)
{
	return *text && strspn(text, DIGITS) == strlen(text);
}

/* "-p $(pidof bash)" of two of them */
static int meant_more_tasks(const struct td_opts *opts, struct td_err *err)
{
	const struct td_ints *ids = opts->pids.nr ? &opts->pids : &opts->tids;
	td_autofree char *list = td_ints_format(ids);

	return td_err_hint(err,
			   "did you mean %s %s,%s? Numbers are separated by "
			   "commas",
			   opts->pids.nr ? "-p" : "-t", list ? list : "",
			   opts->command[0]);
}

/* "-e cycles instructions" */
static int meant_more_names(const struct td_opts *opts, struct td_err *err)
{
	const char *word = opts->command[0];

	if (opts->nr_events && td_symbol_find(word))
		return td_err_hint(err,
				   "did you mean -e %s,%s? Names are separated "
				   "by commas",
				   opts->events[opts->nr_events - 1].list,
				   word);
	if (opts->nr_metrics && (strncmp(word, "tma_", 4) == 0 ||
				 strncmp(word, "TopdownL", 8) == 0))
		return td_err_hint(err,
				   "did you mean -M %s,%s? Names are separated "
				   "by commas",
				   opts->metrics[opts->nr_metrics - 1], word);
	return 0;
}

/* "tdstat 'sleep 1'" */
static bool is_whole_line(const struct td_opts *opts)
{
	return strchr(opts->command[0], ' ') && !opts->command[1];
}

int td_meant_command(const struct td_opts *opts, struct td_err *err)
{
	static const char *const words[][2] = {
		{ "list", "list" },         { "record", "record" },
		{ "report", "report" },     { "help", "--help" },
		{ "version", "--version" },
	};
	const char *command = opts->command[0];
	struct td_closest closest = { .wanted = command };

	if (is_number(command) && td_opts_attaches(opts))
		return meant_more_tasks(opts, err);
	if (is_number(command) && opts->interval_ms && !opts->interval_count)
		return td_err_hint(err, "did you mean --interval-count %s?",
				   command);
	if (is_whole_line(opts))
		return td_err_hint(err,
				   "words are separate (tdstat -- %s), a "
				   "shell's line is sh -c '%s'",
				   command, command);
	if (meant_more_names(opts, err))
		return err->code;
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++)
		td_closest_offer(&closest, words[i][0]);
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		if (strcmp(closest.best, words[i][0]) == 0)
			td_err_hint(err, "did you mean tdstat %s?",
				    words[i][1]);
	}
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
	return is_perfs ? td_err_hint(err, "it is perf record's: report shows "
					   "what tdstat record, or perf stat "
					   "with -x or -j, wrote")
			: err->code;
}
