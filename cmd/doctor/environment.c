// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/parts.h"

#include <fcntl.h>
#include <mntent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/rights.h"
#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/counter/affinity.h"
#include "lib/counter/probe.h"
#include "lib/event/tracepoint.h"
#include "lib/machine/privileges.h"
#include "lib/target/cgroup.h"

#define SET_SIZE CPU_ALLOC_SIZE(TD_MAX_CPU + 1)

cpu_set_t *td_affinity_get(void)
{
	cpu_set_t *cpus = td_need(CPU_ALLOC(TD_MAX_CPU + 1));

	CPU_ZERO_S(SET_SIZE, cpus);
	sched_getaffinity(0, SET_SIZE, cpus);
	return cpus;
}

int td_affinity_set(const cpu_set_t *cpus)
{
	return sched_setaffinity(0, SET_SIZE, cpus) ? -errno : 0;
}

int td_affinity_choose(const struct td_pmu *pmu, const cpu_set_t *cpus)
{
	for (size_t i = pmu->cpus.nr; i-- > 0;) {
		if (CPU_ISSET_S((size_t)pmu->cpus.v[i], SET_SIZE, cpus))
			return pmu->cpus.v[i];
	}
	return -1;
}

void td_affinity_range(int *first, int *last)
{
	cpu_set_t *cpus = td_affinity_get();

	*first = *last = -1;
	for (int cpu = 0; cpu <= TD_MAX_CPU; cpu++) {
		if (!CPU_ISSET_S((size_t)cpu, SET_SIZE, cpus))
			continue;
		*first = *first < 0 ? cpu : *first;
		*last = cpu;
	}
	CPU_FREE(cpus);
}

/*
 * Run only on those of nr CPUs that are in the set; NULL: on all of them.  Begins on one where this
 * thread gets time, because it could not leave a CPU that a real-time task occupies.
 */
static int stay(const int *cpus, size_t nr, const cpu_set_t *in, struct td_err *err)
{
	struct td_affinity before = td_affinity_now();
	cpu_set_t *set = td_need(CPU_ALLOC(TD_MAX_CPU + 1));
	bool there = !before.is_known;
	int rc;

	CPU_ZERO_S(SET_SIZE, set);
	for (size_t i = 0; i < nr; i++) {
		if (in && !CPU_ISSET_S((size_t)cpus[i], SET_SIZE, in))
			continue;
		CPU_SET_S((size_t)cpus[i], SET_SIZE, set);
		there = there || td_go_to_cpu(cpus[i]);
	}
	if (there && before.is_known)
		memcpy(&before.cpus, set, sizeof(before.cpus));
	before.returns_to = 0;
	td_affinity_restore(&before);
	rc = there ? td_affinity_set(set) : -EBUSY;
	CPU_FREE(set);
	if (rc == -EBUSY)
		return td_err_set(err, rc,
				  "CPU %d: cannot run there; a real-time task may occupy it",
				  nr ? cpus[0] : -1);
	return rc ? td_err_set(err, rc, "CPU %d: cannot run there: %s", nr ? cpus[0] : -1,
			       strerror(-rc))
		  : 0;
}

int td_stay_on(int cpu, struct td_err *err)
{
	return stay(&cpu, 1, NULL, err);
}

int td_stay_on_pmu(const struct td_pmu *pmu, const cpu_set_t *cpus, struct td_err *err)
{
	return stay(pmu->cpus.v, pmu->cpus.nr, cpus, err);
}

/* --- numbers ---------------------------------------------------------------- */

static int read_number(int dir, const char *path)
{
	char text[32];
	bool minus;
	int value;

	if (td_sysfs_read_at(dir, path, text, sizeof(text)) < 0)
		return TD_UNKNOWN;
	minus = text[0] == '-';
	if (td_parse_int(text + minus, 0, INT_MAX, &value))
		return TD_UNKNOWN;
	return minus ? -value : value;
}

static void read_rdpmc(struct td_environment *out, const struct td_sysfs *fs,
		       const struct td_machine *machine)
{
	out->rdpmc = td_calloc(machine->nr_core + 1, sizeof(*out->rdpmc));
	for (size_t i = 0; i < machine->nr_core; i++) {
		td_autofree char *path =
			td_aprintf("bus/event_source/devices/%s/rdpmc", machine->pmus[i].name);

		out->rdpmc[i] = read_number(fs->sys, path);
	}
}

static void read_limits(struct td_environment *out, const struct td_sysfs *fs)
{
	struct rlimit files = { 0 };

	out->paranoid = read_number(fs->proc, "sys/kernel/perf_event_paranoid");
	out->sample_rate = read_number(fs->proc, "sys/kernel/perf_event_max_sample_rate");
	out->cpu_time_pct = read_number(fs->proc, "sys/kernel/perf_cpu_time_max_percent");
	out->mlock_kb = read_number(fs->proc, "sys/kernel/perf_event_mlock_kb");
	td_open_files_raise(&files);
	getrlimit(RLIMIT_NOFILE, &files);
	out->files = files.rlim_cur;
}

/* --- rights ----------------------------------------------------------------- */

/*
 * Is this the user namespace of a container, whose rights are not those of the machine?  The
 * initial namespace maps all users.
 */
static bool is_in_own_namespace(void)
{
	char text[128];
	unsigned long long nr = 0;

	if (td_sysfs_read_at(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) < 0)
		return false;
	sscanf(text, "%*u %*u %llu", &nr);
	return nr != UINT32_MAX;
}

static char *find_program(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return len > 0 ? td_strndup(path, (size_t)len) : NULL;
}

/* --- file systems ----------------------------------------------------------- */

static void read_mounts(struct td_environment *out, const struct td_sysfs *fs)
{
	int fd = fs->proc < 0 ? -1
			      : openat(fs->proc, "self/mounts", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *mounts = fd < 0 ? NULL : fdopen(fd, "r");
	char line[4 * PATH_MAX];
	struct mntent mount;

	if (!mounts) {
		td_close_fd(&fd);
		return;
	}
	out->mounts_known = true;
	while (getmntent_r(mounts, &mount, line, sizeof(line))) {
		bool here = out->cgroup_root && strcmp(mount.mnt_dir, out->cgroup_root) == 0;

		out->cgroup_v2 |= here && strcmp(mount.mnt_type, "cgroup2") == 0;
		out->has_tracefs |= strcmp(mount.mnt_type, "tracefs") == 0 ||
				    strcmp(mount.mnt_type, "debugfs") == 0;
	}
	fclose(mounts);
}

/*
 * Look for a tracepoint that every kernel with tracepoints has.  Without tracefs, do not look:
 * libtracefs would mount it.
 */
static void read_tracepoints(struct td_environment *out)
{
	struct td_tracepoints found = { 0 };

	if (!out->has_tracefs)
		return;
	td_tracepoints_find(&found, "sched", "sched_switch", &out->no_tracepoints);
	td_tracepoints_free(&found);
}

/* --- all -------------------------------------------------------------------- */

void td_environment_read(struct td_environment *out, const struct td_sysfs *fs,
			 const struct td_machine *machine)
{
	uint64_t rights = is_in_own_namespace() ? 0 : td_capabilities();
	struct td_err unused;
	char text[32];

	*out = (struct td_environment){
		.saved = td_rights_getenv("PROCFS_PATH"),
		.program = find_program(),
	};
	out->admin = rights & TD_CAPABILITY(CAP_SYS_ADMIN);
	out->perfmon = rights & TD_CAPABILITY(CAP_PERFMON);
	if (!out->saved) {
		int fd = td_dummy_open(0, -1, 0);

		if (fd < 0)
			td_filter_error(&out->filtered, -errno, "counters");
		td_close_fd(&fd);
	}
	read_limits(out, fs);
	read_rdpmc(out, fs, machine);
	td_cgroup_root(fs, &out->cgroup_root, &out->no_cgroups);
	read_mounts(out, fs);
	read_tracepoints(out);
	out->has_ibs = td_pmu_exists(fs, "ibs_op") && td_pmu_exists(fs, "ibs_fetch");
	out->ibs_filters = td_sysfs_read(fs, "bus/event_source/devices/ibs_op/format/swfilt", text,
					 sizeof(text), &unused) > 0;
}

void td_environment_free(struct td_environment *environment)
{
	free(environment->rdpmc);
	free(environment->cgroup_root);
	free(environment->program);
}
