/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_PERF_NAME_H
#define TD_LIB_RECORDING_PERF_NAME_H

#include "lib/recording/recording.h"

/* The parts of a name that perf prints: "cpu_core/TOPDOWN.SLOTS:u/". */
struct td_perf_spelling {
	char *copy;
	const char *pmu; /* NULL: not given */
	char *id;        /* with terms: "DTLB_LOAD_MISSES.STLB_HIT,cmask=1" */
	const char *mods;
};

/*
 * Not by the grammar of lib/event/spec.h, which refuses what it does not know: a
 * newer perf prints modifiers, and users give names, that it does not have.
 * Returns 0 or -ENOMEM.  The parts borrow from spelling->copy: free that.
 */
int td_perf_spell(const char *name, struct td_perf_spelling *spelling);

/*
 * Joins SLOTS with the fields of PERF_METRICS that follow it in the file, each of
 * which perf can only have counted in such a group.
 */
int td_perf_join_slots(struct td_plan *plan);

#endif
