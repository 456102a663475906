// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/evidence_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "cmd/version.h"
#include "lib/base/json.h"

#define VERSION 1 /* of the file */

/* --- the machine --------------------------------------------------------------- */

/* What counting, or the programs, can depend on. */
static const char *const flags[] = {
	"arch_perfmon", "arch_lbr",     "pdcm",          "dtes64",
	"ds_cpl",       "perfctr_core", "perfmon_v2",    "ibs",
	"hypervisor",   "constant_tsc", "nonstop_tsc",   "tsc_known_freq",
	"hybrid_cpu",   "ht",           "avx2",          "avx512f",
	"amx_tile",     "erms",         "fsrm",          "waitpkg",
	"pti",          "ibrs",         "ibrs_enhanced", "retpoline",
};

/* The value of "microcode : 0x2c" of the first CPU; NULL: the line is another. */
static char *value_of(char *line, const char *name)
{
	char *value = strstr(line, ": ");

	if (strncmp(line, name, strlen(name)) != 0 || !value)
		return NULL;
	value += 2;
	value[strcspn(value, "\n")] = '\0';
	return value;
}

static void add_flags(struct json_object *to, char *text)
{
	struct json_object *array = json_object_new_array();
	char *rest = NULL;

	for (const char *word = strtok_r(text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		for (size_t i = 0; i < TD_ARRAY_SIZE(flags); i++) {
			if (strcmp(flags[i], word) == 0)
				td_json_append(array,
					       json_object_new_string(word));
		}
	}
	td_json_add(to, "flags", array);
}

/* Two of the lines of cpuinfo, which has the same of each CPU. */
static void add_cpuinfo(struct json_object *to, const struct td_sysfs *fs)
{
	td_autofree char *line = NULL;
	int fd = openat(fs->proc, "cpuinfo", O_RDONLY | O_CLOEXEC);
	FILE *fp = fd < 0 ? NULL : fdopen(fd, "r");
	bool microcode = false, has_flags = false;
	size_t size = 0;

	while (fp && !has_flags && getline(&line, &size, fp) > 0) {
		char *value = value_of(line, "microcode");

		if (value && !microcode)
			td_json_put_string(to, "microcode", value);
		microcode |= value != NULL;
		value = value_of(line, "flags");
		if (value)
			add_flags(to, value);
		has_flags |= value != NULL;
	}
	if (fp)
		fclose(fp);
}

static void add_pmus(struct json_object *to, const struct td_machine *machine)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];
		struct json_object *object = json_object_new_object();

		td_json_put_string(object, "name", pmu->name);
		td_json_put_string(object, "core", td_uarch_name(pmu->uarch));
		td_json_put_int(object, "cpus", (int64_t)pmu->cpus.nr);
		td_json_put_int(object, "general",
				td_uarch_general(pmu->uarch));
		td_json_append(array, object);
	}
	td_json_add(to, "pmus", array);
}

/* The day, as no more of the time matters. */
static void add_day(struct json_object *to)
{
	time_t now = time(NULL);
	struct tm tm;
	char day[16];

	gmtime_r(&now, &tm);
	strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	td_json_put_string(to, "day", day);
}

int td_evidence_put_machine(FILE *fp, const struct td_sysfs *fs,
			    const struct td_machine *machine,
			    const struct td_surroundings *around,
			    const char *perf)
{
	struct json_object *line = td_json_line();
	char cpuid[48];

	td_cpuid_format(&machine->cpuid, cpuid);
	td_json_put_int(line, "tdstat_evidence", VERSION);
	td_json_put_string(line, "tdstat", TDSTAT_VERSION);
	add_day(line);
	td_json_put_string(line, "cpuid", cpuid);
	if (machine->model)
		td_json_put_string(line, "model", machine->model->name);
	add_cpuinfo(line, fs);
	td_json_put_string(line, "kernel", machine->release);
	td_json_add(line, "virtual",
		    json_object_new_boolean(machine->cpuid.hypervisor));
	td_json_add(line, "smt", json_object_new_boolean(machine->smt));
	td_json_add(line, "watchdog",
		    json_object_new_boolean(machine->nmi_watchdog));
	if (around->paranoid != TD_UNKNOWN)
		td_json_put_int(line, "paranoid", around->paranoid);
	if (*perf)
		td_json_put_string(line, "perf", perf);
	add_pmus(line, machine);
	return td_json_put_line(fp, line);
}

/* --- counts ---------------------------------------------------------------------- */

static struct json_object *begin_line(const struct td_known *program,
				      const struct td_site *spot)
{
	struct json_object *line = td_json_line();

	td_json_put_string(line, "program", program->name);
	td_json_put_string(line, "pmu", spot->pmu->name);
	td_json_put_int(line, "cpu", spot->cpu);
	return line;
}

/* Two decimals are enough of a value that has its counts beside it. */
static struct json_object *number(double value)
{
	return isnan(value) ? NULL
			    : json_object_new_double(round(value * 100) / 100);
}

static struct json_object *make_values(const struct td_values *values)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < values->nr; i++) {
		struct json_object *pair = json_object_new_array();

		td_json_append(pair, number(values->v[i].value));
		td_json_append(pair, number(values->v[i].error));
		td_json_add(object, values->v[i].name, pair);
	}
	return object;
}

/* The node, and those above it. */
static struct json_object *make_path(const struct td_focus *focus)
{
	struct json_object *path = json_object_new_array();

	for (size_t i = 0; i < focus->nr; i++)
		td_json_append(path, json_object_new_string(focus->nodes[i]));
	return path;
}

/* Of the first line: what tells whose it is, since when it is up, where CPUs are. */
static void strip(struct json_object *line)
{
	static const char *const keys[] = { "topology", "command", "host",
					    "labels",   "start",   "monotonic",
					    "boottime" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++)
		json_object_object_del(line, keys[i]);
}

static struct json_object *parse(const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *line =
		tokener ? json_tokener_parse_ex(tokener, text, (int)length)
			: NULL;

	json_tokener_free(tokener);
	return line;
}

/* Its lines, in an array. */
static struct json_object *make_recording(const char *text)
{
	struct json_object *lines = json_object_new_array();

	while (*text) {
		size_t length = strcspn(text, "\n");
		struct json_object *line = parse(text, length);

		strip(line);
		td_json_append(lines, line);
		text += length + (text[length] == '\n');
	}
	return lines;
}

int td_evidence_put_counts(FILE *fp, const struct td_known *program,
			   const struct td_site *spot, const char *way,
			   const struct td_measured *measured)
{
	struct json_object *line = begin_line(program, spot);

	td_json_put_string(line, "way", way);
	if (measured->err.code)
		td_json_put_string(line, "error", measured->err.msg);
	else
		td_json_add(line, "values", make_values(&measured->values));
	if (!measured->err.code && measured->recording) {
		td_json_add(line, "verdict", make_path(&measured->focus));
		td_json_add(line, "recording",
			    make_recording(measured->recording));
	}
	return td_json_put_line(fp, line);
}

/* {"perf":["tma_retiring",-0.3]} */
static struct json_object *
make_differences(const struct td_shown_program *found)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < TD_NR_DIFFERENCES; i++) {
		const struct td_difference *of = &found->differences[i];
		struct json_object *pair;

		if (!of->name[0])
			continue;
		pair = json_object_new_array();
		td_json_append(pair, json_object_new_string(of->name));
		td_json_append(pair, number(of->points));
		td_json_add(object, of->than, pair);
	}
	return object;
}

int td_evidence_put_program(FILE *fp, const struct td_site *spot,
			    const struct td_shown_program *found)
{
	struct json_object *line = begin_line(found->program, spot);

	td_json_put_string(line, "unit", found->program->unit);
	td_json_put_int(line, "nr", (int64_t)found->took.nr);
	td_json_add(line, "ns", json_object_new_double(found->took.ns));
	td_json_add(line, "ghz", number(found->took.ghz));
	td_json_add(line, "in_range",
		    json_object_new_boolean(
			    td_program_in_range(found->program, &found->took)));
	if (found->err.code) {
		td_json_put_string(line, "error", found->err.msg);
		return td_json_put_line(fp, line);
	}
	td_json_add(line, "differences", make_differences(found));
	td_json_put_string(line, "expected", found->expected);
	td_json_add(line, "verdict", make_path(&found->focus));
	td_json_add(line, "agrees", json_object_new_boolean(found->agrees));
	return td_json_put_line(fp, line);
}
