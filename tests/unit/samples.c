// SPDX-License-Identifier: GPL-2.0-only
/* Samples in recordings: written and read back, and files that are damaged. */
#include "lib/sample/samples.h"

#include <errno.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/recording_file.h"
#include "tests/unit/test.h"

#define EVENT(name) "{\"name\":\"cpu_core/" name "/\",\"pmu\":\"cpu_core\",\"group\":0}"
#define HEAD                                                                                \
	"{\"tdstat\":1,\"cpuid\":\"GenuineIntel-6-97-2\",\"smt\":true,"                     \
	"\"interval_ms\":0,\"target\":\"x\",\"pmus\":[{\"name\":"                           \
	"\"cpu_core\",\"type\":4,\"cpus\":\"0-3\"}],\"events\":[" EVENT("slots") "," EVENT( \
		"topdown-retiring") "," EVENT("cycles") "]}\n"
#define SAMPLES  "{\"samples\":{\"node\":\"tma_dram_bound\"}}\n"
#define OBJECT   "{\"object\":{\"kind\":\"file\",\"path\":\"/bin/x\",\"pid\":1}}\n"
#define LOCATION "{\"spot\":{\"object\":0,\"address\":\"0x10\"}}\n"
#define FUNCTION                                                    \
	"{\"function\":{\"object\":0,\"address\":\"0x8\",\"name\":" \
	"\"main\"}}\n"
#define END "{\"end\":{\"elapsed\":2.5}}\n"

/* Results of the reader. */
struct given {
	struct td_record records[8];
	uint64_t values[8][3];
	int events[8], locations[8], callers[8];
	size_t nr;
};

static void take(void *ctx, const struct td_record *record, int event, int location, int caller)
{
	struct given *given = ctx;

	if (given->nr == TD_ARRAY_SIZE(given->records))
		return;
	given->records[given->nr] = *record;
	for (size_t i = 0; i < record->nr_values && i < 3; i++)
		given->values[given->nr][i] = record->values[2 * i];
	given->events[given->nr] = event;
	given->locations[given->nr] = location;
	given->callers[given->nr++] = caller;
}

static int read_text(const char *text, struct td_samples *samples, struct given *given,
		     struct td_err *err)
{
	struct td_recording rec;
	char path[32];
	int fd = make_file(text, strlen(text), path);
	int rc = td_recording_open(&rec, path, NULL, err);

	*samples = (struct td_samples){ 0 };
	*given = (struct given){ 0 };
	if (!rc)
		rc = td_samples_read(samples, &rec, take, given, err);
	td_recording_close(&rec);
	close(fd);
	return rc;
}

/* --- the reader reads what was written -------------------------------------- */

static void add_locations(struct td_locations *locations)
{
	char path[] = "/bin/a b\"", kernel[] = "[kernel]", name[] = "f(int)";
	const struct td_object file = {
		.kind = TD_OBJECT_FILE, .path = path, .pid = 17, .build_id = { { 0xab, 0x01 }, 2 }
	};
	const struct td_object of_kernel = { .kind = TD_OBJECT_KERNEL, .path = kernel };
	const struct td_function function = { name, 0, 0x1000 };
	const struct td_function unnamed = { NULL, 1, 0xffffffff81000000 };

	td_locations_add_object(locations, &file);
	td_locations_add_object(locations, &of_kernel);
	td_locations_add(locations, 0, 0x1010);
	td_locations_add(locations, 1, 0xffffffff81000000);
	td_locations_add_function(locations, &function);
	td_locations_add_function(locations, &unnamed);
	td_locations_add_file(locations, "x.c");
}

static void write_all(struct td_samples_writer *writer, struct td_locations *locations)
{
	/* counts of the group's members: slots, cycles, retiring */
	const uint64_t pairs[] = { 600, 1, 100, 2, 250, 3 };
	const struct td_record sample = { .kind = TD_RECORD_SAMPLE,
					  .time_ns = 5000000000,
					  .cpu = 3,
					  .pid = 17,
					  .tid = 18,
					  .period = 1000,
					  .values = pairs,
					  .nr_values = 3 };
	const struct td_record switched = {
		.kind = TD_RECORD_SWITCH, .time_ns = 5000000001, .cpu = 3, .tid = 18
	};
	const struct td_record lost = {
		.kind = TD_RECORD_LOST, .time_ns = 5000000002, .cpu = 2, .lost = 7
	};
	const struct td_record throttled = { .kind = TD_RECORD_THROTTLE,
					     .time_ns = 5000000003,
					     .cpu = 1 };
	const struct td_record resumed = {
		.kind = TD_RECORD_UNTHROTTLE, .time_ns = 5000000004, .cpu = 1, .tid = 18
	};

	td_samples_write_head(writer, "tma_dram_bound", 10000000);
	td_locations_add_call(locations, -1, -1);
	td_locations_add_call(locations, 1, 0);
	td_samples_write(writer, locations, &sample, 2, 0, 1);
	td_samples_write(writer, locations, &switched, -1, -1, -1);
	td_samples_write(writer, locations, &lost, -1, -1, -1);
	td_samples_write(writer, locations, &throttled, -1, -1, -1);
	td_samples_write(writer, locations, &resumed, -1, -1, -1);
	locations->v[0].function = 0;
	locations->v[0].file = 0;
	locations->v[0].line = 12;
	locations->v[1].function = 1;
	td_samples_write_functions(writer, locations);
}

static char *written(void)
{
	struct td_event events[3] = { { 0 } };
	int members[] = { 0, 2, 1 };
	struct td_group group = { .members = members, .nr = 3 };
	const struct td_plan plan = { .events = { .v = events, .nr = 3 },
				      .groups = &group,
				      .nr_groups = 1 };
	struct td_locations locations = { 0 };
	char *text = NULL;
	size_t size;
	struct td_samples_writer writer = { .fp = open_memstream(&text, &size), .plan = &plan };

	if (!writer.fp)
		return NULL;
	fputs(HEAD, writer.fp);
	add_locations(&locations);
	write_all(&writer, &locations);
	fputs(END, writer.fp);
	fclose(writer.fp);
	td_locations_free(&locations);
	return text;
}

static void check_locations(const struct td_locations *locations)
{
	ok(locations->nr_objects == 2 && locations->nr == 2 && locations->nr_functions == 2 &&
		   locations->nr_files == 1,
	   "objects, locations, functions, files");
	is_str(locations->objects[0].path, "/bin/a b\"", "a path with a quote");
	ok(locations->objects[0].build_id.size == 2 &&
		   locations->objects[0].build_id.v[0] == 0xab &&
		   locations->objects[0].build_id.v[1] == 0x01,
	   "a build id");
	ok(locations->objects[1].kind == TD_OBJECT_KERNEL, "a kind");
	ok(locations->v[1].address == 0xffffffff81000000, "a kernel's address");
	ok(locations->v[0].function == 0 && locations->v[0].file == 0 && locations->v[0].line == 12,
	   "what a location is resolved to");
	ok(locations->v[1].function == 1 && locations->v[1].file == -1, "no line");
	is_str(locations->functions[0].name, "f(int)", "a function's name");
	ok(!locations->functions[1].name, "a function without one");
}

static void test_round_trip(void)
{
	td_autofree char *text = written();
	struct td_samples samples;
	struct given given;
	struct td_err err = { 0 };
	const struct td_record *r = given.records;

	if (!text)
		return;
	ok(read_text(text, &samples, &given, &err) == 0, "it is read: %s", err.msg);
	is_str(samples.node, "tma_dram_bound", "the node");
	ok(samples.longest_ns == 10000000, "the longest window");
	check_locations(&samples.locations);
	ok(given.nr == 5, "five records");
	ok(r[0].kind == TD_RECORD_SAMPLE && r[0].time_ns == 5000000000 && r[0].cpu == 3 &&
		   r[0].pid == 17 && r[0].tid == 18 && r[0].period == 1000 && r[0].nr_values == 3,
	   "a sample");
	ok(given.events[0] == 2 && given.locations[0] == 0 && given.callers[0] == 1,
	   "its event, its location, its caller");
	ok(given.values[0][0] == 600 && given.values[0][1] == 250 && given.values[0][2] == 100,
	   "values come in the order of the events, not of the group");
	ok(samples.locations.nr_calls == 2 && samples.locations.calls[0].location == -1 &&
		   samples.locations.calls[1].location == 1 &&
		   samples.locations.calls[1].caller == 0,
	   "a chain of callers");
	ok(r[1].kind == TD_RECORD_SWITCH && r[1].tid == 18, "a switch");
	ok(r[2].kind == TD_RECORD_LOST && r[2].lost == 7 && r[2].cpu == 2, "what was lost");
	ok(r[3].kind == TD_RECORD_THROTTLE && r[3].cpu == 1, "a pause");
	ok(r[4].kind == TD_RECORD_UNTHROTTLE && r[4].cpu == 1 && r[4].tid == 18 &&
		   r[4].time_ns == 5000000004,
	   "its end");
	td_samples_free(&samples);
}

static void test_nothing_to_write(void)
{
	struct td_samples_writer writer = { 0 };
	struct td_locations locations = { 0 };
	const struct td_record sample = { .kind = TD_RECORD_SAMPLE };

	td_samples_write_head(&writer, NULL, 0);
	td_samples_write(&writer, &locations, &sample, 0, 0, 0);
	td_samples_write_functions(&writer, &locations);
	ok(!writer.nr_locations, "without a stream, nothing is written");
}

/* --- damaged files ---------------------------------------------------------- */

#define SAMPLE(numbers) HEAD SAMPLES OBJECT LOCATION "{\"s\":[" numbers "]}\n" END

static const struct {
	const char *name, *text;
	int line;
} bad[] = {
	{ "a recording of counts", HEAD "{\"time\":1.5,\"counts\":[]}\n" END, 2 },
	{ "samples twice", HEAD SAMPLES SAMPLES END, 3 },
	{ "an object of another kind",
	  HEAD SAMPLES "{\"object\":{\"kind\":\"x\",\"path\":\"a\",\"pid\":1}}\n", 3 },
	{ "an object without a path", HEAD SAMPLES "{\"object\":{\"kind\":\"file\",\"pid\":1}}\n",
	  3 },
	{ "an object twice", HEAD SAMPLES OBJECT OBJECT, 4 },
	{ "a build id that is none",
	  HEAD SAMPLES
	  "{\"object\":{\"kind\":\"file\",\"path\":\"a\",\"pid\":1,\"build_id\":\"xy\"}}\n",
	  3 },
	{ "a location of no object", HEAD SAMPLES LOCATION, 3 },
	{ "a location twice", HEAD SAMPLES OBJECT LOCATION LOCATION, 5 },
	{ "an address that is none",
	  HEAD SAMPLES OBJECT "{\"spot\":{\"object\":0,\"address\":\"0x1g\"}}\n", 4 },
	{ "an address of more than 64 bits",
	  HEAD SAMPLES OBJECT "{\"spot\":{\"object\":0,\"address\":\"0x10000000000000000\"}}\n",
	  4 },
	{ "a function of no object", HEAD SAMPLES FUNCTION, 3 },
	{ "a function twice", HEAD SAMPLES OBJECT FUNCTION FUNCTION, 5 },
	{ "a sample that is too short", SAMPLE("1,0,1,1,0,1,0"), 5 },
	{ "a sample of an event that is not there", SAMPLE("1,0,1,1,3,1,0,-1"), 5 },
	{ "a sample of a location that is not there", SAMPLE("1,0,1,1,0,1,1,-1"), 5 },
	{ "a caller that is not there", SAMPLE("1,0,1,1,0,1,0,1"), 5 },
	{ "a caller that is no call",
	  HEAD SAMPLES OBJECT LOCATION "{\"call\":[0,-1]}\n{\"s\":[1,0,1,1,0,1,0,1]}\n" END, 6 },
	{ "a call of a location that is not there",
	  HEAD SAMPLES OBJECT LOCATION "{\"call\":[1,-1]}\n", 5 },
	{ "a call that calls itself", HEAD SAMPLES OBJECT LOCATION "{\"call\":[0,0]}\n", 5 },
	{ "a call twice", HEAD SAMPLES OBJECT LOCATION "{\"call\":[0,-1]}\n{\"call\":[0,-1]}\n",
	  6 },
	{ "a time below 0", SAMPLE("-1,0,1,1,0,1,0,-1"), 5 },
	{ "a text among its numbers", SAMPLE("1,0,1,1,0,1,0,\"1\""), 5 },
	{ "a fraction among them", SAMPLE("1,0,1,1,0,1.5,0,-1"), 5 },
	{ "what no location is resolved to",
	  HEAD SAMPLES OBJECT LOCATION "{\"resolved\":[0,0,-1,0]}\n", 5 },
	{ "a file that is not there",
	  HEAD SAMPLES OBJECT LOCATION FUNCTION "{\"resolved\":[0,0,0,1]}\n", 6 },
	{ "two members in a line", HEAD SAMPLES "{\"file\":\"a\",\"spot\":{}}\n", 3 },
	{ "an unknown member", HEAD SAMPLES "{\"x\":[1,2]}\n", 3 },
	{ "a member of another type", HEAD SAMPLES "{\"s\":1}\n", 3 },
	{ "something behind the end", HEAD SAMPLES END LOCATION, 4 },
};

static void test_bad(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(bad); i++) {
		struct td_samples samples;
		struct given given;
		struct td_err err = { 0 };
		char place[16];

		snprintf(place, sizeof(place), ":%d:", bad[i].line);
		ok(read_text(bad[i].text, &samples, &given, &err) == -EINVAL, "%s", bad[i].name);
		ok(strstr(err.msg, place), "%s: its line (%s)", bad[i].name, err.msg);
		td_samples_free(&samples);
	}
}

/* Before there were calls, the caller of a sample was a location. */
static void test_locations_as_callers(void)
{
	struct td_samples samples;
	struct given given;
	struct td_err err = { 0 };

	ok(read_text(HEAD SAMPLES OBJECT LOCATION "{\"s\":[1,0,1,1,0,1,0,0]}\n" END, &samples,
		     &given, &err) == 0,
	   "an older file is read: %s", err.msg);
	ok(given.nr == 1 && given.callers[0] == 0 && samples.locations.nr_calls == 1 &&
		   samples.locations.calls[0].location == 0 &&
		   samples.locations.calls[0].caller == -1,
	   "its callers are calls of them");
	td_samples_free(&samples);
}

/* An interrupted recording has no functions: addresses replace them. */
static void test_cut_off(void)
{
	struct td_samples samples;
	struct given given;
	struct td_err err = { 0 };

	ok(read_text(HEAD SAMPLES OBJECT LOCATION "{\"s\":[1,0,1,1,0,1,0,-1]}\n{\"s\":[2,0",
		     &samples, &given, &err) == 0,
	   "a file that was cut off is read up to there");
	ok(given.nr == 1, "what is whole is given");
	ok(samples.locations.v[0].function == 0 && !samples.locations.functions[0].name &&
		   samples.locations.functions[0].address == 0x10,
	   "a location is a function without a name");
	td_samples_free(&samples);
}

int main(void)
{
	test_round_trip();
	test_nothing_to_write();
	test_bad();
	test_locations_as_callers();
	test_cut_off();
	return done_testing();
}
