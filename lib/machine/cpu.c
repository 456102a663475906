// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/cpu.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "lib/base/util.h"

/* Parses a number in base that ends with the character end_char. */
static bool parse_number(const char **text, int base, char end_char, unsigned int *out)
{
	unsigned char first = (unsigned char)**text;
	unsigned long value;
	char *end;

	if (base == 16 ? !isxdigit(first) : !isdigit(first))
		return false;
	errno = 0;
	value = strtoul(*text, &end, base);
	if (errno || value > UINT_MAX || *end != end_char)
		return false;
	*text = end + (end_char != '\0');
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
		if (parse_number(&rest, 10, '-', &out->family) &&
		    parse_number(&rest, 16, '-', &out->model) &&
		    parse_number(&rest, 16, '\0', &out->stepping))
			return 0;
	}
	return td_err_usage(err, "processor identity '%s': not of the form GenuineIntel-6-97-2",
			    text);
}

void td_cpuid_format(const struct td_cpuid *cpuid, char buf[48])
{
	snprintf(buf, 48, "%s-%u-%X-%X", cpuid->vendor, cpuid->family, cpuid->model,
		 cpuid->stepping);
}

bool td_cpuid_is_same(const struct td_cpuid *a, const struct td_cpuid *b)
{
	return strcmp(a->vendor, b->vendor) == 0 && a->family == b->family &&
	       a->model == b->model && a->stepping == b->stepping;
}

/* Returns the value of a line "key : value" in cpuinfo, or NULL. */
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

int td_cpuid_read(const struct td_sysfs *fs, struct td_cpuid *out, struct td_err *err)
{
	char text[4096]; /* the first processor's lines fit */
	const char *vendor;
	ssize_t len = td_proc_read(fs, "cpuinfo", text, sizeof(text), err);

	*out = (struct td_cpuid){ 0 };
	if (len < 0)
		return (int)len;
	vendor = cpuinfo_value(text, "vendor_id");
	if (vendor)
		snprintf(out->vendor, sizeof(out->vendor), "%.*s", (int)strcspn(vendor, "\n"),
			 vendor);
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

static int read_topology(const struct td_sysfs *fs, int cpu, const char *name, int *out,
			 struct td_err *err)
{
	char path[80];

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/%s", cpu, name);
	return td_sysfs_read_int(fs, path, out, err);
}

/* Returns rc.  If rc is the error of a missing file, clears the error and returns 0. */
static int unless_none(int rc, struct td_err *err)
{
	if (!td_sysfs_is_none(rc))
		return rc;
	*err = (struct td_err){ 0 };
	return 0;
}

static int add_node(const struct td_sysfs *fs, int node, struct td_place *places, size_t nr,
		    struct td_err *err)
{
	struct td_ints cpus;
	char path[80];
	int rc;

	snprintf(path, sizeof(path), "devices/system/node/node%d/cpulist", node);
	rc = td_sysfs_read_list(fs, path, TD_MAX_CPU, &cpus, err);
	for (size_t i = 0; !rc && i < nr; i++) {
		if (td_ints_has(&cpus, places[i].cpu))
			places[i].node = node;
	}
	td_ints_free(&cpus);
	return unless_none(rc, err);
}

/* Sets the nodes of places; only online nodes have CPUs. */
static int add_nodes(const struct td_sysfs *fs, struct td_place *places, size_t nr,
		     struct td_err *err)
{
	struct td_ints nodes;
	int rc = td_sysfs_read_list(fs, "devices/system/node/online", TD_MAX_CPU, &nodes, err);

	rc = unless_none(rc, err);
	for (size_t n = 0; !rc && n < nodes.nr; n++)
		rc = add_node(fs, nodes.v[n], places, nr, err);
	td_ints_free(&nodes);
	return rc;
}

static int read_place(const struct td_sysfs *fs, struct td_place *place, struct td_err *err)
{
	const struct {
		const char *name;
		int *id;
	} ids[] = {
		{ "core_id", &place->core },
		{ "cluster_id", &place->cluster },
		{ "die_id", &place->die },
		{ "physical_package_id", &place->socket },
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(ids); i++)
		rc = read_topology(fs, place->cpu, ids[i].name, ids[i].id, err);
	return rc;
}

bool td_cpus_are_of_dies(const struct td_sysfs *fs, const struct td_ints *cpus)
{
	struct td_err unused;
	int last = -1, socket, die[2];

	for (size_t i = 0; i < cpus->nr && cpus->nr > 1; i++) {
		if (read_topology(fs, cpus->v[i], "physical_package_id", &socket, &unused))
			return false;
		if (socket >= 0 && socket == last)
			return !read_topology(fs, cpus->v[i - 1], "die_id", &die[0], &unused) &&
			       !read_topology(fs, cpus->v[i], "die_id", &die[1], &unused) &&
			       die[0] != die[1];
		last = socket;
	}
	return false;
}

int td_places_read(const struct td_sysfs *fs, const struct td_ints *cpus, struct td_place **out,
		   struct td_err *err)
{
	struct td_place *places = td_calloc(cpus->nr + 1, sizeof(*places));
	int rc = 0;

	for (size_t i = 0; !rc && i < cpus->nr; i++) {
		places[i] = (struct td_place){
			.cpu = cpus->v[i],
			.node = -1,
			.cache = { -1, -1, -1, -1 },
		};
		rc = read_place(fs, &places[i], err);
	}
	rc = rc ?: add_nodes(fs, places, cpus->nr, err);
	if (rc)
		free(places);
	else
		*out = places;
	return rc;
}

/* Reads cpuN/cache/indexM.  Returns 1, 0 after the last one, or an error. */
static int add_cache(const struct td_sysfs *fs, struct td_place *place, int index,
		     struct td_err *err)
{
	struct td_ints cpus;
	char path[96];
	int level;

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/cache/index%d/level", place->cpu,
		 index);
	if (td_sysfs_read_int(fs, path, &level, err))
		return err->code;
	if (level < 1 || level > TD_MAX_CACHE)
		return level >= 0;
	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
		 place->cpu, index);
	if (unless_none(td_sysfs_read_list(fs, path, TD_MAX_CPU, &cpus, err), err))
		return err->code;
	if (cpus.nr)
		place->cache[level - 1] = cpus.v[0];
	td_ints_free(&cpus);
	return 1;
}

int td_places_read_caches(const struct td_sysfs *fs, struct td_place *places, size_t nr,
			  struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < nr; i++) {
		int index = 0;

		do {
			rc = add_cache(fs, &places[i], index++, err);
		} while (rc > 0);
	}
	return rc;
}

/*
 * Keeps the ids of caches.  An id is the lowest CPU that shared the cache when it was assigned, and
 * does not change when a lower CPU comes online.  all contains the current places, and old their
 * indices in before, or SIZE_MAX.
 */
static void keep_names(struct td_place *place, const struct td_place *all,
		       const struct td_place *before, const size_t *old, size_t nr)
{
	for (int c = 0; c < TD_MAX_CACHE; c++) {
		size_t i = 0;

		while (i < nr && !(old[i] != SIZE_MAX && all[i].cache[c] >= 0 &&
				   all[i].cache[c] == place->cache[c]))
			i++;
		if (i < nr)
			place->cache[c] = before[old[i]].cache[c];
	}
}

void td_places_keep(struct td_place *all, size_t nr_all, const struct td_place *before, size_t nr)
{
	td_autofree size_t *old = td_calloc(nr_all + 1, sizeof(*old));
	size_t b = 0;

	for (size_t i = 0; i < nr_all; i++) {
		bool is_old = b < nr && all[i].cpu == before[b].cpu;

		old[i] = is_old ? b++ : SIZE_MAX;
	}
	for (size_t i = 0; i < nr_all; i++) {
		if (old[i] == SIZE_MAX)
			keep_names(&all[i], all, before, old, nr_all);
	}
	for (size_t i = 0; i < nr_all; i++) {
		if (old[i] != SIZE_MAX)
			all[i] = before[old[i]];
	}
}

int td_cpu_siblings(const struct td_sysfs *fs, const struct td_ints *cpus, struct td_ints *out,
		    struct td_err *err)
{
	char path[96];

	*out = (struct td_ints){ 0 };
	for (size_t i = 0; i < cpus->nr; i++) {
		struct td_ints some;

		snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/core_cpus_list",
			 cpus->v[i]);
		if (td_sysfs_read_list(fs, path, TD_MAX_CPU, &some, err))
			goto fail;
		td_ints_add_all(out, &some);
		td_ints_free(&some);
	}
	return 0;
fail:
	td_ints_free(out);
	return err->code;
}

static uint64_t ticks_to_ns(uint64_t ticks)
{
	return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Reads a whole file.  The caller frees it; returns NULL with errno on failure. */
static char *read_file(int dir, const char *path)
{
	size_t size = 4096;

	for (;; size *= 4) {
		char *text = td_malloc(size);
		ssize_t len = td_sysfs_read_at(dir, path, text, size);

		/* a full buffer may mean that the file is longer */
		if (len >= 0 && (size_t)len < size - 1)
			return text;
		free(text);
		if (len < 0) {
			errno = (int)-len;
			return NULL;
		}
	}
}

/* Adds the times in a line of /proc/stat: "cpu3 user nice system idle iowait irq softirq ...". */
static void add_cpu_line(const char *line, const struct td_ints *cpus, struct td_cpu_times *out)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq;
	int cpu;

	/* not the "cpu " line, which sums all CPUs */
	if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)line[3]))
		return;
	if (sscanf(line,
		   "cpu%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64,
		   &cpu, &user, &nice, &system, &idle, &iowait, &irq, &softirq) != 8 ||
	    (cpus && !td_ints_has(cpus, cpu)))
		return;
	out->user_ns += ticks_to_ns(user + nice);
	out->system_ns += ticks_to_ns(system + irq + softirq);
}

int td_cpu_times_read(const struct td_sysfs *fs, const struct td_ints *cpus,
		      struct td_cpu_times *out, struct td_err *err)
{
	td_autofree char *text = read_file(fs->proc, "stat");
	char *rest = text, *line;

	*out = (struct td_cpu_times){ 0 };
	if (!text)
		return td_err_set(err, -errno, "%s/stat: %s", fs->proc_path, strerror(errno));
	while ((line = strsep(&rest, "\n")))
		add_cpu_line(line, cpus, out);
	return 0;
}

/* Adds the times of a process: fields 14 to 17 of its stat are utime stime cutime cstime. */
static bool add_pid(const struct td_sysfs *fs, int pid, struct td_cpu_times *out)
{
	uint64_t user, system, child_user, child_system;
	char text[1024];
	const char *rest = td_proc_stat(fs, pid, text, sizeof(text));

	if (!rest || sscanf(rest,
			    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
			    " %" SCNu64 " %" SCNu64,
			    &user, &system, &child_user, &child_system) != 4)
		return false;
	out->user_ns += ticks_to_ns(user + child_user);
	out->system_ns += ticks_to_ns(system + child_system);
	return true;
}

bool td_cpu_times_read_pids(const struct td_sysfs *fs, const struct td_ints *pids,
			    struct td_cpu_times *out)
{
	bool all = true;

	*out = (struct td_cpu_times){ 0 };
	for (size_t i = 0; i < pids->nr; i++)
		all &= add_pid(fs, pids->v[i], out);
	return all;
}
