/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/machine: the machine that is counted.
 *
 * In: sysfs and proc of the running kernel, or saved copies.
 * Out: struct td_machine: its CPUs, its PMUs with their formats and events, and the core of each
 * PMU.  Plain data; no counter is opened.
 */
#pragma once

#include "lib/machine/cpu.h"
#include "lib/machine/pmu.h"

/* A machine as sysfs and proc, or a recording, describe it. */
struct td_machine {
	struct td_cpuid cpuid;
	const struct td_model *model; /* NULL if it is not in the table */
	char release[65];             /* release of the kernel (uname -r) */
	unsigned int kernel;          /* td_kernel_version(); 0: unknown */
	struct td_ints online;
	bool smt;           /* cores have more than one thread */
	bool has_pmem;      /* has persistent memory */
	bool nmi_watchdog;  /* the NMI watchdog uses a counter for cycles on every CPU */
	bool idle_watchdog; /* it is on, but does not: td_watchdog_is_idle() */
	/*
	 * virtual machines own the core PMUs while they run, and none can start while guests are
	 * counted (perf_create_mediated_pmu() in kernel/events/core.c, since Linux 7.0)
	 */
	bool guests_have_pmus;
	struct td_pmu *pmus; /* core PMUs first, cpu_core before others */
	size_t nr_core, nr_pmus;
	bool has_others; /* all PMUs that are not of cores were read */
	/*
	 * set if proc or sysfs is not mounted: no_identity if the processor is unknown, no_sysfs if
	 * no PMU is known; then online has the CPUs on which this program may run
	 */
	struct td_err no_identity, no_sysfs;
};

/*
 * Reads the machine and its core PMUs.  cpuid is the identity to assume, as in perf;
 * NULL: read the real one.  *machine is empty after an error.
 */
int td_machine_read(const struct td_sysfs *fs, const char *cpuid, struct td_machine *machine,
		    struct td_err *err);
/*
 * Simulates a machine with this processor: the PMUs of its cores with their formats, SLOTS and the
 * fields of PERF_METRICS, and one CPU of each core type.  The numeric types of further PMUs are
 * those that the kernel usually assigns.  A model that is not in the table has one PMU.
 */
void td_machine_make_up(const struct td_cpuid *cpuid, struct td_machine *machine);
/* Returns the terms in sysfs of an event of a core, "event=0x3c"; NULL: unknown, or scaled. */
const char *td_machine_event_terms(const struct td_machine *machine, const struct td_pmu *pmu,
				   const char *event);
/* Reads the CPUs that are online now; free with td_ints_free(). */
int td_online_read(const struct td_sysfs *fs, struct td_ints *online, struct td_err *err);
/*
 * Adds CPUs that have come online to the machine and to its existing PMUs.  Sets *added to
 * those CPUs that have a core PMU; free it with td_ints_free().
 */
int td_machine_add_cpus(const struct td_sysfs *fs, struct td_machine *machine,
			const struct td_ints *cpus, struct td_ints *added, struct td_err *err);
/* Returns 0, or the reason why a part of the machine is unknown. */
int td_machine_check_known(const struct td_machine *machine, struct td_err *err);
/*
 * Adds the PMUs that every kernel has (software, tracepoint, breakpoint) and
 * tdstat's own "tool", unless they are there already.
 */
void td_machine_add_builtin(struct td_machine *machine);
/*
 * Adds the other PMUs in sysfs (uncore, power) that match the name (td_pmu_matches()), or
 * all for NULL.  Each must be readable.
 */
int td_machine_read_others(const struct td_sysfs *fs, const char *name, struct td_machine *machine,
			   struct td_err *err);
/* Returns the number of core PMUs that are not skipped. */
size_t td_machine_count_kinds(const struct td_machine *machine);
/* Return the index in pmus of the PMU with this name or type, or -1. */
int td_machine_find_pmu(const struct td_machine *machine, const char *name);
int td_machine_find_type(const struct td_machine *machine, uint32_t type);
void td_machine_free(struct td_machine *machine);
