// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/why.h"

#include <errno.h>
#include <string.h>

static int no_pmu(const struct td_machine *machine, struct td_err *err)
{
	td_err_set(err, -ENODEV,
		   "no top-down events: the kernel shows no PMU of the "
		   "processor's cores");
	if (machine->cpuid.hypervisor)
		return td_err_hint(err,
				   "this is a virtual machine: its host has to "
				   "give it a virtual PMU");
	return td_err_hint(err, "dmesg | grep -i 'performance events' says "
				"what the kernel found");
}

static int kernel_too_old(const struct td_machine *machine, struct td_err *err)
{
	td_err_set(err, -ENODEV,
		   "no top-down events: Linux %s does not know this processor "
		   "(%s)",
		   machine->release, machine->model->name);
	return td_err_hint(err, "Linux %s does",
			   machine->model->linux_since
				   ? machine->model->linux_since
				   : "6.12");
}

int td_why_no_tree(const struct td_machine *machine, struct td_err *err)
{
	const char *pmu;

	if (machine->nr_pmus == 0)
		return no_pmu(machine, err);
	pmu = machine->pmus[0].name;
	if (machine->model && strcmp(pmu, "cpu") == 0 &&
	    (td_model_is_hybrid(machine->model) || machine->model->linux_since))
		return kernel_too_old(machine, err);
	td_err_set(err, -ENODEV,
		   "no top-down events: PMU %s has neither slots nor "
		   "topdown-* in sysfs",
		   pmu);
	if (strcmp(machine->cpuid.vendor, "GenuineIntel") != 0)
		return td_err_hint(err,
				   "this is not an Intel processor: "
				   "there are none yet for %s",
				   machine->cpuid.vendor[0]
					   ? machine->cpuid.vendor
					   : "it");
	if (machine->cpuid.hypervisor)
		return td_err_hint(err,
				   "this is a virtual machine: most hosts do "
				   "not pass PERF_METRICS on; measure on the "
				   "host");
	return td_err_hint(err, "Intel processors have them from Sandy Bridge "
				"on, Atom cores from Goldmont on");
}
