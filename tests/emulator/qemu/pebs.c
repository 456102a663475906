/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PEBS of format 4: instead of interrupting, a counter that overflows leaves a
 * record in the buffer that the kernel has set up (the DS area), and an
 * interrupt comes when that is full up to its threshold.  The instruction
 * pointer is that of the translation block that the emulator was at.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"

enum {
	ENABLE = 4,
	DATA_CFG = 5,
	DS_AREA = 7
}; /* in extra[] */

/* Where they are in the DS area. */
enum {
	INDEX = 0x28,
	MAXIMUM = 0x30,
	THRESHOLD = 0x38,
	RESET = 0x40
};

/* Groups of a record, as DATA_CFG asks for them (PEBS_DATACFG_ in asm/perf_event.h). */
enum {
	MEMORY = 1,
	REGISTERS = 2,
	VECTORS = 4,
	BRANCHES = 8,
	GROUPS = 15
};

/* One less than the number of branches. */
#define MOST_BRANCHES_SHIFT 24
#define MOST_BRANCHES       (255ULL << MOST_BRANCHES_SHIFT)

struct record {
	uint64_t words[4 + 4 + 18 + 32 + 3 * TDEMU_BRANCHES];
	uint16_t nr;
};

uint64_t tdemu_pebs_due(const struct tdemu_pmu *pmu)
{
	return pmu->records & pmu->extra[ENABLE];
}

bool tdemu_pebs_takes(const struct tdemu_pmu *pmu, int bit)
{
	return tdemu_settings()->pebs && pmu->extra[ENABLE] >> bit & 1;
}

static void put(struct record *record, uint64_t word)
{
	record->words[record->nr++] = word;
}

static void put_registers(struct record *record, const CPUX86State *env)
{
	static const uint8_t order[] = { R_EAX, R_ECX, R_EDX, R_EBX, R_ESP, R_EBP, R_ESI, R_EDI };

	put(record, env->eflags | 2);
	put(record, env->eip);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		put(record, env->regs[order[i]]);
	for (int i = 8; i < 16; i++)
		put(record, env->regs[i]);
}

/* From the instruction before it. */
static unsigned int latency_of(const struct tdemu_pmu *pmu, int bit)
{
	return bit < TDEMU_GENERAL ? tdemu_latency(pmu, bit) : TDEMU_LATENCY;
}

/* What a record has.  Branches, and how many, only where there are any. */
static uint64_t groups_of(const struct tdemu_pmu *pmu)
{
	uint64_t config = pmu->extra[DATA_CFG];
	bool branches = tdemu_settings()->lbr && config & BRANCHES;

	return config & (branches ? GROUPS | MOST_BRANCHES : GROUPS & ~BRANCHES);
}

/* The last one first. */
static void put_branches(struct record *record, const struct tdemu_pmu *pmu, uint64_t most)
{
	for (unsigned int i = 0; i <= most && i < TDEMU_BRANCHES; i++) {
		const uint64_t *branch = pmu->branches[(pmu->newest + i) % TDEMU_BRANCHES];

		for (int word = 0; word < 3; word++)
			put(record, branch[word]);
	}
}

static void fill(struct record *record, struct tdemu_pmu *pmu, int bit)
{
	uint64_t groups = groups_of(pmu);
	bool timed = tdemu_settings()->pebs_timing;
	uint64_t latency = timed ? latency_of(pmu, bit) : 0;

	put(record, groups | latency << 32);
	put(record, pmu->env->eip + pmu->env->segs[R_CS].base);
	put(record, 1ULL << bit);
	put(record, cpu_get_tsc(pmu->env));
	if (groups & MEMORY) {
		put(record, pmu->env->regs[R_ESP]);
		put(record, 0); /* where it came from: unknown */
		put(record, TDEMU_LATENCY);
		put(record, 0);
	}
	if (groups & REGISTERS)
		put_registers(record, pmu->env);
	for (int i = 0; groups & VECTORS && i < 32; i++)
		put(record, 0);
	if (groups & BRANCHES)
		put_branches(record, pmu, groups >> MOST_BRANCHES_SHIFT);
	record->words[0] |= (uint64_t)record->nr * 8 << 48;
}

static bool copy(struct tdemu_pmu *pmu, uint64_t at, void *data, size_t size, bool to_guest)
{
	return !cpu_memory_rw_debug(env_cpu(pmu->env), at, data, size, to_guest);
}

static uint64_t read_ds(struct tdemu_pmu *pmu, int offset)
{
	uint64_t value = 0;

	copy(pmu, pmu->extra[DS_AREA] + (uint64_t)offset, &value, sizeof(value), false);
	return value;
}

/* The counter goes on from its reset value, plus what it counted meanwhile. */
static void reload(struct tdemu_pmu *pmu, int bit)
{
	struct tdemu_counter *counter = bit < 32 ? &pmu->general[bit] : &pmu->fixed[bit - 32];
	int slot = bit < 32 ? bit : 8 + bit - 32;
	uint64_t reset = read_ds(pmu, RESET + 8 * slot) & TDEMU_COUNTER_MASK;

	if (reset && counter->value >= TDEMU_COUNTER_MASK + 1 - reset)
		counter->value = 0;
	counter->value = (counter->value + reset) & TDEMU_COUNTER_MASK;
}

/* False: there is no room, or no buffer. */
static bool append(struct tdemu_pmu *pmu, struct record *record)
{
	uint64_t index = read_ds(pmu, INDEX), size = record->nr * 8;

	if (!index || index + size > read_ds(pmu, MAXIMUM) ||
	    !copy(pmu, index, record->words, size, true))
		return false;
	index += size;
	copy(pmu, pmu->extra[DS_AREA] + INDEX, &index, sizeof(index), true);
	return true;
}

/* A record for each counter, as each event has a latency of its own. */
void tdemu_pebs_write(struct tdemu_pmu *pmu)
{
	uint64_t counters = tdemu_pebs_due(pmu);

	if (!counters)
		return;
	for (int bit = 0; bit < 32 + TDEMU_FIXED; bit++) {
		struct record record = { .nr = 0 };

		if (!(counters >> bit & 1))
			continue;
		fill(&record, pmu, bit);
		append(pmu, &record);
		reload(pmu, bit);
	}
	pmu->records &= ~counters;
	if (read_ds(pmu, INDEX) >= read_ds(pmu, THRESHOLD))
		pmu->status |= TDEMU_STATUS_BUFFER;
}
