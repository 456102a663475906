// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/regions.h"

#include <math.h>

#include "lib/base/util.h"

static uint64_t hash_of(const char *name, bool own)
{
	return td_hash_more(td_hash_text(name), own);
}

struct td_region *td_regions_add(struct td_regions *regions, const char *name, bool own,
				 bool outside)
{
	struct td_region *region = td_array_add(&regions->v, regions->nr, sizeof(*region));

	region->name = td_strdup(name);
	td_index_add(&regions->by_name, hash_of(name, own), regions->nr);
	region->own = own;
	region->outside = outside;
	regions->nr++;
	return region;
}

struct td_timed *td_regions_add_timed(struct td_regions *regions, const char *name)
{
	struct td_timed *timed = td_array_add(&regions->timed, regions->nr_timed, sizeof(*timed));

	timed->name = td_strdup(name);
	regions->nr_timed++;
	return timed;
}

uint64_t *td_timed_add_cost(struct td_timed *timed, size_t nr)
{
	timed->cost = td_calloc(nr + 1, sizeof(*timed->cost));
	timed->nr_cost = nr;
	return timed->cost;
}

static const char *const engines[] = {
	[TD_BY_MARKS] = "marks",
	[TD_BY_UPROBES] = "uprobes",
	[TD_BY_KPROBES] = "kprobes",
	[TD_BY_PT] = "pt",
};

const char *td_timed_engine(int engine)
{
	return engines[engine];
}

int td_timed_engine_find(const char *name)
{
	for (size_t i = 1; name && i < TD_ARRAY_SIZE(engines); i++) {
		if (strcmp(engines[i], name) == 0)
			return (int)i;
	}
	return 0;
}

struct td_timed *td_regions_find_timed(const struct td_regions *regions, const char *name)
{
	for (size_t i = 0; i < regions->nr_timed; i++) {
		if (strcmp(regions->timed[i].name, name) == 0)
			return &regions->timed[i];
	}
	return NULL;
}

/* Finds a region; timed is negative for any. */
static struct td_region *find(const struct td_regions *regions, const char *name, bool own,
			      int timed)
{
	uint64_t hash = hash_of(name, own);
	size_t step = 0, at;

	while ((at = td_index_next(&regions->by_name, hash, &step)) != TD_NOT_FOUND) {
		struct td_region *region = &regions->v[at];

		if ((timed < 0 || region->timed == timed) && region->own == own &&
		    strcmp(region->name, name) == 0)
			return region;
	}
	return NULL;
}

struct td_region *td_regions_find(const struct td_regions *regions, const char *name, bool own)
{
	return find(regions, name, own, -1);
}

char *td_timed_name(const struct td_timed *timed, unsigned int bucket, bool slow)
{
	char bounds[TD_DURATION_NAME];

	if (slow)
		td_duration_text(bounds, (double)td_region_bucket_ns(bucket));
	else
		td_duration_bucket_name(bounds, bucket);
	return td_aprintf("%s %s%s", timed->name, slow ? "from " : "", bounds);
}

struct td_region *td_regions_bucket(struct td_regions *regions, const struct td_timed *timed,
				    unsigned int bucket, bool slow)
{
	int number = 1 + (int)(timed - regions->timed);
	td_autofree char *name = td_timed_name(timed, bucket, slow);
	/* the program may have marked a region with the same name */
	struct td_region *region = find(regions, name, false, number);

	if (region)
		return region;
	region = td_regions_add(regions, name, false, false);
	region->timed = number;
	region->bucket = bucket;
	region->slow = slow;
	return region;
}

/* Returns the first bucket for which it and the previous ones contain rank calls. */
static unsigned int bucket_of(const uint64_t calls[TD_REGION_BUCKETS], double rank)
{
	double sum = 0;
	unsigned int i = 0;

	for (; i < TD_REGION_BUCKETS - 1; i++) {
		sum += (double)calls[i];
		if (sum >= rank)
			break;
	}
	return i;
}

static uint64_t calls_from(const uint64_t calls[TD_REGION_BUCKETS], unsigned int bucket)
{
	uint64_t sum = 0;

	for (; bucket < TD_REGION_BUCKETS; bucket++)
		sum += calls[bucket];
	return sum;
}

/* Chooses the typical and the slow calls.  At least one bucket is between them. */
void td_timed_choose(struct td_timed *timed, const uint64_t calls[TD_REGION_BUCKETS])
{
	double nr = (double)calls_from(calls, 0);
	unsigned int slow = bucket_of(calls, 0.99 * nr);

	timed->middle = bucket_of(calls, nr / 2);
	timed->slow = 0;
	if (nr < TD_MIN_CALLS)
		return;
	if (slow < timed->middle + 2)
		slow = timed->middle + 2;
	while (slow > timed->middle + 2 && calls_from(calls, slow) < TD_MANY_CALLS)
		slow--;
	if (slow < TD_REGION_BUCKETS && calls_from(calls, slow))
		timed->slow = slow;
}

static void add_calls(struct td_calls *to, const struct td_calls *from)
{
	to->counted += from->counted;
	to->lost += from->lost;
	to->moved += from->moved;
	to->migrated += from->migrated;
	to->switched += from->switched;
	to->time_ns += from->time_ns;
	to->cost_ns += from->cost_ns;
	if (from->threads > to->threads)
		to->threads = from->threads;
}

static void add_facts(struct td_call_facts *to, const struct td_call_facts *from)
{
	to->known |= from->known;
	to->waiting_only |= from->waiting_only;
	to->interrupts |= from->interrupts;
	to->waited_ns += from->waited_ns;
	to->preempted_ns += from->preempted_ns;
	to->faults += from->faults;
	to->switches += from->switches;
	to->migrations += from->migrations;
}

void td_region_add_calls(struct td_region *to, const struct td_region *from)
{
	add_calls(&to->calls, &from->calls);
	add_facts(&to->facts, &from->facts);
	for (size_t i = 0; i < TD_REGION_PMUS; i++) {
		to->on[i] += from->on[i];
		to->took_ns[i] += from->took_ns[i];
		to->on_ns[i] += from->on_ns[i];
		to->interrupted_ns[i] += from->interrupted_ns[i];
	}
}

double td_timed_traced_pct(const struct td_timed *timed)
{
	return timed->counting_ns ? 100 * (double)timed->traced_ns / (double)timed->counting_ns
				  : 100;
}

void td_timed_add_slow(struct td_timed *timed, const struct td_slow_call *call)
{
	size_t at = timed->nr_slowest;

	while (at && timed->slowest[at - 1].time_ns < call->time_ns)
		at--;
	if (at == TD_SLOWEST)
		return;
	if (timed->nr_slowest < TD_SLOWEST)
		timed->nr_slowest++;
	memmove(&timed->slowest[at + 1], &timed->slowest[at],
		(timed->nr_slowest - 1 - at) * sizeof(*call));
	timed->slowest[at] = *call;
}

void td_regions_move_last(struct td_regions *regions, size_t at)
{
	struct td_region moved = regions->v[at];

	memmove(regions->v + at, regions->v + at + 1, (regions->nr - 1 - at) * sizeof(moved));
	regions->v[regions->nr - 1] = moved;
	td_index_clear(&regions->by_name);
	for (size_t i = 0; i < regions->nr; i++) {
		const struct td_region *region = &regions->v[i];

		td_index_add(&regions->by_name, hash_of(region->name, region->own), i);
	}
}

void td_regions_free(struct td_regions *regions)
{
	for (size_t i = 0; i < regions->nr; i++)
		free(regions->v[i].name);
	free(regions->v);
	for (size_t i = 0; i < regions->nr_timed; i++) {
		free(regions->timed[i].name);
		free(regions->timed[i].cost);
	}
	free(regions->timed);
	td_index_free(&regions->by_name);
	*regions = (struct td_regions){ 0 };
}

/* --- how long calls took: steps ------------------------------------------- */

/* Returns the minimum duration in a step: 16 steps per octave, 8 before the first octave. */
static double start_of(size_t step)
{
	int octave;

	if (step < TD_REGION_BUCKET_STEPS)
		return TD_REGION_BUCKET_NS / 8. * (double)step;
	octave = (int)(step - 8) / 16;
	return ldexp(TD_REGION_BUCKET_NS / 16. * (double)(16 + (step - 8) % 16), octave);
}

void td_durations_add(struct td_durations *durations, uint64_t ns)
{
	durations->counts[td_region_step(ns)]++;
	durations->nr++;
	if (ns > durations->max_ns)
		durations->max_ns = ns;
}

/* Interpolates: the calls of a step are assumed to be evenly distributed. */
static double within(const struct td_durations *durations, size_t step, double rank)
{
	double start = start_of(step), end = start_of(step + 1);
	double share = rank / (double)durations->counts[step];

	return fmin(start + share * (end - start), (double)durations->max_ns);
}

double td_durations_quantile(const struct td_durations *durations, double share)
{
	double rank = share * (double)durations->nr;

	/* shares such as 0.999 are not exact in binary */
	if ((double)durations->nr - rank < 1 - 1e-6)
		return NAN;
	for (size_t i = 0; i < TD_REGION_STEPS; i++) {
		double count = (double)durations->counts[i];

		if (count > 0 && rank <= count)
			return within(durations, i, rank);
		rank -= count;
	}
	return (double)durations->max_ns;
}

/* --- durations as text ---------------------------------------------------- */

static const struct unit {
	double ns;
	const char *name;
} units[] = { { 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };

static const struct unit *unit_of(double ns)
{
	size_t i = TD_ARRAY_SIZE(units) - 1;

	/* 999.6 us would be written as 1e+03 */
	while (i && ns < 0.9995 * units[i].ns)
		i--;
	return &units[i];
}

static void put_number(char text[TD_DURATION_NAME], double value)
{
	if (value < 999.5)
		snprintf(text, TD_DURATION_NAME / 3, "%.3g", value);
	else
		snprintf(text, TD_DURATION_NAME / 3, "%.0f", value);
}

static void put_duration(char text[TD_DURATION_NAME], double ns, const char *gap)
{
	const struct unit *unit = unit_of(ns);
	char number[TD_DURATION_NAME];

	put_number(number, ns / unit->ns);
	snprintf(text, TD_DURATION_NAME, "%.16s%s%s", number, gap, unit->name);
}

void td_duration_text(char text[TD_DURATION_NAME], double ns)
{
	if (isnan(ns))
		snprintf(text, TD_DURATION_NAME, "-");
	else
		put_duration(text, ns, " ");
}

void td_duration_word(char text[TD_DURATION_NAME], double ns)
{
	put_duration(text, ns, "");
}

#define MAX_NS 3600e9

/* Whole numbers of ns are exact in a double up to far longer times. */
int td_duration_parse(const char *text, uint64_t *ns)
{
	const char *name = text + strspn(text, "0123456789.");
	char *end;
	double number = strtod(text, &end);

	if (end == text || end != name)
		return -EINVAL;
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		double value = number * units[i].ns;

		if (strcmp(units[i].name, name) != 0)
			continue;
		if (!(value <= MAX_NS))
			return -EINVAL;
		*ns = (uint64_t)llround(value);
		return 0;
	}
	return -EINVAL;
}

void td_duration_bucket_name(char name[TD_DURATION_NAME], unsigned int bucket)
{
	double from_ns = (double)td_region_bucket_ns(bucket);
	double to_ns = (double)td_region_bucket_ns(bucket + 1);
	const struct unit *unit = unit_of(from_ns);
	char from[TD_DURATION_NAME], to[TD_DURATION_NAME];

	td_duration_text(from, from_ns);
	td_duration_text(to, to_ns);
	if (!bucket) {
		snprintf(name, TD_DURATION_NAME, "under %.20s", to);
		return;
	}
	if (bucket >= TD_REGION_BUCKETS - 1) {
		snprintf(name, TD_DURATION_NAME, "%.20s and more", from);
		return;
	}
	/* print a common unit once */
	if (unit == unit_of(to_ns))
		put_number(from, from_ns / unit->ns);
	snprintf(name, TD_DURATION_NAME, "%.20s - %.20s", from, to);
}
