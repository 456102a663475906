/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of client processors outside of the cores, in MSRs: boxes, each
 * with select registers and counters.  They go by the clock of the machine, which
 * no halt stops.  Where the registers are: arch/x86/events/intel/uncore_snb.c.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"

enum {
	CBOXES = 0x396, /* a register that says how many there are */
	COUNTERS = 2,   /* of a box */
	ENABLED = 1 << 22,
	CLOCK_RATE = 1536, /* in 1024 ns */
};

struct boxes {
	uint32_t select, counter, step; /* registers; to the next box's */
	int nr;
	bool clock; /* one counter, of cycles */
};

static const struct boxes tgl[] = {
	{ 0x700, 0x702, 8, 2, false },    /* cbox */
	{ 0x3b2, 0x3b0, 0x10, 1, false }, /* arb */
	{ 0x394, 0x395, 0, 1, true },
	{ 0 },
};

static const struct boxes adl[] = {
	{ 0x2000, 0x2002, 8, 2, false }, /* cbox */
	{ 0x2fd0, 0x2fd2, 8, 2, false }, /* arb */
	{ 0x2fde, 0x2fdf, 0, 1, true },
	{ 0 },
};

static const struct boxes mtl[] = {
	{ 0x2442, 0x2448, 0x10, 2, false }, /* cbox */
	{ 0x2012, 0x2018, 0x10, 2, false }, /* hac_arb */
	{ 0x2412, 0x2418, 0x10, 2, false }, /* arb */
	{ 0x2042, 0x2048, 0x10, 2, false }, /* hac_cbox */
	{ 0x2402, 0x2408, 0, 1, true },     /* cncu */
	{ 0x2002, 0x2008, 0, 1, true },     /* sncu */
	{ 0 },
};

static const struct boxes *boxes_of_model(void)
{
	const char *name = tdemu_settings()->uncore;

	if (!name || !strcmp(name, "spr"))
		return NULL;
	if (!strcmp(name, "mtl"))
		return mtl;
	return strcmp(name, "adl") ? tgl : adl;
}

/* A counter, by the number of its register. */
static struct uncore_counter {
	uint64_t select, value;
	int64_t since; /* virtual ns: when it had the value, if it is enabled */
} counters[0x3000];

static QemuMutex lock;

static void __attribute__((constructor)) init(void)
{
	qemu_mutex_init(&lock);
}

/* The counter's register that a register belongs to; 0: none. */
static uint32_t counter_of(const struct boxes *boxes, uint32_t msr)
{
	for (int i = 0; i < boxes->nr; i++) {
		uint32_t select = boxes->select + i * boxes->step,
			 counter = boxes->counter + i * boxes->step,
			 nr = boxes->clock ? 1 : COUNTERS;

		if (msr >= select && msr < select + nr)
			return counter + msr - select;
		if (msr >= counter && msr < counter + nr)
			return msr;
	}
	return 0;
}

static const struct boxes *find(uint32_t msr, uint32_t *counter)
{
	const struct boxes *boxes = boxes_of_model();

	for (; boxes && boxes->nr; boxes++) {
		*counter = counter_of(boxes, msr);
		if (*counter)
			return boxes;
	}
	return NULL;
}

/* Events in 1024 ns: as the cores' other events. */
static uint64_t rate(const struct boxes *boxes, uint64_t select)
{
	if (boxes->clock)
		return CLOCK_RATE;
	return 16 + ((select & 0xff) * 131 + (select >> 8 & 0xff) * 17) % 1024;
}

static uint64_t counted(const struct boxes *boxes, const struct uncore_counter *counter)
{
	int64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) - counter->since;
	uint64_t more = rate(boxes, counter->select) * (uint64_t)ns / 1024;

	if (!(counter->select & ENABLED))
		more = 0;
	return (counter->value + more) & TDEMU_COUNTER_MASK;
}

bool tdemu_uncore_rdmsr(uint32_t msr, uint64_t *value)
{
	uint32_t at;
	const struct boxes *boxes = find(msr, &at);

	if (msr == CBOXES && boxes_of_model()) {
		*value = 2;
		return true;
	}
	if (!boxes)
		return false;
	qemu_mutex_lock(&lock);
	*value = msr == at ? counted(boxes, &counters[at]) : counters[at].select;
	qemu_mutex_unlock(&lock);
	return true;
}

bool tdemu_uncore_wrmsr(uint32_t msr, uint64_t value)
{
	uint32_t at;
	const struct boxes *boxes = find(msr, &at);
	struct uncore_counter *counter;

	if (!boxes)
		return false;
	counter = &counters[at];
	qemu_mutex_lock(&lock);
	counter->value = msr == at ? value : counted(boxes, counter);
	if (msr != at)
		counter->select = value;
	counter->since = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	qemu_mutex_unlock(&lock);
	return true;
}
