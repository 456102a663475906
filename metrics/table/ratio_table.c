// SPDX-License-Identifier: GPL-2.0-only
/* The table of --metric-only with events: ratios without the counts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/table/table.h"

/* Return the title of a ratio: "page-faults/sec" for rates, else its unit, "insn per cycle". */
static char *column_name(const char *event, const struct td_ratio *ratio)
{
	const char *slash = strchr(event, '/');
	const char *base = slash ? slash + 1 : event;

	if (!ratio->rate)
		return td_strdup(ratio->unit);
	return td_aprintf("%.*s/sec", (int)strcspn(base, "/:"), base);
}

static size_t find_column(const struct td_ratio_table *table, const char *name)
{
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(&table->names, hash, &step);
	} while (at != TD_NOT_FOUND && strcmp(table->columns[at].name, name) != 0);
	return at == TD_NOT_FOUND ? table->nr : at;
}

/* Return 1 + the index of a core PMU with rows of its own; 0 for all others: they share rows. */
static int row_pmu(const struct td_ratio_table *table, int pmu)
{
	const struct td_machine *machine = table->machine;
	bool core = pmu >= 0 && (size_t)pmu < machine->nr_core;

	return core && machine->nr_core > 1 && !table->merge ? pmu + 1 : 0;
}

static const char *pmu_name(const struct td_machine *machine, int row_pmu)
{
	return row_pmu ? machine->pmus[row_pmu - 1].name : "all";
}

/* Add a column, which takes ownership of name. */
static void add_column(struct td_ratio_table *table, char *name, bool percent)
{
	struct td_column *column = td_array_add(&table->columns, table->nr, sizeof(*column));
	uint64_t *pmus = td_array_add(&table->pmus, table->nr, sizeof(*pmus));
	struct td_node *node = td_array_add(&table->nodes, table->nr, sizeof(*node));

	td_index_add(&table->names, td_hash_text(name), table->nr);
	*column = (struct td_column){ name, percent ? "%" : "", true };
	*node = (struct td_node){ .column = (int)table->nr };
	table->nr++;
}

static void add_ratio(struct td_ratio_table *table, const struct td_event *event,
		      const struct td_ratio *ratio)
{
	char *name = column_name(event->name, ratio);
	size_t column = find_column(table, name);

	if (column < table->nr)
		free(name);
	else
		add_column(table, name, ratio->percent);
	table->pmus[column] |= UINT64_C(1) << row_pmu(table, event->pmu);
	table->all_pmus |= table->pmus[column];
}

int td_ratio_table_build(struct td_ratio_table *table, const struct td_plan *plan,
			 const struct td_machine *machine, bool merge, struct td_err *err)
{
	td_autofree struct td_total *totals = td_calloc(plan->events.nr + 1, sizeof(*totals));
	struct td_ratios ratios;

	*table = (struct td_ratio_table){ .machine = machine, .merge = merge };
	for (size_t i = 0; i < plan->events.nr; i++)
		totals[i].value = 1;
	td_ratios_build(&ratios, plan);
	td_ratios_count(&ratios, totals, 1);
	/* the columns are the ratios that events have if all counts are 1 */
	for (size_t i = 0; i < plan->events.nr; i++) {
		struct td_event_row row = { 0 };

		td_ratios_fill(&ratios, 0, (int)i, 1, &row);
		for (int r = 0; r < row.nr_ratios; r++)
			add_ratio(table, &plan->events.v[i], &row.ratios[r]);
	}
	td_ratios_free(&ratios);
	return table->nr ? 0 : td_err_set(err, -ENODATA, "these events have no ratio");
}

static struct td_row *add_row(const struct td_ratio_table *table, struct td_report *report,
			      const struct td_event_row *event)
{
	int pmu = row_pmu(table, event->pmu);
	struct td_row *row = td_report_add_row(report, event->id, pmu_name(table->machine, pmu));

	for (size_t i = 0; i < table->nr; i++) {
		struct td_cell *cell = &row->cells[i];

		if (table->pmus[i] & UINT64_C(1) << pmu)
			cell->status = TD_STATUS_NOT_COUNTED;
		cell->over_unknown = cell->matters = true;
	}
	row->nodes = table->nodes;
	row->nr_nodes = table->nr;
	return row;
}

/* Find or add the row of an event; index contains the report's rows. */
static struct td_row *find_row(const struct td_ratio_table *table, struct td_report *report,
			       struct td_index *index, const struct td_event_row *event)
{
	const char *pmu = pmu_name(table->machine, row_pmu(table, event->pmu));
	uint64_t hash = td_hash_more(td_hash_text(event->id), td_hash_text(pmu));
	size_t step = 0, at;

	while ((at = td_index_next(index, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(report->rows[at].id, event->id) == 0 &&
		    strcmp(report->rows[at].pmu, pmu) == 0)
			return &report->rows[at];
	}
	td_index_add(index, hash, report->nr_rows);
	return add_row(table, report, event);
}

static void fill_cells(const struct td_ratio_table *table, const struct td_event_row *event,
		       struct td_row *row)
{
	for (int i = 0; i < event->nr_ratios; i++) {
		const struct td_ratio *ratio = &event->ratios[i];
		td_autofree char *name = column_name(event->event, ratio);
		size_t column = find_column(table, name);

		if (column == table->nr)
			continue;
		row->cells[column].status = TD_STATUS_OK;
		row->cells[column].value = ratio->plain;
		row->cells[column].running_pct = event->running_pct;
		row->running_pct = fmax(row->running_pct, event->running_pct);
	}
}

void td_ratio_table_fill(const struct td_ratio_table *table, const struct td_event_report *events,
			 struct td_report *report)
{
	struct td_index index = { 0 };

	td_report_clear(report);
	report->time_ns = events->time_ns;
	report->columns = table->columns;
	report->nr_columns = table->nr;
	for (size_t i = 0; i < events->nr_rows; i++) {
		const struct td_event_row *event = &events->rows[i];
		struct td_row *row;

		if (!(table->all_pmus & UINT64_C(1) << row_pmu(table, event->pmu)))
			continue;
		row = find_row(table, report, &index, event);
		fill_cells(table, event, row);
	}
	td_index_free(&index);
}

void td_ratio_table_free(struct td_ratio_table *table)
{
	for (size_t i = 0; i < table->nr; i++)
		free((char *)(uintptr_t)table->columns[i].name);
	free(table->columns);
	free(table->pmus);
	free(table->nodes);
	td_index_free(&table->names);
	*table = (struct td_ratio_table){ 0 };
}
