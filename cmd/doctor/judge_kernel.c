// SPDX-License-Identifier: GPL-2.0-only
/* Findings on the kernel: whether it knows the processor, and its faults. */
#include "cmd/doctor/parts.h"
#include "lib/base/util.h"
#include "lib/machine/kernel.h"
#include "metrics/sets/sets.h"

static void judge_age(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_machine *machine = system->machine;
	const char *since = td_kernel_too_old(machine);
	bool known = machine->model && machine->nr_core && !td_kernel_lacks_core(machine);
	struct td_finding *finding;

	if (!since || !system->levels->no_level_1.code) {
		td_doctor_add(doctor, "kernel", TD_FINDING_OK, "Linux %s%s", machine->release,
			      known ? ", which knows this processor" : "");
		return;
	}
	finding = td_doctor_add(doctor, "kernel", TD_FINDING_FAILED,
				"Linux %s does not know this processor (%s)", machine->release,
				machine->model->name);
	td_finding_set_remedy(finding, "it needs Linux %s", since);
}

/* Effects of each fault; cores: those with the affected events, or none. */
static const struct {
	enum td_kernel_fault fault;
	enum td_finding_state state;
	const char *text;
	enum td_uarch cores[2];
} faults[] = {
	{ TD_FAULT_CHAINS, TD_FINDING_WARNING,
	  "it may crash when a profiler finds callers with frame pointers in a program with "
	  "probes (uprobes), no matter which program set them: tdstat locate --in does so only "
	  "with --force" },
	{ TD_FAULT_NOPS, TD_FINDING_NOTE,
	  "a probe at a NOP of five bytes, with which few functions begin, kills child processes of "
	  "its program: tdstat sets one only with --force" },
	{ TD_FAULT_GOLDEN,
	  TD_FINDING_NOTE,
	  "it may count cycle_activity.stalls_l1d_miss, .stalls_l2_miss, .stalls_l3_miss and "
	  "mem_trans_retired.load_latency_* of -e too low: it does not know which counters support "
	  "them",
	  { TD_GOLDEN_COVE, TD_REDWOOD_COVE } },
	{ TD_FAULT_PANTHER,
	  TD_FINDING_NOTE,
	  "it may count event 0xb2 of -e too low: it does not know which counters support it",
	  { TD_PANTHER_COVE, TD_COYOTE_COVE } },
};

static bool has_core(const struct td_machine *machine, const enum td_uarch cores[2])
{
	if (!cores[0])
		return true;
	for (size_t i = 0; i < machine->nr_core; i++) {
		enum td_uarch uarch = machine->pmus[i].uarch;

		if (uarch && (uarch == cores[0] || uarch == cores[1]))
			return true;
	}
	return false;
}

static void judge_faults(struct td_doctor *doctor, const struct td_machine *machine)
{
	bool known = td_kernel_has_patch(machine->kernel);

	for (size_t i = 0; i < TD_ARRAY_SIZE(faults); i++) {
		struct td_finding *finding;

		if (!td_kernel_has(machine->release, machine->kernel, faults[i].fault) ||
		    !has_core(machine, faults[i].cores))
			continue;
		if (known)
			finding = td_doctor_add(doctor, "kernel", faults[i].state, "%s",
						faults[i].text);
		else
			finding = td_doctor_add(doctor, "kernel", TD_FINDING_NOTE,

						"unless the distribution of Linux %s has "
						"fixed it, which this version does not "
						"show: %s",
						machine->release, faults[i].text);
		td_finding_set_remedy(finding, "fixed in Linux %s",
				      td_kernel_fixed(machine->kernel, faults[i].fault));
	}
}

void td_doctor_judge_kernel(struct td_doctor *doctor, const struct td_system *system)
{
	judge_age(doctor, system);
	judge_faults(doctor, system->machine);
}
