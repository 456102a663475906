// SPDX-License-Identifier: GPL-2.0-only
/* Findings of tdstat doctor for given facts. */
#include "cmd/doctor/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define SHARES(r, be, fe, bs, sum_)                                             \
	{                                                                       \
		.retiring = (r), .backend_bound = (be), .frontend_bound = (fe), \
		.bad_speculation = (bs), .sum = (sum_), .running_pct = 100      \
	}

/* --- the self-test ----------------------------------------------------------- */

static const struct loops_row {
	const char *name;
	struct td_loop_shares shares[TD_NR_LOOPS]; /* in the order of td_loop */
	bool passed[TD_NR_LOOPS];
	bool works;
} loops_rows[] = {
	{ "as on silicon: 08 of the published ones, between the two extremes",
	  { SHARES(93, 3, 3, 1, 100), SHARES(13.2, 8.6, 20, 58.2, 100), SHARES(2, 95, 2, 1, 100) },
	  { true, true, true },
	  true },
	{ "all alike",
	  { SHARES(25, 50, 16, 9, 100), SHARES(25, 50, 16, 9, 100), SHARES(25, 50, 16, 9, 100) },
	  { false, false, false },
	  false },
	{ "the branches are predicted",
	  { SHARES(93, 3, 3, 1, 100), SHARES(60, 30, 9, 1, 100), SHARES(2, 95, 2, 1, 100) },
	  { true, false, true },
	  false },
	{ "just far enough apart",
	  { SHARES(40, 40, 15, 5, 100), SHARES(20, 40, 25, 15, 100), SHARES(20, 60, 15, 5, 100) },
	  { true, true, true },
	  true },
	{ "just not",
	  { SHARES(39.9, 40.1, 15, 5, 100), SHARES(20, 40, 25.1, 14.9, 100),
	    SHARES(20, 60, 15, 5, 100) },
	  { false, false, false },
	  false },
	{ "groups that took turns",
	  { SHARES(93, 3, 3, 1, 114), SHARES(13, 9, 20, 58, 90), SHARES(2, 95, 2, 1, 100) },
	  { true, true, true },
	  true },
	{ "more slots than there are",
	  { SHARES(93, 3, 3, 1, 100), SHARES(13, 9, 20, 58, 100), SHARES(2, 95, 2, 1, 116) },
	  { false, false, false },
	  false },
	{ "fewer",
	  { SHARES(93, 3, 3, 1, 84), SHARES(13, 9, 20, 58, 100), SHARES(2, 95, 2, 1, 100) },
	  { false, false, false },
	  false },
	{ "nothing retires",
	  { SHARES(93, 3, 3, 1, 100), SHARES(13, 9, 20, 58, 100), SHARES(0, 97, 2, 1, 100) },
	  { false, false, false },
	  false },
};

static struct td_machine machine = { .nr_core = 0 };
static const struct td_environment nothing = { .paranoid = 0 };

static void add_test(struct td_doctor *doctor, const struct loops_row *row, int cpu)
{
	struct td_self_test *test = td_array_add(&doctor->tests, doctor->nr_tests, sizeof(*test));

	doctor->nr_tests++;
	test->pmu = "cpu";
	test->cpu = cpu;
	if (cpu < 0)
		td_err_set(&test->err, -ENODEV, "not there");
	else
		memcpy(test->shares, row->shares, sizeof(test->shares));
}

static struct td_levels levels;
static const struct td_system bare = { &machine, &nothing, &levels };

static void test_loops(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(loops_rows); i++) {
		const struct loops_row *row = &loops_rows[i];
		struct td_doctor doctor = { 0 };

		add_test(&doctor, row, 0);
		td_doctor_judge_tests(&doctor, &bare);
		ok(doctor.level_1 == row->works && !td_doctor_failed(&doctor) == row->works,
		   "%s: %s", row->name, row->works ? "works" : "does not");
		ok(memcmp(doctor.tests[0].passed, row->passed, sizeof(row->passed)) == 0,
		   "%s: each loop", row->name);
		td_doctor_free(&doctor);
	}
}

static void test_kinds(void)
{
	struct td_doctor doctor = { 0 };

	td_doctor_judge_tests(&doctor, &bare);
	ok(!doctor.level_1 && !td_doctor_failed(&doctor),
	   "nothing tried: not shown to work, but nothing has failed");
	td_doctor_free(&doctor);
	add_test(&doctor, NULL, -1);
	td_doctor_judge_tests(&doctor, &bare);
	ok(!doctor.level_1, "a kind where it may not run, alone");
	td_doctor_free(&doctor);
	add_test(&doctor, NULL, -1);
	add_test(&doctor, &loops_rows[0], 3);
	td_doctor_judge_tests(&doctor, &bare);
	ok(doctor.level_1, "beside one that works");
	td_doctor_free(&doctor);
	add_test(&doctor, &loops_rows[0], 3);
	add_test(&doctor, &loops_rows[1], 4);
	td_doctor_judge_tests(&doctor, &bare);
	ok(!doctor.level_1, "one kind works, the other does not");
	td_doctor_free(&doctor);
}

/* --- rights ------------------------------------------------------------------ */

static void test_rights(void)
{
	static const struct {
		int paranoid;
		bool admin, perfmon;
		enum td_finding_state state;
		const char *has;
		bool setcap; /* helps */
	} rows[] = {
		{ -1, false, false, TD_FINDING_OK, "whole machine" },
		{ 0, false, false, TD_FINDING_OK, "whole machine" },
		{ 1, false, false, TD_FINDING_WARNING, "in the kernel", true },
		{ 2, false, false, TD_FINDING_WARNING, "user space only", true },
		{ 2, false, true, TD_FINDING_OK, "with CAP_PERFMON" },
		/* on Debian, the capability does not help there */
		{ 3, false, false, TD_FINDING_WARNING, "only root" },
		{ 3, false, true, TD_FINDING_WARNING, "even with CAP_PERFMON" },
		{ 4, true, true, TD_FINDING_OK, "by root" },
		{ TD_UNKNOWN, false, false, TD_FINDING_WARNING, "unknown" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		char program[] = "/opt/td stat";
		const struct td_environment environment = {
			.paranoid = rows[i].paranoid,
			.admin = rows[i].admin,
			.perfmon = rows[i].perfmon,
			.program = program,
		};
		const struct td_system user = { &machine, &environment, &levels };
		struct td_doctor doctor = { 0 };
		struct td_finding *found;

		td_doctor_judge_rights(&doctor, &user);
		found = doctor.findings;
		ok(doctor.nr_findings == 1 && found->state == rows[i].state &&
			   strstr(found->text, rows[i].has),
		   "paranoid %d: %s", rows[i].paranoid, found->text);
		if (rows[i].setcap)
			is_str(found->other, "setcap cap_perfmon+ep '/opt/td stat'",
			       "as a shell reads it");
		else
			ok(!found->other || !strstr(found->other, "setcap"),
			   "setcap would not help");
		td_doctor_free(&doctor);
	}
}

/* --- what locate samples on AMD ----------------------------------------------- */

static void test_ibs(void)
{
	struct td_pmu pmu = { .kind = TD_PMU_CORE, .uarch = TD_ZEN };
	const struct td_machine zen = { .pmus = &pmu, .nr_core = 1 };
	static const struct {
		int paranoid;
		bool has, perfmon, filters;
		enum td_finding_state state;
		const char *text, *command;
	} rows[] = {
		{ 4, false, false, false, TD_FINDING_NOTE, "no instruction-based" },
		{ 2, true, false, false, TD_FINDING_WARNING, "also samples the kernel",
		  "sysctl kernel.perf_event_paranoid=1" },
		{ 2, true, true, false, TD_FINDING_OK, "waits for memory" },
		{ 2, true, false, true, TD_FINDING_OK, "waits for memory" },
		{ 3, true, false, true, TD_FINDING_WARNING, "also samples the kernel",
		  "sysctl kernel.perf_event_paranoid=1" },
		{ 1, true, false, false, TD_FINDING_OK, "waits for memory" },
		{ -1, true, false, false, TD_FINDING_OK, "waits for memory" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		const struct td_environment environment = {
			.paranoid = rows[i].paranoid,
			.perfmon = rows[i].perfmon,
			.has_ibs = rows[i].has,
			.ibs_filters = rows[i].filters,
		};
		const struct td_sysfs none = { .sys = -1, .proc = -1 };
		const struct td_system amd = { &zen, &environment, &levels, &none };
		struct td_doctor doctor = { 0 };
		const struct td_finding *found = NULL;

		td_doctor_judge_system(&doctor, &amd);
		for (size_t j = 0; j < doctor.nr_findings; j++)
			if (strcmp(doctor.findings[j].name, "IBS") == 0)
				found = &doctor.findings[j];
		ok(found && found->state == rows[i].state && strstr(found->text, rows[i].text) &&
			   (!rows[i].command || strcmp(found->command, rows[i].command) == 0),
		   "IBS, paranoid %d: %s", rows[i].paranoid, found ? found->text : "");
		td_doctor_free(&doctor);
	}
}

/* --- the loops --------------------------------------------------------------- */

/* All lines are in one cycle: a chase that stays in a part would be cached. */
static void test_ring(void)
{
	void **ring = td_loops_ring(), **at = ring;
	size_t nr = 0;

	do {
		at = *at;
		nr++;
	} while (at != ring && nr < 1000000);
	ok(nr == (8 << 20) / 64, "%zu lines, each once", nr);
	free(ring);
}

static void test_time(void)
{
	void **ring = td_loops_ring();

	for (int i = 0; i < TD_NR_LOOPS; i++) {
		uint64_t begin_ns = td_now_ns(), ns;

		td_loop_run(ring, (enum td_loop)i, 20000000);
		ns = td_now_ns() - begin_ns;
		ok(ns >= 20000000 && ns < 1000000000, "loop %d: %.1f ms", i, (double)ns / 1e6);
	}
	free(ring);
}

int main(void)
{
	test_loops();
	test_kinds();
	test_rights();
	test_ibs();
	test_ring();
	test_time();
	return done_testing();
}
