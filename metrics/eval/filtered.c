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
		"slots",     "retiring",      "be_bound",  "fe_bound",
		"heavy_ops", "br_mispredict", "mem_bound", "no_uops",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(ids); i++) {
		if (strcmp(def->id, ids[i]) == 0)
			return true;
	}
	return false;
}

/* Counts are those of all the time, of which an event may have run a part. */
static double part_of_time(const struct td_total *total)
{
	return total->enabled_ns
		       ? (double)total->running_ns / (double)total->enabled_ns
		       : 0;
}

bool td_eval_is_filtered(const struct td_evaluation *e,
			 const struct td_metric *metric)
{
	const struct td_tree *tree = e->tree;
	const struct td_metric_set *set = tree->sets[metric->pmu];
	double most = 0, zero_part = 0;

	/* user space alone may have loops without a mispredict */
	if (!set || !set->general || e->part)
		return false;
	for (size_t i = 0; i < tree->nr_operands; i++) {
		const struct td_operand *operand = &tree->operands[i];
		const struct td_total *total;

		if (operand->pmu != metric->pmu || !operand->event ||
		    !operand->events.nr || !is_never_0(operand->event))
			continue;
		total = &e->totals[operand->events.v[0]];
		most = fmax(most, total->value);
		if (total->value == 0 &&
		    td_ints_has(&metric->events, operand->events.v[0]))
			zero_part = fmax(zero_part, part_of_time(total));
	}
	/* while the event ran, that is */
	return most * zero_part >= SURELY;
}
