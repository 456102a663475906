// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host can forbid single events to its guests (KVM_SET_PMU_EVENT_FILTER): they
 * open, run and count 0.
 */
#include <math.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/eval/parts.h"

/* With so many slots or uops, each of these counts something. */
#define SURELY 1e9

static bool is_never_0(const struct td_event_def *def)
{
	static const char *const ids[] = {
		"slots",     "retiring",  "be_bound",
		"fe_bound",  "heavy_ops", "br_mispredict",
		"mem_bound", "no_uops",   "fetch_lat",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(ids); i++) {
		if (strcmp(def->id, ids[i]) == 0)
			return true;
	}
	return false;
}

bool td_eval_is_filtered(const struct td_evaluation *e,
			 const struct td_metric *metric)
{
	const struct td_tree *tree = e->tree;
	bool zero = false;
	double most = 0;

	/* user space alone may have loops without a mispredict */
	if (!tree->sets[metric->pmu]->general || e->part)
		return false;
	for (size_t i = 0; i < tree->nr_operands; i++) {
		const struct td_operand *operand = &tree->operands[i];
		const struct td_total *total;

		if (operand->pmu != metric->pmu || !operand->event ||
		    !operand->events.nr || !is_never_0(operand->event))
			continue;
		total = &e->totals[operand->events.v[0]];
		most = fmax(most, total->value);
		zero |= total->value == 0 && total->running_ns &&
			td_ints_has(&metric->events, operand->events.v[0]);
	}
	return zero && most >= SURELY;
}
