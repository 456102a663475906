// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the metrics of a hybrid that count no event of its cores: idle time, C-states,
 * power, memory.  They belong to no kind of core, whatever PMU the files name.
 */
#include "metrics/files/pmu_events.h"
#include "metrics/formula/expr.h"
#include "metrics/sets/set.h"

#define MAX_DEPTH 64 /* of metrics that refer to other metrics */

struct search {
	const struct td_metric_set *set;
	const struct td_metric_def *self;
	int depth;
	bool cores; /* an event of the cores was found */
};

static void search_formula(struct search *search,
			   const struct td_metric_def *def);

static int look_at_name(void *ctx, const char *name)
{
	struct search *search = ctx;
	const struct td_metric_def *def = td_set_find(search->set, name);

	/* in the formula of a metric that is called like an event, it is the event */
	if (def && def != search->self)
		search_formula(search, def);
	else if (td_is_core_event(name))
		search->cores = true;
	return 0;
}

static void search_formula(struct search *search,
			   const struct td_metric_def *def)
{
	struct search inner = { search->set, def, search->depth + 1,
				search->depth == MAX_DEPTH };
	struct td_expr *formula = NULL;
	struct td_err unused = { 0 };

	/* a formula that cannot be parsed is reported where it is asked for */
	if (!inner.cores && td_expr_parse(&formula, def->formula, look_at_name,
					  &inner, &unused))
		inner.cores = true;
	td_expr_free(formula);
	search->cores |= inner.cores;
}

void td_made_set_find_apart(struct td_made_set *made)
{
	for (size_t i = 0; i < made->nr; i++) {
		struct td_metric_def *def = &made->defs[i];
		struct search search = { .set = &made->set };

		if (def->level || def->part)
			continue;
		search_formula(&search, def);
		def->apart = !search.cores;
	}
}
