/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a traced CPU executes.  Each translation block that begins is reported, and
 * a branch is known when the block that it leads to begins (../hooks.patch notes
 * its kind before); interrupts tell of themselves.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "exec/exec-all.h"
#include "pmu.h"
#include "pt.h"

enum {
	FILTER = 1,
	STOP = 2
}; /* what a range is for */

static int use_of(const struct tdemu_pt *pt, int range)
{
	return (int)(pt->ctl >> (32 + 4 * range) & 15);
}

static bool is_in(const struct tdemu_pt *pt, int range, uint64_t ip)
{
	return ip >= pt->ranges[range][0] && ip <= pt->ranges[range][1];
}

/* FilterEn: without a range for it, everything is traced. */
static bool passes(const struct tdemu_pt *pt, uint64_t ip)
{
	bool any = false;

	for (int i = 0; i < TDEMU_PT_RANGES; i++) {
		if (use_of(pt, i) == FILTER && is_in(pt, i, ip))
			return true;
		any |= use_of(pt, i) == FILTER;
	}
	return !any;
}

static bool stops(const struct tdemu_pt *pt, uint64_t ip)
{
	for (int i = 0; i < TDEMU_PT_RANGES; i++)
		if (use_of(pt, i) == STOP && is_in(pt, i, ip))
			return true;
	return false;
}

/* A range begins or ends behind the block's first byte. */
static bool is_cut(const struct tdemu_pt *pt, uint64_t ip, uint32_t size)
{
	for (int i = 0; i < TDEMU_PT_RANGES; i++)
		if (use_of(pt, i) &&
		    (pt->ranges[i][0] - ip - 1 < size - 1 || pt->ranges[i][1] - ip < size - 1))
			return true;
	return false;
}

static void note_call(struct tdemu_pt *pt, uint64_t next)
{
	pt->calls[pt->nr_calls++ % TDEMU_PT_CALLS] = next;
	pt->depth = MIN(pt->depth + 1, TDEMU_PT_CALLS);
}

/* The decoder knows where it returns to, because it saw the call. */
static bool is_compressed(struct tdemu_pt *pt, uint64_t ip)
{
	if (!pt->depth)
		return false;
	pt->depth--;
	return pt->calls[--pt->nr_calls % TDEMU_PT_CALLS] == ip &&
	       !(pt->ctl & TDEMU_PT_NO_RET_COMPRESSION);
}

static void tell_branch(struct tdemu_pmu *pmu, uint32_t branch, uint64_t ip)
{
	struct tdemu_pt *pt = &pmu->pt;
	uint64_t next = pmu->env->tdemu_next;

	/* call +0 only asks where it is */
	if (branch == TDEMU_CALL ? next != ip : branch == TDEMU_CALL_TO)
		note_call(pt, next);
	if (branch == TDEMU_CONDITIONAL)
		tdemu_pt_put_taken(pmu, ip != next);
	else if (branch == TDEMU_RETURN && is_compressed(pt, ip))
		tdemu_pt_put_taken(pmu, true);
	else if (branch >= TDEMU_JUMP_TO)
		tdemu_pt_put_ip(pmu, TDEMU_PT_TIP, ip);
}

static void enter(struct tdemu_pmu *pmu, uint64_t ip)
{
	struct tdemu_pt *pt = &pmu->pt;

	if (pt->ctl & TDEMU_PT_KERNEL)
		tdemu_pt_put_cr3(pmu);
	tdemu_pt_put_mode(pmu);
	tdemu_pt_put_ip(pmu, TDEMU_PT_PGE, ip);
	pt->enabled = true;
	pt->depth = 0;
}

void tdemu_pt_leave(struct tdemu_pmu *pmu)
{
	if (!pmu->pt.enabled)
		return;
	tdemu_pt_put_no_ip(pmu, TDEMU_PT_PGD);
	pmu->pt.enabled = false;
}

static void leave_to(struct tdemu_pmu *pmu, uint64_t ip)
{
	tdemu_pt_put_ip(pmu, TDEMU_PT_PGD, ip);
	pmu->pt.enabled = false;
}

static void stop(struct tdemu_pmu *pmu)
{
	static const uint8_t packet[] = { 0x02, 0x83 };

	tdemu_pt_put(pmu, packet, sizeof(packet));
	tdemu_pt_flush(pmu);
	pmu->pt.status |= TDEMU_PT_STOPPED;
	tdemu_pt_changed(pmu);
}

static void go_on(struct tdemu_pmu *pmu, uint32_t branch, uint64_t ip)
{
	if (pmu->pt.ctl & TDEMU_PT_KERNEL)
		tdemu_pt_put_cr3(pmu);
	tell_branch(pmu, branch, ip);
	tdemu_pt_put_mode(pmu);
}

/*
 * The CPU goes on at ip.  A range that is left without a branch is left at the
 * next one, as silicon does it.
 */
static void arrive(struct tdemu_pmu *pmu, uint64_t ip)
{
	struct tdemu_pt *pt = &pmu->pt;
	uint32_t branch = pmu->env->tdemu_branch;
	bool inside = passes(pt, ip), last = stops(pt, ip);

	if (pt->enabled && (last || (!inside && branch)))
		leave_to(pmu, ip);
	else if (pt->enabled)
		go_on(pmu, branch, ip);
	else if (inside && !last && pt->ctl & TDEMU_PT_BRANCHES)
		enter(pmu, ip);
	if (last)
		stop(pmu);
}

static void report(struct tdemu_pmu *pmu, uint64_t ip)
{
	struct tdemu_pt *pt = &pmu->pt;
	bool context = tdemu_pt_in_context(pmu);

	if (pt->losing)
		tdemu_pt_lose(pmu, ip, context && passes(pt, ip));
	else if (context)
		arrive(pmu, ip);
	else
		tdemu_pt_leave(pmu);
	pmu->env->tdemu_branch = TDEMU_LINEAR;
	if (!tdemu_pt_on(pt) || pt->losing)
		return;
	if (tdemu_pt_psb_is_due(pt))
		tdemu_pt_put_psb(pmu, ip);
	tdemu_pt_overflow(pt);
}

/* False: its instructions are to be executed one at a time. */
bool tdemu_block(CPUX86State *env, uint64_t ip, uint32_t size, uint32_t nr)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu || !tdemu_pt_on(&pmu->pt))
		return true;
	if (nr > 1 && is_cut(&pmu->pt, ip, size))
		return false;
	report(pmu, ip);
	return true;
}

/* Of an interrupt or exception, at the instruction that it comes before. */
void tdemu_interrupt(CPUX86State *env)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu || !tdemu_pt_on(&pmu->pt) || pmu->pt.losing || !tdemu_pt_in_context(pmu))
		return;
	report(pmu, env->eip);
	if (pmu->pt.enabled && !pmu->pt.losing)
		tdemu_pt_put_ip(pmu, TDEMU_PT_FUP, env->eip);
}

/* The mode may be another one now. */
void tdemu_far(CPUX86State *env)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu || !tdemu_pt_on(&pmu->pt))
		return;
	env->tdemu_branch = TDEMU_FAR;
	if (tdemu_pt_in_context(pmu))
		return;
	if (!pmu->pt.losing)
		tdemu_pt_leave(pmu);
}
