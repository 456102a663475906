// SPDX-License-Identifier: GPL-2.0-only
/* What a tree must know of the events of a file of perf stat. */
#include "lib/recording/perf/spell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/modifiers.h"
#include "lib/plan/plan.h"

/* Cuts "id:u" at its colon, if modifiers follow it. */
static void cut_modifiers(char *id, struct td_perf_spelling *out)
{
	char *colon = strrchr(id, ':');

	if (!colon || !td_are_modifiers(colon + 1, strlen(colon + 1)))
		return;
	*colon = '\0';
	out->mods = colon + 1;
}

/* Cuts "PMU/id/mods" at its slashes. */
static void cut_pmu(char *name, char *slash, struct td_perf_spelling *out)
{
	char *last = strrchr(slash + 1, '/');

	*slash = '\0';
	out->pmu = name;
	out->id = slash + 1;
	cut_modifiers(slash + 1, out);
	if (!last)
		return;
	*last = '\0';
	if (last[1])
		out->mods = last + 1 + (last[1] == ':');
	else
		cut_modifiers(slash + 1, out);
}

/* Cuts " [cpu_core]" off, which some versions print behind a name. */
static const char *cut_bracket(char *name)
{
	char *bracket = strstr(name, " [");
	size_t len = strlen(name);

	if (!bracket || name[len - 1] != ']')
		return NULL;
	name[len - 1] = '\0';
	*bracket = '\0';
	return bracket + 2;
}

int td_perf_spell(const char *name, struct td_perf_spelling *spelling)
{
	char *copy = strdup(name), *slash;

	*spelling = (struct td_perf_spelling){ .copy = copy, .mods = "" };
	if (!copy)
		return -ENOMEM;
	spelling->id = copy;
	spelling->pmu = cut_bracket(copy);
	slash = strchr(copy, '/');
	/* "sched:sched_switch/.../" does not begin with a PMU */
	if (slash && slash != copy &&
	    !memchr(copy, ':', (size_t)(slash - copy)))
		cut_pmu(copy, slash, spelling);
	else
		cut_modifiers(copy, spelling);
	return 0;
}

/* --- groups ----------------------------------------------------------------- */

static bool has_config(const struct td_plan *plan, const struct td_group *group,
		       uint64_t config)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (plan->events.v[group->members[i]].config[0] == config)
			return true;
	}
	return false;
}

/* The last group of SLOTS before the event that may have counted it; or NULL. */
static struct td_group *find_slots(const struct td_plan *plan, size_t before,
				   const struct td_event *field)
{
	for (size_t g = before; g-- > 0;) {
		struct td_group *group = &plan->groups[g];
		const struct td_event *first;

		if (!group->nr)
			continue;
		first = &plan->events.v[group->members[0]];
		if (td_event_is_slots(first) && first->pmu == field->pmu)
			return td_modifiers_same_rings(&first->mods,
						       &field->mods) &&
					       !has_config(plan, group,
							   field->config[0])
				       ? group
				       : NULL;
	}
	return NULL;
}

static void drop_empty(struct td_plan *plan)
{
	size_t kept = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		struct td_group *group = &plan->groups[g];

		if (group->nr)
			plan->groups[kept++] = *group;
		else
			free(group->members);
	}
	plan->nr_groups = kept;
}

int td_perf_join_slots(struct td_plan *plan)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		struct td_group *own = &plan->groups[g], *slots;
		int member = own->nr == 1 ? own->members[0] : -1;

		if (member < 0 || !td_event_is_metric(&plan->events.v[member]))
			continue;
		slots = find_slots(plan, g, &plan->events.v[member]);
		if (!slots)
			continue;
		if (td_group_add(slots, &member, 1))
			return -ENOMEM;
		own->nr = 0;
	}
	drop_empty(plan);
	return 0;
}
