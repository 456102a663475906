// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine that is not there: what the kernel would show of a model's cores, as
 * far as the model tells it (arch/x86/events/intel/core.c and amd/core.c).
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/machine/machine.h"

/* The kernel numbers further PMUs as they come; these come first. */
#define SECOND_TYPE 10

/* Bit masks of cores. */
#define CORE(uarch)        (1u << TD_##uarch)
#define CORES(first, last) ((CORE(last) << 1) - CORE(first))
#define ALL                (~0u)
/* IA32_PERFEVTSELx has a second unit mask. */
#define UMASK2 \
	(CORE(LION_COVE) | CORE(COUGAR_COVE) | CORE(SKYMONT) | CORE(DARKMONT))

static const struct {
	const char *name, *bits;
	uint32_t cores;
} formats[] = {
	{ "any", "config:21", CORES(SANDY_BRIDGE, SKYLAKE) },
	{ "cmask", "config:24-31", ALL },
	{ "edge", "config:18", ALL },
	{ "event", "config:0-7", ALL },
	{ "frontend", "config1:0-23", CORES(SKYLAKE, COUGAR_COVE) },
	{ "inv", "config:23", ALL },
	{ "ldlat", "config1:0-15", ALL },
	{ "offcore_rsp", "config1:0-63", ALL },
	{ "pc", "config:19", ALL },
	{ "snoop_rsp", "config1:0-63", CORES(CRESTMONT, DARKMONT) },
	{ "umask", "config:8-15", ~UMASK2 },
	{ "umask", "config:8-15,40-47", UMASK2 },
};

/* Whose ref-cycles is the event of a general counter. */
#define REF_TSC_P (CORES(GOLDEN_COVE, COUGAR_COVE) | CORES(GRACEMONT, DARKMONT))

#define TO_SKYLAKE   CORES(SANDY_BRIDGE, SKYLAKE)
#define TO_CRESTMONT CORES(TREMONT, CRESTMONT)
#define FROM_SKYMONT CORES(SKYMONT, DARKMONT)

/* E-cores of one kind have other events where there are no P-cores. */
enum company {
	ANY,
	ALONE,
	BESIDE,
};

/*
 * The architectural events, SLOTS and the fields of PERF_METRICS, of which older
 * cores have four.
 */
static const struct {
	const char *name, *terms;
	uint32_t cores;
	enum company company;
	double scale; /* 0: 1 */
} aliases[] = {
	{ "branch-instructions", "event=0xc4", ALL },
	{ "branch-misses", "event=0xc5", ALL },
	{ "bus-cycles", "event=0x3c,umask=0x01", ALL },
	{ "cache-misses", "event=0x2e,umask=0x41", ALL },
	{ "cache-references", "event=0x2e,umask=0x4f", ALL },
	{ "cpu-cycles", "event=0x3c", ALL },
	{ "instructions", "event=0xc0", ALL },
	{ "ref-cycles", "event=0x3c,umask=0x01", REF_TSC_P },
	{ "ref-cycles", "event=0x00,umask=0x03", ~REF_TSC_P },
	{ "slots", "event=0x00,umask=0x4", CORES(SUNNY_COVE, COUGAR_COVE) },
	{ "topdown-bad-spec", "event=0x00,umask=0x81",
	  CORES(SUNNY_COVE, COUGAR_COVE) },
	{ "topdown-be-bound", "event=0x00,umask=0x83",
	  CORES(SUNNY_COVE, COUGAR_COVE) },
	{ "topdown-br-mispredict", "event=0x00,umask=0x85",
	  CORES(GOLDEN_COVE, COUGAR_COVE) },
	{ "topdown-fe-bound", "event=0x00,umask=0x82",
	  CORES(SUNNY_COVE, COUGAR_COVE) },
	{ "topdown-fetch-lat", "event=0x00,umask=0x86",
	  CORES(GOLDEN_COVE, COUGAR_COVE) },
	{ "topdown-heavy-ops", "event=0x00,umask=0x84",
	  CORES(GOLDEN_COVE, COUGAR_COVE) },
	{ "topdown-mem-bound", "event=0x00,umask=0x87",
	  CORES(GOLDEN_COVE, COUGAR_COVE) },
	{ "topdown-retiring", "event=0x00,umask=0x80",
	  CORES(SUNNY_COVE, COUGAR_COVE) },
	/* E-cores count slots by events of their own. */
	{ "topdown-be-bound", "event=0x74,umask=0x0", TO_CRESTMONT },
	{ "topdown-fe-bound", "event=0x71,umask=0x0", TO_CRESTMONT },
	{ "topdown-retiring", "event=0xc2,umask=0x0",
	  CORES(TREMONT, GRACEMONT) },
	{ "topdown-retiring", "event=0xc2,umask=0x0", CORE(CRESTMONT), BESIDE },
	{ "topdown-retiring", "event=0x72,umask=0x0", CORE(CRESTMONT), ALONE },
	{ "topdown-bad-spec", "event=0x73,umask=0x6", CORE(TREMONT) },
	{ "topdown-bad-spec", "event=0x73,umask=0x6", CORE(GRACEMONT), ALONE },
	{ "topdown-bad-spec", "event=0x73,umask=0x0", CORE(GRACEMONT), BESIDE },
	{ "topdown-bad-spec", "event=0x73,umask=0x0",
	  CORES(CRESTMONT, DARKMONT) },
	{ "topdown-be-bound", "event=0xa4,umask=0x02", FROM_SKYMONT },
	{ "topdown-fe-bound", "event=0x9c,umask=0x01", FROM_SKYMONT },
	{ "topdown-retiring", "event=0xc2,umask=0x02", FROM_SKYMONT },
	/* as without hyper-threading, for which the kernel adds any=1 */
	{ "topdown-fetch-bubbles", "event=0x9c,umask=0x1", TO_SKYLAKE },
	{ "topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1",
	  CORES(SANDY_BRIDGE, BROADWELL), .scale = 4 },
	{ "topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1",
	  CORE(SKYLAKE), .scale = 4 },
	{ "topdown-slots-issued", "event=0xe,umask=0x1", TO_SKYLAKE },
	{ "topdown-slots-retired", "event=0xc2,umask=0x2", TO_SKYLAKE },
	{ "topdown-total-slots", "event=0x3c,umask=0x0", TO_SKYLAKE,
	  .scale = 4 },
};

static int add_format(struct td_pmu *pmu, const char *name, const char *bits)
{
	struct td_format *format =
		td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));

	if (!format || td_format_parse(bits, format))
		return -1;
	format->name = strdup(name);
	pmu->nr_formats++;
	return format->name ? 0 : -1;
}

static int add_alias(struct td_pmu *pmu, const char *name, const char *terms,
		     double scale)
{
	struct td_alias *alias =
		td_array_add(&pmu->aliases, pmu->nr_aliases, sizeof(*alias));

	if (!alias)
		return -1;
	pmu->nr_aliases++;
	alias->name = strdup(name);
	alias->terms = strdup(terms);
	if (!alias->name || !alias->terms)
		return -1;
	alias->scale = scale > 0 ? scale : 1;
	return 0;
}

static int fill_intel(struct td_pmu *pmu)
{
	enum company other = strcmp(pmu->name, "cpu") == 0 ? BESIDE : ALONE;
	uint32_t core = 1u << pmu->uarch;
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(formats); i++) {
		if (formats[i].cores & core)
			rc = add_format(pmu, formats[i].name, formats[i].bits);
	}
	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(aliases); i++) {
		if (aliases[i].cores & core && aliases[i].company != other)
			rc = add_alias(pmu, aliases[i].name, aliases[i].terms,
				       aliases[i].scale);
	}
	return rc;
}

static int fill_amd(struct td_pmu *pmu)
{
	static const char *const bits[][2] = {
		{ "cmask", "config:24-31" },     { "edge", "config:18" },
		{ "event", "config:0-7,32-35" }, { "inv", "config:23" },
		{ "umask", "config:8-15" },
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(bits); i++)
		rc = add_format(pmu, bits[i][0], bits[i][1]);
	return rc;
}

/* Each PMU has a CPU, as one without is not there. */
static int fill_pmu(struct td_pmu *pmu, const struct td_machine *machine,
		    const char *name)
{
	const char *vendor = machine->cpuid.vendor;
	int cpu = (int)machine->nr_pmus;

	pmu->kind = TD_PMU_CORE;
	pmu->type = cpu ? SECOND_TYPE + (uint32_t)cpu - 1 : PERF_TYPE_RAW;
	pmu->name = strdup(name);
	if (!pmu->name || td_ints_add(&pmu->cpus, cpu))
		return -1;
	if (strcmp(vendor, "GenuineIntel") == 0)
		return fill_intel(pmu);
	return strcmp(vendor, "AuthenticAMD") == 0 ? fill_amd(pmu) : 0;
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

	if (!model || !td_model_is_hybrid(model))
		return add_pmu(machine, "cpu",
			       model ? model->core : TD_UARCH_UNKNOWN);
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
	if (strcmp(cpuid->vendor, "GenuineIntel") == 0)
		machine->model = td_model_find(cpuid->family, cpuid->model);
	if (!add_pmus(machine))
		return 0;
	td_machine_free(machine);
	return td_err_nomem(err);
}
