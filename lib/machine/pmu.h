/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_PMU_H
#define TD_LIB_MACHINE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/machine/sysfs.h"
#include "lib/machine/uarch.h"

#define TD_NR_CONFIGS 4 /* config, config1, config2, config3 */

/* A format file: the config word of a term and its bits there. */
struct td_format {
	char *name;
	int word;
	uint64_t mask;
};

/* Returns 0 to 3 for "config" to "config3", else -1. */
int td_config_word(const char *name);
/* Parses "config1:0-15,40-47"; -EINVAL for anything else. */
int td_format_parse(const char *text, struct td_format *out);
/*
 * Puts value into the bits of the format, low bits first, across split ranges.
 * -ERANGE if the value has too many bits.
 */
int td_format_pack(const struct td_format *format, uint64_t value,
		   uint64_t config[TD_NR_CONFIGS]);

/* An event file: "event=0x00,umask=0x4". */
struct td_alias {
	char *name;
	char *terms;
	char *unit;   /* NULL if there is no .unit file */
	double scale; /* 1 if there is no .scale file */
};

enum td_pmu_kind {
	TD_PMU_CORE,     /* cpu, cpu_core, cpu_atom, cpu_lowpower */
	TD_PMU_SOFTWARE, /* the kernel's own, fit into any group */
	TD_PMU_TOOL,     /* counted by tdstat itself */
	/*
	 * ibs_op, ibs_fetch: AMD's instruction-based sampling.  They sample tasks or CPUs,
	 * user space and the kernel alike, and count nothing.
	 */
	TD_PMU_IBS,
	TD_PMU_OTHER, /* uncore, power, ... */
};

struct td_pmu {
	char *name;
	uint32_t type;
	enum td_pmu_kind kind;
	struct td_ints cpus; /* its online CPUs; events are opened there */
	struct td_format *formats;
	size_t nr_formats;
	struct td_alias *aliases;
	size_t nr_aliases;
	/* of a recording, which has no aliases: events that were counted */
	char **recorded;
	size_t nr_recorded;
	enum td_uarch uarch;
	bool skip; /* not asked for: not counted, not shown */
	/* counters that other programs hold, found by td_find_held() */
	int held_general;    /* how many of the general ones */
	uint32_t held_fixed; /* a mask of TD_FIXED() */
};

enum td_pmu_kind td_pmu_kind(const char *name);
/*
 * The length of a name without the suffix that tells units of one kind apart:
 * 10 for "uncore_cha_12", 9 for "uncore_ha_1f003800"; all of a name that has no
 * such suffix.
 */
size_t td_pmu_stem_length(const char *name);
/*
 * True if pattern means pmu: "uncore_imc" and "imc" mean uncore_imc_0 and so
 * on, and a glob means what it matches (perf's rule, perf_pmu__match()).
 */
bool td_pmu_matches(const char *pmu, const char *pattern);
/* Is there a PMU of this name, which ends before a '/'?  fs may be NULL: there is none. */
bool td_pmu_exists(const struct td_sysfs *fs, const char *name);
/*
 * Reads bus/event_source/devices/<name>. A PMU without a cpus or cpumask file
 * has all of online.  Free with td_pmu_free(), also after an error.
 */
int td_pmu_read(const struct td_sysfs *fs, const char *name,
		const struct td_ints *online, struct td_pmu *pmu,
		struct td_err *err);
/* Its CPUs alone, into pmu->cpus, which has to be empty. */
int td_pmu_read_cpus(const struct td_sysfs *fs, struct td_pmu *pmu,
		     const struct td_ints *online, struct td_err *err);
void td_pmu_free(struct td_pmu *pmu);

const struct td_alias *td_pmu_alias(const struct td_pmu *pmu, const char *name);
/* Does sysfs name it, or did a recording count it? */
bool td_pmu_has_event(const struct td_pmu *pmu, const char *name);
/*
 * The config of a PERF_TYPE_HARDWARE or _HW_CACHE event, with the PMU's type in
 * bits 63:32 on a hybrid machine.
 */
uint64_t td_pmu_config(const struct td_pmu *pmu, uint64_t config);
/* True if the PMU has SLOTS, and with it the fields of PERF_METRICS. */
bool td_pmu_has_slots(const struct td_pmu *pmu);
/* Forgets SLOTS and the fields of PERF_METRICS, which cannot be counted. */
void td_pmu_forget_slots(struct td_pmu *pmu);
const struct td_format *td_pmu_format(const struct td_pmu *pmu,
				      const char *name);

/*
 * Like td_format_pack(), for an event with several terms.  bits has one word for
 * each format of the PMU, zero at first: the bits that its term has set.
 * Formats may overlap (thresh and occ_invert of Skylake's PCU), so bits of other
 * terms stay.  -EEXIST if a bit would be set twice.
 */
int td_pmu_pack(const struct td_pmu *pmu, const struct td_format *format,
		uint64_t value, uint64_t config[TD_NR_CONFIGS], uint64_t *bits);

#endif
