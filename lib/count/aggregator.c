// SPDX-License-Identifier: GPL-2.0-only
/* Gives each CPU an id, with perf stat's names. */
#include "lib/count/aggregator.h"

#include <linux/perf_event.h>
#include <math.h>

#include "lib/base/util.h"

struct cpu_key {
	struct td_id_key id;
	int cpu;
};

static bool has_cache(const struct td_place *places, size_t nr, int level)
{
	for (size_t i = 0; i < nr; i++) {
		if (places[i].cache[level - 1] >= 0)
			return true;
	}
	return false;
}

/* Returns level (or the last one if 0) if any CPU has it, else 0. */
static int find_cache(const struct td_place *places, size_t nr, int level)
{
	int last = level ? level : TD_MAX_CACHE;

	while (last && !has_cache(places, nr, last))
		last = level ? 0 : last - 1;
	return last;
}

/* Formats an id, such as "S0-D0-C3". */
static char *name_of(const struct td_id_key *key, const struct td_aggregation_row *row)
{
	char name[TD_NR_ID_PARTS * 20];
	int len = 0;

	for (int i = 0; i < TD_NR_ID_PARTS && row->letters[i]; i++) {
		if (*row->letters[i])
			len += snprintf(name + len, sizeof(name) - (size_t)len, "%s%d",
					row->letters[i], key->part[i]);
	}
	return td_strdup(name);
}

static int compare_ids(const struct td_id_key *a, const struct td_id_key *b)
{
	for (int i = 0; i < TD_NR_ID_PARTS; i++) {
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct cpu_key *x = a, *y = b;

	return compare_ids(&x->id, &y->id);
}

static void add_id(struct td_aggregator *agg, const struct td_id_key *key)
{
	char *name = name_of(key, td_aggregation_row(agg->how));

	td_array_push(&agg->ids, &agg->nr_ids, &name, sizeof(name));
}

/* Numbers the ids of sorted keys. */
static void number_ids(struct td_aggregator *agg, const struct cpu_key *keys, size_t nr)
{
	const struct td_id_key unknown = { { -1, -1, -1, -1 } };

	for (size_t i = 0; i < nr; i++) {
		if (i == 0 || compare_ids(&keys[i - 1].id, &keys[i].id) != 0)
			add_id(agg, &keys[i].id);
		agg->id_of_cpu[keys[i].cpu] = agg->nr_ids - 1;
	}
	for (size_t cpu = 0; cpu < agg->nr_cpus; cpu++) {
		if (agg->id_of_cpu[cpu] == SIZE_MAX)
			agg->id_of_cpu[cpu] = agg->nr_ids;
	}
	add_id(agg, &unknown);
}

static void build(struct td_aggregator *agg, const struct td_place *places, size_t nr,
		  int cache_level)
{
	const struct td_aggregation_row *row = td_aggregation_row(agg->how);
	td_autofree struct cpu_key *keys = td_calloc(nr + 1, sizeof(*keys));

	for (size_t i = 0; i < nr; i++) {
		if (agg->nr_cpus <= (size_t)places[i].cpu)
			agg->nr_cpus = (size_t)places[i].cpu + 1;
	}
	agg->id_of_cpu = td_calloc(agg->nr_cpus + 1, sizeof(*agg->id_of_cpu));
	memset(agg->id_of_cpu, 0xff, agg->nr_cpus * sizeof(*agg->id_of_cpu)); /* SIZE_MAX: none */
	for (size_t i = 0; i < nr; i++) {
		keys[i].id = row->key(&places[i], cache_level);
		keys[i].cpu = places[i].cpu;
	}
	qsort(keys, nr, sizeof(*keys), by_key);
	number_ids(agg, keys, nr);
}

/*
 * Returns the level of the caches to aggregate by.  As in perf stat's ids, -1 if no cache is known;
 * 0 if only other levels are known.
 */
static int choose_cache(const struct td_place *places, size_t nr, int level)
{
	int last = find_cache(places, nr, 0);

	if (!last)
		return -1;
	return level ? find_cache(places, nr, level) : last;
}

/* Sets agg->unknown.  Returns an error if not even the sockets of the CPUs are known. */
static int check_known(struct td_aggregator *agg, const struct td_place *places, size_t nr,
		       int cache_level, struct td_err *err)
{
	const struct td_aggregation_row *row = td_aggregation_row(agg->how);
	int last = TD_NR_ID_PARTS - 1;
	bool known = false, has_sockets = false;

	while (last && !row->letters[last])
		last--;
	for (size_t i = 0; i < nr; i++) {
		known |= row->key(&places[i], cache_level).part[last] >= 0;
		has_sockets |= places[i].socket >= 0;
	}
	agg->unknown = !known;
	if (known || has_sockets)
		return 0;
	return td_err_set(err, -ENODATA, "%s: the topology of the CPUs is not known", row->option);
}

int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how, int cache_level,
			const struct td_place *places, size_t nr, struct td_err *err)
{
	*agg = (struct td_aggregator){ .how = how };
	if (!td_aggregation_wants_places(how))
		return 0;
	if (how == TD_AGGREGATE_CACHE) {
		int level = choose_cache(places, nr, cache_level);

		if (!level)
			return td_err_set(err, -ENODATA,
					  "--per-cache=L%d: the CPUs have no such cache",
					  cache_level);
		cache_level = level;
	}
	if (check_known(agg, places, nr, cache_level, err))
		return err->code;
	agg->nr_places = nr;
	build(agg, places, nr, cache_level);
	return 0;
}

int td_aggregator_follow(struct td_aggregator *agg, int cache_level, const struct td_place *places,
			 size_t nr, struct td_err *err)
{
	struct td_aggregator now = { 0 }, before;
	int rc;

	if (!td_aggregation_wants_places(agg->how) || agg->nr_places == nr)
		return 0;
	rc = td_aggregator_build(&now, agg->how, cache_level, places, nr, err);
	if (!rc) {
		before = *agg;
		agg->id_of_cpu = now.id_of_cpu;
		agg->nr_cpus = now.nr_cpus;
		agg->ids = now.ids;
		agg->nr_ids = now.nr_ids;
		agg->nr_places = nr;
		now = before;
	}
	td_aggregator_free(&now);
	return rc;
}

void td_aggregator_free(struct td_aggregator *agg)
{
	for (size_t i = 0; i < agg->nr_ids; i++)
		free(agg->ids[i]);
	free(agg->ids);
	free(agg->id_of_cpu);
	*agg = (struct td_aggregator){ 0 };
}

/* --- totals: a count per event and id ------------------------------------- */

/*
 * Returns the value, scaled up from the time it ran to full_ns (unless that is 0), or
 * NaN if it never ran.  Some kernels (6.18) give wrong times for events of cgroups, even
 * 0 for one that has counted.
 */
static double scaled(const struct td_reading *reading, uint64_t full_ns)
{
	if (reading->running_ns == 0)
		return reading->cgroup && reading->value ? (double)reading->value : NAN;
	if (reading->running_ns == full_ns || !full_ns)
		return (double)reading->value;
	return (double)reading->value * (double)full_ns / (double)reading->running_ns;
}

/* Returns a hash of the CPU and task. */
static uint64_t hash_place(const struct td_reading *reading)
{
	uint64_t hash = td_hash((uint64_t)(uint32_t)reading->cpu << 32 | (uint32_t)reading->tid);

	return reading->life ? td_hash_more(hash, (uint32_t)reading->life) : hash;
}

/* Adds a reading, scaled up to full_ns unless that is 0. */
static void add_to_total(struct td_total *total, const struct td_reading *reading, uint64_t full_ns)
{
	double value = scaled(reading, full_ns);
	unsigned int nr = reading->nr ? (unsigned int)reading->nr : 1;

	total->nr += nr;
	total->nr_enabled += reading->enabled_ns ? nr : 0;
	total->enabled_ns += reading->enabled_ns;
	total->running_ns += reading->running_ns;
	if (isnan(value))
		return;
	total->nr_ran += nr;
	total->covered_ns += full_ns;
	total->value = isnan(total->value) ? value : total->value + value;
	total->where += hash_place(reading);
}

static void fill_id(struct td_total_id *id, const char *name, const char *suffix,
		    const char *cgroup, bool all)
{
	id->cgroup = cgroup;
	td_text_join(&id->name, name, suffix, "");
	if (!cgroup)
		td_text_join(&id->label, name, suffix, "");
	else if (all)
		td_text_join(&id->label, cgroup, "", "");
	else
		td_text_join(&id->label, id->name, " ", cgroup);
}

/* Adds an id with the name and a suffix, and returns its totals, which contain no counts yet. */
static struct td_total *add_totals(struct td_totals *totals, const char *name, const char *suffix,
				   const char *cgroup)
{
	size_t row = totals->nr_events ? totals->nr_events : 1;
	struct td_total *v = td_array_add(&totals->v, totals->nr_ids, row * sizeof(*v));
	struct td_total_id *id =
		td_array_next(&totals->ids, &totals->nr_ids, &totals->nr_kept, sizeof(*id));

	fill_id(id, name, suffix, cgroup, totals->all);
	for (size_t i = 0; i < totals->nr_events; i++)
		v[i].value = NAN;
	return v;
}

void td_totals_free(struct td_totals *totals)
{
	for (size_t i = 0; i < totals->nr_ids || i < totals->nr_kept; i++) {
		free(totals->ids[i].name);
		free(totals->ids[i].label);
	}
	free(totals->ids);
	free(totals->v);
	free(totals->room.tasks);
	free(totals->room.groups);
	free(totals->room.pmus);
	free(totals->room.rows);
	*totals = (struct td_totals){ 0 };
}

/* --- readings of tasks ----------------------------------------------------- */

/*
 * Times that tasks spent on PMUs.  A task's groups are enabled on the PMUs of all core types, but
 * run only on the one where the task is.  If multiplexed, at_once of them run at any moment.
 */
struct group_times {
	const struct td_plan *plan;
	const int *groups; /* index of each event's group, or -1; borrowed */
	uint64_t *all_ns;  /* sum of the times that a task's groups ran, per PMU; borrowed */
	uint64_t *max_ns;  /* maximum of these times, per PMU; borrowed */
};

static void begin_group_times(struct group_times *times, const struct td_plan *plan,
			      struct td_totals *totals)
{
	size_t nr_pmus = 1;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if ((size_t)plan->groups[g].pmu >= nr_pmus)
			nr_pmus = (size_t)plan->groups[g].pmu + 1;
	}
	td_array_clear(&totals->room.groups, plan->events.nr, sizeof(*totals->room.groups));
	td_array_clear(&totals->room.pmus, 2 * nr_pmus, sizeof(*totals->room.pmus));
	td_plan_fill_groups(plan, totals->room.groups);
	*times = (struct group_times){ plan, totals->room.groups, totals->room.pmus,
				       totals->room.pmus + nr_pmus };
}

/* Returns the group of a task's reading, or NULL if it is not multiplexed. */
static const struct td_group *group_of(const struct group_times *times,
				       const struct td_reading *reading)
{
	int index = reading->cpu < 0 ? times->groups[reading->event] : -1;
	const struct td_group *group = index < 0 ? NULL : &times->plan->groups[index];

	return group && group->at_once > 0 ? group : NULL;
}

/* Sums the times that the groups of a task ran; v is all readings of the task. */
static void add_group_times(struct group_times *times, const struct td_reading *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct td_group *group = group_of(times, &v[i]);

		if (group)
			times->all_ns[group->pmu] = times->max_ns[group->pmu] = 0;
	}
	for (size_t i = 0; i < nr; i++) {
		int index = times->groups[v[i].event];
		const struct td_group *group = index < 0 ? NULL : &times->plan->groups[index];

		if (!group || group->members[0] != v[i].event)
			continue;
		times->all_ns[group->pmu] += v[i].running_ns;
		if (v[i].running_ns > times->max_ns[group->pmu])
			times->max_ns[group->pmu] = v[i].running_ns;
	}
}

/* Returns how long the task was on the PMU of one of its readings. */
static uint64_t time_on_pmu(const struct group_times *times, const struct td_reading *reading)
{
	const struct td_group *group = group_of(times, reading);
	uint64_t ns, max;

	if (!group)
		return reading->enabled_ns;
	ns = (uint64_t)((double)times->all_ns[group->pmu] / group->at_once);
	max = times->max_ns[group->pmu];
	ns = ns > max ? ns : max;
	return ns < reading->enabled_ns ? ns : reading->enabled_ns;
}

/* --- tasks ---------------------------------------------------------------- */

static int by_task(const void *a, const void *b)
{
	const struct td_reading *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->life != y->life)
		return x->life < y->life ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

static int by_region(const void *a, const void *b)
{
	const struct td_reading *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	return by_task(a, b);
}

/*
 * Returns true if rows include a reading.  Regions have readings with and without nested
 * regions; time outside of all regions has only one kind.  A sum of tasks has no idle CPUs.
 */
static bool is_wanted(const struct td_aggregator *agg, const struct td_reading *reading)
{
	const struct td_region *region;

	if (agg->skip_idle && agg->how == TD_AGGREGATE_ALL && reading->tid == TD_TASK_IDLE)
		return false;
	if (!agg->regions || !reading->region || agg->how == TD_AGGREGATE_MODE)
		return true;
	region = &agg->regions->v[reading->region - 1];
	return region->own == agg->own || region->outside;
}

#define SUFFIX_SIZE 32

/*
 * Adds "comm-tid", as in perf stat, "comm-tid#2" for the second task with this tid, or the name alone
 * of a user, TD_TASK_IDLE and TD_TASK_LOST.
 */
static struct td_total *add_thread(const struct td_aggregator *agg, const struct td_reading *of,
				   struct td_totals *totals)
{
	const char *comm =
		agg->names ? td_task_names_find_life(agg->names, of->tid, of->life) : NULL;
	char suffix[SUFFIX_SIZE];

	if (!td_aggregation_has_tids(agg->how) || of->tid == TD_TASK_IDLE ||
	    of->tid == TD_TASK_LOST)
		suffix[0] = '\0';
	else if (of->life)
		snprintf(suffix, sizeof(suffix), "-%d#%d", of->tid, of->life + 1);
	else
		snprintf(suffix, sizeof(suffix), "-%d", of->tid);
	return add_totals(totals, comm ? comm : "?", suffix, NULL);
}

static struct td_total *add_id_of_task(const struct td_aggregator *agg, const struct td_reading *of,
				       struct td_totals *totals)
{
	static const char *const modes[] = {
		"all",
		[TD_MODE_GUEST] = "guest",
		[TD_MODE_KERNEL] = "host kernel",
		[TD_MODE_USER] = "monitor",
	};
	const char *name = "all";

	if (td_aggregation_names_tasks(agg->how))
		return add_thread(agg, of, totals);
	if (agg->how == TD_AGGREGATE_MODE)
		name = modes[of->region <= TD_MODE_USER ? of->region : 0];
	if (agg->how == TD_AGGREGATE_REGION)
		name = agg->regions && of->region ? agg->regions->v[of->region - 1].name : "?";
	return add_totals(totals, name, "", NULL);
}

/* Returns true if a reading belongs to another row than the reading before it. */
static bool begins_row(const struct td_aggregator *agg, const struct td_reading *v,
		       const struct td_reading *before)
{
	switch (agg->how) {
	case TD_AGGREGATE_THREAD:
	case TD_AGGREGATE_PROCESS:
	case TD_AGGREGATE_USER:
		return v->tid != before->tid || v->life != before->life;
	case TD_AGGREGATE_REGION:
	case TD_AGGREGATE_MODE:
		return v->region != before->region;
	default:
		return false;
	}
}

static bool has_run(const struct td_reading *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (v[i].running_ns)
			return true;
	}
	return false;
}

/* Adds readings that are sorted by row and task. */
static void add_sorted(const struct td_aggregator *agg, const struct td_reading *v, size_t nr,
		       struct group_times *times, struct td_totals *totals)
{
	const struct td_reading *last = NULL;
	struct td_total *row = NULL;
	size_t end;

	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr; end++) {
			if (by_task(&v[i], &v[end]) != 0)
				break;
		}
		if (agg->skip_idle && !has_run(v + i, end - i))
			continue;
		if (!last || begins_row(agg, &v[i], last))
			row = add_id_of_task(agg, &v[i], totals);
		last = &v[i];
		add_group_times(times, v + i, end - i);
		for (size_t r = i; r < end; r++)
			add_to_total(&row[v[r].event], &v[r],
				     agg->raw ? 0 : time_on_pmu(times, &v[r]));
	}
}

static void add_tasks(const struct td_aggregator *agg, const struct td_readings *delta,
		      const struct td_plan *plan, struct td_totals *totals)
{
	struct td_reading *v;
	struct group_times times;
	size_t nr = 0;

	begin_group_times(&times, plan, totals);
	td_array_clear(&totals->room.tasks, delta->nr, sizeof(*v));
	v = totals->room.tasks;
	for (size_t i = 0; i < delta->nr; i++) {
		if (is_wanted(agg, &delta->v[i]))
			v[nr++] = delta->v[i];
	}
	qsort(v, nr, sizeof(*v),
	      agg->how == TD_AGGREGATE_REGION || agg->how == TD_AGGREGATE_MODE ? by_region
									       : by_task);
	add_sorted(agg, v, nr, &times, totals);
}

/* --- all readings ---------------------------------------------------------- */

/* Rows of the totals: a key is cgroup * nr_ids + id. */
struct row_keys {
	const struct td_aggregator *agg;
	size_t nr_ids;  /* number of ids of a cgroup, including those without readings */
	size_t *of_key; /* index in the totals, or SIZE_MAX without readings; borrowed */
	size_t nr_keys;
};

static size_t key_of(const struct row_keys *rows, const struct td_reading *reading)
{
	const struct td_aggregator *agg = rows->agg;
	/* a reading without CPU and task is a sum */
	size_t cpu = reading->cpu < 0 ? 0 : (size_t)reading->cpu, id = 0;

	if (rows->nr_keys == 1)
		return 0;
	if (agg->how == TD_AGGREGATE_CPU)
		id = cpu;
	else if (agg->nr_ids)
		id = cpu < agg->nr_cpus ? agg->id_of_cpu[cpu] : agg->nr_ids - 1;
	return (size_t)reading->cgroup * rows->nr_ids + id;
}

static struct td_total *add_row(const struct row_keys *rows, size_t id, const char *cgroup,
				struct td_totals *totals)
{
	char suffix[SUFFIX_SIZE];

	if (rows->agg->how != TD_AGGREGATE_CPU)
		return add_totals(totals, rows->agg->nr_ids ? rows->agg->ids[id] : "all", "",
				  cgroup);
	snprintf(suffix, sizeof(suffix), "%zu", id);
	return add_totals(totals, "CPU", suffix, cgroup);
}

/* Finds the keys with readings.  Per CPU, the id is its number. */
static void begin_rows(struct row_keys *rows, const struct td_readings *delta,
		       struct td_totals *totals)
{
	const struct td_aggregator *agg = rows->agg;
	int cpu = 0, cgroup = 0;

	for (size_t i = 0; i < delta->nr; i++) {
		cpu = delta->v[i].cpu > cpu ? delta->v[i].cpu : cpu;
		cgroup = delta->v[i].cgroup > cgroup ? delta->v[i].cgroup : cgroup;
	}
	rows->nr_ids = agg->how == TD_AGGREGATE_CPU ? (size_t)cpu + 1
		       : agg->nr_ids                ? agg->nr_ids
						    : 1;
	rows->nr_keys = rows->nr_ids * ((size_t)cgroup + 1);
	td_array_clear(&totals->room.rows, rows->nr_keys, sizeof(*rows->of_key));
	rows->of_key = totals->room.rows;
	memset(rows->of_key, 0xff, rows->nr_keys * sizeof(*rows->of_key));
	for (size_t i = 0; i < delta->nr; i++)
		rows->of_key[key_of(rows, &delta->v[i])] = 0;
}

static const char *container_of(const struct td_aggregator *agg, size_t cgroup)
{
	const char *name = NULL;

	if (agg->containers && cgroup && cgroup <= agg->nr_cgroups)
		name = agg->containers[cgroup - 1];
	return name && *name ? name : NULL;
}

static void number_rows(struct row_keys *rows, struct td_totals *totals)
{
	for (size_t key = 0; key < rows->nr_keys; key++) {
		size_t cgroup = key / rows->nr_ids;

		if (rows->of_key[key] == SIZE_MAX)
			continue;
		rows->of_key[key] = totals->nr_ids;
		add_row(rows, key % rows->nr_ids,
			cgroup && cgroup <= rows->agg->nr_cgroups ? rows->agg->cgroups[cgroup - 1]
								  : NULL,
			totals);
		totals->ids[totals->nr_ids - 1].container = container_of(rows->agg, cgroup);
	}
}

static void add_cpus(const struct td_aggregator *agg, const struct td_readings *delta,
		     struct td_totals *totals)
{
	struct row_keys rows = { .agg = agg };

	begin_rows(&rows, delta, totals);
	number_rows(&rows, totals);
	for (size_t i = 0; i < delta->nr; i++) {
		const struct td_reading *r = &delta->v[i];
		size_t row = rows.of_key[key_of(&rows, r)];

		add_to_total(&totals->v[row * totals->nr_events + (size_t)r->event], r,
			     agg->raw ? 0 : r->enabled_ns);
	}
}

void td_aggregate(const struct td_aggregator *agg, const struct td_readings *delta,
		  const struct td_plan *plan, struct td_totals *totals)
{
	totals->nr_ids = 0;
	totals->nr_events = plan->events.nr;
	totals->by_id = td_aggregation_wants_places(agg->how);
	totals->tasks = totals->all = false;
	if (!delta->nr)
		return;
	totals->tasks = delta->v[0].cpu < 0 && delta->v[0].tid >= 0;
	totals->all = totals->tasks ? !td_aggregation_by_task(agg->how)
				    : agg->how != TD_AGGREGATE_CPU && !agg->nr_ids;
	if (totals->tasks)
		add_tasks(agg, delta, plan, totals);
	else
		add_cpus(agg, delta, totals);
}
