// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/evidence_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/doctor/parts.h"
#include "lib/base/util.h"

#define LINE 64
#define PAGE 4096

/* --- the ground -------------------------------------------------------------- */

/* More than the second-level caches have, and than most third-level ones. */
#define LARGE (64u << 20)

/* More than first-level caches of instructions have, less than second-level ones. */
#define CODE_LINES 8192

/* More than the second-level TLBs have entries. */
#define NR_PAGES 8192

static int no_memory(struct td_err *err)
{
	return td_err_set(err, -errno, "memory for it: %s", strerror(errno));
}

static int map(struct td_ground *ground, size_t size, int protection,
	       struct td_err *err)
{
	void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		return no_memory(err);
	ground->memory = memory;
	ground->size = size;
	return 0;
}

int td_ground_fill(struct td_ground *ground, struct td_err *err)
{
	int rc = map(ground, LARGE, PROT_READ | PROT_WRITE, err);

	/* each page gets memory of its own now, and not while it is measured */
	if (!rc)
		memset(ground->memory, 1, ground->size);
	return rc;
}

int td_ground_take_line(struct td_ground *ground, struct td_err *err)
{
	return map(ground, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, err);
}

/* A jump in each line to another one, in one random cycle; the last returns. */
static void write_jumps(char *code, const uint32_t *order)
{
	for (uint32_t i = 0; i < CODE_LINES; i++) {
		char *line = code + (size_t)i * LINE;
		int32_t far = (int32_t)(order[i] - i) * LINE - 5;

		line[0] = order[i] ? (char)0xe9 : (char)0xc3;
		memcpy(line + 1, &far, sizeof(far));
	}
}

int td_ground_write_code(struct td_ground *ground, struct td_err *err)
{
	td_autofree uint32_t *order = calloc(CODE_LINES, sizeof(*order));
	int rc = map(ground, (size_t)CODE_LINES * LINE, PROT_READ | PROT_WRITE,
		     err);

	if (!rc && !order)
		rc = td_err_nomem(err);
	if (rc)
		/* cppcheck-suppress memleak; order is autofree */
		return rc;
	td_loops_shuffle(order, CODE_LINES);
	write_jumps(ground->memory, order);
	if (mprotect(ground->memory, ground->size, PROT_READ | PROT_EXEC))
		return td_err_set(err, -errno,
				  "code that is written may not run here: %s",
				  strerror(errno));
	return 0;
}

/* One page, so that its lines stay in the first-level cache wherever it is. */
int td_ground_map_page(struct td_ground *ground, struct td_err *err)
{
	int rc = map(ground, (size_t)NR_PAGES * PAGE, PROT_NONE, err);

	if (rc)
		return rc;
	ground->page = memfd_create("tdstat", MFD_CLOEXEC);
	if (ground->page < 0 || ftruncate(ground->page, PAGE))
		return no_memory(err);
	for (size_t i = 0; i < NR_PAGES; i++) {
		if (mmap(ground->memory + i * PAGE, PAGE, PROT_READ,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, ground->page,
			 0) == MAP_FAILED)
			return no_memory(err);
	}
	return 0;
}

void td_ground_free(struct td_ground *ground)
{
	td_close_fd(&ground->page);
	if (ground->memory)
		munmap(ground->memory, ground->size);
	ground->memory = NULL;
}

/* --- walks -------------------------------------------------------------------- */

#define WALK_LINES 1024

static volatile uint32_t *walk(struct td_ground *ground)
{
	char *at = ground->memory + ground->at;

	ground->at = (ground->at + (size_t)WALK_LINES * LINE) % ground->size;
	return (volatile uint32_t *)(void *)at;
}

unsigned int td_step_stream(struct td_ground *ground)
{
	const volatile uint32_t *at = walk(ground);

	for (size_t i = 0; i < WALK_LINES; i++)
		ground->sum += at[i * LINE / sizeof(*at)];
	return WALK_LINES;
}

unsigned int td_step_store(struct td_ground *ground)
{
	volatile uint32_t *at = walk(ground);

	for (size_t i = 0; i < WALK_LINES; i++)
		at[i * LINE / sizeof(*at)] = (uint32_t)i;
	return WALK_LINES;
}

/*
 * Page after page by a generator whose period is all of them.  A load tells that
 * its page is all zeros, and the next address waits for it.
 */
unsigned int td_step_pages(struct td_ground *ground)
{
	uint32_t index = ground->index;

	for (int i = 0; i < 1000; i++) {
		const char *page = ground->memory + (size_t)index * PAGE;
		uint32_t zero = *(const volatile uint32_t *)(const void *)page;

		index = (index * 1664525 + 1013904223 + zero) % NR_PAGES;
	}
	ground->index = index;
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

/* Of two registers: Golden Cove adds constants when it renames. */
static void add_1000(void)
{
	uint32_t sum = 0, one = 1;

	for (int i = 0; i < 10; i++)
		RUN(HUNDRED("addl %1, %0\n\t") : "+r"(sum) : "r"(one) : "cc");
}

unsigned int td_step_ports(struct td_ground *ground)
{
	uint32_t a = 3, b = 5, c = 7, d = 9;

	(void)ground;
	for (int i = 0; i < 500; i++)
		RUN(TEN("imull %0, %0\n\timull %1, %1\n\t"
			"imull %2, %2\n\timull %3, %3\n\t")
		    : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
		    :
		    : "cc");
	return 500 * 40;
}

unsigned int td_step_code(struct td_ground *ground)
{
	RUN("call *%0" : : "r"(ground->memory) : "cc", "memory");
	return CODE_LINES;
}

/* The quotient has all of its bits, whatever divisions before have left. */
unsigned int td_step_divide(struct td_ground *ground)
{
	uint32_t a = 0xfffffff1, d = 0, three = 3;

	for (int i = 0; i < 200; i++)
		RUN(TEN("xorl %%edx, %%edx\n\tdivl %2\n\t"
			"orl $0xf0000000, %%eax\n\t")
		    : "+a"(a), "+d"(d)
		    : "r"(three)
		    : "cc");
	ground->sum += a;
	return 200 * 10;
}

/* Of a word; that of another thread may be in the same line (programs.c). */
unsigned int td_step_lock(struct td_ground *ground)
{
	char *word = ground->memory + ground->at;

	for (int i = 0; i < 100; i++)
		RUN(TEN("lock addl $1, (%0)\n\t")
		    :
		    : "r"(word)
		    : "cc", "memory");
	return 100 * 10;
}

/* What is loaded is stored a page before the place of the next load. */
unsigned int td_step_alias(struct td_ground *ground)
{
	uint32_t kept = 1;

	for (int i = 0; i < 200; i++)
		RUN(TEN("movl %0, 64(%1)\n\t"
			"movl 4160(%1), %0\n\t")
		    : "+r"(kept)
		    : "r"(ground->memory)
		    : "memory");
	return 200 * 10;
}

unsigned int td_step_spin(struct td_ground *ground)
{
	(void)ground;
	for (int i = 0; i < 100; i++)
		RUN("pause" : : : "memory");
	return 100;
}

double td_step_ghz(void)
{
	uint64_t least = UINT64_MAX;

	for (int try = 0; try < 50; try++) {
		uint64_t begin_ns = td_now_ns(), took_ns;

		for (int i = 0; i < 100; i++)
			add_1000();
		took_ns = td_now_ns() - begin_ns;
		least = took_ns && took_ns < least ? took_ns : least;
	}
	return 100 * 1000 / (double)least;
}
