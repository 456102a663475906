// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/where.h"

#include <stdlib.h>

#include "lib/base/util.h"

void td_where_want(struct td_where *where, const struct td_opts *opts)
{
	where->lines = opts->verbose > 0;
	where->callers = opts->callers;
	where->all = opts->show.all_nodes;
}

bool td_where_is_displaced(const struct td_opts *opts)
{
	return td_stack_files_take_stdout(&opts->files) &&
	       !opts->target.command && !opts->show.output &&
	       !opts->show.log_fd;
}

int td_where_check_room(const struct td_opts *opts, struct td_err *err)
{
	return td_where_is_displaced(opts)
		       ? td_err_usage(err,
				      "stacks on standard output: it has the "
				      "table, unless -o names a file")
		       : 0;
}

static int add_event(struct td_where *where, const struct td_event *event,
		     const struct td_machine *machine,
		     const struct td_hits *hits, int index, struct td_err *err)
{
	struct td_where_event *of = &where->events[where->nr++];

	of->pmu = machine->pmus[event->pmu].name;
	of->name = event->name;
	of->index = index;
	return td_locations_make(&of->locations, hits, where->spots, index)
		       ? td_err_nomem(err)
		       : 0;
}

/* Members of a group that another one samples have no samples of their own. */
static bool is_sampled(const struct td_plan *plan, const int *groups, int event,
		       const struct td_hits *hits)
{
	for (size_t i = 0; i < hits->nr; i++) {
		if (hits->v[i].event == event)
			return true;
	}
	return groups[event] < 0 || plan->groups[groups[event]].nr < 2;
}

int td_where_make(struct td_where *where, const struct td_plan *plan,
		  const struct td_machine *machine,
		  const struct td_spots *spots, const struct td_hits *hits,
		  struct td_err *err)
{
	td_autofree int *groups = td_plan_groups(plan);
	const struct td_events *events = &plan->events;
	int rc = 0;

	where->spots = spots;
	where->hits = hits;
	where->events = calloc(events->nr + 1, sizeof(*where->events));
	if (!where->events || !groups)
		return td_err_nomem(err);
	for (size_t i = 0; !rc && i < events->nr; i++) {
		if (!events->v[i].refusal &&
		    !machine->pmus[events->v[i].pmu].skip &&
		    is_sampled(plan, groups, (int)i, hits))
			rc = add_event(where, &events->v[i], machine, hits,
				       (int)i, err);
	}
	return rc;
}

void td_where_free(struct td_where *where)
{
	for (size_t i = 0; i < where->nr; i++)
		td_locations_free(&where->events[i].locations);
	free(where->events);
	where->events = NULL;
	where->nr = 0;
}
