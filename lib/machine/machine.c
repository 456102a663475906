// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/machine.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/machine/kernel.h"

/* Clears an error and returns it with a hint, because much works without proc or sysfs. */
static struct td_err missing(const char *what, const char *path, struct td_err *err)
{
	struct td_err why = *err;

	td_err_hint(&why, "is %s mounted on %s?", what, path);
	*err = (struct td_err){ 0 };
	return why;
}

static int read_identity(const struct td_sysfs *fs, const char *cpuid, struct td_machine *machine,
			 struct td_err *err)
{
	struct td_cpuid *id = &machine->cpuid;
	char build[65] = "";
	int rc = cpuid ? td_cpuid_parse(cpuid, id, err) : td_cpuid_read(fs, id, err);

	if (rc && !td_sysfs_is_none(rc))
		return rc;
	if (rc)
		machine->no_identity = missing("proc", fs->proc_path, err);
	machine->model = td_model_find(id);
	td_sysfs_read_at(fs->proc, "sys/kernel/osrelease", machine->release,
			 sizeof(machine->release));
	td_sysfs_read_at(fs->proc, "sys/kernel/version", build, sizeof(build));
	machine->kernel = td_kernel_version(machine->release, build);
	return 0;
}

/*
 * Lists the CPUs that are online and in this process's cpuset: the kernel clears the others
 * from a mask of all CPUs (sched_setaffinity(2)).  Restores the old mask.
 */
static int find_usable_cpus(struct td_ints *out)
{
	size_t size = CPU_ALLOC_SIZE(TD_MAX_CPU + 1);
	td_autofree cpu_set_t *ours = td_need(CPU_ALLOC(TD_MAX_CPU + 1));
	td_autofree cpu_set_t *all = td_need(CPU_ALLOC(TD_MAX_CPU + 1));

	CPU_ZERO_S(size, ours);
	CPU_ZERO_S(size, all);
	if (sched_getaffinity(0, size, ours))
		return -errno;
	memset(all, 0xff, size);
	sched_setaffinity(0, size, all);
	CPU_ZERO_S(size, all);
	sched_getaffinity(0, size, all);
	sched_setaffinity(0, size, ours);
	for (int cpu = 0; cpu <= TD_MAX_CPU; cpu++) {
		if (CPU_ISSET_S((size_t)cpu, size, all))
			td_ints_add(out, cpu);
	}
	return 0;
}

#define ONLINE "devices/system/cpu/online"

int td_online_read(const struct td_sysfs *fs, struct td_ints *online, struct td_err *err)
{
	return td_sysfs_read_list(fs, ONLINE, TD_MAX_CPU, online, err);
}

static int read_cpus(const struct td_sysfs *fs, struct td_machine *machine, struct td_err *err)
{
	int smt, rc;

	if (td_online_read(fs, &machine->online, err)) {
		/* a sysfs without this file is an error, unlike a missing sysfs */
		if (err->code != -ENOENT ||
		    (fs->sys >= 0 && faccessat(fs->sys, "devices/system/cpu", F_OK, 0) == 0))
			return err->code;
		machine->no_sysfs = missing("sysfs", fs->sys_path, err);
		rc = find_usable_cpus(&machine->online);
		return rc ? td_err_set(err, rc, "sched_getaffinity: %s", strerror(-rc)) : 0;
	}
	if (!machine->online.nr)
		return td_err_set(err, -EINVAL, "%s/%s: no CPU", fs->sys_path, ONLINE);
	if (td_sysfs_read_int(fs, "devices/system/cpu/smt/active", &smt, err))
		return err->code;
	machine->smt = smt > 0;
	machine->has_pmem = faccessat(fs->sys, "firmware/acpi/tables/NFIT", F_OK, 0) == 0;
	return 0;
}

/* Sorts cpu_core first, then by name. */
static int by_rank(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	bool x_core = strcmp(*x, "cpu_core") == 0;
	bool y_core = strcmp(*y, "cpu_core") == 0;

	if (x_core != y_core)
		return x_core ? -1 : 1;
	return strcmp(*x, *y);
}

/*
 * Is it the PMU of a kernel that does not know the processor?  Such a kernel may choose counters
 * that do not count an event, so the events of the core cannot be used.
 */
static bool is_generic(const struct td_sysfs *fs, const char *name)
{
	static const char generic[] = "generic_arch"; /* arch/x86/events/intel/core.c */
	char path[PATH_MAX], text[32];

	snprintf(path, sizeof(path), "bus/event_source/devices/%s/caps/pmu_name", name);
	return td_sysfs_read_at(fs->sys, path, text, sizeof(text)) > 0 &&
	       strncmp(text, generic, sizeof(generic) - 1) == 0;
}

/*
 * Adds a PMU, unless its cpus file is empty because all of its cores are offline: opening a
 * task's event on such a PMU fails with ENOMEM (x86_pmu_event_init()).
 */
static int add_pmu(const struct td_sysfs *fs, const char *name, struct td_machine *machine,
		   struct td_err *err)
{
	struct td_pmu pmu;
	int rc = td_pmu_read(fs, name, &machine->online, &pmu, err);

	if (rc || pmu.cpus.nr == 0) {
		td_pmu_free(&pmu);
		return rc;
	}
	if (pmu.kind == TD_PMU_CORE && !is_generic(fs, name))
		pmu.uarch = td_uarch_find(&machine->cpuid, machine->model, name);
	td_array_push(&machine->pmus, &machine->nr_pmus, &pmu, sizeof(pmu));
	return 0;
}

/* Is the NMI watchdog on?  If unknown, returns false, because this only affects the groups. */
static bool watchdog_is_on(const struct td_sysfs *fs)
{
	char text[8];

	return td_sysfs_read_at(fs->proc, "sys/kernel/nmi_watchdog", text, sizeof(text)) > 0 &&
	       strcmp(text, "0") != 0;
}

/* Does KVM give guests the PMU?  The file does not exist without KVM or before Linux 7.0. */
static bool guests_have_pmus(const struct td_sysfs *fs, const struct td_cpuid *cpuid)
{
	const char *path = td_vendor_of(cpuid)->guest_pmus;
	char text[8];

	return path && td_sysfs_read_at(fs->sys, path, text, sizeof(text)) > 0 &&
	       strcmp(text, "Y") == 0;
}

/*
 * Reads the core PMUs, or other PMUs that match the name (NULL: all), unless they were read before.
 */
static int read_pmus(const struct td_sysfs *fs, bool core, const char *name,
		     struct td_machine *machine, struct td_err *err)
{
	struct td_names names;
	int rc = td_sysfs_list(fs->sys, "bus/event_source/devices", &names);

	if (rc == -ENOENT)
		return 0;
	if (rc)
		return td_err_set(err, rc, "%s/bus/event_source/devices: %s", fs->sys_path,
				  strerror(-rc));
	if (names.nr)
		qsort(names.v, names.nr, sizeof(*names.v), by_rank);
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if ((td_pmu_kind(names.v[i]) == TD_PMU_CORE) == core &&
		    (!name || td_pmu_matches(names.v[i], name)) &&
		    td_machine_find_pmu(machine, names.v[i]) < 0)
			rc = add_pmu(fs, names.v[i], machine, err);
	}
	td_names_free(&names);
	return rc;
}

int td_machine_read_others(const struct td_sysfs *fs, const char *name, struct td_machine *machine,
			   struct td_err *err)
{
	machine->has_others = machine->has_others || !name;
	return read_pmus(fs, false, name, machine, err);
}

void td_machine_add_builtin(struct td_machine *machine)
{
	static const struct {
		const char *name;
		uint32_t type;
	} builtin[] = {
		{ "software", PERF_TYPE_SOFTWARE },
		{ "tracepoint", PERF_TYPE_TRACEPOINT },
		{ "breakpoint", PERF_TYPE_BREAKPOINT },
		{ "tool", UINT32_MAX }, /* a type that the kernel never assigns */
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(builtin); i++) {
		struct td_pmu pmu = { .type = builtin[i].type };

		if (td_machine_find_pmu(machine, builtin[i].name) >= 0)
			continue;
		pmu.kind = td_pmu_kind(builtin[i].name);
		pmu.name = td_strdup(builtin[i].name);
		td_ints_copy(&pmu.cpus, &machine->online);
		td_array_push(&machine->pmus, &machine->nr_pmus, &pmu, sizeof(pmu));
	}
}

size_t td_machine_count_kinds(const struct td_machine *machine)
{
	size_t kinds = 0;

	for (size_t i = 0; i < machine->nr_core; i++)
		kinds += !machine->pmus[i].skip;
	return kinds;
}

int td_machine_find_pmu(const struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		if (strcmp(machine->pmus[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

int td_machine_find_type(const struct td_machine *machine, uint32_t type)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		if (machine->pmus[i].type == type)
			return (int)i;
	}
	return -1;
}

int td_machine_read(const struct td_sysfs *fs, const char *cpuid, struct td_machine *machine,
		    struct td_err *err)
{
	int rc;

	*machine = (struct td_machine){ 0 };
	rc = read_identity(fs, cpuid, machine, err);
	rc = rc ?: read_cpus(fs, machine, err);
	rc = rc ?: read_pmus(fs, true, NULL, machine, err);
	machine->nr_core = machine->nr_pmus;
	machine->nmi_watchdog = machine->nr_core && watchdog_is_on(fs);
	machine->guests_have_pmus = machine->nr_core && guests_have_pmus(fs, &machine->cpuid);
	if (rc)
		td_machine_free(machine);
	return rc;
}

/* Adds new CPUs to a PMU; those of hybrids list a CPU once it is online (init_hybrid_pmu()). */
static int add_cpus(const struct td_sysfs *fs, struct td_pmu *pmu, const struct td_ints *cpus,
		    struct td_ints *added, struct td_err *err)
{
	struct td_pmu now = { .name = pmu->name, .kind = pmu->kind };
	int rc = td_pmu_read_cpus(fs, &now, cpus, err);

	if (!rc) {
		td_ints_add_all(&pmu->cpus, &now.cpus);
		if (added)
			td_ints_add_all(added, &now.cpus);
	}
	td_ints_free(&now.cpus);
	return rc;
}

int td_machine_add_cpus(const struct td_sysfs *fs, struct td_machine *machine,
			const struct td_ints *cpus, struct td_ints *added, struct td_err *err)
{
	int rc = 0;

	*added = (struct td_ints){ 0 };
	td_ints_add_all(&machine->online, cpus);
	for (size_t i = 0; !rc && i < machine->nr_pmus; i++) {
		enum td_pmu_kind kind = machine->pmus[i].kind;

		if (kind == TD_PMU_CORE || kind == TD_PMU_SOFTWARE || kind == TD_PMU_IBS)
			rc = add_cpus(fs, &machine->pmus[i], cpus,
				      kind == TD_PMU_CORE || !machine->nr_core ? added : NULL, err);
	}
	if (rc)
		td_ints_free(added);
	return rc;
}

int td_machine_check_known(const struct td_machine *machine, struct td_err *err)
{
	if (machine->no_sysfs.code)
		*err = machine->no_sysfs;
	else if (machine->no_identity.code)
		*err = machine->no_identity;
	return err->code;
}

void td_machine_free(struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_pmus; i++)
		td_pmu_free(&machine->pmus[i]);
	free(machine->pmus);
	td_ints_free(&machine->online);
	*machine = (struct td_machine){ 0 };
}

/* --- simulated machines ------------------------------------------------------ */

/* The type of the second PMU.  The kernel numbers further PMUs in order, core PMUs first. */
#define SECOND_TYPE 10

static bool has(const struct td_core *core, const struct td_sysfs_row *row)
{
	return (!row->with || core->traits & row->with) && !(core->traits & row->unless);
}

static void add_events(struct td_pmu *pmu, const struct td_sysfs_row *row)
{
	for (; row && row->name; row++) {
		if (has(td_core_of(pmu->uarch), row)) {
			struct td_alias *alias =
				td_array_add(&pmu->aliases, pmu->nr_aliases++, sizeof(*alias));

			alias->name = td_strdup(row->name);
			alias->terms = td_strdup(row->text);
			alias->scale = row->scale > 0 ? row->scale : 1;
		}
	}
}

/* Return the top-down events; on a hybrid, E-cores of a type may have other events than alone. */
static const struct td_sysfs_row *own_events(const struct td_pmu *pmu)
{
	const struct td_core *core = td_core_of(pmu->uarch);

	return strcmp(pmu->name, "cpu") != 0 && core->beside ? core->beside : core->events;
}

static void fill_sysfs(struct td_pmu *pmu, const struct td_vendor *vendor)
{
	for (const struct td_sysfs_row *row = vendor->formats; row && row->name; row++) {
		if (has(td_core_of(pmu->uarch), row)) {
			struct td_format *format =
				td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));

			if (td_format_parse(row->text, format))
				abort(); /* the table is wrong */
			format->name = td_strdup(row->name);
			pmu->nr_formats++;
		}
	}
	add_events(pmu, vendor->events);
	add_events(pmu, own_events(pmu));
}

static const char *find_terms(const struct td_pmu *pmu, const struct td_sysfs_row *row,
			      const char *event)
{
	for (; row && row->name; row++) {
		if (strcmp(row->name, event) == 0 && has(td_core_of(pmu->uarch), row))
			return row->scale > 0 ? NULL : row->text;
	}
	return NULL;
}

const char *td_machine_event_terms(const struct td_machine *machine, const struct td_pmu *pmu,
				   const char *event)
{
	const char *terms = find_terms(pmu, td_vendor_of(&machine->cpuid)->events, event);

	return terms ? terms : find_terms(pmu, own_events(pmu), event);
}

/* Adds a PMU with one CPU, because the kernel does not show PMUs without CPUs. */
static void add_simulated_pmu(struct td_machine *machine, const char *name, enum td_uarch uarch)
{
	int cpu = (int)machine->nr_pmus;
	struct td_pmu *pmu = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*pmu));

	pmu->kind = TD_PMU_CORE;
	pmu->type = cpu ? SECOND_TYPE + (uint32_t)cpu - 1 : PERF_TYPE_RAW;
	pmu->name = td_strdup(name);
	pmu->uarch = uarch;
	td_ints_add(&pmu->cpus, cpu);
	td_ints_add(&machine->online, cpu);
	fill_sysfs(pmu, td_vendor_of(&machine->cpuid));
	machine->nr_core = ++machine->nr_pmus;
}

void td_machine_make_up(const struct td_cpuid *cpuid, struct td_machine *machine)
{
	const struct td_model *model = td_model_find(cpuid);

	*machine = (struct td_machine){ .cpuid = *cpuid, .model = model, .has_others = true };
	if (td_model_is_hybrid(model)) {
		add_simulated_pmu(machine, "cpu_core", model->core);
		add_simulated_pmu(machine, "cpu_atom", model->atom);
		if (model->lowpower)
			add_simulated_pmu(machine, "cpu_lowpower", model->lowpower);
	} else {
		add_simulated_pmu(machine, "cpu", td_uarch_find(cpuid, model, "cpu"));
	}
	td_machine_add_builtin(machine);
}
