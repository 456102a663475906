/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TESTS_MACHINE_SCENARIO_H
#define TD_TESTS_MACHINE_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

/*
 * Select the calling thread's scenario on the emulated machine (tests/emulator/qemu/threads.c);
 * NULL or "": none.  Other machines ignore this leaf of CPUID.
 */
static inline void choose(const char *scenario)
{
	const uint32_t leaf = 0x54444d43, by_hash = 3, forget = 0;
	uint32_t a = leaf, c = scenario && *scenario ? by_hash : forget, d;
	uint64_t hash = 0xcbf29ce484222325;

	for (; scenario && *scenario; scenario++)
		hash = (hash ^ (uint8_t)*scenario) * 0x100000001b3;
	__asm__ volatile("cpuid" : "+a"(a), "+b"(hash), "+c"(c), "=d"(d));
}

#endif
