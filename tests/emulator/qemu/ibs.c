/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AMD's instruction-based sampling (IBS).  Each CPU has two units: one counts fetches,
 * the other one dispatched operations or cycles.  When a unit has counted what its
 * control register says, it leaves what became of one fetch or operation in its
 * registers, sets a bit there, interrupts through an extended entry of the APIC's
 * vector table, and waits for the kernel.
 *
 * What becomes of it is drawn by chance, with the rates of the scenario: of so many
 * operations so many are loads, and of these so many miss.  The instruction pointer is
 * that of the translation block that the emulator was at.
 *
 * Registers: PPR of family 19h model 11h, volume 1, MSRC001_1030 to 103C.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "hw/i386/apic.h"
#include "pmu.h"

enum {
	FETCH_CTL = 0xc0011030,
	FETCH_ADDRESS,
	FETCH_PHYSICAL,
	OP_CTL,
	OP_RIP,
	OP_DATA,
	OP_DATA2,
	OP_DATA3,
	OP_ADDRESS,
	OP_PHYSICAL,
	IBS_CTL,
	BRANCH_TARGET,
	FETCH_EXTENDED,
};

enum {
	LVT_VALID = 1 << 8, /* of IBS_CTL, which else has the entry: 0 */
	L2_TLB_CYCLES = 7,
	WALK_CYCLES = 40,
	CYCLES_BEYOND = 20, /* of an operation, beside its wait */
	MOST_LATE = 8,      /* periods that may be behind */
	LEAST_PERIOD = 16,
};

/* What CPUID tells: all but OpData4; of Zen 5 that latencies can be filtered, too. */
#define FEATURES      0x0bff
#define FEATURE_LDLAT (1u << 12)

/* Bits of the control registers. */
#define FETCH_ENABLE  (1ULL << 48)
#define FETCH_VALID   (1ULL << 49)
#define FETCH_DONE    (1ULL << 50)
#define FETCH_IC_MISS (1ULL << 51)
#define FETCH_PHYS    (1ULL << 52)
#define FETCH_L1_TLB  (1ULL << 55)
#define FETCH_L2_TLB  (1ULL << 56)
#define FETCH_RANDOM  (1ULL << 57)
#define FETCH_L2_MISS (1ULL << 58)
#define FETCH_L3_ONLY (1ULL << 59)
#define FETCH_OC_MISS (1ULL << 60)
#define FETCH_L3_MISS (1ULL << 61)
#define FETCH_COUNT   0xffff0000ULL

#define OP_L3_ONLY   (1ULL << 16)
#define OP_ENABLE    (1ULL << 17)
#define OP_VALID     (1ULL << 18)
#define OP_BY_OPS    (1ULL << 19)
#define OP_MAX_EXT   (0x7fULL << 20)
#define OP_COUNT     (0x7ffffffULL << 32)
#define OP_LATENCY   (1ULL << 63)
#define OP_THRESHOLD 59 /* 4 bits: latencies of 128 cycles, and so on */

/* Bits of the other registers. */
#define BRANCH_TAKEN  (1ULL << 35)
#define BRANCH_MISSED (1ULL << 36)
#define BRANCH        (1ULL << 37)
#define REMOTE        (1ULL << 4)
#define NOT_MODIFIED  (1ULL << 5)
#define LOAD          (1ULL << 0)
#define STORE         (1ULL << 1)
#define L1_TLB_MISS   (1ULL << 2)
#define L2_TLB_MISS   (1ULL << 3)
#define MISS          (1ULL << 7)
#define ADDRESSES     (3ULL << 17)
#define L2_MISS       (1ULL << 20)
#define EIGHT_BYTES   (4ULL << 22)

/* Events, as the truth file names them. */
#define OPS            0x7aaULL
#define CYCLES         0x76ULL
#define LOADS          0x129ULL
#define STORES         0x229ULL
#define LOAD_STORES    0x429ULL
#define DATA_WAITS     0x5fULL /* misses that wait, in each cycle */
#define DATA_L1_TLB    0xff45ULL
#define DATA_L2_TLB    0xf045ULL
#define BRANCHES       0xc2ULL
#define BRANCHES_MISS  0xc3ULL
#define BRANCHES_TAKEN 0xc4ULL
#define RETIRED        0xc1ULL
#define FETCHES        0x20000078fULL
#define OP_CACHE_MISS  0x20000048fULL
#define IC_MISS        0x10000188eULL
#define IC_OF_L2       0x764ULL
#define IC_MISS_L2     0x164ULL
#define CODE_L2_TLB    0x84ULL /* it has what the first one has not */
#define CODE_WALKS     0xf85ULL
#define FROM_L3        0x243ULL
#define FROM_DRAM      0x843ULL

/* Where a load that missed had its data from, and usual latencies in cycles. */
static const struct {
	uint64_t event;
	uint64_t data2, data3;
	unsigned int cycles;
} sources[] = {
	{ 0x143, 0, MISS, 14 },
	{ FROM_L3, 1 | NOT_MODIFIED, MISS | L2_MISS, 50 },
	{ 0x443, 2 | NOT_MODIFIED, MISS | L2_MISS, 150 },
	{ FROM_DRAM, 3, MISS | L2_MISS, 300 },
	{ 0x1043, 5 | NOT_MODIFIED, MISS | L2_MISS, 350 },
	{ 0x4043, 3 | REMOTE, MISS | L2_MISS, 500 },
};

static double rate(const struct tdemu_pmu *pmu, uint64_t event)
{
	uint64_t in_both_modes = 3ULL << 16;

	return (double)tdemu_event_rate(pmu, event | in_both_modes, pmu->at);
}

static bool by_chance(double part, double of)
{
	return g_random_double() * of < part;
}

static unsigned int cycles(double nr)
{
	return (unsigned int)MIN(nr, 0xffff);
}

/* --- counting -------------------------------------------------------------- */

/*
 * What a maximum of 0 does on silicon is not known here.  Linux 6.12 writes one after late
 * samples, to get more of them: here they come as fast as they can.
 */
static uint64_t period(const struct tdemu_ibs *unit, int nr)
{
	uint64_t ext = nr == TDEMU_IBS_OP ? unit->ctl & OP_MAX_EXT : 0;

	return MAX((unit->ctl & 0xffff) << 4 | ext, LEAST_PERIOD);
}

/*
 * The count that is in the control register: all of the period once the counter has
 * overflowed, however far it went.
 */
static uint64_t counted(const struct tdemu_ibs *unit, int nr)
{
	uint64_t left = (TDEMU_COUNTER_MASK + 1) - unit->counter.value;
	uint64_t count = period(unit, nr);

	if (left <= count)
		count -= left;
	if (nr == TDEMU_IBS_OP)
		return count << 32 & OP_COUNT;
	return count << 12 & FETCH_COUNT;
}

/*
 * The counter overflows at the period, as those of events do.  On silicon the interrupt
 * is then at once; where it was late, the next one comes sooner, so that each function
 * has as many samples as it should.
 */
static void restart(struct tdemu_ibs *unit, int nr, uint64_t begun)
{
	uint64_t left = MAX(period(unit, nr), begun + 1) - begun;
	uint64_t sooner = MIN(unit->late, left - 1);

	unit->late -= sooner;
	left -= sooner;
	unit->counter.value = TDEMU_COUNTER_MASK + 1 - left;
	unit->counter.on = true;
}

static void control(struct tdemu_ibs *unit, int nr, uint64_t value)
{
	bool op = nr == TDEMU_IBS_OP;
	uint64_t begun = op ? (value & OP_COUNT) >> 32 : (value & FETCH_COUNT) >> 12;

	unit->ctl = value;
	unit->due = unit->counter.on = false;
	if (!op && value & FETCH_RANDOM)
		begun |= (uint64_t)g_random_int_range(0, 16);
	if (value & (op ? OP_ENABLE : FETCH_ENABLE) && !(value & (op ? OP_VALID : FETCH_VALID)))
		restart(unit, nr, begun);
	else
		unit->late = 0;
}

uint64_t tdemu_ibs_rate(const struct tdemu_pmu *pmu, int nr)
{
	uint64_t event = FETCHES;

	if (nr == TDEMU_IBS_OP)
		event = pmu->ibs[nr].ctl & OP_BY_OPS ? OPS : CYCLES;
	return (uint64_t)rate(pmu, event);
}

void tdemu_ibs_overflow(struct tdemu_pmu *pmu, int nr)
{
	struct tdemu_ibs *unit = &pmu->ibs[nr];

	unit->late = MIN(unit->late + unit->counter.value, MOST_LATE * period(unit, nr));
	unit->counter.on = false;
	unit->due = true;
}

bool tdemu_ibs_due(const struct tdemu_pmu *pmu)
{
	return pmu->ibs[TDEMU_IBS_FETCH].due || pmu->ibs[TDEMU_IBS_OP].due;
}

/* --- an operation ---------------------------------------------------------- */

/* By how much the usual latencies differ from the scenario's. */
static double stretch(const struct tdemu_pmu *pmu)
{
	double usual = 0, true_sum = rate(pmu, DATA_WAITS);

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		usual += rate(pmu, sources[i].event) * sources[i].cycles;
	/* cycles, as rates are by the ns */
	return usual > 0 && true_sum > 0 ? true_sum / usual : 1;
}

static void miss(struct tdemu_pmu *pmu, uint64_t *reg, double loads)
{
	double where = g_random_double() * loads;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		unsigned int latency;

		where -= rate(pmu, sources[i].event);
		if (where >= 0)
			continue;
		latency = cycles(sources[i].cycles * stretch(pmu) + .5);
		reg[OP_DATA2 - OP_CTL] = sources[i].data2;
		reg[OP_DATA3 - OP_CTL] |= sources[i].data3 | (uint64_t)latency << 32;
		reg[OP_DATA - OP_CTL] += (uint64_t)latency << 16;
		return;
	}
}

static void access_memory(struct tdemu_pmu *pmu, uint64_t *reg, double loads, double stores)
{
	uint64_t *data3 = &reg[OP_DATA3 - OP_CTL];
	bool load = by_chance(loads, loads + stores);
	double misses = rate(pmu, DATA_L1_TLB);

	*data3 = (load ? LOAD : STORE) | ADDRESSES | EIGHT_BYTES;
	if (by_chance(misses, loads + stores))
		*data3 |= by_chance(rate(pmu, DATA_L2_TLB), misses)
				  ? L1_TLB_MISS | L2_TLB_MISS | (uint64_t)WALK_CYCLES << 48
				  : L1_TLB_MISS | (uint64_t)L2_TLB_CYCLES << 48;
	if (load)
		miss(pmu, reg, loads);
	reg[OP_ADDRESS - OP_CTL] = pmu->env->regs[R_ESP];
}

static uint64_t branch(const struct tdemu_pmu *pmu)
{
	double all = rate(pmu, BRANCHES);

	if (!by_chance(all, rate(pmu, RETIRED)))
		return 0;
	return BRANCH | (by_chance(rate(pmu, BRANCHES_TAKEN), all) ? BRANCH_TAKEN : 0) |
	       (by_chance(rate(pmu, BRANCHES_MISS), all) ? BRANCH_MISSED : 0);
}

static uint64_t physical(struct tdemu_pmu *pmu, uint64_t address)
{
	hwaddr page = cpu_get_phys_page_debug(env_cpu(pmu->env), address & TARGET_PAGE_MASK);

	return page == (hwaddr)-1 ? 0 : page | (address & ~TARGET_PAGE_MASK);
}

/* False: it is not one of those that the control register asks for. */
static bool take_op(struct tdemu_pmu *pmu, uint64_t *reg)
{
	uint64_t ctl = pmu->ibs[TDEMU_IBS_OP].ctl, data2, data3;
	double loads = rate(pmu, LOADS) + rate(pmu, LOAD_STORES);
	double stores = rate(pmu, STORES);

	reg[OP_RIP - OP_CTL] = pmu->env->eip + pmu->env->segs[R_CS].base;
	reg[OP_DATA - OP_CTL] = 1 | CYCLES_BEYOND << 16;
	if (by_chance(loads + stores, rate(pmu, OPS)))
		access_memory(pmu, reg, loads, stores);
	else
		reg[OP_DATA - OP_CTL] |= branch(pmu);
	reg[OP_PHYSICAL - OP_CTL] = physical(pmu, reg[OP_ADDRESS - OP_CTL]);
	data2 = reg[OP_DATA2 - OP_CTL];
	data3 = reg[OP_DATA3 - OP_CTL];
	if (ctl & OP_L3_ONLY && !(data3 & L2_MISS && (data2 & 7) == 3))
		return false;
	return !(ctl & OP_LATENCY) ||
	       (data3 >> 32 & 0xffff) > 128 * ((ctl >> OP_THRESHOLD & 15) + 1);
}

/* --- a fetch --------------------------------------------------------------- */

static uint64_t translate(const struct tdemu_pmu *pmu, double fetches, unsigned int *latency)
{
	double walks = rate(pmu, CODE_WALKS);
	double misses = walks + rate(pmu, CODE_L2_TLB);

	if (!by_chance(misses, fetches))
		return 0;
	if (!by_chance(walks, misses)) {
		*latency += L2_TLB_CYCLES;
		return FETCH_L1_TLB;
	}
	*latency += WALK_CYCLES;
	return FETCH_L1_TLB | FETCH_L2_TLB;
}

/* Behind the L2 cache no event tells code: it is as for data. */
static uint64_t fill(const struct tdemu_pmu *pmu, unsigned int *latency)
{
	double dram = rate(pmu, FROM_DRAM);

	if (!by_chance(rate(pmu, IC_MISS_L2), rate(pmu, IC_OF_L2))) {
		*latency += 14;
		return FETCH_IC_MISS;
	}
	if (!by_chance(dram, dram + rate(pmu, FROM_L3))) {
		*latency += 50;
		return FETCH_IC_MISS | FETCH_L2_MISS;
	}
	*latency += 300;
	return FETCH_IC_MISS | FETCH_L2_MISS | FETCH_L3_MISS;
}

static bool take_fetch(struct tdemu_pmu *pmu, uint64_t *reg)
{
	double fetches = rate(pmu, FETCHES), missed = rate(pmu, OP_CACHE_MISS);
	uint64_t found = FETCH_DONE | FETCH_PHYS;
	unsigned int latency = 1;
	struct tdemu_ibs *unit = &pmu->ibs[TDEMU_IBS_FETCH];

	reg[FETCH_ADDRESS - FETCH_CTL] = pmu->env->eip + pmu->env->segs[R_CS].base;
	reg[FETCH_PHYSICAL - FETCH_CTL] = physical(pmu, reg[FETCH_ADDRESS - FETCH_CTL]);
	found |= translate(pmu, fetches, &latency);
	reg[FETCH_EXTENDED - FETCH_CTL] = latency - 1;
	if (by_chance(missed, fetches)) {
		found |= FETCH_OC_MISS;
		latency += 3;
		if (by_chance(rate(pmu, IC_MISS), missed))
			found |= fill(pmu, &latency);
	}
	if (unit->ctl & FETCH_L3_ONLY && !(found & FETCH_L3_MISS))
		return false;
	unit->ctl |= found | (uint64_t)latency << 32;
	return true;
}

/* --- the interrupt --------------------------------------------------------- */

static bool take(struct tdemu_pmu *pmu, int nr)
{
	struct tdemu_ibs *unit = &pmu->ibs[nr];
	bool taken;

	if (!unit->due)
		return false;
	unit->due = false;
	memset(unit->reg, 0, sizeof(unit->reg));
	taken = nr == TDEMU_IBS_OP ? take_op(pmu, unit->reg) : take_fetch(pmu, unit->reg);
	if (taken) {
		unit->ctl |= nr == TDEMU_IBS_OP ? OP_VALID : FETCH_VALID;
		return true;
	}
	restart(unit, nr, 0);
	/* no interrupt wakes the CPU: look again when it goes on */
	pmu->armed = true;
	pmu->due_at = pmu->at + 1;
	return false;
}

void tdemu_ibs_interrupt(struct tdemu_pmu *pmu)
{
	bool fetch = take(pmu, TDEMU_IBS_FETCH), op = take(pmu, TDEMU_IBS_OP);

	if (fetch || op)
		apic_deliver_extended(env_archcpu(pmu->env)->apic_state, 0);
}

/* --- registers ------------------------------------------------------------- */

void tdemu_ibs_cpuid(const struct tdemu_pmu *pmu, uint32_t leaf, uint32_t r[4])
{
	bool zen5 = !strcmp(pmu->core->name, "zen5");

	if (!tdemu_settings()->ibs)
		return;
	if (leaf == 0x80000001)
		r[2] |= 1 << 10;
	if (leaf == 0x8000001b) {
		r[0] = FEATURES | (zen5 ? FEATURE_LDLAT : 0);
		r[1] = r[2] = r[3] = 0;
	}
}

/* Where a register is, apart from the control registers; NULL: nowhere. */
static uint64_t *find(struct tdemu_pmu *pmu, uint32_t msr)
{
	uint64_t *fetch = pmu->ibs[TDEMU_IBS_FETCH].reg;

	if (msr == FETCH_ADDRESS || msr == FETCH_PHYSICAL || msr == FETCH_EXTENDED)
		return &fetch[msr - FETCH_CTL];
	if ((msr >= OP_RIP && msr <= OP_PHYSICAL) || msr == BRANCH_TARGET)
		return &pmu->ibs[TDEMU_IBS_OP].reg[msr - OP_CTL];
	return NULL;
}

bool tdemu_ibs_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value)
{
	int nr = msr == OP_CTL ? TDEMU_IBS_OP : TDEMU_IBS_FETCH;
	uint64_t *reg = find(pmu, msr);

	if (!tdemu_settings()->ibs)
		return false;
	tdemu_advance(pmu);
	if (reg)
		*value = *reg;
	else if (msr == IBS_CTL)
		*value = LVT_VALID;
	else if (msr == OP_CTL || msr == FETCH_CTL)
		*value = (pmu->ibs[nr].ctl & ~(nr == TDEMU_IBS_OP ? OP_COUNT : FETCH_COUNT)) |
			 counted(&pmu->ibs[nr], nr);
	else
		return false;
	return true;
}

bool tdemu_ibs_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	int nr = msr == OP_CTL ? TDEMU_IBS_OP : TDEMU_IBS_FETCH;
	uint64_t *reg = find(pmu, msr);

	if (!tdemu_settings()->ibs)
		return false;
	tdemu_advance(pmu);
	if (reg)
		*reg = value;
	else if (msr == OP_CTL || msr == FETCH_CTL)
		control(&pmu->ibs[nr], nr, value);
	else
		return false;
	tdemu_changed(pmu);
	return true;
}
