// SPDX-License-Identifier: GPL-2.0-only
/* Findings on what this user may do, and on what the system has besides. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/doctor/parts.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* tdstat locate and profile take so many samples a second. */
#define SAMPLE_RATE 1000
/* The kernel's default, which it lowers if interrupts take long. */
#define USUAL_SAMPLE_RATE 100000
/* Descriptors that tdstat needs besides those of the counters. */
#define OTHER_FILES 32

/* --- rights ----------------------------------------------------------------- */

/* The program's path is quoted for the shell. */
static char *make_setcap(const char *program)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	fputs("setcap cap_perfmon+ep ", fp);
	td_put_shell_word(fp, program ? program : "tdstat");
	td_text_close(fp, &text);
	return text;
}

/* What Documentation/admin-guide/sysctl/kernel.rst has of each value. */
static const char *rights_of(int paranoid)
{
	if (paranoid == 1)
		return "your own programs may be counted, with their time in "
		       "the kernel, but not the whole machine (-a)";
	if (paranoid == 2)
		return "your own programs may be counted, in user space only, "
		       "but not the whole machine (-a)";
	return "only your own programs may be counted, in user space; above "
	       "2, some kernels let only root count";
}

/* Above 2, Debian's kernel does not look at CAP_PERFMON. */
static bool may_count_all(const struct td_surroundings *around)
{
	return around->admin || around->paranoid <= 0 ||
	       (around->perfmon && around->paranoid <= 2);
}

static bool may_sample_kernel(const struct td_surroundings *around)
{
	return may_count_all(around) || around->paranoid == 1;
}

static void judge_rights(struct td_doctor *doctor,
			 const struct td_surroundings *around)
{
	td_autofree char *setcap = make_setcap(around->program);
	struct td_finding *finding;

	if (may_count_all(around)) {
		td_doctor_add(doctor, "rights", TD_FINDING_OK,
			      "the whole machine may be counted (%s"
			      "kernel.perf_event_paranoid is %d)",
			      around->admin     ? "by root; "
			      : around->perfmon ? "with CAP_PERFMON; "
						: "",
			      around->paranoid);
		return;
	}
	finding = td_doctor_add(
		doctor, "rights", TD_FINDING_WARNING,
		"kernel.perf_event_paranoid is %d: %s", around->paranoid,
		around->perfmon ? "above 2, some kernels let only root "
				  "count, even with CAP_PERFMON"
				: rights_of(around->paranoid));
	td_finding_set_command(finding, "sysctl kernel.perf_event_paranoid=0");
	if (around->paranoid > 2)
		td_finding_set_other(
			finding, "sysctl kernel.perf_event_paranoid=2 is "
				 "enough for your own programs, in user space");
	else if (setcap && !around->perfmon)
		td_finding_set_other(finding, "%s", setcap);
}

void td_doctor_judge_rights(struct td_doctor *doctor,
			    const struct td_patient *patient)
{
	const struct td_surroundings *around = patient->around;
	struct td_finding *finding;

	if (around->filtered.code)
		td_doctor_add_error(doctor, "rights", TD_FINDING_FAILED,
				    &around->filtered);
	else if (around->paranoid == TD_UNKNOWN)
		td_doctor_add(
			doctor, "rights", TD_FINDING_WARNING,
			"kernel.perf_event_paranoid is unknown: proc does "
			"not have it, or the kernel has no perf events");
	else
		judge_rights(doctor, around);
	if (!patient->machine->nr_core)
		return;
	if (around->rdpmc[0] == TD_UNKNOWN) {
		td_doctor_add(doctor, "rdpmc", TD_FINDING_NOTE,
			      "unknown: sysfs does not have it, or only root "
			      "may read it");
		return;
	}
	if (around->rdpmc[0]) {
		td_doctor_add(doctor, "rdpmc", TD_FINDING_OK,
			      "on: tdstat regions reads without system calls");
		return;
	}
	finding = td_doctor_add(doctor, "rdpmc", TD_FINDING_WARNING,
				"off: tdstat regions reads by system calls, "
				"which take more time");
	td_finding_set_command(finding,
			       "echo 1 | tee /sys/bus/event_source/devices/"
			       "cpu*/rdpmc");
}

/* --- files of the model ------------------------------------------------------ */

static void judge_files(struct td_doctor *doctor,
			const struct td_levels *levels)
{
	if (levels->no_files.code)
		td_doctor_add_error(doctor, "files", TD_FINDING_WARNING,
				    &levels->no_files);
	else if (!levels->dir)
		td_doctor_add(doctor, "files", TD_FINDING_WARNING,
			      "there are no event and metric files");
	else
		td_doctor_add(doctor, "files", TD_FINDING_OK,
			      "%s: %s%s%zu metrics", levels->dir,
			      levels->version, *levels->version ? ", " : "",
			      levels->nr_metrics);
}

/* --- file systems ------------------------------------------------------------ */

static void judge_cgroups(struct td_doctor *doctor,
			  const struct td_surroundings *around)
{
	struct td_finding *finding;

	if (around->cgroup_root) {
		td_doctor_add(doctor, "cgroups", TD_FINDING_OK,
			      "version %d at %s", around->cgroup_v2 ? 2 : 1,
			      around->cgroup_root);
		return;
	}
	finding = td_doctor_add(doctor, "cgroups", TD_FINDING_NOTE, "%s",
				around->no_cgroups.msg);
	if (around->mounts_known)
		td_finding_set_command(finding,
				       "mount -t cgroup2 none /sys/fs/cgroup");
}

static void judge_tracefs(struct td_doctor *doctor,
			  const struct td_surroundings *around)
{
	struct td_finding *finding;

	if (!around->mounts_known) {
		td_doctor_add(doctor, "tracefs", TD_FINDING_NOTE,
			      "unknown: proc has no list of what is mounted");
		return;
	}
	if (!around->has_tracefs) {
		finding = td_doctor_add(doctor, "tracefs", TD_FINDING_NOTE,
					"not mounted: tracepoints cannot be "
					"counted");
		td_finding_set_command(
			finding,
			"mount -t tracefs tracefs /sys/kernel/tracing");
		return;
	}
	if (around->no_tracepoints.code)
		td_doctor_add_error(doctor, "tracefs", TD_FINDING_NOTE,
				    &around->no_tracepoints);
	else
		td_doctor_add(doctor, "tracefs", TD_FINDING_OK,
			      "tracepoints can be counted");
}

/* The engines of tdstat calls, without those that a program brings along. */
static void judge_calls(struct td_doctor *doctor,
			const struct td_patient *patient)
{
	const struct td_surroundings *around = patient->around;

	if (patient->levels->no_level_1.code || patient->levels->no_task.code) {
		td_doctor_add(doctor, "calls", TD_FINDING_NOTE,
			      "cannot be counted, as level 1 of a program "
			      "cannot be");
		return;
	}
	if (around->admin && around->has_tracefs)
		td_doctor_add(doctor, "calls", TD_FINDING_OK,
			      "can be counted by probes at functions");
	else
		td_doctor_add(doctor, "calls", TD_FINDING_NOTE,
			      "cannot be counted by probes at functions, which "
			      "need root and tracefs");
	if (around->no_trace.code)
		td_doctor_add_error(doctor, "calls", TD_FINDING_NOTE,
				    &around->no_trace);
	else
		td_doctor_add(doctor, "calls", TD_FINDING_OK,
			      "can be counted by Processor Trace: tdstat calls "
			      "--engine=pt");
}

/* What tdstat locate samples on AMD. */
static void judge_ibs(struct td_doctor *doctor,
		      const struct td_patient *patient)
{
	const struct td_machine *machine = patient->machine;
	const struct td_surroundings *around = patient->around;
	struct td_finding *finding;

	if (!machine->nr_core ||
	    !td_uarch_has(machine->pmus[0].uarch, TD_CORE_IBS))
		return;
	if (!around->has_ibs) {
		td_doctor_add(doctor, "IBS", TD_FINDING_NOTE,
			      "this machine has no instruction-based sampling: "
			      "tdstat locate needs -e here; a host hides it "
			      "from virtual machines");
		return;
	}
	if (may_sample_kernel(around) ||
	    (around->ibs_filters && around->paranoid == 2)) {
		td_doctor_add(doctor, "IBS", TD_FINDING_OK,
			      "tdstat locate finds what waits for memory or "
			      "for code");
		return;
	}
	finding = td_doctor_add(doctor, "IBS", TD_FINDING_WARNING,
				"it samples the kernel, too, which this user "
				"may not: tdstat locate needs -e");
	td_finding_set_command(finding, "sysctl kernel.perf_event_paranoid=1");
}

/* --- limits ------------------------------------------------------------------ */

/* The other sysctls that limit samples; 0 and 100 % switch that one off. */
static void describe_sampling(const struct td_surroundings *around, char *buf,
			      size_t size)
{
	int pct = around->cpu_time_pct, kb = around->mlock_kb;
	size_t len = 0;

	buf[0] = '\0';
	if (pct > 0 && pct < 100)
		len = (size_t)snprintf(buf, size, ", %d %% of its time", pct);
	if (kb >= 0)
		snprintf(buf + len, size - len,
			 ", %d KiB of a user's memory for them", kb);
}

static void judge_sampling(struct td_doctor *doctor,
			   const struct td_surroundings *around)
{
	char more[96];
	struct td_finding *finding;

	if (around->sample_rate == TD_UNKNOWN) {
		td_doctor_add(
			doctor, "limits", TD_FINDING_NOTE,
			"of samples: unknown, as proc does not have them");
		return;
	}
	if (around->sample_rate >= SAMPLE_RATE) {
		describe_sampling(around, more, sizeof(more));
		td_doctor_add(doctor, "limits", TD_FINDING_OK,
			      "%d samples a second of a CPU%s",
			      around->sample_rate, more);
		return;
	}
	finding = td_doctor_add(doctor, "limits", TD_FINDING_WARNING,
				"%d samples a second of a CPU: tdstat locate "
				"and profile take %d if they may",
				around->sample_rate, SAMPLE_RATE);
	td_finding_set_command(finding,
			       "sysctl kernel.perf_event_max_sample_rate=%d",
			       USUAL_SAMPLE_RATE);
}

static void judge_open_files(struct td_doctor *doctor,
			     const struct td_patient *patient)
{
	uint64_t needed = patient->levels->nr_files + OTHER_FILES;
	uint64_t most = patient->around->files;
	struct td_finding *finding;

	if (needed <= most) {
		td_doctor_add(doctor, "limits", TD_FINDING_OK,
			      "%" PRIu64 " open files: all levels of the whole "
			      "machine need %" PRIu64,
			      most, needed);
		return;
	}
	finding = td_doctor_add(doctor, "limits", TD_FINDING_WARNING,
				"%" PRIu64 " open files: all levels of the "
				"whole machine need %" PRIu64,
				most, needed);
	td_finding_set_command(finding, "ulimit -n %" PRIu64, needed);
}

void td_doctor_judge_system(struct td_doctor *doctor,
			    const struct td_patient *patient)
{
	judge_files(doctor, patient->levels);
	judge_cgroups(doctor, patient->around);
	judge_tracefs(doctor, patient->around);
	judge_calls(doctor, patient);
	judge_ibs(doctor, patient);
	judge_sampling(doctor, patient->around);
	if (patient->levels->nr_files)
		judge_open_files(doctor, patient);
}
