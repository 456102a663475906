// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "cmd/output/where.h"
#include "cmd/pictures/page.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/sample/locations.h"

/*
 * Folded stacks for flamegraph.pl, speedscope and others: a line per stack, "main;f 12",
 * with its functions, the outermost first, and its weight.
 */

/* Replace semicolons, which separate names. */
static void put_name(FILE *fp, const char *name)
{
	size_t len;

	for (; name[len = strcspn(name, ";")]; name += len + 1) {
		td_put_printable_n(fp, name, len);
		fputc(':', fp);
	}
	td_put_printable(fp, name);
}

/* Chains in a file may be of any length. */
static void put_stack(FILE *fp, const struct td_stacks *stacks, int at)
{
	size_t nr = (size_t)stacks->v[at].depth + 1;
	td_autofree int *functions = td_calloc(nr, sizeof(*functions));
	char buf[TD_STACK_NAME];

	for (size_t i = nr; i-- > 0; at = stacks->v[at].caller)
		functions[i] = stacks->v[at].function;
	for (size_t i = 0; i < nr; i++) {
		if (i)
			fputc(';', fp);
		put_name(fp, td_stack_name(buf, stacks->spots, functions[i]));
	}
}

/* root: the name of the event, if there are several; else NULL. */
static char *make_line(const struct td_stacks *stacks, int at, const char *root)
{
	char *line = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&line, &size);

	if (root) {
		put_name(fp, root);
		fputc(';', fp);
	}
	put_stack(fp, stacks, at);
	fprintf(fp, " %.0f\n", stacks->v[at].own);
	td_text_close(fp, &line);
	return line;
}

static void add_lines(char ***lines, size_t *nr, const struct td_stacks *stacks, const char *root)
{
	for (size_t i = 0; i < stacks->nr; i++) {
		char *line;

		if (stacks->v[i].own <= 0)
			continue;
		line = make_line(stacks, (int)i, root);
		td_array_push(lines, nr, &line, sizeof(line));
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void td_folded_write(FILE *fp, const char *name, const struct td_where *where,
		     const struct td_frame *frame)
{
	char **lines = NULL;
	size_t nr = 0;

	(void)name;
	(void)frame;
	for (size_t i = 0; i < where->nr; i++) {
		const struct td_where_event *event = &where->events[i];
		struct td_stacks stacks;

		td_stacks_make(&stacks, where->hits, where->spots, event->index);
		add_lines(&lines, &nr, &stacks, where->nr > 1 ? event->name : NULL);
		td_stacks_free(&stacks);
	}
	if (nr)
		qsort(lines, nr, sizeof(*lines), by_text);
	for (size_t i = 0; i < nr; i++) {
		fputs(lines[i], fp);
		free(lines[i]);
	}
	free(lines);
}
