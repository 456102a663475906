/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FORMULA_LITERALS_H
#define TD_METRICS_FORMULA_LITERALS_H

#include <stdbool.h>

#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"

/* The literals of formulas, such as "#num_cores".  NaN: not known. */
struct td_literals {
	double smt_on;    /* 0 or 1 */
	double core_wide; /* 1: all threads of each core are counted */
	double num_cpus, num_cpus_online;
	double num_cores, num_dies, num_packages;
	double system_tsc_freq; /* Hz */
	double has_pmem;        /* 0 or 1 */
};

/*
 * places: one for each CPU of machine->online, NULL if not known.  tsc_hz: 0 if
 * not known.
 */
void td_literals_fill(struct td_literals *out, const struct td_machine *machine,
		      const struct td_place *places, uint64_t tsc_hz,
		      bool core_wide);
/*
 * Looks up "#num_cores", in any case.  Returns -ENOENT if there is no such
 * literal.
 */
int td_literals_find(const struct td_literals *literals, const char *name,
		     double *out);

#endif
