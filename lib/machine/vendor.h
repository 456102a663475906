/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of processors: a folder for each vendor, intel/ and amd/, whose
 * rows this header describes.  Nobody else asks who made the processor, but
 * metrics/sets, which has the formulas, and cmd/replay, as what perf stat wrote
 * does not name it.
 *
 * To add
 * - a model of a core that is known: a row of models[] in intel/cores.c, and one
 *   of what is expected of it in models[] of tests/unit/uarch.c;
 * - a core: its name in enum td_uarch below, a row of cores[] and its models in
 *   intel/cores.c, and what is expected of them in models[], cores[] and places[]
 *   of tests/unit/uarch.c.  Levels 1 and 2 follow from the row's traits and width;
 *   formulas that no other core has are a set in metrics/sets/builtin.c;
 * - a vendor: a folder with a struct td_vendor, its name at the end of this header,
 *   its line in vendors[] of uarch.c, the folder's in .ci/layers, and a short file's
 *   in tables of .ci/sizes.
 *
 * README has a table of what works where.
 */
#ifndef TD_LIB_MACHINE_VENDOR_H
#define TD_LIB_MACHINE_VENDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Core microarchitectures, where their counters or slots differ.  Their order
 * means nothing.
 */
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
	TD_PANTHER_COVE, /* and Coyote Cove */
	TD_TREMONT,
	TD_GRACEMONT,
	TD_CRESTMONT,
	TD_SKYMONT,
	TD_DARKMONT,
	TD_ARCTIC_WOLF,
	TD_ZEN,
	TD_NR_UARCHS,
};

/* A processor model and the core behind each PMU (UNKNOWN: no such PMU). */
struct td_model {
	unsigned int family, model;
	const char *name;
	enum td_uarch core, atom, lowpower;
	/*
	 * The oldest of Linux 5.10, 6.1, 6.12 and 7.2 that knows the model; NULL
	 * for 5.10.
	 */
	const char *linux_since;
	unsigned int
		last; /* the row is of all models from .model to this; 0: of one */
};

/* What sets cores apart; a core has the sum of some of these. */
enum td_core_trait {
	/*
	 * Slots are counted for whole cores, by topdown-total-slots, and events
	 * have the bit "any".
	 */
	TD_CORE_WHOLE = 1 << 0,
	/* SLOTS, and so many fields of PERF_METRICS */
	TD_CORE_FIELDS_4 = 1 << 1,
	TD_CORE_FIELDS_8 = 1 << 2,
	TD_CORE_FIELDS = TD_CORE_FIELDS_4 | TD_CORE_FIELDS_8,
	/* The fields are corrected by INT_MISC.UOP_DROPPING. */
	TD_CORE_DROPS = 1 << 3,
	/* ... and by INT_MISC.CLEARS_COUNT. */
	TD_CORE_CLEARS = 1 << 4,
	/*
	 * Records of PEBS have timing information, the retire latency
	 * (PERF_CAP_PEBS_TIMING_INFO).
	 */
	TD_CORE_LATENCIES = 1 << 5,
	/*
	 * Counts of loads leak into the same counter of the other thread
	 * (INTEL_EXCLEVT_CONSTRAINT).
	 */
	TD_CORE_LEAKS = 1 << 6,
	/* ref-cycles has an event that general counters count, too. */
	TD_CORE_REF_TSC_P = 1 << 7,
	/* Fixed counters 4 to 6 count lost slots. */
	TD_CORE_FIXED_SLOTS = 1 << 8,
	/* MSR_PEBS_FRONTEND */
	TD_CORE_FRONTEND = 1 << 9,
	/* The registers of snoop responses. */
	TD_CORE_SNOOP = 1 << 10,
	/* IA32_PERFEVTSELx has a second unit mask. */
	TD_CORE_UMASK2 = 1 << 11,
	/* All events take general counters, the NMI watchdog's, too. */
	TD_CORE_NO_FIXED = 1 << 12,
	/*
	 * Somebody has seen tdstat count on it: tests/data/evidence has a file,
	 * and README.md a line.
	 */
	TD_CORE_CHECKED = 1 << 13,
	/* Instruction-based sampling: the PMUs ibs_op and ibs_fetch. */
	TD_CORE_IBS = 1 << 14,
};

/* Events of these codes and this unit mask that few general counters count. */
struct td_bound {
	uint8_t first, last;
	int umask;     /* negative: any */
	uint32_t mask; /* of counters; 0 behind the last row */
	/* TD_LINUX(): of kernels that have it, the first, and the first that has not; 0: any */
	unsigned int since, until;
};

/* A format or an event in sysfs. */
struct td_sysfs_row {
	const char *name; /* NULL behind the last row */
	const char *text;
	double scale; /* 0: 1 */
	/* enum td_core_trait: cores with any of these, or 0; and none of those */
	unsigned int with, unless;
};

struct td_core {
	const char *name;
	/* pipeline slots per cycle; 0: not published, and E-cores have level 1 alone */
	int width;
	int general;                  /* counters of a thread */
	unsigned int traits;          /* enum td_core_trait */
	const struct td_bound *bound; /* the first match counts; NULL: none */
	/* top-down events besides SLOTS and its fields; NULL: none */
	const struct td_sysfs_row *events;
	const struct td_sysfs_row
		*beside; /* those on a hybrid, if they differ */
};

struct td_vendor {
	const char *name;            /* in CPUID */
	const struct td_core *cores; /* by enum td_uarch; others' are empty */
	size_t nr_cores;
	const struct td_model *models;
	size_t nr_models;
	/* the core of models that are not in the table, from this family on */
	enum td_uarch any;
	unsigned int any_since;
	const struct td_sysfs_row *formats,
		*events; /* of all cores; NULL: none */
	/* what KVM says of guests that have the PMU, in sysfs; NULL: nothing */
	const char *guest_pmus;
	/* cycles, instructions and top-down events are Intel's architectural ones */
	bool architectural;
};

extern const struct td_vendor td_intel, td_amd;

#endif
