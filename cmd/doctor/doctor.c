// SPDX-License-Identifier: GPL-2.0-only
/* tdstat doctor: checks what this machine can measure, and how to fix the rest. */

#include "cmd/doctor/parts.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/output/out.h"
#include "cmd/plan/select.h"
#include "cmd/version.h"
#include "lib/base/json.h"
#include "lib/base/printable.h"
#include "lib/counter/probe.h"
#include "metrics/sets/sets.h"

/* --- findings on the processor --------------------------------------------- */

static void judge_processor(struct td_doctor *doctor, const struct td_machine *machine)
{
	td_autofree char *cpus = td_ints_format(&machine->online);
	char cpuid[48];

	if (machine->no_identity.code) {
		td_doctor_add_error(doctor, "processor", TD_FINDING_FAILED, &machine->no_identity);
		return;
	}
	td_cpuid_format(&machine->cpuid, cpuid);
	td_doctor_add(doctor, "processor", machine->model ? TD_FINDING_OK : TD_FINDING_NOTE,
		      "%s (%s), CPUs %s",
		      machine->model ? machine->model->name : "not in tdstat's table", cpuid, cpus);
}

static void judge_hypervisor(struct td_doctor *doctor, const struct td_machine *machine)
{
	bool guest = machine->cpuid.hypervisor;

	td_doctor_add(doctor, "hypervisor", guest ? TD_FINDING_NOTE : TD_FINDING_OK, "%s",
		      guest ? "this is a virtual machine: its host decides what can be counted"
			    : "none");
}

/* --- PMUs ------------------------------------------------------------------- */

static size_t count_topdown(const struct td_pmu *pmu)
{
	size_t nr = 0;

	for (size_t i = 0; i < pmu->nr_aliases; i++)
		nr += strncmp(pmu->aliases[i].name, "topdown-", 8) == 0;
	return nr;
}

/* Describe the events of a PMU: "slots and 8 fields of PERF_METRICS". */
static void describe_events(const struct td_pmu *pmu, char *buf, size_t size)
{
	size_t nr = count_topdown(pmu);

	if (td_pmu_has_slots(pmu))
		snprintf(buf, size, "slots and %zu fields of PERF_METRICS", nr);
	else if (nr)
		snprintf(buf, size, "%zu top-down events", nr);
	else if (td_uarch_has(pmu->uarch, TD_CORE_FIELDS))
		snprintf(buf, size,
			 "PERF_METRICS is not available; general counters measure the "
			 "same");
	else
		snprintf(buf, size, "no top-down events in sysfs");
}

static void judge_pmus(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_machine *machine = system->machine;
	const struct td_err *why = &system->levels->no_level_1;

	td_for_each(const struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		td_autofree char *cpus = td_ints_format(&pmu->cpus);
		char events[80];

		describe_events(pmu, events, sizeof(events));
		td_doctor_add(doctor, "PMU", count_topdown(pmu) ? TD_FINDING_OK : TD_FINDING_NOTE,
			      "%s: CPUs %s, %s; %s; %d general counters", pmu->name,
			      *cpus ? cpus : "none", td_uarch_name(pmu->uarch), events,
			      td_uarch_general(pmu->uarch));
	}
	if (!machine->nr_core && why->code)
		td_doctor_add_error(doctor, "PMU", TD_FINDING_FAILED, why);
}

/* --- counters that are in use ------------------------------------------------ */

/* Return true if a general counter is in use. */
static bool lacks_general(const struct td_machine *machine)
{
	bool lacks = false;

	for (size_t i = 0; i < machine->nr_core; i++)
		lacks |= machine->pmus[i].held_general > 0;
	return lacks;
}

/*
 * The watchdog of Linux 6.5 and later may work without a counter; 6.12 and later accept an
 * event in the parameter nmi_watchdog=rNNN.
 */
static void judge_watchdog(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_machine *machine = system->machine;
	const char *text =
		machine->nmi_watchdog
			? "the NMI watchdog holds a counter of each CPU: more groups are multiplexed"
			: "the NMI watchdog may hold a general counter of each CPU, because that "
			  "of cycles is free: more groups are multiplexed";

	if (!system->environment->nmi_watchdog)
		td_doctor_add(doctor, "watchdog", TD_FINDING_OK, "the NMI watchdog is off");
	else if (!machine->nmi_watchdog && !lacks_general(machine))
		td_doctor_add(doctor, "watchdog", TD_FINDING_OK,
			      "the NMI watchdog is on, and holds no counter");
	else
		td_finding_set(
			&td_doctor_add(doctor, "watchdog", TD_FINDING_WARNING, "%s", text)->command,
			"sysctl kernel.nmi_watchdog=0");
}

static void judge_held(struct td_doctor *doctor, const struct td_machine *machine)
{
	td_autofree char *text = NULL;

	td_held_text(machine, &text);
	if (!text)
		return;
	td_doctor_add(
		doctor, "counters", TD_FINDING_WARNING,
		"already in use: %s; more groups are multiplexed (a profiler of all CPUs, the NMI "
		"watchdog or a hypervisor)",
		text);
}

static void judge_smt(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_err *why = &system->levels->no_task;

	if (!system->machine->smt || why->code != -ENOTSUP)
		td_doctor_add(doctor, "SMT", TD_FINDING_OK, "hyper-threading is %s",
			      system->machine->smt ? "on" : "off");
	else
		td_finding_set(
			&td_doctor_add_error(doctor, "SMT", TD_FINDING_WARNING, why)->command,
			"echo off > /sys/devices/system/cpu/smt/control");
}

/* Add findings on the processor, its PMUs and the kernel.  Pure. */
static void judge_machine(struct td_doctor *doctor, const struct td_system *system)
{
	const struct td_machine *machine = system->machine;

	judge_processor(doctor, machine);
	judge_hypervisor(doctor, machine);
	td_doctor_judge_kernel(doctor, system);
	judge_pmus(doctor, system);
	if (!machine->nr_core)
		return;
	judge_watchdog(doctor, system);
	judge_held(doctor, machine);
	judge_smt(doctor, system);
}

/* --- tdstat doctor --------------------------------------------------------- */

struct diagnosis {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_environment environment;
	struct td_levels levels;
	struct td_doctor doctor;
};

/* Read the machine and its environment, and plan all levels. */
static int gather(struct diagnosis *d, struct td_err *err)
{
	/* the kernel serves tasks last: they get the counters that are free on this CPU */
	const struct td_target task = { 0 }, wide = { .system_wide = true };

	if (td_select_machine(&d->fs, &d->machine, &d->opts->request, err))
		return err->code;
	td_environment_read(&d->environment, &d->fs, &d->machine);
	d->environment.nmi_watchdog = d->machine.nmi_watchdog;
	if (!d->environment.saved) {
		td_find_held(NULL, &d->machine, &task);
		td_find_held(NULL, &d->machine, &wide);
	}
	td_levels_plan(&d->levels, &d->opts->request, &d->machine);
	return 0;
}

/* Move the findings of from to doctor. */
static void move_findings(struct td_doctor *doctor, struct td_doctor *from)
{
	for (size_t i = 0; i < from->nr_findings; i++)
		td_array_push(&doctor->findings, &doctor->nr_findings, &from->findings[i],
			      sizeof(*from->findings));
	from->nr_findings = 0;
	td_doctor_free(from);
}

static void examine(struct diagnosis *d)
{
	const struct td_system system = { &d->machine, &d->environment, &d->levels, &d->fs };
	const struct td_err *why = &d->levels.no_level_1;

	judge_machine(&d->doctor, &system);
	td_doctor_judge_rights(&d->doctor, &system);
	/* without a PMU, judge_pmus() adds the reason */
	if (why->code && d->machine.nr_core)
		td_doctor_add_error(&d->doctor, "level 1", TD_FINDING_FAILED, why);
	move_findings(&d->doctor, &d->levels.found);
	td_doctor_judge_system(&d->doctor, &system);
	if (!why->code && !d->environment.saved)
		td_self_test_run(&d->doctor, &d->opts->request, &d->machine);
	td_doctor_judge_tests(&d->doctor, &system);
}

/* --- text ------------------------------------------------------------------- */

#define STATE_WIDTH 9
#define NAME_WIDTH  12

/* Print a command without wrapping it, to paste it into a shell. */
static void put_command(FILE *fp, const char *label, const char *command)
{
	if (!command)
		return;
	fprintf(fp, "%*s%-*s", STATE_WIDTH, "", NAME_WIDTH, label);
	td_put_printable(fp, command);
	fputc('\n', fp);
}

static const char *conclude(const struct td_doctor *doctor)
{
	if (doctor->level_1)
		return "level 1 works";
	if (doctor->made_up)
		return "the counters are not real here: results of tdstat on this machine have no "
		       "meaning";
	return td_doctor_failed(doctor)
		       ? "level 1 cannot be trusted here; see the failed checks above"
		       : "level 1 was not tried";
}

/* Return "ok", "note", "warning" or "failed". */
static const char *state_name(enum td_finding_state state)
{
	static const char *const names[] = {
		[TD_FINDING_OK] = "ok",
		[TD_FINDING_NOTE] = "note",
		[TD_FINDING_WARNING] = "warning",
		[TD_FINDING_FAILED] = "failed",
	};

	return names[state];
}

static void put_text(FILE *fp, const struct td_doctor *doctor)
{
	const char *previous = "";

	for (size_t i = 0; i < doctor->nr_findings; i++) {
		const struct td_finding *finding = &doctor->findings[i];
		bool same = strcmp(finding->name, previous) == 0;

		fprintf(fp, "%-*s%-*s", STATE_WIDTH, state_name(finding->state), NAME_WIDTH,
			same ? "" : finding->name);
		td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, TD_LINE_WIDTH, finding->text);
		put_command(fp, "try:", finding->command);
		put_command(fp, "or:", finding->other);
		if (finding->remedy) {
			fprintf(fp, "%*s%-*s", STATE_WIDTH, "", NAME_WIDTH, "");
			td_put_wrapped(fp, STATE_WIDTH + NAME_WIDTH, TD_LINE_WIDTH,
				       finding->remedy);
		}
		previous = doctor->findings[i].name;
	}
	fprintf(fp, "\n%s\n", conclude(doctor));
}

/* --- one line --------------------------------------------------------------- */

/* Print "tdstat 0.2 on Sapphire Rapids (virtual machine, 4 CPUs) counts levels 1 to 6". */
static void put_line(FILE *fp, const struct diagnosis *d)
{
	const struct td_machine *machine = &d->machine;
	const struct td_finding *failed = td_doctor_failed(&d->doctor);

	fprintf(fp, "tdstat %s on %s (%s%zu CPU%s) ", td_version,
		machine->model ? machine->model->name : "an unknown processor",
		machine->cpuid.hypervisor ? "virtual machine, " : "", machine->online.nr,
		machine->online.nr == 1 ? "" : "s");
	if (!d->doctor.level_1) {
		fputs("counts no slots: ", fp);
		td_put_printable(fp, failed ? failed->text : "level 1 was not tried");
		fputc('\n', fp);
	} else if (d->levels.deepest > 1) {
		fprintf(fp, "counts levels 1 to %d\n", d->levels.deepest);
	} else {
		fputs("counts level 1\n", fp);
	}
}

/* --- JSON ------------------------------------------------------------------- */

#define VERSION 1 /* version of the object */

static struct json_object *make_finding(const struct td_finding *finding)
{
	struct json_object *object = json_object_new_object();

	td_json_put_string(object, "name", finding->name);
	td_json_put_string(object, "state", state_name(finding->state));
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
	td_json_add(object, "passed", json_object_new_boolean(test->passed[loop]));
	td_out_json_cells(object, shares, TD_ARRAY_SIZE(shares), &test->shares[loop]);
	return object;
}

/* An object on one line; its members are in tdstat-doctor(1). */
static void put_json(FILE *fp, const struct td_doctor *doctor)
{
	struct json_object *all = td_json_line();
	struct json_object *findings = json_object_new_array();
	struct json_object *loops = json_object_new_array();

	for (size_t i = 0; i < doctor->nr_findings; i++)
		td_json_append(findings, make_finding(&doctor->findings[i]));
	for (size_t i = 0; i < doctor->nr_tests; i++) {
		for (int loop = 0; !doctor->tests[i].err.code && loop < TD_NR_LOOPS; loop++)
			td_json_append(loops, make_loop(&doctor->tests[i], loop));
	}
	td_json_put_int(all, "tdstat_doctor", VERSION);
	td_json_add(all, "level_1", json_object_new_boolean(doctor->level_1));
	td_json_add(all, "findings", findings);
	td_json_add(all, "self_test", loops);
	td_json_put_line(fp, all);
}

/* ---------------------------------------------------------------------------- */

static int show(const struct diagnosis *d, struct td_err *err)
{
	if (d->opts->request.show.quiet)
		return 0;
	if (d->opts->request.show.format == TD_FORMAT_JSON)
		put_json(stdout, &d->doctor);
	if (d->opts->doctor.one_line)
		put_line(stdout, d);
	else if (d->opts->request.show.format != TD_FORMAT_JSON)
		put_text(stdout, &d->doctor);
	return td_out_check(stdout, "standard output", err);
}

static int doctor(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct diagnosis d = { .opts = opts, .fs = { .sys = -1, .proc = -1 } };
	int rc = gather(&d, err);

	if (!rc) {
		examine(&d);
		rc = show(&d, err);
	}
	*status = rc || !d.doctor.level_1;
	td_doctor_free(&d.doctor);
	td_levels_free(&d.levels);
	td_environment_free(&d.environment);
	td_machine_free(&d.machine);
	td_sysfs_close(&d.fs);
	return opts->request.show.quiet ? 0 : rc;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->doctor.one_line && opts->request.show.format == TD_FORMAT_JSON)
		return td_err_usage(err, "--ci and -j exclude each other");
	if (!opts->nr_patterns)
		return 0;
	return td_err_usage(err, "tdstat doctor takes no arguments: '%s'", opts->patterns[0]);
}

/* clang-format off */
static const struct td_option shown[] = {
	{ "ci", 0, NULL, "one line: the levels that can be measured here",
	  TD_OPTION_FLAG, offsetof(struct td_opts, doctor.one_line) },
	{ "quiet", 0, NULL, "print nothing; see the exit status",
	  TD_OPTION_FLAG, offsetof(struct td_opts, request.show.quiet) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_shown = { TD_SECTION_HOW, shown };

static const struct td_option_group *const groups[] = {
	&td_group_files,
	&td_group_json,
	&group_shown,
	NULL,
};

const struct td_command td_command_doctor = {
	.name = "doctor",
	.line = "check what this machine can measure, and how to fix the rest",
	.args = "",
	.doc = "Checks what this machine can measure, prints commands that fix the rest, and tests "
	       "level 1 with loops of known bottlenecks for half a second. It does not change the "
	       "machine.",
	.what = "What to check:",
	.examples = "  tdstat doctor\n"
		    "  tdstat doctor --ci\n"
		    "  tdstat doctor -j | jq '.findings[] | select(.state == \"failed\")'",
	.status =
		"Exit status: 0 if level 1 works; 1 if it does not, or could not be tried; 64 for "
		"a wrong option.",
	.groups = groups,
	.word = td_value_pattern,
	.check = check,
	.counts = true,
	.run = doctor,
};
