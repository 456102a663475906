/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_UARCH_H
#define TD_LIB_MACHINE_UARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Intel's core microarchitectures, where their counters or slots differ. */
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
	TD_TREMONT,
	TD_GRACEMONT,
	TD_CRESTMONT,
	TD_SKYMONT,
	TD_DARKMONT,
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
};

/* Returns NULL if the model is not in the table. */
const struct td_model *td_model_find(unsigned int family, unsigned int model);
/* NULL behind the last one. */
const struct td_model *td_model_at(size_t index);
bool td_model_is_hybrid(const struct td_model *model);
/* The core behind the PMU of this name; model may be NULL. */
enum td_uarch td_model_uarch(const struct td_model *model, const char *pmu);

const char *td_uarch_name(enum td_uarch uarch);
/* Pipeline slots per cycle; 0 if it is not published. */
int td_uarch_width(enum td_uarch uarch);
/*
 * Do its PEBS records have timing information, the retire latency?  The kernel
 * calls it PERF_CAP_PEBS_TIMING_INFO.
 */
bool td_uarch_has_latencies(enum td_uarch uarch);
/*
 * General counters of a thread; for unknown cores, the number that all have.
 * Sandy Bridge to Skylake have four with hyper-threading.  Without it the
 * silicon has eight, but virtual machines do not, and a group that is too large
 * beside the NMI watchdog opens and never counts.
 */
int td_uarch_general(enum td_uarch uarch);

/* The counters that can count an event. */
struct td_placement {
	bool metric;      /* a field of PERF_METRICS, uses no counter */
	int fixed;        /* the fixed counter, or -1 */
	uint32_t general; /* mask of general counters */
	/*
	 * While it counts, each thread of a shared core has only half of the
	 * general counters (the kernel's workaround for an erratum).
	 */
	bool leaks;
};

/* config is the event's config on this core's PMU. */
struct td_placement td_uarch_place(enum td_uarch uarch, uint64_t config);

/* The extra register of config1.  Events with the same config1 share it. */
enum td_register {
	TD_REGISTER_NONE,
	TD_REGISTER_OFFCORE, /* the hardware has two of them */
	TD_REGISTER_LATENCY,
	TD_REGISTER_FRONTEND,
	TD_REGISTER_SNOOP_0,
	TD_REGISTER_SNOOP_1,
};
enum td_register td_uarch_register(uint64_t config, uint64_t config1);

#endif
