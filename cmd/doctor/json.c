// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "cmd/doctor/writers.h"
#include "lib/base/json_put.h"

#define VERSION 1

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

/* Without more decimals than mean anything, and null for what is not known. */
static void put_number(struct json_object *to, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f", value);
	td_json_add(to, key,
		    isfinite(value) ? json_object_new_double_s(value, text)
				    : NULL);
}

static struct json_object *make_loop(const struct td_self_test *test, int loop)
{
	static const char *const names[TD_NR_LOOPS] = {
		[TD_LOOP_RETIRING] = "retiring",
		[TD_LOOP_MISPREDICT] = "mispredict",
		[TD_LOOP_CHASE] = "chase",
	};
	const struct td_loop_shares *shares = &test->shares[loop];
	struct json_object *object = json_object_new_object();

	td_json_put_string(object, "pmu", test->pmu);
	td_json_put_int(object, "cpu", test->cpu);
	td_json_put_string(object, "loop", names[loop]);
	td_json_add(object, "passed",
		    json_object_new_boolean(test->passed[loop]));
	put_number(object, "retiring", shares->retiring);
	put_number(object, "backend_bound", shares->backend_bound);
	put_number(object, "frontend_bound", shares->frontend_bound);
	put_number(object, "bad_speculation", shares->bad_speculation);
	put_number(object, "running", shares->running_pct);
	return object;
}

int td_doctor_put_json(FILE *fp, const struct td_doctor *doctor)
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
