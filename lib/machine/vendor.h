/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about processors.  Each vendor has a directory, intel/ or amd/, with rows of the
 * types in this header.  Other code does not depend on the vendor, except metrics/sets,
 * which has the formulas, and cmd/import, because files of perf stat do not name the
 * processor.
 *
 * To add
 * - a model with a known core: a row of models[] in intel/cores.c, and a row with the
 *   expected facts in models[] of tests/unit/uarch.c;
 * - a core: its name in enum td_uarch below, a row of cores[] and its models in
 *   intel/cores.c, and the expected facts in models[], cores[] and places[] of
 *   tests/unit/uarch.c.  Levels 1 and 2 follow from the row's traits and width;
 *   formulas that no other core uses are a set in metrics/sets/builtin.c;
 * - a vendor: a directory with a struct td_vendor, its name at the end of this header
 *   and in vendors[] of uarch.c, the directory in .ci/layers, and files of less than 25
 *   lines in tables of .ci/sizes.
 *
 * README contains a table of the features of each core.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Core microarchitectures with different counters or slots.  The order is irrelevant. */
enum td_uarch {
	TD_UARCH_UNKNOWN,
	TD_SANDY_BRIDGE,
	TD_IVY_BRIDGE,
	TD_HASWELL,
	TD_BROADWELL,
	TD_SKYLAKE,
	TD_SUNNY_COVE,  /* and Cypress Cove, Willow Cove */
	TD_GOLDEN_COVE, /* and Raptor Cove */
	TD_REDWOOD_COVE,
	TD_LION_COVE,
	TD_COUGAR_COVE,
	TD_PANTHER_COVE,
	TD_COYOTE_COVE,
	TD_TREMONT,
	TD_GRACEMONT,
	TD_CRESTMONT,
	TD_SKYMONT,
	TD_DARKMONT,
	TD_ARCTIC_WOLF,
	TD_ZEN,
	TD_NR_UARCHS,
};

/* A processor model and the core of each PMU (UNKNOWN: no such PMU). */
struct td_model {
	unsigned int family, model;
	const char *name;
	enum td_uarch core, atom, lowpower;
	/*
	 * the oldest of Linux 5.10, 6.1, 6.12 and 7.2 that supports the model; NULL means
	 * 5.10
	 */
	const char *linux_since;
	unsigned int last; /* the row covers the models from .model to this; 0: one model */
	/*
	 * model of this family whose metric files are used if mapfile.csv lacks this model; 0: none
	 */
	unsigned int files;
};

/* .linux_since of a model that no Linux to 7.2 supports */
#define TD_LATER_LINUX "newer than 7.2"

/* Traits of cores, as bits of td_core.traits. */
enum td_core_trait {
	/*
	 * Slots are counted for whole cores, with topdown-total-slots, and events have the bit
	 * "any".
	 */
	TD_CORE_WHOLE = 1 << 0,
	/* The core has SLOTS and 4 or 8 fields of PERF_METRICS. */
	TD_CORE_FIELDS_4 = 1 << 1,
	TD_CORE_FIELDS_8 = 1 << 2,
	TD_CORE_FIELDS = TD_CORE_FIELDS_4 | TD_CORE_FIELDS_8,
	/* Formulas correct the fields with INT_MISC.UOP_DROPPING. */
	TD_CORE_DROPS = 1 << 3,
	/* Formulas also correct the fields with INT_MISC.CLEARS_COUNT. */
	TD_CORE_CLEARS = 1 << 4,
	/* PEBS records contain the retire latency (PERF_CAP_PEBS_TIMING_INFO). */
	TD_CORE_LATENCIES = 1 << 5,
	/*
	 * Counts of loads leak into the same counter of the other thread
	 * (INTEL_EXCLEVT_CONSTRAINT).
	 */
	TD_CORE_LEAKS = 1 << 6,
	/* ref-cycles has an event that general counters also count. */
	TD_CORE_REF_TSC_P = 1 << 7,
	/* Fixed counters 4 to 6 count lost slots. */
	TD_CORE_FIXED_SLOTS = 1 << 8,
	/* The core has MSR_PEBS_FRONTEND. */
	TD_CORE_FRONTEND = 1 << 9,
	/* The core has the registers of snoop responses. */
	TD_CORE_SNOOP = 1 << 10,
	/* IA32_PERFEVTSELx has a second unit mask. */
	TD_CORE_UMASK2 = 1 << 11,
	/* There are no fixed counters; the NMI watchdog also uses a general one. */
	TD_CORE_NO_FIXED = 1 << 12,
	/*
	 * tdstat was validated on real hardware: tests/data/evidence contains a file,
	 * and README.md a line.
	 */
	TD_CORE_CHECKED = 1 << 13,
	/* The core has instruction-based sampling: the PMUs ibs_op and ibs_fetch. */
	TD_CORE_IBS = 1 << 14,
};

struct td_core {
	const char *name;
	/* pipeline slots per cycle; 0: not published, and E-cores only have level 1 */
	int width;
	int general;         /* general counters of a thread */
	unsigned int traits; /* enum td_core_trait */
	/*
	 * events with codes first to last and this unit mask, which only some general counters
	 * count; the first matching row applies; NULL: none
	 */
	const struct td_bound {
		uint8_t first, last;
		int umask;     /* negative: any */
		uint32_t mask; /* general counters that count them; 0 after the last row */
		/* TD_LINUX() of the first kernel with this bound, of the first without; 0: any */
		unsigned int since, until;
	} * bound;
	/* top-down events in addition to SLOTS and its fields; NULL: none */
	/* A format or an event in sysfs. */
	const struct td_sysfs_row {
		const char *name; /* NULL after the last row */
		const char *text;
		double scale; /* 0: 1 */
		/*
		 * enum td_core_trait: cores need one of the traits in with (0: any core), and none
		 * of those in unless
		 */
		unsigned int with, unless;
	} * events;
	const struct td_sysfs_row *beside; /* replace these events on a hybrid; NULL: the same */
};

struct td_vendor {
	const char *name;            /* in CPUID */
	const struct td_core *cores; /* for each enum td_uarch; empty for other vendors' cores */
	size_t nr_cores;
	const struct td_model *models;
	size_t nr_models;
	enum td_uarch any;      /* core of models that are not in the table */
	unsigned int any_since; /* first family to which any applies */
	/* formats and events of all cores; NULL: none */
	const struct td_sysfs_row *formats, *events;
	/* file in sysfs that shows whether KVM gives guests the PMU; NULL: none */
	const char *guest_pmus;
	/* cycles, instructions and top-down events are Intel's architectural ones */
	bool architectural;
};

extern const struct td_vendor td_intel, td_amd;
