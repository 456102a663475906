// SPDX-License-Identifier: GPL-2.0-only
/* tdstat reads the counts that the library writes, without the cost of counting. */
#include "cmd/regions/region_sums.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/region/parts.h"
#include "tests/unit/test.h"

enum {
	SLOTS,
	FIELD,
	OTHER,
	NR
}; /* OTHER is of another core type */
enum {
	CALLS = 32,
	CHILDREN = 64
};

static const struct td_region_value values[NR] = { { 0, 0, 0 }, { 1, 0, 0, true }, { 2, 1, 1 } };
static char folder[] = "/tmp/tdstat-unit-XXXXXX";
static char prefix[64];

#define is_int(got, want, what)                            \
	do {                                               \
		long long got_ = (got), want_ = (want);    \
		ok(got_ == want_, "%s: %lld", what, got_); \
	} while (0)

/* --- writing ---------------------------------------------------------------- */

static void open_plain(struct td_store *store, bool buckets)
{
	if (td_store_open(store, prefix, "tdstat regions 1\n", NR, buckets))
		exit(1);
}

static void open_store(struct td_store *store)
{
	open_plain(store, false);
	store->head->cost[0][SLOTS] = 100;
	store->head->cost[1][SLOTS] = 50;
	store->head->cost[0][FIELD] = 20 * 255;
	store->head->cost[1][FIELD] = 5 * 255;
	store->head->cost_ns[0][0] = 10;
	store->head->cost_ns[1][0] = 5;
}

/* Each call takes 10,000 slots, 4,000 of them outside of two children. */
static struct td_edit add_call(struct td_store *store, struct td_region_record *record)
{
	struct td_edit edit = td_store_edit(store, record);

	edit.calls->counted++;
	edit.calls->on[1]++;
	edit.calls->children += CHILDREN / CALLS;
	edit.calls->nested += CHILDREN / CALLS;
	edit.sum->time_ns += 1000;
	edit.sum->own_ns += 400;
	edit.sum->values[SLOTS] += 10000;
	edit.sum->values[FIELD] += 2500 * 255;
	edit.sum->values[NR + SLOTS] += 4000;
	edit.sum->values[NR + FIELD] += 500 * 255;
	return edit;
}

static struct td_region_record *add_region(struct td_store *store, const char *name, int tid)
{
	struct td_region_record *record = td_store_add(store, name, tid, TD_REGION_MARKED);

	if (!record)
		exit(1);
	for (int i = 0; i < CALLS; i++) {
		const struct td_edit edit = add_call(store, record);

		td_store_commit(store, &edit);
	}
	return record;
}

static struct td_region_sum *point_of(const struct td_store *store,
				      const struct td_region_record *record, unsigned int i)
{
	return td_region_sum_at(record, store->head->sum_size, TD_REGION_FIRST_POINT + i);
}

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -f %s/*", folder);
	if (system(command))
		exit(1);
}

/* --- reading ---------------------------------------------------------------- */

static uint64_t value_of(const struct td_region_files *files, const char *name, bool own, int event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < files->counts.readings.nr; i++) {
		const struct td_reading *r = &files->counts.readings.v[i];
		const struct td_region *region = &files->regions.v[r->region - 1];

		if (strcmp(region->name, name) == 0 && region->own == own && r->event == event)
			sum += r->value;
	}
	return sum;
}

static int read_all(struct td_region_files *files, struct td_err *err)
{
	*files = (struct td_region_files){ .values = values, .nr_values = NR };
	return td_region_files_read(files, prefix, err);
}

static void check_sums(void)
{
	struct td_region_files files;
	const struct td_region *region;
	struct td_store store;
	struct td_err err;

	open_store(&store);
	add_region(&store, "outer", 5);
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0 && files.regions.nr == 2,
	   "a region is there with and without those within");
	/* 32 x 10,000, less 32 x 100 and, within, 64 x (100 + 50) */
	is_int((long long)value_of(&files, "outer", false, SLOTS), 307200,
	       "inclusive: less its own calls, and all of those within");
	is_int((long long)value_of(&files, "outer", true, SLOTS), 121600,
	       "exclusive: less its own calls, and what others cost beside");
	is_int((long long)value_of(&files, "outer", false, FIELD), 80000 - 640 - 1600,
	       "a field: the same");
	is_int((long long)value_of(&files, "outer", true, FIELD), 16000 - 640 - 320,
	       "a field: the same without");
	is_int((long long)value_of(&files, "outer", false, OTHER), 0,
	       "nothing on another kind of core");
	region = td_regions_find(&files.regions, "outer", false);
	ok(region && region->calls.counted == CALLS && region->on[0] == CALLS &&
		   region->on[1] == 0 && region->calls.threads == 1,
	   "its calls, and where they were");
	is_int(region ? (long long)region->calls.time_ns : -1, 32000 - 320 - 960, "its time");
	is_int((long long)files.counts.timeline.nr, TD_BATCHES, "a timeline of batches");
	is_int((long long)files.counts.timeline.points[TD_BATCHES - 1].v[0].value, 307200,
	       "whose last point is the sum");
	is_int((long long)files.counts.timeline.points[7].v[0].value, 153600,
	       "and whose middle is half of it");
	td_region_files_free(&files);
	clean();
}

static void check_threads_and_processes(void)
{
	struct td_region_files files;
	struct td_store store;
	struct td_err err;

	open_store(&store);
	add_region(&store, "a", 5);
	add_region(&store, "a", 6);
	td_store_forget(&store);
	open_store(&store); /* as after an exec() */
	add_region(&store, "a", 5);
	add_region(&store, "b", 5);
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0, "two files");
	is_int(files.nr_processes, 2, "two programs");
	is_int((long long)files.regions.nr, 4, "two regions");
	is_int((long long)value_of(&files, "a", false, SLOTS), 3 * 307200, "of three threads");
	is_int((long long)value_of(&files, "b", false, SLOTS), 307200, "of one");
	td_region_files_free(&files);
	clean();
}

/* A quarter of the calls end on another core type, where a call takes longer. */
static void check_cost_of_kinds(void)
{
	struct td_region_files files;
	struct td_region_record *record;
	const struct td_region *region;
	struct td_store store;
	struct td_err err;

	open_store(&store);
	store.head->cost_ns[0][1] = 110;
	store.head->cost_ns[1][1] = 45;
	record = add_region(&store, "a", 5);
	record->calls.on[1] = CALLS - CALLS / 4;
	record->calls.on[2] = CALLS / 4;
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0, "two kinds of core");
	region = td_regions_find(&files.regions, "a", false);
	/* means of 35 and 15 ns: 32 x 35 of its own, 64 x 50 within it */
	is_int(region ? (long long)region->calls.time_ns : -1, 32000 - 1120 - 3200,
	       "the time of each is its own");
	td_region_files_free(&files);
	clean();
}

/* A process that is killed in td_end() leaves a copy that is complete, or not. */
static void check_killed(void)
{
	struct td_region_files files;
	struct td_region_record *record;
	const struct td_region *region;
	struct td_store store;
	struct td_err err;

	open_store(&store);
	add_call(&store, add_region(&store, "before", 5));
	record = add_region(&store, "after", 5);
	add_call(&store, record);
	record->pending = 1;
	record->calls.counted = 77; /* half written */
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0, "a process that was killed");
	region = td_regions_find(&files.regions, "before", false);
	ok(region && region->calls.counted == CALLS, "before the copy counts");
	region = td_regions_find(&files.regions, "after", false);
	ok(region && region->calls.counted == CALLS + 1, "and when it does");
	is_int((long long)value_of(&files, "after", true, SLOTS), 33 * 4000 - 33 * 100 - 66 * 50,
	       "with its values");
	td_region_files_free(&files);
	clean();
}

/* So many that each batch has two parts of 128 calls. */
enum {
	MANY = 4096
};

static struct td_region_record *add_many(struct td_store *store)
{
	struct td_region_record *record = td_store_add(store, "a", 5, TD_REGION_MARKED);

	if (!record)
		exit(1);
	for (int i = 0; i < MANY; i++) {
		struct td_edit edit = add_call(store, record);

		/* calls of the second half take twice as long */
		edit.sum->values[SLOTS] += i < MANY / 2 ? 0 : 10000;
		td_store_commit(store, &edit);
	}
	return record;
}

static uint64_t until(const struct td_region_files *files, unsigned int batch)
{
	return files->counts.timeline.points[batch].v[SLOTS].value;
}

/* Two calls within each, and its own, are the cost: 100 + 2 x 150. */
static const uint64_t first_half = (uint64_t)(MANY / 2) * (10000 - 400);
static const uint64_t of_many = (uint64_t)MANY * (15000 - 400);

static void check_batches(void)
{
	struct td_region_files files;
	struct td_store store;
	struct td_err err;
	bool alike = true;

	open_store(&store);
	add_many(&store);
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0, "thousands of calls");
	for (unsigned int i = 0; i < TD_BATCHES / 2; i++)
		alike &= until(&files, i) == (i + 1) * first_half / 8;
	ok(alike, "calls that follow each other are in one batch");
	is_int((long long)until(&files, 15), (long long)of_many, "all of them");
	td_region_files_free(&files);
	clean();
}

/* A process that is killed while it writes the points, or drops some of them. */
static void check_torn(void)
{
	for (unsigned int torn = 0; torn <= TD_REGION_POINTS / 2; torn++) {
		struct td_region_files files;
		struct td_region_record *record;
		struct td_store store;
		struct td_err err;
		bool grows = true;

		open_store(&store);
		record = add_many(&store);
		for (unsigned int i = 0; i < torn; i++)
			memcpy(point_of(&store, record, i), point_of(&store, record, 2 * i + 1),
			       store.head->sum_size);
		point_of(&store, record, torn)->counted = 0;
		point_of(&store, record, torn)->values[SLOTS] = -77;
		td_store_forget(&store);
		if (read_all(&files, &err))
			exit(1);
		for (unsigned int i = 1; i < TD_BATCHES; i++)
			grows &= until(&files, i) >= until(&files, i - 1);
		ok(grows && until(&files, 15) == of_many, "killed at point %u: nothing is lost",
		   torn);
		td_region_files_free(&files);
		clean();
	}
}

/* Steps of PERF_METRICS make some differences less than nothing. */
static void check_less_than_nothing(void)
{
	struct td_region_files files;
	struct td_region_record *record;
	struct td_store store;
	struct td_err err;
	bool grows = true;

	open_store(&store);
	record = add_region(&store, "a", 5);
	/* up and down by 20,000, which is more than two calls take */
	for (unsigned int i = 0; i < TD_REGION_POINTS; i++)
		point_of(&store, record, i)->values[FIELD] += (i / 2 % 2 ? 20000 : -20000) * 255;
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0, "batches of less than nothing");
	is_int((long long)value_of(&files, "a", false, FIELD), 80000 - 640 - 1600,
	       "change nothing of the sum");
	for (unsigned int i = 1; i < TD_BATCHES; i++)
		grows &= files.counts.timeline.points[i].v[FIELD].value >=
			 files.counts.timeline.points[i - 1].v[FIELD].value;
	ok(grows, "and counts only grow");
	td_region_files_free(&files);
	clean();
}

/* --- buckets ---------------------------------------------------------------- */

/* As many slots as nanoseconds. */
static struct td_edit edit_timed(const struct td_store *store, struct td_region_record *record,
				 uint64_t ns)
{
	struct td_edit edit = td_store_edit(store, record);
	__typeof__(&edit.bucket->sides[0]) side;
	const struct td_region_sum *from;
	struct td_region_sum *to;

	td_store_edit_bucket(store, &edit, ns);
	side = &edit.bucket->sides[edit.side];
	from = td_region_bucket_sum_at(edit.bucket, NR, !edit.side);
	to = td_region_bucket_sum_at(edit.bucket, NR, edit.side);
	edit.calls->counted++;
	edit.calls->on[1]++;
	edit.sum->time_ns += ns;
	edit.sum->values[SLOTS] += (int64_t)ns;
	side->calls.counted++;
	side->calls.on[1]++;
	to->time_ns = from->time_ns + ns;
	to->values[SLOTS] = from->values[SLOTS] + (int64_t)ns;
	return edit;
}

static void add_timed(const struct td_store *store, struct td_region_record *record, uint64_t ns)
{
	const struct td_edit edit = edit_timed(store, record, ns);

	td_store_commit(store, &edit);
}

static struct td_region_record *add_timed_region(struct td_store *store, int tid)
{
	struct td_region_record *record = td_store_add(store, "a", tid, TD_REGION_MARKED);

	if (!record)
		exit(1);
	return record;
}

static const struct td_region *bucket_of(const struct td_region_files *files, uint64_t ns)
{
	for (size_t i = 0; i < files->regions.nr; i++) {
		const struct td_region *region = &files->regions.v[i];

		if (region->timed && region->bucket == td_region_bucket(ns))
			return region;
	}
	return NULL;
}

static uint64_t calls_in_buckets(const struct td_region_files *files)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < files->regions.nr; i++)
		sum += files->regions.v[i].timed && !files->regions.v[i].slow
			       ? files->regions.v[i].calls.counted
			       : 0;
	return sum;
}

/* Threads, and processes: one row for each bucket of all. */
static void check_buckets(void)
{
	struct td_region_files files;
	struct td_store store;
	struct td_err err;
	const struct td_region *slow;

	for (int process = 0; process < 2; process++) {
		open_plain(&store, true);
		for (int tid = 5; tid < 7; tid++) {
			struct td_region_record *record = add_timed_region(&store, tid);

			for (int i = 0; i < 1000; i++)
				add_timed(&store, record, 2000);
			for (int i = 0; i < 10; i++)
				add_timed(&store, record, 70000);
		}
		td_store_forget(&store);
	}
	if (read_all(&files, &err))
		exit(1);
	/* with and without inner regions, two buckets, and the slow calls */
	is_int((long long)files.regions.nr, 5, "elements");
	is_int((long long)calls_in_buckets(&files), 4040, "calls in buckets");
	slow = bucket_of(&files, 70000);
	ok(slow && strcmp(slow->name, "a 51.2 - 76.8 us") == 0 && slow->calls.counted == 40 &&
		   slow->on[0] == 40 && slow->calls.threads == 4,
	   "slow ones of four threads");
	is_int(slow ? (long long)slow->calls.time_ns : -1, 40 * 70000, "their time");
	is_int((long long)value_of(&files, "a 51.2 - 76.8 us", false, SLOTS), 40 * 70000,
	       "their slots");
	is_int((long long)value_of(&files, "a", false, SLOTS), 40 * 70000 + 4000 * 2000,
	       "are a part of all");
	slow = td_regions_find(&files.regions, "a from 3.2 us", false);
	ok(slow && slow->slow && slow->calls.counted == 40 && slow->took_ns[0] == 40 * 70000 &&
		   slow->on_ns[0] == 40 * 70000,
	   "calls from two buckets above the median on are slow");
	is_int((long long)value_of(&files, "a from 3.2 us", false, SLOTS), 40 * 70000,
	       "which have the same slots");
	ok(files.regions.nr_timed == 1 && files.regions.timed[0].durations.nr == 4040 &&
		   files.regions.timed[0].durations.counts[td_region_step(70000)] == 40,
	   "and in one step of the histogram");
	is_int(files.nr_with_buckets, 2, "processes with buckets");
	td_region_files_free(&files);
	clean();
}

/* State of a call when its process is killed. */
enum killed {
	IN_EDIT,      /* no effect of the call yet */
	IN_COMMIT,    /* all of it, and nothing is in its place */
	BEFORE_POINT, /* the bucket is changed, too */
	NOT,
	NR_KILLED
};

static void leave_call(const struct td_store *store, struct td_region_record *record,
		       enum killed when)
{
	const struct td_edit edit = edit_timed(store, record, 2000);

	if (when == NOT)
		td_store_commit(store, &edit);
	if (when == IN_COMMIT || when == BEFORE_POINT) {
		record->pending = edit.pending;
		record->calls.counted = 77; /* half written */
	}
	if (when == BEFORE_POINT)
		edit.bucket->side = edit.side;
}

/* The third call is the second of its bucket, or the first. */
static void check_killed_in_bucket(void)
{
	for (int when = IN_EDIT; when < NR_KILLED; when++) {
		for (uint64_t other = 2000; other <= 9000; other += 7000) {
			struct td_region_files files;
			struct td_region_record *record;
			const struct td_region *bucket;
			struct td_store store;
			struct td_err err;
			uint64_t want = when == IN_EDIT ? 2 : 3;

			open_plain(&store, true);
			record = add_timed_region(&store, 5);
			add_timed(&store, record, 9000);
			add_timed(&store, record, other);
			leave_call(&store, record, (enum killed)when);
			td_store_forget(&store);
			if (read_all(&files, &err))
				exit(1);
			bucket = bucket_of(&files, 2000);
			ok(td_regions_find(&files.regions, "a", false)->calls.counted == want &&
				   calls_in_buckets(&files) == want &&
				   files.regions.timed[0].durations.nr == want,
			   "killed at %d: %d calls in all ways", when, (int)want);
			is_int(bucket ? (long long)bucket->calls.time_ns : 0,
			       (long long)(2000 * (want - 1 - (other == 9000))), "and their time");
			td_region_files_free(&files);
			clean();
		}
	}
}

/* More than there is room for: the nearest has them. */
static void check_many_buckets(void)
{
	struct td_region_files files;
	struct td_region_record *record;
	struct td_store store;
	struct td_err err;

	open_plain(&store, true);
	record = add_timed_region(&store, 5);
	for (unsigned int i = 0; i < 2 * TD_REGION_BUCKETS; i++)
		add_timed(&store, record, td_region_bucket_ns(i % TD_REGION_BUCKETS));
	td_store_forget(&store);
	if (read_all(&files, &err))
		exit(1);
	is_int((long long)calls_in_buckets(&files), 2 * TD_REGION_BUCKETS, "all calls are there");
	is_int((long long)files.elsewhere, 2 * (TD_REGION_BUCKETS - TD_REGION_PLACES),
	       "some elsewhere");
	/* calls after the last bucket are in the last one */
	is_int((long long)bucket_of(&files, td_region_bucket_ns(31))->calls.counted,
	       2 + 2 * (TD_REGION_BUCKETS - TD_REGION_PLACES), "the nearest");
	is_int((long long)bucket_of(&files, td_region_bucket_ns(30))->calls.counted, 2,
	       "and not others");
	td_region_files_free(&files);
	clean();
}

/* A process that is killed while it writes a point of a bucket. */
static void check_torn_bucket(void)
{
	for (unsigned int torn = 0; torn < TD_REGION_BUCKET_POINTS; torn++) {
		struct td_region_files files;
		struct td_region_record *record;
		struct td_region_sum *point;
		struct td_store store;
		struct td_err err;

		open_plain(&store, true);
		record = add_timed_region(&store, 5);
		for (int i = 0; i < MANY; i++)
			add_timed(&store, record, 2000);
		point = td_region_bucket_sum_at(
			td_region_bucket_at(td_region_buckets_of(record, store.head->sum_size), NR,
					    1),
			NR, TD_REGION_BUCKET_FIRST_POINT + torn);
		point->counted = 0;
		point->values[SLOTS] = -77;
		td_store_forget(&store);
		if (read_all(&files, &err))
			exit(1);
		ok(value_of(&files, "a 1.6 - 2.4 us", false, SLOTS) == 2000 * (uint64_t)MANY,
		   "point %u of a bucket is torn: nothing is lost", torn);
		td_region_files_free(&files);
		clean();
	}
}

static void check_damaged_bucket(void)
{
	struct td_region_files files;
	struct td_region_buckets *buckets;
	struct td_region_record *record;
	struct td_store store;
	struct td_err err;

	open_plain(&store, true);
	record = add_timed_region(&store, 5);
	for (int i = 0; i < 3; i++)
		add_timed(&store, record, UINT64_C(2000) << (2 * i));
	buckets = td_region_buckets_of(record, store.head->sum_size);
	td_region_bucket_at(buckets, NR, 1)->number = TD_REGION_BUCKETS;
	td_region_bucket_at(buckets, NR, 2)->side = 2;
	buckets->slowest[0].time_ns = UINT64_MAX;
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0 && calls_in_buckets(&files) == 1 &&
		   !files.regions.timed[0].nr_slowest,
	   "buckets and slow calls that cannot be are left out");
	td_region_files_free(&files);
	clean();
	open_plain(&store, true);
	add_timed_region(&store, 5)->pending = td_region_pending(TD_REGION_PLACES, 1) + 1;
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0 && files.regions.nr == 0, "a place that is none");
	td_region_files_free(&files);
	clean();
}

/* A library without buckets. */
static void check_older(void)
{
	struct td_region_files files;
	struct td_store store;
	struct td_err err;

	open_store(&store);
	add_region(&store, "a", 5);
	store.head->version = TD_REGION_OLDEST;
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0 && files.regions.nr == 2 && files.nr_processes == 1 &&
		   files.nr_with_buckets == 0,
	   "the file of an older library is read");
	td_region_files_free(&files);
	clean();
}

/* --- damage ----------------------------------------------------------------- */

static void is_refused(const char *why, const char *what)
{
	struct td_region_files files;
	struct td_err err = { 0 };

	ok(read_all(&files, &err) < 0 && strstr(err.msg, why) && strstr(err.msg, prefix),
	   "%s: '%s'", what, err.msg);
	td_region_files_free(&files);
	clean();
}

static void check_damage(void)
{
	struct td_region_files files;
	struct td_region_record *record;
	struct td_store store;
	struct td_err err;
	char path[96];

	open_store(&store);
	record = add_region(&store, "a", 5);
	memset(record->name, 'x', sizeof(record->name));
	add_region(&store, "b", 5)->kind = TD_REGION_UNREADY;
	td_store_forget(&store);
	ok(read_all(&files, &err) == 0 && files.regions.nr == 0,
	   "records that are damaged, or not whole, are left out");
	td_region_files_free(&files);
	clean();
	open_store(&store);
	store.head->nr_records = UINT64_MAX / 2;
	td_store_forget(&store);
	is_refused("shorter", "too many records");
	open_store(&store);
	store.head->sum_size = 8;
	td_store_forget(&store);
	is_refused("shorter", "sums without room");
	open_store(&store);
	store.head->version++;
	td_store_forget(&store);
	is_refused("version", "a later version");
	open_store(&store);
	store.head->version = TD_REGION_OLDEST - 1;
	td_store_forget(&store);
	is_refused("version", "a version that is too old");
	open_store(&store);
	store.head->buckets = 1;
	add_region(&store, "a", 5);
	td_store_forget(&store);
	is_refused("shorter", "buckets without room");
	open_store(&store);
	store.head->nr_values = 2;
	td_store_forget(&store);
	is_refused("other events", "other events");
	open_store(&store);
	store.head->magic[0] = 'x';
	td_store_forget(&store);
	is_refused("is not a file of regions", "another file");
	snprintf(path, sizeof(path), "%s.1", prefix);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	ok(read_all(&files, &err) == 0 && files.nr_processes == 0,
	   "an empty file, of a process that had no room");
	td_region_files_free(&files);
	clean();
	ok(read_all(&files, &err) == 0 && files.nr_processes == 0, "no file");
	td_region_files_free(&files);
}

/* Untrusted files: reading does not block, and other files are not read. */
static void check_no_files(void)
{
	char path[96], other[64];
	struct td_store store;

	snprintf(path, sizeof(path), "%s.1", prefix);
	if (mkfifo(path, 0600))
		exit(1);
	is_refused("is not a file of regions", "a FIFO");
	open_store(&store);
	td_store_forget(&store);
	snprintf(other, sizeof(other), "%s/other", folder);
	snprintf(path, sizeof(path), "%s.%d", prefix, (int)getpid());
	if (rename(path, other) || symlink(other, path))
		exit(1);
	is_refused("is not a file of regions", "a link to such a file");
	open_store(&store);
	if (ftruncate(store.fd, (off_t)TD_REGION_FILE + 1))
		exit(1);
	store.head->nr_records = 1000000;
	td_store_forget(&store);
	is_refused("is not a file of regions", "a larger file than there are");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(prefix, sizeof(prefix), "%s/regions", folder);
	check_sums();
	check_threads_and_processes();
	check_cost_of_kinds();
	check_killed();
	check_batches();
	check_torn();
	check_less_than_nothing();
	check_buckets();
	check_killed_in_bucket();
	check_many_buckets();
	check_torn_bucket();
	check_damaged_bucket();
	check_older();
	check_damage();
	check_no_files();
	rmdir(folder);
	return done_testing();
}
