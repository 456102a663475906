// SPDX-License-Identifier: GPL-2.0-only
/* The text of what libtdstat is to count. */
#include "lib/region/parts.h"

#include <stdlib.h>

#include "tests/unit/test.h"

static struct td_group_spec spec;

static bool parses(const char *text)
{
	bool good = td_group_spec_parse(&spec, strdup(text)) == 0;

	free(spec.text);
	return good;
}

#define HEAD  TD_GROUP_SPEC_FIRST_LINE "\n"
#define GROUP HEAD "group cpu_core 0-3,8\n"
#define SLOTS "event s 4 0x400 0 0 - cpu_core/slots/\n"

static const struct {
	const char *text, *what;
} wrong[] = {
	{ "", "nothing" },
	{ HEAD, "no group" },
	{ "tdstat regions 2\n" GROUP SLOTS, "another version" },
	{ GROUP, "a group without events" },
	{ HEAD SLOTS, "an event without a group" },
	{ HEAD "group cpu_core\n" SLOTS, "a group without CPUs" },
	{ HEAD "group cpu_core 3-\n" SLOTS, "CPUs that do not end" },
	{ HEAD "group cpu_core x\n" SLOTS, "CPUs that are not numbers" },
	{ GROUP "event x 4 0 0 0 - a\n", "another kind" },
	{ GROUP "event 8 4 0 0 0 - a\n", "a field too many" },
	{ GROUP "event c 4 0 0 - a\n", "a number too few" },
	{ GROUP "event c 4 0 0 0x 0 - a\n", "a number that is none" },
	{ GROUP "event c 4 0 0 0 -\n", "an event without a name" },
};

static void check_good(void)
{
	ok(parses(HEAD "read\n"
		       "something that a later tdstat says\n"
		       "group cpu_core 0-3,8\n" SLOTS
		       "event 3 4 0x8300 0 0 - cpu_core/topdown-be-bound/\n"
		       "group cpu_atom 4-7\n"
		       "event c 10 0xc2 1 2 u cpu_atom/topdown-retiring/u\n"),
	   "two groups");
	ok(spec.read_only, "by read()");
	ok(spec.nr_groups == 2 && spec.nr_events == 3 && spec.groups[0].first == 0 &&
		   spec.groups[0].nr == 2 && spec.groups[1].first == 2 && spec.groups[1].nr == 1,
	   "each with its events");
	ok(spec.groups[0].has_fields && !spec.groups[1].has_fields,
	   "one has fields of PERF_METRICS");
	ok(spec.events[0].kind == TD_GROUP_SPEC_SLOTS &&
		   spec.events[1].kind == TD_GROUP_SPEC_FIELD + 3 &&
		   spec.events[2].kind == TD_GROUP_SPEC_PLAIN,
	   "their kinds");
	ok(spec.events[2].type == 10 && spec.events[2].config[0] == 0xc2 &&
		   spec.events[2].config[1] == 1 && spec.events[2].config[2] == 2 &&
		   spec.events[2].user_only && !spec.events[0].user_only,
	   "their encodings");
	ok(spec.group_of_cpu[0] == 1 && spec.group_of_cpu[3] == 1 && spec.group_of_cpu[8] == 1 &&
		   spec.group_of_cpu[4] == 2 && spec.group_of_cpu[7] == 2 &&
		   spec.group_of_cpu[9] == 0,
	   "their CPUs");
}

static void check_limits(void)
{
	char text[TD_REGION_VALUES * 64 + 256] = GROUP;

	for (int i = 0; i < TD_REGION_VALUES; i++)
		strcat(text, "event c 4 0 0 0 - a\n");
	ok(parses(text) && spec.nr_events == TD_REGION_VALUES,
	   "as many events as there is room for");
	strcat(text, "event c 4 0 0 0 - a\n");
	ok(!parses(text), "one more");
	strcpy(text, HEAD);
	for (int i = 0; i < TD_REGION_GROUPS + 1; i++)
		strcat(text, "group cpu 0\nevent c 4 0 0 0 - a\n");
	ok(!parses(text), "too many groups");
	ok(parses(HEAD "group cpu 0-99999\nevent c 4 0 0 0 - a\n") &&
		   spec.group_of_cpu[TD_GROUP_SPEC_CPUS - 1] == 1,
	   "more CPUs than there are");
}

int main(void)
{
	check_good();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(!parses(wrong[i].text), "refused: %s", wrong[i].what);
	check_limits();
	return done_testing();
}
