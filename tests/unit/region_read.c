// SPDX-License-Identifier: GPL-2.0-only
/* Results of td_read() from two readings, computed by hand. */
#include "lib/region/parts.h"

#include <stdlib.h>

#include "tests/unit/test.h"

#define HEAD TD_GROUP_SPEC_FIRST_LINE "\n"
#define CORE                                                  \
	"group cpu_core 0-3\n"                                \
	"event s 4 0x400 0 0 - cpu_core/slots/\n"             \
	"event 0 4 0x8000 0 0 - cpu_core/topdown-retiring/\n" \
	"event 1 4 0x8100 0 0 - cpu_core/topdown-bad-spec/\n" \
	"event 2 4 0x8200 0 0 - cpu_core/topdown-fe-bound/\n" \
	"event 3 4 0x8300 0 0 - cpu_core/topdown-be-bound/\n"
#define CLOCKS                              \
	"event c 4 0x3c 0 0 - cpu-cycles\n" \
	"event c 4 0xc0 0 0 - instructions\n"
#define DROPPING "event c 4 0x10ad 0 0 - cpu_core/INT_MISC.UOP_DROPPING/\n"
#define ATOM                                                 \
	"group cpu_atom 4-7\n"                               \
	"event c 10 0xc2 0 0 - cpu_atom/topdown-retiring/\n" \
	"event c 10 0x71 0 0 - cpu_atom/topdown-fe-bound/\n" \
	"event c 10 0x74 0 0 - cpu_atom/topdown-be-bound/\n"
#define BAD_SPEC    "event c 10 0x73 0 0 - cpu_atom/topdown-bad-spec/\n"
#define ATOM_CYCLES "event c 10 0x3c 0 0 - cpu_atom/cycles/\n"

/* A field of PERF_METRICS is counted in 255ths of slots. */
#define FIELD(slots) ((slots)*255)

static const struct {
	const char *what, *text;
	int64_t more[16]; /* growth of each event */
	uint32_t group;   /* where the thread is at the end, as in a moment */
	/* slots, retiring, bad speculation, frontend, backend, cycles, instructions */
	double want[7];
	double of[TD_NR_CORES];
} cases[] = {
	{ "fields and clocks",
	  HEAD CORE CLOCKS,
	  { 1000, FIELD(400), FIELD(100), FIELD(200), FIELD(300), 170, 340 },
	  .want = { 1000, 400, 100, 200, 300, 170, 340 },
	  { 1000, NAN, NAN } },
	/* 254 of 255 in all: shares of the sum */
	{ "fields that are rounded",
	  HEAD CORE,
	  { 255000, FIELD(100000), FIELD(54000), FIELD(50000), FIELD(50000) },
	  .want = { 255000, 255000 * 100. / 254, 255000 * 54. / 254, 255000 * 50. / 254,
		    255000 * 50. / 254, NAN, NAN },
	  { 255000, NAN, NAN } },
	/* a short interval in which one field made a step */
	{ "fields that are coarse",
	  HEAD CORE,
	  { 1000, FIELD(7000), 0, 0, -FIELD(7000) },
	  .want = { 1000, 7000, 0, 0, -7000, NAN, NAN },
	  { 1000, NAN, NAN } },
	{ "uops that were dropped",
	  HEAD CORE DROPPING,
	  { 1000, FIELD(400), FIELD(100), FIELD(200), FIELD(300), 20 },
	  .want = { 1000, 400, 120, 180, 300, NAN, NAN },
	  { 1000, NAN, NAN } },
	{ "four events of an Atom core",
	  HEAD ATOM BAD_SPEC ATOM_CYCLES,
	  { 100, 200, 300, 50, 130 },
	  .want = { 650, 100, 50, 200, 300, 130, NAN },
	  { NAN, 650, NAN } },
	{ "three events of an Atom core, and its width",
	  HEAD ATOM ATOM_CYCLES "width 5\n",
	  { 100, 200, 300, 130 },
	  .want = { 650, 100, 50, 200, 300, 130, NAN },
	  { NAN, 650, NAN } },
	{ "three events of an Atom core of a width that is not known",
	  HEAD ATOM ATOM_CYCLES,
	  { 100, 200, 300, 130 },
	  .want = { NAN, 100, NAN, 200, 300, 130, NAN },
	  { NAN, NAN, NAN } },
	{ "a thread that was on both kinds of core",
	  HEAD CORE ATOM BAD_SPEC,
	  { 1000, FIELD(400), FIELD(100), FIELD(200), FIELD(300), 100, 200, 300, 50 },
	  .want = { 1650, 500, 150, 400, 600, NAN, NAN },
	  { 1000, 650, NAN } },
	{ "a thread that was on one kind of core",
	  HEAD CORE CLOCKS ATOM BAD_SPEC,
	  { 1000, FIELD(400), FIELD(100), FIELD(200), FIELD(300), 170, 340 },
	  .want = { 1000, 400, 100, 200, 300, 170, 340 },
	  { 1000, 0, NAN } },
	{ "one kind lacks instructions: their sum is not known",
	  HEAD CORE CLOCKS ATOM BAD_SPEC ATOM_CYCLES,
	  { 1000, FIELD(400), FIELD(100), FIELD(200), FIELD(300), 170, 340, 100, 200, 300, 50,
	    130 },
	  .want = { 1650, 500, 150, 400, 600, 300, NAN },
	  { 1000, 650, NAN } },
	{ "nothing was counted",
	  HEAD CORE CLOCKS ATOM BAD_SPEC,
	  { 0 },
	  2,
	  { 0, 0, 0, 0, 0, NAN, NAN },
	  { 0, 0, NAN } },
	{ "no levels",
	  HEAD "group cpu 0\n" CLOCKS,
	  { 170, 340 },
	  .want = { NAN, NAN, NAN, NAN, NAN, 170, 340 },
	  { NAN, NAN, NAN } },
	{ "events of user space beside events of all",
	  HEAD "group cpu 0\n"
	       "event c 4 0x3c 0 0 u cpu/cycles/u\n"
	       "event c 4 0x3c 0 0 k cpu/cycles/k\n"
	       "event c 4 0x3c 0 0 - cpu/cycles/\n"
	       "event c 4 0xc0 0 0 u cpu/instructions/u\n",
	  { 1, 2, 3, 4 },
	  .want = { NAN, NAN, NAN, NAN, NAN, 3, NAN },
	  { NAN, NAN, NAN } },
	{ "events of user space alone",
	  HEAD "group cpu 0\n"
	       "event c 4 0x3c 0 0 u cpu/cycles/u\n"
	       "event c 4 0xc0 0 0 u cpu/instructions/u\n",
	  { 100, 200 },
	  .want = { NAN, NAN, NAN, NAN, NAN, 100, 200 },
	  { NAN, NAN, NAN } },
	{ "an event of that name with other terms",
	  HEAD "group cpu 0\n"
	       "event c 4 0x13c 0 0 - cpu/cycles,cmask=1/\n"
	       "event c 4 0xc0 0 0 - instructions\n",
	  { 100, 200 },
	  .want = { NAN, NAN, NAN, NAN, NAN, NAN, 200 },
	  { NAN, NAN, NAN } },
};

static bool all_near(const double *got, const double *want, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!test_near(got[i], want[i], 1e-9)) {
			printf("# value %zu: %g, and should be %g\n", i, got[i], want[i]);
			return false;
		}
	}
	return true;
}

static void check_case(size_t c)
{
	static struct td_group_spec spec;
	/* totals wrap around */
	struct td_moment from = { .time_ns = 5000, .step = 510 };
	struct td_moment to = { .time_ns = 7500, .step = 1020, .group = cases[c].group };
	struct td_interval i;
	double got[7];

	memset(&i, 0xff, sizeof(i));
	ok(td_group_spec_parse(&spec, strdup(cases[c].text)) == 0, "%s: parsed", cases[c].what);
	for (size_t e = 0; e < spec.nr_events; e++) {
		from.totals[e] = UINT64_MAX - 9;
		to.totals[e] = from.totals[e] + (uint64_t)cases[c].more[e];
	}
	td_interval_fill(&i, &spec, &from, &to);
	memcpy(got,
	       (double[]){ i.slots, i.retiring, i.bad_speculation, i.frontend_bound,
			   i.backend_bound, i.cycles, i.instructions },
	       sizeof(got));
	ok(all_near(got, cases[c].want, 7), "%s: values", cases[c].what);
	ok(all_near(i.slots_of, cases[c].of, TD_NR_CORES), "%s: of each core", cases[c].what);
	/* half of a 255th of the slots since it was begun, at both ends */
	ok(i.time_ns == 2500 && i.rounding == 3, "%s: time, rounding", cases[c].what);
	free(spec.text);
}

static void check_lost(void)
{
	struct td_moment from = { .group = 1, .time_ns = 0 };
	struct td_moment to = { .group = 1, .time_ns = 1000000 };

	to.uncounted_ns = 10000;
	ok(!td_moment_is_lost(&from, &to), "a hundredth without counters");
	to.uncounted_ns = 10001;
	ok(td_moment_is_lost(&from, &to), "more than that");
	to.group = 2;
	ok(!td_moment_is_lost(&from, &to), "groups were opened one by one");
}

int main(void)
{
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		check_case(c);
	check_lost();
	return done_testing();
}
