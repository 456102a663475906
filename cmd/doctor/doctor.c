// SPDX-License-Identifier: GPL-2.0-only
/* tdstat doctor: what this machine can count, and what stands in the way. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cmd/doctor/parts.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/value.h"
#include "cmd/out/out.h"
#include "cmd/plan/select.h"
#include "cmd/version.h"
#include "lib/base/json.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/counter/probe.h"
#include "metrics/sets/sets.h"

/* --- findings on the processor --------------------------------------------- */

static void judge_processor(struct td_doctor *doctor,
			    const struct td_machine *machine)
{
	td_autofree char *cpus = td_ints_format(&machine->online);
	char cpuid[48];

	if (machine->no_identity.code) {
		td_doctor_add_error(doctor, "processor", TD_FINDING_FAILED,
				    &machine->no_identity);
		return;
	}
	td_cpuid_format(&machine->cpuid, cpuid);
	td_doctor_add(doctor, "processor",
		      machine->model ? TD_FINDING_OK : TD_FINDING_NOTE,
		      "%s (%s), CPUs %s",
		      machine->model ? machine->model->name
				     : "not in tdstat's table",
		      cpuid, cpus ? cpus : "?");
}

static void judge_hypervisor(struct td_doctor *doctor,
			     const struct td_machine *machine)
{
	if (machine->cpuid.hypervisor)
		td_doctor_add(doctor, "hypervisor", TD_FINDING_NOTE,
			      "this is a virtual machine: its host decides "
			      "what there is to count");
	else
		td_doctor_add(doctor, "hypervisor", TD_FINDING_OK, "none");
}

/* --- PMUs ------------------------------------------------------------------- */

static size_t count_topdown(const struct td_pmu *pmu)
{
	size_t nr = 0;

	for (size_t i = 0; i < pmu->nr_aliases; i++)
		nr += strncmp(pmu->aliases[i].name, "topdown-", 8) == 0;
	return nr;
}

/* "slots and 8 fields of PERF_METRICS" */
static void describe_events(const struct td_pmu *pmu, char *buf, size_t size)
{
	size_t nr = count_topdown(pmu);

	if (td_pmu_has_slots(pmu))
		snprintf(buf, size, "slots and %zu fields of PERF_METRICS", nr);
	else if (nr)
		snprintf(buf, size, "%zu top-down events", nr);
	else if (td_uarch_has(pmu->uarch, TD_CORE_FIELDS))
		snprintf(buf, size,
			 "no PERF_METRICS to be had, but the same "
			 "by general counters");
	else
		snprintf(buf, size, "no top-down events in sysfs");
}

static void judge_pmu(struct td_doctor *doctor, const struct td_pmu *pmu)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);
	char events[80];

	describe_events(pmu, events, sizeof(events));
	td_doctor_add(doctor, "PMU",
		      count_topdown(pmu) ? TD_FINDING_OK : TD_FINDING_NOTE,
		      "%s: CPUs %s, %s; %s; %d general counters", pmu->name,
		      cpus && *cpus ? cpus : "none", td_uarch_name(pmu->uarch),
		      events, td_uarch_general(pmu->uarch));
}

/* What prevents level 1 says the PMU's line if there is no PMU. */
static void judge_pmus(struct td_doctor *doctor,
		       const struct td_patient *patient)
{
	const struct td_machine *machine = patient->machine;
	const struct td_err *why = &patient->levels->no_level_1;

	for (size_t i = 0; i < machine->nr_core; i++)
		judge_pmu(doctor, &machine->pmus[i]);
	if (!machine->nr_core && why->code)
		td_doctor_add_error(doctor, "PMU", TD_FINDING_FAILED, why);
}

/* --- what takes counters ----------------------------------------------------- */

static void judge_watchdog(struct td_doctor *doctor,
			   const struct td_machine *machine)
{
	struct td_finding *finding;

	if (!machine->nmi_watchdog) {
		td_doctor_add(doctor, "watchdog", TD_FINDING_OK,
			      "the NMI watchdog is off");
		return;
	}
	finding = td_doctor_add(doctor, "watchdog", TD_FINDING_WARNING,
				"the NMI watchdog holds a counter of each CPU: "
				"more groups take turns");
	td_finding_set_command(finding, "sysctl kernel.nmi_watchdog=0");
}

static void judge_held(struct td_doctor *doctor,
		       const struct td_machine *machine)
{
	td_autofree char *text = NULL;

	if (td_held_text(machine, &text)) {
		doctor->out_of_memory = true;
		return;
	}
	if (!text)
		return;
	td_doctor_add(
		doctor, "counters", TD_FINDING_WARNING,
		"others hold %s: more groups take turns (a profiler of all "
		"CPUs, the NMI watchdog or a hypervisor)",
		text);
}

static void judge_smt(struct td_doctor *doctor,
		      const struct td_patient *patient)
{
	const struct td_err *why = &patient->levels->no_task;
	struct td_finding *finding;

	if (!patient->machine->smt) {
		td_doctor_add(doctor, "SMT", TD_FINDING_OK,
			      "hyper-threading is off");
		return;
	}
	if (why->code != -ENOTSUP) {
		td_doctor_add(doctor, "SMT", TD_FINDING_OK,
			      "hyper-threading is on");
		return;
	}
	finding = td_doctor_add_error(doctor, "SMT", TD_FINDING_WARNING, why);
	td_finding_set_command(
		finding, "echo off > /sys/devices/system/cpu/smt/control");
}

/* Makes findings of the processor, its PMUs and the kernel.  Pure. */
static void doctor_judge_machine(struct td_doctor *doctor,
				 const struct td_patient *patient)
{
	const struct td_machine *machine = patient->machine;

	judge_processor(doctor, machine);
	judge_hypervisor(doctor, machine);
	td_doctor_judge_kernel(doctor, patient);
	judge_pmus(doctor, patient);
	if (!machine->nr_core)
		return;
	judge_watchdog(doctor, machine);
	judge_held(doctor, machine);
	judge_smt(doctor, patient);
}

/* --- tdstat doctor --------------------------------------------------------- */

/* Everything that is gathered, and what comes of it. */
struct visit {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_surroundings around;
	struct td_levels levels;
	struct td_doctor doctor;
};

/* Another machine's proc does not have this thread. */
static bool can_test(const struct visit *v)
{
	return !v->levels.no_level_1.code && !v->around.saved;
}

static int gather(struct visit *v, struct td_err *err)
{
	/* a task gets its counters last: its are those that nobody else has */
	const struct td_target task = { 0 };
	int rc = td_select_machine(&v->fs, &v->machine, &v->opts->request, err);

	if (!rc)
		rc = td_surroundings_read(&v->around, &v->fs, &v->machine, err);
	if (!rc)
		rc = td_levels_plan(&v->levels, &v->opts->request, &v->machine,
				    err);
	if (!rc && can_test(v))
		td_find_held(NULL, &v->machine, &task);
	return rc;
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

	doctor_judge_machine(&v->doctor, &patient);
	td_doctor_judge_rights(&v->doctor, &patient);
	take_levels(v);
	td_doctor_judge_system(&v->doctor, &patient);
	rc = can_test(v) ? td_self_test_run(&v->doctor, &v->opts->request,
					    &v->machine, err)
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
	td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, TD_LINE_WIDTH,
		       finding->text);
	put_command(fp, "try:", finding->command);
	put_command(fp, "or:", finding->other);
	if (finding->remedy) {
		fprintf(fp, "%*s%-*s", STATE_WIDTH, "", NAME_WIDTH, "");
		td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, TD_LINE_WIDTH,
			       finding->remedy);
	}
}

static const char *conclude(const struct td_doctor *doctor)
{
	if (doctor->level_1)
		return "level 1 works";
	if (doctor->made_up)
		return "the counters are not real here: what tdstat shows on "
		       "this machine says nothing of programs";
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

/* --- one line --------------------------------------------------------------- */

static const char *why_not(const struct td_doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_findings; i++) {
		if (doctor->findings[i].state == TD_FINDING_FAILED)
			return doctor->findings[i].text;
	}
	return "level 1 was not tried";
}

/* "tdstat 0.2 on Sapphire Rapids (virtual machine, 4 CPUs) counts levels 1 to 6" */
static void put_line(FILE *fp, const struct visit *v)
{
	const struct td_machine *machine = &v->machine;

	fprintf(fp, "tdstat %s on %s (%s%zu CPU%s) ", TDSTAT_VERSION,
		machine->model ? machine->model->name : "an unknown processor",
		machine->cpuid.hypervisor ? "virtual machine, " : "",
		machine->online.nr, machine->online.nr == 1 ? "" : "s");
	if (!v->doctor.level_1) {
		fputs("counts no slots: ", fp);
		td_put_printable(fp, why_not(&v->doctor));
		fputc('\n', fp);
	} else if (v->levels.deepest > 1) {
		fprintf(fp, "counts levels 1 to %d\n", v->levels.deepest);
	} else {
		fputs("counts level 1\n", fp);
	}
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
	if (v->opts->request.show.quiet)
		return 0;
	if (v->opts->request.show.format == TD_FORMAT_JSON &&
	    put_json(stdout, &v->doctor))
		return td_err_nomem(err);
	if (v->opts->doctor.one_line)
		put_line(stdout, v);
	else if (v->opts->request.show.format != TD_FORMAT_JSON)
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

static int visit(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct visit v = { .opts = opts, .fs = { .sys = -1, .proc = -1 } };
	int rc = gather(&v, err);

	if (!rc)
		rc = examine(&v, err);
	if (!rc)
		rc = show(&v, err);
	*status = rc || !v.doctor.level_1;
	free_visit(&v);
	return opts->request.show.quiet ? 0 : rc;
}

static int doctor(const struct td_opts *opts, int *status, struct td_err *err)
{
	if (opts->doctor.evidence)
		return td_evidence_give(opts, status, err);
	if (opts->doctor.program)
		return td_evidence_run(opts, err);
	return visit(opts, status, err);
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->doctor.one_line &&
	    opts->request.show.format == TD_FORMAT_JSON)
		return td_err_usage(err, "--ci and -j exclude each other");
	if (opts->doctor.evidence || opts->doctor.program)
		return td_evidence_check(opts, err);
	if (!opts->nr_patterns)
		return 0;
	return td_err_usage(err, "tdstat doctor takes no arguments: '%s'",
			    opts->patterns[0]);
}

/* clang-format off */
static const struct td_option shown[] = {
	{ "ci", 0, NULL, "one line: what can be counted here",
	  TD_OPTION_FLAG, offsetof(struct td_opts, doctor.one_line) },
	{ "quiet", 0, NULL, "print nothing: the exit status tells",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.quiet) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_shown = { TD_SECTION_HOW, shown };

/* clang-format off */
static const struct td_option evidence[] = {
	{ "evidence", 0, NULL, "count twelve known programs, two to three "
	  "minutes for each kind of core, and write FILE",
	  TD_OPTION_FLAG, offsetof(struct td_opts, doctor.evidence) },
	{ "program", 0, "NAME", "only this one of them; without --evidence, run "
	  "it and print how long it takes; NAME:MS: for so long",
	  TD_OPTION_TEXT, offsetof(struct td_opts, doctor.program) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_evidence = { TD_SECTION_WHAT,
						       evidence };

static const struct td_option_group *const groups[] = {
	&td_group_files, &group_evidence, &td_group_json, &group_shown, NULL,
};

const struct td_command td_command_doctor = {
	.name = "doctor",
	.line = "say what this machine can count, and what stands in the way",
	.args = "[--evidence [FILE]]",
	.doc = "Says on one page what this machine can count, what stands in "
	       "the way and which command helps, and tests level 1 with loops "
	       "whose answer is known, for half a second.  Nothing is changed.",
	.what = "What to look at:",
	.examples = "  tdstat doctor\n"
		    "  tdstat doctor --ci\n"
		    "  tdstat doctor --evidence\n"
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
