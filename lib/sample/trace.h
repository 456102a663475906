/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_TRACE_H
#define TD_LIB_SAMPLE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/machine/pmu.h"

/*
 * Packets of Intel Processor Trace (SDM 3C, chapter 33), of a CPU that traces a range
 * of addresses in user space: when it was entered and left.  libipt tells the packets
 * apart.  Pure, once that is loaded.
 */

/* What happens to the range.  All have an address. */
enum {
	TD_TRACE_ENTER,     /* of the first instruction */
	TD_TRACE_LEAVE,     /* of what comes next; 0: unknown, or the kernel */
	TD_TRACE_INTERRUPT, /* left for the kernel; where it is to go on */
	TD_TRACE_LOST,      /* packets are missing here; 0 */
};

/* tsc: of the time stamp counter; 0: unknown.  An error ends the decoding. */
typedef int td_take_boundary(void *ctx, int what, uint64_t address,
			     uint64_t tsc);

/* The trace of a CPU.  With the members of the first part, it has not begun. */
struct td_trace {
	td_take_boundary *take;
	void *ctx;
	uint64_t tsc; /* about now: packets lack the upper 8 bits */
	/* of the time stamp counter to the bus; 0: unknown */
	unsigned int tsc_ratio;
	/* ticks of the time stamp counter are those of the crystal by this */
	unsigned int art_ratio[2];
	unsigned int
		mtc_period; /* log2 of the crystal's ticks of an MTC packet */

	bool in_step; /* the bytes so far are packets */
	bool in_psb;  /* what follows tells the state, and nothing happens */
	bool overflowed;
	bool has_source;
	uint64_t source; /* of an interrupt, or an exception */
	uint64_t last_ip;
	struct {
		bool known;
		uint64_t tsc;       /* of the last packet that told it */
		uint64_t cycles;    /* of the core since */
		unsigned int ratio; /* of the core to the bus; 0: unknown */
		uint64_t said;      /* the last time that was told */
		bool ticks;         /* of the crystal are known: */
		bool first_tick;    /* is yet to come */
		uint64_t ticks_tsc; /* when the first was */
		uint64_t nr_ticks;  /* since then, of 2^mtc_period each */
		uint8_t last_tick;
	} time;
};

/* Loads libipt.  -ELIBACC, with the package that has it. */
int td_trace_load(struct td_err *err);
/*
 * Decodes bytes that follow those of the last call; between the two the CPU traced
 * nothing.  Returns 0, -ENOMEM, or what take() returned.
 */
int td_trace_decode(struct td_trace *trace, uint8_t *data, size_t size);
/* Bytes before the next ones are missing, which is not told to take(). */
void td_trace_skip(struct td_trace *trace);

/* The PMU intel_pt, as sysfs describes it. */

/*
 * -ENODEV if the machine has none that can trace a function and its
 * time.  Free the PMU even then.
 */
int td_trace_pmu_read(const struct td_sysfs *fs, const struct td_ints *online,
		      struct td_pmu *pmu, struct td_err *err);
/* perf_event_attr.config for that, and what is to be known of the times in traces. */
int td_trace_pmu_config(const struct td_sysfs *fs, const struct td_pmu *pmu,
			uint64_t *config, struct td_trace *trace,
			struct td_err *err);

#endif
