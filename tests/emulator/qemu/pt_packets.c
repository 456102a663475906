/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packets of Processor Trace that tell where the CPU is. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "pt.h"

enum {
	MODE_64 = 1,
	MODE_32 = 2,
	MOST_TNT = 6,
};

static void put_tnt(struct tdemu_pmu *pmu)
{
	struct tdemu_pt *pt = &pmu->pt;
	uint8_t packet = (uint8_t)((1 << pt->nr_tnt | pt->tnt) << 1);

	if (!pt->nr_tnt)
		return;
	tdemu_pt_put_time(pmu);
	tdemu_pt_put(pmu, &packet, 1);
	pt->nr_tnt = pt->tnt = 0;
}

void tdemu_pt_put_taken(struct tdemu_pmu *pmu, bool taken)
{
	struct tdemu_pt *pt = &pmu->pt;

	pt->tnt = (uint8_t)(pt->tnt << 1 | taken);
	if (++pt->nr_tnt == MOST_TNT)
		put_tnt(pmu);
}

/* How many bytes of the IP a decoder needs, and the code for it. */
static int ip_bytes(const struct tdemu_pt *pt, uint64_t ip, int *code)
{
	uint64_t other = pt->compressed ? pt->last_ip ^ ip : UINT64_MAX;

	*code = other >> 16 ? other >> 32 ? 3 : 2 : 1;
	return 2 * *code;
}

static void put_ip(struct tdemu_pmu *pmu, int packet, uint64_t ip)
{
	struct tdemu_pt *pt = &pmu->pt;
	uint8_t bytes[9];
	int code, nr = ip_bytes(pt, ip, &code);

	bytes[0] = (uint8_t)(packet | code << 5);
	memcpy(bytes + 1, &ip, 8);
	tdemu_pt_put(pmu, bytes, 1 + nr);
	pt->last_ip = ip;
	pt->compressed = true;
}

void tdemu_pt_put_ip(struct tdemu_pmu *pmu, int packet, uint64_t ip)
{
	put_tnt(pmu);
	tdemu_pt_put_time(pmu);
	put_ip(pmu, packet, ip);
}

void tdemu_pt_put_no_ip(struct tdemu_pmu *pmu, int packet)
{
	uint8_t byte = (uint8_t)packet;

	put_tnt(pmu);
	tdemu_pt_put_time(pmu);
	tdemu_pt_put(pmu, &byte, 1);
}

static uint8_t mode(const CPUX86State *env)
{
	if (env->hflags & HF_CS64_MASK)
		return MODE_64;
	return env->hflags & HF_CS32_MASK ? MODE_32 : 0;
}

static void put_mode(struct tdemu_pmu *pmu)
{
	uint8_t packet[] = { 0x99, mode(pmu->env) };

	tdemu_pt_put(pmu, packet, sizeof(packet));
	pmu->pt.mode = packet[1];
}

void tdemu_pt_put_mode(struct tdemu_pmu *pmu)
{
	if (pmu->pt.mode == mode(pmu->env))
		return;
	put_tnt(pmu);
	tdemu_pt_put_time(pmu);
	put_mode(pmu);
}

static void put_cr3(struct tdemu_pmu *pmu)
{
	uint64_t cr3 = pmu->env->cr[3] >> 5 << 1;
	uint8_t pip[8] = { 0x02, 0x43 };

	memcpy(pip + 2, &cr3, 6);
	tdemu_pt_put(pmu, pip, sizeof(pip));
	pmu->pt.cr3_told = pmu->env->cr[3];
}

void tdemu_pt_put_cr3(struct tdemu_pmu *pmu)
{
	if (pmu->pt.cr3_told == pmu->env->cr[3])
		return;
	put_tnt(pmu);
	tdemu_pt_put_time(pmu);
	put_cr3(pmu);
}

/* 2 KB, 4 KB and so on since the last one. */
bool tdemu_pt_psb_is_due(const struct tdemu_pt *pt)
{
	return pt->status >> 32 >= 2048ULL << (pt->ctl >> 24 & 15);
}

/* A decoder can begin here: it knows nothing of what was before. */
void tdemu_pt_put_psb(struct tdemu_pmu *pmu, uint64_t ip)
{
	static const uint8_t psb[] = { 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
				       2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82 };
	static const uint8_t end[] = { 0x02, 0x23 };
	struct tdemu_pt *pt = &pmu->pt;

	put_tnt(pmu);
	if (pt->enabled)
		tdemu_pt_put_time(pmu);
	tdemu_pt_put(pmu, psb, sizeof(psb));
	pt->status = (uint32_t)pt->status;
	pt->last_ip = 0;
	pt->depth = 0;
	pt->mode = TDEMU_PT_MODE_UNKNOWN;
	tdemu_pt_put_clock(pmu);
	if (pt->ctl & TDEMU_PT_KERNEL && tdemu_pt_in_context(pmu))
		put_cr3(pmu);
	if (pt->enabled) {
		put_mode(pmu);
		put_ip(pmu, TDEMU_PT_FUP, ip);
	}
	tdemu_pt_put(pmu, end, sizeof(end));
}
