// SPDX-License-Identifier: GPL-2.0-only
/* tdstat doctor: what this machine can count, and what stands in the way. */
#include <string.h>

#include "cmd/doctor/judge.h"
#include "cmd/doctor/self_test.h"
#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/rows.h"
#include "cmd/opts/value.h"
#include "cmd/out/out.h"
#include "cmd/out/wrap.h"
#include "cmd/plan/select.h"
#include "lib/base/json_put.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

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

/* --- text ------------------------------------------------------------------- */

#define STATE_WIDTH 9
#define NAME_WIDTH  12

/* Not wrapped, to be pasted. */
static void put_command(FILE *fp, const char *label, const char *command)
{
	if (!command)
		return;
	fprintf(fp, "%*s%-*s", STATE_WIDTH, "", NAME_WIDTH, label);
	td_put_printable(fp, command);
	fputc('\n', fp);
}

/* "warning  watchdog    the NMI watchdog ..." */
static void put_finding(FILE *fp, const struct td_finding *finding,
			const char *above)
{
	bool same = strcmp(finding->name, above) == 0;

	fprintf(fp, "%-*s%-*s", STATE_WIDTH,
		td_finding_state_name(finding->state), NAME_WIDTH,
		same ? "" : finding->name);
	td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, finding->text);
	put_command(fp, "try:", finding->command);
	put_command(fp, "or:", finding->other);
	if (finding->remedy) {
		fprintf(fp, "%*s%-*s", STATE_WIDTH, "", NAME_WIDTH, "");
		td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, finding->remedy);
	}
}

static const char *conclude(const struct td_doctor *doctor)
{
	if (doctor->level_1)
		return "level 1 works";
	return td_doctor_has_failed(doctor)
		       ? "level 1 does not work: see what failed"
		       : "level 1 was not tried";
}

static void put_text(FILE *fp, const struct td_doctor *doctor)
{
	const char *above = "";

	for (size_t i = 0; i < doctor->nr_findings; i++) {
		put_finding(fp, &doctor->findings[i], above);
		above = doctor->findings[i].name;
	}
	fprintf(fp, "\n%s\n", conclude(doctor));
}

/* --- JSON ------------------------------------------------------------------- */

#define VERSION 1 /* of the object */

static struct json_object *make_finding(const struct td_finding *finding)
{
	struct json_object *object = json_object_new_object();

	td_json_put_string(object, "name", finding->name);
	td_json_put_string(object, "state",
			   td_finding_state_name(finding->state));
	td_json_put_string(object, "text", finding->text);
	if (finding->command)
		td_json_put_string(object, "command", finding->command);
	if (finding->other)
		td_json_put_string(object, "or", finding->other);
	if (finding->remedy)
		td_json_put_string(object, "remedy", finding->remedy);
	return object;
}

#define OF(member) TD_CELL_PERCENT, offsetof(struct td_loop_shares, member)

static const struct td_sheet_column shares[] = {
	{ "retiring", OF(retiring) },
	{ "backend_bound", OF(backend_bound) },
	{ "frontend_bound", OF(frontend_bound) },
	{ "bad_speculation", OF(bad_speculation) },
	{ "running", OF(running_pct) },
};

static struct json_object *make_loop(const struct td_self_test *test, int loop)
{
	static const char *const names[TD_NR_LOOPS] = {
		[TD_LOOP_RETIRING] = "retiring",
		[TD_LOOP_MISPREDICT] = "mispredict",
		[TD_LOOP_CHASE] = "chase",
	};
	struct json_object *object = json_object_new_object();

	td_json_put_string(object, "pmu", test->pmu);
	td_json_put_int(object, "cpu", test->cpu);
	td_json_put_string(object, "loop", names[loop]);
	td_json_add(object, "passed",
		    json_object_new_boolean(test->passed[loop]));
	td_out_json_cells(object, shares, TD_ARRAY_SIZE(shares),
			  &test->shares[loop]);
	return object;
}

/* An object on one line; its members are in tdstat-doctor(1). */
static int put_json(FILE *fp, const struct td_doctor *doctor)
{
	struct json_object *all = td_json_line();
	struct json_object *findings = json_object_new_array();
	struct json_object *loops = json_object_new_array();

	for (size_t i = 0; i < doctor->nr_findings; i++)
		td_json_append(findings, make_finding(&doctor->findings[i]));
	for (size_t i = 0; i < doctor->nr_tests; i++) {
		for (int loop = 0;
		     !doctor->tests[i].err.code && loop < TD_NR_LOOPS; loop++)
			td_json_append(loops,
				       make_loop(&doctor->tests[i], loop));
	}
	td_json_put_int(all, "tdstat_doctor", VERSION);
	td_json_add(all, "level_1", json_object_new_boolean(doctor->level_1));
	td_json_add(all, "findings", findings);
	td_json_add(all, "self_test", loops);
	return td_json_put_line(fp, all);
}

/* ---------------------------------------------------------------------------- */

static int show(const struct visit *v, struct td_err *err)
{
	if (v->opts->format == TD_FORMAT_JSON && put_json(stdout, &v->doctor))
		return td_err_nomem(err);
	if (v->opts->format != TD_FORMAT_JSON)
		put_text(stdout, &v->doctor);
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
