/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about models and cores, from the rows that vendor.h describes. */
#pragma once

#include "lib/machine/cpu.h"
#include "lib/machine/vendor.h"

/* Returns the model of a processor, or NULL if it is not in the tables. */
const struct td_model *td_model_find(const struct td_cpuid *cpuid);
/* Returns the model at index, and sets *cpuid to its identity; NULL after the last one. */
const struct td_model *td_model_at(size_t index, struct td_cpuid *cpuid);
bool td_model_is_hybrid(const struct td_model *model);
/* Returns the core of the PMU with this name; model may be NULL. */
enum td_uarch td_model_uarch(const struct td_model *model, const char *pmu);

/* Returns the core as td_model_uarch() does; for unknown models, the vendor's default. */
enum td_uarch td_uarch_find(const struct td_cpuid *cpuid, const struct td_model *model,
			    const char *pmu);

/* Return the vendor or core; an almost empty one if it is unknown, never NULL. */
const struct td_vendor *td_vendor_of(const struct td_cpuid *cpuid);
const struct td_core *td_core_of(enum td_uarch uarch);

/* Does the core have any of these traits? */
static inline bool td_uarch_has(enum td_uarch uarch, unsigned int traits)
{
	return td_core_of(uarch)->traits & traits;
}

const char *td_uarch_name(enum td_uarch uarch);
/* Returns the pipeline slots per cycle; 0 if not published. */
int td_uarch_width(enum td_uarch uarch);
/*
 * Returns the number of general counters of a thread; for unknown cores, the number that
 * all have.  It is four for Sandy Bridge to Skylake, even without hyper-threading, where
 * the hardware has eight: virtual machines do not, and a group that is too large because of
 * the NMI watchdog opens but never counts.
 */
int td_uarch_general(enum td_uarch uarch);

/* The counters that can count an event. */
struct td_placement {
	bool metric;      /* a field of PERF_METRICS, which uses no counter */
	int fixed;        /* the fixed counter, or -1 */
	uint32_t general; /* mask of general counters */
	/*
	 * While the event counts, each thread of a core with two threads has only half of
	 * the general counters (the kernel's workaround for an erratum).
	 */
	bool leaks;
};

/*
 * Returns the counters for the event's config on the PMU of this core.  The general counters are
 * those that the kernel with this td_kernel_version() allows; 0: that all kernels allow.
 */
struct td_placement td_uarch_place(enum td_uarch uarch, uint64_t config, unsigned int kernel);
/* May this kernel choose a counter that miscounts the event, which only later kernels avoid? */
bool td_uarch_miscounts(enum td_uarch uarch, uint64_t config, unsigned int kernel);

/* The extra register that config1 is written to.  Events with the same config1 share it. */
enum td_register {
	TD_REGISTER_NONE,
	TD_REGISTER_OFFCORE, /* the hardware has two of them */
	TD_REGISTER_LATENCY,
	TD_REGISTER_FRONTEND,
	TD_REGISTER_SNOOP_0,
	TD_REGISTER_SNOOP_1,
};
enum td_register td_uarch_register(uint64_t config, uint64_t config1);
