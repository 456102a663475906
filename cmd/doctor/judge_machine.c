// SPDX-License-Identifier: GPL-2.0-only
/* Findings on the processor, its PMUs and the kernel. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/doctor/judge.h"
#include "lib/base/util.h"
#include "metrics/sets/no_tree.h"

static void judge_processor(struct td_doctor *doctor,
			    const struct td_machine *machine)
{
	td_autofree char *cpus = td_ints_format(&machine->online);
	char cpuid[48];

	if (machine->no_identity.code) {
		td_doctor_add_error(doctor, "processor", TD_FINDING_FAILED,
				    &machine->no_identity);
		return;
	}
	td_cpuid_format(&machine->cpuid, cpuid);
	td_doctor_add(doctor, "processor",
		      machine->model ? TD_FINDING_OK : TD_FINDING_NOTE,
		      "%s (%s), CPUs %s",
		      machine->model ? machine->model->name
				     : "not in tdstat's table",
		      cpuid, cpus ? cpus : "?");
}

static void judge_hypervisor(struct td_doctor *doctor,
			     const struct td_machine *machine)
{
	if (machine->cpuid.hypervisor)
		td_doctor_add(doctor, "hypervisor", TD_FINDING_NOTE,
			      "this is a virtual machine: its host decides "
			      "what there is to count");
	else
		td_doctor_add(doctor, "hypervisor", TD_FINDING_OK, "none");
}

static void judge_kernel(struct td_doctor *doctor,
			 const struct td_patient *patient)
{
	const struct td_machine *machine = patient->machine;
	const char *since = td_kernel_too_old(machine);
	struct td_finding *finding;

	if (!since || !patient->levels->no_level_1.code) {
		td_doctor_add(doctor, "kernel", TD_FINDING_OK, "Linux %s%s",
			      machine->release,
			      machine->model && machine->nr_core
				      ? ", which knows this processor"
				      : "");
		return;
	}
	finding = td_doctor_add(doctor, "kernel", TD_FINDING_FAILED,
				"Linux %s does not know this processor (%s)",
				machine->release, machine->model->name);
	td_finding_set_remedy(finding, "Linux %s does", since);
}

/* --- PMUs ------------------------------------------------------------------- */

static size_t count_topdown(const struct td_pmu *pmu)
{
	size_t nr = 0;

	for (size_t i = 0; i < pmu->nr_aliases; i++)
		nr += strncmp(pmu->aliases[i].name, "topdown-", 8) == 0;
	return nr;
}

/* "slots and 8 fields of PERF_METRICS" */
static void describe_events(const struct td_pmu *pmu, char *buf, size_t size)
{
	size_t nr = count_topdown(pmu);

	if (td_pmu_has_slots(pmu))
		snprintf(buf, size, "slots and %zu fields of PERF_METRICS", nr);
	else if (nr)
		snprintf(buf, size, "%zu top-down events", nr);
	else
		snprintf(buf, size, "no top-down events in sysfs");
}

static void judge_pmu(struct td_doctor *doctor, const struct td_pmu *pmu)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);
	char events[64];

	describe_events(pmu, events, sizeof(events));
	td_doctor_add(doctor, "PMU",
		      count_topdown(pmu) ? TD_FINDING_OK : TD_FINDING_NOTE,
		      "%s: CPUs %s, %s; %s; %d general counters", pmu->name,
		      cpus && *cpus ? cpus : "none", td_uarch_name(pmu->uarch),
		      events, td_uarch_general(pmu->uarch));
}

/* What prevents level 1 says the PMU's line if there is no PMU. */
static void judge_pmus(struct td_doctor *doctor,
		       const struct td_patient *patient)
{
	const struct td_machine *machine = patient->machine;
	const struct td_err *why = &patient->levels->no_level_1;

	for (size_t i = 0; i < machine->nr_core; i++)
		judge_pmu(doctor, &machine->pmus[i]);
	if (!machine->nr_core && why->code)
		td_doctor_add_error(doctor, "PMU", TD_FINDING_FAILED, why);
}

/* --- what takes counters ----------------------------------------------------- */

static void judge_watchdog(struct td_doctor *doctor,
			   const struct td_machine *machine)
{
	struct td_finding *finding;

	if (!machine->nmi_watchdog) {
		td_doctor_add(doctor, "watchdog", TD_FINDING_OK,
			      "the NMI watchdog is off");
		return;
	}
	finding = td_doctor_add(doctor, "watchdog", TD_FINDING_WARNING,
				"the NMI watchdog holds a counter of each CPU: "
				"more groups take turns");
	td_finding_set_command(finding, "sysctl kernel.nmi_watchdog=0");
}

static void judge_smt(struct td_doctor *doctor,
		      const struct td_patient *patient)
{
	const struct td_err *why = &patient->levels->no_task;
	struct td_finding *finding;

	if (!patient->machine->smt) {
		td_doctor_add(doctor, "SMT", TD_FINDING_OK,
			      "hyper-threading is off");
		return;
	}
	if (why->code != -ENOTSUP) {
		td_doctor_add(doctor, "SMT", TD_FINDING_OK,
			      "hyper-threading is on");
		return;
	}
	finding = td_doctor_add_error(doctor, "SMT", TD_FINDING_WARNING, why);
	td_finding_set_command(
		finding, "echo off > /sys/devices/system/cpu/smt/control");
}

void td_doctor_judge_machine(struct td_doctor *doctor,
			     const struct td_patient *patient)
{
	const struct td_machine *machine = patient->machine;

	judge_processor(doctor, machine);
	judge_hypervisor(doctor, machine);
	judge_kernel(doctor, patient);
	judge_pmus(doctor, patient);
	if (!machine->nr_core)
		return;
	judge_watchdog(doctor, machine);
	judge_smt(doctor, patient);
}
