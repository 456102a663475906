// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/region_sums.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"

/* Names of the row outside of all regions, and of a region that has this name. */
#define OUTSIDE        "(outside)"
#define MARKED_OUTSIDE "(outside), a region"

/*
 * A call is distinguishable from an empty one if it counts this many times as much.  With
 * RDPMC it also has to move the fields of PERF_METRICS by a few steps, each a 255th of the
 * slots after which lib/region/call.c resets them.
 */
#define TIMES_THE_COST  10
#define MIN_SLOTS_RDPMC (4 * 2e6 / 255)

/*
 * A consistent view of a record or of one of its buckets, even if its process ended while it
 * changed them.
 */
struct record {
	const struct td_region_record *at;
	const struct td_region_head *head;
	const struct td_region_calls *calls;
	const struct td_region_sum *sum, *points;
	uint64_t point_size;
	unsigned int nr_points;
};

static struct record make_record(const struct td_region_head *head,
				 const struct td_region_record *at)
{
	uint64_t size = head->sum_size;

	return (struct record){
		.at = at,
		.head = head,
		.calls = at->pending ? &at->next : &at->calls,
		.sum = td_region_sum_at(at, size, at->pending ? TD_REGION_COPY : TD_REGION_SUM),
		.points = td_region_sum_at(at, size, TD_REGION_FIRST_POINT),
		.point_size = size,
		.nr_points = TD_REGION_POINTS,
	};
}

/*
 * Return the valid side of a bucket.  If the record marks the other side as pending, this is the
 * other side.
 */
static uint32_t side_of(const struct td_region_record *at, const struct td_region_bucket *bucket,
			unsigned int place)
{
	uint32_t other = !bucket->side;

	return at->pending == td_region_pending(place, other) ? other : bucket->side;
}

static struct record make_bucket(const struct record *of, const struct td_region_bucket *bucket,
				 uint32_t side)
{
	uint64_t nr = of->head->nr_values;

	return (struct record){
		.at = of->at,
		.head = of->head,
		.calls = &bucket->sides[side].calls,
		.sum = td_region_bucket_sum_at(bucket, nr, side),
		.points = td_region_bucket_sum_at(bucket, nr, TD_REGION_BUCKET_FIRST_POINT),
		.point_size = td_region_bucket_sum_size(nr),
		.nr_points = TD_REGION_BUCKET_POINTS,
	};
}

/* --- batches ---------------------------------------------------------------- */

/* Special indices of values: the times of a sum. */
enum {
	TIME = -1,
	OWN_TIME = -2,
};

static uint64_t value_of(const struct td_region_sum *sum, int value)
{
	if (value == TIME)
		return sum->time_ns;
	return value == OWN_TIME ? sum->own_ns : (uint64_t)sum->values[value];
}

/* The sums at the last point. */
struct since {
	uint64_t calls, value;
};

/*
 * Add the growth since the last point, minus its cost, to the batch to which its first call
 * belongs.
 */
static void add_until(const struct record *record, struct since *since, uint64_t calls,
		      uint64_t value, double cost, double batches[TD_BATCHES])
{
	size_t batch = td_batch_of(since->calls, record->calls->counted);

	batches[batch] +=
		(double)(int64_t)(value - since->value) - cost * (double)(calls - since->calls);
	*since = (struct since){ calls, value };
}

/* Fill the batches.  cost: the cost of all calls. */
static void fill_batches(const struct record *record, int value, double cost,
			 double batches[TD_BATCHES])
{
	uint64_t counted = record->calls->counted;
	double each = counted ? cost / (double)counted : 0;
	struct since since = { 0 };

	for (unsigned int i = 0; i < record->nr_points; i++) {
		const struct td_region_sum *point =
			(const void *)((const char *)record->points + i * record->point_size);

		if (point->counted > since.calls && point->counted < counted)
			add_until(record, &since, point->counted, value_of(point, value), each,
				  batches);
	}
	add_until(record, &since, counted, value_of(record->sum, value), each, batches);
}

/* --- cost ------------------------------------------------------------------- */

/*
 * Return the part of a count that the counting causes: the inner cost of an empty call for
 * each call, and its outer cost for each enclosed call.
 */
static double cost_of(const struct td_region_calls *calls, bool own, double inner, double outer)
{
	uint64_t whole = calls->counted - calls->recursive;

	if (own)
		return (double)calls->counted * inner + (double)calls->children * outer;
	return (double)whole * inner + (double)calls->nested * (inner + outer);
}

/* Return the cost of an event.  The outside only has outer costs. */
static double cost_of_event(const struct record *record, bool own, size_t value, int group)
{
	const struct td_region_calls *calls = record->calls;
	double inner = record->head->cost[0][value];
	double outer = record->head->cost[1][value];
	double part = calls->counted ? (double)calls->on[1 + group] / (double)calls->counted : 0;

	if (record->at->kind == TD_REGION_OUTSIDE)
		return part * (double)calls->children * outer;
	return part * cost_of(calls, own, inner, outer);
}

/* Return the mean cost of a call over all core types. */
static double mean_ns(const struct record *record, const uint64_t cost_ns[TD_REGION_GROUPS])
{
	const uint64_t *on = &record->calls->on[1];
	double calls = 0, ns = 0;

	for (size_t g = 0; g < TD_REGION_GROUPS; g++) {
		calls += (double)on[g];
		ns += (double)on[g] * (double)cost_ns[g];
	}
	return calls > 0 ? ns / calls : 0;
}

static double cost_of_time(const struct record *record, bool own)
{
	double inner = mean_ns(record, record->head->cost_ns[0]);
	double outer = mean_ns(record, record->head->cost_ns[1]);

	if (record->at->kind == TD_REGION_OUTSIDE)
		return (double)record->calls->children * outer;
	return cost_of(record->calls, own, inner, outer);
}

/* --- readings --------------------------------------------------------------- */

static struct td_sums sums_of_event(const struct record *record, bool own, size_t value, int group,
				    bool field)
{
	double cost = cost_of_event(record, own, value, group);
	size_t at = value + (own ? record->head->nr_values : 0);
	double batches[TD_BATCHES] = { 0 };

	fill_batches(record, (int)at, cost, batches);
	for (unsigned int i = 0; field && i < TD_BATCHES; i++)
		batches[i] /= TD_REGION_FIELD_WHOLE;
	return td_sums_round(batches);
}

/* Return the part of the time that was spent on the PMU of a group. */
static struct td_sums times_of(const struct record *record, bool own, double part)
{
	double batches[TD_BATCHES] = { 0 };

	fill_batches(record, own ? OWN_TIME : TIME, cost_of_time(record, own), batches);
	for (unsigned int i = 0; i < TD_BATCHES; i++)
		batches[i] *= part;
	return td_sums_round(batches);
}

static void add_readings(struct td_region_files *files, const struct record *record, int region,
			 bool own)
{
	const struct td_region_calls *calls = record->calls;

	for (size_t i = 0; i < files->nr_values; i++) {
		const struct td_region_value *value = &files->values[i];
		double part = (double)calls->on[1 + value->group] / (double)calls->counted;
		struct td_sums values = sums_of_event(record, own, i, value->group, value->field);
		struct td_sums times = times_of(record, own, part);
		const struct td_reading reading = {
			.event = value->event,
			.cpu = -1,
			.tid = (int)record->at->tid,
			.region = region,
		};

		/* shorter than the cost, but not zero */
		if (part > 0 && !td_sums_total(&times))
			times.v[0] = 1;
		td_batched_add(&files->counts, &reading, &values, &times);
	}
}

/* --- calls ------------------------------------------------------------------ */

static void add_calls(struct td_calls *to, const struct record *record, bool own)
{
	const struct td_region_calls *from = record->calls;
	struct td_sums times = times_of(record, own, 1);

	to->counted += from->counted;
	to->recursive += from->recursive;
	to->lost += from->lost;
	to->skipped += from->skipped;
	to->moved += from->moved;
	to->migrated += from->migrated;
	to->switched += from->switched;
	to->time_ns += (uint64_t)td_sums_total(&times);
	to->cost_ns += (uint64_t)cost_of_time(record, own);
	to->threads++;
}

static void add_on(const struct td_region_files *files, struct td_region *region,
		   const struct td_region_calls *calls)
{
	bool done[TD_REGION_PMUS] = { false };

	td_for_each(const struct td_region_value, value, files->values, files->nr_values) {
		if (value->pmu >= TD_REGION_PMUS || done[value->pmu])
			continue;
		done[value->pmu] = true;
		region->on[value->pmu] += calls->on[1 + value->group];
	}
}

static const char *name_of(const struct record *record)
{
	if (record->at->kind == TD_REGION_OUTSIDE)
		return OUTSIDE;
	return strcmp(record->at->name, OUTSIDE) == 0 ? MARKED_OUTSIDE : record->at->name;
}

/* Return the region of the record, after adding its calls. */
static struct td_region *add_region(struct td_region_files *files, const struct record *record,
				    bool own)
{
	bool outside = record->at->kind == TD_REGION_OUTSIDE;
	const char *name = name_of(record);
	struct td_region *region = td_regions_find(&files->regions, name, own);

	if (!region)
		region = td_regions_add(&files->regions, name, own, outside);
	add_calls(&region->calls, record, own);
	/* calls without an end: 0 outside of regions, which never begins */
	region->calls.open +=
		td_since(record->at->begun,
			 record->calls->counted + record->calls->lost + record->calls->skipped);
	add_on(files, region, record->calls);
	return region;
}

static void add_one(struct td_region_files *files, const struct record *record, bool own)
{
	const struct td_region *region = add_region(files, record, own);

	/* all calls may have been lost */
	if (record->calls->counted)
		add_readings(files, record, 1 + (int)(region - files->regions.v), own);
}

/* --- buckets ---------------------------------------------------------------- */

static struct td_timed *find_timed(struct td_region_files *files, const char *name)
{
	struct td_timed *timed = td_regions_find_timed(&files->regions, name);

	if (timed)
		return timed;
	timed = td_regions_add_timed(&files->regions, name);
	timed->engine = TD_BY_MARKS;
	return timed;
}

/* Add the times to the PMUs on which the calls ended. */
static void add_times(const struct td_region_files *files, struct td_region *region,
		      const struct record *record, uint64_t waited_ns)
{
	bool done[TD_REGION_PMUS] = { false };

	td_for_each(const struct td_region_value, value, files->values, files->nr_values) {
		double part = (double)record->calls->on[1 + value->group] /
			      (double)record->calls->counted;
		struct td_sums times = times_of(record, false, part);
		uint64_t took_ns = (uint64_t)td_sums_total(&times);

		if (value->pmu >= TD_REGION_PMUS || done[value->pmu])
			continue;
		done[value->pmu] = true;
		region->took_ns[value->pmu] += took_ns;
		region->on_ns[value->pmu] +=
			td_since(took_ns, (uint64_t)(part * (double)waited_ns));
	}
}

static void add_bucket(struct td_region_files *files, const struct record *record,
		       struct td_timed *timed, const struct td_region_bucket *bucket, uint32_t side)
{
	struct record of_bucket = make_bucket(record, bucket, side);
	struct td_region *region;
	uint64_t *counts;

	/* the process ended in its first call, or the bucket is damaged */
	if (!of_bucket.calls->counted || bucket->number >= TD_REGION_BUCKETS)
		return;
	region = td_regions_bucket(&files->regions, timed, bucket->number, false);
	counts = timed->durations.counts + (size_t)TD_REGION_BUCKET_STEPS * bucket->number;
	for (size_t i = 0; i < TD_REGION_BUCKET_STEPS; i++)
		counts[i] += bucket->sides[side].steps[i];
	timed->durations.nr += bucket->sides[side].calls.counted;
	add_calls(&region->calls, &of_bucket, false);
	add_on(files, region, of_bucket.calls);
	add_times(files, region, &of_bucket, bucket->sides[side].waited_ns);
	region->facts.known = region->facts.waiting_only = true;
	region->facts.waited_ns += bucket->sides[side].waited_ns;
	add_readings(files, &of_bucket, 1 + (int)(region - files->regions.v), false);
}

static void add_buckets(struct td_region_files *files, const struct record *record)
{
	const struct td_region_buckets *buckets =
		td_region_buckets_of(record->at, record->head->sum_size);
	struct td_timed *timed = find_timed(files, name_of(record));

	for (unsigned int i = 1; i <= TD_REGION_PLACES; i++) {
		const struct td_region_bucket *bucket =
			td_region_bucket_at(buckets, record->head->nr_values, i);

		if (bucket->side <= 1)
			add_bucket(files, record, timed, bucket, side_of(record->at, bucket, i));
	}
	files->elsewhere += buckets->elsewhere;
	td_for_each(const struct td_region_slow, slow, buckets->slowest, TD_REGION_SLOWEST) {
		const struct td_slow_call call = {
			.time_ns = slow->time_ns,
			.start_ns = slow->end_ns - slow->time_ns + files->wall_ns,
			.tid = (int)record->at->tid,
			.cpu = (int)slow->cpu,
		};

		if (!slow->time_ns || slow->time_ns > slow->end_ns || slow->cpu > INT_MAX)
			continue;
		td_timed_add_slow(timed, &call);
		if (slow->time_ns > timed->durations.max_ns)
			timed->durations.max_ns = slow->time_ns;
	}
}

/* --- records ---------------------------------------------------------------- */

/* Return true if the name is in the list "a,b". */
static bool is_wanted(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = names; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, len) == 0 && (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

/* Add the name of a region, without counts, and its buckets if its calls are shown. */
static void add_timed_only(struct td_region_files *files, const struct record *record)
{
	if (record->at->kind == TD_REGION_OUTSIDE)
		return;
	add_region(files, record, false);
	if (record->head->buckets && is_wanted(files->names, name_of(record)))
		add_buckets(files, record);
}

void td_region_files_add(struct td_region_files *files, const struct td_region_head *head,
			 const struct td_region_record *at)
{
	const struct record record = make_record(head, at);
	double *least = &files->regions.least_slots;

	for (size_t i = 0; i < files->nr_values; i++) {
		bool first = !i || files->values[i].group != files->values[i - 1].group;

		if (first && head->cost[0][i] * TIMES_THE_COST > *least)
			*least = head->cost[0][i] * TIMES_THE_COST;
	}
	if (!head->by_read && *least < MIN_SLOTS_RDPMC)
		*least = MIN_SLOTS_RDPMC;
	if (files->names) {
		add_timed_only(files, &record);
		return;
	}
	/* the outside only has own sums */
	if (at->kind != TD_REGION_OUTSIDE)
		add_one(files, &record, false);
	add_one(files, &record, true);
	if (head->buckets && at->kind != TD_REGION_OUTSIDE)
		add_buckets(files, &record);
}

/* --- checking --------------------------------------------------------------- */

/* A copy of a file, which other processes may still change. */
struct file {
	const char *path;
	char *data; /* owned */
	uint64_t size;
	const struct td_region_head *head;
};

static int bad(const struct file *file, const char *why, struct td_err *err)
{
	return td_err_set(err, -EINVAL, "%s: %s", file->path, why);
}

static bool fits(const struct file *file, uint64_t at, uint64_t size)
{
	return at <= file->size && size <= file->size - at;
}

static bool has_room(const struct td_region_head *head)
{
	return head->sum_size >=
		       sizeof(struct td_region_sum) + 2 * sizeof(int64_t) * head->nr_values &&
	       head->sum_size % 8 == 0 && head->sum_size < UINT32_MAX &&
	       head->record_size % 8 == 0 && head->records_at % 8 == 0 &&
	       head->record_size >=
		       sizeof(struct td_region_record) + TD_REGION_SUMS * head->sum_size +
			       (head->buckets ? td_region_buckets_size(head->nr_values) : 0);
}

static int check_head(const struct file *file, size_t nr_values, struct td_err *err)
{
	const struct td_region_head *head = file->head;

	if (memcmp(head->magic, TD_REGION_MAGIC, sizeof(head->magic)) != 0)
		return bad(file, "is not a file of regions", err);
	if (head->version < TD_REGION_OLDEST || head->version > TD_REGION_VERSION ||
	    head->size != sizeof(*head))
		return bad(file, "is from another version of libtdstat than this tdstat", err);
	if (head->nr_values != nr_values || nr_values > TD_REGION_VALUES)
		return bad(file, "has other events than requested", err);
	if (!has_room(head) || head->nr_records > file->size / head->record_size ||
	    !fits(file, head->records_at, head->nr_records * head->record_size))
		return bad(file, "is shorter than it says", err);
	return 0;
}

/* --- adding ----------------------------------------------------------------- */

static void add_records(struct td_region_files *files, const struct file *file)
{
	const struct td_region_head *head = file->head;
	/* the library never leaves a record with a larger one */
	uint32_t max_pending = head->buckets ? td_region_pending(TD_REGION_PLACES, 1) : 1;

	for (uint64_t i = 0; i < head->nr_records; i++) {
		const void *at = file->data + head->records_at + i * head->record_size;
		const struct td_region_record *record = at;

		/* skip incomplete and damaged records */
		if (record->kind != TD_REGION_MARKED && record->kind != TD_REGION_OUTSIDE)
			continue;
		if (record->name[sizeof(record->name) - 1] || record->pending > max_pending)
			continue;
		td_region_files_add(files, head, record);
	}
}

/* --- files ------------------------------------------------------------------ */

static int failed(const struct file *file, int error, struct td_err *err)
{
	return td_err_set(err, -error, "%s: %s", file->path, strerror(error));
}

/* Return where the last record ends; after it, the file has a hole. */
static uint64_t size_in_use(const struct td_region_head *head, uint64_t size)
{
	uint64_t used;

	if (head->record_size > size || head->nr_records > size)
		return size;
	used = head->records_at + head->nr_records * head->record_size;
	return used > sizeof(*head) && used < size ? used : size;
}

static int read_fully(int fd, char *to, uint64_t size)
{
	uint64_t at = 0;

	while (at < size) {
		ssize_t got = pread(fd, to + at, size - at, (off_t)at);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			return got ? -errno : -ENODATA;
		at += got > 0 ? (uint64_t)got : 0;
	}
	return 0;
}

static int copy_file(struct file *file, int fd, struct td_err *err)
{
	struct stat st;
	struct td_region_head head;
	int rc;

	if (fstat(fd, &st) != 0)
		return failed(file, errno, err);
	if (!S_ISREG(st.st_mode) || st.st_size > TD_REGION_FILE)
		return bad(file, "is not a file of regions", err);
	if (st.st_size < (off_t)sizeof(*file->head))
		return 0;
	/* the records that the head counts now; the process may be adding more */
	rc = read_fully(fd, (char *)&head, sizeof(head));
	if (rc)
		return failed(file, -rc, err);
	file->size = size_in_use(&head, (uint64_t)st.st_size);
	file->data = td_malloc(file->size);
	rc = read_fully(fd, file->data, file->size);
	if (rc)
		return failed(file, -rc, err);
	memcpy(file->data, &head, sizeof(head));
	file->head = (const void *)file->data;
	return 0;
}

static int add_file(struct td_region_files *files, const struct file *file, struct td_err *err)
{
	if (check_head(file, files->nr_values, err))
		return err->code;
	add_records(files, file);
	files->nr_processes++;
	files->nr_by_read += file->head->by_read != 0;
	files->nr_user_only += file->head->user_only != 0;
	files->nr_with_buckets += file->head->buckets != 0;
	for (size_t i = 0; i < TD_REGION_NR_LOSSES; i++)
		files->losses[i] += file->head->losses[i];
	if (!files->unmatched[0])
		memcpy(files->unmatched, file->head->unmatched, sizeof(files->unmatched) - 1);
	if (!files->open_errno)
		files->open_errno = file->head->open_errno;
	return 0;
}

/*
 * Read a file.  It is untrusted, because the program may have put a FIFO or a symbolic link there.
 */
static int read_file(struct td_region_files *files, const char *path, struct td_err *err)
{
	struct file file = { .path = path };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int rc;

	if (fd < 0 && errno == ELOOP)
		return bad(&file, "is not a file of regions", err);
	if (fd < 0)
		return failed(&file, errno, err);
	rc = copy_file(&file, fd, err);
	close(fd);
	/* the process may have lacked room, or been killed, before the head was complete */
	if (!rc && file.head && file.head->magic[0])
		rc = add_file(files, &file, err);
	free(file.data);
	return rc;
}

/* Return true for "PREFIX.123" and "PREFIX.123.1". */
static bool is_of(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) == 0 && name[len] == '.' && name[len + 1] &&
	       !name[len + 1 + strspn(name + len + 1, "0123456789.")];
}

/* Read the files of a directory with this prefix, in the order of their names. */
static int read_directory(struct td_region_files *files, const char *directory, const char *prefix,
			  struct td_err *err)
{
	struct dirent **found = NULL;
	int nr = scandir(directory, &found, NULL, versionsort), rc = 0;

	if (nr < 0)
		return td_err_set(err, -errno, "%s: %s", directory, strerror(errno));
	for (int i = 0; i < nr; i++) {
		td_autofree char *path = td_aprintf("%s/%s", directory, found[i]->d_name);

		if (!rc && is_of(found[i]->d_name, prefix))
			rc = read_file(files, path, err);
		free(found[i]);
	}
	free(found);
	return rc;
}

/* --- slow calls ----------------------------------------------------------- */

static bool is_slow(const struct td_region *region, const struct td_region *slow)
{
	return region->timed == slow->timed && !region->slow && region->bucket >= slow->bucket;
}

/* Add a copy of a reading of a bucket to a region of slow calls. */
static void add_slow_reading(struct td_region_files *files, size_t at, int region)
{
	struct td_reading reading = files->counts.readings.v[at];
	struct td_sums values, times;

	reading.region = region;
	for (size_t i = 0; i < TD_BATCHES; i++) {
		const struct td_timeline_sum *sum = &files->counts.timeline.points[i].v[at];

		values.v[i] = (int64_t)sum->value;
		times.v[i] = (int64_t)sum->running_ns;
	}
	td_batched_add(&files->counts, &reading, &values, &times);
}

static void add_slow(struct td_region_files *files, const struct td_timed *timed)
{
	struct td_regions *regions = &files->regions;
	struct td_region *slow = td_regions_bucket(regions, timed, timed->slow, true);
	size_t nr = files->counts.readings.nr;

	for (size_t i = 0; i < regions->nr; i++) {
		if (is_slow(&regions->v[i], slow))
			td_region_add_calls(slow, &regions->v[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		int of = files->counts.readings.v[i].region;

		if (is_slow(&regions->v[of - 1], slow))
			add_slow_reading(files, i, 1 + (int)(slow - regions->v));
	}
}

/* Move the row outside of all regions, each thread's first one, to the end of tables. */
static void put_outside_last(struct td_region_files *files)
{
	struct td_regions *regions = &files->regions;
	int at = 0, nr = (int)regions->nr;

	while (at < nr && !regions->v[at].outside)
		at++;
	if (at == nr)
		return;
	for (size_t i = 0; i < files->counts.readings.nr; i++) {
		int *region = &files->counts.readings.v[i].region;

		if (*region > at)
			*region = *region == at + 1 ? nr : *region - 1;
	}
	td_regions_move_last(regions, (size_t)at);
}

void td_region_files_end(struct td_region_files *files)
{
	struct td_regions *regions = &files->regions;

	for (size_t t = 0; t < regions->nr_timed; t++) {
		uint64_t calls[TD_REGION_BUCKETS] = { 0 };

		td_for_each(const struct td_region, region, regions->v, regions->nr) {
			if (region->timed == 1 + (int)t)
				calls[region->bucket] = region->calls.counted;
		}
		td_timed_choose(&regions->timed[t], calls);
		if (regions->timed[t].slow)
			add_slow(files, &regions->timed[t]);
	}
	put_outside_last(files);
	td_batched_end(&files->counts);
}

int td_region_files_read(struct td_region_files *files, const char *prefix, struct td_err *err)
{
	td_autofree char *one = td_strdup(prefix), *other = td_strdup(prefix);

	if (read_directory(files, dirname(one), basename(other), err))
		return err->code;
	td_region_files_end(files);
	return 0;
}

void td_region_files_free(struct td_region_files *files)
{
	td_regions_free(&files->regions);
	td_batched_free(&files->counts);
	*files = (struct td_region_files){ 0 };
}
