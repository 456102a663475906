/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rates that walk, when asked for: each event of each CPU has a factor that
 * changes every 10 ms of the CPU's clock and lies around 1, so that a long count
 * is that of the truth and a short one is not.  It depends on nothing but the
 * seed, the CPU, the event and the time, so that a run can be had again.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"

enum {
	STEP_NS = 10000000,
	OCTAVES = 4
};

#define FIELD_ID (0xffULL << 56) /* beside the events' select bits */

int64_t tdemu_noise_until(int64_t at)
{
	if (!tdemu_settings()->noise_percent)
		return INT64_MAX;
	return (at / STEP_NS + 1) * STEP_NS;
}

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* -1 to 1 */
static double random_at(uint64_t where, int64_t step)
{
	uint64_t bits = mix(where ^ mix((uint64_t)step));

	return (double)(bits >> 11) / 4503599627370496. - 1;
}

/*
 * Straight lines between random points that are 1, 4, 16 and 64 steps apart: slow
 * waves below fast ones, like a walk that is drawn back to its middle.
 */
static double walk(uint64_t where, int64_t step)
{
	double sum = 0;

	for (int i = 0; i < OCTAVES; i++) {
		int64_t length = 1LL << 2 * i, from = step / length;
		double part = (double)(step % length) / (double)length;

		where = mix(where);
		sum += random_at(where, from) * (1 - part) + random_at(where, from + 1) * part;
	}
	return sum / OCTAVES;
}

double tdemu_noise(const struct tdemu_pmu *pmu, uint64_t what, int64_t at)
{
	const struct tdemu_settings *settings = tdemu_settings();
	uint64_t where = mix(settings->seed) ^ mix(what + (uint64_t)pmu->cpu);

	return 1 + settings->noise_percent / 100. * walk(where, at / STEP_NS);
}

/* The first four still add up to the same; no part gets larger than its whole. */
void tdemu_noise_fields(const struct tdemu_pmu *pmu, int64_t at, double fields[TDEMU_FIELDS])
{
	double before = 0, after = 0, factor[TDEMU_FIELDS];

	if (!tdemu_settings()->noise_percent)
		return;
	for (int i = 0; i < TDEMU_FIELDS; i++)
		factor[i] = tdemu_noise(pmu, FIELD_ID + (uint64_t)i, at);
	for (int i = 0; i < 4; i++) {
		before += fields[i];
		after += fields[i] * factor[i];
	}
	for (int i = 0; i < 4 && after > 0; i++) {
		double whole = fields[i] * factor[i] * before / after;
		double part = fields[i] > 0 ? fields[i + 4] / fields[i] : 0;

		fields[i] = whole;
		fields[i + 4] = whole * MIN(part * factor[i + 4], 1);
	}
}

/*
 * Of what stands in SLOTS: read again while it stands still, PERF_METRICS is the same,
 * as in silicon.  The kernel reads it once for each event of a task that it stops.
 */
static uint64_t roll(const struct tdemu_pmu *pmu)
{
	return mix(tdemu_settings()->seed ^ mix(pmu->fixed[3].value));
}

int tdemu_noise_excess(const struct tdemu_pmu *pmu)
{
	return tdemu_settings()->noise_percent ? (int)(roll(pmu) % 3) : 0;
}

double tdemu_noise_dither(const struct tdemu_pmu *pmu)
{
	if (!tdemu_settings()->noise_percent)
		return 0.5;
	return (random_at(roll(pmu), 0) + 1) / 2;
}
