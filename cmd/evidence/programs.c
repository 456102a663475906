// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of the evidence.
 *
 * Ranges are wide enough for all cores since Sandy Bridge, and too narrow for a
 * program that does something else.  Latencies and throughputs of instructions
 * are those of the vendors' optimization manuals: a misprediction 10 to 25 cycles and up to
 * as many for the refetch, a 32-bit division 6 to 30, a locked addition 7 to 40, PAUSE 5 to
 * 170.
 */
#include "cmd/evidence/parts.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/doctor/parts.h"
#include "lib/base/util.h"
#include "lib/region/tdstat.h"

#define MEMORY                                                                            \
	{                                                                                 \
		"backend_bound", "memory_bound", "resource_bound", "backend_bound_memory" \
	}

const struct td_known td_programs[TD_NR_PROGRAMS] = {
	{ .name = "streams",
	  .unit = "line",
	  .min = 0.4,
	  .max = 40,
	  .nodes = MEMORY,
	  .why = "lines of 64 MiB are read one after another, faster than memory has them",
	  .make = td_arena_fill,
	  .step = td_step_stream },
	{ .name = "chase",
	  .unit = "load",
	  .min = 4,
	  .max = 250,
	  .nodes = MEMORY,
	  .why = "each load needs the one before, in 8 MiB, which no second-level cache holds",
	  .loop = TD_LOOP_CHASE,
	  .per = 1 },
	{ .name = "mispredict",
	  .unit = "misprediction",
	  .min = 10,
	  .max = 40,
	  .in_cycles = true,
	  .nodes = { "bad_speculation", "branch_mispredicts", "branch_mispredicts",
		     "bad_speculation_mispredicts" },
	  .why = "every other branch goes where no history tells",
	  .loop = TD_LOOP_MISPREDICT,
	  .per = 2 },
	{ .name = "ports",
	  .unit = "multiplication",
	  .min = 0.45,
	  .max = 4,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "core_bound", "backend_bound", "backend_bound_cpu" },
	  .why = "multiplications have one port, or two",
	  .step = td_step_ports },
	{ .name = "icache",
	  .unit = "jump",
	  .min = 4,
	  .max = 100,
	  .in_cycles = true,
	  .nodes = { "frontend_bound", "fetch_latency", "ifetch_latency",
		     "frontend_bound_latency" },
	  .why = "each jump leads to another line of 512 KiB of code",
	  .make = td_arena_write_code,
	  .step = td_step_code },
	{ .name = "divide",
	  .unit = "division",
	  .min = 5,
	  .max = 45,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "core_bound", "resource_bound", "backend_bound_cpu" },
	  .deep = "divider",
	  .why = "each division needs the one before",
	  .step = td_step_divide },
	{ .name = "sharing",
	  .unit = "addition",
	  .min = 2, /* the threads of one core meet in its cache */
	  .max = 600,
	  .nodes = MEMORY,
	  .why = "two CPUs add to words of one line, which only one can have",
	  .make = td_arena_map_lines,
	  .step = td_step_lock,
	  .shares = true },
	{ .name = "dtlb",
	  .unit = "load",
	  .min = 12,
	  .max = 300,
	  .in_cycles = true,
	  .nodes = MEMORY,
	  .deep = "dtlb_load",
	  .why = "each load is of another of 8192 pages, which no TLB holds; the line is in the "
		 "first-level cache",
	  .make = td_arena_map_page,
	  .step = td_step_pages },
	{ .name = "stores",
	  .unit = "line",
	  .min = 0.4,
	  .max = 60,
	  .nodes = MEMORY,
	  .deep = "store_bound",
	  .why = "lines of 64 MiB are written one after another, faster than the store buffer "
		 "empties",
	  .make = td_arena_fill,
	  .step = td_step_store },
	{ .name = "locks",
	  .unit = "addition",
	  .min = 5,
	  .max = 60,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "memory_bound", "backend_bound", "backend_bound" },
	  .why = "a locked addition waits until all stores are done",
	  .make = td_arena_map_lines,
	  .step = td_step_lock },
	{ .name = "aliasing",
	  .unit = "load",
	  .min = 0.9,
	  .max = 40,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "memory_bound", "backend_bound", "backend_bound" },
	  .why = "each load has the last 12 bits of the address of the store before, and waits for "
		 "it",
	  .make = td_arena_map_lines,
	  .step = td_step_alias },
	{ .name = "spin",
	  .unit = "pause",
	  .min = 4,
	  .max = 400,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "core_bound", "backend_bound", "backend_bound" },
	  .why = "PAUSE holds up what comes behind it",
	  .step = td_step_spin },
};

const struct td_known *td_program_find(const char *name)
{
	for (size_t i = 0; i < TD_NR_PROGRAMS; i++) {
		if (strcmp(td_programs[i].name, name) == 0)
			return &td_programs[i];
	}
	return NULL;
}

/* --- the other thread --------------------------------------------------------- */

struct sharer {
	struct td_arena arena; /* contains the same line */
	char name[16];
	int cpu;
	atomic_bool ends;
	pthread_t thread;
};

static void *share(void *arg)
{
	struct sharer *sharer = arg;
	struct td_err unused = { 0 };

	pthread_setname_np(pthread_self(), sharer->name);
	td_stay_on(sharer->cpu, &unused);
	while (!atomic_load_explicit(&sharer->ends, memory_order_relaxed))
		td_step_lock(&sharer->arena);
	return NULL;
}

static int begin_sharing(struct sharer *sharer, const struct td_arena *arena, const char *name,
			 struct td_err *err)
{
	int rc;

	if (sharer->cpu < 0)
		return td_err_set(err, -ENODEV, "it needs two CPUs of this kind");
	sharer->arena = *arena;
	sharer->arena.at = 32; /* another word of the same line */
	snprintf(sharer->name, sizeof(sharer->name), "%s", name);
	rc = pthread_create(&sharer->thread, NULL, share, sharer);
	return rc ? td_err_set(err, -rc, "a thread: %s", strerror(rc)) : 0;
}

static void end_sharing(struct sharer *sharer)
{
	atomic_store(&sharer->ends, true);
	pthread_join(sharer->thread, NULL);
}

/* --- running one --------------------------------------------------------------- */

/*
 * Times are CPU times of this thread.  The fastest of several windows is least disturbed; but
 * with two threads, a window in which only one runs is the fastest, so the mean is used.
 */
#define WINDOWS 10

static uint64_t thread_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * TD_NS_A_SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t run_steps(const struct td_known *program, struct td_arena *arena, uint64_t ns)
{
	uint64_t end_ns = td_now_ns() + ns, nr = 0;

	do
		nr += program->step(arena);
	while (td_now_ns() < end_ns);
	return nr;
}

static uint64_t run_loop(const struct td_known *program, const struct td_loops *loops, uint64_t ns)
{
	return td_loop_run(loops, (enum td_loop)program->loop, ns) / (unsigned int)program->per;
}

static void run_windows(const struct td_known *program, struct td_arena *arena,
			const struct td_loops *loops, uint64_t ns, struct td_program_took *took)
{
	td_begin(program->name);
	for (int i = 0; i < WINDOWS; i++) {
		uint64_t begin_ns = thread_ns(), nr;
		double each_ns;

		nr = program->step ? run_steps(program, arena, ns / WINDOWS)
				   : run_loop(program, loops, ns / WINDOWS);
		each_ns = (double)(thread_ns() - begin_ns) / (double)nr;
		took->nr += nr;
		if (program->shares)
			took->ns += each_ns / WINDOWS;
		else if (nr && (!i || each_ns < took->ns))
			took->ns = each_ns;
	}
	td_end(program->name);
}

static int run_program(const struct td_known *program, int other, uint64_t ns,
		       struct td_program_took *took, struct td_err *err)
{
	struct td_arena arena = { .page = -1 };
	struct sharer sharer = { .cpu = other };
	struct td_loops loops = { 0 };
	char name[16];
	int rc = program->make ? program->make(&arena, err) : 0;

	if (!program->step)
		td_loops_make(&loops);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	if (!rc && program->shares)
		rc = begin_sharing(&sharer, &arena, name, err);
	if (!rc)
		run_windows(program, &arena, &loops, ns, took);
	if (!rc && program->shares)
		end_sharing(&sharer);
	td_loops_free(&loops);
	td_arena_free(&arena);
	return rc;
}

int td_program_run(const struct td_known *program, uint64_t ns, struct td_program_took *took,
		   struct td_err *err)
{
	char before[16] = "", name[16];
	int first, last, rc;

	if (!TD_HAS_STEPS)
		return td_err_set(err, -ENOTSUP, "the programs need an x86 processor");
	td_affinity_range(&first, &last);
	if (td_stay_on(last, err))
		return err->code;
	*took = (struct td_program_took){ .ghz = td_step_ghz() };
	/* the thread also prepares the memory under this name */
	pthread_getname_np(pthread_self(), before, sizeof(before));
	snprintf(name, sizeof(name), "td-%s", program->name);
	pthread_setname_np(pthread_self(), name);
	rc = run_program(program, first == last ? -1 : first, ns, took, err);
	pthread_setname_np(pthread_self(), before);
	return rc;
}

bool td_program_in_range(const struct td_known *program, const struct td_program_took *took)
{
	double value = took->ns * (program->in_cycles ? took->ghz : 1);

	return value >= program->min && value <= program->max;
}
