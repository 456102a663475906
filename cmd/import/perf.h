/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/import: the output of perf stat -x and -j.
 *
 * In: lines of perf 6.1 to 7.2, with or without -I, any aggregation, cgroups.
 * Out: a struct td_recording like that of tdstat record -e.  Metrics are ignored,
 * because tdstat computes them itself.
 */
#pragma once

#include "cmd/replay/parts.h"
#include "lib/machine/machine.h"
#include "lib/recording/recording.h"

/* --- output.c ------------------------------------------------------------- */

/*
 * open() reads rec->fp from its beginning to its end, and fills rec->perf and the
 * contents of a recording's first line.  An incomplete last line is dropped.  Returns
 * -EINVAL for a wrong line, with its number in the error, and for a pipe that is neither
 * perf's nor a recording.
 */
extern const struct td_foreign td_perf_output;

/* --- task.c --------------------------------------------------------------- */

/*
 * Find out whether the file contains counts of a command on a hybrid processor, which are then
 * counts of a task that runs on one core type at a time.  Call after open(), when the PMUs of the
 * events are known.
 */
void td_perf_find_command(struct td_recording *rec);

/* --- name.c --------------------------------------------------------------- */

/* The parts of a name that perf prints: "cpu_core/TOPDOWN.SLOTS:u/". */
struct td_perf_spelling {
	char *copy;
	const char *pmu; /* NULL: not given */
	char *id;        /* includes terms: "DTLB_LOAD_MISSES.STLB_HIT,cmask=1" */
	const char *mods;
	int group; /* the group in the name, which --print-perf adds; -1: none */
};

/*
 * Split a name.  The grammar of lib/event/spec.h would refuse modifiers of newer perfs
 * and names that users gave.  The parts borrow from spelling->copy; free that.
 */
void td_perf_spell(const char *name, struct td_perf_spelling *spelling);

/*
 * Put events whose names contain the same group into one group.  If groups of a PMU repeat an
 * event, make it their reference.
 */
void td_perf_join_groups(struct td_plan *plan, const struct td_perf_spelling *names);
/*
 * Put the fields of PERF_METRICS into the group of the SLOTS that precede them, because
 * perf can only have counted them there.
 */
void td_perf_join_slots(struct td_plan *plan);
