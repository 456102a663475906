// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <math.h>

#include "lib/base/util.h"
#include "metrics/table/table.h"

/* Kinds of events that perf's ratios distinguish. */
enum kind {
	KIND_NONE, /* without ratio */
	KIND_OTHER,
	KIND_CLOCK,
	KIND_CYCLES,
	KIND_INSTRUCTIONS,
	KIND_FRONTEND_STALLS,
	KIND_BACKEND_STALLS,
	KIND_BRANCHES,
	KIND_BRANCH_MISSES,
	KIND_CACHE_REFS,
	KIND_CACHE_MISSES,
	KIND_L1D,
	KIND_L1D_MISSES,
	KIND_L1I,
	KIND_L1I_MISSES,
	KIND_LL,
	KIND_LL_MISSES,
	KIND_DTLB,
	KIND_DTLB_MISSES,
	KIND_ITLB,
	KIND_ITLB_MISSES,
};

/* The properties of an event that are known before counting. */
struct td_ratio_event {
	enum kind kind;
	unsigned int excluded; /* excluded_modes() */
	bool grouped;          /* in a group, so it may run at other times than other events */
	/* index as a divisor for all events, and for events of its group; or NO_DIVISOR */
	size_t divisor, divisor_in_group;
};

#define NO_DIVISOR SIZE_MAX

/*
 * Return the key of a divisor: kind (6 bits), excluded modes (6), PMU (20; 0 for clocks) and
 * group (32).
 */
static uint64_t divisor_key(enum kind kind, unsigned int excluded, int pmu, int group)
{
	uint64_t pmu_key = kind == KIND_CLOCK ? 0 : (uint64_t)pmu + 1;

	return td_hash((uint64_t)kind | (uint64_t)excluded << 6 | pmu_key << 12 |
		       (uint64_t)((int64_t)group + 1) << 32);
}

static bool is_counted(const struct td_event *event, const struct td_total *total)
{
	return !event->hidden && !event->refusal && !isnan(total->value);
}

/* --- kinds of events ------------------------------------------------------- */

/* Configs of cache events (perf_event_open(2)); the codes of reads and of accesses are 0. */
#define READS(cache)       PERF_COUNT_HW_CACHE_##cache
#define READ_MISSES(cache) (PERF_COUNT_HW_CACHE_##cache | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

/* clang-format off */
static const struct {
	uint32_t type, config;
	enum kind kind;
} encodings[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, KIND_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, KIND_CLOCK },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, KIND_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, KIND_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  KIND_FRONTEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  KIND_BACKEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  KIND_BRANCHES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  KIND_BRANCH_MISSES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
	  KIND_CACHE_REFS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, KIND_CACHE_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1D), KIND_L1D },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1D), KIND_L1D_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1I), KIND_L1I },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1I), KIND_L1I_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(LL), KIND_LL },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(LL), KIND_LL_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(DTLB), KIND_DTLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(DTLB), KIND_DTLB_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(ITLB), KIND_ITLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(ITLB), KIND_ITLB_MISSES },
};

/* Alternative names in sysfs (cpu/instructions/) of events that perf treats alike. */
static const struct {
	const char *name;
	enum kind kind;
} sysfs_names[] = {
	{ "cpu-cycles", KIND_CYCLES },
	{ "instructions", KIND_INSTRUCTIONS },
	{ "stalled-cycles-frontend", KIND_FRONTEND_STALLS },
	{ "stalled-cycles-backend", KIND_BACKEND_STALLS },
	{ "branch-instructions", KIND_BRANCHES },
	{ "branch-misses", KIND_BRANCH_MISSES },
	{ "cache-references", KIND_CACHE_REFS },
	{ "cache-misses", KIND_CACHE_MISSES },
};

/* clang-format on */

/* Return the config without the PMU's type, which core PMUs have in the upper half. */
static uint64_t own_config(const struct td_event *event)
{
	if (event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE)
		return event->config[0] & UINT32_MAX;
	return event->config[0];
}

/*
 * Return the kind of an event such as "cpu_core/instructions/u", which is a raw event if it is in
 * sysfs.
 */
static enum kind sysfs_kind(const char *name)
{
	const char *id = name ? strchr(name, '/') : NULL;
	size_t len;

	if (!id || (strncmp(name, "cpu/", 4) != 0 && strncmp(name, "cpu_", 4) != 0))
		return KIND_OTHER;
	len = strcspn(++id, "/");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sysfs_names); i++) {
		if (strlen(sysfs_names[i].name) == len &&
		    strncmp(sysfs_names[i].name, id, len) == 0)
			return sysfs_names[i].kind;
	}
	return KIND_OTHER;
}

static enum kind kind_of(const struct td_event *event)
{
	uint64_t config = own_config(event);

	/* times have no rate; in perf, SLOTS and its fields do not have one either */
	if (event->tool != TD_TOOL_NONE || td_event_is_slots(event) || td_event_is_metric(event))
		return KIND_NONE;
	for (size_t i = 0; i < TD_ARRAY_SIZE(encodings); i++) {
		if (encodings[i].type == event->type && encodings[i].config == config)
			return encodings[i].kind;
	}
	return sysfs_kind(event->name);
}

static bool is_divisor(enum kind kind)
{
	switch (kind) {
	case KIND_CLOCK:
	case KIND_CYCLES:
	case KIND_FRONTEND_STALLS:
	case KIND_BACKEND_STALLS:
	case KIND_BRANCHES:
	case KIND_CACHE_REFS:
	case KIND_L1D:
	case KIND_L1I:
	case KIND_LL:
	case KIND_DTLB:
	case KIND_ITLB:
		return true;
	default:
		return false;
	}
}

static unsigned int excluded_modes(const struct td_modifiers *mods)
{
	bool some = mods->user || mods->kernel || mods->hypervisor;

	return (some && !mods->user ? 1u : 0) | (some && !mods->kernel ? 2u : 0) |
	       (some && !mods->hypervisor ? 4u : 0) | (mods->guest && !mods->host ? 8u : 0) |
	       (mods->non_idle ? 16u : 0);
}

static bool is_software(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT;
}

/* --- divisors, which all ids share ----------------------------------------- */

/*
 * Values in place of a PMU, for the number of a typed group's events on any PMU, or of its software
 * events.
 */
#define ANY      UINT32_MAX
#define SOFTWARE (UINT32_MAX - 1)

static uint64_t hash_group(const struct td_event *event, uint32_t pmu)
{
	return td_hash((uint64_t)(uint32_t)event->group << 32 | pmu);
}

static size_t count_in_group(const struct td_index *groups, const struct td_event *event,
			     uint32_t pmu)
{
	size_t nr = td_index_find(groups, hash_group(event, pmu));

	return nr == TD_NOT_FOUND ? 0 : nr;
}

static void add_to_group(struct td_index *groups, const struct td_event *event, uint32_t pmu)
{
	td_index_set(groups, hash_group(event, pmu), count_in_group(groups, event, pmu) + 1);
}

/*
 * Is the event in a group with other events?  A typed {} becomes one group per PMU, and software
 * events join events of any PMU.
 */
static bool has_group(const struct td_index *groups, const struct td_event *event)
{
	if (event->group < 0)
		return false;
	if (is_software(event))
		return count_in_group(groups, event, ANY) > 1;
	return count_in_group(groups, event, (uint32_t)event->pmu) > 1 ||
	       count_in_group(groups, event, SOFTWARE) > 0;
}

static void find_groups(struct td_ratios *ratios)
{
	const struct td_plan *plan = ratios->plan;
	struct td_index groups = { 0 };

	td_for_each(const struct td_event, event, plan->events.v, plan->events.nr) {
		if (event->group < 0)
			continue;
		add_to_group(&groups, event, ANY);
		add_to_group(&groups, event, (uint32_t)event->pmu);
		if (is_software(event))
			add_to_group(&groups, event, SOFTWARE);
	}
	for (size_t i = 0; i < plan->events.nr; i++)
		ratios->events[i].grouped = has_group(&groups, &plan->events.v[i]);
	td_index_free(&groups);
}

/* Return the number of a divisor.  Adds it if it is new. */
static size_t number_divisor(struct td_ratios *ratios, uint64_t hash)
{
	size_t number = td_index_find(&ratios->divisors, hash);

	if (number != TD_NOT_FOUND)
		return number;
	td_index_add(&ratios->divisors, hash, ratios->nr_divisors);
	return ratios->nr_divisors++;
}

static void classify(struct td_ratios *ratios, size_t i)
{
	const struct td_event *event = &ratios->plan->events.v[i];
	struct td_ratio_event *known = &ratios->events[i];

	known->kind = kind_of(event);
	known->excluded = excluded_modes(&event->mods);
	known->divisor = known->divisor_in_group = NO_DIVISOR;
	if (!is_divisor(known->kind) || event->hidden || event->refusal)
		return;
	known->divisor =
		number_divisor(ratios, divisor_key(known->kind, known->excluded, event->pmu, -1));
	if (event->group >= 0)
		known->divisor_in_group =
			number_divisor(ratios, divisor_key(known->kind, known->excluded, event->pmu,
							   event->group));
}

/* Find the first event of each divisor that was counted for one id. */
static void find_firsts(const struct td_ratios *ratios, const struct td_total *totals, int *firsts)
{
	const struct td_plan *plan = ratios->plan;

	for (size_t divisor = 0; divisor < ratios->nr_divisors; divisor++)
		firsts[divisor] = -1;
	for (size_t i = plan->events.nr; i > 0; i--) {
		const struct td_ratio_event *known = &ratios->events[i - 1];

		if (known->divisor == NO_DIVISOR ||
		    !is_counted(&plan->events.v[i - 1], &totals[i - 1]))
			continue;
		firsts[known->divisor] = (int)i - 1;
		if (known->divisor_in_group != NO_DIVISOR)
			firsts[known->divisor_in_group] = (int)i - 1;
	}
}

void td_ratios_build(struct td_ratios *ratios, const struct td_plan *plan)
{
	*ratios = (struct td_ratios){
		.plan = plan,
		.events = td_calloc(plan->events.nr + 1, sizeof(*ratios->events)),
	};
	for (size_t i = 0; i < plan->events.nr; i++)
		classify(ratios, i);
	find_groups(ratios);
}

void td_ratios_count(struct td_ratios *ratios, const struct td_total *totals, size_t nr_ids)
{
	ratios->totals = totals;
	td_array_clear(&ratios->firsts, nr_ids * ratios->nr_divisors, sizeof(*ratios->firsts));
	for (size_t id = 0; id < nr_ids; id++)
		find_firsts(ratios, totals + id * ratios->plan->events.nr,
			    ratios->firsts + id * ratios->nr_divisors);
}

void td_ratios_free(struct td_ratios *ratios)
{
	free(ratios->events);
	free(ratios->firsts);
	td_index_free(&ratios->divisors);
	*ratios = (struct td_ratios){ 0 };
}

/* --- the ratios of an event ------------------------------------------------ */

/* clang-format off */
/* Ratios of two events, in percent. */
static const struct share {
	enum kind part, whole;
	const char *unit;
} shares[] = {
	{ KIND_FRONTEND_STALLS, KIND_CYCLES, "frontend cycles idle" },
	{ KIND_BACKEND_STALLS, KIND_CYCLES, "backend cycles idle" },
	{ KIND_BRANCH_MISSES, KIND_BRANCHES, "of all branches" },
	{ KIND_CACHE_MISSES, KIND_CACHE_REFS, "of all cache refs" },
	{ KIND_L1D_MISSES, KIND_L1D, "of all L1-dcache accesses" },
	{ KIND_L1I_MISSES, KIND_L1I, "of all L1-icache accesses" },
	{ KIND_LL_MISSES, KIND_LL, "of all LL-cache accesses" },
	{ KIND_DTLB_MISSES, KIND_DTLB, "of all dTLB cache accesses" },
	{ KIND_ITLB_MISSES, KIND_ITLB, "of all iTLB cache accesses" },
};

static const char *const rates[] = { "/sec", "K/sec", "M/sec", "G/sec" };
/* clang-format on */

/* The counts of one id, and the event whose ratios are computed. */
struct look {
	const struct td_ratios *ratios;
	const struct td_plan *plan;
	const struct td_total *totals;
	const int *firsts;
	int event;
};

/* Return a count in the event's unit; clocks are in ns. */
static double value_of(const struct look *look, int event)
{
	double value = look->totals[event].value;

	return look->ratios->events[event].kind == KIND_CLOCK
		       ? value
		       : value * look->plan->events.v[event].scale;
}

/*
 * Return the share of a clock's time that belongs to the event.  Clocks and software events
 * run on all core types, other events only on their PMU.
 */
static double share_of_time(const struct look *look, int clock)
{
	uint64_t mine = look->totals[look->event].covered_ns;
	uint64_t all = look->totals[clock].covered_ns;

	if (is_software(&look->plan->events.v[look->event]))
		return 1;
	return mine && all && mine < all ? (double)mine / (double)all : 1;
}

/* Return the value of the first event of a kind that may divide this one, or NaN. */
static double find(const struct look *look, enum kind kind)
{
	const struct td_event *self = &look->plan->events.v[look->event];
	const struct td_ratio_event *known = &look->ratios->events[look->event];
	size_t divisor = td_index_find(
		&look->ratios->divisors,
		divisor_key(kind, known->excluded, self->pmu, known->grouped ? self->group : -1));
	int first = divisor == TD_NOT_FOUND ? -1 : look->firsts[divisor];

	if (first < 0)
		return NAN;
	return value_of(look, first) * (kind == KIND_CLOCK ? share_of_time(look, first) : 1);
}

static struct td_ratio *add(struct td_event_row *row, double value, int decimals, const char *unit)
{
	struct td_ratio *ratio = &row->ratios[row->nr_ratios++];

	*ratio = (struct td_ratio){
		.value = value,
		.decimals = decimals,
		.unit = unit,
		.plain = value,
	};
	return ratio;
}

static void add_instructions(const struct look *look, struct td_event_row *row)
{
	double instructions = value_of(look, look->event);
	double cycles = find(look, KIND_CYCLES);
	double stalls = fmax(find(look, KIND_FRONTEND_STALLS), find(look, KIND_BACKEND_STALLS));

	if (cycles > 0)
		add(row, instructions / cycles, 2, "insn per cycle");
	if (stalls > 0 && instructions > 0)
		add(row, stalls / instructions, 2, "stalled cycles per insn");
}

static const struct share *share_of(enum kind part)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(shares); i++) {
		if (shares[i].part == part)
			return &shares[i];
	}
	return NULL;
}

static void add_share(const struct look *look, const struct share *share, struct td_event_row *row)
{
	double part = value_of(look, look->event);
	double whole = find(look, share->whole);

	if (!(part > 0 && whole > 0))
		return;
	add(row, part / whole * 100, 2, share->unit)->percent = true;
}

static void add_rate(const struct look *look, struct td_event_row *row)
{
	double ns = find(look, KIND_CLOCK);
	double plain = value_of(look, look->event) * 1e9 / ns, rate = plain;
	struct td_ratio *ratio;
	size_t prefix = 0;

	if (!(ns > 0))
		return;
	/* as in perf, 1000 is kept */
	while (rate > 1000 && prefix + 1 < TD_ARRAY_SIZE(rates)) {
		rate /= 1000;
		prefix++;
	}
	ratio = add(row, rate, 3, rates[prefix]);
	ratio->rate = true;
	ratio->plain = plain;
}

static void add_frequency(const struct look *look, struct td_event_row *row)
{
	double cycles = value_of(look, look->event);
	double ns = find(look, KIND_CLOCK);

	if (cycles > 0 && ns > 0)
		add(row, cycles / ns, 3, "GHz");
}

static void add_use(const struct look *look, uint64_t elapsed_ns, struct td_event_row *row)
{
	double ns = value_of(look, look->event);

	if (elapsed_ns > 0)
		add(row, ns / (double)elapsed_ns, 3, "CPUs utilized");
}

void td_ratios_fill(const struct td_ratios *ratios, size_t id, int event, uint64_t elapsed_ns,
		    struct td_event_row *row)
{
	const struct td_plan *plan = ratios->plan;
	const struct look look = { ratios, plan, ratios->totals + id * plan->events.nr,
				   ratios->firsts + id * ratios->nr_divisors, event };
	enum kind kind = ratios->events[event].kind;
	const struct share *share = share_of(kind);

	row->nr_ratios = 0;
	if (kind == KIND_NONE || !is_counted(&plan->events.v[event], &look.totals[event]))
		return;
	if (kind == KIND_CLOCK)
		add_use(&look, elapsed_ns, row);
	else if (kind == KIND_CYCLES)
		add_frequency(&look, row);
	else if (kind == KIND_INSTRUCTIONS)
		add_instructions(&look, row);
	else if (share)
		add_share(&look, share, row);
	else
		add_rate(&look, row);
}

/* --- the table of --metric-only --------------------------------------------- */

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

/*
 * Return 1 + the index of a core PMU that has its own rows; 0 for all other PMUs, which share rows.
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
	td_for_each(const struct td_ratio, ratio, event->ratios, (size_t)event->nr_ratios) {
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
	td_for_each(const struct td_event_row, event, events->rows, events->nr_rows) {
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
