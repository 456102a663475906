/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/sysfs.h"
#include "lib/machine/uarch.h"

#define TD_NR_CONFIGS 4 /* config, config1, config2, config3 */

/* A format file: a term, its config word, and its bits in that word. */
struct td_format {
	char *name;
	int word;
	uint64_t mask;
};

/* Returns 0 to 3 for "config" to "config3", else -1. */
int td_config_word(const char *name);
/* Parses a text such as "config1:0-15,40-47".  Returns 0 or -EINVAL. */
int td_format_parse(const char *text, struct td_format *out);
/*
 * Puts value into the bits of the format, low bits first, across split ranges.
 * Returns -ERANGE if the value has too many bits.
 */
int td_format_pack(const struct td_format *format, uint64_t value, uint64_t config[TD_NR_CONFIGS]);

/* A file of a PMU with an event.  Its terms are such as "event=0x00,umask=0x4". */
struct td_alias {
	char *name, *terms;
	char *unit;   /* NULL if there is no .unit file */
	double scale; /* 1 if there is no .scale file */
};

enum td_pmu_kind {
	TD_PMU_CORE,     /* cpu, cpu_core, cpu_atom, cpu_lowpower */
	TD_PMU_SOFTWARE, /* software events of the kernel, which fit into any group */
	TD_PMU_TOOL,     /* events that tdstat measures itself */
	/*
	 * ibs_op, ibs_fetch: AMD's instruction-based sampling.  They sample tasks or CPUs,
	 * always in user space and the kernel, and cannot count.
	 */
	TD_PMU_IBS,
	TD_PMU_OTHER, /* uncore, power, ... */
};

struct td_pmu {
	char *name;
	uint32_t type;
	enum td_pmu_kind kind;
	struct td_ints cpus; /* the online CPUs on which its events are opened */
	struct td_format *formats;
	size_t nr_formats;
	struct td_alias *aliases;
	size_t nr_aliases;
	char **recorded; /* in a recording: names of the events that were counted */
	size_t nr_recorded;
	enum td_uarch uarch;
	bool of_dies;        /* counts for one of several dies of a socket */
	bool skip;           /* not requested, so it is neither counted nor shown */
	int held_general;    /* td_find_held(): number of other programs' general counters */
	uint32_t held_fixed; /* td_find_held(): TD_FIXED() mask of other programs' counters */
	int held_cpu; /* td_find_held(): where they are held, if not on the first CPU; else 0 */
};

enum td_pmu_kind td_pmu_kind(const char *name);
/*
 * Returns the length of a name without the suffix that distinguishes units of one type: 10
 * for "uncore_cha_12", 9 for "uncore_ha_1f003800"; the length of a name without a suffix.
 */
size_t td_pmu_stem_length(const char *name);
/*
 * Does pattern match the name pmu?  "uncore_imc" and "imc" match uncore_imc_0 and so on, and
 * globs are supported, as in perf (perf_pmu__match()).
 */
bool td_pmu_matches(const char *pmu, const char *pattern);
/*
 * Is there a PMU with this name?  Text after a '/' is ignored.  If fs is NULL, there are no PMUs.
 */
bool td_pmu_exists(const struct td_sysfs *fs, const char *name);
/*
 * Reads bus/event_source/devices/<name>.  A PMU without a cpus or cpumask file has
 * all CPUs of online.  Call td_pmu_free() even after an error.
 */
int td_pmu_read(const struct td_sysfs *fs, const char *name, const struct td_ints *online,
		struct td_pmu *pmu, struct td_err *err);
/* Reads only the CPUs into pmu->cpus, which must be empty. */
int td_pmu_read_cpus(const struct td_sysfs *fs, struct td_pmu *pmu, const struct td_ints *online,
		     struct td_err *err);
void td_pmu_free(struct td_pmu *pmu);

const struct td_alias *td_pmu_alias(const struct td_pmu *pmu, const char *name);
/* Is the event listed in sysfs, or counted in the recording? */
bool td_pmu_has_event(const struct td_pmu *pmu, const char *name);
/*
 * Returns the config of a PERF_TYPE_HARDWARE or _HW_CACHE event, with the PMU's type in
 * bits 63:32 on a hybrid machine.
 */
uint64_t td_pmu_config(const struct td_pmu *pmu, uint64_t config);
/* Does the PMU have SLOTS, and with it the fields of PERF_METRICS? */
bool td_pmu_has_slots(const struct td_pmu *pmu);
/* Removes SLOTS and the fields of PERF_METRICS, which cannot be counted. */
void td_pmu_forget_slots(struct td_pmu *pmu);
const struct td_format *td_pmu_format(const struct td_pmu *pmu, const char *name);

/*
 * Packs a value like td_format_pack(), for an event with several terms.  bits contains the
 * bits that were set, a word for each format of the PMU, initially zero.  Formats may overlap
 * (thresh and occ_invert of Skylake's PCU), so bits that other terms set are kept.  Returns
 * -EEXIST if a bit would be set twice.
 */
int td_pmu_pack(const struct td_pmu *pmu, const struct td_format *format, uint64_t value,
		uint64_t config[TD_NR_CONFIGS], uint64_t *bits);
