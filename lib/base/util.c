// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/util.h"

#include <malloc.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MIN_SUSPENDED_NS 1000000

bool td_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

bool td_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

char *td_find_file(const char *directories, const char *name, int mode)
{
	struct stat st;

	while (directories) {
		size_t len = strcspn(directories, ":");
		char *path = td_aprintf("%.*s%s%s", (int)len, directories, len ? "/" : "", name);

		if (access(path, mode) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
			return path;
		free(path);
		directories = directories[len] ? directories + len + 1 : NULL;
	}
	return NULL;
}

char *td_find_program(const char *name, int mode)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return td_strdup(name);
	return td_find_file(path ? path : "/bin:/usr/bin", name, mode);
}

int td_write_all(int fd, const void *text, size_t size)
{
	const char *at = text;

	while (size) {
		ssize_t nr = write(fd, at, size);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		at += nr;
		size -= (size_t)nr;
	}
	return 0;
}

void td_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void td_text_join(char **text, const char *a, const char *b, const char *c)
{
	size_t len_a = strlen(a), len_b = strlen(b), size = strlen(c) + 1;

	if (malloc_usable_size(*text) < len_a + len_b + size) {
		free(*text);
		*text = td_malloc(len_a + len_b + size);
	}
	memcpy(*text, a, len_a);
	memcpy(*text + len_a, b, len_b);
	memcpy(*text + len_a + len_b, c, size);
}

static size_t power_of_two_above(size_t nr)
{
	size_t power = 1;

	while (power <= nr)
		power *= 2;
	return power;
}

void *td_array_add(void *array, size_t nr, size_t size)
{
	char *base;

	memcpy(&base, array, sizeof(base));
	if (malloc_usable_size(base) < (nr + 1) * size) {
		/* cppcheck-suppress memleakOnRealloc; *array has it */
		base = td_reallocarray(base, power_of_two_above(nr), size);
		memcpy(array, &base, sizeof(base));
	}
	memset(base + nr * size, 0, size);
	return base + nr * size;
}

void *td_array_next(void *array, size_t *nr, size_t *nr_kept, size_t size)
{
	char *base;

	memcpy(&base, array, sizeof(base));
	if (*nr < *nr_kept)
		return base + (*nr)++ * size;
	base = td_array_add(array, *nr, size);
	*nr_kept = ++*nr;
	return base;
}

void td_array_clear(void *array, size_t nr, size_t size)
{
	void *base;

	memcpy(&base, array, sizeof(base));
	if (malloc_usable_size(base) < nr * size || !base) {
		free(base);
		base = td_calloc(nr + 1, size);
		/* cppcheck-suppress memleak; *array has it */
		memcpy(array, &base, sizeof(base));
		return;
	}
	memset(base, 0, nr * size);
}

void td_array_push(void *array, size_t *nr, const void *element, size_t size)
{
	memcpy(td_array_add(array, *nr, size), element, size);
	++*nr;
}

uint64_t td_wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000) * 1000000;
}

uint64_t td_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct td_clocks td_clocks_now(void)
{
	struct td_clocks now = { .mono_ns = td_now_ns() };
	struct timespec boot;
	uint64_t ns;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	ns = (uint64_t)boot.tv_sec * 1000000000 + (uint64_t)boot.tv_nsec;
	/* a smaller difference is the time between the calls of clock_gettime() */
	if (ns > now.mono_ns + MIN_SUSPENDED_NS)
		now.suspended_ns = ns - now.mono_ns;
	return now;
}
