/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FORMULA_LITERALS_H
#define TD_METRICS_FORMULA_LITERALS_H

#include <stdbool.h>

#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"

/* What formulas may know of the machine, "#num_cores".  NaN: not known. */
struct td_literals {
	double smt_on;    /* 0 or 1 */
	double core_wide; /* 1: all threads of the cores are counted */
	double num_cpus, num_cpus_online;
	double num_cores, num_dies, num_packages;
	double system_tsc_freq; /* Hz */
	double has_pmem;        /* 0 or 1 */
};

/* places: one a CPU of machine->online; NULL: not known.  tsc_hz 0: not known. */
void td_literals_fill(struct td_literals *out, const struct td_machine *machine,
		      const struct td_place *places, uint64_t tsc_hz,
		      bool core_wide);
/* name: "#num_cores", in any case.  -ENOENT: there is no such literal. */
int td_literals_find(const struct td_literals *literals, const char *name,
		     double *out);

#endif
