// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/output/stack_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/out.h"
#include "cmd/output/where.h"
#include "cmd/wing.h"

/* --- the files ------------------------------------------------------------ */

/* Return the kind of a file.  The wing that adds the options also has this table. */
static const struct td_stack_kind *kind_of(size_t kind)
{
	return &td_wing_stack_kinds()[kind];
}

static const char *name_of(const struct td_sample_files *files, size_t kind)
{
	const char *const names[TD_NR_STACK_FILES] = {
		[TD_STACKS_FOLDED] = files->folded,
		[TD_STACKS_PPROF] = files->pprof,
		[TD_STACKS_FLAME] = files->flame,
	};

	return names[kind];
}

static size_t nr_on_stdout(const struct td_sample_files *files)
{
	size_t nr = 0;

	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		const char *name = name_of(files, i);

		nr += name && strcmp(name, "-") == 0;
	}
	return nr;
}

bool td_stack_files_take_stdout(const struct td_sample_files *files)
{
	return nr_on_stdout(files) > 0;
}

bool td_stack_files_any(const struct td_sample_files *files)
{
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		if (name_of(files, i))
			return true;
	}
	return false;
}

bool td_sample_files_want_chains(const struct td_sample_files *files)
{
	return files->lbr || files->copied || files->samples || td_stack_files_any(files);
}

static bool are_one_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return a && b && !stat(a, &of_a) && !stat(b, &of_b) && S_ISREG(of_a.st_mode) &&
	       of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* Refuse one name for two files.  Call it when they are open, so that all files exist. */
static int check_distinct(const struct td_sample_files *files, struct td_err *err)
{
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		const char *name = name_of(files, i);

		if (are_one_file(name, files->samples))
			return td_err_usage(err, "%s and --samples name one file, %s",
					    kind_of(i)->option, name);
		for (size_t j = 0; j < i; j++) {
			if (are_one_file(name, name_of(files, j)))
				return td_err_usage(err, "%s and %s name one file, %s",
						    kind_of(j)->option, kind_of(i)->option, name);
		}
	}
	return 0;
}

int td_stack_files_check(const struct td_sample_files *files, struct td_err *err)
{
	if (nr_on_stdout(files) > 1)
		return td_err_usage(err, "only one file of stacks can go to standard output");
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		const char *name = name_of(files, i);

		if (name && kind_of(i)->check && kind_of(i)->check(name, err))
			return err->code;
	}
	return 0;
}

int td_stack_files_open(struct td_sample_files *files, struct td_err *err)
{
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		const char *name = name_of(files, i);

		if (!name)
			continue;
		if (kind_of(i)->load && kind_of(i)->load(err))
			return td_err_wrap(err, "%s", kind_of(i)->option);
		files->fps[i] = strcmp(name, "-") == 0 ? stdout : td_out_open(name, false, err);
		if (!files->fps[i])
			return td_err_wrap(err, "%s", kind_of(i)->option);
	}
	return check_distinct(files, err);
}

static int write_one(const struct td_sample_files *files, size_t kind, const struct td_where *where,
		     const struct td_frame *frame, struct td_err *err)
{
	td_autofree char *bytes = NULL;
	size_t size;
	FILE *text = td_open_memstream(&bytes, &size), *fp = files->fps[kind];
	int rc;

	kind_of(kind)->write(text, name_of(files, kind), where, frame);
	td_text_close(text, &bytes);
	if (fp != stdout)
		td_out_empty(fp);
	rc = td_out_put(fp, name_of(files, kind), bytes, size, err);
	/* half a file is useless */
	if (rc && fp != stdout)
		td_out_empty(fp);
	return rc;
}

int td_stack_files_write(const struct td_sample_files *files, const struct td_where *where,
			 const struct td_frame *frame, struct td_err *err)
{
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		if (files->fps[i] && write_one(files, i, where, frame, err))
			return err->code;
	}
	return 0;
}

/* Remove only regular files with this name, not devices or targets of links. */
static void remove_empty(FILE *fp, const char *name)
{
	struct stat of_file, of_name;

	if (!fstat(fileno(fp), &of_file) && !lstat(name, &of_name) && S_ISREG(of_name.st_mode) &&
	    of_file.st_dev == of_name.st_dev && of_file.st_ino == of_name.st_ino &&
	    of_file.st_size == 0)
		unlink(name);
}

void td_stack_files_close(struct td_sample_files *files, bool is_written)
{
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		FILE *fp = files->fps[i];

		if (fp && fp != stdout && !is_written)
			remove_empty(fp, name_of(files, i));
		if (fp && fp != stdout)
			fclose(fp);
		files->fps[i] = NULL;
	}
}
