// SPDX-License-Identifier: GPL-2.0-only
/* Copies of reports, and their rows in numbers. */
#include <math.h>

#include "cmd/output/out.h"
#include "cmd/top/parts.h"
#include "lib/target/cgroup.h"

/* --- copies of reports ---------------------------------------------------- */

/* Copy or clear the members that borrow from the interval. */
static void copy_row(struct td_row *to, const struct td_row *from, size_t nr_columns)
{
	*to = *from;
	to->ranked = NULL;
	to->unranked = NULL;
	to->region = NULL;
	to->id = td_strdup(from->id);
	to->container = from->container ? td_strdup(from->container) : NULL;
	to->cgroup = NULL;
	to->cells = td_calloc(nr_columns + 1, sizeof(*to->cells));
	if (nr_columns)
		memcpy(to->cells, from->cells, nr_columns * sizeof(*to->cells));
	for (size_t i = 0; i < nr_columns; i++)
		to->cells[i].why = NULL;
}

static void free_kept(struct td_report *kept)
{
	for (size_t i = 0; i < kept->nr_rows; i++) {
		free((char *)(uintptr_t)kept->rows[i].id);
		free((char *)(uintptr_t)kept->rows[i].container);
	}
	td_report_free(kept);
}

/* Was the row's cgroup removed? */
static bool is_gone(const struct td_row *row, const struct td_cgroups *cgroups)
{
	size_t at = cgroups && row->cgroup ? td_cgroups_find(cgroups, row->cgroup) : SIZE_MAX;

	return at < SIZE_MAX && (at == cgroups->nr || cgroups->gone[at]);
}

void td_top_keep(struct td_report *kept, const struct td_report *report,
		 const struct td_cgroups *cgroups)
{
	free_kept(kept);
	*kept = *report;
	kept->regions = NULL;
	kept->nr_rows = kept->nr_kept = 0;
	kept->rows = td_calloc(report->nr_rows + 1, sizeof(*kept->rows));
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (!is_gone(row, cgroups))
			copy_row(&kept->rows[kept->nr_rows++], row, report->nr_columns);
	}
}

void td_top_snapshot_free(struct td_top_snapshot *snapshot)
{
	free_kept(&snapshot->whole);
	free_kept(&snapshot->rows);
	*snapshot = (struct td_top_snapshot){ 0 };
}

/* --- a row in parts of level 1 -------------------------------------------- */

static const struct {
	char letter;
	const char *brief;
} parts_of_level_1[TD_NR_PARTS] = {
	[TD_PART_RETIRING] = { 'R', "retiring" }, [TD_PART_BAD_SPECULATION] = { 'S', "bad spec." },
	[TD_PART_FRONTEND] = { 'F', "frontend" }, [TD_PART_BACKEND] = { 'B', "backend" },
	[TD_PART_OTHER] = { 'T', "other" },
};

char td_top_part_letter(enum td_part part)
{
	return parts_of_level_1[part].letter;
}

const char *td_top_part_name(enum td_part part, int width)
{
	const char *name = td_part_name(part);

	return (int)strlen(name) > width ? parts_of_level_1[part].brief : name;
}

enum td_part td_top_part_of(const struct td_report *report, const struct td_node *node)
{
	return node->level == 1 ? td_part_of(report->columns[node->column].name) : TD_NR_PARTS;
}

double td_top_value(const struct td_row *row, const struct td_node *node)
{
	return td_cell_value(&row->cells[node->column]);
}

bool td_top_is_over(const struct td_row *row, const struct td_node *node)
{
	const struct td_cell *cell = &row->cells[node->column];

	return cell->status == TD_STATUS_OK && td_out_is_marked(row, cell);
}

static enum td_part find_worst(const struct td_top_parts *parts)
{
	int worst = TD_NR_PARTS;

	for (int i = TD_PART_RETIRING + 1; i < TD_NR_PARTS; i++) {
		if (isnan(parts->pct[i]))
			continue;
		if (worst == TD_NR_PARTS || parts->pct[i] > parts->pct[worst])
			worst = i;
	}
	return (enum td_part)worst;
}

void td_top_parts_find(struct td_top_parts *parts, const struct td_report *report,
		       const struct td_row *row)
{
	*parts = (struct td_top_parts){ 0 };
	for (int i = 0; i < TD_NR_PARTS; i++)
		parts->pct[i] = NAN;
	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		enum td_part part = td_top_part_of(report, node);

		if (part == TD_NR_PARTS)
			continue;
		parts->has[part] = true;
		parts->pct[part] = td_top_value(row, node);
		parts->over[part] = td_top_is_over(row, node);
	}
	parts->worst = find_worst(parts);
}

bool td_top_parts_exist(const struct td_top_parts *parts)
{
	for (int i = 0; i < TD_NR_PARTS; i++) {
		if (parts->has[i])
			return true;
	}
	return false;
}

/* --- lines of the table --------------------------------------------------- */

static bool is_filtered(const struct td_row *row, const char *filter)
{
	return *filter && !strcasestr(row->id, filter) && !strcasestr(row->pmu, filter) &&
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

/* Compare names; "CPU10" comes after "CPU9". */
static int by_name(const struct td_top_line *a, const struct td_top_line *b)
{
	int order = strverscmp(a->row->id, b->row->id);

	return order ? order : strcmp(a->row->pmu, b->row->pmu);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct td_top_line *a = left, *b = right;
	const struct td_top_state *state = context;
	double x = key_of(a, state->sort), y = key_of(b, state->sort);
	int order = state->reversed ? -1 : 1;
	bool x_idles = td_row_is_idle_task(a->row), y_idles = td_row_is_idle_task(b->row);

	if (x_idles != y_idles)
		return x_idles - y_idles;
	if (state->sort == TD_TOP_BY_NAME)
		return order * by_name(a, b);
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y) ? isnan(x) - isnan(y) : by_name(a, b);
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

void td_top_lines_make(struct td_top_lines *lines, const struct td_report *report,
		       const struct td_top_state *state)
{
	struct td_top_state how = *state;

	*lines = (struct td_top_lines){ .report = report };
	lines->v = td_calloc(report->nr_rows + 1, sizeof(*lines->v));
	for (size_t i = 0; i < report->nr_rows; i++)
		add(lines, report, &report->rows[i], state->filter);
	qsort_r(lines->v, lines->nr, sizeof(*lines->v), compare, &how);
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
