// SPDX-License-Identifier: GPL-2.0-only
/* Machines of --model have the PMUs and top-down events of those that exist. */
#include <stdlib.h>
#include <string.h>

#include "lib/machine/machine.h"
#include "metrics/sets/set.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

static bool is_topdown(const char *name)
{
	return strcmp(name, "slots") == 0 || strncmp(name, "topdown", 7) == 0;
}

/* "name terms[ scale];", as the table has it. */
static void put_alias(FILE *fp, const struct td_alias *alias)
{
	fprintf(fp, "%s %s", alias->name, alias->terms);
	if (alias->scale > 1)
		fprintf(fp, " %g", alias->scale);
	fputc(';', fp);
}

/* Both have the same events, whatever their order. */
static void same_events(const struct td_pmu *pmu, const char *events)
{
	size_t len = 0, size;
	char *text = NULL;
	FILE *fp;

	for (size_t i = 0; i < pmu->nr_aliases; i++) {
		if (!is_topdown(pmu->aliases[i].name))
			continue;
		fp = open_memstream(&text, &size);
		if (!fp)
			abort();
		put_alias(fp, &pmu->aliases[i]);
		fclose(fp);
		ok(strstr(events, text), "%s has %s", pmu->name, text);
		len += strlen(text);
		free(text);
	}
	ok(len == strlen(events), "%s has no more and no fewer", pmu->name);
}

static void check_model(const struct test_model *model)
{
	struct td_err err = { 0 };
	struct td_machine machine;
	struct td_cpuid cpuid;

	td_cpuid_parse(model->cpuid, &cpuid, &err);
	td_machine_make_up(&cpuid, &machine);
	for (size_t i = 0; i < machine.nr_core; i++) {
		is_str(machine.pmus[i].name, model->pmus[i].name ? model->pmus[i].name : "", "%s",
		       model->name);
		ok(machine.pmus[i].type == model->pmus[i].type, "its type");
		same_events(&machine.pmus[i], model->pmus[i].events);
	}
	td_machine_free(&machine);
}

/* Level 2 of these cores takes metric files. */
static bool has_level_1(enum td_uarch uarch)
{
	return uarch == TD_SANDY_BRIDGE || uarch == TD_IVY_BRIDGE || uarch == TD_HASWELL ||
	       uarch == TD_BROADWELL || uarch == TD_ARCTIC_WOLF;
}

/* The row of a core is enough for a tree of each model with it. */
static void check_trees(void)
{
	struct td_machine machine;
	struct td_cpuid cpuid;

	for (size_t i = 0; td_model_at(i, &cpuid); i++) {
		td_machine_make_up(&cpuid, &machine);
		for (size_t j = 0; j < machine.nr_core; j++) {
			const struct td_pmu *pmu = &machine.pmus[j];
			const struct td_metric_set *set = td_builtin_find(&machine, pmu);

			int levels = !td_builtin_is_for(&machine) ? 0
				     : has_level_1(pmu->uarch)    ? 1
								  : 2;

			ok((set ? set->levels : 0) == levels, "%s: %s has a tree of %d levels",
			   machine.model->name, pmu->name, levels);
		}
		td_machine_free(&machine);
	}
}

int main(void)
{
	/*
	 * hyper-threading is off; a virtual machine, an old kernel or a processor
	 * of the future is not made up
	 */
	static const char *const not [] = { "skx-smt", "vm",       "adl-old", "new-8",
					    "new-4",   "new-atom", "vm-spr",  "vm-lnl" };

	for (size_t i = 0; i < sizeof(test_models) / sizeof(*test_models); i++) {
		bool skip = false;

		for (size_t j = 0; j < sizeof(not ) / sizeof(*not ); j++)
			skip |= strcmp(test_models[i].name, not [j]) == 0;
		if (!skip)
			check_model(&test_models[i]);
	}
	check_trees();
	return done_testing();
}
