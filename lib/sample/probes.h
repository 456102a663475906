/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_PROBES_H
#define TD_LIB_SAMPLE_PROBES_H

#include "lib/sample/symbols.h"

/*
 * Probes where functions begin and where they are left: the kernel's dynamic events.
 * They stop at an instruction and change neither stack nor code that the program sees,
 * so exceptions may pass them.  Return probes would: they put another return address on
 * the stack, which no unwinder knows.  Only functions of the kernel have those.  Those that perf_event_open(2) makes by itself (the PMU uprobe)
 * cannot be inherited: the kernel reads their path in the memory of whoever forks,
 * and the fork fails (perf_uprobe_init() in kernel/trace/trace_event_perf.c).
 */
struct td_probes {
	/* perf_event_attr.config of two tracepoints each */
	struct td_probe {
		uint64_t entry, exit;
	} * v;
	size_t nr;
	const char *root; /* of tracefs */
	int events;       /* the open file of tracefs; -1: there is none */
	bool kernel;      /* they are of functions of the kernel */
};

/* -EINVAL, with the reason, if it is not known where one of them is left. */
int td_probes_check(const struct td_entry_point *entries, size_t nr,
		    struct td_err *err);
/*
 * The entries are all of files, or all of the kernel.  Defines them, and removes those
 * of a tdstat that has been killed.  -EACCES if this user may not; what
 * td_probes_check() says.  Close them even after an error, when no event uses them any
 * more.
 */
int td_probes_open(struct td_probes *probes,
		   const struct td_entry_point *entries, size_t nr,
		   struct td_err *err);
/* Returns of a function of the kernel that it could not probe: 0 of others. */
uint64_t td_probes_missed(const struct td_probes *probes, size_t number);
/*
 * How often the function of a probe was entered while any event used it, on or off.
 * Of the kernel's it is all programs.  Before Linux 6.11 some of what several CPUs do
 * at once is missing.  0: unknown.
 */
uint64_t td_probes_hits(const struct td_probes *probes, size_t number);
void td_probes_close(struct td_probes *probes);

#define TD_NR_INTERRUPTS 6

/*
 * Finds the tracepoints at the beginning and the end of interrupts: of devices, of
 * softirqs, of the local timer, and of what CPUs ask of each other.  -EACCES if this
 * user may not read tracefs, -ENODEV or -ENOENT if the kernel lacks one of them.
 */
int td_interrupts_find(struct td_probe out[TD_NR_INTERRUPTS],
		       struct td_err *err);

#endif
