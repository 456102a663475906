// SPDX-License-Identifier: GPL-2.0-only
/* The series of each family, found by their labels, and the rows that are added to them. */
#include <math.h>

#include "cmd/output/out.h"
#include "cmd/serve/counters.h"
#include "lib/base/printable.h"

/* clang-format off */
static const struct td_family_row rows[TD_NR_FAMILIES] = {
	[TD_FAMILY_SLOTS] = {
		.name = "tdstat_slots",
		.help = "Pipeline slots of intervals with level 1; scaled up if multiplexed.",
		.counter = true,
	},
	[TD_FAMILY_LEVEL_1] = {
		.name = "tdstat_topdown_slots",
		.help = "Pipeline slots by what they were used for or lost to.",
		.label = "category",
		.counter = true,
	},
	[TD_FAMILY_L2_SLOTS] = {
		.name = "tdstat_l2_slots",
		.help = "Pipeline slots of intervals with level 2; scaled up if multiplexed.",
		.counter = true,
	},
	[TD_FAMILY_LEVEL_2] = {
		.name = "tdstat_topdown_l2_slots",
		.help = "Pipeline slots by category of level 2.",
		.label = "category",
		.counter = true,
	},
	[TD_FAMILY_CYCLES] = {
		.name = "tdstat_cycles",
		.help = "Core cycles in which CPUs were not halted.",
		.counter = true,
	},
	[TD_FAMILY_INSTRUCTIONS] = {
		.name = "tdstat_instructions",
		.help = "Instructions that were retired.",
		.counter = true,
	},
	[TD_FAMILY_CPU_SECONDS] = {
		.name = "tdstat_cpu_seconds",
		.help = "Time in which CPUs were not halted; of tasks, their CPU time.",
		.unit = "seconds",
		.counter = true,
		.decimals = 9,
	},
	[TD_FAMILY_COUNTED] = {
		.name = "tdstat_counted_seconds",
		.help = "Time in which a group of events had counters, over all CPUs.",
		.unit = "seconds",
		.label = "group",
		.counter = true,
		.decimals = 9,
	},
	[TD_FAMILY_ENABLED] = {
		.name = "tdstat_enabled_seconds",
		.help = "Time in which a group of events was to be counted.",
		.unit = "seconds",
		.label = "group",
		.counter = true,
		.decimals = 9,
	},
	[TD_FAMILY_MISSED] = {
		.name = "tdstat_intervals_missed",
		.help = "Intervals that came too late; their counts are in the next.",
		.counter = true,
	},
	[TD_FAMILY_CPUS] = {
		.name = "tdstat_cpus_counted",
		.help = "CPUs that were counted in the last interval.",
	},
	[TD_FAMILY_CGROUPS] = {
		.name = "tdstat_cgroups_counted",
		.help = "Number of counted cgroups that exist.",
	},
	[TD_FAMILY_NESTED] = {
		.name = "tdstat_cgroup_nested",
		.help = "1 for a cgroup inside another one with series.",
	},
	[TD_FAMILY_SERIES] = {
		.name = "tdstat_series",
		.help = "Series of PMUs, CPUs, cgroups and metrics.",
	},
	[TD_FAMILY_LEFT_OUT] = {
		.name = "tdstat_series_left_out",
		.help = "Series left out because of --max-series.",
	},
	[TD_FAMILY_LAST_READ] = {
		.name = "tdstat_last_read_timestamp_seconds",
		.help = "Time of the last reading of the counters, since 1970.",
		.unit = "seconds",
		.decimals = 3,
	},
	[TD_FAMILY_RATIO] = {
		.name = "tdstat_metric_ratio",
		.help = "A metric in the last interval that is a share; 1 is 100 %.",
		.unit = "ratio",
		.label = "metric",
		.decimals = 6,
	},
	[TD_FAMILY_VALUE] = {
		.name = "tdstat_metric_value",
		.help = "A metric in the last interval that is not a share, in its unit.",
		.label = "metric",
		.decimals = -1,
	},
	[TD_FAMILY_COUNTED_RATIO] = {
		.name = "tdstat_metric_counted_ratio",
		.help = "Share of the last interval in which a metric was counted.",
		.unit = "ratio",
		.label = "metric",
		.decimals = 6,
	},
};
/* clang-format on */

const struct td_family_row *td_family_row(enum td_family_kind kind)
{
	return &rows[kind];
}

enum label {
	PMU,
	ID, /* "5" for CPU5, or a cgroup */
	PARENT,
	NAME,
	UNIT,
	NR_LABELS
};

/* The labels of a series; NULL: no such label. */
struct key {
	const char *labels[NR_LABELS];
};

/* A value with its labels, which are owned. */
struct td_series {
	char *labels[NR_LABELS];
	double value;
	double owed;       /* corrections still to be subtracted, negative */
	uint64_t interval; /* number of the last interval with a value */
};

static uint64_t hash_of(const char *const labels[NR_LABELS])
{
	uint64_t hash = 0;

	for (size_t i = 0; i < NR_LABELS; i++)
		hash = td_hash_more(hash, labels[i] ? td_hash_text(labels[i]) : i);
	return hash;
}

static bool has_key(const struct td_series *series, const struct key *key)
{
	bool same = true;

	for (size_t i = 0; same && i < NR_LABELS; i++)
		same = td_same_text(series->labels[i], key->labels[i]);
	return same;
}

static void free_labels(struct td_series *series)
{
	for (size_t i = 0; i < NR_LABELS; i++)
		free(series->labels[i]);
}

/* Does the series describe the counting?  Such series are never left out. */
static bool is_own(const struct key *key)
{
	return !key->labels[PMU];
}

/* Return the number of series of rows that can still be added. */
static size_t series_room(const struct td_counters *counters)
{
	return counters->max_series > counters->nr_series
		       ? counters->max_series - counters->nr_series
		       : 0;
}

static struct td_series *add(struct td_counters *counters, struct td_family *family,
			     const struct key *key)
{
	struct td_series *series;

	if (!is_own(key) && !series_room(counters)) {
		counters->nr_left_out++;
		return NULL;
	}
	series = td_array_add(&family->v, family->nr, sizeof(*series));
	for (size_t i = 0; i < NR_LABELS; i++)
		series->labels[i] = key->labels[i] ? td_strdup(key->labels[i]) : NULL;
	td_index_add(&family->index, hash_of(key->labels), family->nr);
	family->nr++;
	*(is_own(key) ? &counters->nr_own : &counters->nr_series) += 1;
	return series;
}

static struct td_series *find(const struct td_counters *counters, enum td_family_kind kind,
			      const struct key *key)
{
	const struct td_family *family = &counters->families[kind];
	size_t step = 0, at;

	do {
		at = td_index_next(&family->index, hash_of(key->labels), &step);
		if (at != TD_NOT_FOUND && has_key(&family->v[at], key))
			return &family->v[at];
	} while (at != TD_NOT_FOUND);
	return NULL;
}

/* Find or add a series.  Returns NULL if it is left out. */
static struct td_series *series_find(struct td_counters *counters, enum td_family_kind kind,
				     const struct key *key)
{
	struct td_series *series = find(counters, kind, key);

	return series ? series : add(counters, &counters->families[kind], key);
}

/* Add to a counter.  Negative parts are subtracted from later ones, so it never falls. */
static void grow(struct td_series *series, double part)
{
	series->owed += part;
	if (series->owed < 0)
		return;
	series->value += series->owed;
	series->owed = 0;
}

/* Add to a counter, or set a gauge.  Values that are not finite are ignored. */
static void series_put(struct td_counters *counters, enum td_family_kind kind,
		       const struct key *key, double value)
{
	struct td_series *series;

	if (!isfinite(value))
		return;
	if (counters->probing) {
		*(find(counters, kind, key) ? &counters->nr_found : &counters->nr_lacking) += 1;
		return;
	}
	series = series_find(counters, kind, key);
	if (!series)
		return;
	if (rows[kind].counter)
		grow(series, value);
	else
		series->value = value + 0.0; /* never -0 */
	series->interval = counters->intervals;
}

/* Was any CPU of the series counted in the last interval? */
static bool was_counted(const struct td_counters *counters, const struct td_series *series)
{
	const char *id = series->labels[ID];
	const struct key key = { .labels = { [PMU] = series->labels[PMU], [ID] = id } };
	const struct td_series *cpus = id ? find(counters, TD_FAMILY_CPUS, &key) : NULL;

	return !cpus || cpus->interval == counters->intervals;
}

/*
 * Returns false for a gauge without a value in the last interval, and for counters
 * whose CPUs were all offline in it: they continue later.
 */
static bool has_value_now(const struct td_counters *counters, enum td_family_kind kind,
			  const struct td_series *series)
{
	return rows[kind].counter ? was_counted(counters, series)
				  : series->interval == counters->intervals;
}

void td_counters_free(struct td_counters *counters)
{
	td_for_each(struct td_family, family, counters->families, TD_NR_FAMILIES) {
		for (size_t i = 0; i < family->nr; i++)
			free_labels(&family->v[i]);
		free(family->v);
		td_index_free(&family->index);
	}
	*counters = (struct td_counters){ 0 };
}

/* --- series of cgroups, which come and go, and may be nested -------------- */

/* Was the cgroup with this name removed, or is it no longer counted? */
static bool is_gone(const struct td_counters *counters, const char *id)
{
	const struct td_cgroups *cgroups = counters->cgroups;
	size_t at;

	if (!cgroups || !id)
		return false;
	at = td_cgroups_find(cgroups, id);
	return at == cgroups->nr || cgroups->gone[at];
}

static bool is_counted(const struct td_cgroups *cgroups, const char *name)
{
	size_t at = td_cgroups_find(cgroups, name);

	return at < cgroups->nr && !cgroups->gone[at];
}

/* Is the cgroup inside another counted one?  The root is named "/" and contains all other cgroups. */
static bool is_nested(const struct td_counters *counters, const char *id)
{
	td_autofree char *above = td_strdup(id);
	char *slash;

	if (strcmp(id, "/") == 0)
		return false;
	while ((slash = strrchr(above, '/'))) {
		*slash = '\0';
		if (is_counted(counters->cgroups, above))
			return true;
	}
	return is_counted(counters->cgroups, "/");
}

/* Drop the series of gone cgroups, and rebuild the index. */
static void drop_of(struct td_counters *counters, struct td_family *family)
{
	size_t kept = 0;

	td_for_each(struct td_series, series, family->v, family->nr) {
		if (!is_gone(counters, series->labels[ID])) {
			family->v[kept++] = *series;
			continue;
		}
		*(series->labels[PMU] ? &counters->nr_series : &counters->nr_own) -= 1;
		free_labels(series);
	}
	if (kept == family->nr)
		return;
	family->nr = kept;
	td_index_clear(&family->index);
	for (size_t i = 0; i < kept; i++)
		td_index_add(&family->index, hash_of((const char *const *)family->v[i].labels), i);
}

/* --- adding the rows of an interval ---------------------------------------- */

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
	const char *id; /* value of the label for ids; NULL: no label */
};

static struct key key_of(const struct place *place)
{
	return (struct key){ .labels = { [PMU] = place->row->pmu, [ID] = place->id } };
}

static void put(const struct place *place, enum td_family_kind kind, double value)
{
	const struct key key = key_of(place);

	series_put(place->counters, kind, &key, value);
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

		if (is_of_level(place, &row->nodes[i], level) && can_be_counted(cell)) {
			double ns = has_value(cell) ? (double)cell->running_ns : 0;

			if (!extent.nr || ns < extent.counted_ns)
				extent.counted_ns = ns;
			if (ns > 0 && cell->running_pct > 0)
				extent.enabled_ns =
					fmax(extent.enabled_ns, ns * 100 / cell->running_pct);
			extent.nr++;
			extent.nr_lost += !has_value(cell);
		}
	}
	if (extent.enabled_ns <= 0 && place->counters->always_enabled &&
	    isfinite(row->activity.whole_s))
		extent.enabled_ns = row->activity.whole_s * NS_A_SECOND;
	return extent;
}

static void put_times(const struct place *place, const struct level *level,
		      const struct extent *extent)
{
	struct key key = key_of(place);

	if (extent->enabled_ns <= 0)
		return;
	key.labels[NAME] = level->group;
	series_put(place->counters, TD_FAMILY_COUNTED, &key, extent->counted_ns / NS_A_SECOND);
	series_put(place->counters, TD_FAMILY_ENABLED, &key, extent->enabled_ns / NS_A_SECOND);
}

static void put_category(const struct place *place, const struct level *level,
			 const struct td_node *node)
{
	const struct td_cell *cell = cell_of(place, node);
	struct key key = key_of(place);

	if (!is_of_level(place, node, level->level) || !has_value(cell))
		return;
	key.labels[NAME] = td_node_short_name(place->report->columns[node->column].name);
	key.labels[PARENT] = node->parent ? td_node_short_name(node->parent) : NULL;
	series_put(place->counters, level->parts, &key, place->row->slots * cell->value / 100);
}

/*
 * Add all slots of a level, or none.  If one category of an interval was missing, the others would
 * look smaller than they were.
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
	struct key key = key_of(place);

	for (size_t i = 0; i < TD_ARRAY_SIZE(levels); i++) {
		if (is_of_level(place, node, levels[i].level))
			return;
	}
	if (!has_value(cell))
		return;
	key.labels[NAME] = column->name;
	series_put(place->counters, TD_FAMILY_COUNTED_RATIO, &key, cell->running_pct / 100);
	if (is_share(place, node)) {
		series_put(place->counters, TD_FAMILY_RATIO, &key, cell->value / 100);
		return;
	}
	key.labels[UNIT] = column->unit[0] ? column->unit : NULL;
	series_put(place->counters, TD_FAMILY_VALUE, &key, cell->value);
}

/* Mark a cgroup inside another one, because Prometheus's rules only add up outer cgroups. */
static void put_nested(const struct place *place)
{
	const struct key key = { .labels = { [ID] = place->id } };
	struct td_counters *counters = place->counters;

	if (counters->cgroups && place->id && is_nested(counters, place->id))
		series_put(counters, TD_FAMILY_NESTED, &key, 1);
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
	/* the time for which a cgroup's events were enabled is not the time of CPUs */
	if (place->counters->always_enabled && !row->package)
		put(place, TD_FAMILY_CPUS, activity->counted_cpus);
	put_nested(place);
	for (size_t i = 0; i < TD_ARRAY_SIZE(levels); i++)
		put_level(place, &levels[i]);
	for (size_t i = 0; i < row->nr_nodes; i++)
		put_metric(place, &row->nodes[i]);
}

/*
 * Is there room for the whole row?  If some of its categories were left out, they would look like
 * 0.  A row that already has series keeps them, and gets as many new ones as fit.
 */
static bool has_room(const struct place *place)
{
	struct td_counters *counters = place->counters;
	size_t room = series_room(counters);
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

	if (row->absent || is_gone(counters, place->id))
		return false;
	return !place->id || !counters->always_enabled || row->package ||
	       row->activity.counted_cpus;
}

/* Set the number of intervals that have passed without a report. */
static void put_missed(struct td_counters *counters, uint64_t time_ns)
{
	static const struct key key;
	struct td_series *series = series_find(counters, TD_FAMILY_MISSED, &key);
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
	static const struct key own;
	const struct td_cgroups *cgroups = counters->cgroups;

	counters->intervals++;
	counters->nr_left_out = 0;
	for (size_t kind = 0; cgroups && kind < TD_NR_FAMILIES; kind++)
		drop_of(counters, &counters->families[kind]);
	put_missed(counters, report->time_ns);
	if (cgroups)
		series_put(counters, TD_FAMILY_CGROUPS, &own,
			   (double)(cgroups->nr - cgroups->nr_gone));
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		const struct place place = { counters, report, row, id_of(counters, row) };

		if (is_there(&place) && has_room(&place))
			put_row(&place);
	}
	series_put(counters, TD_FAMILY_SERIES, &own, (double)counters->nr_series);
	series_put(counters, TD_FAMILY_LEFT_OUT, &own, (double)counters->nr_left_out);
	if (counters->read_s > 0)
		series_put(counters, TD_FAMILY_LAST_READ, &own, counters->read_s);
}

/* --- the page ----------------------------------------------------------------- */

/*
 * OpenMetrics 1.0, and the older text format of Prometheus, in which names of families
 * end in "_total", and there are no units and no type "info".
 */

static const char *const types[TD_NR_EXPOSITIONS] = {
	[TD_EXPOSE_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[TD_EXPOSE_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
};

const char *td_out_openmetrics_type(enum td_exposition how)
{
	return types[how];
}

/* U+FFFD, which is unlikely in names. */
#define MARK "\357\277\275"

static void put_byte(FILE *fp, char c)
{
	fprintf(fp, MARK "%02x", (unsigned char)c);
}

static void put_printable(FILE *fp, const char *text, size_t len)
{
	const size_t mark = strlen(MARK);

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' || text[i] == '"') {
			fprintf(fp, "\\%c", text[i]);
		} else if (strncmp(text + i, MARK, mark) == 0) {
			for (size_t byte = 0; byte < mark; byte++)
				put_byte(fp, text[i + byte]);
			i += mark - 1;
		} else {
			fputc(text[i], fp);
		}
	}
}

/*
 * Put a value.  Prometheus refuses a whole page for one byte that is not UTF-8, so unprintable
 * bytes become U+FFFD and two hex digits.  U+FFFD itself is escaped as well, so that different
 * names stay different.
 */
static void put_value(FILE *fp, const char *text)
{
	while (*text) {
		size_t len = td_printable_span(text);

		put_printable(fp, text, len);
		text += len;
		if (*text)
			put_byte(fp, *text++);
	}
}

/* Write NAME="VALUE".  Returns the separator before the next label. */
static const char *put_label(FILE *fp, const char *before, const char *name, const char *value)
{
	if (!name || !value)
		return before;
	fprintf(fp, "%s%s=\"", before, name);
	put_value(fp, value);
	fputc('"', fp);
	return ",";
}

static const char *container_of(const struct td_cgroups *cgroups, const char *id)
{
	size_t at = cgroups && id ? td_cgroups_find(cgroups, id) : 0;

	return cgroups && id && at < cgroups->nr ? cgroups->containers[at] : NULL;
}

static void put_labels(FILE *fp, const struct td_counters *counters,
		       const struct td_family_row *row, const struct td_series *series)
{
	const char *const *labels = (const char *const *)series->labels;
	const char *before = put_label(fp, "{", "pmu", labels[PMU]);

	before = put_label(fp, before, counters->label, labels[ID]);
	before = put_label(fp, before, "container", container_of(counters->cgroups, labels[ID]));
	before = put_label(fp, before, "parent", labels[PARENT]);
	before = put_label(fp, before, row->label, labels[NAME]);
	before = put_label(fp, before, "unit", labels[UNIT]);
	if (*before == ',')
		fputc('}', fp);
}

static void put_series_line(FILE *fp, const struct td_counters *counters,
			    const struct td_family_row *row, const struct td_series *series)
{
	char number[64];

	fprintf(fp, "%s%s", row->name, row->counter ? "_total" : "");
	put_labels(fp, counters, row, series);
	if (row->decimals < 0)
		fprintf(fp, " %.10g\n", series->value);
	else
		fprintf(fp, " %s\n", td_out_format(number, row->decimals, series->value));
}

static void put_family(FILE *fp, enum td_exposition how, const struct td_counters *counters,
		       enum td_family_kind kind)
{
	const struct td_family *family = &counters->families[kind];
	const struct td_family_row *row = &rows[kind];
	bool begun = false;

	for (size_t i = 0; i < family->nr; i++) {
		if (!has_value_now(counters, kind, &family->v[i]))
			continue;
		if (!begun) {
			bool text = how == TD_EXPOSE_TEXT;
			const char *suffix = text && row->counter ? "_total" : "";

			fprintf(fp, "# HELP %s%s %s\n", row->name, suffix, row->help);
			fprintf(fp, "# TYPE %s%s %s\n", row->name, suffix,
				row->counter ? "counter" : "gauge");
			if (!text && row->unit)
				fprintf(fp, "# UNIT %s %s\n", row->name, row->unit);
		}
		begun = true;
		put_series_line(fp, counters, row, &family->v[i]);
	}
}

void td_out_openmetrics(FILE *fp, enum td_exposition how, const struct td_counters *counters)
{
	bool text = how == TD_EXPOSE_TEXT;
	const char *name = text ? "tdstat_info" : "tdstat", *before;

	fprintf(fp, "# HELP %s Version of tdstat and processor model.\n", name);
	fprintf(fp, "# TYPE %s %s\n", name, text ? "gauge" : "info");
	fputs("tdstat_info", fp);
	before = put_label(fp, "{", "version", counters->version);
	before = put_label(fp, before, "cpuid", counters->cpuid);
	put_label(fp, before, "model", counters->model);
	put_label(fp, before, "files", counters->files);
	fputs("} 1\n", fp);
	for (int kind = 0; kind < TD_NR_FAMILIES; kind++)
		put_family(fp, how, counters, (enum td_family_kind)kind);
	if (how == TD_EXPOSE_OPENMETRICS)
		fputs("# EOF\n", fp);
}
