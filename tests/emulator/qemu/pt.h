/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel Processor Trace of one CPU: SDM volume 3, "Intel Processor Trace".
 *
 * pt.c         CPUID, MSRs, tracing on and off
 * pt_flow.c    what the CPU executes: filters, branches, interrupts
 * pt_packets.c the packets of it     pt_time.c  those that tell the time
 * pt_output.c  the guest's memory (ToPA)
 * pt_overflow.c  packets that are lost before they come there
 */
#ifndef TDEMU_PT_H
#define TDEMU_PT_H

enum {
	TDEMU_PT_RANGES = 2,
	TDEMU_PT_CALLS = 64,
	TDEMU_PT_MODE_UNKNOWN = 0xff,
};

/* Of IA32_RTIT_CTL. */
enum {
	TDEMU_PT_ON = 1 << 0,
	TDEMU_PT_CYC = 1 << 1,
	TDEMU_PT_KERNEL = 1 << 2,
	TDEMU_PT_USER = 1 << 3,
	TDEMU_PT_CR3_FILTER = 1 << 7,
	TDEMU_PT_TOPA = 1 << 8,
	TDEMU_PT_MTC = 1 << 9,
	TDEMU_PT_TSC = 1 << 10,
	TDEMU_PT_NO_RET_COMPRESSION = 1 << 11,
	TDEMU_PT_BRANCHES = 1 << 13,
};

/* Of IA32_RTIT_STATUS. */
enum {
	TDEMU_PT_FILTERED = 1 << 0,
	TDEMU_PT_IN_CONTEXT = 1 << 1,
	TDEMU_PT_TRIGGERED = 1 << 2,
	TDEMU_PT_ERROR = 1 << 4,
	TDEMU_PT_STOPPED = 1 << 5,
};

/* The headers of the packets with an IP. */
enum {
	TDEMU_PT_PGD = 0x01,
	TDEMU_PT_TIP = 0x0d,
	TDEMU_PT_PGE = 0x11,
	TDEMU_PT_FUP = 0x1d,
};

struct tdemu_pmu;

struct tdemu_pt {
	uint64_t ctl, status, cr3, ranges[TDEMU_PT_RANGES][2];
	uint64_t output_base, output_mask;
	bool enabled; /* PacketEn */

	/* pt_packets.c */
	uint64_t last_ip;
	bool compressed; /* last_ip is what a decoder has, too */
	uint8_t mode, tnt, nr_tnt;
	uint64_t cr3_told;
	uint64_t calls[TDEMU_PT_CALLS]; /* where they return to */
	unsigned int nr_calls, depth;

	/* pt_time.c: virtual ns (0: none yet), and what is left of a cycle */
	int64_t cycles_at;
	double cycles;
	uint64_t ctc; /* of the last MTC */
	int ratio;    /* of the last CBR */

	/* pt_output.c */
	uint8_t buffer[256];
	int nr;

	/* pt_overflow.c: bytes since the last overflow, blocks until it ends */
	uint64_t written;
	int losing;
};

/* --- pt.c ---------------------------------------------------------------- */

/* TriggerEn */
bool tdemu_pt_on(const struct tdemu_pt *pt);
/* What runs is one of the modes and address spaces that are traced. */
bool tdemu_pt_in_context(struct tdemu_pmu *pmu);
/* Tells the translator which modes' blocks it has to report. */
void tdemu_pt_changed(struct tdemu_pmu *pmu);

/* --- pt_flow.c ----------------------------------------------------------- */

/* PacketEn goes off at an instruction of the kernel. */
void tdemu_pt_leave(struct tdemu_pmu *pmu);

/* --- pt_overflow.c ------------------------------------------------------- */

/* So many bytes were written that the next blocks are to be lost. */
void tdemu_pt_overflow(struct tdemu_pt *pt);
/* A block is lost, at ip; whether it is one that would be traced. */
void tdemu_pt_lose(struct tdemu_pmu *pmu, uint64_t ip, bool traced);
/* Where tracing or the clock stops, an overflow ends. */
void tdemu_pt_end_overflow(struct tdemu_pmu *pmu);

/* --- pt_packets.c -------------------------------------------------------- */

void tdemu_pt_put_ip(struct tdemu_pmu *pmu, int packet, uint64_t ip);
void tdemu_pt_put_no_ip(struct tdemu_pmu *pmu, int packet);
/* A conditional branch, or a return to where the last call said. */
void tdemu_pt_put_taken(struct tdemu_pmu *pmu, bool taken);
void tdemu_pt_put_mode(struct tdemu_pmu *pmu);
void tdemu_pt_put_cr3(struct tdemu_pmu *pmu);
/* PSB and what goes with it; ip: where it is, where PacketEn is set. */
void tdemu_pt_put_psb(struct tdemu_pmu *pmu, uint64_t ip);
bool tdemu_pt_psb_is_due(const struct tdemu_pt *pt);

/* --- pt_time.c ----------------------------------------------------------- */

/* Before a packet that has a time: CBR, MTC, CYC. */
void tdemu_pt_put_time(struct tdemu_pmu *pmu);
/* TSC, TMA and CBR. */
void tdemu_pt_put_clock(struct tdemu_pmu *pmu);
/* The same where cycles did not go on. */
void tdemu_pt_put_clock_anew(struct tdemu_pmu *pmu);

/* --- pt_output.c --------------------------------------------------------- */

void tdemu_pt_put(struct tdemu_pmu *pmu, const void *bytes, int nr);
void tdemu_pt_flush(struct tdemu_pmu *pmu);

#endif
