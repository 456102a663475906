// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine that is not there: what the kernel would show of a model's cores, as
 * far as the tables of its vendor tell it.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/machine/machine.h"

/* The kernel numbers further PMUs as they come; these come first. */
#define SECOND_TYPE 10

static int add_format(struct td_pmu *pmu, const struct td_sysfs_row *row)
{
	struct td_format *format =
		td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));

	if (!format || td_format_parse(row->text, format))
		return -1;
	format->name = strdup(row->name);
	pmu->nr_formats++;
	return format->name ? 0 : -1;
}

static int add_alias(struct td_pmu *pmu, const struct td_sysfs_row *row)
{
	struct td_alias *alias =
		td_array_add(&pmu->aliases, pmu->nr_aliases, sizeof(*alias));

	if (!alias)
		return -1;
	pmu->nr_aliases++;
	alias->name = strdup(row->name);
	alias->terms = strdup(row->text);
	if (!alias->name || !alias->terms)
		return -1;
	alias->scale = row->scale > 0 ? row->scale : 1;
	return 0;
}

static bool has(const struct td_core *core, const struct td_sysfs_row *row)
{
	return (!row->with || core->traits & row->with) &&
	       !(core->traits & row->unless);
}

static int add_events(struct td_pmu *pmu, const struct td_sysfs_row *row)
{
	int rc = 0;

	for (; !rc && row && row->name; row++) {
		if (has(td_core_of(pmu->uarch), row))
			rc = add_alias(pmu, row);
	}
	return rc;
}

/* E-cores of one kind may have other events beside P-cores. */
static int fill_sysfs(struct td_pmu *pmu, const struct td_vendor *vendor)
{
	const struct td_core *core = td_core_of(pmu->uarch);
	bool beside = strcmp(pmu->name, "cpu") != 0 && core->beside;
	int rc = 0;

	for (const struct td_sysfs_row *row = vendor->formats;
	     !rc && row && row->name; row++) {
		if (has(core, row))
			rc = add_format(pmu, row);
	}
	if (!rc)
		rc = add_events(pmu, vendor->events);
	return rc ? rc : add_events(pmu, beside ? core->beside : core->events);
}

/* Each PMU has a CPU, as one without is not there. */
static int fill_pmu(struct td_pmu *pmu, const struct td_machine *machine,
		    const char *name)
{
	int cpu = (int)machine->nr_pmus;

	pmu->kind = TD_PMU_CORE;
	pmu->type = cpu ? SECOND_TYPE + (uint32_t)cpu - 1 : PERF_TYPE_RAW;
	pmu->name = strdup(name);
	if (!pmu->name || td_ints_add(&pmu->cpus, cpu))
		return -1;
	return fill_sysfs(pmu, td_vendor_of(&machine->cpuid));
}

static int add_pmu(struct td_machine *machine, const char *name,
		   enum td_uarch uarch)
{
	struct td_pmu pmu = { .uarch = uarch }, *place;

	place = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*place));
	if (!place || fill_pmu(&pmu, machine, name) ||
	    td_ints_add(&machine->online, pmu.cpus.v[0])) {
		td_pmu_free(&pmu);
		return -1;
	}
	*place = pmu;
	machine->nr_core = ++machine->nr_pmus;
	return 0;
}

static int add_pmus(struct td_machine *machine)
{
	const struct td_model *model = machine->model;
	int rc;

	if (!td_model_is_hybrid(model))
		return add_pmu(machine, "cpu",
			       td_uarch_find(&machine->cpuid, model, "cpu"));
	rc = add_pmu(machine, "cpu_core", model->core);
	if (!rc)
		rc = add_pmu(machine, "cpu_atom", model->atom);
	if (!rc && model->lowpower)
		rc = add_pmu(machine, "cpu_lowpower", model->lowpower);
	return rc;
}

int td_machine_make_up(const struct td_cpuid *cpuid, struct td_machine *machine,
		       struct td_err *err)
{
	*machine = (struct td_machine){ .cpuid = *cpuid, .has_others = true };
	machine->model = td_model_find(cpuid);
	if (!add_pmus(machine) && !td_machine_add_builtin(machine, err))
		return 0;
	td_machine_free(machine);
	return td_err_nomem(err);
}
