// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recording/recording.h"

#include <errno.h>
#include <unistd.h>

#include "metrics/tree/tree.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/recording_file.h"
#include "tests/unit/rewrite.h"
#include "tests/unit/test.h"

#define PMUS             "\"pmus\":[{\"name\":\"cpu_core\",\"type\":4,\"cpus\":\"0-3\"}]"
#define EVENTS           "\"events\":[{\"name\":\"cpu_core/slots/\",\"pmu\":\"cpu_core\",\"group\":0}]"
#define INFO             "\"cpuid\":\"GenuineIntel-6-97-2\",\"smt\":true,\"interval_ms\":1000,\"target\":\"x\""
#define HEAD             "{\"tdstat\":1," INFO "," PMUS "," EVENTS "}\n"
#define COUNTS(list)     "{\"time\":1.5,\"counts\":[" list "]}\n"
#define END              "{\"end\":{\"elapsed\":2.5}}\n"
#define FINE             COUNTS("[0,0,-1,5,9,9]")
#define SUMS(time, sums) "{\"so_far\":" time ",\"sums\":[" sums "]}\n"
#define ONE_EVENT(more)  "{\"name\":\"cpu_core/slots/\",\"pmu\":\"cpu_core\",\"group\":0" more "}"
#define TEN(s)           s s s s s s s s s s

/* clang-format off */
/* Invalid files.  The error has the file, the line and about. */
static const struct {
	const char *name, *text;
	size_t size; /* 0: the length of the text */
	int line;    /* 0: the whole file */
	const char *about;
} bad[] = {
	{ "an empty file", "", 0, 0, "not a recording" },
	{ "a line without its end", "{\"tdstat\":1", 0, 0, "not a recording" },
	{ "an empty line", "\n", 0, 1, "empty" },
	{ "no JSON", "# Mon Jan 1\n", 0, 1, "not JSON" },
	{ "something behind the JSON", "{\"tdstat\":1} x\n", 0, 1, "not JSON" },
	{ "a NUL", "\0\n", 2, 1, "" },
	{ "a list", "[1]\n", 0, 1, "not a JSON object" },
	{ "a number", "1\n", 0, 1, "not a JSON object" },
	{ "null", "null\n", 0, 1, "not a JSON object" },
	{ "something else's JSON", "{\"a\":1}\n", 0, 1, "not a recording" },
	{ "deep nesting", TEN(TEN("[")) TEN(TEN("]")) "\n", 0, 1, "not JSON" },
	{ "deep nesting in it", "{\"tdstat\":1,\"x\":" TEN("[") TEN("]") "}\n",
	  0, 1, "not JSON" },
	{ "a newer version", "{\"tdstat\":2," INFO "," PMUS "," EVENTS "}\n",
	  0, 1, "newer" },
	{ "a version that is text", "{\"tdstat\":\"1\"," INFO "," PMUS ","
	  EVENTS "}\n", 0, 1, "not a recording" },
	{ "a broken version", "{\"tdstat\":1.5," INFO "," PMUS "," EVENTS "}\n",
	  0, 1, "not a recording" },
	{ "no "
	"cpuid", "{\"tdstat\":1,\"smt\":true,\"interval_ms\":0,\"target\":\"x\"," PMUS "," EVENTS "}\n", 0, 1, "cpuid" },
	{ "a cpuid that is "
	"none", "{\"tdstat\":1,\"cpuid\":\"x\",\"smt\":true,\"interval_ms\":0,\"target\":\"x\"," PMUS "," EVENTS "}\n", 0, 1,
	  "cpuid" },
	{ "smt is a "
	"number", "{\"tdstat\":1,\"cpuid\":\"GenuineIntel-6-97-2\",\"smt\":1,\"interval_ms\":0,\"target\":\"x\"," PMUS "," EVENTS
	  "}\n", 0, 1, "smt" },
	{ "pmem is a number", "{\"tdstat\":1," INFO "," PMUS "," EVENTS
	  ",\"pmem\":1}\n", 0, 1, "pmem" },
	{ "tasks is text", "{\"tdstat\":1," INFO "," PMUS "," EVENTS
	  ",\"tasks\":\"true\"}\n", 0, 1, "tasks" },
	{ "tsc_hz is null", "{\"tdstat\":1," INFO "," PMUS "," EVENTS
	  ",\"tsc_hz\":null}\n", 0, 1, "tsc_hz" },
	{ "table is a list", "{\"tdstat\":1," INFO "," PMUS "," EVENTS
	  ",\"table\":[]}\n", 0, 1, "table" },
	{ "topology is text", "{\"tdstat\":1," INFO "," PMUS "," EVENTS
	  ",\"topology\":\"x\"}\n", 0, 1, "topology" },
	{ "core is text", "{\"tdstat\":1," INFO
	  ",\"pmus\":[{\"name\":\"cpu_core\",\"type\":4,\"cpus\":\"0\",\"core\":\"no\"}]," EVENTS "}\n", 0, 1, "core" },
	{ "clone is a number", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[" ONE_EVENT(",\"clone\":1") "]}\n", 0, 1, "clone" },
	{ "refused is true", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[" ONE_EVENT(",\"refused\":true") "]}\n", 0, 1,
	  "refused" },
	{ "an interval below "
	"0", "{\"tdstat\":1,\"cpuid\":\"GenuineIntel-6-97-2\",\"smt\":true,\"interval_ms\":-1,\"target\":\"x\"," PMUS "," EVENTS "}\n", 0, 1, "interval_ms" },
	{ "an interval beyond "
	"int", "{\"tdstat\":1,\"cpuid\":\"GenuineIntel-6-97-2\",\"smt\":true,\"interval_ms\":2147483648,\"target\":\"x\"," PMUS "," EVENTS
	  "}\n", 0, 1, "interval_ms" },
	{ "no "
	"target", "{\"tdstat\":1,\"cpuid\":\"GenuineIntel-6-97-2\",\"smt\":true,\"interval_ms\":0," PMUS "," EVENTS "}\n", 0, 1,
	  "target" },
	{ "no pmus", "{\"tdstat\":1," INFO "," EVENTS "}\n", 0, 1, "pmus" },
	{ "an empty list of pmus", "{\"tdstat\":1," INFO ",\"pmus\":[]," EVENTS
	  "}\n", 0, 1, "pmus" },
	{ "pmus is an object", "{\"tdstat\":1," INFO ",\"pmus\":{}," EVENTS
	  "}\n", 0, 1, "pmus" },
	{ "a PMU that is a number", "{\"tdstat\":1," INFO ",\"pmus\":[1],"
	  EVENTS "}\n", 0, 1, "pmus" },
	{ "a PMU without a name", "{\"tdstat\":1," INFO
	  ",\"pmus\":[{\"type\":4,\"cpus\":\"0\"}]," EVENTS "}\n", 0, 1,
	  "pmus" },
	{ "a PMU with a negative type", "{\"tdstat\":1," INFO
	  ",\"pmus\":[{\"name\":\"cpu_core\",\"type\":-1,\"cpus\":\"0\"}],"
	  EVENTS "}\n", 0, 1, "pmus" },
	{ "a type of 33 bits", "{\"tdstat\":1," INFO
	  ",\"pmus\":[{\"name\":\"cpu_core\",\"type\":4294967296,\"cpus\":\"0\"}]," EVENTS "}\n", 0, 1, "pmus" },
	{ "CPUs that are no list", "{\"tdstat\":1," INFO
	  ",\"pmus\":[{\"name\":\"cpu_core\",\"type\":4,\"cpus\":\"0-\"}],"
	  EVENTS "}\n", 0, 1, "cpus" },
	{ "a CPU beyond the largest", "{\"tdstat\":1," INFO
	  ",\"pmus\":[{\"name\":\"cpu_core\",\"type\":4,\"cpus\":\"65536\"}],"
	  EVENTS "}\n", 0, 1, "cpus" },
	{ "no events", "{\"tdstat\":1," INFO "," PMUS "}\n", 0, 1, "events" },
	{ "an event of no PMU", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[{\"name\":\"a\",\"pmu\":\"cpu\",\"group\":0}]}\n", 0, 1,
	  "events" },
	{ "an event whose name is null", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[{\"name\":null,\"pmu\":\"cpu_core\",\"group\":0}]}\n",
	  0, 1, "events" },
	{ "a group below 0", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[{\"name\":\"a\",\"pmu\":\"cpu_core\",\"group\":-2}]}\n",
	  0, 1, "events" },
	{ "a group that is too many", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[{\"name\":\"a\",\"pmu\":\"cpu_core\",\"group\":2000000000}]}\n", 0, 1, "events" },
	{ "a scale that is text", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[" ONE_EVENT(",\"scale\":\"4\"") "]}\n", 0, 1, "scale" },
	{ "a scale that is null", "{\"tdstat\":1," INFO "," PMUS
	  ",\"events\":[" ONE_EVENT(",\"scale\":null") "]}\n", 0, 1, "scale" },

	{ "an object of nothing", HEAD "{}\n", 0, 2, "" },
	{ "a list for an object", HEAD "[]\n", 0, 2, "not a JSON object" },
	{ "an empty line between", HEAD FINE "\n" FINE, 0, 3, "empty" },
	{ "a NUL behind the JSON", HEAD "{\"time\":1,\"counts\":[]}\0 x\n",
	  sizeof(HEAD "{\"time\":1,\"counts\":[]}\0 x\n") - 1, 2, "" },
	{ "no time", HEAD "{\"counts\":[]}\n", 0, 2, "time" },
	{ "sums of no time", HEAD "{\"sums\":[]}\n", 0, 2, "so_far" },
	{ "sums that go back in time",
	  HEAD SUMS("0.2", "[1,2,2]") SUMS("0.1", "[1,2,2]"), 0, 3, "so_far" },
	{ "a latency that is a number", HEAD "{\"latencies\":{\"x\":1}}\n", 0, 2,
	  "latencies" },
	{ "a latency of three numbers",
	  HEAD "{\"latencies\":{\"x\":[1,2,3]}}\n", 0, 2, "latencies" },
	{ "a negative latency", HEAD "{\"latencies\":{\"x\":[-1,2]}}\n", 0, 2,
	  "latencies" },
	{ "a latency of more than 16 bits",
	  HEAD "{\"latencies\":{\"x\":[65536,1]}}\n", 0, 2, "latencies" },
	{ "a latency of no samples", HEAD "{\"latencies\":{\"x\":[1,0]}}\n", 0, 2,
	  "latencies" },
	{ "a sum of two", HEAD SUMS("0.1", "[1,2]"), 0, 2, "running" },
	{ "a sum that ran longer than it was enabled",
	  HEAD SUMS("0.1", "[1,2,3]"), 0, 2, "running" },
	{ "a negative sum", HEAD SUMS("0.1", "[-1,2,2]"), 0, 2, "running" },
	{ "a sum of a text", HEAD SUMS("0.1", "[\"1\",2,2]"), 0, 2, "running" },
	{ "a sum that gets less",
	  HEAD SUMS("0.1", "[4,2,2]") SUMS("0.2", "[3,3,3]"), 0, 3, "smaller" },
	{ "fewer sums than before",
	  HEAD SUMS("0.1", "[4,2,2],[1,2,2]") SUMS("0.2", "[5,3,3]"), 0, 3,
	  "smaller" },
	{ "counts below the sums before", HEAD SUMS("0.1", "[6,2,2]") FINE, 0, 3,
	  "less than the sums" },
	{ "more sums than counts", HEAD SUMS("0.1", "[4,2,2],[1,2,2]") FINE, 0, 3,
	  "less than the sums" },
	{ "a time that is text", HEAD "{\"time\":\"1\",\"counts\":[]}\n", 0, 2,
	  "time" },
	{ "a negative time", HEAD "{\"time\":-1,\"counts\":[]}\n", 0, 2,
	  "time" },
	{ "a time that is no number", HEAD "{\"time\":NaN,\"counts\":[]}\n", 0,
	  2, "" },
	{ "a time without end", HEAD "{\"time\":1e300,\"counts\":[]}\n", 0, 2,
	  "time" },
	{ "no counts", HEAD "{\"time\":1}\n", 0, 2, "counts" },
	{ "counts that are an object", HEAD "{\"time\":1,\"counts\":{}}\n", 0, 2,
	  "counts" },
	{ "a count that is a number", HEAD COUNTS("1"), 0, 2, "counts[0]" },
	{ "five numbers", HEAD COUNTS("[0,0,-1,5,9]"), 0, 2, "counts[0]" },
	{ "seven numbers", HEAD COUNTS("[0,0,-1,5,9,9,9]"), 0, 2, "counts[0]" },
	{ "the second of them", HEAD FINE COUNTS("[0,0,-1,5,9,9],[]"), 0, 3,
	  "counts[1]" },
	{ "text for a number", HEAD COUNTS("[0,0,-1,\"5\",9,9]"), 0, 2,
	  "counts[0]" },
	{ "a broken number", HEAD COUNTS("[0,0,-1,5.5,9,9]"), 0, 2,
	  "counts[0]" },
	{ "null for a number", HEAD COUNTS("[0,0,-1,null,9,9]"), 0, 2,
	  "counts[0]" },
	{ "an event that is not there", HEAD COUNTS("[1,0,-1,5,9,9]"), 0, 2,
	  "counts[0]" },
	{ "event -1", HEAD COUNTS("[-1,0,-1,5,9,9]"), 0, 2, "counts[0]" },
	{ "CPU -2", HEAD COUNTS("[0,-2,-1,5,9,9]"), 0, 2, "counts[0]" },
	{ "thread -2", HEAD COUNTS("[0,-1,-2,5,9,9]"), 0, 2, "counts[0]" },
	{ "a CPU beyond int", HEAD COUNTS("[0,2147483648,-1,5,9,9]"), 0, 2,
	  "counts[0]" },
	{ "a negative count", HEAD COUNTS("[0,0,-1,-5,9,9]"), 0, 2,
	  "counts[0]" },
	{ "a count beyond 64 bits", HEAD
	  COUNTS("[0,0,-1,99999999999999999999,9,9]"), 0, 2, "" },
	{ "more running than enabled", HEAD COUNTS("[0,0,-1,5,9,10]"), 0, 2,
	  "counts[0]" },
	{ "an end without a time", HEAD FINE "{\"end\":{}}\n", 0, 3, "elapsed" },
	{ "an end before the start", HEAD "{\"end\":{\"elapsed\":-1}}\n", 0, 2,
	  "elapsed" },
	{ "an end that is a number", HEAD "{\"end\":1}\n", 0, 2, "" },
	{ "a time that goes back", HEAD FINE FINE
	  "{\"time\":1.499999999,\"counts\":[]}\n", 0, 4, "goes back" },
	{ "a recording behind the end", HEAD FINE END HEAD FINE END, 0, 4,
	  "follows the end" },
	{ "a second end", HEAD FINE END "\n" END, 0, 5, "follows the end" },
	{ "no whole line behind the end", HEAD FINE END " \t\r\n\nx", 0, 6,
	  "follows the end" },
	{ "a NUL behind the end", HEAD END "\0", sizeof(HEAD END), 3,
	  "follows the end" },
};
/* clang-format on */

static const uint64_t times[] = { 1000104518, 2000000001, 86400999999999 };

static const struct td_usage usage = { 86401000000000, true, 998120000, 1 };

static void add_readings(const struct td_machine *machine, const struct td_plan *plan,
			 struct td_readings *readings)
{
	for (size_t e = 0; e < plan->events.nr; e++) {
		const struct td_pmu *pmu = &machine->pmus[plan->events.v[e].pmu];

		for (size_t c = 0; c < pmu->cpus.nr; c++) {
			struct td_reading *r = td_array_add(&readings->v, readings->nr, sizeof(*r));

			*r = (struct td_reading){
				(int)e,
				pmu->cpus.v[c],
				-1,
				((UINT64_C(1) << 62) >> e) + c,
				1000000000 + e,
				e % 3 ? 1000000000 + e : 0,
			};
			readings->nr++;
		}
	}
}

/* The recording that the program writes. */
struct original {
	struct td_machine machine;
	struct td_plan plan;
	struct td_tree tree;
	struct td_readings readings;
	char *text;
	size_t size;
};

static void make_original(struct original *o, const char *model, bool end)
{
	struct td_recording_info info = {
		.interval_ms = 1000,
		.target = { TD_TARGET_COMMAND, (char[]){ "'./a \"b\" c'" } },
		.tsc_hz = 2500000000,
	};
	const struct td_times unused = { 0 };
	struct td_task_names names = { 0 };
	struct td_err err = { 0 };
	struct td_place *places;
	FILE *fp;

	*o = (struct original){ 0 };
	test_machine(&o->machine, model);
	test_build_levels(&o->tree, &o->plan, &o->machine, 2, false, &err);
	test_plan_levels(&o->plan, &o->machine, &o->tree, &err);
	add_readings(&o->machine, &o->plan, &o->readings);
	places = calloc(o->machine.online.nr, sizeof(*places));
	for (size_t i = 0; places && i < o->machine.online.nr; i++)
		places[i] = (struct td_place){
			o->machine.online.v[i], (int)i / 2, -1, 0, (int)i / 8, 3
		};
	fp = open_memstream(&o->text, &o->size);
	td_recording_write_head(fp, &o->machine, places, &o->plan, &info);
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++)
		td_recording_write_counts(fp, times[i], &unused, &names, &o->readings);
	if (end)
		td_recording_write_end(fp, &usage, 3);
	fclose(fp);
	free(places);
}

static void free_original(struct original *o)
{
	td_tree_free(&o->tree);
	td_plan_free(&o->plan);
	td_machine_free(&o->machine);
	free(o->readings.v);
	free(o->text);
}

static bool same_pmus(const struct td_machine *a, const struct td_machine *b)
{
	bool same = a->nr_pmus == b->nr_pmus;

	for (size_t i = 0; same && i < a->nr_pmus; i++) {
		const struct td_pmu *x = &a->pmus[i], *y = &b->pmus[i];

		same = strcmp(x->name, y->name) == 0 && x->type == y->type &&
		       x->uarch == y->uarch && x->cpus.nr == y->cpus.nr &&
		       memcmp(x->cpus.v, y->cpus.v, x->cpus.nr * sizeof(int)) == 0;
	}
	return same && a->smt == b->smt && a->model == b->model &&
	       memcmp(&a->cpuid, &b->cpuid, sizeof(a->cpuid)) == 0;
}

static bool same_plan(const struct td_plan *a, const struct td_plan *b)
{
	bool same = a->events.nr == b->events.nr && a->nr_groups == b->nr_groups;

	for (size_t i = 0; same && i < a->events.nr; i++) {
		const struct td_event *x = &a->events.v[i], *y = &b->events.v[i];

		same = strcmp(x->name, y->name) == 0 && x->pmu == y->pmu && x->type == y->type &&
		       test_near(x->scale, y->scale, 0);
	}
	for (size_t i = 0; same && i < a->nr_groups; i++) {
		const struct td_group *x = &a->groups[i], *y = &b->groups[i];

		/* members in the order of events, groups as they were */
		same = x->pmu == y->pmu && x->nr == y->nr && x->clone == y->clone;
	}
	return same;
}

static void test_there_and_back(const char *model)
{
	struct td_readings readings = { 0 };
	struct td_recording rec;
	struct td_err err = { 0 };
	struct original o;
	uint64_t time_ns;
	char path[32];
	int fd;

	make_original(&o, model, true);
	fd = make_file(o.text, o.size, path);
	ok(td_recording_open(&rec, path, NULL, &err) == 0, "%s: opened %s", model, err.msg);
	ok(same_pmus(&o.machine, &rec.machine), "%s: the machine", model);
	ok(same_plan(&o.plan, &rec.plan), "%s: the plan", model);
	ok(rec.info.interval_ms == 1000 && rec.info.tsc_hz == 2500000000, "%s: interval and clock",
	   model);
	is_str(rec.info.target.text, "'./a \"b\" c'", "%s: target", model);
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		int rc = td_recording_next(&rec, &time_ns, &readings, &err);

		ok(rc == 0 && time_ns == times[i] && test_same_readings(&o.readings, &readings),
		   "%s: interval %zu", model, i);
	}
	ok(td_recording_next(&rec, &time_ns, &readings, &err) == 1 && rec.ended && !rec.cut_off,
	   "%s: the end", model);
	ok(memcmp(&rec.usage, &usage, sizeof(usage)) == 0, "%s: times", model);
	ok(td_recording_next(&rec, &time_ns, &readings, &err) == 1, "%s: still the end", model);
	td_recording_close(&rec);
	free(readings.v);
	close(fd);
	free_original(&o);
}

/* Return NULL if exactly the complete lines were read, otherwise the difference. */
static const char *read_cut(const struct original *o, size_t size)
{
	struct td_readings readings = { 0 };
	struct td_recording rec;
	struct td_err err = { 0 };
	const char *wrong = NULL;
	size_t lines = 0, got = 0;
	bool boundary = size && o->text[size - 1] == '\n';
	char path[32];
	uint64_t time_ns;
	int fd = make_file(o->text, size, path), rc;

	for (size_t i = 0; i < size; i++)
		lines += o->text[i] == '\n';
	rc = td_recording_open(&rec, path, NULL, &err);
	if (lines == 0) {
		if (rc != -EINVAL || strncmp(err.msg, path, strlen(path)) != 0)
			wrong = "opened, or an error without a name";
	} else if (rc) {
		wrong = err.msg;
	} else {
		while (!(rc = td_recording_next(&rec, &time_ns, &readings, &err)))
			got++;
		if (rc < 0)
			wrong = "an error";
		else if (got + 1 + rec.ended != lines)
			wrong = "not all whole lines";
		else if (rec.cut_off != !boundary)
			wrong = "cut off or not";
	}
	if (wrong)
		printf("# %s\n", wrong);
	td_recording_close(&rec);
	free(readings.v);
	close(fd);
	return wrong;
}

static void test_cut(void)
{
	struct original o;
	size_t wrong = 0;

	make_original(&o, "lnl", true);
	for (size_t size = 0; size <= o.size; size++) {
		if (!read_cut(&o, size))
			continue;
		wrong++;
		printf("# cut off at %zu\n", size);
	}
	ok(wrong == 0, "cut off at each of %zu bytes", o.size);
	free_original(&o);
}

static void test_bad(size_t i)
{
	struct td_err err = { 0 };
	char path[32], where[48];
	int fd = make_file(bad[i].text, bad[i].size ? bad[i].size : strlen(bad[i].text), path);

	snprintf(where, sizeof(where), bad[i].line ? "%s:%d:" : "%s:", path, bad[i].line);
	ok(read_all(path, &err) == -EINVAL && err.code == -EINVAL, "%s", bad[i].name);
	ok(strncmp(err.msg, where, strlen(where)) == 0 && strstr(err.msg, bad[i].about),
	   "%s: where and what", bad[i].name);
	if (strncmp(err.msg, where, strlen(where)) != 0 || !strstr(err.msg, bad[i].about))
		printf("# got: %s\n", err.msg);
	close(fd);
}

/* A tree asks the PMU for its events, which a recording has only by name. */
static void test_names(void)
{
	static const char text[] =
		"{\"tdstat\":1," INFO "," PMUS
		",\"events\":[{\"name\":\"cpu_core/TOPDOWN.SLOTS/\",\"pmu\":\"cpu_core\",\"group\":0},{\"name\":\"cpu_core/a.b/\",\"pmu\":\"cpu_core\",\"group\":0},{\"name\":\"cpu_core/c/u\",\"pmu\":\"cpu_core\",\"group\":0}]}\n";
	struct td_recording rec;
	struct td_err err = { 0 };
	const struct td_pmu *pmu;
	char path[32];
	int fd = make_file(text, strlen(text), path);

	ok(td_recording_open(&rec, path, NULL, &err) == 0, "names: %s", err.msg);
	pmu = rec.machine.pmus;
	ok(td_pmu_has_slots(pmu), "TOPDOWN.SLOTS are slots");
	ok(td_pmu_has_event(pmu, "a.b"), "an event that was counted");
	ok(!td_pmu_has_event(pmu, "a"), "one that was not");
	ok(!td_pmu_has_event(pmu, "c"), "one with modifiers alone");
	ok(!td_pmu_alias(pmu, "a.b") && pmu->nr_aliases == 0,
	   "no aliases: nobody knows their terms");
	td_recording_close(&rec);
	close(fd);
}

/* The reader ignores what it does not need. */
static void test_fine(void)
{
	static const char *const fine[] = {
		HEAD,
		HEAD FINE,
		HEAD FINE "{\"end\":{\"elapsed\":1}}\n",
		HEAD "{\"time\":0,\"counts\":[]}\n",
		HEAD COUNTS("[0,-1,77,5,9,9]"),
		HEAD COUNTS("[0,0,-1,0,0,0]"),
		HEAD "{\"time\":1,\"more\":[1],\"counts\":[]}\n",
		"{\"tdstat\":1," INFO "," PMUS "," EVENTS ",\"more\":{}}\n",
		"{\"tdstat\":1," INFO "," PMUS ",\"events\":[" ONE_EVENT(",\"scale\":4") "]}\n",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(fine); i++) {
		struct td_err err = { 0 };
		char path[32];
		int fd = make_file(fine[i], strlen(fine[i]), path);

		ok(read_all(path, &err) == 1, "fine %zu %s", i, err.msg);
		close(fd);
	}
}

int main(void)
{
	static const char *const models[] = { "adl", "icx", "skx-smt", "lnl", "arl-h" };
	struct td_err err = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++)
		test_there_and_back(models[i]);
	test_cut();
	for (size_t i = 0; i < TD_ARRAY_SIZE(bad); i++)
		test_bad(i);
	test_names();
	test_fine();
	ok(read_all("/nowhere/recording", &err) == -ENOENT, "no file");
	is_str(err.msg, "/nowhere/recording: No such file or directory", "no file: message");
	return done_testing();
}
