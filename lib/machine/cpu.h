/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_CPU_H
#define TD_LIB_MACHINE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/machine/sysfs.h"

#define TD_MAX_CPU 65535

struct td_cpuid {
	char vendor[16];
	unsigned int family, model, stepping;
	bool hypervisor; /* the processor says that it is a guest's */
};

/* perf's form, "GenuineIntel-6-97-2": family decimal, model and stepping hex. */
int td_cpuid_parse(const char *text, struct td_cpuid *out, struct td_err *err);
void td_cpuid_format(const struct td_cpuid *cpuid, char buf[48]);
/* From the first processor of proc's cpuinfo. */
int td_cpuid_read(const struct td_sysfs *fs, struct td_cpuid *out,
		  struct td_err *err);

/* Of the time-stamp counter, as CPUID leaf 0x15 has it; 0: it does not say. */
uint64_t td_tsc_hz(void);

#define TD_MAX_CACHE 4

/* Where a CPU sits.  Ids as the kernel gives them; -1: it does not say. */
struct td_place {
	int cpu, core, cluster, die, socket, node;
	/* of level 1 + the index: the first of the CPUs that share it */
	int cache[TD_MAX_CACHE];
};

/* One entry a CPU of cpus, in its order; *out to be freed. */
int td_places_read(const struct td_sysfs *fs, const struct td_ints *cpus,
		   struct td_place **out, struct td_err *err);
/* Fills in the caches, which only few want to know. */
int td_places_read_caches(const struct td_sysfs *fs, struct td_place *places,
			  size_t nr, struct td_err *err);
/* All hardware threads that share a core with one of cpus. */
int td_cpu_siblings(const struct td_sysfs *fs, const struct td_ints *cpus,
		    struct td_ints *out, struct td_err *err);

#endif
