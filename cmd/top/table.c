// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_filtered(const struct td_row *row, const char *filter)
{
	return *filter && !strcasestr(row->id, filter) &&
	       !strcasestr(row->pmu, filter) &&
	       !(row->container && strcasestr(row->container, filter));
}

static double key_of(const struct td_top_line *line, enum td_top_sort sort)
{
	if (sort >= TD_TOP_BY_PART && sort < TD_TOP_BY_NAME)
		return line->parts.pct[sort - TD_TOP_BY_PART];
	switch (sort) {
	case TD_TOP_BY_BUSY:
		return line->row->busy_pct;
	case TD_TOP_BY_GHZ:
		return line->row->ghz;
	case TD_TOP_BY_IPC:
		return line->row->ipc;
	default:
		return line->lost_pct;
	}
}

/* "CPU10" comes after "CPU9". */
static int by_name(const struct td_top_line *a, const struct td_top_line *b)
{
	int order = strverscmp(a->row->id, b->row->id);

	return order ? order : strcmp(a->row->pmu, b->row->pmu);
}

static int compare(const void *left, const void *right, void *of)
{
	const struct td_top_line *a = left, *b = right;
	const struct td_top_state *state = of;
	double x = key_of(a, state->sort), y = key_of(b, state->sort);
	int order = state->reversed ? -1 : 1;

	if (state->sort == TD_TOP_BY_NAME)
		return order * by_name(a, b);
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y) ? isnan(x) - isnan(y)
					   : by_name(a, b);
	if (x != y)
		return x < y ? order : -order;
	return by_name(a, b);
}

static void add(struct td_top_lines *lines, const struct td_report *report,
		const struct td_row *row, const char *filter)
{
	struct td_top_line *line = &lines->v[lines->nr];

	td_top_parts_find(&line->parts, report, row);
	if (row->package || !td_top_parts_exist(&line->parts))
		return;
	if (is_filtered(row, filter)) {
		lines->nr_filtered++;
		return;
	}
	line->row = row;
	line->lost_pct = row->lost_pct;
	for (int i = 0; i < TD_NR_PARTS; i++)
		lines->has[i] |= line->parts.has[i];
	lines->show_pmu |= strcmp(row->pmu, report->rows[0].pmu) != 0;
	lines->has_busy |= !isnan(row->busy_pct);
	lines->has_ipc |= !isnan(row->ipc);
	lines->nr++;
}

int td_top_lines_make(struct td_top_lines *lines,
		      const struct td_report *report,
		      const struct td_top_state *state)
{
	struct td_top_state how = *state;

	*lines = (struct td_top_lines){ .report = report };
	lines->v = calloc(report->nr_rows + 1, sizeof(*lines->v));
	if (!lines->v)
		return -ENOMEM;
	for (size_t i = 0; i < report->nr_rows; i++)
		add(lines, report, &report->rows[i], state->filter);
	qsort_r(lines->v, lines->nr, sizeof(*lines->v), compare, &how);
	return 0;
}

void td_top_lines_free(struct td_top_lines *lines)
{
	free(lines->v);
	*lines = (struct td_top_lines){ 0 };
}

bool td_top_lines_have(const struct td_top_lines *lines, enum td_top_sort sort)
{
	if (sort >= TD_TOP_BY_PART && sort < TD_TOP_BY_NAME)
		return lines->has[sort - TD_TOP_BY_PART];
	if (sort == TD_TOP_BY_BUSY || sort == TD_TOP_BY_GHZ)
		return lines->has_busy;
	if (sort == TD_TOP_BY_IPC)
		return lines->has_ipc;
	return sort < TD_TOP_NR_SORTS;
}
