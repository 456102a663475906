/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REPLAY_PARTS_H
#define TD_CMD_REPLAY_PARTS_H

#include "cmd/request.h"
#include "lib/base/err.h"
#include "lib/machine/machine.h"
#include "lib/recording/recording.h"

/* --- imported.c: a recording of a tree from a file of perf stat ----------- */

/*
 * A file of perf stat names neither the processor nor, always, the PMU of an
 * event.  Here it becomes a recording of a tree, if its counts can be one:
 *
 * - PMUs are those that the names begin with; else those of --model, where only
 *   one of its kinds of core has an event of that name; else "cpu".
 * - The core of a PMU is that of --model.  Without it, the events that formulas
 *   correct shares with tell Golden Cove and Ice Lake; other cores with SLOTS are
 *   not corrected.  The width of E-cores is in no event: they need --model.
 * - Where CPU_CLK_UNHALTED.DISTRIBUTED was counted, formulas use it as with
 *   hyper-threading: without, it counts the same as the cycles of the thread.
 * - An event that is in several groups is that of the first.
 */
struct td_imported {
	bool tree;     /* rec was made one of a tree */
	bool no_files; /* the model has no files, or is not known */
	/* nothing tells whether cores have two threads: rec->machine.smt is not */
	bool smt_unknown;
	char **names; /* of its events, as perf wrote them */
	size_t nr;
};

/*
 * Makes rec a recording of a tree if it has top-down events, or if --model says
 * whose events they are; else it stays one of events.  -ENOMEM, or the usage error
 * of --model.  Free imported even then.
 */
int td_import_tree(struct td_imported *imported, struct td_recording *rec,
		   const struct td_request *request, struct td_err *err);
/* Makes it one of events again, as its counts do not suffice. */
void td_import_undo(struct td_imported *imported, struct td_recording *rec);
void td_imported_free(struct td_imported *imported);

/* --- imported_cores.c: the cores of such a file --------------------------- */

/* "slots", "topdown-retiring", "TOPDOWN_RETIRING.ALL"; without PMU and modifiers. */
bool td_imported_is_topdown(const char *id);
/*
 * Sets the core of a PMU that knows the events that were counted: the model's, or
 * the one whose formulas use them.  UNKNOWN where the events are missing by which
 * its shares would be corrected.  Returns 0 or -ENOMEM.
 */
int td_imported_find_core(const struct td_machine *machine, struct td_pmu *pmu);
/* The event that such a core is corrected by, if it was not counted; else NULL. */
const char *td_imported_lacks(const struct td_pmu *pmu, enum td_uarch uarch);
/*
 * The first of SLOTS and the fields of level 1 that was not counted; NULL if all
 * were, or none.
 */
const char *td_imported_missing(const struct td_pmu *pmu);

#endif
