// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks for flamegraph.pl, speedscope and others: a line for each, with its
 * functions, the outermost first, and what the samples in it stand for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/out/stacks.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/sample/stacks.h"

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

int td_folded_write(FILE *fp, const struct td_where *where,
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
