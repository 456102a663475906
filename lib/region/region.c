// SPDX-License-Identifier: MIT
/* The interface of the library, in a thread. */
#include <errno.h>
#include <string.h>

#include "lib/region/call.h"
#include "lib/region/cost.h"
#include "lib/region/process.h"
#include "lib/region/tdstat.h"
#include "lib/region/thread.h"

static void begin(struct td_thread *thread, const char *name)
{
	struct td_thread_region *region;

	if (!thread->depth)
		td_cost_measure(thread);
	region = td_thread_region(thread, name);
	if (!region)
		return;
	if (thread->depth < TD_REGION_DEPTH) {
		td_call_begin(thread, region);
		return;
	}
	thread->too_deep++;
	td_store_lose(&td_process.store, TD_REGION_TOO_DEEP);
}

static void end(struct td_thread *thread, const char *name)
{
	size_t found = thread->depth;

	while (found &&
	       strcmp(thread->calls[found - 1].region->name, name) != 0)
		found--;
	if (!found && td_process.open) {
		td_process.open--;
		return;
	}
	if (!found) {
		td_store_lose_end(&td_process.store, name);
		return;
	}
	for (size_t i = thread->depth; i > found; i--)
		td_store_lose(&td_process.store, TD_REGION_UNENDED);
	while (thread->depth >= found)
		td_call_end(thread);
}

/*
 * False: the mark is left out.  A signal handler's may come within another one; so may
 * that of a child of clone() that shares the memory, and the thread's block with it.
 */
static bool enter(struct td_thread *thread, const char *name)
{
	if (!thread || !name)
		return false;
	if (!__atomic_exchange_n(&thread->busy, true, __ATOMIC_ACQUIRE))
		return true;
	td_store_lose(&td_process.store, TD_REGION_BUSY);
	return false;
}

static void leave(struct td_thread *thread)
{
	__atomic_store_n(&thread->busy, false, __ATOMIC_RELEASE);
}

/* The calling thread, or NULL.  What the program finds in errno stays. */
static struct td_thread *find_self(void)
{
	int error = errno;
	struct td_thread *thread = td_regions_on ? td_thread_self() : NULL;

	errno = error;
	return thread;
}

void(td_begin)(const char *name)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!enter(thread, name))
		return;
	begin(thread, name);
	leave(thread);
	errno = error;
}

void(td_end)(const char *name)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!enter(thread, name))
		return;
	if (thread->too_deep)
		thread->too_deep--;
	else
		end(thread, name);
	leave(thread);
	errno = error;
}

int td_thread_init(void)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!thread)
		return -1;
	td_store_reserve(&td_process.store);
	errno = error;
	return 0;
}

void td_flush(void)
{
	struct td_thread *thread = find_self();
	int error = errno;

	if (!thread ||
	    __atomic_exchange_n(&thread->busy, true, __ATOMIC_ACQUIRE))
		return;
	td_call_end_outside(thread);
	leave(thread);
	errno = error;
}
