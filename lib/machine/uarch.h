/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of models and cores, from the rows that vendor.h describes. */
#ifndef TD_LIB_MACHINE_UARCH_H
#define TD_LIB_MACHINE_UARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/machine/cpu.h"
#include "lib/machine/vendor.h"

/* Returns NULL if the processor is not in the tables. */
const struct td_model *td_model_find(const struct td_cpuid *cpuid);
/* Also sets *cpuid to its identity; NULL behind the last one. */
const struct td_model *td_model_at(size_t index, struct td_cpuid *cpuid);
bool td_model_is_hybrid(const struct td_model *model);
/* The core behind the PMU of this name; model may be NULL. */
enum td_uarch td_model_uarch(const struct td_model *model, const char *pmu);

/* The same; of a model that is not in the table, what is known of the vendor's. */
enum td_uarch td_uarch_find(const struct td_cpuid *cpuid,
			    const struct td_model *model, const char *pmu);

/* These are never NULL: one that is not known has next to nothing. */
const struct td_vendor *td_vendor_of(const struct td_cpuid *cpuid);
const struct td_core *td_core_of(enum td_uarch uarch);

/* Has it any of these traits? */
static inline bool td_uarch_has(enum td_uarch uarch, unsigned int traits)
{
	return td_core_of(uarch)->traits & traits;
}

const char *td_uarch_name(enum td_uarch uarch);
/* Pipeline slots per cycle; 0 if it is not published. */
int td_uarch_width(enum td_uarch uarch);
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

/*
 * config is the event's config on this core's PMU.  The general counters are those that
 * the kernel of this td_kernel_version() gives it, or all kernels (0).
 */
struct td_placement td_uarch_place(enum td_uarch uarch, uint64_t config,
				   unsigned int kernel);
/* May the kernel choose a counter that, as later ones know, does not count it? */
bool td_uarch_miscounts(enum td_uarch uarch, uint64_t config,
			unsigned int kernel);

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
