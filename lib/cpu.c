// SPDX-License-Identifier: GPL-2.0-only
#include "lib/cpu.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "lib/util.h"

/* A number at *text, of digits in base alone, and what stands behind it. */
static bool take_number(const char **text, int base, char behind,
			unsigned int *out)
{
	unsigned char first = (unsigned char)**text;
	unsigned long value;
	char *end;

	if (base == 16 ? !isxdigit(first) : !isdigit(first))
		return false;
	errno = 0;
	value = strtoul(*text, &end, base);
	if (errno || value > UINT_MAX || *end != behind)
		return false;
	*text = end + (behind != '\0');
	*out = (unsigned int)value;
	return true;
}

int td_cpuid_parse(const char *text, struct td_cpuid *out, struct td_err *err)
{
	size_t vendor = strcspn(text, "-");
	const char *rest = text + vendor;

	*out = (struct td_cpuid){ 0 };
	if (vendor && vendor < sizeof(out->vendor) && *rest++ == '-') {
		memcpy(out->vendor, text, vendor);
		if (take_number(&rest, 10, '-', &out->family) &&
		    take_number(&rest, 16, '-', &out->model) &&
		    take_number(&rest, 16, '\0', &out->stepping))
			return 0;
	}
	return td_err_usage(err,
			    "processor identity '%s': not of the form "
			    "GenuineIntel-6-97-2",
			    text);
}

void td_cpuid_format(const struct td_cpuid *cpuid, char buf[48])
{
	snprintf(buf, 48, "%s-%u-%X-%X", cpuid->vendor, cpuid->family,
		 cpuid->model, cpuid->stepping);
}

/* The text behind "key<tabs>: " in cpuinfo; NULL: no such line. */
static const char *cpuinfo_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text) {
		const char *rest = text + len;

		if (strncmp(text, key, len) == 0) {
			rest += strspn(rest, " \t");
			if (*rest == ':')
				return rest + 1 + strspn(rest + 1, " \t");
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

static unsigned int cpuinfo_number(const char *text, const char *key)
{
	const char *value = cpuinfo_value(text, key);

	return value ? (unsigned int)strtoul(value, NULL, 10) : 0;
}

static bool cpuinfo_has_flag(const char *text, const char *flag)
{
	const char *flags = cpuinfo_value(text, "flags");
	size_t len = strlen(flag);
	const char *end;

	if (!flags)
		return false;
	end = flags + strcspn(flags, "\n");
	while (flags < end) {
		size_t word = strcspn(flags, " \n");

		if (word == len && strncmp(flags, flag, len) == 0)
			return true;
		flags += word + 1;
	}
	return false;
}

int td_cpuid_read(const struct td_sysfs *fs, struct td_cpuid *out,
		  struct td_err *err)
{
	char text[4096]; /* the first processor's lines are enough */
	const char *vendor;
	ssize_t len = td_proc_read(fs, "cpuinfo", text, sizeof(text), err);

	*out = (struct td_cpuid){ 0 };
	if (len < 0)
		return (int)len;
	vendor = cpuinfo_value(text, "vendor_id");
	if (vendor)
		snprintf(out->vendor, sizeof(out->vendor), "%.*s",
			 (int)strcspn(vendor, "\n"), vendor);
	out->family = cpuinfo_number(text, "cpu family");
	out->model = cpuinfo_number(text, "model");
	out->stepping = cpuinfo_number(text, "stepping");
	out->hypervisor = cpuinfo_has_flag(text, "hypervisor");
	return 0;
}

#if defined(__x86_64__) || defined(__i386__)
uint64_t td_tsc_hz(void)
{
	unsigned int denominator, numerator, crystal_hz, unused;

	/* SDM volume 2, CPUID leaf 15H */
	if (!__get_cpuid(0x15, &denominator, &numerator, &crystal_hz, &unused))
		return 0;
	return denominator ? (uint64_t)crystal_hz * numerator / denominator : 0;
}
#else
uint64_t td_tsc_hz(void)
{
	return 0;
}
#endif

static int topology_int(const struct td_sysfs *fs, int cpu, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/%s",
		 cpu, name);
	return td_sysfs_read_int(fs->sys, path);
}

/* nodeN/cpulist, for the nodes that there are */
static int add_nodes(const struct td_sysfs *fs, struct td_place *places,
		     size_t nr)
{
	char path[80], text[4096];
	struct td_ints nodes, cpus;

	if (td_sysfs_read_at(fs->sys, "devices/system/node/online", text,
			     sizeof(text)) < 0)
		return 0;
	if (td_ints_parse(text, TD_MAX_CPU, &nodes))
		return 0;
	for (size_t n = 0; n < nodes.nr; n++) {
		snprintf(path, sizeof(path),
			 "devices/system/node/node%d/cpulist", nodes.v[n]);
		if (td_sysfs_read_at(fs->sys, path, text, sizeof(text)) < 0 ||
		    td_ints_parse(text, TD_MAX_CPU, &cpus))
			continue;
		for (size_t i = 0; i < nr; i++) {
			if (td_ints_has(&cpus, places[i].cpu))
				places[i].node = nodes.v[n];
		}
		td_ints_free(&cpus);
	}
	td_ints_free(&nodes);
	return 0;
}

int td_places_read(const struct td_sysfs *fs, const struct td_ints *cpus,
		   struct td_place **out, struct td_err *err)
{
	struct td_place *places = calloc(cpus->nr + 1, sizeof(*places));

	if (!places)
		return td_err_nomem(err);
	for (size_t i = 0; i < cpus->nr; i++) {
		int cpu = cpus->v[i];

		places[i] = (struct td_place){
			.cpu = cpu,
			.core = topology_int(fs, cpu, "core_id"),
			.cluster = topology_int(fs, cpu, "cluster_id"),
			.die = topology_int(fs, cpu, "die_id"),
			.socket = topology_int(fs, cpu, "physical_package_id"),
			.node = -1,
			.cache = { -1, -1, -1, -1 },
		};
	}
	*out = places;
	return add_nodes(fs, places, cpus->nr);
}

/* cpuN/cache/indexM: one of a CPU's caches; false: there is none. */
static bool add_cache(const struct td_sysfs *fs, struct td_place *place,
		      int index)
{
	char path[96], text[4096];
	struct td_ints cpus;
	int level;

	snprintf(path, sizeof(path),
		 "devices/system/cpu/cpu%d/cache/index%d/level", place->cpu,
		 index);
	level = td_sysfs_read_int(fs->sys, path);
	if (level < 0)
		return false;
	snprintf(path, sizeof(path),
		 "devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
		 place->cpu, index);
	if (level < 1 || level > TD_MAX_CACHE ||
	    td_sysfs_read_at(fs->sys, path, text, sizeof(text)) < 0 ||
	    td_ints_parse(text, TD_MAX_CPU, &cpus))
		return true;
	if (cpus.nr)
		place->cache[level - 1] = cpus.v[0];
	td_ints_free(&cpus);
	return true;
}

void td_places_read_caches(const struct td_sysfs *fs, struct td_place *places,
			   size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		for (int index = 0; add_cache(fs, &places[i], index); index++)
			;
	}
}

int td_cpu_siblings(const struct td_sysfs *fs, const struct td_ints *cpus,
		    struct td_ints *out, struct td_err *err)
{
	char path[96], text[4096];
	int rc;

	*out = (struct td_ints){ 0 };
	for (size_t i = 0; i < cpus->nr; i++) {
		struct td_ints some;

		snprintf(path, sizeof(path),
			 "devices/system/cpu/cpu%d/topology/core_cpus_list",
			 cpus->v[i]);
		if (td_sysfs_read(fs, path, text, sizeof(text), err) < 0)
			goto fail;
		rc = td_ints_parse(text, TD_MAX_CPU, &some);
		for (size_t j = 0; !rc && j < some.nr; j++)
			rc = td_ints_add(out, some.v[j]);
		td_ints_free(&some);
		if (rc) {
			td_err_set(err, rc, "%s/%s: not a CPU list",
				   fs->sys_path, path);
			goto fail;
		}
	}
	return 0;
fail:
	td_ints_free(out);
	return err->code;
}
