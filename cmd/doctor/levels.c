// SPDX-License-Identifier: GPL-2.0-only
/* The plans of all levels of the tree. */
#include "cmd/doctor/parts.h"

#include "cmd/plan/dry_run.h"
#include "cmd/plan/job.h"

static const char *const names[TD_MAX_LEVEL + 1] = {
	"", "level 1", "level 2", "level 3", "level 4", "level 5", "level 6",
};

struct planning {
	struct td_levels *levels;
	const struct td_machine *machine; /* without counters that are in use */
	struct td_notes notes;            /* notes of earlier levels, which are not repeated */
	bool *explained;                  /* for each PMU: the reason for multiplexing was given */
	int deepest;                      /* level of the last plan */
};

/* Return the request of tdstat -a -l LEVEL, with the files and the machine of the options. */
static struct td_request request_of(const struct td_request *request, int level)
{
	struct td_request planned = *request;

	planned.does = (struct td_does){ .latencies = true };
	planned.ask = (struct td_ask){ .level = level };
	planned.target.all_cpus = planned.dry_run = planned.show.quiet = true;
	return planned;
}

/* --- a level ---------------------------------------------------------------- */

/* Add "cpu_core: 5 groups, each counted 20 % of the time, because ...". */
static void add_turns(struct planning *p, const struct td_job *job, int level, int pmu)
{
	bool before = p->explained[pmu];
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);
	bool turns = td_put_turns_of(fp, &job->machine, &job->plan, pmu, !before);

	if (turns && before)
		fputs(", for the same reason", fp);
	p->explained[pmu] |= turns;
	td_text_close(fp, &text);
	td_doctor_add(&p->levels->found, names[level], turns ? TD_FINDING_NOTE : TD_FINDING_OK,
		      "%s: %s", job->machine.pmus[pmu].name, text);
}

/* --- the model's files ------------------------------------------------------ */

static void find_files(struct td_levels *levels, const struct td_request *request,
		       struct td_machine *machine)
{
	struct td_catalog catalog;
	const struct td_pmu_events *events = &catalog.events;
	struct td_err why = { 0 };

	td_catalog_init(&catalog, NULL, machine, request->metrics_dir);
	td_catalog_read(&catalog, &why);
	levels->no_files = catalog.missing.code ? catalog.missing : why;
	if (!levels->no_files.code && events->dir) {
		levels->dir = td_strdup(events->dir);
		levels->version = td_strdup(events->version ? events->version : "");
		levels->nr_metrics = events->nr_metrics;
	}
	td_catalog_free(&catalog);
}

/* --- all levels ------------------------------------------------------------- */

static void add_plan(struct planning *p, const struct td_job *job, int level)
{
	const struct td_tree *tree = job->tree;

	p->deepest = 0;
	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		if (tree->levels[pmu] >= level)
			add_turns(p, job, level, pmu);
		if (tree->levels[pmu] > p->deepest)
			p->deepest = tree->levels[pmu];
	}
	td_doctor_add_notes(&p->levels->found, names[level], &p->notes, &job->notes);
	/* descriptors of all groups on all of their CPUs */
	p->levels->nr_files = 0;
	td_for_each(const struct td_group, group, job->plan.groups, job->plan.nr_groups)
		p->levels->nr_files += group->nr * job->machine.pmus[group->pmu].cpus.nr;
}

/* Returns true if there may be a deeper level. */
static bool plan_level(struct planning *p, const struct td_request *request, int level)
{
	const struct td_request planned = request_of(request, level);
	struct td_err why = { 0 };
	struct td_job job;
	bool on = false;

	if (!td_job_plan_beside(&job, &planned, p->machine, &why)) {
		if (!p->explained)
			p->explained = td_calloc(job.machine.nr_core + 1, sizeof(*p->explained));
		add_plan(p, &job, level);
		on = p->deepest >= level;
		p->levels->deepest = on ? level : level - 1;
	} else if (level == 1) {
		p->levels->no_level_1 = why;
	} else {
		td_doctor_add_error(&p->levels->found, names[level], TD_FINDING_WARNING, &why);
	}
	td_job_free(&job);
	return on;
}

void td_levels_plan_task(const struct td_request *request, const char *cputype, struct td_err *why)
{
	char word[] = "COMMAND", *command[] = { word, NULL };
	struct td_request planned = request_of(request, 1);
	struct td_job job;

	planned.target.all_cpus = false;
	planned.target.command = command;
	planned.cputype = cputype;
	td_job_plan(&job, &planned, why);
	td_job_free(&job);
}

void td_levels_plan(struct td_levels *levels, const struct td_request *request,
		    struct td_machine *machine)
{
	struct planning p = { .levels = levels, .machine = machine };
	int level = 1;

	*levels = (struct td_levels){ 0 };
	while (level <= TD_MAX_LEVEL && plan_level(&p, request, level))
		level++;
	free(p.explained);
	td_notes_free(&p.notes);
	td_levels_plan_task(request, request->cputype, &levels->no_task);
	find_files(levels, request, machine);
}

void td_levels_free(struct td_levels *levels)
{
	td_doctor_free(&levels->found);
	free(levels->dir);
	free(levels->version);
}
