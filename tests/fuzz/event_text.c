// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of -e, separated by NUL, are parsed, resolved on a hybrid and on
 * another machine, and scheduled; then groups lose members as if the kernel had
 * refused them.
 */
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>

#include "lib/plan/plan.h"
#include "tests/unit/typed.h"

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* An error must have a message and, if it is about the text, a place. */
static void check_error(const struct td_err *err, int rc)
{
	const char *line_end = strchr(err->place, '\n');

	demand(err->code == rc && err->msg[0]);
	if (!err->usage)
		return;
	demand(line_end && !strchr(line_end + 1, '\n'));
	demand(line_end[1 + strspn(line_end + 1, " ")] == '^');
}

static int parse(struct typed *t, const char *text, size_t size)
{
	int rc = 0;

	for (size_t at = 0; !rc && at <= size; at += strlen(text + at) + 1)
		rc = td_event_text_parse(&t->text, text + at, &t->err);
	return rc;
}

static void check_spans(const struct td_event_text *text)
{
	for (size_t i = 0; i < text->nr_specs; i++) {
		const struct td_spec *spec = &text->specs[i];

		demand(spec->name && spec->suffix && spec->span.len &&
		       spec->span.at + spec->span.len <= strlen(spec->span.text));
		demand(spec->group < text->nr_groups);
	}
}

static int times_of(const struct td_plan *plan, size_t event)
{
	int times = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++)
			times += plan->groups[g].members[i] == (int)event;
	}
	return times;
}

/* Each counted event must be in one group. */
static void check_groups(const struct typed *t)
{
	const struct td_plan *plan = &t->plan;

	for (size_t g = 0; g < plan->nr_groups; g++)
		demand(plan->groups[g].nr > 0);
	for (size_t e = 0; e < plan->events.nr; e++) {
		const struct td_event *event = &plan->events.v[e];
		const struct td_pmu *pmu = &t->machine.pmus[event->pmu];

		demand(event->name && event->scale > 0);
		demand(times_of(plan, e) == (pmu->kind != TD_PMU_TOOL && !event->refusal));
	}
}

static void break_up(struct typed *t)
{
	static const struct td_target target = { .system_wide = true };
	struct td_plan *plan = &t->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++)
			td_plan_attr(plan, &plan->groups[g], i, &target);
		if (td_plan_is_breakable(plan, g)) {
			td_plan_break(plan, g);
			demand(true);
		}
		demand(!td_plan_is_breakable(plan, g));
	}
	check_groups(t);
	while (plan->nr_groups) {
		size_t g = plan->nr_groups / 2, i = plan->groups[g].nr / 2;

		td_plan_refuse(plan, g, i, "no");
		demand(true);
		if (plan->events.nr < 32)
			check_groups(t);
	}
}

static void run(struct typed *t, const char *text, size_t size)
{
	const struct td_event_source source = { t, test_model_event, test_offer_names,
						test_find_tracepoints };
	int rc = parse(t, text, size);

	if (!rc) {
		check_spans(&t->text);
		rc = td_event_resolve(&t->plan.events, &t->text, &t->machine, &source, &t->notes,
				      &t->err);
		demand(rc <= 0);
	}
	if (!rc) {
		rc = td_plan_arrange(&t->plan, &t->machine, &t->notes, &t->err);
		demand(rc == 0);
		check_groups(t);
		break_up(t);
	}
	if (rc)
		check_error(&t->err, rc);
	td_plan_free(&t->plan);
	td_event_text_free(&t->text);
	td_notes_free(&t->notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct typed machines[2];
	td_autofree char *text = calloc(1, size + 1);

	if (!machines[0].machine.nr_pmus) {
		typed_machine(&machines[0], "adl");
		typed_machine(&machines[1], "spr");
	}
	if (!text)
		return 0;
	memcpy(text, data, size);
	for (size_t i = 0; i < TD_ARRAY_SIZE(machines); i++) {
		struct typed t = { .machine = machines[i].machine };

		run(&t, text, size);
	}
	return 0;
}
