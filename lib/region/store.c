// SPDX-License-Identifier: MIT
#include "lib/region/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST_SIZE (1UL << 20) /* under a limit of the address space */
#define PROGRAMS   1000        /* of one process, by exec() */
#define AHEAD      16          /* records that the disk is asked for at once */

static int make_file(const char *prefix)
{
	char path[PATH_MAX];
	int fd = -1;

	for (int i = 0; fd < 0 && i < PROGRAMS; i++) {
		int len = snprintf(path, sizeof(path), i ? "%s.%d.%d" : "%s.%d",
				   prefix, (int)getpid(), i);

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

static void fill_head(struct td_store *store, const char *text,
		      size_t nr_values)
{
	struct td_region_head *head = store->head;
	size_t text_size = strlen(text) + 1;
	size_t batch_size = sizeof(struct td_region_batch) +
			    2 * nr_values * sizeof(int64_t);

	*head = (struct td_region_head){
		.version = TD_REGION_VERSION,
		.size = sizeof(*head),
		.nr_values = (uint32_t)nr_values,
		.text_at = sizeof(*head),
		.text_size = text_size,
		.records_at = round_up(sizeof(*head) + text_size),
		.batch_size = batch_size,
		.record_size = round_up(sizeof(struct td_region_record) +
					(1 + TD_REGION_BATCHES) * batch_size),
	};
	memcpy((char *)head + head->text_at, text, text_size);
	/* a reader knows the file by it, so it comes last */
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

	return fstat(store->fd, &st) == 0 && st.st_dev == store->dev &&
	       st.st_ino == store->ino;
}

/* A file that grows beyond the limit would be the end of the program. */
static size_t most_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
	    limit.rlim_cur > TD_REGION_FILE)
		return TD_REGION_FILE;
	return (size_t)limit.rlim_cur;
}

/* Makes the file as large as it may get, and its head. */
static int make_room(int fd, size_t size, size_t text_size)
{
	int rc;

	if (size < sizeof(struct td_region_head) + text_size)
		return -EFBIG;
	rc = -posix_fallocate(
		fd, 0, (off_t)(sizeof(struct td_region_head) + text_size));
	return rc || ftruncate(fd, (off_t)size) == 0 ? rc : -errno;
}

/* Changes the size to one that there is room for. */
static void *map_file(int fd, size_t *size)
{
	void *map;

	for (;;) {
		map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
		if (map != MAP_FAILED || errno != ENOMEM || *size <= LEAST_SIZE)
			return map;
		*size /= 4;
	}
}

int td_store_open(struct td_store *store, const char *prefix, const char *text,
		  size_t nr_values)
{
	void *map = MAP_FAILED;
	int rc;

	*store = (struct td_store){ .fd = make_file(prefix),
				    .size = most_size() };
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
	fill_head(store, text, nr_values);
	return 0;
}

/* What is behind it is 0 already, also its end. */
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

/* For some records, or for the first of them.  A page without room is a SIGBUS. */
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

/* Is there room up to the end? */
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
	uint64_t nr =
		__atomic_load_n(&store->head->nr_records, __ATOMIC_RELAXED);

	if (!has_room(store, record_at(store->head, nr + AHEAD)) &&
	    is_ours(store))
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

struct td_region_record *td_store_add(struct td_store *store, const char *name,
				      int tid, enum td_region_kind kind)
{
	struct td_region_head *head = store->head;
	uint64_t nr = __atomic_load_n(&head->nr_records, __ATOMIC_RELAXED);
	struct td_region_record *record;

	do {
		if (!make_room_for(store, nr))
			return NULL;
	} while (!__atomic_compare_exchange_n(&head->nr_records, &nr, nr + 1,
					      true, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	record =
		(struct td_region_record *)((char *)head + record_at(head, nr));
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

struct td_edit td_store_edit(const struct td_store *store,
			     struct td_region_record *record)
{
	uint64_t size = store->head->batch_size;
	const struct td_region_calls *calls = &record->calls;
	unsigned int number =
		1 + (unsigned int)(calls->counted % TD_REGION_BATCHES);
	struct td_edit edit = {
		.record = record,
		.number = number,
		.calls = &record->next,
		.batch = td_region_batch_at(record, size, 0),
	};

	record->next = *calls;
	memcpy(edit.batch, td_region_batch_at(record, size, number), size);
	return edit;
}

/* A process may be killed between any two of these. */
void td_store_commit(const struct td_store *store, const struct td_edit *edit)
{
	uint64_t size = store->head->batch_size;
	struct td_region_record *record = edit->record;

	__atomic_store_n(&record->pending, edit->number, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	record->calls = *edit->calls;
	memcpy(td_region_batch_at(record, size, edit->number), edit->batch,
	       size);
	__atomic_store_n(&record->pending, 0, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
