// SPDX-License-Identifier: GPL-2.0-only
/* Finds out why no PMU of a machine has a top-down tree. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "metrics/sets/set.h"
#include "metrics/sets/sets.h"

static int no_pmu(const struct td_machine *machine, struct td_err *err)
{
	td_err_set(err, -ENODEV,
		   "no top-down events: the kernel shows no PMU of the processor's cores");
	if (machine->cpuid.hypervisor)
		return td_err_hint(
			err, "this is a virtual machine: its host has to give it a virtual PMU");
	return td_err_hint(err, "dmesg | grep -i 'performance events' says what the kernel found");
}

/* Compare kernel releases: "6.1.0-56-amd64" is older than "6.12"; 7.2.13 than TD_LATER_LINUX. */
static bool is_older(const char *release, const char *than)
{
	unsigned int a_major = 0, a_minor = 0, b_major = 0, b_minor = 0;
	bool later = sscanf(than, "newer than %u.%u", &b_major, &b_minor) == 2;

	if (sscanf(release, "%u.%u", &a_major, &a_minor) != 2 ||
	    (!later && sscanf(than, "%u.%u", &b_major, &b_minor) != 2))
		return false;
	return a_major != b_major ? a_major < b_major : a_minor < b_minor + later;
}

const char *td_kernel_too_old(const struct td_machine *machine)
{
	const struct td_model *model = machine->model;
	const char *since = model ? model->linux_since : NULL;

	return since && is_older(machine->release, since) ? since : NULL;
}

bool td_kernel_lacks_core(const struct td_machine *machine)
{
	return machine->nr_core && machine->pmus[0].uarch == TD_UARCH_UNKNOWN &&
	       td_model_uarch(machine->model, "cpu") != TD_UARCH_UNKNOWN;
}

static const char *first_pmu(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip)
			return machine->pmus[i].name;
	}
	return machine->pmus[0].name;
}

int td_why_no_tree(const struct td_machine *machine, struct td_err *err)
{
	const char *pmu, *since = td_kernel_too_old(machine);

	if (machine->nr_core == 0)
		return no_pmu(machine, err);
	pmu = first_pmu(machine);
	/* a kernel that does not know the processor shows one PMU called cpu */
	if ((since || td_kernel_lacks_core(machine)) && strcmp(pmu, "cpu") == 0) {
		td_err_set(err, -ENODEV,
			   "no top-down events: Linux %s does not know this processor (%s)",
			   machine->release, machine->model->name);
		return since ? td_err_hint(err, "it needs Linux %s", since)
			     : td_err_hint(err, "it needs a newer Linux");
	}
	if (strcmp(pmu, "cpu") == 0 && td_model_is_hybrid(machine->model)) {
		td_err_set(
			err, -ENODEV,
			"no top-down events: one PMU for both kinds of core of this processor (%s)",
			machine->model->name);
		return td_err_hint(
			err, "%s",
			machine->cpuid.hypervisor
				? "this is a virtual machine, which hides them: measure on the host"
				: "a kernel that knows it shows cpu_core and cpu_atom");
	}
	td_err_set(err, -ENODEV,
		   "no top-down events: PMU %s has neither slots nor topdown-* in sysfs", pmu);
	if (!td_builtin_is_for(machine))
		return td_err_hint(
			err,
			"this is not an Intel processor: of others, only AMD's Zen 4 and Zen 5 are "
			"supported");
	if (machine->cpuid.hypervisor)
		return td_err_hint(
			err,
			"this is a virtual machine on a core that tdstat does not know: measure on "
			"the host");
	return td_err_hint(
		err,
		"Intel processors have them from Sandy Bridge on, Atom cores from Goldmont on");
}
