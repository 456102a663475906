// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/spec.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"

/* Of the fields' events; the first one is retiring: intel/core.c */
#define FIRST_FIELD 0x8000

static struct td_region_value value_of(const struct td_plan *plan,
				       const struct td_group *group, int g,
				       size_t member)
{
	int event = group->members[member];

	return (struct td_region_value){
		.event = event,
		.pmu = group->pmu,
		.group = g,
		.field = td_event_is_metric(&plan->events.v[event]),
	};
}

/* What the library cannot ask the kernel for. */
static int check_modifiers(const struct td_event *event, struct td_err *err)
{
	const struct td_modifiers *mods = &event->mods;

	if (!mods->hypervisor && !mods->guest && !mods->host && !mods->non_idle)
		return 0;
	return td_err_usage(err,
			    "%s: in regions an event may be of u or k, not of "
			    "h, G, H or I",
			    event->name);
}

static int add_group(struct td_region_spec *spec, const struct td_job *job,
		     size_t g, struct td_err *err)
{
	const struct td_group *group = &job->plan.groups[g];

	if ((size_t)group->pmu >= job->machine.nr_core)
		return td_err_usage(err,
				    "%s: in regions only events of the cores' "
				    "PMUs are counted",
				    job->plan.events.v[group->members[0]].name);
	for (size_t i = 0; i < group->nr; i++) {
		if (spec->nr == TD_REGION_VALUES)
			return td_err_usage(
				err,
				"more than %d events, which are all "
				"that regions count",
				TD_REGION_VALUES);
		spec->values[spec->nr++] =
			value_of(&job->plan, group, (int)g, i);
		if (check_modifiers(&job->plan.events.v[group->members[i]],
				    err))
			return err->code;
	}
	return 0;
}

int td_region_spec_make(struct td_region_spec *spec, const struct td_job *job,
			struct td_err *err)
{
	int rc = 0;

	*spec = (struct td_region_spec){ 0 };
	if (job->plan.nr_groups > TD_REGION_GROUPS)
		return td_err_usage(err, "more than %d PMUs", TD_REGION_GROUPS);
	for (size_t g = 0; !rc && g < job->plan.nr_groups; g++)
		rc = add_group(spec, job, g, err);
	if (!rc && !spec->nr)
		return td_err_set(err, -ENODATA, "no event can be counted");
	return rc;
}

static void put_group(FILE *fp, const struct td_pmu *pmu)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);

	fprintf(fp, "group %s %s\n", pmu->name,
		cpus && *cpus ? cpus : "0-8191");
	/* for td_read(), where no event counts slots */
	if (td_uarch_width(pmu->uarch) > 0)
		fprintf(fp, "width %d\n", td_uarch_width(pmu->uarch));
}

static void put_kind(FILE *fp, const struct td_event *event)
{
	if (td_event_is_slots(event))
		fputs("event s ", fp);
	else if (td_event_is_metric(event))
		fprintf(fp, "event %u ",
			(((unsigned int)event->config[0] & 0xffff) -
			 FIRST_FIELD) >>
				8);
	else
		fputs("event c ", fp);
}

static void put_event(FILE *fp, const struct td_job *job,
		      const struct td_group *group, size_t member)
{
	const struct td_event *event =
		&job->plan.events.v[group->members[member]];
	const struct perf_event_attr attr =
		td_plan_attr(&job->plan, group, member, &job->target);

	put_kind(fp, event);
	fprintf(fp, "%u %#llx %#llx %#llx %c %s\n", event->type,
		(unsigned long long)event->config[0],
		(unsigned long long)event->config[1],
		(unsigned long long)event->config[2],
		attr.exclude_kernel ? 'u'
		: attr.exclude_user ? 'k'
				    : '-',
		event->name);
}

void td_region_spec_write(FILE *fp, const struct td_job *job)
{
	fputs("tdstat regions 1\n", fp);
	if (job->opts->calls.by_read)
		fputs("read\n", fp);
	if (job->opts->calls.by_duration)
		fputs("calls\n", fp);
	for (size_t g = 0; g < job->plan.nr_groups; g++) {
		const struct td_group *group = &job->plan.groups[g];

		put_group(fp, &job->machine.pmus[group->pmu]);
		for (size_t i = 0; i < group->nr; i++)
			put_event(fp, job, group, i);
	}
}
