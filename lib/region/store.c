// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/region/parts.h"

#define MIN_SIZE (1UL << 20) /* minimum size of the mapping if the address space is limited */
#define PROGRAMS 1000        /* maximum number of programs that one process runs with exec() */
#define AHEAD    16          /* number of records for which disk space is allocated at once */

static int make_file(const char *prefix)
{
	char path[PATH_MAX];
	int fd = -1;

	for (int i = 0; fd < 0 && i < PROGRAMS; i++) {
		int len = snprintf(path, sizeof(path), i ? "%s.%d.%d" : "%s.%d", prefix,
				   (int)getpid(), i);

		if (len >= (int)sizeof(path))
			return -ENAMETOOLONG;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	return fd < 0 ? -EEXIST : fd;
}

static size_t round_up(size_t size)
{
	return (size + 63) & ~(size_t)63;
}

static void fill_head(struct td_store *store, const char *text, size_t nr_values, bool buckets)
{
	struct td_region_head *head = store->head;
	size_t text_size = strlen(text) + 1;
	size_t sum_size = sizeof(struct td_region_sum) + 2 * nr_values * sizeof(int64_t);

	*head = (struct td_region_head){
		.version = TD_REGION_VERSION,
		.size = sizeof(*head),
		.nr_values = (uint32_t)nr_values,
		.text_at = sizeof(*head),
		.text_size = text_size,
		.records_at = round_up(sizeof(*head) + text_size),
		.sum_size = sum_size,
		.record_size =
			round_up(sizeof(struct td_region_record) + TD_REGION_SUMS * sum_size +
				 (buckets ? td_region_buckets_size(nr_values) : 0)),
		.buckets = buckets,
	};
	memcpy((char *)head + head->text_at, text, text_size);
	/* readers recognize the file by its magic, which is therefore written last */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(head->magic, TD_REGION_MAGIC, sizeof(head->magic));
}

static void note_file(struct td_store *store)
{
	struct stat st = { 0 };

	fstat(store->fd, &st);
	store->dev = st.st_dev;
	store->ino = st.st_ino;
}

static bool is_ours(const struct td_store *store)
{
	struct stat st;

	return fstat(store->fd, &st) == 0 && st.st_dev == store->dev && st.st_ino == store->ino;
}

/* Returns the maximum size of the file.  Exceeding RLIMIT_FSIZE would end the program. */
static size_t most_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > TD_REGION_FILE)
		return TD_REGION_FILE;
	return (size_t)limit.rlim_cur;
}

/* Sets the file to its maximum size, and allocates its head and text. */
static int make_room(int fd, size_t size, size_t text_size)
{
	int rc;

	if (size < sizeof(struct td_region_head) + text_size)
		return -EFBIG;
	rc = -posix_fallocate(fd, 0, (off_t)(sizeof(struct td_region_head) + text_size));
	return rc || ftruncate(fd, (off_t)size) == 0 ? rc : -errno;
}

/* Maps the file.  Reduces *size if the address space is limited. */
static void *map_file(int fd, size_t *size)
{
	void *map;

	for (;;) {
		map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED || errno != ENOMEM || *size <= MIN_SIZE)
			return map;
		*size /= 4;
	}
}

int td_store_open(struct td_store *store, const char *prefix, const char *text, size_t nr_values,
		  bool buckets)
{
	void *map = MAP_FAILED;
	int rc;

	*store = (struct td_store){ .fd = make_file(prefix), .size = most_size() };
	if (store->fd < 0)
		return store->fd;
	rc = make_room(store->fd, store->size, strlen(text) + 1);
	if (!rc)
		map = map_file(store->fd, &store->size);
	if (!rc && map == MAP_FAILED)
		rc = -errno;
	if (rc) {
		close(store->fd);
		return rc;
	}
	note_file(store);
	store->head = map;
	fill_head(store, text, nr_values, buckets);
	return 0;
}

/* Copies a name.  The bytes after it are 0 already. */
static void put_name(char to[TD_REGION_NAME], const char *name)
{
	for (size_t i = 0; i < TD_REGION_NAME - 1 && name[i]; i++)
		to[i] = name[i];
}

static int allocate(int fd, uint64_t at, uint64_t size)
{
	int rc;

	do {
		rc = posix_fallocate(fd, (off_t)at, (off_t)size);
	} while (rc == EINTR);
	return rc;
}

/*
 * Allocates disk space for several records, or for one if there is less space.  Writing to a page
 * without disk space would raise SIGBUS.
 */
static bool reserve(struct td_store *store, uint64_t at)
{
	uint64_t size = store->head->record_size, end = at + AHEAD * size;

	if (end > store->size || allocate(store->fd, at, end - at) != 0) {
		end = at + size;
		if (end > store->size || allocate(store->fd, at, size) != 0)
			return false;
	}
	__atomic_store_n(&store->reserved, end, __ATOMIC_RELAXED);
	return true;
}

/* Is disk space allocated up to this offset? */
static bool has_room(const struct td_store *store, uint64_t end)
{
	return end <= __atomic_load_n(&store->reserved, __ATOMIC_RELAXED);
}

static uint64_t record_at(const struct td_region_head *head, uint64_t nr)
{
	return head->records_at + nr * head->record_size;
}

void td_store_reserve(struct td_store *store)
{
	uint64_t nr = __atomic_load_n(&store->head->nr_records, __ATOMIC_RELAXED);

	if (!has_room(store, record_at(store->head, nr + AHEAD)) && is_ours(store))
		reserve(store, record_at(store->head, nr));
}

static bool make_room_for(struct td_store *store, uint64_t nr)
{
	bool ours;

	if (has_room(store, record_at(store->head, nr + 1)))
		return true;
	ours = is_ours(store);
	if (ours && reserve(store, record_at(store->head, nr)))
		return true;
	td_store_lose(store, ours ? TD_REGION_NO_ROOM : TD_REGION_CLOSED);
	return false;
}

struct td_region_record *td_store_add(struct td_store *store, const char *name, int tid,
				      enum td_region_kind kind)
{
	struct td_region_head *head = store->head;
	uint64_t nr = __atomic_load_n(&head->nr_records, __ATOMIC_RELAXED);
	struct td_region_record *record;

	do {
		if (!make_room_for(store, nr))
			return NULL;
	} while (!__atomic_compare_exchange_n(&head->nr_records, &nr, nr + 1, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	record = (struct td_region_record *)((char *)head + record_at(head, nr));
	record->tid = (uint32_t)tid;
	put_name(record->name, name);
	__atomic_store_n(&record->kind, kind, __ATOMIC_RELEASE);
	return record;
}

void td_store_lose(struct td_store *store, enum td_region_loss why)
{
	__atomic_fetch_add(&store->head->losses[why], 1, __ATOMIC_RELAXED);
}

void td_store_lose_end(struct td_store *store, const char *name)
{
	uint64_t *nr = &store->head->losses[TD_REGION_UNMATCHED];

	if (__atomic_fetch_add(nr, 1, __ATOMIC_RELAXED) == 0)
		put_name(store->head->unmatched, name);
}

void td_store_forget(struct td_store *store)
{
	if (store->head) {
		munmap(store->head, store->size);
		if (is_ours(store))
			close(store->fd);
	}
	store->head = NULL;
}

/* --- points ----------------------------------------------------------------- */

struct sums {
	const struct td_region_sum *sum; /* sum of all calls so far */
	struct td_region_sum *first;     /* the first point */
	size_t size;                     /* size of each sum */
	unsigned int points;
};

static struct td_region_sum *point_at(const struct sums *sums, size_t i)
{
	return (struct td_region_sum *)((uintptr_t)sums->first + i * sums->size);
}

/*
 * Sets a point.  Its number of calls is 0 until it is complete, because the process may be killed
 * in between.
 */
static void set_point(const struct sums *sums, size_t i, const struct td_region_sum *sum,
		      uint64_t calls)
{
	const size_t behind = offsetof(struct td_region_sum, time_ns);
	struct td_region_sum *point = point_at(sums, i);

	__atomic_store_n(&point->counted, 0, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy((char *)point + behind, (const char *)sum + behind, sums->size - behind);
	__atomic_store_n(&point->counted, calls, __ATOMIC_RELEASE);
}

static void thin_out(const struct sums *sums)
{
	for (size_t i = 0; i < sums->points / 2; i++) {
		const struct td_region_sum *from = point_at(sums, 2 * i + 1);

		set_point(sums, i, from, from->counted);
	}
}

/* Adds a point after this number of calls. */
static void add_point(const struct sums *sums, uint64_t calls)
{
	uint64_t spacing = td_region_spacing(calls, sums->points);
	uint64_t nr = calls / spacing;

	/* when the spacing has doubled, every second point is kept, in the first half */
	if (spacing > 1 && nr == sums->points / 2 + 1)
		thin_out(sums);
	set_point(sums, nr - 1, sums->sum, calls);
}

/* Is a point due after this number of calls?  With many calls, points are rare. */
static bool has_point(uint64_t calls, unsigned int points)
{
	return !(calls & (td_region_spacing(calls, points) - 1));
}

/* --- sums ------------------------------------------------------------------- */

static struct td_region_sum *sum_of(const struct td_store *store,
				    const struct td_region_record *record, unsigned int number)
{
	return td_region_sum_at(record, store->head->sum_size, number);
}

struct td_edit td_store_edit(const struct td_store *store, struct td_region_record *record)
{
	struct td_edit edit = {
		.record = record,
		.calls = &record->next,
		.sum = sum_of(store, record, TD_REGION_COPY),
		.pending = 1,
	};

	record->next = record->calls;
	memcpy(edit.sum, sum_of(store, record, TD_REGION_SUM), store->head->sum_size);
	return edit;
}

static void __attribute__((noinline))
add_sum_point(const struct td_store *store, const struct td_region_record *record)
{
	const struct sums sums = {
		sum_of(store, record, TD_REGION_SUM),
		sum_of(store, record, TD_REGION_FIRST_POINT),
		store->head->sum_size,
		TD_REGION_POINTS,
	};

	add_point(&sums, record->calls.counted);
}

/* --- buckets ---------------------------------------------------------------- */

static struct td_region_buckets *buckets_of(const struct td_store *store,
					    const struct td_region_record *record)
{
	return td_region_buckets_of(record, store->head->sum_size);
}

static struct td_region_bucket *bucket_at(const struct td_store *store,
					  const struct td_region_record *record, unsigned int place)
{
	return td_region_bucket_at(buckets_of(store, record), store->head->nr_values, place);
}

static uint8_t nearest(const struct td_region_buckets *buckets, unsigned int number)
{
	for (unsigned int i = 1; i < TD_REGION_BUCKETS; i++) {
		unsigned int above = number + i;

		if (above < TD_REGION_BUCKETS && buckets->places[above])
			return buckets->places[above];
		if (i <= number && buckets->places[number - i])
			return buckets->places[number - i];
	}
	return 1;
}

/*
 * Assigns a place to a bucket at its first call.  Readers must not see the place before its number.
 */
static unsigned int find_place(const struct td_store *store, const struct td_region_record *record,
			       unsigned int number)
{
	struct td_region_buckets *buckets = buckets_of(store, record);

	if (buckets->nr < TD_REGION_PLACES) {
		uint8_t place = (uint8_t)(buckets->nr + 1);

		bucket_at(store, record, place)->number = number;
		__atomic_store_n(&buckets->nr, place, __ATOMIC_RELEASE);
		buckets->places[number] = place;
	} else {
		buckets->places[number] = nearest(buckets, number);
	}
	return buckets->places[number];
}

/*
 * Returns the step of a call in a bucket.  A call that belongs to another bucket is counted in the
 * first or the last step.
 */
static unsigned int step_in(const struct td_region_bucket *bucket, unsigned int step)
{
	unsigned int first = TD_REGION_BUCKET_STEPS * bucket->number;

	if (step < first)
		return 0;
	return step - first < TD_REGION_BUCKET_STEPS ? step - first : TD_REGION_BUCKET_STEPS - 1;
}

void td_store_edit_bucket(const struct td_store *store, struct td_edit *edit, uint64_t time_ns)
{
	struct td_region_buckets *buckets = buckets_of(store, edit->record);
	unsigned int step = td_region_step(time_ns);
	unsigned int number = td_region_bucket_of_step(step);
	unsigned int place = buckets->places[number];
	struct td_region_bucket *bucket;

	if (!place)
		place = find_place(store, edit->record, number);
	bucket = bucket_at(store, edit->record, place);
	edit->bucket = bucket;
	edit->side = !bucket->side;
	edit->pending = td_region_pending(place, edit->side);
	bucket->sides[edit->side] = bucket->sides[!edit->side];
	bucket->sides[edit->side].steps[step_in(bucket, step)]++;
	buckets->elsewhere += bucket->number != number;
}

static void __attribute__((noinline))
add_bucket_point(const struct td_store *store, const struct td_edit *edit, uint64_t calls)
{
	uint64_t nr = store->head->nr_values;
	const struct sums sums = {
		td_region_bucket_sum_at(edit->bucket, nr, edit->side),
		td_region_bucket_sum_at(edit->bucket, nr, TD_REGION_BUCKET_FIRST_POINT),
		td_region_bucket_sum_size(nr),
		TD_REGION_BUCKET_POINTS,
	};

	add_point(&sums, calls);
}

static void end_bucket(const struct td_store *store, const struct td_edit *edit)
{
	uint64_t calls = edit->bucket->sides[edit->side].calls.counted;

	if (has_point(calls, TD_REGION_BUCKET_POINTS))
		add_bucket_point(store, edit, calls);
}

/* --- both ------------------------------------------------------------------- */

/* Makes the changes valid.  The process may be killed between any two of these steps. */
void td_store_commit(const struct td_store *store, const struct td_edit *edit)
{
	struct td_region_record *record = edit->record;
	bool more = edit->calls->counted > record->calls.counted;

	__atomic_store_n(&record->pending, edit->pending, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	record->calls = *edit->calls;
	memcpy(sum_of(store, record, TD_REGION_SUM), edit->sum, store->head->sum_size);
	if (edit->bucket)
		edit->bucket->side = edit->side;
	__atomic_store_n(&record->pending, 0, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (more && has_point(record->calls.counted, TD_REGION_POINTS))
		add_sum_point(store, record);
	if (edit->bucket)
		end_bucket(store, edit);
}
