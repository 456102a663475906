// SPDX-License-Identifier: GPL-2.0-only
/* The facts of rows. */
#include "cmd/out/facts.h"

#include "lib/base/util.h"

#define OF_ROW(member) TD_CELL_PERCENT, offsetof(struct td_row, member)
#define WITH_BUSY      .has = offsetof(struct td_report, has_busy)

/* To add one, add a row here, and its member to struct td_row and its init. */
const struct td_sheet_column td_row_facts[] = {
	{ "busy", OF_ROW(busy_pct), .title = "%busy", .width = 5, WITH_BUSY },
	{ "share", OF_ROW(share_pct) },
	/* in JSON, that of each metric */
	{ "running", OF_ROW(running_pct), .csv_only = true },
	{ NULL, OF_ROW(ghz), .title = "GHz", .width = 4, WITH_BUSY,
	  .unit = "GHz" },
	{ "ipc", OF_ROW(ipc), .title = "IPC", .width = 4,
	  .has = offsetof(struct td_report, has_ipc), .unit = "IPC",
	  .digits = 2, .window = 100 },
};

const size_t td_nr_row_facts = TD_ARRAY_SIZE(td_row_facts);

double td_row_fact(const struct td_row *row, const struct td_sheet_column *fact)
{
	const void *at = (const char *)row + fact->offset;

	return *(const double *)at;
}

static bool has(const struct td_report *report,
		const struct td_sheet_column *fact)
{
	const void *at = (const char *)report + fact->has;

	return fact->title && (!fact->has || *(const bool *)at);
}

unsigned int td_facts_shown(const struct td_report *report, unsigned int window)
{
	unsigned int shown = 0;

	for (size_t i = 0; i < td_nr_row_facts; i++)
		shown |= has(report, &td_row_facts[i]) &&
					 td_row_facts[i].window <= window
				 ? 1U << i
				 : 0;
	return shown;
}

int td_facts_width(unsigned int shown)
{
	int width = 0;

	for (size_t i = 0; i < td_nr_row_facts; i++)
		width += shown & 1U << i ? 1 + td_row_facts[i].width : 0;
	return width;
}
