// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded: the FAIL_AT-th allocation of tdstat fails; with FAIL_ON, all later ones
 * do as well.  With FAIL_PLACES tdstat writes a line into that file for each
 * allocation: two numbers that stand for its callers, all of them and the nearest.
 * They are the same in each run, wherever files are mapped.
 *
 * json-c's parser (0.16) does not check its allocations: without memory it crashes, or
 * reads a value as null.  Its allocations do not fail.  FAIL_NOT is "LOW HIGH", its
 * range in tdstat's file if it is linked statically.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

#define DEPTH   32
#define NEAREST 7 /* two of them are in this file */

static long nr;
static long fail_at; /* 0: none does */
static bool fail_on;
static bool looking; /* backtrace() allocates, too */
static int places = -1;
static size_t low, high;

static int note_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(size_t *)base = info->dlpi_addr;
	return 1; /* the first one is the program */
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT"), *range = getenv("FAIL_NOT");
	const char *path = getenv("FAIL_PLACES");
	size_t base = 0;
	void *first;

	/* the commands that tdstat starts have all memory there is */
	if (strcmp(program_invocation_short_name, "tdstat") != 0)
		return;
	looking = true;
	backtrace(&first, 1);
	looking = false;
	dl_iterate_phdr(note_base, &base);
	if (range && sscanf(range, "%zx %zx", &low, &high) == 2) {
		low += base;
		high += base;
	}
	fail_on = getenv("FAIL_ON");
	fail_at = at ? atol(at) : 0;
	if (path)
		places = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

/* FNV-1a of the addresses that are returned to, within their files. */
static unsigned long place_of(void *const *callers, int depth)
{
	unsigned long hash = 14695981039346656037UL;

	for (int i = 0; i < depth; i++) {
		size_t at = (size_t)callers[i];
		Dl_info where;

		if (dladdr(callers[i], &where))
			at -= (size_t)where.dli_fbase;
		hash = (hash ^ at) * 1099511628211UL;
	}
	return hash;
}

static void put_place(void)
{
	void *callers[DEPTH];
	int depth;

	looking = true;
	depth = backtrace(callers, DEPTH);
	dprintf(places, "%lx %lx\n", place_of(callers, depth),
		place_of(callers, depth < NEAREST ? depth : NEAREST));
	looking = false;
}

static bool is_parser(void *caller)
{
	size_t at = (size_t)caller;
	Dl_info where;

	if (high)
		return low <= at && at < high;
	return dladdr(caller, &where) && where.dli_sname &&
	       !strcmp(where.dli_sname, "json_tokener_parse_ex");
}

static bool in_parser(void)
{
	void *callers[DEPTH];
	int depth;

	looking = true;
	depth = backtrace(callers, DEPTH);
	looking = false;
	for (int i = 0; i < depth; i++) {
		if (is_parser(callers[i]))
			return true;
	}
	return false;
}

static bool fails(void)
{
	if (looking)
		return false;
	nr++;
	if (places >= 0)
		put_place();
	if (!fail_at || (fail_on ? nr < fail_at : nr != fail_at) || in_parser())
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
