/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_MACHINE_H
#define TD_MACHINE_H

#include "lib/cpu.h"
#include "lib/pmu.h"

/* What there is to count on: as sysfs and proc describe it, or a recording. */
struct td_machine {
	struct td_cpuid cpuid;
	const struct td_model *model; /* NULL: not in the table */
	char release[65];             /* of the kernel */
	struct td_ints online;
	bool smt;            /* hardware threads share cores */
	bool nmi_watchdog;   /* holds a cycles counter of every CPU */
	struct td_pmu *pmus; /* core PMUs with CPUs, cpu_core first */
	size_t nr_pmus;
};

/* cpuid: the identity to assume, in perf's form; NULL: the processor's own. */
int td_machine_read(const struct td_sysfs *fs, const char *cpuid,
		    struct td_machine *machine, struct td_err *err);
void td_machine_free(struct td_machine *machine);

#endif
