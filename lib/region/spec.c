// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/region/parts.h"
#include "lib/region/tdstat.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* --- CPUs ------------------------------------------------------------------- */

/* Adds CPUs such as "0-3,8".  Returns false for other texts. */
static bool add_cpus(struct td_group_spec *spec, const char *list, uint8_t group)
{
	char *end = NULL;

	for (;; list = end + 1) {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-') {
			list = end + 1;
			last = strtoul(list, &end, 10);
			if (end == list)
				return false;
		}
		for (; first <= last && first < TD_GROUP_SPEC_CPUS; first++)
			spec->group_of_cpu[first] = group;
		if (*end != ',')
			return *end == '\0' || *end == '\n';
	}
}

/* --- parsing ---------------------------------------------------------------- */

/* Names of core PMUs in the kernel. */
static const struct {
	const char *pmu;
	int core;
} cores[] = {
	{ "cpu", TD_CORE },
	{ "cpu_core", TD_CORE },
	{ "cpu_atom", TD_CORE_ATOM },
	{ "cpu_lowpower", TD_CORE_LOWPOWER },
};

#define NR_CORES (sizeof(cores) / sizeof(cores[0]))

static int core_of(const char *pmu)
{
	for (size_t i = 0; i < NR_CORES; i++) {
		if (strcmp(cores[i].pmu, pmu) == 0)
			return cores[i].core;
	}
	return TD_CORE;
}

static bool parse_group(struct td_group_spec *spec, char *words)
{
	char *name, *cpus, *rest = words;
	struct td_group_spec_group *group = &spec->groups[spec->nr_groups];

	name = strsep(&rest, " ");
	cpus = strsep(&rest, " ");
	if (!cpus || !*name || spec->nr_groups == TD_REGION_GROUPS)
		return false;
	*group = (struct td_group_spec_group){ .first = spec->nr_events, .core = core_of(name) };
	spec->nr_groups++;
	return add_cpus(spec, cpus, (uint8_t)spec->nr_groups);
}

static bool parse_kind(const char *word, int *kind)
{
	if (!word || !*word || word[1])
		return false;
	if (*word == 's')
		*kind = TD_GROUP_SPEC_SLOTS;
	else if (*word == 'c')
		*kind = TD_GROUP_SPEC_PLAIN;
	else if (*word >= '0' && *word <= '7')
		*kind = TD_GROUP_SPEC_FIELD + *word - '0';
	else
		return false;
	return true;
}

static bool parse_number(const char *word, uint64_t *number)
{
	char *end;

	if (!word || !*word)
		return false;
	*number = strtoull(word, &end, 0);
	return !*end;
}

static bool parse_width(struct td_group_spec *spec, const char *word)
{
	uint64_t width;

	if (!spec->nr_groups || !parse_number(word, &width))
		return false;
	spec->groups[spec->nr_groups - 1].width = (unsigned int)width;
	return true;
}

static const struct {
	const char *name;
	int part;
} names[] = {
	{ "slots", TD_READ_SLOTS },
	{ "topdown-retiring", TD_READ_RETIRING },
	{ "topdown-bad-spec", TD_READ_BAD_SPECULATION },
	{ "topdown-fe-bound", TD_READ_FRONTEND_BOUND },
	{ "topdown-be-bound", TD_READ_BACKEND_BOUND },
	{ "cycles", TD_READ_CYCLES },
	{ "cpu-cycles", TD_READ_CYCLES },
	{ "CPU_CLK_UNHALTED.THREAD", TD_READ_CYCLES },
	{ "CPU_CLK_UNHALTED.CORE", TD_READ_CYCLES },
	{ "instructions", TD_READ_INSTRUCTIONS },
	{ "INST_RETIRED.ANY", TD_READ_INSTRUCTIONS },
	{ "INT_MISC.UOP_DROPPING", TD_READ_UOP_DROPPING },
};

/*
 * Returns the part that an event's name means, or TD_NR_READ.  "cpu_core/slots/u" and "slots:u"
 * mean slots; with other terms they do not.
 */
static int part_of(const char *name)
{
	const char *slash = strchr(name, '/');
	const char *begin = slash ? slash + 1 : name;
	size_t length = strcspn(begin, slash ? "/" : ":");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == length &&
		    strncasecmp(names[i].name, begin, length) == 0)
			return names[i].part;
	}
	return TD_NR_READ;
}

static bool has_parts(const struct td_group_spec_group *group)
{
	static const uint8_t none[TD_NR_READ];

	return memcmp(group->parts, none, sizeof(none)) != 0;
}

/*
 * Notes the event of a part.  Events of user space and kernel are preferred to those of user space
 * only.
 */
static void note_part(struct td_group_spec_group *group, const struct td_group_spec_event *event,
		      size_t number, const char *name)
{
	int part = part_of(name);
	bool others = has_parts(group) && group->parts_user_only != event->user_only;

	if (part == TD_NR_READ || event->kernel_only || (others && event->user_only))
		return;
	if (others)
		memset(group->parts, 0, sizeof(group->parts));
	group->parts_user_only = event->user_only;
	if (!group->parts[part])
		group->parts[part] = (uint8_t)(number + 1);
}

static bool parse_event(struct td_group_spec *spec, char *words)
{
	struct td_group_spec_event *event = &spec->events[spec->nr_events];
	struct td_group_spec_group *group;
	char *rest = words, *flags;
	uint64_t type;

	if (!spec->nr_groups || spec->nr_events == TD_REGION_VALUES ||
	    !parse_kind(strsep(&rest, " "), &event->kind) ||
	    !parse_number(strsep(&rest, " "), &type))
		return false;
	event->type = (uint32_t)type;
	for (int i = 0; i < 3; i++) {
		if (!parse_number(strsep(&rest, " "), &event->config[i]))
			return false;
	}
	flags = strsep(&rest, " ");
	if (!flags || !rest)
		return false;
	event->user_only = strchr(flags, 'u');
	event->kernel_only = strchr(flags, 'k');
	group = &spec->groups[spec->nr_groups - 1];
	group->has_fields |= event->kind >= TD_GROUP_SPEC_FIELD;
	note_part(group, event, spec->nr_events, rest);
	group->nr++;
	spec->nr_events++;
	return true;
}

static bool parse_line(struct td_group_spec *spec, char *line)
{
	if (strncmp(line, "group ", 6) == 0)
		return parse_group(spec, line + 6);
	if (strncmp(line, "event ", 6) == 0)
		return parse_event(spec, line + 6);
	if (strncmp(line, "width ", 6) == 0)
		return parse_width(spec, line + 6);
	if (strcmp(line, "read") == 0)
		spec->read_only = true;
	if (strcmp(line, "calls") == 0)
		spec->buckets = true;
	/* unknown lines, from later versions of tdstat, are ignored */
	return true;
}

int td_group_spec_parse(struct td_group_spec *spec, char *text)
{
	char *copy = strdup(text), *rest = copy, *line;
	bool good;

	memset(spec, 0, sizeof(*spec));
	spec->text = text;
	line = copy ? strsep(&rest, "\n") : NULL;
	good = line && strcmp(line, TD_GROUP_SPEC_FIRST_LINE) == 0;
	while (good && (line = strsep(&rest, "\n")))
		good = parse_line(spec, line);
	free(copy);
	for (size_t g = 0; g < spec->nr_groups; g++)
		good &= spec->groups[g].nr > 0;
	return good && spec->nr_groups ? 0 : -1;
}

/* --- from sysfs ------------------------------------------------------------- */

#define DEVICES "/sys/bus/event_source/devices"

/* Reads the first line of a file of the PMU.  Returns false if there is none. */
static bool read_line(char *line, int size, const char *pmu, const char *name)
{
	char path[256];
	FILE *fp;
	bool got;

	snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, name);
	fp = fopen(path, "re");
	if (!fp)
		return false;
	got = fgets(line, size, fp);
	fclose(fp);
	line[strcspn(line, "\n")] = '\0';
	return got;
}

/*
 * Converts "event=0xc2,umask=0x02" to a config.  Returns false for other terms, with which the
 * event is not the expected one.
 */
static bool config_of(const char *terms, unsigned long *config)
{
	unsigned int event, umask = 0;

	if (sscanf(terms, "event=%x,umask=%x", &event, &umask) < 1)
		return false;
	*config = event | umask << 8;
	return true;
}

/* Returns true if this program may be counted only in user space. */
static bool is_user_only(void)
{
	FILE *fp = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int paranoid = 0;

	if (!fp)
		return false;
	if (fscanf(fp, "%d", &paranoid) != 1)
		paranoid = 0;
	fclose(fp);
	return paranoid > 1;
}

static void put_event(FILE *fp, const char *pmu, const char *type, char kind, char flags,
		      const char *name)
{
	char file[64], terms[128];
	unsigned long config;

	snprintf(file, sizeof(file), "events/%s", name);
	if (read_line(terms, sizeof(terms), pmu, file) && config_of(terms, &config))
		fprintf(fp, "event %c %s %#lx 0 0 %c %s\n", kind, type, config, flags, name);
}

/* The order of the fields in PERF_METRICS: SDM volume 3, 21.3.9.3. */
static const char *const fields[] = {
	"topdown-retiring",  "topdown-bad-spec",      "topdown-fe-bound",  "topdown-be-bound",
	"topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound",
};

/*
 * Returns true for Golden Cove and Redwood Cove, whose field of the frontend includes some slots
 * that were lost to bad speculation.  An event counts these slots, and Intel's formulas correct for
 * them.
 */
static bool drops_uops(void)
{
#if defined(__x86_64__)
	static const uint8_t models[] = { 0x8f, 0x97, 0x9a, 0xaa, 0xac, 0xad,
					  0xae, 0xb5, 0xb7, 0xba, 0xbf, 0xcf };
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (eax >> 8 & 0xf) != 6)
		return false;
	return memchr(models, (int)((eax >> 4 & 0xf) | (eax >> 12 & 0xf0)), sizeof(models));
#else
	return false;
#endif
}

/* Writes level 1 of a PMU.  Without SLOTS, general events of the same names count it. */
static void put_topdown(FILE *fp, const char *pmu, const char *type, char flags)
{
	char unused[128];
	bool has_slots = read_line(unused, sizeof(unused), pmu, "events/slots");

	if (!read_line(unused, sizeof(unused), pmu, "events/topdown-retiring"))
		return;
	if (has_slots)
		put_event(fp, pmu, type, 's', flags, "slots");
	for (int i = 0; i < 8; i++)
		put_event(fp, pmu, type, has_slots ? (char)('0' + i) : 'c', flags, fields[i]);
	if (has_slots && drops_uops())
		fprintf(fp, "event c %s 0x10ad 0 0 %c INT_MISC.UOP_DROPPING\n", type, flags);
}

static void put_group(FILE *fp, const char *pmu, char flags)
{
	char type[32], cpus[1024], unused[128];

	if (!read_line(type, sizeof(type), pmu, "type") ||
	    !read_line(unused, sizeof(unused), pmu, "events/cpu-cycles"))
		return;
	if (!read_line(cpus, sizeof(cpus), pmu, "cpus"))
		snprintf(cpus, sizeof(cpus), "0-%d", TD_GROUP_SPEC_CPUS - 1);
	fprintf(fp, "group %s %s\n", pmu, cpus);
	put_topdown(fp, pmu, type, flags);
	put_event(fp, pmu, type, 'c', flags, "cpu-cycles");
	put_event(fp, pmu, type, 'c', flags, "instructions");
}

int td_group_spec_default(struct td_group_spec *spec)
{
	char flags = is_user_only() ? 'u' : '-', *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return -1;
	fputs(TD_GROUP_SPEC_FIRST_LINE "\n", fp);
	for (size_t i = 0; i < NR_CORES; i++)
		put_group(fp, cores[i].pmu, flags);
	if (fclose(fp) != 0 || !text) {
		free(text);
		return -1;
	}
	return td_group_spec_parse(spec, text);
}
