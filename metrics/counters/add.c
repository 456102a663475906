// SPDX-License-Identifier: GPL-2.0-only
/* Adds the rows of an interval to the counters. */
#include <math.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/counters/counters.h"

#define NS_A_SECOND 1e9

/* The counters of the levels of the tree that have any. */
struct level {
	int level;
	const char *group;
	enum td_family_kind whole, parts;
};

static const struct level levels[] = {
	{ 1, "level1", TD_FAMILY_SLOTS, TD_FAMILY_LEVEL_1 },
	{ 2, "level2", TD_FAMILY_L2_SLOTS, TD_FAMILY_LEVEL_2 },
};

/* A row of the interval, and where it goes. */
struct place {
	struct td_counters *counters;
	const struct td_report *report;
	const struct td_row *row;
	const char *id; /* NULL: there is no label for it */
};

static struct td_series_key key_of(const struct place *place)
{
	return (struct td_series_key){ .pmu = place->row->pmu,
				       .id = place->id };
}

static int put(const struct place *place, enum td_family_kind kind,
	       double value, struct td_err *err)
{
	const struct td_series_key key = key_of(place);

	return td_series_put(place->counters, kind, &key, value, err);
}

static const struct td_cell *cell_of(const struct place *place,
				     const struct td_node *node)
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
static bool is_of_level(const struct place *place, const struct td_node *node,
			int level)
{
	return node->level == level && is_share(place, node) &&
	       !strchr(place->report->columns[node->column].name, ':');
}

/* Can the row's PMU count it? */
static bool can_be_counted(const struct td_cell *cell)
{
	return cell->status == TD_STATUS_OK ||
	       cell->status == TD_STATUS_NOT_COUNTED;
}

/* What was counted of a level in this row. */
struct extent {
	size_t nr, nr_lost; /* of its nodes that can be counted */
	double counted_ns;  /* of the node that had counters least */
	double enabled_ns;
};

static void extend(struct extent *extent, const struct td_cell *cell)
{
	double ns = has_value(cell) ? (double)cell->running_ns : 0;

	if (!extent->nr || ns < extent->counted_ns)
		extent->counted_ns = ns;
	if (ns > 0 && cell->running_pct > 0)
		extent->enabled_ns =
			fmax(extent->enabled_ns, ns * 100 / cell->running_pct);
	extent->nr++;
	extent->nr_lost += !has_value(cell);
}

/*
 * Where nothing was counted, the time is that of the row's CPUs; but of tasks and
 * cgroups, maybe none was running.
 */
static struct extent measure(const struct place *place, int level)
{
	const struct td_row *row = place->row;
	struct extent extent = { 0 };

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = cell_of(place, &row->nodes[i]);

		if (is_of_level(place, &row->nodes[i], level) &&
		    can_be_counted(cell))
			extend(&extent, cell);
	}
	if (extent.enabled_ns <= 0 && place->counters->always_enabled &&
	    isfinite(row->activity.whole_s))
		extent.enabled_ns = row->activity.whole_s * NS_A_SECOND;
	return extent;
}

static int put_times(const struct place *place, const struct level *level,
		     const struct extent *extent, struct td_err *err)
{
	struct td_series_key key = key_of(place);
	int rc;

	if (extent->enabled_ns <= 0)
		return 0;
	key.name = level->group;
	rc = td_series_put(place->counters, TD_FAMILY_COUNTED, &key,
			   extent->counted_ns / NS_A_SECOND, err);
	return rc ? rc
		  : td_series_put(place->counters, TD_FAMILY_ENABLED, &key,
				  extent->enabled_ns / NS_A_SECOND, err);
}

static int put_category(const struct place *place, const struct level *level,
			const struct td_node *node, struct td_err *err)
{
	const struct td_cell *cell = cell_of(place, node);
	struct td_series_key key = key_of(place);

	if (!is_of_level(place, node, level->level) || !has_value(cell))
		return 0;
	key.name =
		td_node_short_name(place->report->columns[node->column].name);
	key.parent = node->parent ? td_node_short_name(node->parent) : NULL;
	return td_series_put(place->counters, level->parts, &key,
			     place->row->slots * cell->value / 100, err);
}

/*
 * All or nothing: the slots of an interval of which a part is missing would make
 * the other parts look smaller than they were.
 */
static int put_level(const struct place *place, const struct level *level,
		     struct td_err *err)
{
	const struct td_row *row = place->row;
	struct extent extent = measure(place, level->level);
	int rc;

	if (!extent.nr)
		return 0;
	rc = put_times(place, level, &extent, err);
	if (rc || extent.nr_lost || !isfinite(row->slots))
		return rc;
	rc = put(place, level->whole, row->slots, err);
	for (size_t i = 0; !rc && i < row->nr_nodes; i++)
		rc = put_category(place, level, &row->nodes[i], err);
	return rc;
}

/* A metric that is no part of all slots, and so has no sum. */
static int put_metric(const struct place *place, const struct td_node *node,
		      struct td_err *err)
{
	const struct td_cell *cell = cell_of(place, node);
	const struct td_column *column = &place->report->columns[node->column];
	bool share = is_share(place, node);
	struct td_series_key key = key_of(place);
	int rc;

	for (size_t i = 0; i < TD_ARRAY_SIZE(levels); i++) {
		if (is_of_level(place, node, levels[i].level))
			return 0;
	}
	if (!has_value(cell))
		return 0;
	key.name = column->name;
	rc = td_series_put(place->counters, TD_FAMILY_COUNTED_RATIO, &key,
			   cell->running_pct / 100, err);
	if (rc)
		return rc;
	if (share)
		return td_series_put(place->counters, TD_FAMILY_RATIO, &key,
				     cell->value / 100, err);
	key.unit = column->unit[0] ? column->unit : NULL;
	return td_series_put(place->counters, TD_FAMILY_VALUE, &key,
			     cell->value, err);
}

/* They were counted in a part of the time that the CPUs were busy. */
static int put_activity(const struct place *place, struct td_err *err)
{
	const struct td_activity *activity = &place->row->activity;
	double scale = activity->busy_s / activity->clock_s;
	int rc = put(place, TD_FAMILY_CYCLES, activity->cycles * scale, err);

	if (!rc)
		rc = put(place, TD_FAMILY_INSTRUCTIONS,
			 activity->instructions * scale, err);
	return rc ? rc
		  : put(place, TD_FAMILY_CPU_SECONDS, activity->busy_s, err);
}

/* What a cgroup's events were enabled for says nothing of CPUs. */
static int put_cpus(const struct place *place, struct td_err *err)
{
	const struct td_row *row = place->row;

	if (!place->counters->always_enabled || row->package)
		return 0;
	return put(place, TD_FAMILY_CPUS, row->activity.counted_cpus, err);
}

static int put_cgroups(struct td_counters *counters, struct td_err *err)
{
	static const struct td_series_key key;
	const struct td_cgroups *cgroups = counters->cgroups;

	if (!cgroups)
		return 0;
	return td_series_put(counters, TD_FAMILY_CGROUPS, &key,
			     (double)(cgroups->nr - cgroups->nr_gone), err);
}

/* Rules add up those that are in no other one. */
static int put_nested(const struct place *place, struct td_err *err)
{
	const struct td_series_key key = { .id = place->id };
	struct td_counters *counters = place->counters;

	if (!counters->cgroups || !place->id ||
	    !td_counters_is_nested(counters, place->id))
		return 0;
	return td_series_put(counters, TD_FAMILY_NESTED, &key, 1, err);
}

static int put_row(const struct place *place, struct td_err *err)
{
	const struct td_row *row = place->row;
	int rc = put_activity(place, err);

	if (!rc)
		rc = put_cpus(place, err);
	if (!rc)
		rc = put_nested(place, err);
	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(levels); i++)
		rc = put_level(place, &levels[i], err);
	for (size_t i = 0; !rc && i < row->nr_nodes; i++)
		rc = put_metric(place, &row->nodes[i], err);
	return rc;
}

/* More series than a row can have. */
static size_t most_of(const struct td_row *row)
{
	return 2 * row->nr_nodes + 16;
}

/*
 * All of a row or nothing: with a part of its categories, it would look as if the
 * others were 0.  A row that has series already keeps them, and gets what fits.
 */
static bool has_room(const struct place *place, struct td_err *err)
{
	struct td_counters *counters = place->counters;
	size_t room = td_series_room(counters);

	if (room >= most_of(place->row))
		return true;
	counters->nr_found = counters->nr_lacking = 0;
	counters->probing = true;
	put_row(place, err);
	counters->probing = false;
	if (counters->nr_found || counters->nr_lacking <= room)
		return true;
	counters->nr_left_out += counters->nr_lacking;
	return false;
}

/* CPUs that are offline, and cgroups that were removed, have rows, too. */
static bool is_there(const struct place *place)
{
	const struct td_counters *counters = place->counters;
	const struct td_row *row = place->row;

	if (row->absent || td_counters_is_gone(counters, place->id))
		return false;
	return !place->id || !counters->always_enabled || row->package ||
	       row->activity.counted_cpus;
}

/* After all others. */
static int put_own(struct td_counters *counters, struct td_err *err)
{
	static const struct td_series_key key;
	int rc = td_series_put(counters, TD_FAMILY_SERIES, &key,
			       (double)counters->nr_series, err);

	if (!rc)
		rc = td_series_put(counters, TD_FAMILY_LEFT_OUT, &key,
				   (double)counters->nr_left_out, err);
	return rc || counters->read_s <= 0
		       ? rc
		       : td_series_put(counters, TD_FAMILY_LAST_READ, &key,
				       counters->read_s, err);
}

/* How many intervals have passed that no report was of. */
static int put_missed(struct td_counters *counters, uint64_t time_ns,
		      struct td_err *err)
{
	static const struct td_series_key key;
	struct td_series *series =
		td_series_find(counters, TD_FAMILY_MISSED, &key, err);
	uint64_t passed;

	if (!series)
		return err->code;
	if (!counters->interval_ns)
		return 0;
	passed = (time_ns + counters->interval_ns / 2) / counters->interval_ns;
	series->value = fmax(series->value,
			     (double)td_since(passed, counters->intervals));
	return 0;
}

static const char *id_of(const struct td_counters *counters,
			 const struct td_row *row)
{
	size_t len = strlen(row->id);

	if (!counters->label)
		return NULL;
	return row->id + (counters->prefix < len ? counters->prefix : 0);
}

int td_counters_add(struct td_counters *counters,
		    const struct td_report *report, struct td_err *err)
{
	int rc;

	counters->intervals++;
	counters->nr_left_out = 0;
	if (td_counters_drop_gone(counters))
		return td_err_nomem(err);
	rc = put_missed(counters, report->time_ns, err);
	if (!rc)
		rc = put_cgroups(counters, err);
	for (size_t i = 0; !rc && i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		const struct place place = { counters, report, row,
					     id_of(counters, row) };

		if (is_there(&place) && has_room(&place, err))
			rc = put_row(&place, err);
	}
	return rc ? rc : put_own(counters, err);
}
