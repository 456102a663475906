// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recording/recording.h"

#include "lib/plan/plan.h"

/* --- the machine ---------------------------------------------------------- */

int td_recording_check_types(const struct td_recording *rec, struct json_object *object,
			     const struct td_json_optional *members, struct td_err *err)
{
	const char *key = td_json_misfit(object, members);

	if (!key)
		return 0;
	return td_err_set(err, -EINVAL, "%s:%zu: \"%s\" has the wrong type", rec->path, rec->line,
			  key);
}

int td_recording_add_pmu(struct td_recording *rec, const char *name, enum td_pmu_kind kind,
			 uint32_t type)
{
	struct td_machine *machine = &rec->machine;
	struct td_pmu *pmu = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*pmu));

	if (kind == TD_PMU_CORE && machine->nr_core < machine->nr_pmus)
		return -EINVAL;
	machine->nr_pmus++;
	machine->nr_core += kind == TD_PMU_CORE;
	pmu->kind = kind;
	pmu->type = type;
	pmu->uarch = td_uarch_find(&machine->cpuid, machine->model, name);
	pmu->name = td_strdup(name);
	return 0;
}

int td_recording_add_place(struct td_recording *rec, const struct td_place *place)
{
	struct td_ints *online = &rec->machine.online;
	size_t nr = online->nr;
	struct td_place *slot = td_array_add(&rec->places, nr, sizeof(*slot));

	td_ints_add(online, place->cpu);
	*slot = *place;
	/* td_ints_add() sorts and ignores duplicates */
	return online->nr == nr + 1 && online->v[nr] == place->cpu ? 0 : -EINVAL;
}

/* --- events --------------------------------------------------------------- */

void td_recording_note_event(struct td_pmu *pmu, const char *id)
{
	char *copy = td_strdup(id);

	td_array_push(&pmu->recorded, &pmu->nr_recorded, &copy, sizeof(copy));
}

void td_recording_note_name(struct td_pmu *pmu, const char *event)
{
	size_t len = strlen(pmu->name), end = strlen(event);
	td_autofree char *id = NULL;

	if (strncmp(event, pmu->name, len) != 0 || event[len] != '/' || end < len + 2 ||
	    event[end - 1] != '/')
		return; /* the name has modifiers, or is for another PMU */
	id = td_strndup(event + len + 1, end - len - 2);
	/* "slots" in sysfs is TOPDOWN.SLOTS in metric files */
	td_recording_note_event(pmu, strcmp(id, "TOPDOWN.SLOTS") == 0 ? "slots" : id);
}

/*
 * Return the PMU of cpu= in the name of an event, "msr/tsc,cpu=cpu_core/" or
 * "context-switches/cpu=cpu_core/"; without cpu=, the event's own PMU.
 */
static int cpu_pmu_of(const struct td_machine *machine, const char *name, int pmu)
{
	static const char term[] = ",cpu=";
	const char *from = strstr(name, term);
	char cpu_pmu[64];
	int found;

	if (!from)
		from = strstr(name, "/cpu=");
	if (!from)
		return pmu;
	from += strlen(term);
	snprintf(cpu_pmu, sizeof(cpu_pmu), "%.*s", (int)strcspn(from, ",/"), from);
	found = td_machine_find_pmu(machine, cpu_pmu);
	return found >= 0 ? found : pmu;
}

struct td_event *td_recording_add_event(struct td_recording *rec, const char *name, int pmu)
{
	struct td_plan *plan = &rec->plan;
	struct td_event *event = td_events_add(&plan->events);

	event->pmu = pmu;
	event->cpu_pmu = cpu_pmu_of(&rec->machine, name, pmu);
	event->type = rec->machine.pmus[pmu].type;
	event->scale = 1;
	event->spec = event->group = -1;
	event->name = td_strdup(name);
	if (!rec->info.of_events)
		td_recording_note_name(&rec->machine.pmus[pmu], name);
	return event;
}

int td_recording_add_to_group(struct td_recording *rec, size_t index)
{
	struct td_plan *plan = &rec->plan;
	int last = (int)plan->events.nr - 1, pmu = plan->events.v[last].cpu_pmu;
	struct td_group *group;

	while (plan->nr_groups <= index)
		td_array_add(&plan->groups, plan->nr_groups++, sizeof(*group));
	group = &plan->groups[index];
	if (group->nr == 0) {
		group->pmu = pmu;
		group->at_once = 1;
	}
	/* a group of a hardware PMU may have software events */
	if (group->pmu != pmu && !rec->info.of_events)
		return -EINVAL;
	td_group_add(group, &last, 1);
	return 0;
}

/* --- intervals ------------------------------------------------------------ */

int td_recording_set_time(struct td_recording *rec, uint64_t time_ns)
{
	if (time_ns < rec->time_ns)
		return -EINVAL;
	rec->times.elapsed_ns = time_ns - rec->time_ns;
	rec->time_ns = time_ns;
	return 0;
}

void td_recording_resize(struct td_readings *readings, size_t nr)
{
	readings->v = td_reallocarray(readings->v, nr + 1, sizeof(*readings->v));
	readings->nr = nr;
}
