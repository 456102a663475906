/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/recording/perf: reads what perf stat -x and -j wrote.
 *
 * In: their lines (6.1 to 7.2; with or without -I, any aggregation, cgroups).
 * Out: a struct td_recording like that of our own recordings, with events as of
 * -e.  Metrics are left out, as they are computed anew.
 */
#ifndef TD_LIB_RECORDING_PERF_PERF_H
#define TD_LIB_RECORDING_PERF_PERF_H

#include "lib/recording/recording.h"

/* --- output.c ------------------------------------------------------------- */

/*
 * Reads rec->fp from its beginning to its end, and fills rec->perf and all that
 * the first line of a recording has.  A last line that was cut off is dropped.
 * Returns 1, with rec->fp at its beginning, if perf did not write the file.
 * -EINVAL if the file is wrong (the error names the line), or for a pipe that
 * is neither perf's nor a recording.
 */
int td_perf_output_open(struct td_recording *rec, struct td_err *err);
/* Does the same as td_recording_next(). */
int td_perf_output_next(struct td_recording *rec, uint64_t *time_ns,
			struct td_readings *readings, struct td_err *err);
void td_perf_output_free(struct td_perf_file *file);

/* --- task.c --------------------------------------------------------------- */

/*
 * Finds out whether the file, opened and with the PMUs of its events known, has the
 * counts of a command on a hybrid.  They are then of a task, which has its kinds of core
 * in turn.  Returns 0 or -ENOMEM.
 */
int td_perf_find_command(struct td_recording *rec);

/* --- name.c --------------------------------------------------------------- */

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
