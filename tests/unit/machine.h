/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_MACHINE_H
#define TD_TEST_MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"

/*
 * Machines made in a test: the PMUs and events of the models, as Linux 6.12
 * exports them (arch/x86/events/intel/core.c).
 */

struct test_pmu {
	const char *name;
	uint32_t type;
	const char *cpus;
	const char *events; /* "name terms[ scale];" ... */
};

struct test_model {
	const char *name, *cpuid;
	bool smt;
	struct test_pmu pmus[3];
};

#define EVENT(name, umask) name " event=0x00,umask=" umask ";"

#define METRICS_4                         \
	EVENT("slots", "0x4")             \
	EVENT("topdown-retiring", "0x80") \
	EVENT("topdown-bad-spec", "0x81") \
	EVENT("topdown-fe-bound", "0x82") \
	EVENT("topdown-be-bound", "0x83")

#define METRICS_8                              \
	METRICS_4                              \
	EVENT("topdown-heavy-ops", "0x84")     \
	EVENT("topdown-br-mispredict", "0x85") \
	EVENT("topdown-fetch-lat", "0x86")     \
	EVENT("topdown-mem-bound", "0x87")

#define ATOM_(fe, ret, bad, be)           \
	"topdown-fe-bound event=" fe ";"  \
	"topdown-retiring event=" ret ";" \
	"topdown-bad-spec event=" bad ";" \
	"topdown-be-bound event=" be ";"

#define TREMONT   ATOM_("0x71,umask=0x0", "0xc2,umask=0x0", "0x73,umask=0x6", "0x74,umask=0x0")
#define GRACEMONT ATOM_("0x71,umask=0x0", "0xc2,umask=0x0", "0x73,umask=0x0", "0x74,umask=0x0")
#define CRESTMONT_ALONE \
	ATOM_("0x71,umask=0x0", "0x72,umask=0x0", "0x73,umask=0x0", "0x74,umask=0x0")
#define SKYMONT ATOM_("0x9c,umask=0x01", "0xc2,umask=0x02", "0x73,umask=0x0", "0xa4,umask=0x02")

#define OLD_(any, scale, recovery_umask)                             \
	"topdown-total-slots event=0x3c,umask=0x0" any " " scale ";" \
	"topdown-slots-issued event=0xe,umask=0x1;"                  \
	"topdown-slots-retired event=0xc2,umask=0x2;"                \
	"topdown-fetch-bubbles event=0x9c,umask=0x1;"                \
	"topdown-recovery-bubbles event=0xd,umask=" recovery_umask ",cmask=1" any " " scale ";"

#define SKYLAKE_SMT OLD_(",any=1", "2", "0x1")
#define SKYLAKE     OLD_("", "4", "0x1")
#define BROADWELL   OLD_("", "4", "0x3")

/* clang-format off */
static const struct test_model test_models[] = {
	{ "bdw", "GenuineIntel-6-3D-4", false,
	  { { "cpu", 4, "0-3", BROADWELL } } },
	{ "skx", "GenuineIntel-6-55-4", false,
	  { { "cpu", 4, "0-3", SKYLAKE } } },
	{ "skx-smt", "GenuineIntel-6-55-4", true,
	  { { "cpu", 4, "0-3", SKYLAKE_SMT } } },
	{ "icx", "GenuineIntel-6-6A-6", true,
	  { { "cpu", 4, "0-3", METRICS_4 } } },
	{ "spr", "GenuineIntel-6-8F-6", true,
	  { { "cpu", 4, "0-3", METRICS_8 } } },
	{ "gnr", "GenuineIntel-6-AD-1", true,
	  { { "cpu", 4, "0-3", METRICS_8 } } },
	{ "adl", "GenuineIntel-6-97-2", true,
	  { { "cpu_core", 4, "0-3", METRICS_8 },
	    { "cpu_atom", 10, "4-7", GRACEMONT } } },
	{ "mtl", "GenuineIntel-6-AA-4", true,
	  { { "cpu_core", 4, "0-3", METRICS_8 },
	    { "cpu_atom", 10, "4-7", GRACEMONT } } },
	{ "lnl", "GenuineIntel-6-BD-1", false,
	  { { "cpu_core", 4, "0-3", METRICS_8 },
	    { "cpu_atom", 10, "4-7", SKYMONT } } },
	{ "arl-h", "GenuineIntel-6-C5-2", false,
	  { { "cpu_core", 4, "0-3", METRICS_8 },
	    { "cpu_atom", 10, "4-7", SKYMONT },
	    { "cpu_lowpower", 11, "8-9", GRACEMONT } } },
	{ "ptl", "GenuineIntel-6-CC-1", false,
	  { { "cpu_core", 4, "0-3", METRICS_8 },
	    { "cpu_atom", 10, "4-7", SKYMONT } } },
	{ "ehl", "GenuineIntel-6-96-1", false,
	  { { "cpu", 4, "0-3", TREMONT } } },
	{ "adl-n", "GenuineIntel-6-BE-0", false,
	  { { "cpu", 4, "0-3", TREMONT } } },
	{ "srf", "GenuineIntel-6-AF-3", false,
	  { { "cpu", 4, "0-3", CRESTMONT_ALONE } } },
	{ "cwf", "GenuineIntel-6-DD-0", false,
	  { { "cpu", 4, "0-3", SKYMONT } } },
	/* processors of the future */
	{ "new-8", "GenuineIntel-6-FE-0", false,
	  { { "cpu", 4, "0-3", METRICS_8 } } },
	{ "new-4", "GenuineIntel-6-FE-0", false,
	  { { "cpu", 4, "0-3", METRICS_4 } } },
	{ "new-atom", "GenuineIntel-6-FE-0", false,
	  { { "cpu", 4, "0-3", GRACEMONT } } },
	/* ones without: AMD, and a virtual machine */
	{ "zen", "AuthenticAMD-25-61-2", true, { { "cpu", 4, "0-3", "" } } },
	{ "vm", "GenuineIntel-6-6A-6", false, { { "cpu", 4, "0-3", "" } } },
	{ "vm-spr", "GenuineIntel-6-8F-8", false, { { "cpu", 4, "0-3", "" } } },
	{ "vm-lnl", "GenuineIntel-6-BD-1", false, { { "cpu_core", 4, "0-3", "" } } },
	/* a hybrid whose kernel does not know it */
	{ "adl-old", "GenuineIntel-6-97-2", true,
	  { { "cpu", 4, "0-7", METRICS_8 } } },
};

static const struct {
	const char *name, *text;
} test_formats[] = {
	{ "event", "config:0-7" }, { "umask", "config:8-15" },
	{ "edge", "config:18" }, { "any", "config:21" },
	{ "inv", "config:23" }, { "cmask", "config:24-31" },
	{ "offcore_rsp", "config1:0-63" }, { "ldlat", "config1:0-15" },
	{ "frontend", "config1:0-23" },
	{ "umask2", "config:8-15,40-47" }, /* newer cores' umask */
};
/* clang-format on */

static inline void test_add_formats(struct td_pmu *pmu)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(test_formats); i++) {
		struct td_format *format =
			td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));

		td_format_parse(test_formats[i].text, format);
		format->name = strdup(test_formats[i].name);
		pmu->nr_formats++;
	}
}

static inline void test_add_events(struct td_pmu *pmu, const char *events)
{
	td_autofree char *copy = strdup(events);
	char *rest = copy, *event;

	while ((event = strsep(&rest, ";")) && *event) {
		struct td_alias *alias =
			td_array_add(&pmu->aliases, pmu->nr_aliases, sizeof(*alias));

		alias->name = strdup(strsep(&event, " "));
		alias->terms = strdup(strsep(&event, " "));
		alias->scale = event ? atof(event) : 1;
		pmu->nr_aliases++;
	}
}

static inline void test_add_pmu(struct td_machine *machine, const struct test_pmu *from)
{
	struct td_pmu *pmu = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*pmu));

	pmu->name = strdup(from->name);
	pmu->type = from->type;
	pmu->uarch = td_model_uarch(machine->model, from->name);
	td_ints_parse(from->cpus, TD_MAX_CPU, &pmu->cpus);
	for (size_t i = 0; i < pmu->cpus.nr; i++)
		td_ints_add(&machine->online, pmu->cpus.v[i]);
	test_add_formats(pmu);
	test_add_events(pmu, from->events);
	pmu->kind = td_pmu_kind(from->name);
	machine->nr_pmus++;
	machine->nr_core++;
}

/* Free with td_machine_free(). */
static inline void test_machine(struct td_machine *machine, const char *name)
{
	const struct test_model *model = test_models;
	struct td_err err = { 0 };

	while (strcmp(model->name, name) != 0)
		model++;
	*machine = (struct td_machine){ .smt = model->smt };
	td_cpuid_parse(model->cpuid, &machine->cpuid, &err);
	machine->model = td_model_find(&machine->cpuid);
	for (size_t i = 0; i < TD_ARRAY_SIZE(model->pmus); i++) {
		if (model->pmus[i].name)
			test_add_pmu(machine, &model->pmus[i]);
	}
}

#endif
