/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of one CPU, and what its parts know of each other.
 *
 * settings.c what the launcher said     cores.c   the kinds of core
 * truth.c    the truth file             rates.c   how fast an event counts
 * counters.c the counters, their clock  noise.c   rates that walk
 * interrupts.c overflows                pebs.c    records in memory of overflows
 * threads.c  which scenario a thread runs
 * intel.c, amd.c  CPUID and MSRs        hooks.c   what QEMU calls
 * rapl.c, uncore.c, units.c  what a package counts
 * idle.c     how long cores and packages were halted
 * sums.c     what really happened
 * ibs.c      samples of AMD's operations and fetches
 * lbr.c      the calls that have not returned
 * pt.c       Processor Trace (pt.h)
 */
#ifndef TDEMU_PMU_H
#define TDEMU_PMU_H

#include "hooks.h"
#include "pt.h"

enum {
	TDEMU_GENERAL = 10,
	TDEMU_FIXED = 7,
	TDEMU_FIELDS = 8,
	TDEMU_EXTRAS = 9,
	TDEMU_KINDS = 3,
	TDEMU_CPUS = 512,
	TDEMU_DOMAINS = 5,
	TDEMU_FILTERED = 8,
	TDEMU_DRAM = 2, /* one of them */
	TDEMU_BRANCHES = 32,
	TDEMU_IBS_FETCH = 0, /* the units of ibs.c */
	TDEMU_IBS_OP,
	TDEMU_IBS_UNITS,
};

#define TDEMU_COUNTER_MASK  ((1ULL << 48) - 1)
#define TDEMU_STATUS_BUFFER (1ULL << 62) /* PEBS' is full */
#define TDEMU_STATUS_TRACE  (1ULL << 55) /* a part of it is full */
#define TDEMU_STATUS_FROZEN (1ULL << 59) /* nothing counts while it is set */

/* The fields of PERF_METRICS, in the order of its bytes. */
enum {
	TDEMU_RETIRING,
	TDEMU_BAD_SPEC,
	TDEMU_FE_BOUND,
	TDEMU_BE_BOUND
};

/* --- cores.c ------------------------------------------------------------- */

/* An event that counts a field of PERF_METRICS in slots, on Atom cores. */
struct tdemu_topdown {
	uint8_t event;
	int16_t umask; /* -1: any */
	uint8_t field;
};

struct tdemu_core {
	const char *name;
	uint32_t native_id;   /* CPUID 0x1A */
	unsigned int cycles;  /* in 1024 ns */
	unsigned int width;   /* slots a cycle */
	unsigned int version; /* of perfmon */
	bool amd, atom;
	bool metrics;           /* has PERF_METRICS */
	bool leaf_23;           /* tells its counters in CPUID 0x23 */
	uint8_t general, fixed; /* how many CPUID 0xA tells */
	uint8_t fixed_mask;
	uint16_t general_23; /* the masks of CPUID 0x23 */
	uint16_t fixed_23;
	struct tdemu_topdown topdown[5];
};

const struct tdemu_core *tdemu_core_named(const char *name, size_t len);
/* Events in 1024 ns where no truth file is loaded; fields of 1. */
uint64_t tdemu_made_up_rate(const struct tdemu_core *core, uint64_t select,
			    const double fields[TDEMU_FIELDS]);
uint64_t tdemu_made_up_fixed(const struct tdemu_core *core, int nr,
			     const double fields[TDEMU_FIELDS]);

/* --- settings.c ---------------------------------------------------------- */

struct tdemu_settings {
	bool on, amd;
	bool no_halt;
	bool hybrid, leaf_23;
	bool pebs, pebs_timing, lbr, pt, ibs;
	bool power;        /* APERF, MPERF and residencies */
	uint64_t pt_lossy; /* bytes between overflows; 0: none */
	int skew, phase_ms;
	int noise_percent;
	uint64_t seed;
	const char *truth, *scenario;
	const char *sums;                  /* the file of sums.c */
	double watts[TDEMU_DOMAINS];       /* rapl.c; 0: there is none */
	int dram_unit;                     /* 2^-N J, where it is DRAM's own */
	const char *uncore;                /* whose registers it has; NULL: none */
	uint32_t filtered[TDEMU_FILTERED]; /* umask << 8 | code */
	int nr_filtered;
	double fields[2][TDEMU_FIELDS]; /* of 1; the second every other phase */
	int nr_kinds;
	struct {
		const struct tdemu_core *core;
		int from; /* the first CPU of this kind */
	} kinds[TDEMU_KINDS];
	const struct tdemu_core *leaf_a; /* whose counters CPUID 0xA tells */
};

/* Reads the environment, once. */
const struct tdemu_settings *tdemu_settings(void);
/* 0 core, 1 atom, 2 lowpower, as in the truth file. */
int tdemu_kind(int cpu);
const struct tdemu_core *tdemu_core(int cpu);

/* --- truth.c ------------------------------------------------------------- */

struct tdemu_event {
	uint64_t config;
	uint64_t extra; /* TDEMU_NO_EXTRA */
	double rate;    /* a core cycle */
};

#define TDEMU_NO_EXTRA UINT64_MAX

enum {
	TDEMU_LATENCY = 10
}; /* where no line names it */

/* What one kind of core counts in a scenario. */
struct tdemu_truth {
	bool named;
	double ghz;
	double fields[TDEMU_FIELDS]; /* of 1 */
	double fixed[TDEMU_FIXED];   /* a core cycle; below 0: not named */
	GArray *latencies;           /* struct tdemu_event with cycles, sorted */
	GArray *events;              /* struct tdemu_event, sorted */
};

struct tdemu_scenario {
	char name[32];
	bool made_up;                /* no truth file: the rates of cores.c */
	bool phased;                 /* the launcher's fields, not a program's own */
	double fields[TDEMU_FIELDS]; /* where made_up and not phased */
	struct tdemu_truth kinds[TDEMU_KINDS];
};

/* Ends QEMU where the file cannot be read. */
void tdemu_truth_load(const char *path, GPtrArray *scenarios);
/* Events a core cycle; 0: no line names it. */
double tdemu_truth_rate(const struct tdemu_truth *truth, uint64_t config, uint64_t extra);

/* Cycles that a record of the event tells. */
unsigned int tdemu_truth_latency(const struct tdemu_truth *truth, uint64_t config, uint64_t extra);

/* The scenarios that there are; the one that runs unless a thread chose. */
const struct tdemu_scenario *tdemu_scenario_default(void);
const struct tdemu_scenario *tdemu_scenario_at(uint32_t index);
const struct tdemu_scenario *tdemu_scenario_hashed(uint64_t hash);
const struct tdemu_scenario *tdemu_scenario_of_bytes(uint64_t bytes);

/* --- counters.c ---------------------------------------------------------- */

struct tdemu_counter {
	uint64_t value;
	/*
	 * in 2^-32.  It stays when the kernel writes the value, or events that
	 * take turns would lose half a count in each turn.
	 */
	uint32_t fraction;
	bool on;
};

/* A unit of instruction-based sampling; the registers begin with the control register. */
struct tdemu_ibs {
	uint64_t ctl, reg[13];
	struct tdemu_counter counter; /* on until a sample is due */
	uint64_t late;                /* counted beyond periods: the next ones are shorter */
	bool due;
};

struct tdemu_pmu {
	int cpu;
	CPUX86State *env;
	const struct tdemu_core *core;

	uint64_t select[TDEMU_GENERAL];
	struct tdemu_counter general[TDEMU_GENERAL];
	struct tdemu_counter fixed[TDEMU_FIXED];
	uint64_t fixed_ctrl, global_ctrl, status;
	bool guest; /* the CPU runs a virtual machine */
	uint64_t extra[TDEMU_EXTRAS];
	int64_t at;    /* where the counters stand on the CPU's own clock */
	double actual; /* cycles since it was reset: APERF */

	/* virtual ns: since when it is halted; how long it did not run */
	int64_t halted_at, halted_for;
	/* of the kernel's last step: with interrupts off; virtual ns; CPU ns */
	bool in_kernel;
	int64_t step_at, used_at_step;
	int64_t behind;   /* ns that are to be counted later */
	uint64_t stopped; /* counters that this path stopped and left alone */

	/* which scenario runs, and in which thread (threads.c) */
	const struct tdemu_scenario *scenario;
	const struct tdemu_scenario *usual; /* where no thread has chosen */
	uint64_t stack;
	double slots, sum[TDEMU_FIELDS]; /* what PERF_METRICS then averages */

	/* interrupts.c */
	QEMUTimer *timer;
	bool pending, armed; /* one is due; due_at is valid */
	uint64_t records;    /* counters that overflowed and have PEBS */
	int64_t due_at, last;
	int waited, queued;

	/* lbr.c: from, to, info */
	uint64_t lbr_ctl, branches[TDEMU_BRANCHES][3];
	unsigned int newest;

	struct tdemu_ibs ibs[TDEMU_IBS_UNITS];

	struct tdemu_pt pt;
};

struct tdemu_pmu *tdemu_pmu(CPUX86State *env);
/* The CPU's own clock, in ns. */
int64_t tdemu_clock(const struct tdemu_pmu *pmu);
/* Call it in the virtual CPU's thread, where the kernel does a step of many. */
void tdemu_hold_back(struct tdemu_pmu *pmu);
/* Brings the counters to now. */
void tdemu_advance(struct tdemu_pmu *pmu);
/* After something changed that says what counts, or how fast. */
void tdemu_changed(struct tdemu_pmu *pmu);
/* What PERF_METRICS reads. */
uint64_t tdemu_metrics(struct tdemu_pmu *pmu);
void tdemu_metrics_reset(struct tdemu_pmu *pmu);
void tdemu_metrics_write(struct tdemu_pmu *pmu, uint64_t value);

/* --- rates.c, noise.c ---------------------------------------------------- */

/* Where the extra registers are in extra[]; -1: not one of them. */
int tdemu_extra_index(uint32_t msr);
/* Counts a ns, in 2^-32, at a time of the CPU's own clock. */
uint64_t tdemu_event_rate(const struct tdemu_pmu *pmu, uint64_t select, int64_t at);
uint64_t tdemu_general_rate(const struct tdemu_pmu *pmu, int nr, int64_t at);
uint64_t tdemu_fixed_rate(const struct tdemu_pmu *pmu, int nr, int64_t at);
/* Cycles a ns, now. */
double tdemu_ghz(const struct tdemu_pmu *pmu);
/* The retire latency of a general counter's event. */
unsigned int tdemu_latency(const struct tdemu_pmu *pmu, int nr);
void tdemu_fields(const struct tdemu_pmu *pmu, double fields[TDEMU_FIELDS]);
/* The factor by which an event's rate is off then; 1 where nothing walks. */
double tdemu_walk(const struct tdemu_pmu *pmu, uint64_t config, int64_t at);
/* What a fixed counter counts a core cycle then. */
double tdemu_true_fixed(const struct tdemu_pmu *pmu, const struct tdemu_truth *truth, int nr,
			int64_t at);

/* When the rates walk: a factor near 1, the same for as long as a step. */
int64_t tdemu_noise_until(int64_t at);
double tdemu_noise(const struct tdemu_pmu *pmu, uint64_t what, int64_t at);
void tdemu_noise_fields(const struct tdemu_pmu *pmu, int64_t at, double fields[TDEMU_FIELDS]);
/* How much the four fields of one read exceed 255. */
int tdemu_noise_excess(const struct tdemu_pmu *pmu);
/* From 0 to 1: where the fields of one read are rounded up. */
double tdemu_noise_dither(const struct tdemu_pmu *pmu);

/* --- sums.c -------------------------------------------------------------- */

/* So many ns from pmu->at on went by, in which no rate changed. */
void tdemu_sum(struct tdemu_pmu *pmu, int64_t ns);
/* Leaves them in the file and begins anew; false if there is no such file. */
bool tdemu_tell_sums(void);

/* --- interrupts.c -------------------------------------------------------- */

void tdemu_overflow(struct tdemu_pmu *pmu, int bit);
/* Sets the timer for the next overflow that is to interrupt. */
void tdemu_arm(struct tdemu_pmu *pmu);
/* A part of the trace is full: on the CPU's own thread. */
void tdemu_trace_interrupts(struct tdemu_pmu *pmu);
/* The CPU was halted, and its clock goes on. */
void tdemu_arm_again(struct tdemu_pmu *pmu);

/* --- pebs.c -------------------------------------------------------------- */

/* True if an overflow of this counter leaves a record, and is no interrupt. */
bool tdemu_pebs_takes(const struct tdemu_pmu *pmu, int bit);
/* The counters that are to leave a record now. */
uint64_t tdemu_pebs_due(const struct tdemu_pmu *pmu);
void tdemu_pebs_write(struct tdemu_pmu *pmu);

/* --- ibs.c ---------------------------------------------------------------- */

void tdemu_ibs_cpuid(const struct tdemu_pmu *pmu, uint32_t leaf, uint32_t r[4]);
/* False: not one of its registers. */
bool tdemu_ibs_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value);
bool tdemu_ibs_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value);
/* What a unit counts a ns, in 2^-32, now. */
uint64_t tdemu_ibs_rate(const struct tdemu_pmu *pmu, int nr);
/* A unit's counter has reached its period: a sample is due. */
void tdemu_ibs_overflow(struct tdemu_pmu *pmu, int nr);
bool tdemu_ibs_due(const struct tdemu_pmu *pmu);
/* Takes what is due: on the CPU's own thread. */
void tdemu_ibs_interrupt(struct tdemu_pmu *pmu);

/* --- rapl.c, uncore.c, units.c: false if it is not one of their registers - */

bool tdemu_rapl_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value);
bool tdemu_uncore_rdmsr(uint32_t msr, uint64_t *value);
bool tdemu_uncore_wrmsr(uint32_t msr, uint64_t value);
bool tdemu_units_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value);
bool tdemu_units_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value);

/* --- idle.c ---------------------------------------------------------------- */

/* The die that a CPU is in, of all of the machine's. */
int tdemu_die(CPUX86State *env);
/* The CPU halts, or goes on. */
void tdemu_idle(CPUX86State *env, bool is_idle);
/* False: not one of the registers of residencies. */
bool tdemu_idle_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value);
/* In RBX, RCX, RDX: ns that the CPU of RBX, its core and its die slept; false: unknown. */
bool tdemu_tell_idle(CPUX86State *env);

/* --- lbr.c: false if it is not one of its registers ----------------------- */

void tdemu_lbr_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4]);
bool tdemu_lbr_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value);
bool tdemu_lbr_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value);

/* --- pt.c: the same -------------------------------------------------------- */

void tdemu_pt_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4]);
bool tdemu_pt_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value);
bool tdemu_pt_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value);
/* The CPU's clock is about to stop, or to go at another speed; it goes on. */
void tdemu_pt_clock_changes(struct tdemu_pmu *pmu);
void tdemu_pt_unhalt(struct tdemu_pmu *pmu);

/* --- the vendors --------------------------------------------------------- */

void tdemu_intel_cpuid(struct tdemu_pmu *pmu, uint32_t leaf, uint32_t subleaf, uint32_t r[4]);
bool tdemu_intel_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value);
bool tdemu_intel_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value);
/* False: the core has no such counter. */
bool tdemu_intel_rdpmc(struct tdemu_pmu *pmu, uint32_t index, uint64_t *value);

/* Does the event count now: in the host, in virtual machines, or in both? */
bool tdemu_amd_counts(const struct tdemu_pmu *pmu, uint64_t select);
void tdemu_amd_cpuid(const struct tdemu_pmu *pmu, uint32_t leaf, uint32_t r[4]);
bool tdemu_amd_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value);
bool tdemu_amd_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value);

#endif
