/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/sysfs.h"

#define TD_MAX_CPU 65535

struct td_cpuid {
	char vendor[16];
	unsigned int family, model, stepping;
	bool hypervisor; /* the CPUID hypervisor flag: this is a guest */
};

/*
 * Parses an identity as in perf, "GenuineIntel-6-97-2": the family is decimal, model and stepping
 * are hexadecimal.  An invalid text is a usage error.
 */
int td_cpuid_parse(const char *text, struct td_cpuid *out, struct td_err *err);
void td_cpuid_format(const struct td_cpuid *cpuid, char buf[48]);
/* Are both the same processor model?  Whether one is in a guest makes no difference. */
bool td_cpuid_is_same(const struct td_cpuid *a, const struct td_cpuid *b);
/* Reads the identity of the first processor in /proc/cpuinfo. */
int td_cpuid_read(const struct td_sysfs *fs, struct td_cpuid *out, struct td_err *err);

/* Returns the frequency of the time-stamp counter from CPUID leaf 0x15; 0 if unknown. */
uint64_t td_tsc_hz(void);

#define TD_MAX_CACHE 4

/* The place of a CPU in the machine, with the kernel's ids; -1 if unknown. */
struct td_place {
	int cpu, core, cluster, die, socket, node;
	int cache[TD_MAX_CACHE]; /* for level - 1: the lowest CPU that shares the cache */
};

/* Reads the places of cpus, in the same order.  The caller frees *out. */
int td_places_read(const struct td_sysfs *fs, const struct td_ints *cpus, struct td_place **out,
		   struct td_err *err);
/* Are the first two CPUs in the list that share a socket in different dies? */
bool td_cpus_are_of_dies(const struct td_sysfs *fs, const struct td_ints *cpus);
/* Fills in td_place.cache, which few callers need. */
int td_places_read_caches(const struct td_sysfs *fs, struct td_place *places, size_t nr,
			  struct td_err *err);
/*
 * Restores the previous places of the nr CPUs in before, including CPUs that are offline
 * now.  all also contains the CPUs that have come online.
 */
void td_places_keep(struct td_place *all, size_t nr_all, const struct td_place *before, size_t nr);
/* Lists all hardware threads of the cores to which cpus belong. */
int td_cpu_siblings(const struct td_sysfs *fs, const struct td_ints *cpus, struct td_ints *out,
		    struct td_err *err);

/*
 * Time in user mode and in the kernel, in nanoseconds, with the resolution of the
 * kernel's clock tick.
 */
struct td_cpu_times {
	uint64_t user_ns, system_ns;
};

/* Reads the total time of CPUs since boot from /proc/stat; cpus NULL means all. */
int td_cpu_times_read(const struct td_sysfs *fs, const struct td_ints *cpus,
		      struct td_cpu_times *out, struct td_err *err);
/* Reads the total time of processes and their ended children.  Returns false if a process ended. */
bool td_cpu_times_read_pids(const struct td_sysfs *fs, const struct td_ints *pids,
			    struct td_cpu_times *out);
