// SPDX-License-Identifier: GPL-2.0-only
/*
 * Findings on the counts of the loops.
 *
 * Loops are compared with each other because the shares of one loop differ from core to core.
 * The limits, in points, are far below what silicon shows: a published program bound by
 * mispredictions has 13 % retiring, 58 % bad speculation and 9 % backend bound on Golden Cove.
 * A pointer chase retires one load in tens of cycles of 4 to 8 slots each, and the first loop
 * never waits.
 */
#include <math.h>

#include "cmd/doctor/parts.h"
#include "lib/base/util.h"

/*
 * Maximum difference of the sum of level 1 from 100 %, in points.  In published results, it is up
 * to 14 with multiplexed groups, and up to 2 otherwise.
 */
#define MAX_OFF 15

static const struct {
	const char *loop; /* description of the loop */
	const char *node; /* bottleneck of the loop, see share_of() */
	double margin;    /* minimum distance of the node's share from that in other loops */
} rules[TD_NR_LOOPS] = {
	[TD_LOOP_RETIRING] = { "simple instructions", "retiring", 20 },
	[TD_LOOP_MISPREDICT] = { "mispredicted branches", "bad speculation", 10 },
	[TD_LOOP_CHASE] = { "a chase of pointers", "backend bound", 20 },
};

/* Return the share of the node that is the bottleneck of a loop. */
static double share_of(const struct td_loop_shares *shares, enum td_loop loop)
{
	switch (loop) {
	case TD_LOOP_RETIRING:
		return shares->retiring;
	case TD_LOOP_MISPREDICT:
		return shares->bad_speculation;
	case TD_LOOP_CHASE:
		return shares->backend_bound;
	case TD_NR_LOOPS:
		break;
	}
	return NAN;
}

/* --- does level 1 add up? ---------------------------------------------------- */

/* Return the sum of level 1 that is farthest from 100 %. */
static double worst_sum(const struct td_self_test *test)
{
	double worst = 100;

	for (int i = 0; i < TD_NR_LOOPS; i++) {
		if (fabs(test->shares[i].sum - 100) >= fabs(worst - 100))
			worst = test->shares[i].sum;
	}
	return worst;
}

static bool adds_up(const struct td_self_test *test)
{
	for (int i = 0; i < TD_NR_LOOPS; i++) {
		if (!(test->shares[i].retiring > 0))
			return false;
	}
	return fabs(worst_sum(test) - 100) <= MAX_OFF;
}

static void add_sum(struct td_doctor *doctor, const struct td_self_test *test,
		    enum td_finding_state state)
{
	double sum = worst_sum(test);

	if (state == TD_FINDING_OK)
		td_doctor_add(doctor, "self-test", state,
			      "%s, %s %d: level 1 is counted and adds up to %.1f %%", test->pmu,
			      test->whole_core ? "the core of CPU" : "CPU", test->cpu, sum);
	else
		td_doctor_add(
			doctor, "self-test", state,
			"%s, CPU %d: level 1 is counted wrongly: it adds up to %.1f %%, with %.1f "
			"%% retiring",
			test->pmu, test->cpu, sum, test->shares[0].retiring);
}

/* --- does level 1 differ between the loops? --------------------------------- */

/* Return the share of a loop's node in the loop `offset` places after it. */
static double share_in(const struct td_self_test *test, int loop, int offset)
{
	return share_of(&test->shares[(loop + offset) % TD_NR_LOOPS], (enum td_loop)loop);
}

static bool find_passed(struct td_self_test *test)
{
	bool all = true;

	for (int i = 0; i < TD_NR_LOOPS; i++) {
		double others = fmax(share_in(test, i, 1), share_in(test, i, 2));

		test->passed[i] = share_in(test, i, 0) >= others + rules[i].margin;
		all &= test->passed[i];
	}
	return all;
}

/* Add a finding for each loop.  Loops that have not passed get the state failed. */
static void add_loops(struct td_doctor *doctor, const struct td_self_test *test,
		      enum td_finding_state failed)
{
	for (int i = 0; i < TD_NR_LOOPS; i++)
		td_doctor_add(doctor, "self-test", test->passed[i] ? TD_FINDING_OK : failed,
			      "%s, %s: %.1f %% %s; the other loops %.1f and %.1f %%", test->pmu,
			      rules[i].loop, share_in(test, i, 0), rules[i].node,
			      share_in(test, i, 1), share_in(test, i, 2));
}

/*
 * The counters are not real if no share differs by more than this between loops, in points.  On a
 * real processor, some share does, whatever else runs.
 */
#define ALIKE 2

static bool are_alike(const struct td_self_test *test)
{
	for (int loop = 0; loop < TD_NR_LOOPS; loop++) {
		double first = share_of(&test->shares[0], (enum td_loop)loop);

		for (int i = 1; i < TD_NR_LOOPS; i++) {
			double share = share_of(&test->shares[i], (enum td_loop)loop);

			if (fabs(share - first) > ALIKE)
				return false;
		}
	}
	return true;
}

static void explain_failure(struct td_doctor *doctor, const struct td_self_test *test, bool made_up,
			    const struct td_machine *machine)
{
	struct td_finding *finding = td_doctor_add(
		doctor, "self-test", TD_FINDING_FAILED,
		"%s: the counters %sdo not distinguish the loops%s", test->pmu,
		made_up ? "are not real here: they " : "",
		made_up ? ", but count the same whatever runs, like those of an emulator"
		: machine->cpuid.hypervisor ? ": an emulated or virtual PMU, or a busy host?"
					    : ": is the machine very busy?");

	if (made_up || machine->cpuid.hypervisor)
		td_finding_set_remedy(finding, "measure on the host");
	else
		td_finding_set_command(finding, "tdstat doctor");
}

/* Add findings: failures first, then the shares as evidence. */
static bool judge_counts(struct td_doctor *doctor, struct td_self_test *test,
			 const struct td_machine *machine)
{
	bool made_up = are_alike(test), passed;

	if (!adds_up(test)) {
		add_sum(doctor, test, TD_FINDING_FAILED);
		return false;
	}
	passed = find_passed(test);
	if (!passed)
		explain_failure(doctor, test, made_up, machine);
	doctor->made_up |= !passed && made_up;
	add_sum(doctor, test, TD_FINDING_OK);
	add_loops(doctor, test, made_up ? TD_FINDING_NOTE : TD_FINDING_FAILED);
	return passed;
}

/* --- all -------------------------------------------------------------------- */

static bool was_tried(const struct td_self_test *test)
{
	return test->cpu >= 0;
}

static bool judge_test(struct td_doctor *doctor, struct td_self_test *test,
		       const struct td_machine *machine)
{
	struct td_finding *finding;

	if (!test->err.code)
		return judge_counts(doctor, test, machine);
	finding = td_doctor_add(doctor, "self-test",
				was_tried(test) ? TD_FINDING_FAILED : TD_FINDING_WARNING, "%s: %s",
				test->pmu, test->err.msg);
	if (test->err.hint[0])
		td_finding_set_remedy(finding, "%s", test->err.hint);
	return !was_tried(test);
}

static void judge_untried(struct td_doctor *doctor, const struct td_system *system)
{
	const char *why = "no CPU of a core PMU is online";

	if (system->levels->no_level_1.code)
		why = "level 1 cannot be counted";
	else if (system->environment->saved)
		why = "PROCFS_PATH is of another machine";
	td_doctor_add(doctor, "self-test", TD_FINDING_NOTE, "not tried: %s", why);
}

void td_doctor_judge_tests(struct td_doctor *doctor, const struct td_system *system)
{
	size_t nr = 0;
	bool good = true;

	for (size_t i = 0; i < doctor->nr_tests; i++) {
		nr += was_tried(&doctor->tests[i]);
		good &= judge_test(doctor, &doctor->tests[i], system->machine);
	}
	if (!doctor->nr_tests)
		judge_untried(doctor, system);
	doctor->level_1 = good && nr;
}
