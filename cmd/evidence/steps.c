// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/evidence/parts.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/doctor/parts.h"
#include "lib/base/util.h"

#define LINE 64
#define PAGE 4096

/* --- the arena --------------------------------------------------------------- */

/* Larger than second-level caches and most third-level caches. */
#define LARGE (64u << 20)

/* Larger than first-level instruction caches, smaller than second-level caches. */
#define CODE_LINES 8192

/* More than the entries of second-level TLBs. */
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

int td_arena_fill(struct td_arena *arena, struct td_err *err)
{
	int rc = map(arena, LARGE, PROT_READ | PROT_WRITE, err);

	/* allocate all pages before the measurement */
	if (!rc)
		memset(arena->memory, 1, arena->size);
	return rc;
}

int td_arena_map_lines(struct td_arena *arena, struct td_err *err)
{
	return map(arena, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, err);
}

/* Write a jump in each line to another one, in one random cycle; the last returns. */
static void write_jumps(char *code, const uint32_t *order)
{
	for (uint32_t i = 0; i < CODE_LINES; i++) {
		char *line = code + (size_t)i * LINE;
		int32_t far = (int32_t)(order[i] - i) * LINE - 5;

		line[0] = order[i] ? (char)0xe9 : (char)0xc3;
		memcpy(line + 1, &far, sizeof(far));
	}
}

int td_arena_write_code(struct td_arena *arena, struct td_err *err)
{
	td_autofree uint32_t *order = td_calloc(CODE_LINES, sizeof(*order));
	int rc = map(arena, (size_t)CODE_LINES * LINE, PROT_READ | PROT_WRITE, err);

	if (rc)
		/* cppcheck-suppress memleak; order is autofree */
		return rc;
	td_loops_shuffle(order, CODE_LINES);
	write_jumps(arena->memory, order);
	if (mprotect(arena->memory, arena->size, PROT_READ | PROT_EXEC))
		return td_err_set(err, -errno,
				  "this system does not run code that a program writes: %s",
				  strerror(errno));
	return 0;
}

/* Map one page many times, so that its lines stay in the first-level cache. */
int td_arena_map_page(struct td_arena *arena, struct td_err *err)
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

void td_arena_free(struct td_arena *arena)
{
	td_close_fd(&arena->page);
	if (arena->memory)
		munmap(arena->memory, arena->size);
	arena->memory = NULL;
}

/* --- walks -------------------------------------------------------------------- */

#define WALK_LINES 1024

static volatile uint32_t *walk(struct td_arena *arena)
{
	char *at = arena->memory + arena->at;

	arena->at = (arena->at + (size_t)WALK_LINES * LINE) % arena->size;
	return (volatile uint32_t *)(void *)at;
}

unsigned int td_step_stream(struct td_arena *arena)
{
	const volatile uint32_t *at = walk(arena);

	for (size_t i = 0; i < WALK_LINES; i++)
		arena->sum += at[i * LINE / sizeof(*at)];
	return WALK_LINES;
}

unsigned int td_step_store(struct td_arena *arena)
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
unsigned int td_step_pages(struct td_arena *arena)
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

#if TD_HAS_STEPS
#define RUN(...) __asm__ volatile(__VA_ARGS__)
#else
#define RUN(...) ((void)0) /* td_program_run() refuses */
#endif

/* Add two registers: Golden Cove executes adds of constants at rename. */
static void add_1000(void)
{
	uint32_t sum = 0, one = 1;

	for (int i = 0; i < 10; i++)
		RUN(HUNDRED("addl %1, %0\n\t") : "+r"(sum) : "r"(one) : "cc");
}

unsigned int td_step_ports(struct td_arena *arena)
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

unsigned int td_step_code(struct td_arena *arena)
{
	RUN("call *%0" : : "r"(arena->memory) : "cc", "memory");
	return CODE_LINES;
}

/* The OR keeps the dividend large, so that each division has a full-size quotient. */
unsigned int td_step_divide(struct td_arena *arena)
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

/* Locked add on one word; the word of another thread may be in the same line (programs.c). */
unsigned int td_step_lock(struct td_arena *arena)
{
	char *word = arena->memory + arena->at;

	for (int i = 0; i < 100; i++)
		RUN(TEN("lock addl $1, (%0)\n\t") : : "r"(word) : "cc", "memory");
	return 100 * 10;
}

/* Store 4 KiB before the next load, so that the two alias. */
unsigned int td_step_alias(struct td_arena *arena)
{
	uint32_t kept = 1;

	for (int i = 0; i < 200; i++)
		RUN(TEN("movl %0, 64(%1)\n\tmovl 4160(%1), %0\n\t")
		    : "+r"(kept)
		    : "r"(arena->memory)
		    : "memory");
	return 200 * 10;
}

unsigned int td_step_spin(struct td_arena *arena)
{
	(void)arena;
	for (int i = 0; i < 100; i++)
		RUN("pause" : : : "memory");
	return 100;
}

double td_step_ghz(void)
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
