// SPDX-License-Identifier: GPL-2.0-only
/* The layout of tables of intervals: which form fits the window. */
#include "cmd/out/table.h"
#include "cmd/out/facts.h"
#include "cmd/out/time.h"

#include <limits.h>
#include <string.h>

#include "lib/base/printable.h"
#include "lib/count/aggregation.h"

#define MIN_ID_WIDTH 8
#define WIDE_CELL    20

const struct td_table_block *td_table_block_of(const struct td_table *table,
					       const struct td_row *row)
{
	const struct td_table_block *block = table->blocks;

	while (block->pmu && strcmp(block->pmu, row->pmu) != 0)
		block++;
	return block;
}

/* True if a row of this PMU has the column; pmu NULL: of any. */
static bool has_column(const struct td_report *report, const char *pmu,
		       size_t column)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if ((!pmu || strcmp(row->pmu, pmu) == 0) &&
		    row->cells[column].status != TD_STATUS_NONE)
			return report->columns[column].present;
	}
	return false;
}

/* True if a PMU does not have a column that the machine has. */
static bool is_sparse(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		for (size_t c = 0; c < report->nr_columns; c++)
			if (report->columns[c].present &&
			    !has_column(report, report->rows[i].pmu, c))
				return true;
	return false;
}

static bool has_block(const struct td_table *table, const char *pmu)
{
	for (size_t i = 0; pmu && i < table->nr_blocks; i++)
		if (strcmp(table->blocks[i].pmu, pmu) == 0)
			return true;
	return false;
}

/* Of a PMU, or of all if it is NULL.  False if there are too many columns. */
static bool add_block(struct td_table *table, const struct td_report *report,
		      const char *pmu)
{
	struct td_table_block *block = &table->blocks[table->nr_blocks];

	if (has_block(table, pmu))
		return true;
	if (table->nr_blocks == TD_MAX_BLOCKS)
		return false;
	*block = (struct td_table_block){ .pmu = pmu };
	table->nr_blocks++;
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!has_column(report, pmu, i))
			continue;
		if (block->nr == TD_MAX_COLUMNS)
			return false;
		block->columns[block->nr++] = (int)i;
		table->percent &= td_table_is_percent(&report->columns[i]);
	}
	return true;
}

bool td_table_blocks(struct td_table *table, const struct td_report *report)
{
	bool fits = true;

	table->percent = true;
	if (!is_sparse(report))
		return add_block(table, report, NULL);
	for (size_t i = 0; fits && i < report->nr_rows; i++)
		fits = add_block(table, report, report->rows[i].pmu);
	return fits;
}

static void widen(int *width, const char *text)
{
	int len = td_printable_width(text);

	if (len > *width)
		*width = len;
}

static void widen_start(struct td_table *table, const struct td_report *report)
{
	char id[TD_SHOWN_SIZE];

	for (size_t i = 0; i < report->nr_rows; i++) {
		widen(&table->id_width, td_row_shown(&report->rows[i], id));
		widen(&table->pmu_width, report->rows[i].pmu);
	}
}

/* An id takes a third of the window at most, as a cgroup's may be long. */
static void limit_start(struct td_table *table, const struct td_frame *frame)
{
	int limit = (int)frame->screen_columns / 3;

	if (limit < MIN_ID_WIDTH)
		limit = MIN_ID_WIDTH;
	if (table->id_width > limit)
		table->id_width = limit;
	if (table->pmu_width > limit)
		table->pmu_width = limit;
}

static void measure_start(struct td_table *table, const struct td_frame *frame,
			  const struct td_report *report)
{
	table->facts = td_facts_shown(report, frame->screen_columns);
	table->start_width = td_out_time_width(frame, TD_TIME_WIDTH) +
			     td_facts_width(table->facts);
	if (frame->show_id)
		table->start_width += 1 + table->id_width;
	if (frame->show_pmu)
		table->start_width += 1 + table->pmu_width;
	/* a mark may stand behind the last value */
	table->room = (int)frame->screen_columns - table->start_width - 1;
}

int td_table_wide_width(const struct td_column *column)
{
	int gap = *column->unit ? 2 : 0; /* in "%  tma_retiring" */
	int len = td_printable_width(column->unit) + gap +
		  td_printable_width(column->name);

	return len > WIDE_CELL ? len : WIDE_CELL;
}

int td_table_id_width(const struct td_frame *frame)
{
	int width = td_aggregation_row(frame->how)->width;

	if (frame->show_cgroup)
		width += width ? 1 + TD_CGROUP_WIDTH : TD_CGROUP_WIDTH;
	return width > MIN_ID_WIDTH ? width : MIN_ID_WIDTH;
}

static int wide_start_width(const struct td_table *table,
			    const struct td_frame *frame)
{
	int width = td_out_time_width(frame, TD_WIDE_TIME_WIDTH);
	int id = td_table_id_width(frame);

	if (frame->show_id)
		width += 1 + (table->id_width > id ? table->id_width : id);
	if (frame->show_pmu)
		width += 1 + (table->pmu_width > TD_PMU_WIDTH ? table->pmu_width
							      : TD_PMU_WIDTH);
	return width;
}

static bool fits_wide(const struct td_table *table,
		      const struct td_frame *frame,
		      const struct td_report *report)
{
	int width = wide_start_width(table, frame) +
		    td_facts_width(td_facts_shown(report, UINT_MAX)) + 1;

	for (size_t i = 0; i < report->nr_columns; i++)
		if (report->columns[i].present)
			width += 1 + td_table_wide_width(&report->columns[i]);
	return width <= (int)frame->screen_columns;
}

struct td_table td_table_make(const struct td_frame *frame,
			      const struct td_report *report,
			      const struct td_table *last)
{
	struct td_table table = { .id_width = last->id_width,
				  .pmu_width = last->pmu_width };

	widen_start(&table, report);
	if (!frame->screen_columns)
		table.form = frame->trees ? TD_TABLE_TREES : TD_TABLE_WIDE;
	else if (!frame->trees && fits_wide(&table, frame, report))
		table.form = TD_TABLE_WIDE;
	else if (!td_table_blocks(&table, report))
		table.form = TD_TABLE_TREES;
	else
		table.form = TD_TABLE_NARROW;
	if (table.form != TD_TABLE_NARROW)
		return table;
	limit_start(&table, frame);
	measure_start(&table, frame, report);
	td_table_fit(&table, report);
	return table;
}

static bool is_same_block(const struct td_table_block *a,
			  const struct td_table_block *b)
{
	bool same = a->nr == b->nr && !a->pmu == !b->pmu &&
		    (!a->pmu || strcmp(a->pmu, b->pmu) == 0);

	for (int i = 0; same && i < a->nr; i++)
		same = a->columns[i] == b->columns[i];
	return same;
}

bool td_table_is_same(const struct td_table *table, const struct td_table *last)
{
	bool same = table->form == last->form;

	if (!same || table->form != TD_TABLE_NARROW)
		return same;
	same = table->start_width == last->start_width &&
	       table->id_width == last->id_width && table->room == last->room &&
	       table->letters == last->letters && table->facts == last->facts &&
	       table->nr_blocks == last->nr_blocks;
	for (size_t i = 0; same && i < table->nr_blocks; i++)
		same = is_same_block(&table->blocks[i], &last->blocks[i]);
	return same;
}
