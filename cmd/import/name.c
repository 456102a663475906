// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of events that perf prints: "cycles:u", "cpu_core/cycles,percore/",
 * "cpu_atom/cycles:u/", "task-clock [software]", "sched:sched_switch".
 */
#include <linux/perf_event.h>
#include <strings.h>

#include "cmd/import/parts.h"
#include "cmd/import/perf.h"
#include "lib/base/number.h"
#include "lib/event/event.h"
#include "lib/event/symbols.h"
#include "lib/plan/plan.h"

#define MAX_GROUP 9999 /* maximum number of a group in --print-perf */

/* --- parts of a name ------------------------------------------------------ */

/* Cut "id:u" at its colon if modifiers follow. */
static void cut_modifiers(char *id, struct td_perf_spelling *out)
{
	char *colon = strrchr(id, ':');

	if (!colon || !td_are_modifiers(colon + 1, strlen(colon + 1)))
		return;
	*colon = '\0';
	out->mods = colon + 1;
}

/* Cut "PMU/id/mods" at its slashes. */
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

/*
 * Cut off " [cpu_core]", which some versions print after a name, and "[cpu_core:1]", with
 * which --print-perf names PMU and group.
 */
static void cut_bracket(char *name, struct td_perf_spelling *out)
{
	char *bracket = strrchr(name, '['), *colon;
	size_t len = strlen(name);

	if (!bracket || bracket == name || bracket[1] == ']' || name[len - 1] != ']')
		return;
	colon = strchr(bracket, ':');
	if (bracket[-1] != ' ' && (!colon || colon == bracket + 1))
		return;
	name[len - 1] = '\0';
	if (bracket[-1] == ' ') {
		bracket[-1] = '\0';
	} else if (td_parse_int(colon + 1, 0, MAX_GROUP, &out->group)) {
		name[len - 1] = ']';
		return;
	} else {
		*bracket = *colon = '\0';
	}
	out->pmu = bracket + 1;
}

void td_perf_spell(const char *name, struct td_perf_spelling *spelling)
{
	char *copy = td_strdup(name), *slash;

	*spelling = (struct td_perf_spelling){ .copy = copy, .id = copy, .mods = "", .group = -1 };
	cut_bracket(copy, spelling);
	slash = strchr(copy, '/');
	/* "sched:sched_switch/.../" does not begin with a PMU */
	if (slash && slash != copy && !memchr(copy, ':', (size_t)(slash - copy)))
		cut_pmu(copy, slash, spelling);
	else
		cut_modifiers(copy, spelling);
}

/* --- groups ----------------------------------------------------------------- */

static bool has_config(const struct td_plan *plan, const struct td_group *group, uint64_t config)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (plan->events.v[group->members[i]].config[0] == config)
			return true;
	}
	return false;
}

/* Return the last group with SLOTS that may have counted the field; NULL: none. */
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
			return td_modifiers_same_rings(&first->mods, &field->mods) &&
					       !has_config(plan, group, field->config[0])
				       ? group
				       : NULL;
	}
	return NULL;
}

static void drop_empty(struct td_plan *plan)
{
	size_t kept = 0;

	td_for_each(struct td_group, group, plan->groups, plan->nr_groups) {
		if (group->nr)
			plan->groups[kept++] = *group;
		else
			free(group->members);
	}
	plan->nr_groups = kept;
}

void td_perf_join_groups(struct td_plan *plan, const struct td_perf_spelling *names)
{
	const struct td_event *v = plan->events.v;
	td_autofree int *groups = td_plan_groups(plan);
	bool joined = false;

	for (size_t i = 0; i < plan->events.nr; i++) {
		int member = (int)i;
		size_t first = 0;

		/* an event that is <not supported> is in no group */
		if (names[i].group < 0 || groups[i] < 0 || plan->groups[groups[i]].nr != 1)
			continue;
		while (groups[first] < 0 || names[first].group != names[i].group ||
		       v[first].pmu != v[i].pmu)
			first++;
		if (first == i)
			continue;
		td_group_add(&plan->groups[groups[first]], &member, 1);
		plan->groups[groups[i]].nr = 0;
		groups[i] = groups[first];
		joined = true;
	}
	if (!joined)
		return;
	drop_empty(plan);
	td_plan_find_clones(plan, NULL);
}

void td_perf_join_slots(struct td_plan *plan)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		struct td_group *own = &plan->groups[g], *slots;
		int member = own->nr == 1 ? own->members[0] : -1;

		if (member < 0 || !td_event_is_metric(&plan->events.v[member]))
			continue;
		slots = find_slots(plan, g, &plan->events.v[member]);
		if (!slots)
			continue;
		td_group_add(slots, &member, 1);
		own->nr = 0;
	}
	drop_empty(plan);
}

/* --- the event ------------------------------------------------------------ */

/* SLOTS and the fields of PERF_METRICS have the same codes on all cores. */
static const struct {
	const char *name;
	uint64_t config;
} fields[] = {
	{ "slots", 0x400 },
	{ "TOPDOWN.SLOTS", 0x400 },
	{ "topdown-retiring", 0x8000 },
	{ "topdown-bad-spec", 0x8100 },
	{ "topdown-fe-bound", 0x8200 },
	{ "topdown-be-bound", 0x8300 },
	{ "topdown-heavy-ops", 0x8400 },
	{ "topdown-br-mispredict", 0x8500 },
	{ "topdown-fetch-lat", 0x8600 },
	{ "topdown-mem-bound", 0x8700 },
};

static void set(struct td_event *event, bool *typed, uint32_t type, uint64_t config)
{
	event->type = type;
	event->config[0] = config;
	*typed = true;
}

/* Return true for a raw event, "r1a8", and set *config. */
static bool is_raw(const char *id, uint64_t *config)
{
	char *end;

	if (id[0] != 'r' || !id[1] || strlen(id) > 17 ||
	    id[1 + strspn(id + 1, "0123456789abcdefABCDEF")])
		return false;
	*config = strtoull(id + 1, &end, 16);
	return true;
}

/* Find an event that the kernel or perf names.  Returns its PMU; NULL: none. */
static const char *find_symbol(const char *id, struct td_event *event, bool *typed)
{
	const struct td_symbol *symbol = td_symbol_find(id);

	if (!symbol)
		return NULL;
	event->tool = symbol->tool;
	set(event, typed, symbol->type, symbol->config);
	if (symbol->tool)
		return "tool";
	return symbol->type == PERF_TYPE_SOFTWARE ? "software" : "cpu";
}

static void find_core_event(const char *id, struct td_event *event, bool *typed)
{
	uint64_t config;

	if (find_symbol(id, event, typed))
		return;
	if (td_cache_parse(id, &config) == 0)
		set(event, typed, PERF_TYPE_HW_CACHE, config);
	else if (is_raw(id, &config))
		event->config[0] = config;
	for (size_t i = 0; i < TD_ARRAY_SIZE(fields); i++) {
		if (strcmp(fields[i].name, id) == 0)
			event->config[0] = fields[i].config;
	}
}

/* cpu_atom has no PERF_METRICS; its topdown-retiring is an ordinary event. */
static void find_on_pmu(const char *pmu, const char *id, struct td_event *event, bool *typed)
{
	if (td_pmu_kind(pmu) == TD_PMU_CORE)
		find_core_event(id, event, typed);
	else if (td_pmu_kind(pmu) != TD_PMU_OTHER)
		find_symbol(id, event, typed);
	if (!*typed && strcmp(pmu, "cpu") != 0 && strcmp(pmu, "cpu_core") != 0)
		event->config[0] = 0;
}

/* Return the PMU for a name without one. */
static const char *find_alone(const char *id, struct td_event *event, bool *typed)
{
	const char *pmu = find_symbol(id, event, typed);

	if (pmu)
		return pmu;
	if (strncmp(id, "mem:", 4) == 0)
		return "breakpoint";
	if (strchr(id, ':'))
		return "tracepoint";
	if (strncasecmp(id, "unc_", 4) == 0)
		return "uncore"; /* the name does not contain the unit */
	find_core_event(id, event, typed);
	return "cpu";
}

void td_perf_name_parse(const char *name, struct td_event *event, char **pmu, bool *typed)
{
	struct td_perf_spelling parts;
	const char *on;

	*event = (struct td_event){ .scale = 1, .spec = -1, .group = -1 };
	*typed = false;
	*pmu = NULL;
	td_perf_spell(name, &parts);
	on = parts.pmu;
	if (on) {
		parts.id[strcspn(parts.id, ",/")] = '\0'; /* cut off terms */
		find_on_pmu(on, parts.id, event, typed);
	} else {
		on = find_alone(parts.id, event, typed);
	}
	/* unknown modifiers are ignored */
	if (td_are_modifiers(parts.mods, strlen(parts.mods))) {
		for (const char *m = parts.mods; *m; m++)
			td_modifiers_add(&event->mods, *m);
	}
	*pmu = td_strdup(event->tool ? "tool" : on);
	free(parts.copy);
}
