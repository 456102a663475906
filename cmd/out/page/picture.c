// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/page/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/util.h"

#define ALL_PCT 100

/* The part of level 1; what is of none has the parts' colours by turns. */
static int find_hue(const char *name, int turn)
{
	enum td_part part = td_part_of(name);

	return part == TD_NR_PARTS ? turn % TD_NR_PARTS : (int)part;
}

/* The colour tells the part of level 1, even where that is not shown. */
static const char *name_of_hue(const struct td_drawn *drawn)
{
	return drawn->node->parent ? drawn->node->parent : drawn->column->name;
}

const struct td_node *td_page_nodes(const struct td_row *row)
{
	return row->ranked ? row->unranked : row->nodes;
}

static int find_above(const struct td_picture *picture, size_t i)
{
	const char *parent = picture->v[i].node->parent;

	for (size_t j = i; parent && j-- > 0;) {
		if (strcmp(picture->v[j].column->name, parent) == 0)
			return (int)j;
	}
	return -1;
}

static void add(struct td_picture *picture, const struct td_report *report,
		const struct td_row *row, size_t i)
{
	const struct td_node *node = &td_page_nodes(row)[i];
	const struct td_cell *cell = &row->cells[node->column];
	bool ok = cell->status == TD_STATUS_OK;

	picture->v[i] = (struct td_drawn){
		.node = node,
		.column = &report->columns[node->column],
		.value = td_cell_value(cell),
		.error = ok ? cell->error : NAN,
		.mark = ok ? td_out_table_mark(row, cell) : '\0',
	};
}

int td_picture_make(struct td_picture *picture, const struct td_report *report,
		    const struct td_row *row)
{
	*picture = (struct td_picture){ 0 };
	picture->v = calloc(row->nr_nodes + 1, sizeof(*picture->v));
	if (!picture->v)
		return -ENOMEM;
	picture->nr = row->nr_nodes;
	for (size_t i = 0; i < picture->nr; i++)
		add(picture, report, row, i);
	td_picture_place(picture);
	return 0;
}

/* What is outside of the tree, or has no share, is not drawn. */
static double share(const struct td_drawn *drawn)
{
	return drawn->node->level && drawn->value > 0 &&
			       isfinite(drawn->value) &&
			       drawn->column->unit[0] == '%'
		       ? drawn->value
		       : 0;
}

static void hang(struct td_picture *picture, double *top)
{
	int turn = 0;

	for (size_t i = 0; i < picture->nr; i++) {
		struct td_drawn *d = &picture->v[i];
		struct td_drawn *above;

		d->above = find_above(picture, i);
		above = d->above < 0 ? NULL : &picture->v[d->above];
		d->depth = above ? above->depth + 1 : 0;
		d->hue = above ? above->hue : find_hue(name_of_hue(d), turn++);
		d->sum = 0;
		*(above ? &above->sum : top) += share(d);
	}
}

void td_picture_place(struct td_picture *picture)
{
	double top = 0, next = 0;

	hang(picture, &top);
	picture->depth = 0;
	for (size_t i = 0; i < picture->nr; i++) {
		struct td_drawn *d = &picture->v[i];
		struct td_drawn *above =
			d->above < 0 ? NULL : &picture->v[d->above];
		double whole = above ? fmax(above->sum, share(above))
				     : fmax(top, ALL_PCT);
		double room = above ? above->to - above->from : 1;

		d->from = above ? above->next : next;
		d->to = d->from + (whole > 0 ? room * share(d) / whole : 0);
		d->next = d->from;
		*(above ? &above->next : &next) = d->to;
		if (d->to > d->from && d->depth >= picture->depth)
			picture->depth = d->depth + 1;
	}
}

void td_picture_free(struct td_picture *picture)
{
	free(picture->v);
	*picture = (struct td_picture){ 0 };
}
