/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The energy status registers of a package (SDM volume 3, RAPL).  Their power
 * is constant, by the clock of the machine, which no halt stops; package N has
 * N + 1 times the first one's.  Where packages have dies, each of these is one.
 */
#include "qemu/osdep.h"

#include <math.h>

#include "cpu.h"
#include "pmu.h"
#include "qemu/timer.h"

enum {
	POWER_UNIT = 0x606,
	UNIT = 14, /* 2^-14 J */
	/* where they begin: they wrap after 1024 J, as they do some day */
	BEGIN = UINT32_MAX - (1024 << UNIT),
};

/* In the order of the settings. */
static const uint32_t registers[TDEMU_DOMAINS] = {
	0x611, /* the package */
	0x639, /* its cores */
	0x619, /* DRAM */
	0x641, /* the graphics */
	0x64d, /* the platform */
};

static uint32_t energy(CPUX86State *env, int domain)
{
	const struct tdemu_settings *settings = tdemu_settings();
	int unit = domain == TDEMU_DRAM && settings->dram_unit ? settings->dram_unit : UNIT;
	double joules = settings->watts[domain] * (tdemu_die(env) + 1) *
			qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / 1e9;

	return (uint32_t)(BEGIN + (uint64_t)ldexp(joules, unit));
}

bool tdemu_rapl_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
	const struct tdemu_settings *settings = tdemu_settings();

	if (msr == POWER_UNIT && settings->watts[0] > 0) {
		*value = UNIT << 8;
		return true;
	}
	for (int i = 0; i < TDEMU_DOMAINS; i++) {
		if (msr != registers[i] || settings->watts[i] <= 0)
			continue;
		*value = energy(env, i);
		return true;
	}
	return false;
}
