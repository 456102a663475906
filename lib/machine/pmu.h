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

#define TD_NR_CONFIGS 4 /* config, config1 to config3 */

/* A term's bits: which config word, and where in it. */
struct td_format {
	char *name;
	int word;
	uint64_t mask;
};

/* An event that sysfs names: "event=0x00,umask=0x4". */
struct td_alias {
	char *name;
	char *terms;
	char *unit;   /* NULL: none */
	double scale; /* 1 where there is no .scale file */
};

enum td_pmu_kind {
	TD_PMU_CORE,     /* cpu, cpu_core, cpu_atom, cpu_lowpower */
	TD_PMU_SOFTWARE, /* the kernel's own: fits into any group */
	TD_PMU_TOOL,     /* counted by who runs the command */
	TD_PMU_OTHER,    /* uncore, power, ... */
};

struct td_pmu {
	char *name;
	uint32_t type;
	enum td_pmu_kind kind;
	struct td_ints cpus; /* online ones it is opened on, system wide */
	struct td_format *formats;
	size_t nr_formats;
	struct td_alias *aliases;
	size_t nr_aliases;
	/* of a recording, which has no aliases: events that were counted */
	char **recorded;
	size_t nr_recorded;
	enum td_uarch uarch;
	bool skip; /* not asked for: nothing of it is counted or shown */
};

enum td_pmu_kind td_pmu_kind(const char *name);
/*
 * Reads bus/event_source/devices/<name>.  A PMU without a cpus or cpumask file
 * has all of online.  Free with td_pmu_free(), whatever the result.
 */
int td_pmu_read(const struct td_sysfs *fs, const char *name,
		const struct td_ints *online, struct td_pmu *pmu,
		struct td_err *err);
void td_pmu_free(struct td_pmu *pmu);

const struct td_alias *td_pmu_alias(const struct td_pmu *pmu, const char *name);
/* Does sysfs name it, or did a recording count it? */
bool td_pmu_has_event(const struct td_pmu *pmu, const char *name);
/* PERF_TYPE_HARDWARE's and _HW_CACHE's: the PMU in [63:32] where it is wanted. */
uint64_t td_pmu_config(const struct td_pmu *pmu, uint64_t config);
/* Are there SLOTS and fields of PERF_METRICS on it? */
bool td_pmu_has_slots(const struct td_pmu *pmu);
const struct td_format *td_pmu_format(const struct td_pmu *pmu,
				      const char *name);

/* "config" to "config3" -> 0 to 3; -1: it is none of these words. */
int td_config_word(const char *name);
/* "config1:0-15,40-47" -> word and mask; -EINVAL for anything else. */
int td_format_parse(const char *text, struct td_format *out);
/*
 * Puts value into the format's bits, low bits first, over split ranges.
 * -ERANGE: it has more bits than the format.
 */
int td_format_pack(const struct td_format *format, uint64_t value,
		   uint64_t config[TD_NR_CONFIGS]);
/*
 * The same for one of several terms; bits: those that they have set, one word a
 * format of the PMU, zero at first.  Formats may overlap (thresh and occ_invert
 * of Skylake's PCU): what the others have set stays.  -EEXIST: it would be set
 * twice.
 */
int td_pmu_pack(const struct td_pmu *pmu, const struct td_format *format,
		uint64_t value, uint64_t config[TD_NR_CONFIGS], uint64_t *bits);

#endif
