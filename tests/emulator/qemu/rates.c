/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast a counter counts: its event, in the scenario that runs. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "qemu/timer.h"

enum {
	OFFCORE_RSP_0,
	OFFCORE_RSP_1,
	LDLAT,
	FRONTEND
};

static const uint32_t extra_msrs[TDEMU_EXTRAS] = {
	0x1a6, 0x1a7, 0x3f6, 0x3f7,        /* those of the enum */
	0x3f1, 0x3f2, 0x1c8, 0x600, 0x1d9, /* PEBS, LBR, DS_AREA, DEBUGCTL */
};

/* Events that an extra register tells apart. */
static const struct {
	uint16_t select, same_as;
	uint8_t extra;
} extra_events[] = {
	{ 0x01b7, 0x01b7, OFFCORE_RSP_0 }, { 0x01bb, 0x01b7, OFFCORE_RSP_1 },
	{ 0x012a, 0x012a, OFFCORE_RSP_0 }, { 0x012b, 0x012a, OFFCORE_RSP_1 },
	{ 0x02b7, 0x01b7, OFFCORE_RSP_1 }, /* Atom */
	{ 0x01cd, 0x01cd, LDLAT },         { 0x01c6, 0x01c6, FRONTEND },
	{ 0x03c6, 0x03c6, FRONTEND },      { 0x02c6, 0x02c6, FRONTEND },
	{ 0x04c2, 0x04c2, FRONTEND },      { 0x40ad, 0x40ad, FRONTEND },
	{ 0x05d0, 0x05d0, LDLAT }, /* Atom */
};

/* event, umask, edge, inv, cmask, eq, umask2; on AMD event 8-11, not the last two */
#define EVENT_BITS     0x0000ff10ff84ffffULL
#define AMD_EVENT_BITS 0x0000000fff84ffffULL

enum {
	USER = 1,
	KERNEL = 2
};

enum {
	UOP_DROPPING = 0x10ad,
	INST_RETIRED = 0xc0
};

int tdemu_extra_index(uint32_t msr)
{
	for (int i = 0; i < TDEMU_EXTRAS; i++)
		if (extra_msrs[i] == msr)
			return i;
	return -1;
}

static void take_turns(const struct tdemu_pmu *pmu, double fields[TDEMU_FIELDS])
{
	const struct tdemu_settings *settings = tdemu_settings();
	int64_t ms = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / 1000000;
	int which = settings->phase_ms ? ms / settings->phase_ms & 1 : 0;
	double moved;

	memcpy(fields, settings->fields[which], sizeof(settings->fields[0]));
	moved = MIN(settings->skew * pmu->cpu / 255., fields[TDEMU_RETIRING]);
	fields[TDEMU_RETIRING] -= moved;
	fields[TDEMU_BE_BOUND] += moved;
}

static const struct tdemu_truth *truth_of(const struct tdemu_pmu *pmu)
{
	return &pmu->scenario->kinds[tdemu_kind(pmu->cpu)];
}

void tdemu_fields(const struct tdemu_pmu *pmu, double fields[TDEMU_FIELDS])
{
	const struct tdemu_scenario *scenario = pmu->scenario;

	if (scenario->phased)
		take_turns(pmu, fields);
	else if (scenario->made_up)
		memcpy(fields, scenario->fields, sizeof(scenario->fields));
	else
		memcpy(fields, truth_of(pmu)->fields, sizeof(scenario->fields));
}

double tdemu_ghz(const struct tdemu_pmu *pmu)
{
	const struct tdemu_truth *truth = truth_of(pmu);

	return truth->named ? truth->ghz : pmu->core->cycles / 1024.;
}

/* A quarter of everything happens in the kernel. */
static uint64_t in_mode(uint64_t rate, int mode)
{
	if (mode == USER)
		return rate * 3 / 4;
	if (mode == KERNEL)
		return rate / 4;
	return rate;
}

static uint64_t per_ns(double a_cycle, double ghz)
{
	return (uint64_t)(a_cycle * ghz * 4294967296.);
}

/* How the truth file names a counter's event: *extra is set, too. */
static uint64_t event_of(const struct tdemu_pmu *pmu, uint64_t select, uint64_t *extra)
{
	uint64_t config = select & EVENT_BITS;

	*extra = TDEMU_NO_EXTRA;
	if (pmu->core->amd)
		return select & AMD_EVENT_BITS;
	for (size_t i = 0; i < ARRAY_SIZE(extra_events); i++) {
		if (extra_events[i].select != (config & 0xffff))
			continue;
		*extra = pmu->extra[extra_events[i].extra];
		return (config & ~0xffffULL) | extra_events[i].same_as;
	}
	return config;
}

static double true_general(const struct tdemu_pmu *pmu, uint64_t select)
{
	uint64_t extra, config = event_of(pmu, select, &extra);

	return tdemu_truth_rate(truth_of(pmu), config, extra);
}

unsigned int tdemu_latency(const struct tdemu_pmu *pmu, int nr)
{
	uint64_t extra, config = event_of(pmu, pmu->select[nr], &extra);

	return tdemu_truth_latency(truth_of(pmu), config, extra);
}

static double fixed_rate(const struct tdemu_pmu *pmu, const struct tdemu_truth *truth, int nr)
{
	unsigned int width = pmu->core->width;

	if (truth->named && truth->fixed[nr] >= 0)
		return truth->fixed[nr];
	switch (nr) {
	case 1:
		return 1;
	case 2:
		return truth->ghz > 0 ? 2 / truth->ghz : 0;
	case 3:
		return width;
	case 4:
		return width * truth->fields[TDEMU_BAD_SPEC];
	case 5:
		return width * truth->fields[TDEMU_FE_BOUND];
	case 6:
		return width * truth->fields[TDEMU_RETIRING];
	}
	return 0;
}

/* Cycles and slots keep step with each other. */
static bool is_clock(const struct tdemu_pmu *pmu, uint64_t select)
{
	return (select & 0xff) == (pmu->core->amd ? 0x76 : 0x3c);
}

double tdemu_walk(const struct tdemu_pmu *pmu, uint64_t config, int64_t at)
{
	if (!tdemu_settings()->noise_percent || is_clock(pmu, config))
		return 1;
	return tdemu_noise(pmu, config, at);
}

/* Instructions walk as those that a general counter counts. */
static double walk_of_fixed(const struct tdemu_pmu *pmu, int nr, int64_t at)
{
	bool clock = nr >= 1 && nr <= 3;

	if (!tdemu_settings()->noise_percent || clock)
		return 1;
	return tdemu_noise(pmu, nr ? (uint64_t)nr << 56 : INST_RETIRED, at);
}

double tdemu_true_fixed(const struct tdemu_pmu *pmu, const struct tdemu_truth *truth, int nr,
			int64_t at)
{
	return fixed_rate(pmu, truth, nr) * walk_of_fixed(pmu, nr, at);
}

static uint64_t times(uint64_t rate, double factor)
{
	return factor == 1 ? rate : (uint64_t)((double)rate * factor);
}

static uint64_t made_up(const struct tdemu_pmu *pmu, uint64_t select)
{
	double fields[TDEMU_FIELDS];

	/* Silicon drops 0.02 to 0.2 % of its slots, which is a part of its noise. */
	if (tdemu_settings()->noise_percent && pmu->core->metrics &&
	    (select & 0xffff) == UOP_DROPPING)
		return pmu->core->cycles * pmu->core->width / 1000;
	tdemu_fields(pmu, fields);
	return tdemu_made_up_rate(pmu->core, select, fields);
}

/* As by KVM_SET_PMU_EVENT_FILTER. */
static bool is_filtered(uint64_t select)
{
	const struct tdemu_settings *settings = tdemu_settings();

	for (int i = 0; i < settings->nr_filtered; i++)
		if ((select & 0xffff) == settings->filtered[i])
			return true;
	return false;
}

uint64_t tdemu_event_rate(const struct tdemu_pmu *pmu, uint64_t select, int64_t at)
{
	uint64_t rate, extra, config = event_of(pmu, select, &extra);
	int mode = (select >> 16 & 1 ? USER : 0) | (select >> 17 & 1 ? KERNEL : 0);

	if (is_filtered(select))
		return 0;
	if (!pmu->scenario->made_up) {
		rate = per_ns(true_general(pmu, select), truth_of(pmu)->ghz);
		rate = in_mode(rate, mode);
	} else {
		rate = in_mode(made_up(pmu, select), mode) << 22;
	}
	return times(rate, tdemu_walk(pmu, config, at));
}

uint64_t tdemu_general_rate(const struct tdemu_pmu *pmu, int nr, int64_t at)
{
	return tdemu_event_rate(pmu, pmu->select[nr], at);
}

uint64_t tdemu_fixed_rate(const struct tdemu_pmu *pmu, int nr, int64_t at)
{
	uint64_t ctrl = pmu->fixed_ctrl >> 4 * nr, rate;
	int mode = (ctrl & 2 ? USER : 0) | (ctrl & 1 ? KERNEL : 0);
	double fields[TDEMU_FIELDS];

	if (!pmu->scenario->made_up) {
		rate = per_ns(fixed_rate(pmu, truth_of(pmu), nr), truth_of(pmu)->ghz);
		rate = in_mode(rate, mode);
	} else {
		tdemu_fields(pmu, fields);
		rate = tdemu_made_up_fixed(pmu->core, nr, fields);
		rate = in_mode(rate, mode) << 22;
	}
	return times(rate, walk_of_fixed(pmu, nr, at));
}
