// SPDX-License-Identifier: GPL-2.0-only
/* Tests of caches, cgroups, threads and aggregations in recordings. */
#include "lib/recording/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/recording_file.h"
#include "tests/unit/test.h"

#define INFO                                                        \
	"{\"tdstat\":1,\"cpuid\":\"GenuineIntel-6-97-2\","          \
	"\"smt\":true,\"interval_ms\":0,\"target\":\"x\","          \
	"\"pmus\":[{\"name\":\"cpu\",\"type\":4,\"cpus\":\"0-3\"}]" \
	",\"events\":[{\"name\":\"cpu/slots/\",\"pmu\":\"cpu\",\"group\":0}]"
#define HEAD(more) INFO more "}\n"
#define PLACE(cpu, more)                                       \
	"{\"cpu\":" cpu ",\"core\":0,\"cluster\":0,\"die\":0," \
	"\"socket\":0,\"node\":0" more "}"
#define TWO_PLACES     "\"topology\":[" PLACE("0", "") "," PLACE("1", "") "]"
#define TOPOLOGY(more) ",\"topology\":[" PLACE("0", more) "]"
#define CACHES(list)   TOPOLOGY(",\"caches\":[" list "]")
#define COUNTS(list)   "{\"time\":1.5,\"counts\":[" list "]}\n"
#define CGROUPS        ",\"cgroups\":[\"a\",\"b\"]"
#define THREADS(list)  "{\"threads\":{" list "}}\n"
#define END            "{\"end\":{\"elapsed\":1.5}}\n"

/* clang-format off */
/* Invalid files.  The error has the file, the line and about; line 0: valid. */
static const struct {
	const char *name, *text;
	int line;
	const char *about;
} rows[] = {
	{ "caches", HEAD(CACHES("0,0,0,0")) END },
	{ "caches that are not known", HEAD(CACHES("-1,-1,0")) END },
	{ "no levels", HEAD(CACHES("")) END },
	{ "five levels", HEAD(CACHES("0,0,0,0,0")), 1, "caches" },
	{ "a cache that is text", HEAD(CACHES("\"0\"")), 1, "caches" },
	{ "caches that are no list",
	  HEAD(TOPOLOGY(",\"caches\":0")), 1, "caches" },
	{ "a cache that is null", HEAD(CACHES("0,null")), 1, "caches" },
	{ "a cache of a broken CPU", HEAD(CACHES("0.5")), 1, "caches" },
	{ "a cache of CPU -2", HEAD(CACHES("-2")), 1, "caches" },
	{ "a cache of a CPU beyond the largest", HEAD(CACHES("65536")), 1,
	  "caches" },
	{ "the second CPU's", HEAD(",\"topology\":[" PLACE("0", "") ","
	  PLACE("1", ",\"caches\":[true]") "]"), 1, "caches" },

	{ "a CPU more", HEAD(TOPOLOGY("")) "{" TWO_PLACES "}\n" END },
	{ "the same CPUs anew", HEAD(TOPOLOGY(""))
	  "{" TWO_PLACES "}\n{" TWO_PLACES "}\n", 3, "no more CPUs" },
	{ "no CPUs any more", HEAD(TOPOLOGY("")) "{\"topology\":[]}\n", 2,
	  "no more CPUs" },
	{ "a later CPU in no place", HEAD(TOPOLOGY(""))
	  "{\"topology\":[{\"cpu\":0},{\"cpu\":1}]}\n", 2, "topology" },

	{ "an aggregation", HEAD(",\"aggregation\":\"core\"") END },
	{ "an aggregation with a level", HEAD(",\"aggregation\":\"cache\",\"cache_level\":2") END },
	{ "an aggregation that there is not", HEAD(",\"aggregation\":\"rack\""),
	  1, "aggregation" },
	{ "an aggregation that is a number", HEAD(",\"aggregation\":2"), 1,
	  "aggregation" },
	{ "a cache level that there is "
	"not", HEAD(",\"aggregation\":\"cache\",\"cache_level\":5"), 1, "cache_level" },
	{ "an aggregation in capitals", HEAD(",\"aggregation\":\"CORE\""), 1,
	  "aggregation" },
	{ "an aggregation without a name", HEAD(",\"aggregation\":\"\""), 1,
	  "aggregation" },

	{ "cgroups", HEAD(CGROUPS) COUNTS("[0,0,-1,5,9,9,0],[0,0,-1,5,9,9,1]")
	  END },
	{ "some in none", HEAD(CGROUPS)
	  COUNTS("[0,0,-1,5,9,9],[0,0,-1,5,9,9,1]") END },
	{ "cgroups that are no list", HEAD(",\"cgroups\":\"a\""), 1,
	  "cgroups" },
	{ "cgroups that are numbers", HEAD(",\"cgroups\":[1]"), 1, "cgroups" },
	{ "a cgroup that is null", HEAD(",\"cgroups\":[\"a\",null]"), 1,
	  "cgroups" },
	{ "a cgroup's number without cgroups", HEAD("")
	  COUNTS("[0,0,-1,5,9,9,0]"), 2, "counts[0]" },
	{ "a cgroup's number beyond the last", HEAD(CGROUPS)
	  COUNTS("[0,0,-1,5,9,9,1],[0,0,-1,5,9,9,2]"), 2, "counts[1]" },
	{ "a cgroup below 0", HEAD(CGROUPS) COUNTS("[0,0,-1,5,9,9,-1]"), 2,
	  "counts[0]" },
	{ "a cgroup that is null", HEAD(CGROUPS) COUNTS("[0,0,-1,5,9,9,null]"),
	  2, "counts[0]" },
	{ "a cgroup that is a name", HEAD(CGROUPS)
	  COUNTS("[0,0,-1,5,9,9,\"a\"]"), 2, "counts[0]" },
	{ "eight numbers", HEAD(CGROUPS) COUNTS("[0,0,-1,5,9,9,1,1]"), 2,
	  "counts[0]" },

	{ "the second thread of a number", HEAD("")
	  THREADS("\"7\":\"a\",\"7#2\":\"b\"")
	  COUNTS("[0,-1,7,5,9,9],[0,-1,7,5,9,9,-1,2]") END },
	{ "the first thread of a number, in full", HEAD("")
	  COUNTS("[0,-1,7,5,9,9,-1,1]"), 2, "counts[0]" },
	{ "the second of a sum", HEAD("") COUNTS("[0,-1,-1,5,9,9,-1,2]"), 2,
	  "counts[0]" },
	{ "the second of a CPU", HEAD("") COUNTS("[0,0,-1,5,9,9,-1,2]"), 2,
	  "counts[0]" },
	{ "nine numbers", HEAD("") COUNTS("[0,-1,7,5,9,9,-1,2,2]"), 2,
	  "counts[0]" },
	{ "a thread that is the first", HEAD("") THREADS("\"7#1\":\"a\""), 2,
	  "threads" },
	{ "a thread that is none in number", HEAD("") THREADS("\"7#\":\"a\""),
	  2, "threads" },
	{ "a number's second without it", HEAD("") THREADS("\"#2\":\"a\""), 2,
	  "threads" },
	{ "a number of forty digits", HEAD("")
	  THREADS("\"1111111111222222222233333333334444444444#2\":\"a\""), 2,
	  "threads" },
	{ "threads", HEAD("") THREADS("\"7\":\"a\",\"8\":\"b c\"")
	  COUNTS("[0,-1,7,5,9,9]") END },
	{ "no new threads", HEAD("") THREADS("") COUNTS("[0,-1,7,5,9,9]") END },
	{ "threads at the end", HEAD("") THREADS("\"7\":\"a\"") END },
	{ "a thread that is no number", HEAD("") THREADS("\"a\":\"7\""), 2,
	  "threads" },
	{ "a thread below 0", HEAD("") THREADS("\"-7\":\"a\""), 2, "threads" },
	{ "a thread beyond int", HEAD("") THREADS("\"2147483648\":\"a\""), 2,
	  "threads" },
	{ "a thread with a blank", HEAD("") THREADS("\"7 \":\"a\""), 2,
	  "threads" },
	{ "a thread without a number", HEAD("") THREADS("\"\":\"a\""), 2,
	  "threads" },
	{ "a thread whose name is a number", HEAD("") THREADS("\"7\":8"), 2,
	  "threads" },
	{ "a thread whose name is null", HEAD("") THREADS("\"7\":null"), 2,
	  "threads" },
	{ "the second line of threads", HEAD("") THREADS("\"7\":\"a\"")
	  THREADS("\"b\":\"a\""), 3, "threads" },
	{ "threads that are a list", HEAD("") "{\"threads\":[7]}\n", 2, "" },

	{ "CPUs and tasks in one line", HEAD("")
	  COUNTS("[0,0,-1,5,9,9],[0,-1,7,5,9,9]"), 2, "counts[1]" },
	{ "a sum and a task in one line", HEAD("")
	  COUNTS("[0,-1,-1,5,9,9],[0,-1,7,5,9,9]"), 2, "counts[1]" },
};
/* clang-format on */

static void test_row(size_t i)
{
	struct td_err err = { 0 };
	char path[32], where[48];
	int fd = make_file(rows[i].text, strlen(rows[i].text), path);
	int rc = read_all(path, &err);

	if (!rows[i].line) {
		ok(rc == 1, "%s: fine %s", rows[i].name, err.msg);
	} else {
		snprintf(where, sizeof(where), "%s:%d:", path, rows[i].line);
		ok(rc == -EINVAL && err.code == -EINVAL, "%s: refused", rows[i].name);
		ok(strncmp(err.msg, where, strlen(where)) == 0 && strstr(err.msg, rows[i].about),
		   "%s: '%s'", rows[i].name, err.msg);
	}
	close(fd);
}

/* --- there and back ------------------------------------------------------- */

static const struct td_place places[] = {
	{ 0, 0, 0, 0, 0, 0, { 0, 0, 0, -1 } },
	{ 1, 4, 8, 1, 0, 1, { 1, -1, 0, -1 } },
	{ 1024, 7, -1, -1, 1, -1, { -1, -1, -1, -1 } },
	{ 65535, 7, -1, -1, 1, -1, { 9, 9, 9, 9 } },
};

static struct td_reading on_cpus[] = {
	{ 0, 0, -1, 5, 9, 9, 0 },
	{ 0, 1, -1, 6, 9, 8, 1 },
	{ 0, 65535, -1, 7, 9, 0, 2 },
};

static struct td_reading in_tasks[] = {
	{ 0, -1, 70, 5, 9, 9, 0 },
	{ 0, -1, 2147483646, 6, 9, 8, 0 },
	{ 0, -1, 2147483646, 7, 9, 8, 0, 4 },
};

static char *const cgroups[] = { (char[]){ "a/\"b\" c" }, (char[]){ "user.slice/caf\303\251" } };

static struct td_pmu pmu = { .name = (char[]){ "cpu" }, .type = 4 };
static struct td_event event = { .name = (char[]){ "cpu/slots/" }, .type = 4, .scale = 1 };
static int member;
static struct td_group group = { .members = &member, .nr = 1 };
static const struct td_plan plan = { { &event, 1 }, &group, 1 };

static void write_head(FILE *fp, const struct td_recording_info *info)
{
	struct td_machine machine = { .pmus = &pmu, .nr_core = 1, .nr_pmus = 1 };
	struct td_err err = { 0 };

	td_cpuid_parse("GenuineIntel-6-97-2", &machine.cpuid, &err);
	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++)
		td_ints_add(&machine.online, places[i].cpu);
	td_ints_copy(&pmu.cpus, &machine.online);
	td_recording_write_head(fp, &machine, places, &plan, info);
	td_ints_free(&machine.online);
	td_ints_free(&pmu.cpus);
}

static void open_text(struct td_recording *rec, char **text, size_t size, int *fd, char path[32])
{
	struct td_err err = { 0 };

	*fd = make_file(*text, size, path);
	ok(td_recording_open(rec, path, NULL, &err) == 0, "opened %s", err.msg);
	free(*text);
	*text = NULL;
}

static bool same_readings(const struct td_readings *got, const struct td_reading *want, size_t nr)
{
	bool same = got->nr == nr;

	for (size_t i = 0; same && i < nr; i++) {
		const struct td_reading *a = &got->v[i], *b = &want[i];

		same = a->event == b->event && a->cpu == b->cpu && a->tid == b->tid &&
		       a->value == b->value && a->enabled_ns == b->enabled_ns &&
		       a->running_ns == b->running_ns && a->cgroup == b->cgroup &&
		       a->life == b->life;
	}
	return same;
}

static bool same_places(const struct td_recording *rec)
{
	bool same = rec->machine.online.nr == TD_ARRAY_SIZE(places) && rec->places;

	return same && memcmp(rec->places, places, sizeof(places)) == 0;
}

static bool same_cgroups(const struct td_recording_info *info)
{
	bool same = info->nr_cgroups == TD_ARRAY_SIZE(cgroups);

	for (size_t i = 0; same && i < info->nr_cgroups; i++)
		same = strcmp(info->cgroups[i], cgroups[i]) == 0;
	return same;
}

static void test_cpus(enum td_aggregation how, int cache_level)
{
	const char *name = td_aggregation_row(how)->name;
	char *mine[] = { cgroups[0], cgroups[1] };
	const struct td_recording_info info = {
		.target = { TD_TARGET_SYSTEM, NULL },
		.how = how,
		.cache_level = cache_level,
		.cgroups = mine,
		.nr_cgroups = TD_ARRAY_SIZE(mine),
	};
	const struct td_readings delta = { on_cpus, TD_ARRAY_SIZE(on_cpus) };
	const struct td_times unused = { 0 };
	struct td_task_names names = { 0 };
	struct td_readings got = { 0 };
	struct td_recording rec;
	struct td_err err = { 0 };
	char *text = NULL, path[32];
	uint64_t time_ns;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	int fd;

	write_head(fp, &info);
	td_recording_write_counts(fp, 1500000000, &unused, &names, &delta);
	fclose(fp);
	open_text(&rec, &text, size, &fd, path);
	ok(same_places(&rec), "%s: places with caches", name);
	ok(rec.info.how == how && rec.info.cache_level == cache_level, "%s: the aggregation", name);
	ok(same_cgroups(&rec.info), "%s: cgroups", name);
	ok(td_recording_next(&rec, &time_ns, &got, &err) == 0 &&
		   same_readings(&got, on_cpus, TD_ARRAY_SIZE(on_cpus)),
	   "%s: counts %s", name, err.msg);
	ok(td_recording_next(&rec, &time_ns, &got, &err) == 1, "%s: end", name);
	td_recording_close(&rec);
	free(got.v);
	close(fd);
}

static void write_tasks(FILE *fp)
{
	const struct td_recording_info info = {
		.target = { TD_TARGET_PROCESSES, (char[]){ "70" } },
		.tasks = true,
		.how = TD_AGGREGATE_THREAD,
	};
	const struct td_readings delta = { in_tasks, TD_ARRAY_SIZE(in_tasks) };
	const struct td_times unused = { 0 };
	const struct td_usage usage = { .elapsed_ns = 3000000000 };
	struct td_task_names names = { 0 };

	write_head(fp, &info);
	td_task_names_set(&names, 70, "make \"it\" \303\251");
	td_recording_write_counts(fp, 1000000000, &unused, &names, &delta);
	td_recording_write_counts(fp, 2000000000, &unused, &names, &delta);
	td_task_names_set(&names, 2147483646, "");
	td_task_names_set(&names, 70, "cc1");
	td_recording_write_counts(fp, 3000000000, &unused, &names, &delta);
	td_recording_write_end(fp, &usage, 0);
	td_task_names_free(&names);
}

/* A name is valid from the next line of counts on. */
static void test_tasks(void)
{
	static const char *const want[][2] = {
		{ "make \"it\" \303\251", NULL },
		{ "make \"it\" \303\251", NULL },
		{ "cc1", "" },
	};
	struct td_readings got = { 0 };
	struct td_recording rec;
	struct td_err err = { 0 };
	char *text = NULL, path[32];
	uint64_t time_ns;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	int fd;

	write_tasks(fp);
	fclose(fp);
	open_text(&rec, &text, size, &fd, path);
	ok(rec.info.tasks && rec.info.how == TD_AGGREGATE_THREAD && !rec.info.nr_cgroups &&
		   !rec.names.nr,
	   "tasks: what was recorded");
	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++) {
		const char *last;

		ok(td_recording_next(&rec, &time_ns, &got, &err) == 0 &&
			   time_ns == (i + 1) * 1000000000 &&
			   same_readings(&got, in_tasks, TD_ARRAY_SIZE(in_tasks)),
		   "tasks: counts %zu %s", i, err.msg);
		is_str(td_task_names_find(&rec.names, 70), want[i][0],
		       "tasks: the name of 70 at %zu", i);
		last = td_task_names_find(&rec.names, 2147483646);
		ok(want[i][1] ? last && !*last : !last, "tasks: the last one's at %zu", i);
	}
	ok(td_recording_next(&rec, &time_ns, &got, &err) == 1 && rec.ended &&
		   rec.usage.elapsed_ns == 3000000000,
	   "tasks: end");
	td_recording_close(&rec);
	free(got.v);
	close(fd);
}

/* Without any of it, the recording is one that older versions can read. */
static void test_plain(void)
{
	const struct td_recording_info info = { .target = { TD_TARGET_COMMAND, (char[]){ "x" } } };
	struct td_task_names names = { 0 };
	const struct td_times unused = { 0 };
	struct td_reading v = { 0, 0, -1, 5, 9, 9, 0 };
	const struct td_readings delta = { &v, 1 };
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	write_head(fp, &info);
	td_recording_write_counts(fp, 1, &unused, &names, &delta);
	fclose(fp);
	ok(!strstr(text, "\"cgroups\"") && !strstr(text, "\"aggregation\"") &&
		   !strstr(text, "\"cache_level\"") && !strstr(text, "\"threads\"") &&
		   !strstr(text, "\"tasks\""),
	   "plain: nothing of it");
	ok(strstr(text, "[0,0,-1,5,9,9]"), "plain: six numbers");
	free(text);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	for (size_t how = 0; how < td_nr_aggregations(); how++) {
		/* a recording of a virtual machine monitor is of its process */
		if (how != TD_AGGREGATE_MODE)
			test_cpus((enum td_aggregation)how, how == TD_AGGREGATE_CACHE ? 3 : 0);
	}
	test_tasks();
	test_plain();
	return done_testing();
}
