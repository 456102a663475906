// SPDX-License-Identifier: GPL-2.0-only
/* How each level of the tree would be counted. */
#include "cmd/doctor/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/job.h"
#include "cmd/plan/turns.h"
#include "lib/base/util.h"

static const char *const names[TD_MAX_LEVEL + 1] = {
	"", "level 1", "level 2", "level 3", "level 4", "level 5", "level 6",
};

/* Notes that an earlier level had are not repeated. */
struct planning {
	struct td_levels *levels;
	struct td_notes notes;
	int *explained; /* of each PMU: the level that has the reason; 0: none */
	int deepest;    /* level of the last plan */
};

/* tdstat -a -l LEVEL; of the options only the files and the machine matter. */
static struct td_request request_of(const struct td_request *request, int level)
{
	struct td_request planned = *request;

	planned.does = (struct td_does){ .latencies = true };
	planned.ask = (struct td_ask){ .level = level };
	planned.target.all_cpus = planned.dry_run = planned.show.quiet = true;
	return planned;
}

/* --- a level ---------------------------------------------------------------- */

/* "cpu_core: 5 groups, each counted 20 % of the time, because ..." */
static void add_turns(struct planning *p, const struct td_job *job, int level,
		      int pmu)
{
	int before = p->explained[pmu];
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	bool turns;

	if (!fp) {
		p->levels->found.out_of_memory = true;
		return;
	}
	turns = td_put_turns_of(fp, &job->machine, &job->plan, pmu, !before);
	if (turns && before)
		fprintf(fp, ", for the reason of %s", names[before]);
	if (turns && !before)
		p->explained[pmu] = level;
	if (td_text_close(fp, &text)) {
		p->levels->found.out_of_memory = true;
		return;
	}
	td_doctor_add(&p->levels->found, names[level],
		      turns ? TD_FINDING_NOTE : TD_FINDING_OK, "%s: %s",
		      job->machine.pmus[pmu].name, text);
}

static void add_notes(struct planning *p, const struct td_job *job, int level)
{
	for (size_t i = 0; i < job->notes.nr; i++) {
		size_t nr = p->notes.nr;

		td_notes_add(&p->notes, "%s", job->notes.v[i]);
		if (p->notes.nr > nr)
			td_doctor_add(&p->levels->found, names[level],
				      TD_FINDING_NOTE, "%s", job->notes.v[i]);
	}
}

/* The descriptors of all groups on all of their CPUs. */
static uint64_t count_files(const struct td_job *job)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < job->plan.nr_groups; i++) {
		const struct td_group *group = &job->plan.groups[i];

		nr += group->nr * job->machine.pmus[group->pmu].cpus.nr;
	}
	return nr;
}

/* --- the model's files ------------------------------------------------------ */

static int keep_files(struct td_levels *levels, struct td_catalog *catalog,
		      struct td_err *err)
{
	const struct td_pmu_events *events = &catalog->events;

	levels->no_files = catalog->missing;
	if (levels->no_files.code || !events->dir)
		return 0;
	free(levels->dir);
	free(levels->version);
	levels->dir = strdup(events->dir);
	levels->version = strdup(events->version ? events->version : "");
	levels->nr_metrics = events->nr_metrics;
	return levels->dir && levels->version ? 0 : td_err_nomem(err);
}

static int find_files(struct td_levels *levels,
		      const struct td_request *request,
		      struct td_machine *machine, struct td_err *err)
{
	struct td_catalog catalog;
	struct td_err why = { 0 };
	int rc;

	td_catalog_init(&catalog, NULL, machine, request->metrics_dir);
	rc = td_catalog_read(&catalog, &why);
	if (rc && !catalog.missing.code)
		catalog.missing = why;
	rc = keep_files(levels, &catalog, err);
	td_catalog_free(&catalog);
	return rc;
}

/* --- all levels ------------------------------------------------------------- */

static void take_plan(struct planning *p, const struct td_job *job, int level)
{
	const struct td_tree *tree = job->tree;

	p->deepest = 0;
	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		if (tree->levels[pmu] >= level)
			add_turns(p, job, level, pmu);
		if (tree->levels[pmu] > p->deepest)
			p->deepest = tree->levels[pmu];
	}
	add_notes(p, job, level);
	p->levels->nr_files = count_files(job);
}

/* Sets *on to whether there may be a deeper level. */
static int plan_level(struct planning *p, const struct td_request *request,
		      int level, bool *on, struct td_err *err)
{
	const struct td_request planned = request_of(request, level);
	struct td_err why = { 0 };
	struct td_job job;
	int rc = td_job_plan(&job, &planned, &why);

	*on = false;
	if (!rc && !p->explained) {
		p->explained =
			calloc(job.machine.nr_core + 1, sizeof(*p->explained));
		if (!p->explained)
			rc = td_err_nomem(err);
	}
	if (!rc) {
		take_plan(p, &job, level);
		*on = p->deepest >= level;
		p->levels->deepest = *on ? level : level - 1;
	} else if (level == 1) {
		p->levels->no_level_1 = why;
	} else {
		td_doctor_add_error(&p->levels->found, names[level],
				    TD_FINDING_WARNING, &why);
	}
	td_job_free(&job);
	return rc == -ENOMEM ? rc : 0;
}

void td_levels_plan_task(const struct td_request *request, const char *cputype,
			 struct td_err *why)
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

int td_levels_plan(struct td_levels *levels, const struct td_request *request,
		   struct td_machine *machine, struct td_err *err)
{
	struct planning p = { .levels = levels };
	bool on = true;
	int rc = 0;

	*levels = (struct td_levels){ 0 };
	for (int level = 1; !rc && on && level <= TD_MAX_LEVEL; level++)
		rc = plan_level(&p, request, level, &on, err);
	free(p.explained);
	td_notes_free(&p.notes);
	td_levels_plan_task(request, request->cputype, &levels->no_task);
	return rc ? rc : find_files(levels, request, machine, err);
}

void td_levels_free(struct td_levels *levels)
{
	td_doctor_free(&levels->found);
	free(levels->dir);
	free(levels->version);
}
