// SPDX-License-Identifier: GPL-2.0-only
/* The table of --metric-only with events: ratios without the counts. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/table/table.h"

/*
 * The column of a ratio: "page-faults/sec" for rates, which several events
 * have; else the ratio's unit, "insn per cycle".
 */
static char *column_name(const char *event, const struct td_ratio *ratio)
{
	const char *slash = strchr(event, '/');
	const char *base = slash ? slash + 1 : event;
	char *name = NULL;

	if (!ratio->rate)
		return strdup(ratio->unit);
	return asprintf(&name, "%.*s/sec", (int)strcspn(base, "/:"), base) < 0
		       ? NULL
		       : name;
}

static size_t find_column(const struct td_ratio_table *table, const char *name)
{
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(&table->names, hash, &step);
	} while (at != TD_NOT_FOUND &&
		 strcmp(table->columns[at].name, name) != 0);
	return at == TD_NOT_FOUND ? table->nr : at;
}

/*
 * The index of a PMU among the rows' PMUs: 0 if it is no core's or all are
 * merged.
 */
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

/* Adds a column and takes over name. */
static int add_column(struct td_ratio_table *table, char *name, bool percent)
{
	struct td_column *column =
		td_array_add(&table->columns, table->nr, sizeof(*column));
	uint64_t *pmus = td_array_add(&table->pmus, table->nr, sizeof(*pmus));
	struct td_node *node =
		td_array_add(&table->nodes, table->nr, sizeof(*node));

	if (!column || !pmus || !node ||
	    td_index_add(&table->names, td_hash_text(name), table->nr)) {
		free(name);
		return -ENOMEM;
	}
	*column = (struct td_column){ name, percent ? "%" : "", true };
	*node = (struct td_node){ .column = (int)table->nr };
	table->nr++;
	return 0;
}

static int add_ratio(struct td_ratio_table *table, const struct td_event *event,
		     const struct td_ratio *ratio)
{
	char *name = column_name(event->name, ratio);
	size_t column;

	if (!name)
		return -ENOMEM;
	column = find_column(table, name);
	if (column < table->nr)
		free(name);
	else if (add_column(table, name, ratio->percent))
		return -ENOMEM;
	table->pmus[column] |= UINT64_C(1) << row_pmu(table, event->pmu);
	table->all_pmus |= table->pmus[column];
	return 0;
}

/*
 * Adds the columns of the ratios that an event would have if all counts were 1.
 */
static int add_event(struct td_ratio_table *table,
		     const struct td_ratios *ratios, int event)
{
	struct td_event_row row = { 0 };
	int rc = 0;

	td_ratios_fill(ratios, 0, event, 1, &row);
	for (int i = 0; !rc && i < row.nr_ratios; i++)
		rc = add_ratio(table, &ratios->plan->events.v[event],
			       &row.ratios[i]);
	return rc;
}

int td_ratio_table_build(struct td_ratio_table *table,
			 const struct td_plan *plan,
			 const struct td_machine *machine, bool merge,
			 struct td_err *err)
{
	td_autofree struct td_total *totals =
		calloc(plan->events.nr + 1, sizeof(*totals));
	struct td_ratios ratios = { 0 };
	int rc = totals ? 0 : -ENOMEM;

	*table = (struct td_ratio_table){ .machine = machine, .merge = merge };
	for (size_t i = 0; totals && i < plan->events.nr; i++)
		totals[i].value = 1;
	if (!rc)
		rc = td_ratios_build(&ratios, plan);
	if (!rc)
		rc = td_ratios_count(&ratios, totals, 1);
	for (size_t i = 0; !rc && i < plan->events.nr; i++)
		rc = add_event(table, &ratios, (int)i);
	td_ratios_free(&ratios);
	if (rc)
		return td_err_nomem(err);
	return table->nr ? 0
			 : td_err_set(err, -ENODATA,
				      "these events have no ratio");
}

static struct td_row *add_row(const struct td_ratio_table *table,
			      struct td_report *report,
			      const struct td_event_row *event)
{
	int pmu = row_pmu(table, event->pmu);
	struct td_row *row = td_report_add_row(report, event->id,
					       pmu_name(table->machine, pmu));

	if (!row)
		return NULL;
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

/* Does the PMU have any column? */
static bool has_columns(const struct td_ratio_table *table, int pmu)
{
	return table->all_pmus & UINT64_C(1) << row_pmu(table, pmu);
}

/* Finds or adds the row of an event; index has the report's rows. */
static struct td_row *find_row(const struct td_ratio_table *table,
			       struct td_report *report, struct td_index *index,
			       const struct td_event_row *event)
{
	const char *pmu = pmu_name(table->machine, row_pmu(table, event->pmu));
	uint64_t hash =
		td_hash_more(td_hash_text(event->id), td_hash_text(pmu));
	size_t step = 0, at;

	while ((at = td_index_next(index, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(report->rows[at].id, event->id) == 0 &&
		    strcmp(report->rows[at].pmu, pmu) == 0)
			return &report->rows[at];
	}
	if (td_index_add(index, hash, report->nr_rows))
		return NULL;
	return add_row(table, report, event);
}

static int fill_cells(const struct td_ratio_table *table,
		      const struct td_event_row *event, struct td_row *row)
{
	for (int i = 0; i < event->nr_ratios; i++) {
		const struct td_ratio *ratio = &event->ratios[i];
		td_autofree char *name = column_name(event->event, ratio);
		size_t column;

		if (!name)
			return -ENOMEM;
		column = find_column(table, name);
		if (column == table->nr)
			continue;
		row->cells[column].status = TD_STATUS_OK;
		row->cells[column].value = ratio->plain;
		row->cells[column].running_pct = event->running_pct;
		row->running_pct = fmax(row->running_pct, event->running_pct);
	}
	return 0;
}

int td_ratio_table_fill(const struct td_ratio_table *table,
			const struct td_event_report *events,
			struct td_report *report, struct td_err *err)
{
	struct td_index index = { 0 };
	int rc = 0;

	td_report_clear(report);
	report->time_ns = events->time_ns;
	report->columns = table->columns;
	report->nr_columns = table->nr;
	for (size_t i = 0; !rc && i < events->nr_rows; i++) {
		const struct td_event_row *event = &events->rows[i];
		struct td_row *row;

		if (!has_columns(table, event->pmu))
			continue;
		row = find_row(table, report, &index, event);
		rc = row ? fill_cells(table, event, row) : -ENOMEM;
	}
	td_index_free(&index);
	return rc ? td_err_nomem(err) : 0;
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

/* --- prepares the divisors of ratios for all ids -------------------------- */

/* Counts of events of a typed group: on one PMU, on ANY, and of SOFTWARE. */
#define ANY      UINT32_MAX
#define SOFTWARE (UINT32_MAX - 1)

static uint64_t hash_group(const struct td_event *event, uint32_t pmu)
{
	return td_hash((uint64_t)(uint32_t)event->group << 32 | pmu);
}

static size_t count_in_group(const struct td_index *groups,
			     const struct td_event *event, uint32_t pmu)
{
	size_t nr = td_index_find(groups, hash_group(event, pmu));

	return nr == TD_NOT_FOUND ? 0 : nr;
}

static int add_to_group(struct td_index *groups, const struct td_event *event,
			uint32_t pmu)
{
	return td_index_set(groups, hash_group(event, pmu),
			    count_in_group(groups, event, pmu) + 1);
}

/*
 * Is the event in a group with others?  A typed {} becomes a group for each PMU
 * in it, and software events join the events of any PMU.
 */
static bool has_group(const struct td_index *groups,
		      const struct td_event *event)
{
	if (event->group < 0)
		return false;
	if (td_ratio_is_software(event))
		return count_in_group(groups, event, ANY) > 1;
	return count_in_group(groups, event, (uint32_t)event->pmu) > 1 ||
	       count_in_group(groups, event, SOFTWARE) > 0;
}

static int find_groups(struct td_ratios *ratios)
{
	const struct td_plan *plan = ratios->plan;
	struct td_index groups = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->group < 0)
			continue;
		rc = add_to_group(&groups, event, ANY);
		if (!rc)
			rc = add_to_group(&groups, event, (uint32_t)event->pmu);
		if (!rc && td_ratio_is_software(event))
			rc = add_to_group(&groups, event, SOFTWARE);
	}
	for (size_t i = 0; !rc && i < plan->events.nr; i++)
		ratios->events[i].grouped =
			has_group(&groups, &plan->events.v[i]);
	td_index_free(&groups);
	return rc;
}

/* Finds the number of a divisor, or gives it the next one. */
static int number_divisor(struct td_ratios *ratios, uint64_t hash, size_t *out)
{
	*out = td_index_find(&ratios->divisors, hash);
	if (*out != TD_NOT_FOUND)
		return 0;
	*out = ratios->nr_divisors++;
	return td_index_add(&ratios->divisors, hash, *out);
}

static int know_event(struct td_ratios *ratios, size_t i)
{
	const struct td_event *event = &ratios->plan->events.v[i];
	struct td_ratio_event *known = &ratios->events[i];
	int rc;

	known->kind = td_ratio_kind(event);
	known->excluded = td_ratio_excluded(&event->mods);
	known->divisor = known->divisor_in_group = TD_NO_DIVISOR;
	if (!td_ratio_is_divisor(known->kind) || event->hidden ||
	    event->refusal)
		return 0;
	rc = number_divisor(ratios,
			    td_ratio_divisor_key(known->kind, known->excluded,
						 event->pmu, -1),
			    &known->divisor);
	if (!rc && event->group >= 0)
		rc = number_divisor(
			ratios,
			td_ratio_divisor_key(known->kind, known->excluded,
					     event->pmu, event->group),
			&known->divisor_in_group);
	return rc;
}

/* Finds, for one id, the first event of each divisor that was counted. */
static void find_firsts(const struct td_ratios *ratios,
			const struct td_total *totals, int *firsts)
{
	const struct td_plan *plan = ratios->plan;

	for (size_t divisor = 0; divisor < ratios->nr_divisors; divisor++)
		firsts[divisor] = -1;
	for (size_t i = plan->events.nr; i > 0; i--) {
		const struct td_ratio_event *known = &ratios->events[i - 1];

		if (known->divisor == TD_NO_DIVISOR ||
		    !td_ratio_is_counted(&plan->events.v[i - 1],
					 &totals[i - 1]))
			continue;
		firsts[known->divisor] = (int)i - 1;
		if (known->divisor_in_group != TD_NO_DIVISOR)
			firsts[known->divisor_in_group] = (int)i - 1;
	}
}

int td_ratios_build(struct td_ratios *ratios, const struct td_plan *plan)
{
	int rc = 0;

	*ratios = (struct td_ratios){
		.plan = plan,
		.events = calloc(plan->events.nr + 1, sizeof(*ratios->events)),
	};
	if (!ratios->events)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < plan->events.nr; i++)
		rc = know_event(ratios, i);
	return rc ? rc : find_groups(ratios);
}

int td_ratios_count(struct td_ratios *ratios, const struct td_total *totals,
		    size_t nr_ids)
{
	ratios->totals = totals;
	if (td_array_clear(&ratios->firsts, nr_ids * ratios->nr_divisors,
			   sizeof(*ratios->firsts)))
		return -ENOMEM;
	for (size_t id = 0; id < nr_ids; id++)
		find_firsts(ratios, totals + id * ratios->plan->events.nr,
			    ratios->firsts + id * ratios->nr_divisors);
	return 0;
}

void td_ratios_free(struct td_ratios *ratios)
{
	free(ratios->events);
	free(ratios->firsts);
	td_index_free(&ratios->divisors);
	*ratios = (struct td_ratios){ 0 };
}
