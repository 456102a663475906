// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/table/table.h"

#include <linux/perf_event.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define MAX_EVENTS 4
#define MAX_IDS    4
#define MAX_ROWS   8

/* PMUs: 0 cpu_core, 1 cpu_atom, 2 software, 3 tool */
struct event {
	const char *name;
	int pmu, spec; /* number of its name in the text */
	enum td_tool tool;
	bool merge, hidden, refused;
	double scale; /* 0 means 1 */
	uint32_t type;
};

struct id {
	const char *name, *cgroup;
	struct td_total v[MAX_EVENTS];
};

struct row {
	const char *id, *cgroup, *event;
	enum td_status status;
	double value;
	unsigned int nr;
	double running; /* per cent */
};

/* clang-format off */
static const char x[] = "x", y[] = "user.slice";

#define RAN(nr, value)  { nr, value, 100 * (nr), 100 * (nr), 100 * (nr), 1 }
#define HALF(nr, value) { nr, value, 100 * (nr), 50 * (nr), 100 * (nr), 1 }
#define NEVER(nr)       { nr, NAN, 100 * (nr), 0 }
#define UNSEEN          { 0, NAN, 0, 0 }

#define LOST    TD_STATUS_NOT_COUNTED, NAN
#define REFUSED TD_STATUS_NOT_SUPPORTED, NAN, 0, 100

#define CYCLES { "cpu_core/cycles/", 0, 0 }, { "cpu_atom/cycles/", 1, 0 }
#define CYCLES_U \
	{ "cpu_core/cycles/u", 0, 0 }, { "cpu_atom/cycles/u", 1, 0 }
#define CLOCK(spec) { "task-clock", 2, spec, .scale = 1e-6, \
	.type = PERF_TYPE_SOFTWARE }

static const struct {
	const char *name;
	bool hybrid, tasks;
	struct event events[MAX_EVENTS];
	struct id ids[MAX_IDS];
	struct row want[MAX_ROWS];
} tests[] = {
	{ "two events, in the order of the text",
	  .events = { { "b", 0, 0 }, { "a", 0, 1 } },
	  .ids = { { "all", NULL, { RAN(2, 7), HALF(2, 9) } } },
	  .want = { { "all", NULL, "b", 0, 7, 2, 100 },
		    { "all", NULL, "a", 0, 9, 2, 50 } } },
	{ "all ids of an event, then the next event",
	  .events = { { "b", 0, 0 }, { "a", 0, 1 } },
	  .ids = { { "CPU0", NULL, { RAN(1, 1), RAN(1, 2) } },
		   { "CPU5", NULL, { RAN(1, 3), NEVER(1) } } },
	  .want = { { "CPU0", NULL, "b", 0, 1, 1, 100 },
		    { "CPU5", NULL, "b", 0, 3, 1, 100 },
		    { "CPU0", NULL, "a", 0, 2, 1, 100 },
		    { "CPU5", NULL, "a", LOST, 1, 0 } } },
	{ "two kinds of core: each its CPUs",
	  .events = { CYCLES },
	  .ids = { { "CPU0", NULL, { RAN(1, 1), UNSEEN } },
		   { "CPU4", NULL, { UNSEEN, RAN(1, 2) } } },
	  .want = { { "CPU0", NULL, "cpu_core/cycles/", 0, 1, 1, 100 },
		    { "CPU4", NULL, "cpu_atom/cycles/", 0, 2, 1, 100 } } },
	{ "nothing that nobody asked for",
	  .events = { { "slots", 0, -1, .hidden = true }, { "a", 0, 0 } },
	  .ids = { { "all", NULL, { RAN(1, 1), RAN(1, 2) } } },
	  .want = { { "all", NULL, "a", 0, 2, 1, 100 } } },
	{ "scaled to its unit", .events = { CLOCK(0) },
	  .ids = { { "all", NULL, { RAN(1, 2500000) } } },
	  .want = { { "all", NULL, "task-clock", 0, 2.5, 1, 100 } } },

	{ "both kinds of core, one after the other",
	  .events = { CYCLES },
	  .ids = { { "all", NULL, { RAN(4, 100), HALF(8, 10) } } },
	  .want = { { "all", NULL, "cpu_core/cycles/", 0, 100, 4, 100 },
		    { "all", NULL, "cpu_atom/cycles/", 0, 10, 8, 50 } } },
	{ "merged: the sum, under the name that was typed", .hybrid = true,
	  .events = { CYCLES },
	  .ids = { { "all", NULL, { RAN(4, 100), HALF(8, 10) } } },
	  .want = { { "all", NULL, "cycles", 0, 110, 12, 50 } } },
	{ "merged: modifiers stay", .hybrid = true, .events = { CYCLES_U },
	  .ids = { { "all", NULL, { RAN(4, 100), RAN(8, 10) } } },
	  .want = { { "all", NULL, "cycles:u", 0, 110, 12, 100 } } },
	{ "merged: another event of the text is not", .hybrid = true,
	  .events = { { "cpu_core/cycles/", 0, 0 },
		      { "cpu_atom/cycles/", 1, 1 } },
	  .ids = { { "all", NULL, { RAN(4, 100), RAN(8, 10) } } },
	  .want = { { "all", NULL, "cpu_core/cycles/", 0, 100, 4, 100 },
		    { "all", NULL, "cpu_atom/cycles/", 0, 10, 8, 100 } } },
	{ "merged: two events of both kinds", .hybrid = true,
	  .events = { CYCLES, { "cpu_core/instructions/", 0, 1 },
		      { "cpu_atom/instructions/", 1, 1 } },
	  .ids = { { "all", NULL, { RAN(4, 1), RAN(8, 2), RAN(4, 30),
				    RAN(8, 40) } } },
	  .want = { { "all", NULL, "cycles", 0, 3, 12, 100 },
		    { "all", NULL, "instructions", 0, 70, 12, 100 } } },
	/*
	 * the name does not depend on where the task ran, as scripts search for
	 * it
	 */
	{ "merged: a CPU has one of them", .hybrid = true,
	  .events = { CYCLES },
	  .ids = { { "CPU0", NULL, { RAN(1, 1), UNSEEN } },
		   { "CPU4", NULL, { UNSEEN, RAN(1, 2) } } },
	  .want = { { "CPU0", NULL, "cycles", 0, 1, 1, 100 },
		    { "CPU4", NULL, "cycles", 0, 2, 1, 100 } } },
	/* a task that never ran on an E-core has 0 there, which is known */
	{ "merged: a task that ran on one kind alone", .hybrid = true, .tasks = true,
	  .events = { CYCLES },
	  .ids = { { "all", NULL, { RAN(1, 5), NEVER(1) } } },
	  .want = { { "all", NULL, "cycles", 0, 5, 1, 100 } } },
	{ "merged: a task that ran on the other kind alone", .hybrid = true, .tasks = true,
	  .events = { CYCLES },
	  .ids = { { "all", NULL, { NEVER(1), RAN(1, 5) } } },
	  .want = { { "all", NULL, "cycles", 0, 5, 1, 100 } } },
	{ "merged: on none", .hybrid = true, .tasks = true, .events = { CYCLES },
	  .ids = { { "all", NULL, { NEVER(1), NEVER(1) } } },
	  .want = { { "all", NULL, "cycles", LOST, 1, 0 } } },
	/* another program uses the counters of some CPUs, so the sum would be incomplete */
	{ "merged: one kind of core was not counted", .hybrid = true,
	  .events = { CYCLES },
	  .ids = { { "all", NULL, { RAN(4, 5), NEVER(8) } } },
	  .want = { { "all", NULL, "cycles", LOST, 12, 0 } } },
	{ "merged: software events have one kind", .hybrid = true,
	  .events = { CLOCK(0), CLOCK(1) },
	  .ids = { { "all", NULL, { RAN(8, 1e6), RAN(8, 2e6) } } },
	  .want = { { "all", NULL, "task-clock", 0, 1, 8, 100 },
		    { "all", NULL, "task-clock", 0, 2, 8, 100 } } },

	{ "units of an uncore PMU: their sum",
	  .events = { { "unc_r", 4, 0, .merge = true },
		      { "unc_r", 5, 0, .merge = true } },
	  .ids = { { "all", NULL, { RAN(1, 3), RAN(1, 4) } } },
	  .want = { { "all", NULL, "unc_r", 0, 7, 2, 100 } } },
	{ "units of which one was not counted",
	  .events = { { "unc_r", 4, 0, .merge = true },
		      { "unc_r", 5, 0, .merge = true } },
	  .ids = { { "all", NULL, { RAN(1, 3), NEVER(1) } } },
	  .want = { { "all", NULL, "unc_r", LOST, 2, 0 } } },

	{ "each event in its own cgroup: in the order of the text",
	  .events = { { "a", 0, 0 }, { "b", 0, 1 } },
	  .ids = { { "all", x, { UNSEEN, RAN(2, 1) } },
		   { "all", y, { RAN(2, 2), UNSEEN } } },
	  .want = { { "all", y, "a", 0, 2, 2, 100 },
		    { "all", x, "b", 0, 1, 2, 100 } } },
	{ "one in a cgroup, and one in none",
	  .events = { { "a", 0, 0 }, { "b", 0, 1 } },
	  .ids = { { "all", NULL, { UNSEEN, RAN(2, 1) } },
		   { "all", x, { RAN(2, 2), UNSEEN } } },
	  .want = { { "all", x, "a", 0, 2, 2, 100 },
		    { "all", NULL, "b", 0, 1, 2, 100 } } },
	{ "each event in each cgroup: one cgroup after the other",
	  .events = { { "a", 0, 0 }, { "b", 0, 1 } },
	  .ids = { { "all", x, { RAN(2, 1), RAN(2, 2) } },
		   { "all", y, { RAN(2, 3), NEVER(2) } } },
	  .want = { { "all", x, "a", 0, 1, 2, 100 },
		    { "all", x, "b", 0, 2, 2, 100 },
		    { "all", y, "a", 0, 3, 2, 100 },
		    { "all", y, "b", LOST, 2, 0 } } },
	{ "each cgroup, by CPU",
	  .events = { { "a", 0, 0 }, { "b", 0, 1 } },
	  .ids = { { "CPU0", x, { RAN(1, 1), RAN(1, 2) } },
		   { "CPU1", x, { RAN(1, 3), RAN(1, 4) } },
		   { "CPU0", y, { RAN(1, 5), RAN(1, 6) } },
		   { "CPU1", y, { RAN(1, 7), RAN(1, 8) } } },
	  .want = { { "CPU0", x, "a", 0, 1, 1, 100 },
		    { "CPU1", x, "a", 0, 3, 1, 100 },
		    { "CPU0", x, "b", 0, 2, 1, 100 },
		    { "CPU1", x, "b", 0, 4, 1, 100 },
		    { "CPU0", y, "a", 0, 5, 1, 100 },
		    { "CPU1", y, "a", 0, 7, 1, 100 },
		    { "CPU0", y, "b", 0, 6, 1, 100 },
		    { "CPU1", y, "b", 0, 8, 1, 100 } } },
	{ "merged kinds of core in each cgroup", .hybrid = true,
	  .events = { CYCLES },
	  .ids = { { "all", x, { RAN(4, 1), RAN(8, 2) } },
		   { "all", y, { RAN(4, 3), RAN(8, 4) } } },
	  .want = { { "all", x, "cycles", 0, 3, 12, 100 },
		    { "all", y, "cycles", 0, 7, 12, 100 } } },

	{ "what was refused, for each id of its PMU",
	  .events = { { "a", 0, 0 }, { "b", 0, 1, .refused = true } },
	  .ids = { { "CPU0", NULL, { RAN(1, 1), UNSEEN } },
		   { "CPU1", NULL, { RAN(1, 2), UNSEEN } } },
	  .want = { { "CPU0", NULL, "a", 0, 1, 1, 100 },
		    { "CPU1", NULL, "a", 0, 2, 1, 100 },
		    { "CPU0", NULL, "b", REFUSED },
		    { "CPU1", NULL, "b", REFUSED } } },
	{ "all was refused",
	  .events = { { "a", 0, 0, .refused = true } },
	  .want = { { "all", NULL, "a", REFUSED } } },
	{ "a cache that the other kind of core has",
	  .events = { { "cpu_core/l1/", 0, 0, .type = PERF_TYPE_HW_CACHE },
		      { "cpu_atom/l1/", 1, 0, .refused = true,
			.type = PERF_TYPE_HW_CACHE } },
	  .ids = { { "all", NULL, { RAN(4, 1), UNSEEN } } },
	  .want = { { "all", NULL, "cpu_core/l1/", 0, 1, 4, 100 } } },
	/* rows have their cgroup, as in perf stat, even without a count */
	{ "refused in each cgroup, beside another PMU's event",
	  .events = { CLOCK(0), { "b", 0, 1, .refused = true } },
	  .ids = { { "all", x, { RAN(2, 1e6), UNSEEN } },
		   { "all", y, { RAN(2, 3e6), UNSEEN } } },
	  .want = { { "all", x, "task-clock", 0, 1, 2, 100 },
		    { "all", x, "b", REFUSED },
		    { "all", y, "task-clock", 0, 3, 2, 100 },
		    { "all", y, "b", REFUSED } } },
	{ "the time, in each cgroup",
	  .events = { { "a", 0, 0 }, { "duration_time", 3, 1,
				       TD_TOOL_DURATION_TIME } },
	  .ids = { { "all", x, { RAN(2, 1), UNSEEN } },
		   { "all", y, { RAN(2, 3), UNSEEN } } },
	  .want = { { "all", x, "a", 0, 1, 2, 100 },
		    { "all", x, "duration_time", 0, 1000, 1, 100 },
		    { "all", y, "a", 0, 3, 2, 100 },
		    { "all", y, "duration_time", 0, 1000, 1, 100 } } },
	{ "the time of no command",
	  .events = { { "user_time", 3, 0, TD_TOOL_USER_TIME },
		      { "duration_time", 3, 1, TD_TOOL_DURATION_TIME } },
	  .want = { { "all", NULL, "user_time", LOST, 1, 100 },
		    { "all", NULL, "duration_time", 0, 1000, 1, 100 } } },
};
/* clang-format on */

/* The buffer to which strings of the table are copied. */
static char names[MAX_EVENTS][40], id_names[MAX_IDS][16], refusal[] = "why";

static char *copy(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
	return to;
}

static size_t make_plan(size_t t, struct td_event *events)
{
	size_t nr = 0;

	for (; nr < MAX_EVENTS && tests[t].events[nr].name; nr++) {
		const struct event *from = &tests[t].events[nr];

		events[nr] = (struct td_event){
			.name = copy(names[nr], sizeof(names[nr]), from->name),
			.pmu = from->pmu,
			.type = from->type ? from->type : PERF_TYPE_RAW,
			.config = { nr },
			.scale = from->scale > 0 ? from->scale : 1,
			.tool = from->tool,
			.spec = from->spec,
			.group = -1,
			.merge = from->merge,
			.hidden = from->hidden,
			.refusal = from->refused ? refusal : NULL,
		};
	}
	return nr;
}

static size_t make_totals(size_t t, size_t nr_events, struct td_total_id *ids, struct td_total *v)
{
	size_t nr = 0;

	for (; nr < MAX_IDS && tests[t].ids[nr].name; nr++) {
		ids[nr] = (struct td_total_id){
			.name = copy(id_names[nr], sizeof(id_names[nr]), tests[t].ids[nr].name),
			.cgroup = tests[t].ids[nr].cgroup,
		};
		memcpy(v + nr * nr_events, tests[t].ids[nr].v, nr_events * sizeof(*v));
	}
	return nr;
}

static bool same_text(const char *got, const char *want)
{
	return got && want ? strcmp(got, want) == 0 : got == want;
}

static void check_row(const char *name, const struct td_event_row *got, const struct row *want)
{
	bool same = same_text(got->id, want->id) && same_text(got->cgroup, want->cgroup) &&
		    same_text(got->event, want->event) && got->status == want->status &&
		    got->nr == want->nr && test_near(got->value, want->value, 1e-12) &&
		    test_near(got->running_pct, want->running, 1e-12) && isnan(got->error_pct);

	ok(same, "%s: %s %s of %s", name, want->id, want->event,
	   want->cgroup ? want->cgroup : "no cgroup");
	if (!same)
		printf("# got: %s %s of %s: status %d, %g, %u counters, %g %%\n", got->id,
		       got->event, got->cgroup ? got->cgroup : "none", (int)got->status, got->value,
		       got->nr, got->running_pct);
}

static size_t count_wanted(size_t t)
{
	size_t nr = 0;

	while (nr < MAX_ROWS && tests[t].want[nr].id)
		nr++;
	return nr;
}

static void test_rows(size_t t)
{
	static const struct td_times times = { .elapsed_ns = 1000 };
	struct td_event events[MAX_EVENTS];
	struct td_total_id ids[MAX_IDS];
	struct td_total v[MAX_IDS * MAX_EVENTS];
	const struct td_plan plan = { .events.v = events, .events.nr = make_plan(t, events) };
	const struct td_totals totals = {
		.ids = ids,
		.nr_ids = make_totals(t, plan.events.nr, ids, v),
		.v = v,
		.nr_events = plan.events.nr,
		.tasks = tests[t].tasks,
	};
	struct td_event_table table = { .plan = &plan, .hybrid = tests[t].hybrid };
	const struct td_event_report *report = &table.report;
	size_t nr = count_wanted(t);

	/* an interval, and the next one */
	for (int again = 0; again < 2; again++) {
		td_event_rows(&table, &totals, &times);
		ok(report->nr_rows == nr, "%s: %zu rows", tests[t].name, report->nr_rows);
		for (size_t i = 0; i < nr && i < report->nr_rows; i++)
			check_row(tests[t].name, &report->rows[i], &tests[t].want[i]);
	}
	td_event_table_free(&table);
}

int main(void)
{
	for (size_t t = 0; t < TD_ARRAY_SIZE(tests); t++)
		test_rows(t);
	return done_testing();
}
