// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/parts.h"

#include <math.h>
#include <string.h>

static const struct {
	char letter;
	const char *name, *brief;
	const char *within; /* the names of its nodes */
} parts_of_level_1[TD_TOP_NR_PARTS] = {
	[TD_TOP_RETIRING] = { 'R', "retiring", "retiring", "retiring" },
	[TD_TOP_BAD_SPECULATION] = { 'S', "bad speculation", "bad spec.",
				     "bad_spec" },
	[TD_TOP_FRONTEND] = { 'F', "frontend bound", "frontend", "frontend" },
	[TD_TOP_BACKEND] = { 'B', "backend bound", "backend", "backend" },
	[TD_TOP_OTHER] = { 'T', "other thread", "other", "smt_contention" },
};

char td_top_part_letter(enum td_top_part part)
{
	return parts_of_level_1[part].letter;
}

const char *td_top_part_name(enum td_top_part part, int width)
{
	const char *name = parts_of_level_1[part].name;

	return (int)strlen(name) > width ? parts_of_level_1[part].brief : name;
}

enum td_top_part td_top_part_of(const struct td_report *report,
				const struct td_node *node)
{
	const char *name = report->columns[node->column].name;
	int part = 0;

	if (node->level != 1)
		return TD_TOP_NR_PARTS;
	while (part < TD_TOP_NR_PARTS &&
	       !strstr(name, parts_of_level_1[part].within))
		part++;
	return (enum td_top_part)part;
}

double td_top_value(const struct td_row *row, const struct td_node *node)
{
	const struct td_cell *cell = &row->cells[node->column];

	return cell->status == TD_STATUS_OK ? cell->value : NAN;
}

bool td_top_is_over(const struct td_row *row, const struct td_node *node)
{
	const struct td_cell *cell = &row->cells[node->column];

	return cell->status == TD_STATUS_OK && cell->over_threshold &&
	       !row->idle && cell->misfit != TD_MISFIT_RANGE;
}

static enum td_top_part find_worst(const struct td_top_parts *parts)
{
	int worst = TD_TOP_NR_PARTS;

	for (int i = TD_TOP_RETIRING + 1; i < TD_TOP_NR_PARTS; i++) {
		if (isnan(parts->pct[i]))
			continue;
		if (worst == TD_TOP_NR_PARTS ||
		    parts->pct[i] > parts->pct[worst])
			worst = i;
	}
	return (enum td_top_part)worst;
}

void td_top_parts_find(struct td_top_parts *parts,
		       const struct td_report *report, const struct td_row *row)
{
	*parts = (struct td_top_parts){ 0 };
	for (int i = 0; i < TD_TOP_NR_PARTS; i++)
		parts->pct[i] = NAN;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
		enum td_top_part part = td_top_part_of(report, node);

		if (part == TD_TOP_NR_PARTS)
			continue;
		parts->has[part] = true;
		parts->pct[part] = td_top_value(row, node);
		parts->over[part] = td_top_is_over(row, node);
	}
	parts->lost = row->slots * (100 - parts->pct[TD_TOP_RETIRING]) / 100;
	parts->worst = find_worst(parts);
}

bool td_top_parts_exist(const struct td_top_parts *parts)
{
	for (int i = 0; i < TD_TOP_NR_PARTS; i++) {
		if (parts->has[i])
			return true;
	}
	return false;
}
