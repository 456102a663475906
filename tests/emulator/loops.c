// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: LD_PRELOAD=loops.so tdstat doctor
 *
 * On the emulated machine counters do not know what a program does.  tdstat names
 * its thread while a loop of the self-test runs; this takes the place of the
 * function that it does so with, and chooses the scenario of the truth file that
 * counts what silicon would.  A loop looks at the clock between its steps: meanwhile the
 * CPU works on, and the host need not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
	LEAF = 0x54444d43,
	FORGET = 0,
	BY_HASH = 3,
	WORK_FOR = 7,
}; /* qemu/threads.c */

#define WORK_NS 1200000 /* a millisecond of which the host waits */

static const struct {
	const char *thread, *scenario;
} loops[] = {
	{ "td-retiring", "retiring_vector" },
	{ "td-mispredict", "mispredict" },
	{ "td-chase", "dram_latency" },
	{ "td-streams", "dram_bandwidth" },
	{ "td-ports", "ports" },
	{ "td-icache", "icache" },
	{ "td-divide", "divider" },
	{ "td-sharing", "store_bound" },
	{ "td-dtlb", "page_walks" },
	{ "td-stores", "store_bound" },
	/* waits for lines, of whichever kind */
	{ "td-locks", "l2_bound" },
	{ "td-aliasing", "l2_bound" },
	/* the truth file has no scenario for PAUSE below core_bound */
	{ "td-spin", "ports" },
};

static bool one_alone;
static _Thread_local bool works;

/* FNV-1a: the emulator knows a scenario by the hash of its name. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 0x100000001b3;
	return hash;
}

static void tell(uint32_t what, uint64_t of)
{
	uint32_t a = LEAF, d;

	__asm__ volatile("cpuid" : "+a"(a), "+b"(of), "+c"(what), "=d"(d));
}

static void choose(const char *thread)
{
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (strcmp(loops[i].thread, thread) == 0) {
			tell(BY_HASH, hash_of(loops[i].scenario));
			works = true;
		}
	}
}

/* Only of this thread, like tdstat. */
int pthread_setname_np(pthread_t thread, const char *name)
{
	(void)thread;
	if (!one_alone) {
		tell(FORGET, 0);
		works = false;
		choose(name);
	}
	return prctl(PR_SET_NAME, name);
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	static __typeof__(clock_gettime) *look;

	if (!look)
		look = (__typeof__(look))dlsym(RTLD_NEXT, "clock_gettime");
	if (works)
		tell(WORK_FOR, WORK_NS);
	return look(id, now);
}

/*
 * With "--program chase:500" there is one loop, which perf counts from the start of the
 * process to its end.  On silicon that is the loop, but for a thousandth; where the
 * emulator is slow, a part of it that differs with each run.
 */
__attribute__((constructor)) static void begin(int argc, char **argv)
{
	char thread[32] = "td-";

	for (int i = 1; i + 1 < argc; i++) {
		const char *colon = strchr(argv[i + 1], ':');

		if (strcmp(argv[i], "--program") != 0 || !colon || colon - argv[i + 1] > 16)
			continue;
		memcpy(thread + 3, argv[i + 1], (size_t)(colon - argv[i + 1]));
		choose(thread);
		one_alone = true;
	}
}
