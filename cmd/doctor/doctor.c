// SPDX-License-Identifier: GPL-2.0-only
/* tdstat doctor: what this machine can count, and what stands in the way. */
#include "cmd/doctor/judge.h"
#include "cmd/doctor/self_test.h"
#include "cmd/doctor/writers.h"
#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/rows.h"
#include "cmd/opts/value.h"
#include "cmd/out/out.h"
#include "cmd/plan/select.h"

/* Everything that is gathered, and what comes of it. */
struct visit {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_surroundings around;
	struct td_levels levels;
	struct td_doctor doctor;
};

static int gather(struct visit *v, struct td_err *err)
{
	int rc = td_select_machine(&v->fs, &v->machine, v->opts, err);

	if (!rc)
		rc = td_surroundings_read(&v->around, &v->fs, &v->machine, err);
	return rc ? rc : td_levels_plan(&v->levels, v->opts, &v->machine, err);
}

/* Another machine's proc does not have this thread. */
static bool can_test(const struct visit *v)
{
	return !v->levels.no_level_1.code && !v->around.saved;
}

/* The planned levels, or why there are none, unless the PMU's line has it. */
static void take_levels(struct visit *v)
{
	const struct td_err *why = &v->levels.no_level_1;

	if (why->code && v->machine.nr_core)
		td_doctor_add_error(&v->doctor, "level 1", TD_FINDING_FAILED,
				    why);
	td_doctor_take(&v->doctor, &v->levels.found);
}

static int examine(struct visit *v, struct td_err *err)
{
	const struct td_patient patient = { &v->machine, &v->around,
					    &v->levels };
	int rc;

	td_doctor_judge_machine(&v->doctor, &patient);
	td_doctor_judge_rights(&v->doctor, &patient);
	take_levels(v);
	td_doctor_judge_system(&v->doctor, &patient);
	rc = can_test(v)
		     ? td_self_test_run(&v->doctor, v->opts, &v->machine, err)
		     : 0;
	td_doctor_judge_tests(&v->doctor, &patient);
	return rc || !v->doctor.out_of_memory ? rc : td_err_nomem(err);
}

static int show(const struct visit *v, struct td_err *err)
{
	if (v->opts->format == TD_FORMAT_JSON &&
	    td_doctor_put_json(stdout, &v->doctor))
		return td_err_nomem(err);
	if (v->opts->format != TD_FORMAT_JSON)
		td_doctor_put_text(stdout, &v->doctor);
	return td_out_check(stdout, "standard output", err);
}

static void free_visit(struct visit *v)
{
	td_doctor_free(&v->doctor);
	td_levels_free(&v->levels);
	td_surroundings_free(&v->around);
	td_machine_free(&v->machine);
	td_sysfs_close(&v->fs);
}

static int doctor(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct visit v = { .opts = opts, .fs = { .sys = -1, .proc = -1 } };
	int rc = gather(&v, err);

	if (!rc)
		rc = examine(&v, err);
	if (!rc)
		rc = show(&v, err);
	*status = rc || !v.doctor.level_1;
	free_visit(&v);
	return rc;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->nr_patterns)
		return 0;
	return td_err_usage(err, "tdstat doctor takes no arguments: '%s'",
			    opts->patterns[0]);
}

static const struct td_option_group *const groups[] = {
	&td_group_files,
	&td_group_json,
	NULL,
};

const struct td_command td_command_doctor = {
	.name = "doctor",
	.line = "say what this machine can count, and what stands in the way",
	.args = "",
	.doc = "Says on one page what this machine can count, what stands in "
	       "the way and which command helps, and tests level 1 with loops "
	       "whose answer is known, for half a second.  Nothing is changed.",
	.what = "What to look at:",
	.examples = "  tdstat doctor\n"
		    "  tdstat doctor -j | jq '.findings[] | select(.state == "
		    "\"failed\")'",
	.status = "Exit status: 0 if level 1 works; 1 if it does not, or could "
		  "not be tried; 64 for a wrong option.",
	.groups = groups,
	.word = td_value_pattern,
	.check = check,
	.counts = true,
	.run = doctor,
};
