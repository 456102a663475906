// SPDX-License-Identifier: GPL-2.0-only
/* The facts of a row: columns in addition to its metrics. */
#include "cmd/output/columns.h"

#include <math.h>

#include "lib/base/util.h"

#define OF_ROW(member)       TD_CELL_PERCENT, offsetof(struct td_row, member)
#define COUNT_OF_ROW(member) TD_CELL_COUNT, offsetof(struct td_row, member)
#define AFTER                .after = true
#define WITH_BUSY            .has = offsetof(struct td_report, has_busy)

#define TEXT_OF_ROW(member) TD_CELL_TEXT, offsetof(struct td_row, member)

static const char *const kinds[] = {
	[TD_ROW_INTERVAL] = "interval",
	[TD_ROW_SUMMARY] = "summary",
	[TD_ROW_MEAN] = "mean",
	[TD_ROW_SPREAD] = "spread",
};

/*
 * Facts of a row.  To add one, add a row here, a member to struct td_row and its init, and set it
 * in td_report_set_context() or metrics/eval.  In CSV and JSON, new ones follow the metrics, so that no
 * column moves.
 */
const struct td_sheet_column td_row_facts[] = {
	{ "busy", OF_ROW(busy_pct), .title = "%busy", .width = 5, WITH_BUSY },
	{ "share", OF_ROW(share_pct) },
	/* JSON contains it for each metric */
	{ "running", OF_ROW(running_least_pct), .csv_only = true },
	{ "ghz", TD_CELL_NUMBER, offsetof(struct td_row, ghz), AFTER, .title = "GHz", .width = 4,
	  WITH_BUSY, .unit = "GHz" },
	{ "ipc", OF_ROW(ipc), .title = "IPC", .width = 4,
	  .has = offsetof(struct td_report, has_ipc), .unit = "IPC", .digits = 2, .window = 100 },
	{ "lost_share", OF_ROW(lost_pct), AFTER, .title = "%lost", .width = 5,
	  .has = offsetof(struct td_report, has_lost), .unit = "% of all slots were lost here" },
	{ "slots", COUNT_OF_ROW(slots), AFTER },
	{ "cycles", COUNT_OF_ROW(activity.cycles), AFTER },
	{ "instructions", COUNT_OF_ROW(activity.instructions), AFTER },
	{ "kind", TD_CELL_WORD, offsetof(struct td_row, kind), kinds, AFTER },
	{ "interval", COUNT_OF_ROW(interval), AFTER },
	{ "seconds", TD_CELL_SECONDS, offsetof(struct td_row, seconds), AFTER },
	{ "cpu", COUNT_OF_ROW(cpu), AFTER, .optional = true },
	{ "core", TEXT_OF_ROW(core), AFTER, .optional = true },
	{ "cgroup", TEXT_OF_ROW(cgroup), AFTER, .optional = true },
	{ "comm", TEXT_OF_ROW(comm), AFTER, .optional = true },
	{ "tid", COUNT_OF_ROW(tid), AFTER, .optional = true },
	{ "container", TEXT_OF_ROW(container), AFTER, .optional = true },
	{ "host", TEXT_OF_ROW(host), AFTER, .optional = true },
};

const size_t td_nr_row_facts = TD_ARRAY_SIZE(td_row_facts);

double td_row_fact(const struct td_row *row, const struct td_sheet_column *fact)
{
	const void *at = (const char *)row + fact->offset;

	return fact->kind < TD_CELL_COUNT ? NAN : *(const double *)at;
}

const char *td_row_fact_text(const struct td_row *row, const struct td_sheet_column *fact)
{
	const void *at = (const char *)row + fact->offset;

	return fact->kind == TD_CELL_TEXT ? *(const char *const *)at : NULL;
}

static bool has(const struct td_report *report, const struct td_sheet_column *fact)
{
	const void *at = (const char *)report + fact->has;

	return fact->title && (!fact->has || *(const bool *)at);
}

unsigned int td_facts_shown(const struct td_report *report, unsigned int window)
{
	unsigned int shown = 0;

	for (size_t i = 0; i < td_nr_row_facts; i++)
		shown |= has(report, &td_row_facts[i]) && td_row_facts[i].window <= window ? 1U << i
											   : 0;
	return shown;
}
