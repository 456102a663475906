// SPDX-License-Identifier: GPL-2.0-only
/* Findings on the rights of this user, file systems and limits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/doctor/parts.h"
#include "cmd/wing.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* Samples per second that tdstat locate and profile take. */
#define SAMPLE_RATE 1000
/* The default of the kernel, which lowers it if interrupts take long. */
#define USUAL_SAMPLE_RATE 100000
/* File descriptors that tdstat needs in addition to those of counters. */
#define OTHER_FILES 32

/* --- rights ----------------------------------------------------------------- */

/* Return the setcap command with the path quoted for a shell; the caller frees it. */
static char *make_setcap(const char *program)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	fputs("setcap cap_perfmon+ep ", fp);
	td_put_shell_word(fp, program ? program : "tdstat");
	td_text_close(fp, &text);
	return text;
}

/*
 * Return what a value of perf_event_paranoid allows, from
 * Documentation/admin-guide/sysctl/kernel.rst.
 */
static const char *rights_of(int paranoid)
{
	if (paranoid == 1)
		return "your own programs may be counted, with their time in the kernel, but not "
		       "the whole machine (-a)";
	if (paranoid == 2)
		return "your own programs may be counted, in user space only, but not the whole "
		       "machine (-a)";
	return "only your own programs may be counted, in user space; above 2, some kernels let "
	       "only root count";
}

/* May this user count all processes?  With values above 2, Debian's kernel ignores CAP_PERFMON. */
static bool may_count_all(const struct td_environment *env)
{
	return env->admin || env->paranoid <= 0 || (env->perfmon && env->paranoid <= 2);
}

static bool may_sample_kernel(const struct td_environment *env)
{
	return may_count_all(env) || env->paranoid == 1;
}

static void judge_rights(struct td_doctor *doctor, const struct td_environment *env)
{
	td_autofree char *setcap = make_setcap(env->program);
	struct td_finding *finding;

	if (may_count_all(env)) {
		td_doctor_add(
			doctor, "rights", TD_FINDING_OK,
			"the whole machine may be counted (%skernel.perf_event_paranoid is %d)",
			env->admin     ? "by root; "
			: env->perfmon ? "with CAP_PERFMON; "
				       : "",
			env->paranoid);
		return;
	}
	finding = td_doctor_add(
		doctor, "rights", TD_FINDING_WARNING, "kernel.perf_event_paranoid is %d: %s",
		env->paranoid,
		env->perfmon ? "above 2, some kernels let only root count, even with CAP_PERFMON"
			     : rights_of(env->paranoid));
	td_finding_set_command(finding, "sysctl kernel.perf_event_paranoid=0");
	if (env->paranoid > 2)
		td_finding_set_other(
			finding,
			"sysctl kernel.perf_event_paranoid=2 is enough for your own programs, in "
			"user space");
	else if (!env->perfmon)
		td_finding_set_other(finding, "%s", setcap);
}

void td_doctor_judge_rights(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_environment *env = system->environment;
	struct td_finding *finding;

	if (env->filtered.code)
		td_doctor_add_error(doctor, "rights", TD_FINDING_FAILED, &env->filtered);
	else if (env->paranoid == TD_UNKNOWN)
		td_doctor_add(
			doctor, "rights", TD_FINDING_WARNING,
			"kernel.perf_event_paranoid is unknown: proc does not have it, or the "
			"kernel has no perf events");
	else
		judge_rights(doctor, env);
	if (!system->machine->nr_core)
		return;
	if (env->rdpmc[0] == TD_UNKNOWN) {
		td_doctor_add(doctor, "rdpmc", TD_FINDING_NOTE,
			      "unknown: not in sysfs, or readable only by root");
		return;
	}
	if (env->rdpmc[0]) {
		td_doctor_add(doctor, "rdpmc", TD_FINDING_OK,
			      "on: tdstat regions reads without system calls");
		return;
	}
	finding =
		td_doctor_add(doctor, "rdpmc", TD_FINDING_WARNING,
			      "off: tdstat regions reads with system calls, which take more time");
	td_finding_set_command(finding, "echo 1 | tee /sys/bus/event_source/devices/cpu*/rdpmc");
}

/* --- files of the model ------------------------------------------------------ */

static void judge_files(struct td_doctor *doctor, const struct td_levels *levels)
{
	if (levels->no_files.code)
		td_doctor_add_error(doctor, "files", TD_FINDING_WARNING, &levels->no_files);
	else if (!levels->dir)
		td_doctor_add(doctor, "files", TD_FINDING_WARNING,
			      "there are no event and metric files");
	else
		td_doctor_add(doctor, "files", TD_FINDING_OK, "%s: %s%s%zu metrics", levels->dir,
			      levels->version, *levels->version ? ", " : "", levels->nr_metrics);
}

/* --- file systems ------------------------------------------------------------ */

static void judge_cgroups(struct td_doctor *doctor, const struct td_environment *env)
{
	struct td_finding *finding;

	if (env->cgroup_root) {
		td_doctor_add(doctor, "cgroups", TD_FINDING_OK, "version %d at %s",
			      env->cgroup_v2 ? 2 : 1, env->cgroup_root);
		return;
	}
	finding = td_doctor_add(doctor, "cgroups", TD_FINDING_NOTE, "%s", env->no_cgroups.msg);
	if (env->mounts_known)
		td_finding_set_command(finding, "mount -t cgroup2 none /sys/fs/cgroup");
}

static void judge_tracefs(struct td_doctor *doctor, const struct td_environment *env)
{
	struct td_finding *finding;

	if (!env->mounts_known) {
		td_doctor_add(doctor, "tracefs", TD_FINDING_NOTE,
			      "unknown: proc has no list of mounts");
		return;
	}
	if (!env->has_tracefs) {
		finding = td_doctor_add(doctor, "tracefs", TD_FINDING_NOTE,
					"not mounted: tracepoints cannot be counted");
		td_finding_set_command(finding, "mount -t tracefs tracefs /sys/kernel/tracing");
		return;
	}
	if (env->no_tracepoints.code)
		td_doctor_add_error(doctor, "tracefs", TD_FINDING_NOTE, &env->no_tracepoints);
	else
		td_doctor_add(doctor, "tracefs", TD_FINDING_OK, "tracepoints can be counted");
}

/* Judge instruction-based sampling, which tdstat locate uses on AMD. */
static void judge_ibs(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_machine *machine = system->machine;
	const struct td_environment *env = system->environment;
	struct td_finding *finding;

	if (!machine->nr_core || !td_uarch_has(machine->pmus[0].uarch, TD_CORE_IBS))
		return;
	if (!env->has_ibs) {
		td_doctor_add(
			doctor, "IBS", TD_FINDING_NOTE,
			"this machine has no instruction-based sampling: tdstat locate needs -e "
			"here; a host hides it from virtual machines");
		return;
	}
	if (may_sample_kernel(env) || (env->ibs_filters && env->paranoid == 2)) {
		td_doctor_add(doctor, "IBS", TD_FINDING_OK,
			      "tdstat locate finds what waits for memory or for code");
		return;
	}
	finding = td_doctor_add(
		doctor, "IBS", TD_FINDING_WARNING,
		"it also samples the kernel, which this user may not: tdstat locate needs -e");
	td_finding_set_command(finding, "sysctl kernel.perf_event_paranoid=1");
}

/* --- limits ------------------------------------------------------------------ */

/* Describe the other sysctls that limit samples.  A cpu_time_pct of 0 or 100 is not a limit. */
static void describe_sampling(const struct td_environment *env, char *buf, size_t size)
{
	int pct = env->cpu_time_pct, kb = env->mlock_kb;
	size_t len = 0;

	buf[0] = '\0';
	if (pct > 0 && pct < 100)
		len = (size_t)snprintf(buf, size, ", %d %% of its time", pct);
	if (kb >= 0)
		snprintf(buf + len, size - len, ", %d KiB of sample buffers per user", kb);
}

static void judge_sampling(struct td_doctor *doctor, const struct td_environment *env)
{
	char more[96];
	struct td_finding *finding;

	if (env->sample_rate == TD_UNKNOWN) {
		td_doctor_add(doctor, "limits", TD_FINDING_NOTE,
			      "limits of samples: unknown, because proc does not contain them");
		return;
	}
	if (env->sample_rate >= SAMPLE_RATE) {
		describe_sampling(env, more, sizeof(more));
		td_doctor_add(doctor, "limits", TD_FINDING_OK, "at most %d samples/s per CPU%s",
			      env->sample_rate, more);
		return;
	}
	finding = td_doctor_add(
		doctor, "limits", TD_FINDING_WARNING,
		"at most %d samples/s per CPU: tdstat locate and profile take %d if allowed",
		env->sample_rate, SAMPLE_RATE);
	td_finding_set_command(finding, "sysctl kernel.perf_event_max_sample_rate=%d",
			       USUAL_SAMPLE_RATE);
}

static void judge_open_files(struct td_doctor *doctor, const struct td_system *system)
{
	uint64_t needed = system->levels->nr_files + OTHER_FILES;
	uint64_t max = system->environment->files;
	struct td_finding *finding;

	if (needed <= max) {
		td_doctor_add(doctor, "limits", TD_FINDING_OK,
			      "%" PRIu64
			      " open files: all levels of the whole machine need %" PRIu64,
			      max, needed);
		return;
	}
	finding = td_doctor_add(doctor, "limits", TD_FINDING_WARNING,
				"%" PRIu64
				" open files: all levels of the whole machine need %" PRIu64,
				max, needed);
	td_finding_set_command(finding, "ulimit -n %" PRIu64, needed);
}

void td_doctor_judge_system(struct td_doctor *doctor, const struct td_system *system)
{
	judge_files(doctor, system->levels);
	judge_cgroups(doctor, system->environment);
	judge_tracefs(doctor, system->environment);
	for (size_t i = 0; td_wings[i]; i++) {
		if (td_wings[i]->judge)
			td_wings[i]->judge(doctor, system);
	}
	judge_ibs(doctor, system);
	judge_sampling(doctor, system->environment);
	if (system->levels->nr_files)
		judge_open_files(doctor, system);
}
