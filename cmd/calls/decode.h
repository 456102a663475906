/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/pmu.h"

/*
 * Decodes packets of Intel Processor Trace (SDM 3C, chapter 33) from a CPU that traces an address
 * range in user space: when it was entered and left.  No I/O, once libipt is loaded.
 */

/* Events of the range, with an address for each. */
enum {
	TD_TRACE_ENTER, /* entered; address of the first instruction */
	/* left; address of the next instruction; 0: unknown, or in the kernel */
	TD_TRACE_LEAVE,
	TD_TRACE_INTERRUPT, /* left for the kernel; address to which it will return */
	TD_TRACE_LOST,      /* packets are missing; address 0 */
};

/* The trace of a CPU.  Zero it, except for the first members. */
struct td_trace {
	/* called for each event; tsc: time stamp counter, 0: unknown */
	void (*boundary)(void *ctx, int what, uint64_t address, uint64_t tsc);
	void *ctx;
	uint64_t tsc;              /* approximate time: packets lack its upper 8 bits */
	unsigned int tsc_ratio;    /* frequency of the TSC to that of the bus; 0: unknown */
	unsigned int art_ratio[2]; /* frequency of the TSC to that of the crystal */
	unsigned int mtc_period;   /* crystal ticks between MTC packets, log2 */

	bool in_step; /* synchronized with the packets */
	bool in_psb;  /* these packets describe the state and are not events */
	bool overflowed, has_source;
	uint64_t source; /* address that was interrupted */
	uint64_t last_ip;
	struct {
		bool known;
		uint64_t tsc;       /* TSC in the last packet with a time */
		uint64_t cycles;    /* core cycles since that packet */
		unsigned int ratio; /* frequency of the core to that of the bus; 0: unknown */
		uint64_t reported;  /* the last time that was passed to boundary() */
		bool ticks;         /* the crystal's clock is known */
		bool first_tick;    /* the next MTC packet is the first one after a TMA packet */
		uint64_t ticks_tsc; /* TSC at that TMA packet, rounded down to a tick */
		uint64_t nr_ticks;  /* MTC periods since that TMA packet */
		uint8_t last_tick;
	} time;
};

/* Loads libipt.  If it is missing, returns -ELIBACC and the name of its package. */
int td_trace_load(struct td_err *err);
/* Decodes the bytes that follow those of the last call. */
void td_trace_decode(struct td_trace *trace, uint8_t *data, size_t size);
/* Call this if the bytes after those of the last call are missing.  It does not call boundary(). */
void td_trace_skip(struct td_trace *trace);

/*
 * Reads the PMU intel_pt.  Returns -ENODEV if none can trace a function and record times.
 * Free the PMU on error as well.
 */
int td_trace_pmu_read(const struct td_sysfs *fs, const struct td_ints *online, struct td_pmu *pmu,
		      struct td_err *err);
/* Sets perf_event_attr.config, and the clock ratios of traces. */
int td_trace_pmu_config(const struct td_sysfs *fs, const struct td_pmu *pmu, uint64_t *config,
			struct td_trace *trace, struct td_err *err);
