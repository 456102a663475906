// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulates a machine: the PMUs that the kernel would show for a model's cores, from the
 * tables of its vendor.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/machine/machine.h"

/* The type of the second PMU; the kernel numbers further PMUs in order, those of cores first. */
#define SECOND_TYPE 10

static void add_format(struct td_pmu *pmu, const struct td_sysfs_row *row)
{
	struct td_format *format = td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));

	if (td_format_parse(row->text, format))
		abort(); /* the table is wrong */
	format->name = td_strdup(row->name);
	pmu->nr_formats++;
}

static void add_alias(struct td_pmu *pmu, const struct td_sysfs_row *row)
{
	struct td_alias *alias = td_array_add(&pmu->aliases, pmu->nr_aliases, sizeof(*alias));

	pmu->nr_aliases++;
	alias->name = td_strdup(row->name);
	alias->terms = td_strdup(row->text);
	alias->scale = row->scale > 0 ? row->scale : 1;
}

static bool has(const struct td_core *core, const struct td_sysfs_row *row)
{
	return (!row->with || core->traits & row->with) && !(core->traits & row->unless);
}

static void add_events(struct td_pmu *pmu, const struct td_sysfs_row *row)
{
	for (; row && row->name; row++) {
		if (has(td_core_of(pmu->uarch), row))
			add_alias(pmu, row);
	}
}

/* Return the top-down events; on a hybrid, E-cores of a type may have other events than alone. */
static const struct td_sysfs_row *own_events(const struct td_pmu *pmu)
{
	const struct td_core *core = td_core_of(pmu->uarch);

	return strcmp(pmu->name, "cpu") != 0 && core->beside ? core->beside : core->events;
}

static void fill_sysfs(struct td_pmu *pmu, const struct td_vendor *vendor)
{
	for (const struct td_sysfs_row *row = vendor->formats; row && row->name; row++) {
		if (has(td_core_of(pmu->uarch), row))
			add_format(pmu, row);
	}
	add_events(pmu, vendor->events);
	add_events(pmu, own_events(pmu));
}

static const char *find_terms(const struct td_pmu *pmu, const struct td_sysfs_row *row,
			      const char *event)
{
	for (; row && row->name; row++) {
		if (strcmp(row->name, event) == 0 && has(td_core_of(pmu->uarch), row))
			return row->scale > 0 ? NULL : row->text;
	}
	return NULL;
}

const char *td_machine_event_terms(const struct td_machine *machine, const struct td_pmu *pmu,
				   const char *event)
{
	const char *terms = find_terms(pmu, td_vendor_of(&machine->cpuid)->events, event);

	return terms ? terms : find_terms(pmu, own_events(pmu), event);
}

/* Adds a PMU with one CPU, because the kernel does not show PMUs without CPUs. */
static void add_pmu(struct td_machine *machine, const char *name, enum td_uarch uarch)
{
	int cpu = (int)machine->nr_pmus;
	struct td_pmu *pmu = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*pmu));

	pmu->kind = TD_PMU_CORE;
	pmu->type = cpu ? SECOND_TYPE + (uint32_t)cpu - 1 : PERF_TYPE_RAW;
	pmu->name = td_strdup(name);
	pmu->uarch = uarch;
	td_ints_add(&pmu->cpus, cpu);
	td_ints_add(&machine->online, cpu);
	fill_sysfs(pmu, td_vendor_of(&machine->cpuid));
	machine->nr_core = ++machine->nr_pmus;
}

void td_machine_make_up(const struct td_cpuid *cpuid, struct td_machine *machine)
{
	const struct td_model *model = td_model_find(cpuid);

	*machine = (struct td_machine){ .cpuid = *cpuid, .model = model, .has_others = true };
	if (td_model_is_hybrid(model)) {
		add_pmu(machine, "cpu_core", model->core);
		add_pmu(machine, "cpu_atom", model->atom);
		if (model->lowpower)
			add_pmu(machine, "cpu_lowpower", model->lowpower);
	} else {
		add_pmu(machine, "cpu", td_uarch_find(cpuid, model, "cpu"));
	}
	td_machine_add_builtin(machine);
}
