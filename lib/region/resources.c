// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/region/parts.h"

/* --- memory --------------------------------------------------------------- */

/* Room for a thread, for measuring the cost of its marks, and for about twenty regions. */
#define MIN_SIZE (128UL << 10)

struct td_memory_block {
	struct td_memory_block *before;
	size_t size;
};

static size_t round_up(size_t size)
{
	return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

/* Adds a block.  The rest of the previous one is not used any more. */
static int add_block(struct td_memory *memory, size_t size)
{
	size_t head = round_up(sizeof(struct td_memory_block));
	size_t whole = head + size > MIN_SIZE ? head + size : MIN_SIZE;
	struct td_memory_block *block =
		mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
		return -1;
	block->before = memory->last;
	block->size = whole;
	memory->last = block;
	memory->left = whole - head;
	return 0;
}

void *td_memory_take(struct td_memory *memory, size_t size)
{
	size = round_up(size);
	if (size > memory->left && add_block(memory, size))
		return NULL;
	memory->left -= size;
	return (char *)memory->last + memory->last->size - memory->left - size;
}

void td_memory_free(struct td_memory *memory)
{
	while (memory->last) {
		struct td_memory_block *block = memory->last;

		memory->last = block->before;
		munmap(block, block->size);
	}
	memory->left = 0;
}

/* --- descriptors ---------------------------------------------------------- */

/* The limit belongs to the process, so only one thread may change it at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* number of descriptors reserved by all threads */
static size_t nr_reserved;

/* Reserve descriptors, and leave half of the limit to the program. */
static int reserve(const struct rlimit *limit, size_t nr)
{
	size_t before = __atomic_fetch_add(&nr_reserved, nr, __ATOMIC_RELAXED);

	if (before + nr <= limit->rlim_cur / 2)
		return 0;
	td_descriptors_give_back(nr);
	return -EMFILE;
}

static bool raise_limit(const struct rlimit *limit)
{
	const struct rlimit raised = { limit->rlim_max, limit->rlim_max };

	return limit->rlim_cur < limit->rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

int td_descriptors_begin(struct td_descriptors *descriptors, size_t nr)
{
	struct rlimit *limit = &descriptors->limit;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (getrlimit(RLIMIT_NOFILE, limit) != 0)
		rc = -errno;
	descriptors->nr = nr;
	descriptors->above = !rc && raise_limit(limit);
	if (descriptors->above)
		__atomic_fetch_add(&nr_reserved, nr, __ATOMIC_RELAXED);
	else if (!rc)
		rc = reserve(limit, nr);
	if (rc)
		pthread_mutex_unlock(&lock);
	return rc;
}

/*
 * Programs that close all descriptors rarely get this far.  Not the maximum, because the kernel's
 * table is as long as the last descriptor, and each fork() copies it.
 */
#define FAR 4096

int td_descriptors_move(const struct td_descriptors *descriptors, int fd)
{
	rlim_t soft = descriptors->limit.rlim_cur, least = soft;
	int moved;

	if (!descriptors->above)
		least = soft / 2 < FAR ? soft / 2 : FAR;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)least);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

/* Descriptors above the restored limit stay open. */
void td_descriptors_end(const struct td_descriptors *descriptors)
{
	if (descriptors->above)
		setrlimit(RLIMIT_NOFILE, &descriptors->limit);
	pthread_mutex_unlock(&lock);
}

void td_descriptors_give_back(size_t nr)
{
	__atomic_fetch_sub(&nr_reserved, nr, __ATOMIC_RELAXED);
}

void td_descriptors_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
