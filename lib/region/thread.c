// SPDX-License-Identifier: MIT
/* Threads, from their first region to their end; the start of the process, and forks. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/region/parts.h"
#include "lib/region/tdstat.h"

/* initial-exec, because other models call a function, which would be counted in each region */
static __thread struct td_thread *self __attribute__((tls_model("initial-exec")));
/*
 * The process (td_process_now()) in which the thread's first mark is running or has failed.  A
 * signal handler must not start it again.
 */
static __thread uint32_t opening __attribute__((tls_model("initial-exec")));
/* The thread is preparing the library, and a signal handler must not wait for that. */
static __thread bool preparing __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int prepared; /* result of preparing the library: 0 or a negative errno */

/* --- regions ---------------------------------------------------------------- */

/* FNV-1a hash */
static size_t hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

/*
 * Returns the slot of a region, or the slot where it belongs.  Compares texts, because a name may
 * be at an address that another name had before.
 */
static size_t find(const struct td_thread *thread, const char *name)
{
	size_t last = thread->room - 1, at = hash(name) & last;

	while (thread->names[at] && strcmp(thread->names[at]->name, name) != 0)
		at = (at + 1) & last;
	return at;
}

/* Doubles the table if it is half full.  Returns -1 if memory ran out. */
static int make_room(struct td_thread *thread)
{
	struct td_thread wide = { .room = thread->room ? 2 * thread->room : 64 };

	if (2 * thread->nr_names < thread->room)
		return 0;
	wide.names = td_memory_take(&thread->memory, wide.room * sizeof(struct td_thread_region *));
	if (!wide.names)
		return -1;
	for (size_t i = 0; i < thread->room; i++) {
		if (thread->names[i])
			wide.names[find(&wide, thread->names[i]->name)] = thread->names[i];
	}
	thread->names = wide.names;
	thread->room = wide.room;
	return 0;
}

static struct td_thread_region *make_region(struct td_thread *thread, const char *name)
{
	size_t size = strlen(name) + 1;
	struct td_thread_region *region = td_memory_take(&thread->memory, sizeof(*region) + size);

	if (!region)
		return NULL;
	region->name = memcpy(region + 1, name, size);
	region->every = td_process.every;
	region->record = td_store_add(&td_process.store, name, thread->tid, TD_REGION_MARKED);
	return region;
}

struct td_thread_region *td_thread_region(struct td_thread *thread, const char *name)
{
	size_t at;

	if (make_room(thread))
		return NULL;
	at = find(thread, name);
	if (!thread->names[at]) {
		thread->names[at] = make_region(thread, name);
		thread->nr_names += thread->names[at] != NULL;
	}
	return thread->names[at];
}

/* --- threads ---------------------------------------------------------------- */

static void free_thread(struct td_thread *thread)
{
	struct td_memory memory = thread->memory;

	td_memory_free(&memory);
}

/* Frees the parent's state in a child, which has inherited its descriptors. */
static void forget(struct td_thread *thread)
{
	self = NULL;
	pthread_setspecific(key, NULL);
	if (thread->counts)
		td_thread_counters_forget(&thread->counters);
	free_thread(thread);
}

/* Ends the regions of a thread that ends, or of the process at exit(). */
static void end_calls(struct td_thread *thread)
{
	thread->busy = true;
	for (; thread->depth; td_call_end(thread))
		td_store_lose(&td_process.store, TD_REGION_UNENDED);
	td_call_end_outside(thread);
}

static void end_thread(void *arg)
{
	struct td_thread *thread = arg;

	if (thread->process != td_process_now()) {
		forget(thread);
		return;
	}
	if (thread == self)
		self = NULL;
	if (thread->counts) {
		end_calls(thread);
		td_thread_counters_close(&thread->counters);
	}
	free_thread(thread);
}

/* Sets a flag of the file's head. */
static void note(uint32_t *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

/* Opens the counters.  Counts nothing if that fails. */
static void begin_counting(struct td_thread *thread)
{
	struct td_moment begin;
	int rc = td_thread_counters_open(&thread->counters, &td_process.spec, &begin);

	thread->counts = rc == 0;
	thread->error = rc;
	if (rc) {
		td_process_lacks_counters(-rc);
		return;
	}
	if (!td_process.store.head)
		return;
	if (!thread->counters.rdpmc)
		note(&td_process.store.head->by_read);
	if (thread->counters.user_only)
		note(&td_process.store.head->user_only);
	thread->outside.record =
		td_store_add(&td_process.store, "", thread->tid, TD_REGION_OUTSIDE);
	td_call_begin_outside(thread, &begin);
}

static uint64_t next_serial(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static struct td_thread *make_thread(void)
{
	struct td_memory memory = { 0 };
	struct td_thread *thread;

	if (td_regions_on && !td_process_has_store())
		return NULL;
	thread = td_memory_take(&memory, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->memory = memory;
	thread->calls = td_memory_take(&thread->memory, TD_REGION_DEPTH * sizeof(*thread->calls));
	if (!thread->calls) {
		free_thread(thread);
		return NULL;
	}
	thread->process = td_process_now();
	thread->tid = (int)syscall(SYS_gettid);
	thread->chance = td_rseq_cycles() | 1;
	thread->serial = next_serial();
	begin_counting(thread);
	if (td_process.store.head)
		td_store_reserve(&td_process.store);
	pthread_setspecific(key, thread);
	self = thread;
	return thread;
}

static size_t nr_open(void)
{
	return self ? self->depth + self->too_deep : 0;
}

/* Opens the thread at its first mark, or at the first mark in a new child. */
static struct td_thread *open_thread(void)
{
	struct td_thread *thread;

	if (!td_process_forked(nr_open()) || opening == td_process_now())
		return NULL;
	opening = td_process_now();
	if (self)
		forget(self);
	thread = make_thread();
	if (thread)
		opening = 0;
	else
		td_process_lacks_counters(ENOMEM);
	return thread;
}

/* Returns the calling thread; NULL if memory ran out. */
static struct td_thread *find_self(void)
{
	return self && self->process == td_process_now() ? self : open_thread();
}

struct td_thread *td_thread_self(void)
{
	struct td_thread *thread = find_self();

	return thread && thread->counts ? thread : NULL;
}

/* --- the process ------------------------------------------------------------ */

static void in_child(void)
{
	if (!td_process.wiped)
		*td_process.number = 0;
	td_process_forked(nr_open());
}

static void prepare(void)
{
	prepared = td_process_prepare();
	if (!prepared)
		prepared = -pthread_key_create(&key, end_thread);
	if (!prepared)
		prepared = -pthread_atfork(NULL, NULL, in_child);
}

int td_thread_to_read(struct td_thread **thread)
{
	if (preparing)
		return -EBUSY;
	preparing = true;
	pthread_once(&once, prepare);
	preparing = false;
	if (prepared)
		return prepared;
	*thread = find_self();
	if (!*thread)
		return opening == td_process_now() ? -EBUSY : -ENOMEM;
	return (*thread)->counts ? 0 : (*thread)->error;
}

static void __attribute__((constructor)) start(void)
{
	if (!td_process_start())
		return;
	pthread_once(&once, prepare);
	if (prepared)
		return;
	td_regions_on = 1;
	/* the first thread is counted from here, others from their first region */
	td_thread_self();
}

/*
 * Ends the regions of the thread that calls exit(), because its keys are not destroyed.  A child
 * without marks has no regions to end.
 */
static void __attribute__((destructor)) finish(void)
{
	struct td_thread *thread = self;

	if (td_regions_on && thread && thread->counts && !thread->busy &&
	    thread->process == td_process_now())
		end_calls(thread);
}
