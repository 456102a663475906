/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_LEVELS_H
#define TD_TEST_LEVELS_H

#include "metrics/tree/tree.h"

/* Builds the built-in tree down to level, from static tables alone. */
static inline int test_build_levels(struct td_tree *tree, struct td_plan *plan,
				    const struct td_machine *machine, int level, bool fixed,
				    struct td_err *err)
{
	const struct td_ask ask = { .level = level };
	struct td_literals literals;
	struct td_sets sets;
	const struct td_tree_setup setup = {
		.machine = machine,
		.sets = &sets,
		.ask = &ask,
		.literals = &literals,
		.fixed = fixed,
	};
	int rc;

	td_sets_builtin(&sets, machine);
	td_literals_fill(&literals, machine, NULL, 0, true);
	*tree = (struct td_tree){ 0 };
	rc = td_tree_build(tree, &plan->events, &setup, err);
	td_sets_free(&sets);
	return rc;
}

/* Schedules the tree like levels 1 and 2, with its references. */
static inline int test_plan_levels(struct td_plan *plan, const struct td_machine *machine,
				   const struct td_tree *tree, struct td_err *err)
{
	const struct td_schedule schedule = {
		.needs = tree->needs,
		.nr_needs = tree->nr_needs,
		.references = tree->references,
	};

	return td_plan_build(plan, machine, &schedule, err);
}

#endif
