// SPDX-License-Identifier: GPL-2.0-only
/* What was compared, as a sheet, and what its writers have in common. */
#include <math.h>

#include "cmd/out/out.h"
#include "lib/base/util.h"

static const char *const kinds[] = {
	[TD_DIFF_TIME] = "time",
	[TD_DIFF_IPC] = "ipc",
	[TD_DIFF_METRIC] = "metric",
	[TD_DIFF_EVENT] = "event",
};

#define OF(member) offsetof(struct td_diff_row, member)

/* Differences of percentages may be small: they are written as other values. */
static const struct td_sheet_column columns[] = {
	{ "kind", TD_CELL_WORD, OF(kind), .words = kinds },
	{ "id", TD_CELL_TEXT, OF(id) },
	{ "pmu", TD_CELL_TEXT, OF(pmu) },
	{ "name", TD_CELL_TEXT, OF(name) },
	{ "unit", TD_CELL_TEXT, OF(unit) },
	{ "level", TD_CELL_LEVEL, OF(level) },
	{ "a", TD_CELL_NUMBER, OF(value.of[TD_DIFF_A]) },
	{ "b", TD_CELL_NUMBER, OF(value.of[TD_DIFF_B]) },
	{ "difference", TD_CELL_NUMBER, OF(value.diff) },
	{ "error", TD_CELL_NUMBER, OF(value.error) },
	{ "degrees", TD_CELL_NUMBER, OF(value.degrees) },
	{ "percent", TD_CELL_NUMBER, OF(change_pct) },
	{ "percent_error", TD_CELL_NUMBER, OF(change_error) },
	{ "per", TD_CELL_TEXT, OF(per) },
	{ "slots_a", TD_CELL_NUMBER, OF(slots.of[TD_DIFF_A]) },
	{ "slots_b", TD_CELL_NUMBER, OF(slots.of[TD_DIFF_B]) },
	{ "slots_difference", TD_CELL_NUMBER, OF(slots.diff) },
	{ "slots_error", TD_CELL_NUMBER, OF(slots.error) },
	{ "slots_degrees", TD_CELL_NUMBER, OF(slots.degrees) },
	{ "marked", TD_CELL_FLAG, OF(marked) },
};

struct td_sheet td_out_diff_sheet(void)
{
	return (struct td_sheet){ .columns = columns,
				  .nr_columns = TD_ARRAY_SIZE(columns) };
}

void td_out_put_diff(struct td_writer *writer, const struct td_diff *diff)
{
	struct td_sheet sheet = td_out_diff_sheet();

	sheet.rows = diff->rows;
	sheet.nr_rows = diff->nr;
	sheet.row_size = sizeof(*diff->rows);

	if (writer->out->diff)
		writer->out->diff(writer, diff);
	else
		writer->out->sheet(writer, &sheet);
}

int td_out_diff_decimals(double value)
{
	double size = fabs(value);

	return size < 10 ? 4 : size < 1000 ? 2 : 0;
}

bool td_out_diff_is_percent(const struct td_diff_row *row)
{
	return row->unit[0] == '%';
}

int td_out_diff_row_decimals(const struct td_diff_row *row)
{
	const double *of = row->value.of;

	if (td_out_diff_is_percent(row))
		return 2;
	return row->kind == TD_DIFF_EVENT
		       ? td_out_diff_decimals(
				 fmax(fabs(of[TD_DIFF_A]), fabs(of[TD_DIFF_B])))
		       : 3;
}

void td_out_diff_put_number(FILE *fp, const struct td_diff_side *side)
{
	if (side->is_command)
		fprintf(fp, ", %zu run%s", side->nr, side->nr == 1 ? "" : "s");
	else if (side->nr > 1)
		fprintf(fp, " and %zu more", side->nr - 1);
}

bool td_out_diff_has_slots(const struct td_diff *diff)
{
	return diff->per != TD_PER_SLOTS;
}
