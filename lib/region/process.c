// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/region/parts.h"
#include "lib/region/tdstat.h"

int td_regions_on;
struct td_process td_process;

static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;

void td_process_lacks_counters(int error)
{
	struct td_region_head *head = td_process.store.head;
	int32_t none = 0;

	if (!head)
		return;
	td_store_lose(&td_process.store, TD_REGION_NO_COUNTERS);
	__atomic_compare_exchange_n(&head->open_errno, &none, error, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

/* --- the file --------------------------------------------------------------- */

/* Use the parent's file: a child may lack the rights, root or system calls for its own. */
static bool use_parents(void)
{
	td_process.store = td_process.parents;
	td_process.parents = (struct td_store){ 0 };
	return td_process.store.head;
}

static bool open_store(void)
{
	if (td_store_open(&td_process.store, td_process.prefix, td_process.spec.text,
			  td_process.spec.nr_events, td_process.spec.buckets) != 0)
		return use_parents();
	td_store_forget(&td_process.parents);
	return true;
}

bool td_process_has_store(void)
{
	bool has;

	pthread_mutex_lock(&store_lock);
	if (!td_process.store.head && td_regions_on && !open_store())
		__atomic_store_n(&td_regions_on, 0, __ATOMIC_RELAXED);
	has = td_process.store.head;
	pthread_mutex_unlock(&store_lock);
	return has;
}

/* --- processes -------------------------------------------------------------- */

#define PAGE    4096
#define FORKING UINT32_MAX

/*
 * Numbers the process.  pthread_atfork() does not notice _Fork() and clone(), but the kernel wipes
 * a page in their children.  Before Linux 4.14 it does not, and only fork() is noticed.
 */
static void number_process(void)
{
	static uint32_t number;
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	td_process.number = page == MAP_FAILED ? &number : page;
	td_process.wiped = page != MAP_FAILED && madvise(page, PAGE, MADV_WIPEONFORK) == 0;
	*td_process.number = 1;
}

bool td_process_forked(size_t open)
{
	uint32_t none = 0;

	if (!__atomic_compare_exchange_n(td_process.number, &none, FORKING, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_ACQUIRE))
		return none != FORKING;
	pthread_mutex_init(&store_lock, NULL);
	td_descriptors_forked();
	td_process.open = open;
	if (td_process.store.head) {
		td_store_forget(&td_process.parents);
		td_process.parents = td_process.store;
		td_process.store = (struct td_store){ 0 };
	}
	td_process.forked++;
	__atomic_store_n(td_process.number, 1 + td_process.forked, __ATOMIC_RELEASE);
	return true;
}

/* --- the environment -------------------------------------------------------- */

/* Returns the whole file with a NUL, or NULL if it cannot be read. */
static char *read_file(const char *path)
{
	size_t size = 0, room = 1 << 16;
	char *text = malloc(room);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 || !text ? -1 : 1;

	while (got > 0 && size < room - 1) {
		got = read(fd, text + size, room - 1 - size);
		size += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (got != 0) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

/* Returns the absolute path, because the program may change its directory before it forks. */
static char *absolute(const char *path)
{
	char *folder, *whole = NULL;

	if (*path == '/')
		return strdup(path);
	folder = getcwd(NULL, 0);
	if (folder && asprintf(&whole, "%s/%s", folder, path) < 0)
		whole = NULL;
	free(folder);
	return whole;
}

static int read_spec(const char *path)
{
	char *text = read_file(path);

	return text ? td_group_spec_parse(&td_process.spec, text)
		    : td_group_spec_default(&td_process.spec);
}

bool td_process_start(void)
{
	const char *path = secure_getenv("TDSTAT_REGIONS");
	const char *every = secure_getenv("TDSTAT_EVERY");
	unsigned long nr = every ? strtoul(every, NULL, 10) : 1;

	if (!path || !*path)
		return false;
	if (nr > INT_MAX)
		nr = INT_MAX;
	td_process.every = nr ? (unsigned int)nr : 1;
	td_process.prefix = absolute(path);
	if (td_process.prefix && read_spec(td_process.prefix) == 0)
		return true;
	free(td_process.prefix);
	td_process.prefix = NULL;
	return false;
}

int td_process_prepare(void)
{
	if (!td_process.prefix && td_group_spec_default(&td_process.spec) != 0)
		return -ENODEV;
	number_process();
	return 0;
}
