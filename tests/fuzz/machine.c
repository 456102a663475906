// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of a machine: texts that end with NUL; "-" is a file that does not
 * exist.
 */
#include "tests/fuzz/replay.h"

#include <stdbool.h>

#include "lib/machine/machine.h"
#include "tests/fuzz/folder.h"

#define CPU   "sys/devices/system/cpu/"
#define NODE  "sys/devices/system/node/"
#define PMU   "sys/bus/event_source/devices/"
#define CACHE CPU "cpu1/cache/index0/"

static const char *const files[] = {
	CPU "online",
	"proc/cpuinfo",
	PMU "cpu_core/type",
	PMU "cpu_core/cpus",
	PMU "cpu_core/format/event",
	PMU "cpu_core/format/umask",
	PMU "cpu_core/events/slots",
	PMU "uncore/type",
	PMU "uncore/cpumask",
	PMU "uncore/events/data",
	PMU "uncore/events/data.scale",
	PMU "uncore/events/data.unit",
	CPU "smt/active",
	CPU "cpu1/topology/core_id",
	CPU "cpu1/topology/core_cpus_list",
	CACHE "level",
	CACHE "shared_cpu_list",
	NODE "online",
	NODE "node1/cpulist",
	"proc/sys/kernel/osrelease",
	"proc/sys/kernel/nmi_watchdog",
};

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void write_file(const char *path, const char *text, size_t len)
{
	int fd;

	if (len == 1 && *text == '-') {
		demand(unlinkat(folder_fd, path, 0) == 0 || errno == ENOENT);
		return;
	}
	fd = openat(folder_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	demand(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	close(fd);
}

static void write_files(const char *text, size_t size)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++) {
		size_t len = strnlen(text, size);

		write_file(files[i], text, len);
		text += len < size ? len + 1 : len;
		size -= len < size ? len + 1 : len;
	}
}

static void check_pmu(const struct td_machine *machine, const struct td_pmu *pmu)
{
	demand(pmu->cpus.nr);
	for (size_t i = 0; i < pmu->cpus.nr; i++)
		demand(td_ints_has(&machine->online, pmu->cpus.v[i]));
	for (size_t i = 0; i < pmu->nr_formats; i++)
		demand(pmu->formats[i].name && pmu->formats[i].mask);
	for (size_t i = 0; i < pmu->nr_aliases; i++)
		demand(pmu->aliases[i].name && *pmu->aliases[i].terms && pmu->aliases[i].scale > 0);
}

static void read_places(const struct td_sysfs *fs, const struct td_machine *machine)
{
	const struct td_ints *online = &machine->online;
	struct td_place *places = NULL;
	struct td_ints siblings;
	struct td_err err = { 0 };

	if (td_places_read(fs, online, &places, &err) == 0)
		td_places_read_caches(fs, places, online->nr, &err);
	free(places);
	if (td_cpu_siblings(fs, online, &siblings, &err) == 0)
		td_ints_free(&siblings);
	else
		demand(err.code && err.msg[0]);
}

static void read_machine(const struct td_sysfs *fs)
{
	struct td_machine machine;
	struct td_err err = { 0 };
	int rc = td_machine_read(fs, NULL, &machine, &err);

	if (!rc)
		rc = td_machine_read_others(fs, NULL, &machine, &err);
	demand(rc == err.code && (!rc || strstr(err.msg, folder)));
	for (size_t i = 0; !rc && i < machine.nr_pmus; i++)
		check_pmu(&machine, &machine.pmus[i]);
	/* as it reads files for each CPU, of which there may be 65,536 */
	if (machine.online.nr < 64)
		read_places(fs, &machine);
	td_machine_free(&machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_err err = { 0 };
	char sys[sizeof(folder) + 8], proc[sizeof(folder) + 8];
	struct td_sysfs fs;

	if (folder_fd < 0)
		make_folder(files, TD_ARRAY_SIZE(files));
	write_files((const char *)data, size);
	snprintf(sys, sizeof(sys), "%s/sys", folder);
	snprintf(proc, sizeof(proc), "%s/proc", folder);
	demand(td_sysfs_open(&fs, sys, proc, &err) == 0);
	read_machine(&fs);
	td_sysfs_close(&fs);
	return 0;
}
