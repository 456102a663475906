// SPDX-License-Identifier: GPL-2.0-only
/* tdstat doctor --evidence: counts programs with known bottlenecks. */
#include <fcntl.h>
#include <math.h>
#include <time.h>

#include "cmd/doctor/parts.h"
#include "cmd/evidence/parts.h"
#include "cmd/opts/option.h"
#include "cmd/opts/opts.h"
#include "cmd/output/out.h"
#include "cmd/plan/select.h"
#include "cmd/version.h"
#include "cmd/wing.h"
#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"

/* --- the file: JSON Lines, described in tdstat-doctor(1) ----------------------- */

#define NR_DIFFERENCES 4

/* Result of a program on a core type. */
struct finding {
	const struct td_known *program;
	struct td_program_took took;
	struct td_err err;     /* why there is no verdict; code 0: there is one */
	const char *expected;  /* short name of a node */
	struct td_focus focus; /* the verdict */
	bool agrees;
	/* rdpmc minus read, tdstat minus perf and minus toplev; without a name: unknown */
	struct td_difference differences[NR_DIFFERENCES];
	bool far; /* a difference is larger than noise */
};

#define VERSION 1 /* version of the file's format */

/* --- the machine --------------------------------------------------------------- */

/* Flags of cpuinfo that matter for the counts or the programs. */
static const char *const flags[] = {
	"arch_perfmon", "arch_lbr", "pdcm",       "dtes64",       "ds_cpl",        "perfctr_core",
	"perfmon_v2",   "ibs",      "hypervisor", "constant_tsc", "nonstop_tsc",   "tsc_known_freq",
	"hybrid_cpu",   "ht",       "avx2",       "avx512f",      "amx_tile",      "erms",
	"fsrm",         "waitpkg",  "pti",        "ibrs",         "ibrs_enhanced", "retpoline",
};

/* Return the value of a line "microcode : 0x2c", or NULL if it has another name. */
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
				td_json_append(array, json_object_new_string(word));
		}
	}
	td_json_add(to, "flags", array);
}

/* Add two lines of cpuinfo, which are the same for all CPUs. */
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

	td_for_each(const struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		struct json_object *object = json_object_new_object();

		td_json_put_string(object, "name", pmu->name);
		td_json_put_string(object, "core", td_uarch_name(pmu->uarch));
		td_json_put_int(object, "cpus", (int64_t)pmu->cpus.nr);
		td_json_put_int(object, "general", td_uarch_general(pmu->uarch));
		td_json_append(array, object);
	}
	td_json_add(to, "pmus", array);
}

/* Add the day, without the time. */
static void add_day(struct json_object *to)
{
	time_t now = time(NULL);
	struct tm tm;
	char day[16];

	gmtime_r(&now, &tm);
	strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	td_json_put_string(to, "day", day);
}

/*
 * Write the first line: the machine, without data that identifies its owner.  perf: version of
 * perf, or "".
 */
static void put_machine(FILE *fp, const struct td_sysfs *fs, const struct td_machine *machine,
			const struct td_environment *env, const char *perf)
{
	struct json_object *line = td_json_line();
	char cpuid[48];

	td_cpuid_format(&machine->cpuid, cpuid);
	td_json_put_int(line, "tdstat_evidence", VERSION);
	td_json_put_string(line, "tdstat", td_version);
	add_day(line);
	td_json_put_string(line, "cpuid", cpuid);
	if (machine->model)
		td_json_put_string(line, "model", machine->model->name);
	add_cpuinfo(line, fs);
	td_json_put_string(line, "kernel", machine->release);
	td_json_add(line, "virtual", json_object_new_boolean(machine->cpuid.hypervisor));
	td_json_add(line, "smt", json_object_new_boolean(machine->smt));
	td_json_add(line, "watchdog", json_object_new_boolean(machine->nmi_watchdog));
	if (env->paranoid != TD_UNKNOWN)
		td_json_put_int(line, "paranoid", env->paranoid);
	if (*perf)
		td_json_put_string(line, "perf", perf);
	add_pmus(line, machine);
	td_json_put_line(fp, line);
}

/* --- counts ---------------------------------------------------------------------- */

static struct json_object *begin_line(const struct td_known *program, const struct td_site *site)
{
	struct json_object *line = td_json_line();

	td_json_put_string(line, "program", program->name);
	td_json_put_string(line, "pmu", site->pmu->name);
	td_json_put_int(line, "cpu", site->cpu);
	return line;
}

/* Return a number with two decimals, which suffice because the counts are in the file. */
static struct json_object *number(double value)
{
	return isnan(value) ? NULL : json_object_new_double(round(value * 100) / 100);
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

/* Return the node and its ancestors. */
static struct json_object *make_path(const struct td_focus *focus)
{
	struct json_object *path = json_object_new_array();

	for (size_t i = 0; i < focus->nr; i++)
		td_json_append(path, json_object_new_string(focus->nodes[i]));
	return path;
}

/* Remove keys that identify the owner or describe the topology. */
static void strip(struct json_object *line)
{
	static const char *const keys[] = { "topology", "command",   "host",    "labels",
					    "start",    "monotonic", "boottime" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++)
		json_object_object_del(line, keys[i]);
}

static struct json_object *parse(const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *line =
		tokener ? json_tokener_parse_ex(tokener, text, (int)length) : NULL;

	json_tokener_free(tokener);
	return line;
}

/* Return the lines of a recording in an array. */
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

/* Write the result of one way of counting, with its recording. */
static void put_counts(FILE *fp, const struct td_known *program, const struct td_site *site,
		       const char *way, const struct td_measured *measured)
{
	struct json_object *line = begin_line(program, site);

	td_json_put_string(line, "way", way);
	if (measured->err.code)
		td_json_put_string(line, "error", measured->err.msg);
	else
		td_json_add(line, "values", make_values(&measured->values));
	if (!measured->err.code && measured->recording) {
		td_json_add(line, "verdict", make_path(&measured->focus));
		td_json_add(line, "recording", make_recording(measured->recording));
	}
	td_json_put_line(fp, line);
}

/* Return the differences, such as {"perf":["tma_retiring",-0.3]}. */
static struct json_object *make_differences(const struct finding *found)
{
	struct json_object *object = json_object_new_object();

	td_for_each(const struct td_difference, of, found->differences, NR_DIFFERENCES) {
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

/* Return true if the duration is in the expected range. */
static bool is_in_range(const struct td_known *program, const struct td_program_took *took)
{
	double value = took->ns * (program->in_cycles ? took->ghz : 1);

	return value >= program->min && value <= program->max;
}

static void put_program(FILE *fp, const struct td_site *site, const struct finding *found)
{
	struct json_object *line = begin_line(found->program, site);

	td_json_put_string(line, "unit", found->program->unit);
	td_json_put_int(line, "nr", (int64_t)found->took.nr);
	td_json_add(line, "ns", json_object_new_double(found->took.ns));
	td_json_add(line, "ghz", number(found->took.ghz));
	td_json_add(line, "in_range",
		    json_object_new_boolean(is_in_range(found->program, &found->took)));
	if (found->err.code) {
		td_json_put_string(line, "error", found->err.msg);
		td_json_put_line(fp, line);
		return;
	}
	td_json_add(line, "differences", make_differences(found));
	td_json_put_string(line, "expected", found->expected);
	td_json_add(line, "verdict", make_path(&found->focus));
	td_json_add(line, "agrees", json_object_new_boolean(found->agrees));
	td_json_put_line(fp, line);
}

/* --- evidence ---------------------------------------------------------- */

#define FILE_NAME "tdstat-evidence.jsonl"
#define MAX_BYTES 1000000

/* Durations of runs of a program.  Together with those in ways[], they are about six seconds. */
#define ALONE_MS 300
#define PEER_MS  500
/* additional run if the verdict is not the expected one */
#define LONGER_MS 4000

enum {
	LEVEL_1,
	LEVEL_2,
	AUTO,
	LEVEL_6,
	RDPMC,
	READ,
	NR_WAYS,
	PERF = NR_WAYS,
	PERF_2,
	TOPLEV,
	NR_COUNTED
};

static const struct td_way ways[NR_WAYS] = {
	[LEVEL_1] = { .name = "level 1", .ask = { .level = 1 }, .ms = 500 },
	[LEVEL_2] = { .name = "level 2", .ask = { .level = 2 }, .ms = 500 },
	[AUTO] = { .name = "auto", .ask = { .level = TD_MAX_LEVEL, .drill = true }, .ms = 1200 },
	[LEVEL_6] = { .name = "level 6", .ask = { .level = TD_MAX_LEVEL }, .ms = 1200 },
	[RDPMC] = { .name = "rdpmc", .ask = { .level = 1 }, .ms = 400, .regions = true },
	[READ] = { .name = "read",
		   .ask = { .level = 1 },
		   .ms = 400,
		   .regions = true,
		   .by_read = true },
};

struct evidence {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_environment environment;
	cpu_set_t *affinity;
	const char *name; /* name of the file; "-": standard output */
	FILE *fp;
	char *bytes; /* content of standard output, written at the end */
	size_t nr_bytes;
	FILE *text; /* report for the user */
	char perf[TD_PEER_VERSION];
	const char *toplev;          /* or NULL */
	size_t nr_counted, nr_agree; /* numbers of programs on this core type */
	size_t nr_all, nr_wrong;     /* numbers of programs on all core types */
};

/* --- the option --------------------------------------------------------------- */

#define DEFAULT_MS 1000
#define MAX_MS     3600000

/* Returns NULL for an unknown name. */
static const struct td_known *find_program(const char *name)
{
	for (size_t i = 0; i < TD_NR_PROGRAMS; i++) {
		if (strcmp(td_programs[i].name, name) == 0)
			return &td_programs[i];
	}
	return NULL;
}

/* Parse the argument of --program, NAME[:MS]. */
static int parse_program(const struct td_opts *opts, const struct td_known **program, int *ms,
			 struct td_err *err)
{
	td_autofree char *name = td_strdup(opts->doctor.program);
	char *colon = strchr(name, ':');

	*ms = DEFAULT_MS;
	if (colon) {
		*colon = '\0';
		if (td_parse_int(colon + 1, 1, MAX_MS, ms))
			/* cppcheck-suppress memleak; name is autofree */
			return td_err_usage(err,
					    "--program %s: expected a number of ms from 1 to %d",
					    opts->doctor.program, MAX_MS);
	}
	*program = find_program(name);
	if (*program)
		return 0;
	td_err_usage(err, "--program %s: no such program", name);
	return td_err_hint(
		err,
		"streams, chase, mispredict, ports, icache, divide, sharing, dtlb, stores, locks, "
		"aliasing or spin");
}

static int evidence_check(const struct td_opts *opts, struct td_err *err)
{
	const struct td_known *unused;
	int ms;

	if (opts->doctor.one_line || opts->request.show.format == TD_FORMAT_JSON)
		return td_err_usage(err, "%s and %s exclude each other",
				    opts->doctor.evidence ? "--evidence" : "--program",
				    opts->doctor.one_line ? "--ci" : "-j");
	if (opts->nr_patterns > opts->doctor.evidence)
		return td_err_usage(err, "one file is written: '%s'",
				    opts->patterns[opts->nr_patterns - 1]);
	return opts->doctor.program ? parse_program(opts, &unused, &ms, err) : 0;
}

/* --- a program ------------------------------------------------------------------ */

static bool is_in_path(const struct td_focus *focus, const char *name)
{
	for (size_t i = 0; i < focus->nr; i++) {
		if (strcmp(td_node_short_name(focus->nodes[i]), name) == 0)
			return true;
	}
	return false;
}

static enum td_tree_kind kind_of(const struct td_values *values)
{
	if (td_values_find(values, "memory_bound"))
		return TD_TREE_CORE;
	if (td_values_find(values, "resource_bound"))
		return TD_TREE_ATOM;
	if (td_values_find(values, "backend_bound_memory"))
		return TD_TREE_ZEN;
	return TD_TREE_LEVEL_1;
}

/* Return the deepest expected node that was measured. */
static const char *expect(const struct td_known *program, const struct td_values *values)
{
	enum td_tree_kind kind = kind_of(values);

	if (kind == TD_TREE_CORE && program->deep && td_values_find(values, program->deep))
		return program->deep;
	return program->nodes[kind];
}

/* Use the verdict of the deepest way of counting. */
static void judge(struct finding *found, const struct td_measured *measured)
{
	if (measured->err.code) {
		found->err = measured->err;
		return;
	}
	found->err = (struct td_err){ 0 };
	found->focus = measured->focus;
	found->expected = expect(found->program, &measured->values);
	found->agrees = is_in_path(&measured->focus, found->expected);
}

/* Return the maximum size of a recording of the way "auto", so that the file is below 1 MB. */
static size_t room_of(const struct evidence *g)
{
	return MAX_BYTES / 3 / TD_NR_PROGRAMS / td_machine_count_kinds(&g->machine);
}

static int count(struct evidence *g, const struct td_site *site, const struct finding *found,
		 const struct td_way *way, struct td_measured *measured, struct td_err *err)
{
	struct td_way fitting = *way;
	int rc;

	fitting.room = way->ask.drill ? room_of(g) : 0;
	rc = td_measured_make(measured, &g->opts->request, found->program, &fitting, site, err);
	if (!rc && measured->recording &&
	    (size_t)ftell(g->fp) + strlen(measured->recording) > MAX_BYTES) {
		free(measured->recording);
		measured->recording = NULL;
	}
	if (!rc)
		put_counts(g->fp, found->program, site, way->name, measured);
	return rc;
}

/* Count for longer, because deep nodes share counters. */
static int look_longer(struct evidence *g, const struct td_site *site, struct finding *found,
		       struct td_err *err)
{
	const struct td_way longer = {
		.name = "longer",
		.ask = { .level = TD_MAX_LEVEL, .drill = true },
		.ms = LONGER_MS,
	};
	struct td_measured measured;
	int rc = count(g, site, found, &longer, &measured, err);

	if (!rc)
		judge(found, &measured);
	td_measured_free(&measured);
	return rc;
}

/* Names of other tools in the file and in differences. */
#define PERF_NAME   "perf"
#define PERF_2_NAME "perf level 2"
#define TOPLEV_NAME "toplev"

static const char *self_of(const struct evidence *g)
{
	return g->environment.program ? g->environment.program : "tdstat";
}

static void ask_perf(struct evidence *g, const struct td_site *site, const struct finding *found,
		     struct td_measured measured[NR_COUNTED])
{
	/* names of AMD's metrics do not begin with "tma_", and their groups have other names */
	bool prefix = !measured[LEVEL_1].values.nr ||
		      strncmp(measured[LEVEL_1].values.v[0].name, "tma_", 4) == 0;

	if (!g->perf[0])
		return;
	td_peer_perf(&measured[PERF], self_of(g), found->program, PEER_MS, site,
		     prefix ? "TopdownL1" : "PipelineL1");
	put_counts(g->fp, found->program, site, PERF_NAME, &measured[PERF]);
	td_peer_perf(&measured[PERF_2], self_of(g), found->program, PEER_MS, site,
		     prefix ? "TopdownL2" : "PipelineL2");
	put_counts(g->fp, found->program, site, PERF_2_NAME, &measured[PERF_2]);
}

/* Count with toplev, unless it would count only one thread of a core. */
static void ask_toplev(struct evidence *g, const struct td_site *site, const struct finding *found,
		       struct td_measured *measured)
{
	if (!g->toplev || site->whole_core)
		return;
	td_peer_toplev(measured, g->toplev, self_of(g), found->program, PEER_MS);
	put_counts(g->fp, found->program, site, TOPLEV_NAME, measured);
}

static struct td_difference compare_values(const struct td_values *a, const struct td_values *b,
					   const char *than)
{
	struct td_difference worst = { .than = than };

	for (size_t i = 0; i < a->nr; i++) {
		const struct td_value *of_a = &a->v[i], *of_b;

		of_b = td_values_find(b, td_node_short_name(of_a->name));
		if (!of_b ||
		    (worst.name[0] && fabs(of_a->value - of_b->value) <= fabs(worst.points)))
			continue;
		snprintf(worst.name, sizeof(worst.name), "%s", of_a->name);
		worst.points = of_a->value - of_b->value;
	}
	return worst;
}

static int measure(struct evidence *g, const struct td_site *site, struct finding *found,
		   struct td_err *err)
{
	struct td_measured measured[NR_COUNTED] = { 0 };
	int rc = 0;
	struct td_difference *of = found->differences;

	for (size_t i = 0; !rc && i < NR_WAYS; i++)
		rc = count(g, site, found, &ways[i], &measured[i], err);
	if (!rc)
		judge(found, &measured[AUTO]);
	if (!rc && !found->err.code && !found->agrees)
		rc = look_longer(g, site, found, err);
	if (!rc) {
		ask_perf(g, site, found, measured);
		ask_toplev(g, site, found, &measured[TOPLEV]);
	}
	of[0] = compare_values(&measured[RDPMC].values, &measured[READ].values, "read");
	of[1] = compare_values(&measured[LEVEL_1].values, &measured[PERF].values, PERF_NAME);
	of[2] = compare_values(&measured[LEVEL_2].values, &measured[PERF_2].values, PERF_2_NAME);
	of[3] = compare_values(&measured[LEVEL_2].values, &measured[TOPLEV].values, TOPLEV_NAME);
	for (size_t i = 0; i < NR_DIFFERENCES; i++)
		found->far |= td_difference_is_far(&of[i]);
	for (size_t i = 0; i < NR_COUNTED; i++)
		td_measured_free(&measured[i]);
	return rc;
}

/* --- the report --------------------------------------------------------------------- */

#define STATE_WIDTH 9
#define NAME_WIDTH  12

static void put_verdict(FILE *fp, const struct finding *found)
{
	if (found->err.code) {
		fprintf(fp, "; %s", found->err.msg);
		return;
	}
	fputs("; ", fp);
	if (!found->focus.nr)
		fprintf(fp, "no verdict: %s", td_focus_why(&found->focus));
	for (size_t i = 0; i < found->focus.nr; i++)
		fprintf(fp, "%s%s", i ? " of " : "", td_node_short_name(found->focus.nodes[i]));
	fprintf(fp, "; %s expected: %s", found->expected, found->program->why);
	td_for_each(const struct td_difference, of, found->differences, NR_DIFFERENCES) {
		if (td_difference_is_far(of))
			fprintf(fp, "; %s is %.1f points %s than with %s", of->name,
				fabs(of->points), of->points < 0 ? "less" : "more", of->than);
	}
}

static const char *state_of(const struct finding *found)
{
	if (found->far)
		return "differs";
	if (found->err.code || !found->focus.nr)
		return "none";
	return found->agrees ? "ok" : "differs";
}

static int show_program(const struct evidence *g, const struct finding *found, struct td_err *err)
{
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);
	const struct td_program_took *took = &found->took;

	fprintf(fp, "%.1f ns, %.1f cycles per %s", took->ns, took->ns * took->ghz,
		found->program->unit);
	if (!is_in_range(found->program, took))
		fprintf(fp, ", and theory gives %g to %g %s", found->program->min,
			found->program->max, found->program->in_cycles ? "cycles" : "ns");
	put_verdict(fp, found);
	td_text_close(fp, &text);
	fprintf(g->text, "%-*s%-*s", STATE_WIDTH, state_of(found), NAME_WIDTH,
		found->program->name);
	td_put_wrapped(g->text, STATE_WIDTH + NAME_WIDTH, TD_LINE_WIDTH, text);
	return td_out_check(g->text, g->text == stdout ? "standard output" : "standard error", err);
}

/* --- a core type ------------------------------------------------------------------ */

static int measure_program(struct evidence *g, const struct td_known *program,
			   const struct td_site *site, struct td_err *err)
{
	struct finding found = { .program = program };
	int rc = td_stay_on_pmu(site->pmu, g->affinity, err);

	if (rc)
		return rc;
	td_err_set(&found.err, -ENODATA, "not counted");
	if (td_program_run(program, ALONE_MS * TD_NS_A_MS, &found.took, &found.err) == 0) {
		rc = td_stay_on_pmu(site->pmu, g->affinity, err);
		rc = rc ?: measure(g, site, &found, err);
	}
	if (!rc)
		put_program(g->fp, site, &found);
	rc = rc ?: td_out_check(g->fp, g->name, err);
	g->nr_counted += !found.err.code;
	g->nr_agree += !found.err.code && found.agrees;
	g->nr_wrong += !found.err.code && (!found.agrees || found.far);
	return rc || g->opts->request.show.quiet ? rc : show_program(g, &found, err);
}

static int measure_core_type(struct evidence *g, const struct td_pmu *pmu, struct td_err *err)
{
	struct td_site site = { .pmu = pmu, .cpu = td_affinity_choose(pmu, g->affinity) };
	struct td_err no_task = { 0 };
	const struct td_known *only = NULL;
	int unused, rc = 0;

	if (site.cpu < 0)
		return 0;
	td_levels_plan_task(&g->opts->request, pmu->name, &no_task);
	site.whole_core = no_task.code == -ENOTSUP;
	g->nr_counted = g->nr_agree = 0;
	if (g->opts->doctor.program)
		rc = parse_program(g->opts, &only, &unused, err);
	if (!g->opts->request.show.quiet)
		fprintf(g->text, "%s, CPU %d, %s\n", pmu->name, site.cpu,
			td_uarch_name(pmu->uarch));
	for (size_t i = 0; !rc && i < TD_NR_PROGRAMS; i++) {
		if (!only || only == &td_programs[i])
			rc = measure_program(g, &td_programs[i], &site, err);
	}
	if (!g->opts->request.show.quiet)
		fprintf(g->text, "%zu of %zu as expected on %s\n\n", g->nr_agree,
			only ? (size_t)1 : (size_t)TD_NR_PROGRAMS, pmu->name);
	g->nr_all += g->nr_counted;
	return rc;
}

/* --- all ---------------------------------------------------------------------------- */

static int open_file(struct evidence *g, struct td_err *err)
{
	g->text = stdout;
	if (strcmp(g->name, "-") != 0) {
		g->fp = td_out_open(g->name, false, err);
		if (!g->fp)
			return err->code;
		td_out_empty(g->fp);
		return 0;
	}
	g->text = stderr;
	g->fp = td_open_memstream(&g->bytes, &g->nr_bytes);
	return 0;
}

static int open_evidence(struct evidence *g, struct td_err *err)
{
	int rc = td_select_machine(&g->fs, &g->machine, &g->opts->request, err);

	if (!rc)
		td_environment_read(&g->environment, &g->fs, &g->machine);
	if (!rc && !g->machine.nr_core)
		rc = td_err_set(err, -ENODEV,
				"no core PMU: tdstat doctor shows why nothing can be counted");
	g->affinity = td_affinity_get();
	if (rc)
		return rc;
	if (open_file(g, err))
		return err->code;
	td_peer_perf_version(g->perf);
	g->toplev = td_peer_toplev_find();
	put_machine(g->fp, &g->fs, &g->machine, &g->environment, g->perf);
	return 0;
}

/*
 * Count the programs on each core type, write the results to the file and a line for each
 * program to the user.  *status is 1 if a verdict is not the expected one, if another way of
 * counting differs by more than noise, or if no program was counted.
 */
static int write_evidence(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct evidence g = {
		.opts = opts,
		.fs = { .sys = -1, .proc = -1 },
		.name = opts->nr_patterns ? opts->patterns[0] : FILE_NAME,
	};
	int rc = open_evidence(&g, err);

	for (size_t i = 0; !rc && i < g.machine.nr_core; i++) {
		if (!g.machine.pmus[i].skip && g.machine.pmus[i].cpus.nr)
			rc = measure_core_type(&g, &g.machine.pmus[i], err);
	}
	if (!rc && g.text == stderr)
		rc = td_out_put(stdout, "standard output", g.bytes, g.nr_bytes, err);
	else if (!rc && !opts->request.show.quiet)
		printf("wrote %s: please attach it to an issue in the project's tracker\n", g.name);
	*status = rc || g.nr_wrong || !g.nr_all;
	if (g.fp)
		fclose(g.fp);
	free(g.bytes);
	td_affinity_set(g.affinity);
	CPU_FREE(g.affinity);
	td_environment_free(&g.environment);
	td_machine_free(&g.machine);
	td_sysfs_close(&g.fs);
	return rc;
}

/* Run one program and print its duration, unless --quiet. */
static int run_program_alone(const struct td_opts *opts, struct td_err *err)
{
	const struct td_known *program;
	struct td_program_took took;
	int ms, rc = parse_program(opts, &program, &ms, err);

	rc = rc ?: td_program_run(program, (uint64_t)ms * TD_NS_A_MS, &took, err);
	if (rc || opts->request.show.quiet)
		return rc;
	printf("%s: %.2f ns per %s, %.1f cycles at %.2f GHz, and theory gives %g to %g %s%s\n",
	       program->name, took.ns, program->unit, took.ns * took.ghz, took.ghz, program->min,
	       program->max, program->in_cycles ? "cycles" : "ns",
	       is_in_range(program, &took) ? "" : ": it differs");
	return td_out_check(stdout, "standard output", err);
}

/* --- the addition to doctor --------------------------------------------------- */

/* clang-format off */
static const struct td_option evidence[] = {
	{ "evidence", 0, NULL, "count twelve known programs, two to three minutes per core type, and "
	"write FILE",
	  TD_OPTION_FLAG, offsetof(struct td_opts, doctor.evidence) },
	{ "program", 0, "NAME", "only this program; without --evidence, run it and print its duration; "
	"NAME:MS sets the run time",
	  TD_OPTION_TEXT, offsetof(struct td_opts, doctor.program) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_evidence = { TD_SECTION_WHAT, evidence };

static bool is_wanted(const struct td_opts *opts)
{
	return opts->doctor.evidence || opts->doctor.program;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	return opts->doctor.evidence ? write_evidence(opts, status, err)
				     : run_program_alone(opts, err);
}

static const struct td_addition additions[] = {
	{ "doctor", &group_evidence, is_wanted, evidence_check, run, .args = "[--evidence [FILE]]",
	  .examples = "  tdstat doctor\n"
		      "  tdstat doctor --ci\n"
		      "  tdstat doctor --evidence\n"
		      "  tdstat doctor -j | jq '.findings[] | select(.state == \"failed\")'" },
	{ NULL },
};

const struct td_wing td_wing_evidence = {
	.name = "evidence",
	.additions = additions,
};
