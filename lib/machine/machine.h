/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/machine: the machine that is counted.
 *
 * In: sysfs and proc, the running kernel's or saved copies.
 * Out: struct td_machine: its CPUs, its PMUs with their formats and events, and
 * the core behind each PMU. Plain data; no counter is opened.
 */
#ifndef TD_LIB_MACHINE_MACHINE_H
#define TD_LIB_MACHINE_MACHINE_H

#include "lib/machine/cpu.h"
#include "lib/machine/pmu.h"

/* A machine as sysfs and proc, or a recording, describe it. */
struct td_machine {
	struct td_cpuid cpuid;
	const struct td_model *model; /* NULL if it is not in the table */
	char release[65];             /* of the kernel, as uname -r */
	unsigned int kernel;          /* td_kernel_version(); 0: not known */
	struct td_ints online;
	bool smt;          /* cores have more than one thread */
	bool has_pmem;     /* has persistent memory */
	bool nmi_watchdog; /* it takes a cycles counter of every CPU */
	/*
	 * Virtual machines have the core PMUs for themselves while they run, and
	 * none can start while anybody counts guests
	 * (perf_create_mediated_pmu() in kernel/events/core.c, since Linux 7.0).
	 */
	bool guests_have_pmus;
	struct td_pmu *pmus; /* core PMUs first, cpu_core before others */
	size_t nr_core, nr_pmus;
	bool has_others; /* the PMUs that are not core's were read */
	/*
	 * Set if proc or sysfs is not mounted: no_identity if the processor is
	 * unknown, no_sysfs if no PMU is known; online then holds the CPUs that
	 * this program may run on.
	 */
	struct td_err no_identity, no_sysfs;
};

/*
 * cpuid is the identity to assume, in perf's form; NULL reads the real one.  An
 * error leaves *machine empty.
 */
int td_machine_read(const struct td_sysfs *fs, const char *cpuid,
		    struct td_machine *machine, struct td_err *err);
/*
 * made_up.c: a machine with this processor, of which only what the model tells
 * is known: the PMUs of its cores with their formats, SLOTS and the fields of
 * PERF_METRICS, and one CPU of each kind.  The types of all PMUs but the first
 * are those that the kernel usually gives.  A model that is not in the table has
 * one PMU.
 */
int td_machine_make_up(const struct td_cpuid *cpuid, struct td_machine *machine,
		       struct td_err *err);
/* The CPUs that are online now; free with td_ints_free(). */
int td_online_read(const struct td_sysfs *fs, struct td_ints *online,
		   struct td_err *err);
/*
 * Adds CPUs that have come online to those of the machine, and to the PMUs that
 * they belong to, which have to be there already.  Sets added to those that found
 * a PMU of their cores; free it with td_ints_free().
 */
int td_machine_add_cpus(const struct td_sysfs *fs, struct td_machine *machine,
			const struct td_ints *cpus, struct td_ints *added,
			struct td_err *err);
/* Returns 0, or the reason why a part of the machine is unknown. */
int td_machine_check_known(const struct td_machine *machine,
			   struct td_err *err);
/*
 * Adds the PMUs that every kernel has (software, tracepoint, breakpoint) and
 * tdstat's own "tool", unless they are there already.
 */
int td_machine_add_builtin(struct td_machine *machine, struct td_err *err);
/*
 * Adds the other PMUs in sysfs (uncore, power) that the name means, by
 * td_pmu_matches(), or for NULL all.  Each must be readable.
 */
int td_machine_read_others(const struct td_sysfs *fs, const char *name,
			   struct td_machine *machine, struct td_err *err);
/* The number of core PMUs that are not skipped. */
size_t td_machine_count_kinds(const struct td_machine *machine);
/* Return an index in pmus, or -1. */
int td_machine_find_pmu(const struct td_machine *machine, const char *name);
int td_machine_find_type(const struct td_machine *machine, uint32_t type);
void td_machine_free(struct td_machine *machine);

#endif
