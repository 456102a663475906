// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: cc -O2 -g -finstrument-functions -o slow slow.c tests/emulator/slow.c
 *
 * On the emulated machine counters do not know what a program does.  This chooses
 * the scenario that each function of the programs in tdstat-tutorial(7) would have
 * on silicon, more or less.
 */
#include <stdint.h>
#include <string.h>

enum {
	LEAF = 0x54444d43,
	BY_HASH = 3
}; /* qemu/threads.c */

void walk(long steps);
void split(long steps);
void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

#define UNSEEN __attribute__((no_instrument_function))

static int is_fast;

/* FNV-1a: the emulator knows a scenario by the hash of its name. */
UNSEEN static void choose(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;
	uint32_t a = LEAF, c = BY_HASH, d;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 0x100000001b3;
	__asm__ volatile("cpuid" : "+a"(a), "+b"(hash), "+c"(c), "=d"(d));
}

UNSEEN void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	if (function == (void *)walk)
		choose(is_fast ? "l2_bound" : "dram_latency");
	else if (function == (void *)split)
		choose(is_fast ? "balanced" : "mispredict");
}

UNSEEN void __cyg_profile_func_exit(void *function, void *site)
{
	(void)function;
	(void)site;
}

/*
 * Filling the list takes a fiftieth of the time on silicon, and a tenth here: it has
 * the scenario of what comes next.  The C library hands a constructor what main() gets.
 */
UNSEEN __attribute__((constructor)) static void begin(int argc, char **argv)
{
	int splits = argc > 1 && strcmp(argv[1], "split") == 0;

	is_fast = strstr(argv[0], "fast") != NULL;
	__cyg_profile_func_enter((void *)(splits ? split : walk), NULL);
}
