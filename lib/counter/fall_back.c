// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/counter/probe.h"

/* The member of a group that the kernel refused, and its error. */
struct refused {
	const struct td_counter_setup *setup;
	size_t index, member;
	const struct td_group *group;
	const struct td_event *event;
	const char *pmu; /* the name of the event's PMU */
	int rc;
	struct td_err *err;
	bool said; /* a note on several events gives the reason */
};

/* Returns true if the event, as typed, counts on another PMU. */
static bool is_counted_elsewhere(const struct refused *r)
{
	const struct td_plan *plan = r->setup->plan;

	td_for_each(const struct td_event, other, plan->events.v, plan->events.nr) {
		if (other != r->event && other->spec == r->event->spec && !other->refusal)
			return true;
	}
	return false;
}

static const char *first_reason(const struct td_plan *plan, const struct td_err *last)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].refusal)
			return plan->events.v[i].refusal;
	}
	return last->msg;
}

/* Returns an error if no group is left.  For metrics, this is the error of the first refusal. */
static int check_left(const struct refused *r, const struct td_err *why)
{
	const struct td_plan *plan = r->setup->plan;

	if (plan->nr_groups)
		return 0;
	td_err_set(r->err, why->code, "%s",
		   r->setup->for_metrics ? first_reason(plan, why) : "no event is left to count");
	return why->hint[0] ? td_err_hint(r->err, "%s", why->hint) : why->code;
}

/* Returns true if no note is needed; for nodes that -l auto chose, -v shows the reason. */
static bool is_expected(const struct refused *r)
{
	return r->event->spare || r->event->is_work || td_plan_has_families(r->setup->plan) ||
	       (r->rc == -ENOENT && r->event->type == PERF_TYPE_HW_CACHE &&
		is_counted_elsewhere(r));
}

/* Explains why the event cannot be opened; without CPUs, the kernel's error is misleading. */
static void explain(const struct refused *r, struct td_err *err)
{
	const struct td_pmu *pmu = &r->setup->machine->pmus[r->group->pmu];
	td_autofree char *why = td_plan_lacks_cpus(pmu, r->setup->target);

	if (why)
		td_err_set(err, r->rc, "%s: %s", r->event->name, why);
	else
		td_open_error(err, r->rc, r->event, r->pmu, r->setup->target);
}

static int refuse(const struct refused *r)
{
	struct td_err why = { 0 };

	explain(r, &why);
	if (!r->said && !is_expected(r))
		td_notes_add(r->setup->notes, "%s", why.msg);
	td_plan_refuse(r->setup->plan, r->index, r->member, why.msg);
	return check_left(r, &why);
}

static void refuse_group(struct td_plan *plan, size_t group, const char *why)
{
	for (size_t i = plan->groups[group].nr; i > 0; i--)
		td_plan_refuse(plan, group, i - 1, why);
}

/*
 * Refuses one spare event of a group that the kernel refused: the refused event if it is spare,
 * otherwise the last spare event.  Returns 1 if there is none.
 */
static int refuse_spare(struct refused r)
{
	if (r.event->spare)
		return refuse(&r);
	for (r.member = r.group->nr; r.member-- > 0;) {
		r.event = &r.setup->plan->events.v[r.group->members[r.member]];
		if (r.event->spare)
			return refuse(&r);
	}
	return 1;
}

/* Refuses all events of a PMU, whose tree has no values without slots. */
static int refuse_pmu(const struct refused *r)
{
	struct td_plan *plan = r->setup->plan;
	int pmu = r->group->pmu;
	struct td_err why = { 0 };

	td_open_error(&why, r->rc, r->event, r->pmu, r->setup->target);
	td_notes_add(r->setup->notes, "%s: no event of %s is counted", why.msg, r->pmu);
	for (size_t g = plan->nr_groups; g > 0; g--) {
		if (plan->groups[g - 1].pmu == pmu)
			refuse_group(plan, g - 1, why.msg);
	}
	return check_left(r, &why);
}

/* Refuses the deeper levels of -l auto, which are optional. */
static void refuse_families(const struct refused *r)
{
	struct td_plan *plan = r->setup->plan;

	td_notes_add(r->setup->notes, "-l auto ends at level 2: %s (ulimit -n)", strerror(-r->rc));
	for (size_t g = plan->nr_groups; g > 0; g--) {
		if (plan->groups[g - 1].family)
			refuse_group(plan, g - 1, strerror(-r->rc));
	}
}

/*
 * Returns true if the PMU's tree is useless without this event: it belongs to levels 1 and 2, or
 * all counters are in use.
 */
static bool is_the_pmus(const struct refused *r)
{
	return r->setup->for_metrics && td_pmu_kind(r->pmu) == TD_PMU_CORE &&
	       (r->rc == -EBUSY || td_event_is_slots(r->event) || td_event_is_metric(r->event));
}

/* Returns the offset of the modifiers in a name, or its length if it has none. */
static size_t suffix_at(const struct td_event *event)
{
	size_t at = strlen(event->name);

	while (event->has_suffix && at && !strchr(":/", event->name[at - 1]))
		at--;
	return at;
}

/*
 * Changes the name and the modifiers of an event: "cycles" to "cycles:u", "cpu_core/cycles/Ik"
 * to "cpu_core/cycles/Iu".
 */
static void become_user_only(struct td_event *event)
{
	size_t at = suffix_at(event), len = strlen(event->name);
	bool sep = !event->has_suffix && at && event->name[at - 1] != '/';
	char *name = td_malloc(len + 3), *to = name;

	to = mempcpy(to, event->name, at);
	if (sep)
		*to++ = ':';
	for (; at < len; at++) {
		if (!strchr("ukh", event->name[at]))
			*to++ = event->name[at];
	}
	strcpy(to, "u");
	free(event->name);
	event->name = name;
	event->mods.user = event->has_suffix = true;
	event->mods.kernel = event->mods.hypervisor = false;
}

/* Finds the first event that cannot be counted in user space. */
static bool find_kernel_event(const struct td_counter_setup *setup, size_t *group, size_t *member)
{
	const struct td_plan *plan = setup->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++) {
			const struct td_event *event = &plan->events.v[plan->groups[g].members[i]];

			if (!td_event_needs_kernel(event, setup->machine->pmus[event->pmu].name))
				continue;
			*group = g;
			*member = i;
			return true;
		}
	}
	return false;
}

/* Refuses events that happen in the kernel, and puts their names into a list. */
static int refuse_kernel_events(struct refused *r, FILE *names)
{
	struct td_plan *plan = r->setup->plan;
	int rc = 0;

	r->said = true;
	while (!rc && find_kernel_event(r->setup, &r->index, &r->member)) {
		r->group = &plan->groups[r->index];
		r->event = &plan->events.v[r->group->members[r->member]];
		r->pmu = r->setup->machine->pmus[r->event->pmu].name;
		if (!is_expected(r))
			fprintf(names, "%s%s", ftell(names) > 0 ? ", " : "", r->event->name);
		rc = refuse(r);
	}
	return rc;
}

/* Counts user space only, with one note that names all events that this excludes. */
static int leave_kernel_out(struct refused r)
{
	struct td_plan *plan = r.setup->plan;
	td_autofree char *names = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&names, &size);
	int rc;

	r.setup->target->exclude_kernel = true;
	rc = refuse_kernel_events(&r, fp);
	td_text_close(fp, &names);
	td_notes_add(
		r.setup->notes,
		"counting user space only: kernel.perf_event_paranoid does not let this user count "
		"the kernel%s%s",
		*names ? ", and so not " : "", names);
	for (size_t i = 0; !rc && !r.setup->for_metrics && i < plan->events.nr; i++) {
		if (!plan->events.v[i].refusal && !plan->events.v[i].tool)
			become_user_only(&plan->events.v[i]);
	}
	return rc;
}

static int break_up(const struct refused *r)
{
	const struct td_event *leader = &r->setup->plan->events.v[r->group->members[0]];

	td_notes_add(r->setup->notes,
		     "%s: the kernel cannot count the group of %s at once: its events are "
		     "multiplexed",
		     r->pmu, leader->name);
	if (r->group->may_split)
		return td_plan_split(r->setup->plan, r->index, r->err);
	td_plan_break(r->setup->plan, r->index);
	return 0;
}

static bool can_break_up(const struct refused *r)
{
	return td_plan_can_split(r->group) || td_plan_is_breakable(r->setup->plan, r->index);
}

/* Multiplexes a group of levels 1 and 2, which cannot count all the time here. */
static int multiplex(const struct refused *r)
{
	r->setup->plan->groups[r->index].pinned = false;
	td_notes_add(
		r->setup->notes,
		"%s: the kernel cannot count the group of %s all the time: it is multiplexed with "
		"the others",
		r->pmu, r->setup->plan->events.v[r->group->members[0]].name);
	return 0;
}

/*
 * Returns true if the error is about this event, not about the user's rights, the
 * machine or a lack of resources.
 */
static bool is_the_events(const struct refused *r)
{
	switch (-r->rc) {
	case EINVAL:
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
	case EBADF:
	case EBUSY:
	case ENOSPC:
	case E2BIG:
		return true;
	case EACCES:
	case EPERM:
		return r->event->type == PERF_TYPE_TRACEPOINT ||
		       r->event->type == PERF_TYPE_BREAKPOINT;
	default:
		return false;
	}
}

/* Excludes these CPUs from now on. */
static void leave_out(struct td_target *target, const struct td_ints *online,
		      const struct td_ints *gone)
{
	if (!target->has_cpus)
		td_ints_copy(&target->cpus, online);
	target->has_cpus = true;
	td_ints_remove(&target->cpus, gone);
}

/*
 * Excludes CPUs of the event's PMU that have gone offline.  Returns 1 if other CPUs remain; 0 if no
 * CPU has gone offline, or all have.
 */
static int leave_offline(const struct refused *r)
{
	const struct td_machine *machine = r->setup->machine;
	struct td_target *target = r->setup->target;
	struct td_ints cpus, gone = { 0 };
	td_autofree char *text = NULL;
	bool some;

	td_plan_cpus(&machine->pmus[r->event->cpu_pmu], target, &cpus);
	td_find_offline(&cpus, &gone);
	some = gone.nr && gone.nr < cpus.nr;
	if (some)
		leave_out(target, &machine->online, &gone);
	text = some ? td_ints_format(&gone) : NULL;
	if (text)
		td_notes_add(r->setup->notes, "CPU(s) %s went offline: not counted there", text);
	td_ints_free(&cpus);
	td_ints_free(&gone);
	return some;
}

static bool asks_for_hosts(const struct td_event *event)
{
	return event->mods.guest || event->mods.host || event->mods.precise;
}

/* Returns true if the event counts in the kernel, which may be why it was refused. */
static bool counts_kernel(const struct td_event *event, const struct td_target *target)
{
	return !target->all_user && (event->mods.kernel || !event->mods.user);
}

/*
 * Makes a group that the kernel cannot schedule smaller, or multiplexes it.  Returns 1 if
 * neither is possible.
 */
static int make_smaller(const struct refused *r)
{
	int left = refuse_spare(*r);

	if (left <= 0)
		return left;
	if (r->group->pinned && r->group->may_unpin && !td_plan_is_alone(r->setup->plan, r->group))
		return multiplex(r);
	if (!can_break_up(r))
		return 1;
	r->setup->plan->groups[r->index].pinned &= !r->group->may_unpin;
	return break_up(r);
}

int td_fall_back(const struct td_counter_setup *setup, size_t group, size_t member, int rc,
		 struct td_err *err)
{
	const struct td_group *g = &setup->plan->groups[group];
	const struct td_event *event = &setup->plan->events.v[g->members[member]];
	struct td_target *target = setup->target;
	struct refused r = { setup, group, member, g, event, setup->machine->pmus[event->pmu].name,
			     rc,    err };

	if (rc == -EACCES && !target->system_wide && !target->exclude_kernel &&
	    counts_kernel(event, target))
		return leave_kernel_out(r);
	if (rc == -EOPNOTSUPP && !target->exclude_guest && td_pmu_kind(r.pmu) == TD_PMU_CORE &&
	    !asks_for_hosts(event)) {
		target->exclude_guest = true;
		td_notes_add(setup->notes, "not counting guests: %s cannot", r.pmu);
		return 0;
	}
	if (rc == -EMFILE && g->family) {
		refuse_families(&r);
		return 0;
	}
	if (rc == -EINVAL) {
		int left = make_smaller(&r);

		if (left <= 0)
			return left;
	}
	/* PMUs of hybrids return ENOENT for CPUs that they do not have, or no longer have */
	if ((rc == -ENODEV || rc == -ENOENT) && target->system_wide) {
		int left = leave_offline(&r);

		if (left)
			return left < 0 ? left : 0;
	}
	if (rc == -ENODEV && !target->system_wide && !target->enable_on_exec)
		rc = -ESRCH; /* a task that is exiting */
	if (is_the_events(&r))
		return is_the_pmus(&r) ? refuse_pmu(&r) : refuse(&r);
	return td_open_error(err, rc, event, r.pmu, target);
}
