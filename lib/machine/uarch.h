/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_UARCH_H
#define TD_LIB_MACHINE_UARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Intel's core microarchitectures, as far as counters and slots differ. */
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

/* Which core a model has behind which PMU; UNKNOWN: it has no such PMU. */
struct td_model {
	unsigned int family, model;
	const char *name;
	enum td_uarch core, atom, lowpower;
	/* A Linux that knows the model where 6.1 does not, else NULL. */
	const char *linux_since;
};

/* NULL: not in the table. */
const struct td_model *td_model_find(unsigned int family, unsigned int model);
bool td_model_is_hybrid(const struct td_model *model);
/* The core behind a PMU of that name; model may be NULL. */
enum td_uarch td_model_uarch(const struct td_model *model, const char *pmu);

const char *td_uarch_name(enum td_uarch uarch);
/* Pipeline slots a cycle; 0: not published. */
int td_uarch_width(enum td_uarch uarch);
/*
 * General counters of a thread; for unknown cores what all of them have.
 * Sandy Bridge to Skylake: four, as with hyper-threading.  Without it
 * silicon has eight, but virtual machines do not, and a group that is too
 * large for them beside the NMI watchdog opens and never counts.
 */
int td_uarch_general(enum td_uarch uarch);

/* Where the hardware can count an event. */
struct td_placement {
	bool metric;      /* a field of PERF_METRICS: costs no counter */
	int fixed;        /* a fixed counter, -1: none */
	uint32_t general; /* mask of general counters */
	/*
	 * While it counts, a thread has half of the general counters, if it
	 * shares its core (the kernel's way round an erratum).
	 */
	bool leaks;
};

/* config as the kernel gets it, of an event on this core's PMU. */
struct td_placement td_uarch_place(enum td_uarch uarch, uint64_t config);

/* Where an event's config1 goes.  Events of one value share a register. */
enum td_register {
	TD_REGISTER_NONE,
	TD_REGISTER_OFFCORE, /* there are two of them */
	TD_REGISTER_LATENCY,
	TD_REGISTER_FRONTEND,
	TD_REGISTER_SNOOP_0,
	TD_REGISTER_SNOOP_1,
};
enum td_register td_uarch_register(uint64_t config, uint64_t config1);

#endif
