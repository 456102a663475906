/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_MODEL_MACHINE_H
#define TD_TEST_MODEL_MACHINE_H

#include "metrics/tree/tree.h"
#include "tests/unit/machine.h"

/*
 * Machines with everything that a model's files name: its core PMUs, and one of
 * each uncore unit.
 */

/* clang-format off */

/* Transactional memory: arch/x86/events/intel/core.c, hsw_tsx_events_attrs. */
#define TSX                                                            \
	"tx-start event=0xc9,umask=0x1;cycles-t event=0x3c,in_tx=1;"   \
	"el-start event=0xc8,umask=0x1;"                               \
	"cycles-ct event=0x3c,in_tx=1,in_tx_cp=1;"

/* Fields of the core PMUs: arch/x86/events/intel/core.c and amd/core.c. */
static const char *const model_core_formats[] = {
	"edge config:18", "any config:21", "inv config:23", "cmask config:24-31",
	"in_tx config:32", "in_tx_cp config:33", "offcore_rsp config1:0-63",
	"ldlat config1:0-15", "frontend config1:0-23", "snoop_rsp config1:0-63",
	NULL,
};
static const char *const model_amd_formats[] = {
	"event config:0-7,32-35", "umask config:8-15", "edge config:18",
	"inv config:23", "cmask config:24-31", NULL,
};

/* Formats of all uncore units, each in bits of its own. */
static const char *const model_unit_formats[] = {
	"event config:0-15", "umask config:16-63", "edge config1:62", "inv config1:63",
	"cmask config1:0-7", "thresh config1:8-15", "fc_mask config1:16-23",
	"ch_mask config1:24-39", "rdwrmask config1:40-41", "occ_sel config1:42-44",
	"threadmask config1:45-52", "enallcores config1:53", "enallslices config1:54",
	"sliceid config1:55-58", "coreid config1:59-61", "filter_opc config2:0-31",
	"filter_tid config2:32-40", "filter_nc config2:41", "filter_state config2:42-51",
	"filter_nid config2:52-63", "filter_opc0 config3:0-9", "filter_opc1 config3:10-19",
	"filter_loc config3:20", "filter_rem config3:21", "filter_nm config3:22",
	"filter_not_nm config3:23", NULL,
};

/* Events that Linux has for every model. */
static const struct {
	const char *name, *events;
} model_fixed_units[] = {
	{ "msr", "tsc event=0x00;aperf event=0x01;mperf event=0x02;pperf event=0x03;smi "
	"event=0x04;" },
	{ "power", "energy-cores event=0x01;energy-pkg event=0x02;energy-ram event=0x03;" },
	{ "cstate_core", "c1-residency event=0x00;c3-residency event=0x01;c6-residency "
	"event=0x02;c7-residency event=0x03;" },
	{ "cstate_pkg", "c2-residency event=0x00;c3-residency event=0x01;c6-residency "
	"event=0x02;c7-residency event=0x03;c8-residency event=0x04;c9-residency "
	"event=0x05;c10-residency event=0x06;" },
	{ "cstate_module", "c6-residency event=0x00;" },
	{ "amd_iommu", "mem_iommu_tlb_pte_hit event=0x05;mem_iommu_tlb_pte_mis "
	"event=0x06;mem_iommu_tlb_pde_hit event=0x07;mem_iommu_tlb_pde_mis event=0x08;int_dte_hit "
	"event=0x13;int_dte_mis event=0x14;" },
};
/* clang-format on */

/* --- a machine of a model ------------------------------------------------- */

static inline void model_add_format(struct td_pmu *pmu, const char *text)
{
	struct td_format *format = td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));
	const char *space = strchr(text, ' ');

	td_format_parse(space + 1, format);
	format->name = strndup(text, (size_t)(space - text));
	pmu->nr_formats++;
}

static inline void model_add_formats(struct td_pmu *pmu, const char *const *texts)
{
	for (size_t i = 0; texts[i]; i++)
		model_add_format(pmu, texts[i]);
}

static inline struct td_pmu *model_add_pmu(struct td_machine *machine, const char *name,
					   const char *cpus, const char *events)
{
	struct td_pmu *pmu = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*pmu));

	pmu->name = strdup(name);
	/* above the types of perf_event.h, PERF_TYPE_* */
	pmu->type = 10 + (uint32_t)machine->nr_pmus++;
	pmu->kind = td_pmu_kind(name);
	pmu->uarch = td_model_uarch(machine->model, name);
	td_ints_parse(cpus, TD_MAX_CPU, &pmu->cpus);
	for (size_t i = 0; i < pmu->cpus.nr; i++)
		td_ints_add(&machine->online, pmu->cpus.v[i]);
	test_add_events(pmu, events);
	return pmu;
}

/* Newer cores have umasks of 16 bits, with a second range in sysfs. */
static inline bool model_has_wide_umasks(const struct td_pmu_events *files)
{
	for (size_t i = 0; i < files->nr_events; i++) {
		const struct td_model_event *event = &files->events[i];
		const char *umask = strstr(event->terms, "umask=0x");

		if (umask && strncmp(event->pmu, "cpu", 3) == 0 &&
		    strtoul(umask + strlen("umask=0x"), NULL, 16) > 0xff)
			return true;
	}
	return false;
}

static inline void model_add_core(struct td_machine *machine, const char *name, const char *cpus,
				  const char *events, const struct td_pmu_events *files)
{
	struct td_pmu *pmu = model_add_pmu(machine, name, cpus, events);

	machine->nr_core++;
	if (strcmp(machine->cpuid.vendor, "AuthenticAMD") == 0) {
		model_add_formats(pmu, model_amd_formats);
		return;
	}
	model_add_format(pmu, "event config:0-7");
	model_add_format(pmu, model_has_wide_umasks(files) ? "umask config:8-15,40-47"
							   : "umask config:8-15");
	if (model_has_wide_umasks(files))
		model_add_format(pmu, "eq config:36");
	model_add_formats(pmu, model_core_formats);
}

/* Units that may exist several times have a number. */
static inline void model_add_unit(struct td_machine *machine, const char *pmu)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s", pmu,
		 strncmp(pmu, "uncore_", 7) == 0 && !strchr("0123456789", pmu[strlen(pmu) - 1])
			 ? "_0"
			 : "");
	if (strncmp(pmu, "cpu", 3) != 0 && td_machine_find_pmu(machine, name) < 0)
		model_add_formats(model_add_pmu(machine, name, "0", ""), model_unit_formats);
}

static inline void model_add_units(struct td_machine *machine, const struct td_pmu_events *files)
{
	td_machine_add_builtin(machine);
	for (size_t i = 0; i < TD_ARRAY_SIZE(model_fixed_units); i++)
		model_add_format(model_add_pmu(machine, model_fixed_units[i].name, "0",
					       model_fixed_units[i].events),
				 "event config:0-63");
	for (size_t i = 0; i < files->nr_events; i++)
		model_add_unit(machine, files->events[i].pmu);
	machine->has_others = true;
}

/*
 * core, atom: names in sysfs of cpu, or of cpu_core and cpu_atom; atom is NULL if the model is not
 * a hybrid.  Free with td_machine_free().
 */
static inline void model_machine(struct td_machine *machine, const struct td_cpuid *cpuid,
				 const char *core, const char *atom,
				 const struct td_pmu_events *files)
{
	*machine = (struct td_machine){ .cpuid = *cpuid };
	machine->model = td_model_find(cpuid);
	model_add_core(machine, atom ? "cpu_core" : "cpu", "0-3", core, files);
	if (atom)
		model_add_core(machine, "cpu_atom", "4-7", atom, files);
	model_add_units(machine, files);
}

/* Places with two threads to a core and four to a package. */
static inline void model_places(const struct td_machine *machine, struct td_place *places)
{
	for (size_t i = 0; i < machine->online.nr; i++) {
		int cpu = machine->online.v[i];

		places[i] = (struct td_place){ cpu, cpu / 2, cpu / 2, 0, cpu / 4, cpu / 4 };
	}
}

/* --- metrics of it -------------------------------------------------------- */

/* The input of a tree, which it borrows from. */
struct model_built {
	struct td_pmu_events *files;
	struct td_machine *machine;
	struct td_sets sets;
	struct td_literals literals;
	struct td_plan plan;
	struct td_tree tree;
	struct td_notes notes;
	struct td_err err;
	int rc;
};

static inline int model_event(void *ctx, const struct td_pmu *pmu, const char *name,
			      const char **terms, struct td_err *err)
{
	const struct td_model_event *event;
	int rc = td_pmu_events_find(ctx, pmu->name, name, &event, err);

	*terms = event ? event->terms : NULL;
	return rc;
}

static inline const char *model_offer_names(void *ctx, struct td_closest *closest)
{
	(void)ctx;
	(void)closest;
	return NULL;
}

static inline void model_build(struct model_built *b, const struct td_ask *ask, bool core_wide)
{
	const struct td_event_source source = { b->files, model_event, model_offer_names, NULL };
	const struct td_tree_setup setup = {
		.machine = b->machine,
		.sets = &b->sets,
		.ask = ask,
		.literals = &b->literals,
		.source = &source,
		.files = b->files,
	};
	struct td_place places[8];

	model_places(b->machine, places);
	td_literals_fill(&b->literals, b->machine, places, 2000000000, core_wide);
	td_sets_from_files(&b->sets, b->machine, b->files, &b->notes);
	b->rc = 0;
	b->rc = td_tree_build(&b->tree, &b->plan.events, &setup, &b->err);
}

static inline void model_built_free(struct model_built *b)
{
	td_tree_free(&b->tree);
	td_plan_free(&b->plan);
	td_sets_free(&b->sets);
	td_notes_free(&b->notes);
}

#endif
