// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of the evidence.  The range of each value includes all cores since Sandy Bridge, but
 * not programs that do something else.  Latencies and throughputs of instructions are from the
 * vendors' optimization manuals: a misprediction 10 to 25 cycles, and up to the same for the
 * refetch; a 32-bit division 6 to 30; a locked addition 7 to 40; PAUSE 5 to 170.
 */
#include "cmd/evidence/parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cmd/doctor/parts.h"
#include "lib/base/util.h"
#include "lib/region/tdstat.h"

#define LINE 64
#define PAGE 4096

/* --- the arena --------------------------------------------------------------- */

/* Memory of a program of the evidence. */
struct td_arena {
	char *memory;
	size_t size;    /* size of the memory */
	size_t at;      /* offset in the memory, where a walk continues */
	int page;       /* file of a page that is mapped many times, or -1 */
	uint32_t index; /* index of a page */
	uint32_t sum;   /* uses all results, so that no step is optimized away */
};

/* Larger than second-level caches and most third-level caches. */
#define LARGE (64u << 20)

/* Larger than first-level instruction caches, smaller than second-level caches. */
#define CODE_LINES 8192

/* More pages than second-level TLBs have entries. */
#define NR_PAGES 8192

static int no_memory(struct td_err *err)
{
	return td_err_set(err, -errno, "memory of the program: %s", strerror(errno));
}

static int map(struct td_arena *arena, size_t size, int protection, struct td_err *err)
{
	void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return no_memory(err);
	arena->memory = memory;
	arena->size = size;
	return 0;
}

/*
 * Prepare the arena: written memory, generated code, one page mapped many times, or two pages.
 * Return 0 or a negative errno; call arena_free() on error as well.
 */
static int arena_fill(struct td_arena *arena, struct td_err *err)
{
	int rc = map(arena, LARGE, PROT_READ | PROT_WRITE, err);

	/* allocate all pages before the measurement */
	if (!rc)
		memset(arena->memory, 1, arena->size);
	return rc;
}

static int arena_map_lines(struct td_arena *arena, struct td_err *err)
{
	return map(arena, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, err);
}

static int arena_write_code(struct td_arena *arena, struct td_err *err)
{
	td_autofree uint32_t *order = td_calloc(CODE_LINES, sizeof(*order));
	int rc = map(arena, (size_t)CODE_LINES * LINE, PROT_READ | PROT_WRITE, err);

	if (rc)
		/* cppcheck-suppress memleak; order is autofree */
		return rc;
	td_loops_shuffle(order, CODE_LINES);
	/* a jump in each line to another one, in one random cycle; the last returns */
	for (uint32_t i = 0; i < CODE_LINES; i++) {
		char *line = arena->memory + (size_t)i * LINE;
		int32_t far = (int32_t)(order[i] - i) * LINE - 5;

		line[0] = order[i] ? (char)0xe9 : (char)0xc3;
		memcpy(line + 1, &far, sizeof(far));
	}
	if (mprotect(arena->memory, arena->size, PROT_READ | PROT_EXEC))
		return td_err_set(err, -errno,
				  "this system does not run code that a program writes: %s",
				  strerror(errno));
	return 0;
}

/* Map one page many times, so that its lines stay in the first-level cache. */
static int arena_map_page(struct td_arena *arena, struct td_err *err)
{
	int rc = map(arena, (size_t)NR_PAGES * PAGE, PROT_NONE, err);

	if (rc)
		return rc;
	arena->page = memfd_create("tdstat", MFD_CLOEXEC);
	if (arena->page < 0 || ftruncate(arena->page, PAGE))
		return no_memory(err);
	for (size_t i = 0; i < NR_PAGES; i++) {
		if (mmap(arena->memory + i * PAGE, PAGE, PROT_READ,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, arena->page, 0) == MAP_FAILED)
			return no_memory(err);
	}
	return 0;
}

static void arena_free(struct td_arena *arena)
{
	td_close_fd(&arena->page);
	if (arena->memory)
		munmap(arena->memory, arena->size);
	arena->memory = NULL;
}

/* --- steps -------------------------------------------------------------------- */

/*
 * Each step runs one kind of work for tens of microseconds, between two reads of the clock.
 * Returns the number of repetitions.
 */

#define WALK_LINES 1024

/* Return the next lines of the arena. */
static volatile uint32_t *walk(struct td_arena *arena)
{
	char *at = arena->memory + arena->at;

	arena->at = (arena->at + (size_t)WALK_LINES * LINE) % arena->size;
	return (volatile uint32_t *)(void *)at;
}

static unsigned int step_stream(struct td_arena *arena)
{
	const volatile uint32_t *at = walk(arena);

	for (size_t i = 0; i < WALK_LINES; i++)
		arena->sum += at[i * LINE / sizeof(*at)];
	return WALK_LINES;
}

/* Returns the number of lines written. */
static unsigned int step_store(struct td_arena *arena)
{
	volatile uint32_t *at = walk(arena);

	for (size_t i = 0; i < WALK_LINES; i++)
		at[i * LINE / sizeof(*at)] = (uint32_t)i;
	return WALK_LINES;
}

/*
 * Visit all pages in the order of a linear congruential generator.  The next index depends on
 * the loaded value (always 0), which serializes the loads.
 */
static unsigned int step_pages(struct td_arena *arena)
{
	uint32_t index = arena->index;

	for (int i = 0; i < 1000; i++) {
		const char *page = arena->memory + (size_t)index * PAGE;
		uint32_t zero = *(const volatile uint32_t *)(const void *)page;

		index = (index * 1664525 + 1013904223 + zero) % NR_PAGES;
	}
	arena->index = index;
	return 1000;
}

/* --- instructions ------------------------------------------------------------ */

#define TEN(body)     body body body body body body body body body body
#define HUNDRED(body) TEN(TEN(body))

#define RUN(...) __asm__ volatile(__VA_ARGS__)

/* Add two registers: Golden Cove executes adds of constants at rename. */
static void add_1000(void)
{
	uint32_t sum = 0, one = 1;

	for (int i = 0; i < 10; i++)
		RUN(HUNDRED("addl %1, %0\n\t") : "+r"(sum) : "r"(one) : "cc");
}

/* Returns the number of multiplications. */
static unsigned int step_ports(struct td_arena *arena)
{
	uint32_t a = 3, b = 5, c = 7, d = 9;

	(void)arena;
	for (int i = 0; i < 500; i++)
		RUN(TEN("imull %0, %0\n\timull %1, %1\n\timull %2, %2\n\timull %3, %3\n\t")
		    : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
		    :
		    : "cc");
	return 500 * 40;
}

/* Returns the number of jumps. */
static unsigned int step_code(struct td_arena *arena)
{
	RUN("call *%0" : : "r"(arena->memory) : "cc", "memory");
	return CODE_LINES;
}

/* The OR keeps the dividend large, so that each division has a full-size quotient. */
static unsigned int step_divide(struct td_arena *arena)
{
	uint32_t a = 0xfffffff1, d = 0, three = 3;

	for (int i = 0; i < 200; i++)
		RUN(TEN("xorl %%edx, %%edx\n\tdivl %2\n\torl $0xf0000000, %%eax\n\t")
		    : "+a"(a), "+d"(d)
		    : "r"(three)
		    : "cc");
	arena->sum += a;
	return 200 * 10;
}

/* Locked add on one word; the word of another thread may be in the same line (share()). */
static unsigned int step_lock(struct td_arena *arena)
{
	char *word = arena->memory + arena->at;

	for (int i = 0; i < 100; i++)
		RUN(TEN("lock addl $1, (%0)\n\t") : : "r"(word) : "cc", "memory");
	return 100 * 10;
}

/* Store 4 KiB before the next load, so that the two alias. */
static unsigned int step_alias(struct td_arena *arena)
{
	uint32_t kept = 1;

	for (int i = 0; i < 200; i++)
		RUN(TEN("movl %0, 64(%1)\n\tmovl 4160(%1), %0\n\t")
		    : "+r"(kept)
		    : "r"(arena->memory)
		    : "memory");
	return 200 * 10;
}

/* Returns the number of pauses. */
static unsigned int step_spin(struct td_arena *arena)
{
	(void)arena;
	for (int i = 0; i < 100; i++)
		RUN("pause" : : : "memory");
	return 100;
}

/* Returns the clock of the core in GHz, measured with dependent additions. */
static double step_ghz(void)
{
	uint64_t min_ns = UINT64_MAX;

	for (int try = 0; try < 50; try++) {
		uint64_t begin_ns = td_now_ns(), took_ns;

		for (int i = 0; i < 100; i++)
			add_1000();
		took_ns = td_now_ns() - begin_ns;
		min_ns = took_ns && took_ns < min_ns ? took_ns : min_ns;
	}
	return 100 * 1000 / (double)min_ns;
}

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
	  .why = "lines of 64 MiB are read one after another, faster than memory delivers them",
	  .make = arena_fill,
	  .step = step_stream },
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
	  .why = "every other branch is unpredictable",
	  .loop = TD_LOOP_MISPREDICT,
	  .per = 2 },
	{ .name = "ports",
	  .unit = "multiplication",
	  .min = 0.45,
	  .max = 4,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "core_bound", "backend_bound", "backend_bound_cpu" },
	  .why = "multiplications have one port, or two",
	  .step = step_ports },
	{ .name = "icache",
	  .unit = "jump",
	  .min = 4,
	  .max = 100,
	  .in_cycles = true,
	  .nodes = { "frontend_bound", "fetch_latency", "ifetch_latency",
		     "frontend_bound_latency" },
	  .why = "each jump leads to another line of 512 KiB of code",
	  .make = arena_write_code,
	  .step = step_code },
	{ .name = "divide",
	  .unit = "division",
	  .min = 5,
	  .max = 45,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "core_bound", "resource_bound", "backend_bound_cpu" },
	  .deep = "divider",
	  .why = "each division needs the one before",
	  .step = step_divide },
	{ .name = "sharing",
	  .unit = "addition",
	  .min = 2, /* the threads of one core meet in its cache */
	  .max = 600,
	  .nodes = MEMORY,
	  .why = "two CPUs add to words of one line, which only one can have",
	  .make = arena_map_lines,
	  .step = step_lock,
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
	  .make = arena_map_page,
	  .step = step_pages },
	{ .name = "stores",
	  .unit = "line",
	  .min = 0.4,
	  .max = 60,
	  .nodes = MEMORY,
	  .deep = "store_bound",
	  .why = "lines of 64 MiB are written one after another, faster than the store buffer "
		 "empties",
	  .make = arena_fill,
	  .step = step_store },
	{ .name = "locks",
	  .unit = "addition",
	  .min = 5,
	  .max = 60,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "memory_bound", "backend_bound", "backend_bound" },
	  .why = "a locked addition waits until all stores are done",
	  .make = arena_map_lines,
	  .step = step_lock },
	{ .name = "aliasing",
	  .unit = "load",
	  .min = 0.9,
	  .max = 40,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "memory_bound", "backend_bound", "backend_bound" },
	  .why = "each load has the last 12 bits of the address of the store before, and waits for "
		 "it",
	  .make = arena_map_lines,
	  .step = step_alias },
	{ .name = "spin",
	  .unit = "pause",
	  .min = 4,
	  .max = 400,
	  .in_cycles = true,
	  .nodes = { "backend_bound", "core_bound", "backend_bound", "backend_bound" },
	  .why = "PAUSE delays the instructions after it",
	  .step = step_spin },
};

/* --- the other thread --------------------------------------------------------- */

struct sharer {
	struct td_arena arena; /* contains the line that both threads use */
	char name[16];
	int cpu;
	atomic_bool ends;
	pthread_t thread;
};

static void *share(void *arg)
{
	struct sharer *sharer = arg;

	pthread_setname_np(pthread_self(), sharer->name);
	while (!atomic_load_explicit(&sharer->ends, memory_order_relaxed))
		step_lock(&sharer->arena);
	return NULL;
}

static int begin_sharing(struct sharer *sharer, const struct td_arena *arena, const char *name,
			 struct td_err *err)
{
	int cpu = sched_getcpu(), rc;
	struct td_err unused = { 0 };

	if (sharer->cpu < 0)
		return td_err_set(err, -ENODEV, "it needs two CPUs of this core type");
	/* the thread inherits its CPU */
	if (td_stay_on(sharer->cpu, err))
		return err->code;
	sharer->arena = *arena;
	sharer->arena.at = 32; /* another word of the same line */
	snprintf(sharer->name, sizeof(sharer->name), "%s", name);
	rc = pthread_create(&sharer->thread, NULL, share, sharer);
	td_stay_on(cpu, &unused);
	return rc ? td_err_set(err, -rc, "a thread: %s", strerror(rc)) : 0;
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

static void run_windows(const struct td_known *program, struct td_arena *arena, void **ring,
			uint64_t ns, struct td_program_took *took)
{
	td_begin(program->name);
	for (int i = 0; i < WINDOWS; i++) {
		uint64_t begin_ns = thread_ns(), nr;
		double each_ns;

		if (program->step)
			nr = run_steps(program, arena, ns / WINDOWS);
		else
			nr = td_loop_run(ring, (enum td_loop)program->loop, ns / WINDOWS) /
			     (unsigned int)program->per;
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
	void **ring = program->step ? NULL : td_loops_ring();
	char name[16];
	int rc = program->make ? program->make(&arena, err) : 0;

	pthread_getname_np(pthread_self(), name, sizeof(name));
	if (!rc && program->shares)
		rc = begin_sharing(&sharer, &arena, name, err);
	if (!rc)
		run_windows(program, &arena, ring, ns, took);
	if (!rc && program->shares) {
		atomic_store(&sharer.ends, true);
		pthread_join(sharer.thread, NULL);
	}
	free(ring);
	arena_free(&arena);
	return rc;
}

int td_program_run(const struct td_known *program, uint64_t ns, struct td_program_took *took,
		   struct td_err *err)
{
	char before[16] = "", name[16];
	int first, last, rc;

	td_affinity_range(&first, &last);
	if (td_stay_on(last, err))
		return err->code;
	*took = (struct td_program_took){ .ghz = step_ghz() };
	/* the thread also prepares the memory under this name */
	pthread_getname_np(pthread_self(), before, sizeof(before));
	snprintf(name, sizeof(name), "td-%s", program->name);
	pthread_setname_np(pthread_self(), name);
	rc = run_program(program, first == last ? -1 : first, ns, took, err);
	pthread_setname_np(pthread_self(), before);
	return rc;
}
