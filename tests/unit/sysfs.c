// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>

#include "lib/base/util.h"
#include "lib/machine/machine.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define DEVICES   "sys/bus/event_source/devices/"
#define MAX_FILES 24

struct file {
	const char *path, *text;
	size_t size; /* 0: the length of the text */
};

#define NULS(text) text "\0\0\0\0", sizeof(text "\0\0\0\0") - 1

#define X4(text)    text text text text
#define X64(text)   X4(X4(X4(text)))
#define X4096(text) X64(X64(text))

#define CPUINFO(vendor, family, model, stepping, flags)                                          \
	{                                                                                        \
		"proc/cpuinfo", "processor\t: 0\nvendor_id\t: " vendor "\ncpu family\t: " family \
				"\nmodel\t\t: " model                                            \
				"\nmodel name\t: 12th Gen Core\nstepping\t: " stepping           \
				"\nmicrocode\t: 0x2c\nflags\t\t: " flags                         \
				"\nbugs\t\t: spectre_v1\n\nprocessor\t: 1\nvendor_id\t: Other\n" \
				"cpu family\t: 1\nmodel\t\t: 1\nstepping\t: 1\n"                 \
	}
#define ALDER_LAKE CPUINFO("GenuineIntel", "6", "151", "2", "fpu vme hle")
#define ONLINE(list)                                       \
	{                                                  \
		"sys/devices/system/cpu/online", list "\n" \
	}
#define FORMATS(pmu)                                               \
	{ DEVICES pmu "/format/event", "config:0-7\n" },           \
	{                                                          \
		DEVICES pmu "/format/umask", "config:8-15,40-47\n" \
	}

/* clang-format off */
static const struct {
	const char *name;
	struct file files[MAX_FILES];
	const char *cpuid; /* to assume */
	const char *want;  /* result of describe() */
	const char *error; /* after the name of the temporary directory */
	int code;
} rows[] = {
	{ "a hybrid machine, cpu_core first",
	  { ALDER_LAKE, ONLINE("0-9"),
	    { DEVICES "cpu_atom/type", "10\n" },
	    { DEVICES "cpu_atom/cpus", "4-7\n" },
	    { DEVICES "cpu_atom/events/topdown-fe-bound", "event=0x71,umask=0x0\n" },
	    { DEVICES "cpu_core/type", "4\n" },
	    { DEVICES "cpu_core/cpus", "0-3\n" },
	    FORMATS("cpu_core"),
	    { DEVICES "cpu_core/events/slots", "event=0x00,umask=0x4\n" },
	    { DEVICES "cpu_lowpower/type", "11\n" },
	    { DEVICES "cpu_lowpower/cpus", "8-9\n" },
	    { DEVICES "uncore_imc/type", "20\n" },
	    { DEVICES "cstate_core/type", "21\n" },
	    { DEVICES "software/type", "1\n" } },
	  .want = "GenuineIntel-6-97-2 Alder Lake; cpu_core 4 0-3 Golden Cove f=2 "
	  "slots=event=0x00,umask=0x4; cpu_atom 10 4-7 Gracemont f=0 "
	  "topdown-fe-bound=event=0x71,umask=0x0; cpu_lowpower 11 8-9 unknown core f=0;" },
	{ "NULs behind an event's text",
	  { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_core/type", "4\n" },
	    { DEVICES "cpu_core/cpus", "0-3\n" },
	    { DEVICES "cpu_core/events/slots", NULS("event=0x00,umask=0x4\n") },
	    { DEVICES "cpu_core/events/topdown-be-bound",
	      NULS("event=0x00,umask=0x83") } },
	  .want = "GenuineIntel-6-97-2 Alder Lake; cpu_core 4 0-3 Golden Cove f=0 "
	  "slots=event=0x00,umask=0x4 topdown-be-bound=event=0x00,umask=0x83;" },
	{ "all of one kind of core off",
	  { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_core/type", "4\n" },
	    { DEVICES "cpu_core/cpus", "0-3\n" },
	    { DEVICES "cpu_atom/type", "10\n" },
	    { DEVICES "cpu_atom/cpus", "\n" } },
	  .want = "GenuineIntel-6-97-2 Alder Lake; cpu_core 4 0-3 Golden Cove f=0;" },
	{ "all of its CPUs offline",
	  { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_core/type", "4\n" },
	    { DEVICES "cpu_core/cpus", "0-3\n" },
	    { DEVICES "cpu_atom/type", "10\n" },
	    { DEVICES "cpu_atom/cpus", "4-7\n" } },
	  .want = "GenuineIntel-6-97-2 Alder Lake; cpu_core 4 0-3 Golden Cove f=0;" },
	{ "some CPUs offline, SMT, watchdog",
	  { ALDER_LAKE, ONLINE("0,2-4"),
	    { "sys/devices/system/cpu/smt/active", "1\n" },
	    { "proc/sys/kernel/nmi_watchdog", "1\n" },
	    { "proc/sys/kernel/osrelease", "6.12.0-amd64\n" },
	    { DEVICES "cpu_core/type", "4\n" },
	    { DEVICES "cpu_core/cpus", "0-3\n" } },
	  .want = "GenuineIntel-6-97-2 Alder Lake smt nmi 6.12.0-amd64; cpu_core 4 0,2-3 Golden "
	  "Cove f=0;" },
	{ "no SMT, no watchdog",
	  { ALDER_LAKE, ONLINE("0"),
	    { "sys/devices/system/cpu/smt/active", "0\n" },
	    { "proc/sys/kernel/nmi_watchdog", "0\n" } },
	  .want = "GenuineIntel-6-97-2 Alder Lake;" },
	{ "a PMU without a cpus file has them all",
	  { CPUINFO("GenuineIntel", "6", "143", "6", "fpu"), ONLINE("0-1,3"),
	    { DEVICES "cpu/type", "4\n" },
	    { DEVICES "cpu/events/slots", "event=0x00,umask=0x4\n" } },
	  .want = "GenuineIntel-6-8F-6 Sapphire Rapids; cpu 4 0-1,3 Golden Cove f=0 "
	  "slots=event=0x00,umask=0x4;" },
	{ "no top-down events, no folders",
	  { CPUINFO("GenuineIntel", "6", "106", "6", "fpu"), ONLINE("0"),
	    { DEVICES "cpu/type", "4\n" } },
	  .want = "GenuineIntel-6-6A-6 Ice Lake-SP; cpu 4 0 Sunny Cove f=0;" },
	{ "scales and units",
	  { CPUINFO("GenuineIntel", "6", "85", "4", "fpu"), ONLINE("0"),
	    { DEVICES "cpu/type", "4\n" },
	    { DEVICES "cpu/events/topdown-total-slots", "event=0x3c\n" },
	    { DEVICES "cpu/events/topdown-total-slots.scale", "4\n" },
	    { DEVICES "cpu/events/energy", "event=0x02\n" },
	    { DEVICES "cpu/events/energy.scale", "2.3283064365386962890625e-10" },
	    { DEVICES "cpu/events/energy.unit", "Joules\n" },
	    { DEVICES "cpu/events/energy.per-pkg", "1\n" },
	    { DEVICES "cpu/events/energy.snapshot", "1\n" } },
	  .want = "GenuineIntel-6-55-4 Skylake-SP or Cascade Lake; cpu 4 0 Skylake f=0 "
	  "energy=event=0x02*2.32831e-10Joules topdown-total-slots=event=0x3c*4;" },
	{ "formats that nobody could pack, an empty event",
	  { CPUINFO("GenuineIntel", "6", "106", "6", "fpu"), ONLINE("0"),
	    { DEVICES "cpu/type", "4\n" },
	    { DEVICES "cpu/format/event", "config:0-7\n" },
	    { DEVICES "cpu/format/odd", "config9:0-7\n" },
	    { DEVICES "cpu/format/cmask", "config:24-31\n" },
	    { DEVICES "cpu/format/empty", "\n" },
	    { DEVICES "cpu/events/nothing", "" },
	    { DEVICES "cpu/events/slots", "event=0x00,umask=0x4\n" } },
	  .want = "GenuineIntel-6-6A-6 Ice Lake-SP; cpu 4 0 Sunny Cove f=2 "
	  "slots=event=0x00,umask=0x4;" },
	{ "no PMU at all", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "software/type", "1\n" } },
	  .want = "GenuineIntel-6-97-2 Alder Lake;" },
	{ "a kernel without perf events", { ALDER_LAKE, ONLINE("0-3") },
	  .want = "GenuineIntel-6-97-2 Alder Lake;" },
	{ "a virtual machine",
	  { CPUINFO("GenuineIntel", "6", "106", "6", "fpu hypervisor lahf_lm"),
	    ONLINE("0") },
	  .want = "GenuineIntel-6-6A-6 Ice Lake-SP guest;" },
	{ "a virtual machine, the last flag",
	  { CPUINFO("GenuineIntel", "6", "106", "6", "fpu hypervisor"),
	    ONLINE("0") },
	  .want = "GenuineIntel-6-6A-6 Ice Lake-SP guest;" },
	{ "flags that only look like it",
	  { CPUINFO("GenuineIntel", "6", "106", "6", "hypervisor_x xhypervisor"),
	    ONLINE("0") },
	  .want = "GenuineIntel-6-6A-6 Ice Lake-SP;" },
	{ "another vendor of the same numbers",
	  { CPUINFO("AuthenticAMD", "6", "151", "2", "fpu"), ONLINE("0") },
	  .want = "AuthenticAMD-6-97-2 -;" },
	{ "a model that is not known",
	  { CPUINFO("GenuineIntel", "18", "255", "0", "fpu"), ONLINE("0"),
	    { DEVICES "cpu/type", "4\n" } },
	  .want = "GenuineIntel-18-FF-0 -; cpu 4 0 unknown core f=0;" },
	{ "an identity to assume", { ALDER_LAKE, ONLINE("0"),
	    { DEVICES "cpu/type", "4\n" } }, .cpuid = "GenuineIntel-6-8F-6",
	  .want = "GenuineIntel-6-8F-6 Sapphire Rapids; cpu 4 0 Golden Cove f=0;" },
	{ "an identity that is none", { ALDER_LAKE, ONLINE("0") },
	  .cpuid = "Alder Lake",
	  .error = "processor identity 'Alder Lake': not of the form "
	  "GenuineIntel-6-97-2", .code = -EINVAL },

	{ "no cpuinfo", { ONLINE("0") },
	  .error = "proc/cpuinfo: No such file or directory", .code = -ENOENT },
	{ "no list of CPUs", { ALDER_LAKE },
	  .error = "sys/devices/system/cpu/online: No such file or directory",
	  .code = -ENOENT },
	{ "garbage for CPUs", { ALDER_LAKE, ONLINE("0-x") },
	  .error = "sys/devices/system/cpu/online: not a CPU list: 0-x",
	  .code = -EINVAL },
	{ "an empty list of CPUs", { ALDER_LAKE, ONLINE("") },
	  .error = "sys/devices/system/cpu/online: no CPU", .code = -EINVAL },
	{ "nothing for CPUs", { ALDER_LAKE,
	    { "sys/devices/system/cpu/online", "" } },
	  .error = "sys/devices/system/cpu/online: not a CPU list: empty",
	  .code = -EINVAL },
	{ "NULs for CPUs", { ALDER_LAKE,
	    { "sys/devices/system/cpu/online", NULS("0-3\n") } },
	  .error = "sys/devices/system/cpu/online: not a CPU list: 0-3",
	  .code = -EINVAL },
	{ "more than a page of CPUs", { ALDER_LAKE, ONLINE(X4096("0,") "0") },
	  .error = "sys/devices/system/cpu/online: not a CPU list: "
	  "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,", .code = -EINVAL },
	{ "garbage for SMT", { ALDER_LAKE, ONLINE("0-3"),
	    { "sys/devices/system/cpu/smt/active", "on\n" } },
	  .error = "sys/devices/system/cpu/smt/active: not a number: on",
	  .code = -EINVAL },
	{ "no type", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_core/cpus", "0-3\n" } },
	  .error = DEVICES "cpu_core/type: No such file or directory",
	  .code = -ENOENT },
	{ "garbage for a type", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu/type", "four\n" } },
	  .error = DEVICES "cpu/type: not a number: four", .code = -EINVAL },
	{ "a type of 33 bits", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu/type", "4294967296\n" } },
	  .error = DEVICES "cpu/type: not a number: 4294967296",
	  .code = -EINVAL },
	{ "an empty type", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu/type", "" } },
	  .error = DEVICES "cpu/type: not a number: ", .code = -EINVAL },
	{ "garbage for a PMU's CPUs", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_atom/type", "10\n" },
	    { DEVICES "cpu_atom/cpus", "4-7,\n" } },
	  .error = DEVICES "cpu_atom/cpus: not a CPU list: 4-7,",
	  .code = -EINVAL },
	{ "nothing for a PMU's CPUs", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_atom/type", "10\n" },
	    { DEVICES "cpu_atom/cpus", "" } },
	  .error = DEVICES "cpu_atom/cpus: not a CPU list: empty",
	  .code = -EINVAL },
	{ "an event that is too long", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu/type", "4\n" },
	    { DEVICES "cpu/events/slots", X4096("0") } },
	  .error = DEVICES "cpu/events/slots: File too large",
	  .code = -EFBIG },
	{ "a format that is too long", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu/type", "4\n" },
	    { DEVICES "cpu/format/event", "config:" X4096("0") } },
	  .error = DEVICES "cpu/format/event: File too large",
	  .code = -EFBIG },
	{ "a scale that is too long", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu/type", "4\n" },
	    { DEVICES "cpu/events/slots", "event=0\n" },
	    { DEVICES "cpu/events/slots.scale", "1" X4096("0") } },
	  .error = DEVICES "cpu/events/slots.scale: File too large",
	  .code = -EFBIG },
	{ "folders among events and formats", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_core/type", "4\n" },
	    { DEVICES "cpu_core/format/event/", "" },
	    { DEVICES "cpu_core/events/slots/", "" } },
	  .want = "GenuineIntel-6-97-2 Alder Lake; cpu_core 4 0-3 Golden Cove f=0;" },
	{ "a folder for a PMU's CPUs", { ALDER_LAKE, ONLINE("0-3"),
	    { DEVICES "cpu_atom/type", "10\n" },
	    { DEVICES "cpu_atom/cpus/", "" } },
	  .error = DEVICES "cpu_atom/cpus: Is a directory", .code = -EISDIR },
};

/* CPU identities in perf's form */
static const struct {
	const char *text;
	struct td_cpuid want; /* without a vendor: refused */
	const char *again;    /* as formatted again; NULL: text */
} cpuids[] = {
	{ "GenuineIntel-6-97-2", { "GenuineIntel", 6, 0x97, 2 } },
	{ "GenuineIntel-6-8F-B", { "GenuineIntel", 6, 0x8f, 11 } },
	{ "GenuineIntel-6-8f-b", { "GenuineIntel", 6, 0x8f, 11 },
	  "GenuineIntel-6-8F-B" },
	{ "GenuineIntel-18-1-0", { "GenuineIntel", 18, 1, 0 } },
	{ "AuthenticAMD-25-61-2", { "AuthenticAMD", 25, 0x61, 2 } },
	{ "", { "" } },
	{ "GenuineIntel", { "" } },
	{ "GenuineIntel-6", { "" } },
	{ "GenuineIntel-6-97", { "" } },
	{ "GenuineIntel-6-97-", { "" } },
	{ "GenuineIntel-6-97-2-", { "" } },
	{ "GenuineIntel-6-97-2 ", { "" } },
	{ "GenuineIntel-6-97-2x", { "" } },
	{ "GenuineIntel--97-2", { "" } },
	{ "GenuineIntel-6-XX-2", { "" } },
	{ "GenuineIntel-0x6-97-2", { "" } },
	{ "-6-97-2", { "" } },
	{ "6-97-2", { "" } },
	{ "GenuineIntel-6--97-2", { "" } },
	{ "GenuineIntel--6-97-2", { "" } },
	{ "GenuineIntel-+6-97-2", { "" } },
	{ "GenuineIntel- 6-97-2", { "" } },
	{ "GenuineIntel-6-97- 2", { "" } },
	{ "GenuineIntel-4294967302-97-2", { "" } },
	{ "GenuineIntelGenuineIntel-6-97-2", { "" } },
};
/* clang-format on */

static void describe_pmu(FILE *fp, const struct td_pmu *pmu)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);

	fprintf(fp, " %s %u %s %s f=%zu", pmu->name, pmu->type, cpus, td_uarch_name(pmu->uarch),
		pmu->nr_formats);
	for (size_t i = 0; i < pmu->nr_aliases; i++) {
		const struct td_alias *alias = &pmu->aliases[i];

		fprintf(fp, " %s=%s", alias->name, alias->terms);
		if (alias->scale < 1 || alias->scale > 1)
			fprintf(fp, "*%g", alias->scale);
		if (alias->unit)
			fputs(alias->unit, fp);
	}
	fputc(';', fp);
}

static char *describe(const struct td_machine *machine)
{
	char *text, cpuid[48];
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	td_cpuid_format(&machine->cpuid, cpuid);
	fprintf(fp, "%s %s%s%s%s%s%s;", cpuid, machine->model ? machine->model->name : "-",
		machine->cpuid.hypervisor ? " guest" : "", machine->smt ? " smt" : "",
		machine->nmi_watchdog ? " nmi" : "", machine->release[0] ? " " : "",
		machine->release);
	for (size_t i = 0; i < machine->nr_pmus; i++)
		describe_pmu(fp, &machine->pmus[i]);
	fclose(fp);
	return text;
}

static void make_files(const char *root, const struct file *files)
{
	test_file(root, "sys/", "", 0);
	test_file(root, "proc/", "", 0);
	for (size_t i = 0; i < MAX_FILES && files[i].path; i++)
		test_file(root, files[i].path, files[i].text,
			  files[i].size ? files[i].size : strlen(files[i].text));
}

static void check_machine(size_t r, const char *root)
{
	char sys[PATH_MAX], proc[PATH_MAX], error[PATH_MAX];
	bool relative = rows[r].error && strncmp(rows[r].error, "processor", 9);
	td_autofree char *got = NULL;
	struct td_machine machine;
	struct td_err err = { 0 };
	struct td_sysfs fs;
	int rc;

	snprintf(sys, sizeof(sys), "%s/sys", root);
	snprintf(proc, sizeof(proc), "%s/proc", root);
	if (td_sysfs_open(&fs, sys, proc, &err)) {
		ok(false, "%s: %s", rows[r].name, err.msg);
		return;
	}
	rc = td_machine_read(&fs, rows[r].cpuid, &machine, &err);
	if (!rc && td_machine_check_known(&machine, &err)) {
		rc = err.code;
		td_machine_free(&machine);
	}
	ok(rc == rows[r].code && err.code == rows[r].code, "%s", rows[r].name);
	snprintf(error, sizeof(error), "%.100s%s%s", relative ? root : "", relative ? "/" : "",
		 rows[r].error ? rows[r].error : "");
	is_str(err.msg, error, "%s: message", rows[r].name);
	if (rows[r].want) {
		got = describe(&machine);
		is_str(got, rows[r].want, "%s: machine", rows[r].name);
	}
	if (rc == 0)
		td_machine_free(&machine);
	ok(!machine.pmus && !machine.nr_pmus && !machine.online.v, "%s: freed", rows[r].name);
	td_sysfs_close(&fs);
}

static void test_machine_row(size_t r)
{
	char root[] = "/tmp/tdstat-sysfs-XXXXXX";

	if (!mkdtemp(root)) {
		ok(false, "%s: no temporary folder", rows[r].name);
		return;
	}
	make_files(root, rows[r].files);
	check_machine(r, root);
	test_tree_remove(root);
}

static void test_cpuid(size_t i)
{
	const struct td_cpuid *want = &cpuids[i].want;
	struct td_cpuid got;
	struct td_err err = { 0 };
	char text[48];
	int rc = td_cpuid_parse(cpuids[i].text, &got, &err);

	if (!want->vendor[0]) {
		ok(rc == -EINVAL && err.usage, "no identity: '%s'", cpuids[i].text);
		return;
	}
	ok(rc == 0 && strcmp(got.vendor, want->vendor) == 0 && got.family == want->family &&
		   got.model == want->model && got.stepping == want->stepping && !got.hypervisor,
	   "identity: '%s'", cpuids[i].text);
	td_cpuid_format(&got, text);
	is_str(text, cpuids[i].again ? cpuids[i].again : cpuids[i].text, "identity as text: '%s'",
	       cpuids[i].text);
}

/* Names are from drivers/perf and arch/x86/events of Linux. */
static const struct {
	const char *name;
	size_t at;
} units[] = {
	{ "cpu", 3 },
	{ "cpu_core", 8 },
	{ "uncore_imc", 10 },
	{ "uncore_imc_0", 10 },
	{ "uncore_cha_12", 10 },
	{ "uncore_imc_free_running_0", 23 },
	{ "uncore_ha_1f003800", 9 },
	{ "uncore_ha_a0f", 9 },
	{ "uncore_ha_a0", 12 }, /* two: the end of a name, as in cpum_cf */
	{ "cpum_cf", 7 },
	{ "i915_0000_03", 9 },
	{ "uncore_imc_", 11 },
	{ "uncore_imc0", 11 },
	{ "_", 1 },
	{ "12", 2 },
	{ "", 0 },
};

static void test_unit(size_t i)
{
	ok(td_pmu_stem_length(units[i].name) == units[i].at, "the unit's suffix of '%s'",
	   units[i].name);
}

static void test_roots(void)
{
	struct td_err err = { 0 };
	struct td_names names;
	struct td_sysfs fs;
	char text[8];

	ok(td_sysfs_open(&fs, "/nowhere/sys", "/nowhere/proc", &err) == 0, "no sysfs, no proc");
	ok(td_sysfs_read(&fs, "devices", text, sizeof(text), &err) == -ENOENT,
	   "no sysfs: no file of it");
	is_str(err.msg, "/nowhere/sys/devices: No such file or directory", "no sysfs: message");
	ok(td_sysfs_list(fs.proc, ".", &names) == -ENOENT, "no proc: no folder of it");
	ok(td_sysfs_open(&fs, "/", "/dev/null", &err) == -ENOTDIR, "a file for proc");
	is_str(err.msg, "/dev/null: Not a directory", "a file: message");
	ok(fs.sys == -1 && fs.proc == -1, "nothing stays open");
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_machine_row(r);
	for (size_t i = 0; i < TD_ARRAY_SIZE(cpuids); i++)
		test_cpuid(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++)
		test_unit(i);
	test_roots();
	return done_testing();
}
