/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/machine: the machine that is counted.
 *
 * In: sysfs and proc, the running kernel's or saved copies.
 * Out: struct td_machine: its CPUs, its PMUs with their fields and events, and
 * which core is behind each PMU.  Plain data, no counter is opened.
 */
#ifndef TD_LIB_MACHINE_MACHINE_H
#define TD_LIB_MACHINE_MACHINE_H

#include "lib/machine/cpu.h"
#include "lib/machine/pmu.h"

/* What there is to count on: as sysfs and proc describe it, or a recording. */
struct td_machine {
	struct td_cpuid cpuid;
	const struct td_model *model; /* NULL: not in the table */
	char release[65];             /* of the kernel */
	struct td_ints online;
	bool smt;            /* hardware threads share cores */
	bool has_pmem;       /* persistent memory */
	bool nmi_watchdog;   /* holds a cycles counter of every CPU */
	struct td_pmu *pmus; /* core PMUs with CPUs, cpu_core first; others */
	size_t nr_core, nr_pmus;
	bool has_others; /* td_machine_read_others() was here */
	/*
	 * Where sysfs or proc is not there: why the processor is not known, and
	 * why no PMU is, nor which CPUs are online: then those that this program
	 * may run on.
	 */
	struct td_err no_identity, no_sysfs;
};

/* cpuid: the identity to assume, in perf's form; NULL: the processor's own. */
int td_machine_read(const struct td_sysfs *fs, const char *cpuid,
		    struct td_machine *machine, struct td_err *err);
/* 0, or why not all of it is known. */
int td_machine_check_known(const struct td_machine *machine,
			   struct td_err *err);
/*
 * Adds what every kernel has (software, tracepoint, breakpoint) and the tools'
 * own PMU.  Twice is once.
 */
int td_machine_add_builtin(struct td_machine *machine, struct td_err *err);
/* Adds all other PMUs of sysfs, each of which must be readable: uncore, ... */
int td_machine_read_others(const struct td_sysfs *fs,
			   struct td_machine *machine, struct td_err *err);
/* How many kinds of core there are that were not left out. */
size_t td_machine_count_kinds(const struct td_machine *machine);
/* Indices, -1: none such. */
int td_machine_find_pmu(const struct td_machine *machine, const char *name);
int td_machine_find_type(const struct td_machine *machine, uint32_t type);
void td_machine_free(struct td_machine *machine);

#endif
