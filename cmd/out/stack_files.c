// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/stack_files.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/out/out.h"
#include "cmd/out/where.h"
#include "lib/base/compress.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/sample/locations.h"

/* --- folded stacks -------------------------------------------------------- */

/*
 * For flamegraph.pl, speedscope and others: "main;f 12", a line for each stack, with
 * its functions, the outermost first, and what the samples in it stand for.
 */

/* A semicolon ends a name. */
static void put_name(FILE *fp, const char *name)
{
	size_t len;

	for (; name[len = strcspn(name, ";")]; name += len + 1) {
		td_put_printable_n(fp, name, len);
		fputc(':', fp);
	}
	td_put_printable(fp, name);
}

/* In a file, chains may be as long as somebody likes. */
static int put_stack(FILE *fp, const struct td_stacks *stacks, int at)
{
	size_t nr = (size_t)stacks->v[at].depth + 1;
	td_autofree int *functions = calloc(nr, sizeof(*functions));
	char buf[TD_STACK_NAME];

	if (!functions)
		return -ENOMEM;
	for (size_t i = nr; i-- > 0; at = stacks->v[at].caller)
		functions[i] = stacks->v[at].function;
	for (size_t i = 0; i < nr; i++) {
		if (i)
			fputc(';', fp);
		put_name(fp, td_stack_name(buf, stacks->spots, functions[i]));
	}
	return 0;
}

/* root: of several events, which have no sum, the one that it is of. */
static char *make_line(const struct td_stacks *stacks, int at, const char *root)
{
	char *line = NULL;
	size_t size;
	FILE *fp = open_memstream(&line, &size);
	int rc;

	if (!fp)
		return NULL;
	if (root) {
		put_name(fp, root);
		fputc(';', fp);
	}
	rc = put_stack(fp, stacks, at);
	fprintf(fp, " %.0f\n", stacks->v[at].own);
	if (td_text_close(fp, &line) == 0 && !rc)
		return line;
	free(line);
	return NULL;
}

static int add_lines(char ***lines, size_t *nr, const struct td_stacks *stacks,
		     const char *root)
{
	for (size_t i = 0; i < stacks->nr; i++) {
		char *line;

		if (stacks->v[i].own <= 0)
			continue;
		line = make_line(stacks, (int)i, root);
		if (!line || td_array_push(lines, nr, &line, sizeof(line))) {
			free(line);
			return -ENOMEM;
		}
	}
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_lines(FILE *fp, char **lines, size_t nr)
{
	if (nr)
		qsort(lines, nr, sizeof(*lines), by_text);
	for (size_t i = 0; i < nr; i++)
		fputs(lines[i], fp);
}

static int write_folded(FILE *fp, const struct td_where *where,
			const struct td_frame *frame)
{
	char **lines = NULL;
	size_t nr = 0;
	int rc = 0;

	(void)frame;
	for (size_t i = 0; !rc && i < where->nr; i++) {
		const struct td_where_event *event = &where->events[i];
		struct td_stacks stacks;

		rc = td_stacks_make(&stacks, where->hits, where->spots,
				    event->index);
		if (!rc)
			rc = add_lines(&lines, &nr, &stacks,
				       where->nr > 1 ? event->name : NULL);
		td_stacks_free(&stacks);
	}
	if (!rc)
		put_lines(fp, lines, nr);
	for (size_t i = 0; i < nr; i++)
		free(lines[i]);
	free(lines);
	return rc;
}

/* --- the files ------------------------------------------------------------ */

static const struct {
	const char *option;
	size_t name;
	int (*write)(FILE *fp, const struct td_where *where,
		     const struct td_frame *frame);
} kinds[TD_NR_STACK_FILES] = {
	{ "--folded", offsetof(struct td_sample_files, folded), write_folded },
	{ "--pprof", offsetof(struct td_sample_files, pprof), td_pprof_write },
	{ "--flame", offsetof(struct td_sample_files, flame), td_flame_write },
};

static const char *name_of(const struct td_sample_files *files, size_t kind)
{
	const void *at = (const char *)files + kinds[kind].name;

	return *(const char *const *)at;
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
	return files->lbr || files->copied || files->samples ||
	       td_stack_files_any(files);
}

static bool are_one_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return a && b && !stat(a, &of_a) && !stat(b, &of_b) &&
	       S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

/* After they were opened, as what is not there is no file yet. */
static int check_distinct(const struct td_sample_files *files,
			  struct td_err *err)
{
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		const char *name = name_of(files, i);

		if (are_one_file(name, files->samples))
			return td_err_usage(err,
					    "%s and --samples name one "
					    "file, %s",
					    kinds[i].option, name);
		for (size_t j = 0; j < i; j++) {
			if (are_one_file(name, name_of(files, j)))
				return td_err_usage(
					err, "%s and %s name one file, %s",
					kinds[j].option, kinds[i].option, name);
		}
	}
	return 0;
}

/* A page or a picture is what no name of another format should hold. */
static int check_ending(const char *name, struct td_err *err)
{
	const char *slash = strrchr(name, '/');
	const char *dot = strrchr(slash ? slash : name, '.');

	if (!dot || strcmp(dot, ".svg") == 0 || strcmp(dot, ".html") == 0 ||
	    strcmp(dot, ".htm") == 0)
		return 0;
	return td_err_usage(err,
			    "--flame %s: a flame graph is a page, .html, "
			    "or a picture, .svg",
			    name);
}

int td_stack_files_check(const struct td_sample_files *files,
			 struct td_err *err)
{
	if (nr_on_stdout(files) > 1)
		return td_err_usage(err, "only one file of stacks can go to "
					 "standard output");
	return files->flame ? check_ending(files->flame, err) : 0;
}

int td_stack_files_open(struct td_sample_files *files, struct td_err *err)
{
	if (files->pprof && td_gzip_load(err))
		return td_err_wrap(err, "--pprof");
	for (size_t i = 0; i < TD_NR_STACK_FILES; i++) {
		const char *name = name_of(files, i);

		if (!name)
			continue;
		files->fps[i] = strcmp(name, "-") == 0
					? stdout
					: td_out_open(name, false, err);
		if (!files->fps[i])
			return td_err_wrap(err, "%s", kinds[i].option);
	}
	return check_distinct(files, err);
}

/* A flame graph is a page unless its name says otherwise. */
static int make_one(FILE *fp, const struct td_sample_files *files, size_t kind,
		    const struct td_where *where, const struct td_frame *frame)
{
	bool svg = kinds[kind].write == td_flame_write &&
		   td_ends_with(files->flame, ".svg");

	return svg ? td_flame_write_svg(fp, where, frame)
		   : kinds[kind].write(fp, where, frame);
}

static int write_one(const struct td_sample_files *files, size_t kind,
		     const struct td_where *where, const struct td_frame *frame,
		     struct td_err *err)
{
	td_autofree char *bytes = NULL;
	size_t size;
	FILE *made = open_memstream(&bytes, &size), *fp = files->fps[kind];
	int rc = made ? make_one(made, files, kind, where, frame) : -ENOMEM;

	if (made && td_text_close(made, &bytes))
		rc = -ENOMEM;
	if (rc)
		return td_err_nomem(err);
	if (fp != stdout)
		td_out_empty(fp);
	rc = td_out_put(fp, name_of(files, kind), bytes, size, err);
	/* half of it is nothing */
	if (rc && fp != stdout)
		td_out_empty(fp);
	return rc;
}

int td_stack_files_write(const struct td_sample_files *files,
			 const struct td_where *where,
			 const struct td_frame *frame, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_NR_STACK_FILES; i++) {
		if (files->fps[i])
			rc = write_one(files, i, where, frame, err);
	}
	return rc;
}

/* Only what the name says itself: no device, and no link to somewhere else. */
static void remove_empty(FILE *fp, const char *name)
{
	struct stat of_file, of_name;

	if (!fstat(fileno(fp), &of_file) && !lstat(name, &of_name) &&
	    S_ISREG(of_name.st_mode) && of_file.st_dev == of_name.st_dev &&
	    of_file.st_ino == of_name.st_ino && of_file.st_size == 0)
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
