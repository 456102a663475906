// SPDX-License-Identifier: GPL-2.0-only
/* Adds the rows of an interval to the counters. */
#include <math.h>
#include <string.h>

#include "cmd/serve/counters.h"
#include "lib/base/util.h"

#define NS_A_SECOND 1e9

/* A level of the tree, and its counters. */
struct level {
	int level;
	const char *group;
	enum td_family_kind whole, parts;
};

static const struct level levels[] = {
	{ 1, "level1", TD_FAMILY_SLOTS, TD_FAMILY_LEVEL_1 },
	{ 2, "level2", TD_FAMILY_L2_SLOTS, TD_FAMILY_LEVEL_2 },
};

/* A row of the interval, and the counters that it is added to. */
struct place {
	struct td_counters *counters;
	const struct td_report *report;
	const struct td_row *row;
	const char *id; /* the value of its label; NULL: no label */
};

static struct td_series_key key_of(const struct place *place)
{
	return (struct td_series_key){ .pmu = place->row->pmu, .id = place->id };
}

static void put(const struct place *place, enum td_family_kind kind, double value)
{
	const struct td_series_key key = key_of(place);

	td_series_put(place->counters, kind, &key, value);
}

static const struct td_cell *cell_of(const struct place *place, const struct td_node *node)
{
	return &place->row->cells[node->column];
}

static bool has_value(const struct td_cell *cell)
{
	return cell->status == TD_STATUS_OK && isfinite(cell->value);
}

static bool is_share(const struct place *place, const struct td_node *node)
{
	return strcmp(place->report->columns[node->column].unit, "%") == 0;
}

/* A metric with modifiers, NAME:u, is a share of other slots than the row's. */
static bool is_of_level(const struct place *place, const struct td_node *node, int level)
{
	return node->level == level && is_share(place, node) &&
	       !strchr(place->report->columns[node->column].name, ':');
}

/* Can the row's PMU count the events of the cell? */
static bool can_be_counted(const struct td_cell *cell)
{
	return cell->status == TD_STATUS_OK || cell->status == TD_STATUS_NOT_COUNTED;
}

/* How much of a level was counted in a row. */
struct extent {
	size_t nr;         /* nodes that can be counted */
	size_t nr_lost;    /* nodes without a value */
	double counted_ns; /* minimum over the nodes */
	double enabled_ns;
};

static void extend(struct extent *extent, const struct td_cell *cell)
{
	double ns = has_value(cell) ? (double)cell->running_ns : 0;

	if (!extent->nr || ns < extent->counted_ns)
		extent->counted_ns = ns;
	if (ns > 0 && cell->running_pct > 0)
		extent->enabled_ns = fmax(extent->enabled_ns, ns * 100 / cell->running_pct);
	extent->nr++;
	extent->nr_lost += !has_value(cell);
}

/*
 * Return how much of a level was counted.  Whole CPUs without counts were enabled for
 * the whole time, but tasks and cgroups may not have run at all.
 */
static struct extent measure(const struct place *place, int level)
{
	const struct td_row *row = place->row;
	struct extent extent = { 0 };

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = cell_of(place, &row->nodes[i]);

		if (is_of_level(place, &row->nodes[i], level) && can_be_counted(cell))
			extend(&extent, cell);
	}
	if (extent.enabled_ns <= 0 && place->counters->always_enabled &&
	    isfinite(row->activity.whole_s))
		extent.enabled_ns = row->activity.whole_s * NS_A_SECOND;
	return extent;
}

static void put_times(const struct place *place, const struct level *level,
		      const struct extent *extent)
{
	struct td_series_key key = key_of(place);

	if (extent->enabled_ns <= 0)
		return;
	key.name = level->group;
	td_series_put(place->counters, TD_FAMILY_COUNTED, &key, extent->counted_ns / NS_A_SECOND);
	td_series_put(place->counters, TD_FAMILY_ENABLED, &key, extent->enabled_ns / NS_A_SECOND);
}

static void put_category(const struct place *place, const struct level *level,
			 const struct td_node *node)
{
	const struct td_cell *cell = cell_of(place, node);
	struct td_series_key key = key_of(place);

	if (!is_of_level(place, node, level->level) || !has_value(cell))
		return;
	key.name = td_node_short_name(place->report->columns[node->column].name);
	key.parent = node->parent ? td_node_short_name(node->parent) : NULL;
	td_series_put(place->counters, level->parts, &key, place->row->slots * cell->value / 100);
}

/*
 * Add all slots of a level or none: if one category of an interval was missing, the
 * others would look smaller than they were.
 */
static void put_level(const struct place *place, const struct level *level)
{
	const struct td_row *row = place->row;
	struct extent extent = measure(place, level->level);

	if (!extent.nr)
		return;
	put_times(place, level, &extent);
	if (extent.nr_lost || !isfinite(row->slots))
		return;
	put(place, level->whole, row->slots);
	for (size_t i = 0; i < row->nr_nodes; i++)
		put_category(place, level, &row->nodes[i]);
}

/* Set the value of a metric outside of the levels, which cannot be summed up. */
static void put_metric(const struct place *place, const struct td_node *node)
{
	const struct td_cell *cell = cell_of(place, node);
	const struct td_column *column = &place->report->columns[node->column];
	struct td_series_key key = key_of(place);

	for (size_t i = 0; i < TD_ARRAY_SIZE(levels); i++) {
		if (is_of_level(place, node, levels[i].level))
			return;
	}
	if (!has_value(cell))
		return;
	key.name = column->name;
	td_series_put(place->counters, TD_FAMILY_COUNTED_RATIO, &key, cell->running_pct / 100);
	if (is_share(place, node)) {
		td_series_put(place->counters, TD_FAMILY_RATIO, &key, cell->value / 100);
		return;
	}
	key.unit = column->unit[0] ? column->unit : NULL;
	td_series_put(place->counters, TD_FAMILY_VALUE, &key, cell->value);
}

/* Mark a cgroup inside another one: Prometheus's rules only add up the others. */
static void put_nested(const struct place *place)
{
	const struct td_series_key key = { .id = place->id };
	struct td_counters *counters = place->counters;

	if (counters->cgroups && place->id && td_counters_is_nested(counters, place->id))
		td_series_put(counters, TD_FAMILY_NESTED, &key, 1);
}

static void put_row(const struct place *place)
{
	const struct td_row *row = place->row;
	const struct td_activity *activity = &row->activity;
	/* events were counted in a part of the time in which the CPUs were busy */
	double scale = activity->busy_s / activity->clock_s;

	put(place, TD_FAMILY_CYCLES, activity->cycles * scale);
	put(place, TD_FAMILY_INSTRUCTIONS, activity->instructions * scale);
	put(place, TD_FAMILY_CPU_SECONDS, activity->busy_s);
	/* the time for which a cgroup's events were enabled is not that of CPUs */
	if (place->counters->always_enabled && !row->package)
		put(place, TD_FAMILY_CPUS, activity->counted_cpus);
	put_nested(place);
	for (size_t i = 0; i < TD_ARRAY_SIZE(levels); i++)
		put_level(place, &levels[i]);
	for (size_t i = 0; i < row->nr_nodes; i++)
		put_metric(place, &row->nodes[i]);
}

/*
 * Does the whole row fit?  If some of its categories were left out, they would look
 * like 0.  A row that already has series keeps them, and gets those that fit.
 */
static bool has_room(const struct place *place)
{
	struct td_counters *counters = place->counters;
	size_t room = td_series_room(counters);
	size_t most = 2 * place->row->nr_nodes + 16; /* more than a row can have */

	if (room >= most)
		return true;
	counters->nr_found = counters->nr_lacking = 0;
	counters->probing = true;
	put_row(place);
	counters->probing = false;
	if (counters->nr_found || counters->nr_lacking <= room)
		return true;
	counters->nr_left_out += counters->nr_lacking;
	return false;
}

/* Was the row counted?  Offline CPUs and removed cgroups have rows as well. */
static bool is_there(const struct place *place)
{
	const struct td_counters *counters = place->counters;
	const struct td_row *row = place->row;

	if (row->absent || td_counters_is_gone(counters, place->id))
		return false;
	return !place->id || !counters->always_enabled || row->package ||
	       row->activity.counted_cpus;
}

/* Set the number of intervals that have passed without a report. */
static void put_missed(struct td_counters *counters, uint64_t time_ns)
{
	static const struct td_series_key key;
	struct td_series *series = td_series_find(counters, TD_FAMILY_MISSED, &key);
	uint64_t passed;

	if (!counters->interval_ns)
		return;
	passed = (time_ns + counters->interval_ns / 2) / counters->interval_ns;
	series->value = fmax(series->value, (double)td_since(passed, counters->intervals));
}

static const char *id_of(const struct td_counters *counters, const struct td_row *row)
{
	size_t len = strlen(row->id);

	if (!counters->label)
		return NULL;
	return row->id + (counters->prefix < len ? counters->prefix : 0);
}

void td_counters_add(struct td_counters *counters, const struct td_report *report)
{
	static const struct td_series_key own;
	const struct td_cgroups *cgroups = counters->cgroups;

	counters->intervals++;
	counters->nr_left_out = 0;
	td_counters_drop_gone(counters);
	put_missed(counters, report->time_ns);
	if (cgroups)
		td_series_put(counters, TD_FAMILY_CGROUPS, &own,
			      (double)(cgroups->nr - cgroups->nr_gone));
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		const struct place place = { counters, report, row, id_of(counters, row) };

		if (is_there(&place) && has_room(&place))
			put_row(&place);
	}
	td_series_put(counters, TD_FAMILY_SERIES, &own, (double)counters->nr_series);
	td_series_put(counters, TD_FAMILY_LEFT_OUT, &own, (double)counters->nr_left_out);
	if (counters->read_s > 0)
		td_series_put(counters, TD_FAMILY_LAST_READ, &own, counters->read_s);
}
