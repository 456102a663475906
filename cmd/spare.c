// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/spare.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/recording/recording.h"

/* "-" is standard input. */
static bool is_input(const char *name, const struct stat *file)
{
	struct stat st;
	int rc = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &st)
					: stat(name, &st);

	return rc == 0 && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

/* What is being read is refused even with --force, later and in other words. */
static bool is_read(const struct td_opts *opts, const char *name)
{
	struct stat st;
	bool found;

	if (stat(name, &st))
		return false;
	found = opts->input && is_input(opts->input, &st);
	for (size_t i = 0; !found && i < opts->nr_patterns; i++)
		found = is_input(opts->patterns[i], &st);
	return found;
}

int td_spare_recordings(const struct td_opts *opts, struct td_err *err)
{
	const char *const names[] = {
		opts->does.records ? NULL : opts->show.output,
		opts->record,
		opts->files.samples,
		opts->files.folded,
		opts->files.pprof,
		opts->files.flame,
		opts->diff.junit,
	};

	for (size_t i = 0; !opts->show.force && i < TD_ARRAY_SIZE(names); i++) {
		if (!names[i] || !td_recording_is_at(names[i]) ||
		    is_read(opts, names[i]))
			continue;
		td_err_set(err, -EEXIST,
			   "%s is a recording: no result is written over it",
			   names[i]);
		return td_err_hint(err, "--force writes over it");
	}
	return 0;
}
