// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/parts.h"

#include <math.h>
#include <string.h>

#include "cmd/out/out.h"

static const struct {
	char letter;
	const char *brief;
} parts_of_level_1[TD_NR_PARTS] = {
	[TD_PART_RETIRING] = { 'R', "retiring" },
	[TD_PART_BAD_SPECULATION] = { 'S', "bad spec." },
	[TD_PART_FRONTEND] = { 'F', "frontend" },
	[TD_PART_BACKEND] = { 'B', "backend" },
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

enum td_part td_top_part_of(const struct td_report *report,
			    const struct td_node *node)
{
	return node->level == 1 ? td_part_of(report->columns[node->column].name)
				: TD_NR_PARTS;
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

void td_top_parts_find(struct td_top_parts *parts,
		       const struct td_report *report, const struct td_row *row)
{
	*parts = (struct td_top_parts){ 0 };
	for (int i = 0; i < TD_NR_PARTS; i++)
		parts->pct[i] = NAN;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
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
