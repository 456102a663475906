// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the row borrows from the interval's counts is copied or left out. */
static int copy_row(struct td_row *to, const struct td_row *from,
		    size_t nr_columns)
{
	*to = *from;
	to->ranked = NULL;
	to->unranked = NULL;
	to->region = NULL;
	to->id = strdup(from->id);
	to->cells = calloc(nr_columns + 1, sizeof(*to->cells));
	if (!to->id || !to->cells)
		return -ENOMEM;
	if (nr_columns)
		memcpy(to->cells, from->cells, nr_columns * sizeof(*to->cells));
	for (size_t i = 0; i < nr_columns; i++)
		to->cells[i].why = NULL;
	return 0;
}

static void free_kept(struct td_report *kept)
{
	for (size_t i = 0; i < kept->nr_rows; i++) {
		char *id = (char *)(uintptr_t)kept->rows[i].id;

		free(id);
	}
	td_report_free(kept);
}

int td_top_keep(struct td_report *kept, const struct td_report *report,
		struct td_err *err)
{
	free_kept(kept);
	*kept = *report;
	kept->regions = NULL;
	kept->nr_rows = kept->nr_kept = 0;
	kept->rows = calloc(report->nr_rows + 1, sizeof(*kept->rows));
	if (!kept->rows)
		return td_err_nomem(err);
	while (kept->nr_rows < report->nr_rows) {
		size_t i = kept->nr_rows++;

		if (copy_row(&kept->rows[i], &report->rows[i],
			     report->nr_columns))
			return td_err_nomem(err);
	}
	return 0;
}

void td_top_snapshot_free(struct td_top_snapshot *snapshot)
{
	free_kept(&snapshot->whole);
	free_kept(&snapshot->rows);
	*snapshot = (struct td_top_snapshot){ 0 };
}
