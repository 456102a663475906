// SPDX-License-Identifier: GPL-2.0-only
/* Findings on the rights of this user, file systems and limits. */
#include <inttypes.h>
#include <math.h>

#include "cmd/doctor/parts.h"
#include "cmd/wing.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/machine/kernel.h"
#include "metrics/sets/sets.h"

/*
 * Maximum difference of the sum of level 1 from 100 %, in points.  In published results, it is up
 * to 14 with multiplexed groups, and up to 2 otherwise.
 */
#define MAX_OFF 15

static const struct {
	const char *loop; /* description of the loop */
	const char *node; /* bottleneck of the loop, see share_of() */
	double margin;    /* minimum distance of the node's share from that in other loops */
} rules[TD_NR_LOOPS] = {
	[TD_LOOP_RETIRING] = { "simple instructions", "retiring", 20 },
	[TD_LOOP_MISPREDICT] = { "mispredicted branches", "bad speculation", 10 },
	[TD_LOOP_CHASE] = { "a chase of pointers", "backend bound", 20 },
};

/* Return the share of the node that is the bottleneck of a loop. */
static double share_of(const struct td_loop_shares *shares, enum td_loop loop)
{
	switch (loop) {
	case TD_LOOP_RETIRING:
		return shares->retiring;
	case TD_LOOP_MISPREDICT:
		return shares->bad_speculation;
	case TD_LOOP_CHASE:
		return shares->backend_bound;
	case TD_NR_LOOPS:
		break;
	}
	return NAN;
}

/* --- does level 1 add up? ---------------------------------------------------- */

/* Return the sum of level 1 that is farthest from 100 %. */
static double worst_sum(const struct td_self_test *test)
{
	double worst = 100;

	for (int i = 0; i < TD_NR_LOOPS; i++) {
		if (fabs(test->shares[i].sum - 100) >= fabs(worst - 100))
			worst = test->shares[i].sum;
	}
	return worst;
}

static bool adds_up(const struct td_self_test *test)
{
	for (int i = 0; i < TD_NR_LOOPS; i++) {
		if (!(test->shares[i].retiring > 0))
			return false;
	}
	return fabs(worst_sum(test) - 100) <= MAX_OFF;
}

static void add_sum(struct td_doctor *doctor, const struct td_self_test *test,
		    enum td_finding_state state)
{
	double sum = worst_sum(test);

	if (state == TD_FINDING_OK)
		td_doctor_add(doctor, "self-test", state,
			      "%s, %s %d: level 1 is counted and adds up to %.1f %%", test->pmu,
			      test->whole_core ? "the core of CPU" : "CPU", test->cpu, sum);
	else
		td_doctor_add(
			doctor, "self-test", state,
			"%s, CPU %d: level 1 is counted wrongly: it adds up to %.1f %%, with %.1f "
			"%% retiring",
			test->pmu, test->cpu, sum, test->shares[0].retiring);
}

/* --- does level 1 differ between the loops? --------------------------------- */

/* Return the share of a loop's node in the loop `offset` places after it. */
static double share_in(const struct td_self_test *test, int loop, int offset)
{
	return share_of(&test->shares[(loop + offset) % TD_NR_LOOPS], (enum td_loop)loop);
}

/*
 * If all shares differ by at most this between loops, in points, the counters are not real.  On a
 * real processor, at least one share differs more, whatever else runs.
 */
#define ALIKE 2

static bool are_alike(const struct td_self_test *test)
{
	for (int loop = 0; loop < TD_NR_LOOPS; loop++) {
		double first = share_of(&test->shares[0], (enum td_loop)loop);

		for (int i = 1; i < TD_NR_LOOPS; i++) {
			double share = share_of(&test->shares[i], (enum td_loop)loop);

			if (fabs(share - first) > ALIKE)
				return false;
		}
	}
	return true;
}

static void explain_failure(struct td_doctor *doctor, const struct td_self_test *test, bool made_up,
			    const struct td_machine *machine)
{
	struct td_finding *finding = td_doctor_add(
		doctor, "self-test", TD_FINDING_FAILED,
		"%s: the counters %sdo not distinguish the loops%s", test->pmu,
		made_up ? "are not real here: they " : "",
		made_up ? ", but count the same whatever runs, like those of an emulator"
		: machine->cpuid.hypervisor ? ": an emulated or virtual PMU, or a busy host?"
					    : ": is the machine very busy?");

	if (made_up || machine->cpuid.hypervisor)
		td_finding_set(&finding->remedy, "measure on the host");
	else
		td_finding_set(&finding->command, "tdstat doctor");
}

/* Add findings: failures first, then the shares as evidence. */
static bool judge_counts(struct td_doctor *doctor, struct td_self_test *test,
			 const struct td_machine *machine)
{
	bool made_up = are_alike(test), passed = true;

	if (!adds_up(test)) {
		add_sum(doctor, test, TD_FINDING_FAILED);
		return false;
	}
	for (int i = 0; i < TD_NR_LOOPS; i++) {
		double others = fmax(share_in(test, i, 1), share_in(test, i, 2));

		test->passed[i] = share_in(test, i, 0) >= others + rules[i].margin;
		passed &= test->passed[i];
	}
	if (!passed)
		explain_failure(doctor, test, made_up, machine);
	doctor->made_up |= !passed && made_up;
	add_sum(doctor, test, TD_FINDING_OK);
	for (int i = 0; i < TD_NR_LOOPS; i++)
		td_doctor_add(doctor, "self-test",
			      test->passed[i] ? TD_FINDING_OK
			      : made_up       ? TD_FINDING_NOTE
					      : TD_FINDING_FAILED,
			      "%s, %s: %.1f %% %s; the other loops %.1f and %.1f %%", test->pmu,
			      rules[i].loop, share_in(test, i, 0), rules[i].node,
			      share_in(test, i, 1), share_in(test, i, 2));
	return passed;
}

/* --- all -------------------------------------------------------------------- */

static bool was_tried(const struct td_self_test *test)
{
	return test->cpu >= 0;
}

static bool judge_test(struct td_doctor *doctor, struct td_self_test *test,
		       const struct td_machine *machine)
{
	struct td_finding *finding;

	if (!test->err.code)
		return judge_counts(doctor, test, machine);
	finding = td_doctor_add(doctor, "self-test",
				was_tried(test) ? TD_FINDING_FAILED : TD_FINDING_WARNING, "%s: %s",
				test->pmu, test->err.msg);
	if (test->err.hint[0])
		td_finding_set(&finding->remedy, "%s", test->err.hint);
	return !was_tried(test);
}

void td_doctor_judge_tests(struct td_doctor *doctor, const struct td_system *system)
{
	size_t nr = 0;
	bool good = true;

	for (size_t i = 0; i < doctor->nr_tests; i++) {
		nr += was_tried(&doctor->tests[i]);
		good &= judge_test(doctor, &doctor->tests[i], system->machine);
	}
	if (!doctor->nr_tests) {
		const char *why = "no CPU of a core PMU is online";

		if (system->levels->no_level_1.code)
			why = "level 1 cannot be counted";
		else if (system->environment->saved)
			why = "PROCFS_PATH is of another machine";
		td_doctor_add(doctor, "self-test", TD_FINDING_NOTE, "not tried: %s", why);
	}
	doctor->level_1 = good && nr;
}

/* Effects of each fault.  cores: the cores with the affected events; empty: all. */
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
		td_finding_set(&finding->remedy, "fixed in Linux %s",
			       td_kernel_fixed(machine->kernel, faults[i].fault));
	}
}

void td_doctor_judge_kernel(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_machine *machine = system->machine;
	const char *since = td_kernel_too_old(machine);
	bool known = machine->model && machine->nr_core && !td_kernel_lacks_core(machine);

	if (!since || !system->levels->no_level_1.code)
		td_doctor_add(doctor, "kernel", TD_FINDING_OK, "Linux %s%s", machine->release,
			      known ? ", which knows this processor" : "");
	else
		td_finding_set(&td_doctor_add(doctor, "kernel", TD_FINDING_FAILED,
					      "Linux %s does not know this processor (%s)",
					      machine->release, machine->model->name)
					->remedy,
			       "it needs Linux %s", since);
	judge_faults(doctor, system->machine);
}

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

static void judge_rights(struct td_doctor *doctor, const struct td_environment *env)
{
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
	td_finding_set(&finding->command, "sysctl kernel.perf_event_paranoid=0");
	if (env->paranoid > 2)
		td_finding_set(
			&finding->other,
			"sysctl kernel.perf_event_paranoid=2 is enough for your own programs, in "
			"user space");
	else if (!env->perfmon)
		finding->other = make_setcap(env->program);
}

void td_doctor_judge_rights(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_environment *env = system->environment;

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
	if (env->rdpmc[0] == TD_UNKNOWN)
		td_doctor_add(doctor, "rdpmc", TD_FINDING_NOTE,
			      "unknown: not in sysfs, or readable only by root");
	else if (env->rdpmc[0])
		td_doctor_add(doctor, "rdpmc", TD_FINDING_OK,
			      "on: tdstat regions reads without system calls");
	else
		td_finding_set(
			&td_doctor_add(
				 doctor, "rdpmc", TD_FINDING_WARNING,
				 "off: tdstat regions reads with system calls, which take more time")
				 ->command,
			"echo 1 | tee /sys/bus/event_source/devices/cpu*/rdpmc");
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
		td_finding_set(&finding->command, "mount -t cgroup2 none /sys/fs/cgroup");
}

static void judge_tracefs(struct td_doctor *doctor, const struct td_environment *env)
{
	if (!env->mounts_known)
		td_doctor_add(doctor, "tracefs", TD_FINDING_NOTE,
			      "unknown: proc has no list of mounts");
	else if (!env->has_tracefs)
		td_finding_set(&td_doctor_add(doctor, "tracefs", TD_FINDING_NOTE,
					      "not mounted: tracepoints cannot be counted")
					->command,
			       "mount -t tracefs tracefs /sys/kernel/tracing");
	else if (env->no_tracepoints.code)
		td_doctor_add_error(doctor, "tracefs", TD_FINDING_NOTE, &env->no_tracepoints);
	else
		td_doctor_add(doctor, "tracefs", TD_FINDING_OK, "tracepoints can be counted");
}

/* Judge instruction-based sampling, which tdstat locate uses on AMD. */
static void judge_ibs(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_machine *machine = system->machine;
	const struct td_environment *env = system->environment;

	if (!machine->nr_core || !td_uarch_has(machine->pmus[0].uarch, TD_CORE_IBS))
		return;
	if (!env->has_ibs)
		td_doctor_add(
			doctor, "IBS", TD_FINDING_NOTE,
			"this machine has no instruction-based sampling: tdstat locate needs -e "
			"here; a host hides it from virtual machines");
	else if (may_count_all(env) || env->paranoid == 1 ||
		 (env->ibs_filters && env->paranoid == 2))
		td_doctor_add(doctor, "IBS", TD_FINDING_OK,
			      "tdstat locate finds what waits for memory or for code");
	else
		td_finding_set(&td_doctor_add(doctor, "IBS", TD_FINDING_WARNING,
					      "it also samples the kernel, which this user may "
					      "not: tdstat locate needs -e")
					->command,
			       "sysctl kernel.perf_event_paranoid=1");
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
	td_finding_set(&td_doctor_add(doctor, "limits", TD_FINDING_WARNING,
				      "at most %d samples/s per CPU: tdstat locate and profile "
				      "take %d if allowed",
				      env->sample_rate, SAMPLE_RATE)
				->command,
		       "sysctl kernel.perf_event_max_sample_rate=%d", USUAL_SAMPLE_RATE);
}

static void judge_open_files(struct td_doctor *doctor, const struct td_system *system)
{
	uint64_t needed = system->levels->nr_files + OTHER_FILES;
	uint64_t max = system->environment->files;
	bool fits = needed <= max;
	struct td_finding *finding = td_doctor_add(
		doctor, "limits", fits ? TD_FINDING_OK : TD_FINDING_WARNING,
		"%" PRIu64 " open files: all levels of the whole machine need %" PRIu64, max,
		needed);

	if (!fits)
		td_finding_set(&finding->command, "ulimit -n %" PRIu64, needed);
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
