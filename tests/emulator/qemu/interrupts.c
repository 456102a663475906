/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overflows.  A timer runs out when the next counter that is to interrupt
 * overflows; its work is done on the CPU's own thread, which delivers the
 * interrupt through the APIC's LVT entry.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "hw/i386/apic.h"
#include "pmu.h"
#include "qemu/timer.h"

enum {
	GAP_NS = 50000, /* an emulator needs some time between interrupts */
	AGAIN_NS = 10000,
	MOST_WAITS = 40,
	DEBUGCTL = 8, /* in extra[] */
};

#define FREEZE_ON_PMI (1ULL << 12)

static int64_t virtual_ns(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static bool interrupts(const struct tdemu_pmu *pmu, int bit)
{
	if (bit < TDEMU_GENERAL)
		return pmu->select[bit] >> 20 & 1;
	return bit >= 32 && pmu->fixed_ctrl >> (4 * (bit - 32) + 3) & 1;
}

static bool counts_kernel(const struct tdemu_pmu *pmu, int bit)
{
	if (bit < TDEMU_GENERAL)
		return pmu->select[bit] >> 17 & 1;
	return bit >= 32 && pmu->fixed_ctrl >> 4 * (bit - 32) & 1;
}

void tdemu_overflow(struct tdemu_pmu *pmu, int bit)
{
	if (tdemu_pebs_takes(pmu, bit)) {
		pmu->records |= 1ULL << bit;
		return;
	}
	pmu->status |= 1ULL << bit;
	pmu->pending |= interrupts(pmu, bit);
}

/* Only user mode's counters have overflowed: the interrupt belongs there. */
static bool is_for_user_mode(const struct tdemu_pmu *pmu)
{
	uint64_t records = tdemu_pebs_due(pmu);

	if (pmu->status & TDEMU_STATUS_TRACE || tdemu_ibs_due(pmu))
		return false;
	for (int bit = 0; bit < 32 + TDEMU_FIXED; bit++) {
		bool now = pmu->status >> bit & 1 && interrupts(pmu, bit);

		if ((now || records >> bit & 1) && counts_kernel(pmu, bit))
			return false;
	}
	return true;
}

/* Something is to be done on the CPU's own thread. */
static bool is_due(const struct tdemu_pmu *pmu)
{
	return pmu->pending || tdemu_pebs_due(pmu) || tdemu_ibs_due(pmu);
}

static bool in_user_mode(const struct tdemu_pmu *pmu)
{
	return (pmu->env->hflags & HF_CPL_MASK) == 3;
}

static void deliver(struct tdemu_pmu *pmu)
{
	pmu->waited = 0;
	pmu->last = pmu->at;
	tdemu_pebs_write(pmu);
	tdemu_ibs_interrupt(pmu);
	pmu->pending |= (pmu->status & TDEMU_STATUS_BUFFER) != 0;
	if (!pmu->pending)
		return;
	if (!apic_deliver_pmi(env_archcpu(pmu->env)->apic_state, !pmu->core->amd))
		return;
	pmu->pending = false;
	if (!pmu->core->amd && pmu->extra[DEBUGCTL] & FREEZE_ON_PMI)
		pmu->status |= TDEMU_STATUS_FROZEN;
}

/* On the CPU's own thread, with the big lock. */
static void interrupt(CPUState *cs, run_on_cpu_data data)
{
	struct tdemu_pmu *pmu = data.host_ptr;

	qatomic_set(&pmu->queued, 0);
	/* as the kernel may be between two reads */
	tdemu_hold_back(pmu);
	tdemu_advance(pmu);
	if (is_due(pmu)) {
		if (is_for_user_mode(pmu) && !in_user_mode(pmu) && pmu->waited++ < MOST_WAITS)
			pmu->last = pmu->at - GAP_NS + AGAIN_NS;
		else
			deliver(pmu);
	}
	if (pmu->halted_at)
		pmu->armed = pmu->armed && pmu->due_at > pmu->at;
	else
		tdemu_changed(pmu);
}

static void expired(void *opaque)
{
	struct tdemu_pmu *pmu = opaque;

	if (!qatomic_xchg(&pmu->queued, 1))
		async_run_on_cpu(env_cpu(pmu->env), interrupt, RUN_ON_CPU_HOST_PTR(pmu));
}

void tdemu_trace_interrupts(struct tdemu_pmu *pmu)
{
	pmu->status |= TDEMU_STATUS_TRACE;
	pmu->pending = true;
	expired(pmu);
}

static void overflows_at(struct tdemu_pmu *pmu, const struct tdemu_counter *counter, uint64_t rate)
{
	unsigned __int128 left = TDEMU_COUNTER_MASK + 1 - counter->value;
	int64_t at;

	if (!rate)
		return;
	at = pmu->at + (int64_t)MIN((left << 32) / rate, INT64_MAX / 2) + 1;
	if (!pmu->armed || at < pmu->due_at)
		pmu->due_at = at;
	pmu->armed = true;
}

static bool leads_to_work(const struct tdemu_pmu *pmu, int bit)
{
	return interrupts(pmu, bit) || tdemu_pebs_takes(pmu, bit);
}

static void find_next(struct tdemu_pmu *pmu)
{
	pmu->armed = is_due(pmu);
	pmu->due_at = pmu->at;
	if (pmu->armed)
		return;
	for (int i = 0; i < TDEMU_GENERAL; i++)
		if (pmu->general[i].on && leads_to_work(pmu, i))
			overflows_at(pmu, &pmu->general[i], tdemu_general_rate(pmu, i, pmu->at));
	for (int i = 0; i < TDEMU_IBS_UNITS; i++)
		if (pmu->ibs[i].counter.on)
			overflows_at(pmu, &pmu->ibs[i].counter, tdemu_ibs_rate(pmu, i));
	for (int i = 0; i < TDEMU_FIXED; i++)
		if (pmu->fixed[i].on && leads_to_work(pmu, 32 + i))
			overflows_at(pmu, &pmu->fixed[i], tdemu_fixed_rate(pmu, i, pmu->at));
}

void tdemu_arm(struct tdemu_pmu *pmu)
{
	find_next(pmu);
	if (!pmu->armed)
		return;
	pmu->due_at = MAX(pmu->due_at, pmu->last + GAP_NS);
	if (!pmu->timer)
		pmu->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, expired, pmu);
	timer_mod_ns(pmu->timer, virtual_ns() + pmu->due_at - pmu->at);
}

void tdemu_arm_again(struct tdemu_pmu *pmu)
{
	int64_t left = pmu->due_at - tdemu_clock(pmu);

	if (pmu->armed)
		timer_mod_ns(pmu->timer, virtual_ns() + MAX(left, 0));
}
