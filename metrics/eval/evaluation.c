// SPDX-License-Identifier: GPL-2.0-only
/* What is made once to evaluate a tree. */
#include "metrics/eval/evaluation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int td_evaluation_make(struct td_evaluation *e, const struct td_tree *tree,
		       const struct td_plan *plan, struct td_err *err)
{
	size_t nr = tree->nr_operands;

	*e = (struct td_evaluation){ .tree = tree, .plan = plan };
	e->values = calloc(nr + 1, sizeof(*e->values));
	e->clocks = calloc(tree->nr_pmus + 1, sizeof(*e->clocks));
	e->dropped = calloc(tree->nr_pmus + 1, sizeof(*e->dropped));
	e->shifted = calloc(nr + 1, sizeof(*e->shifted));
	if (!e->values || !e->clocks || !e->dropped || !e->shifted)
		return td_err_nomem(err);
	if (nr)
		memcpy(e->values, tree->constants, nr * sizeof(*e->values));
	return 0;
}

int td_evaluation_fit(struct td_evaluation *e, bool *grown)
{
	size_t nr = e->plan->events.nr;
	size_t nr_gaps = TD_NR_ABSENCES * e->tree->nr_pmus + nr;
	unsigned int *kinds;
	double *counts;
	int *groups;
	char **gaps;

	*grown = e->nr_gaps < nr_gaps || !e->gaps;
	if (!*grown)
		return 0;
	counts = reallocarray(e->counts, nr + 1, sizeof(*counts));
	e->counts = counts ? counts : e->counts;
	groups = reallocarray(e->groups, nr + 1, sizeof(*groups));
	e->groups = groups ? groups : e->groups;
	kinds = reallocarray(e->kinds, nr + 1, sizeof(*kinds));
	e->kinds = kinds ? kinds : e->kinds;
	gaps = reallocarray(e->gaps, nr_gaps + 1, sizeof(*gaps));
	e->gaps = gaps ? gaps : e->gaps;
	if (!counts || !groups || !kinds || !gaps)
		return -ENOMEM;
	for (; e->nr_gaps < nr_gaps; e->nr_gaps++)
		gaps[e->nr_gaps] = NULL;
	return 0;
}

void td_evaluation_free(struct td_evaluation *e)
{
	for (size_t i = 0; i < e->nr_gaps; i++)
		free(e->gaps[i]);
	free(e->gaps);
	free(e->values);
	free(e->shifted);
	free(e->counts);
	free(e->groups);
	free(e->kinds);
	free(e->clocks);
	free(e->dropped);
	*e = (struct td_evaluation){ 0 };
}
