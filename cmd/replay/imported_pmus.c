// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/replay/imported_pmus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/recording/fill.h"

/* Does this PMU of the model have an event of that name, without its terms? */
static int has_event(const struct td_pmu *pmu, const char *id,
		     struct td_catalog *catalog, bool *has, struct td_err *err)
{
	td_autofree char *name = strndup(id, strcspn(id, ","));
	const char *terms = NULL;
	int rc = 0;

	if (!name)
		return td_err_nomem(err);
	*has = td_pmu_has_event(pmu, name);
	if (!*has)
		rc = catalog->source.model_event(catalog, pmu, name, &terms,
						 err);
	*has = *has || terms;
	return rc;
}

/* The only PMU with that event; NULL: none, or more than one. */
static int only_pmu(const struct td_machine *made, const char *id,
		    struct td_catalog *catalog, const char **pmu,
		    struct td_err *err)
{
	size_t nr = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < made->nr_core; i++) {
		bool has = false;

		rc = has_event(&made->pmus[i], id, catalog, &has, err);
		if (rc || !has)
			continue;
		*pmu = made->pmus[i].name;
		nr++;
	}
	if (nr != 1)
		*pmu = NULL;
	return rc;
}

/* The PMU of each event; NULL: of the one that it has. */
static int choose_pmus(const struct td_recording *rec,
		       const struct td_perf_spelling *spellings,
		       const struct td_machine *made,
		       struct td_catalog *catalog, const char **pmus,
		       struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < rec->plan.events.nr; i++) {
		size_t pmu = (size_t)rec->plan.events.v[i].pmu;

		if (pmu < rec->machine.nr_core && !spellings[i].pmu)
			rc = only_pmu(made, spellings[i].id, catalog, &pmus[i],
				      err);
	}
	return rc;
}

static bool is_used(const struct td_recording *rec, const char *const *pmus,
		    const char *name)
{
	for (size_t i = 0; i < rec->plan.events.nr; i++) {
		int pmu = rec->plan.events.v[i].pmu;
		const char *own =
			pmus[i] ? pmus[i] : rec->machine.pmus[pmu].name;

		if (strcmp(own, name) == 0)
			return true;
	}
	return false;
}

static int add_pmu(struct td_recording *rec, const char *name,
		   enum td_pmu_kind kind, uint32_t type)
{
	if (td_machine_find_pmu(&rec->machine, name) >= 0)
		return 0;
	return td_recording_add_pmu(rec, name, kind, type);
}

/* Those of the model first, in its order, then all others. */
static int add_pmus(struct td_recording *rec, const struct td_machine *old,
		    const struct td_machine *made, const char *const *pmus)
{
	/* whether a PMU is used is asked of the old ones */
	struct td_recording before = *rec;
	int rc = 0;

	before.machine = *old;
	for (size_t i = 0; !rc && i < made->nr_core; i++) {
		const struct td_pmu *pmu = &made->pmus[i];

		if (is_used(&before, pmus, pmu->name))
			rc = add_pmu(rec, pmu->name, pmu->kind, pmu->type);
	}
	for (size_t i = 0; !rc && i < old->nr_pmus; i++) {
		const struct td_pmu *pmu = &old->pmus[i];

		if (i >= old->nr_core || is_used(&before, pmus, pmu->name))
			rc = add_pmu(rec, pmu->name, pmu->kind, pmu->type);
	}
	return rc;
}

static void move_events(struct td_recording *rec, const struct td_machine *old,
			const char *const *pmus)
{
	struct td_plan *plan = &rec->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		struct td_event *event = &plan->events.v[i];
		const char *name =
			pmus[i] ? pmus[i] : old->pmus[event->pmu].name;

		event->pmu = td_machine_find_pmu(&rec->machine, name);
	}
	for (size_t g = 0; g < plan->nr_groups; g++)
		plan->groups[g].pmu =
			plan->events.v[plan->groups[g].members[0]].pmu;
}

int td_import_pmus(struct td_recording *rec,
		   const struct td_perf_spelling *spellings,
		   const struct td_machine *made, struct td_catalog *catalog,
		   struct td_err *err)
{
	td_autofree const char **pmus =
		calloc(rec->plan.events.nr + 1, sizeof(*pmus));
	struct td_machine *machine = &rec->machine, old = *machine;
	int rc = pmus ? choose_pmus(rec, spellings, made, catalog, pmus, err)
		      : td_err_nomem(err);

	if (rc)
		return rc;
	machine->pmus = NULL;
	machine->nr_core = machine->nr_pmus = 0;
	if (add_pmus(rec, &old, made, pmus))
		rc = td_err_nomem(err);
	if (!rc)
		move_events(rec, &old, pmus);
	for (size_t i = 0; i < old.nr_pmus; i++)
		td_pmu_free(&old.pmus[i]);
	free(old.pmus);
	return rc;
}
