/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_TYPED_H
#define TD_TEST_TYPED_H

#include <errno.h>
#include <fnmatch.h>
#include <strings.h>

#include "lib/event/resolve.h"
#include "lib/event/spec.h"
#include "lib/plan/plan.h"
#include "tests/unit/machine.h"

/*
 * From the text of -e to a plan.  The machine is one of machine.h, with all
 * else that -e can name: sysfs names of plain events as in Linux 6.12, the
 * kernel's own PMUs, uncore units, tracepoints, and some events of the model's
 * files.
 */

struct typed {
	struct td_machine machine;
	struct td_event_text text;
	struct td_plan plan;
	struct td_notes notes;
	struct td_err err;
	const char *missing; /* why names of the model are missing, or NULL */
	char *words;         /* the text, if owned */
	int reads;           /* how often the other PMUs were read */
	bool unreadable;     /* reading them is an error */
};

/* without cycles, branches and caches, for which the kernel has names */
#define SYSFS_BOTH                          \
	"cpu-cycles event=0x3c;"            \
	"instructions event=0xc0;"          \
	"ref-cycles event=0x3c,umask=0x01;" \
	"branch-instructions event=0xc4;"   \
	"cache-misses event=0x2e,umask=0x41;"
#define SYSFS_CORE                                \
	SYSFS_BOTH                                \
	"mem-loads event=0xcd,umask=0x1,ldlat=3;" \
	"strange event=1,colour=2;"

/* Names as in tools/perf/pmu-events/arch/x86; pmu NULL: any. */
static const struct {
	const char *pmu, *name, *terms;
} test_model_events[] = {
	{ NULL, "INST_RETIRED.ANY", "event=0xc0,period=2000003" },
	{ "cpu_atom", "DTLB_LOAD_MISSES.WALK_COMPLETED", "event=0x8,umask=0xe,period=200003" },
	{ NULL, "DTLB_LOAD_MISSES.WALK_COMPLETED", "event=0x12,umask=0xe,period=100003" },
	{ "cpu_atom", "OCR.DEMAND_DATA_RD.L3_MISS",
	  "event=0xb7,umask=0x1,offcore_rsp=0x3f84400001,period=100003" },
	{ NULL, "OCR.DEMAND_DATA_RD.L3_MISS",
	  "event=0x2a,umask=0x1,offcore_rsp=0x3fbfc00001,period=100003" },
	{ "cpu_core", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128",
	  "event=0xcd,umask=0x1,ldlat=0x80,period=1009" },
	{ "cpu_core", "FRONTEND_RETIRED.DSB_MISS",
	  "event=0xc6,umask=0x1,frontend=0x11,period=100007" },
	{ "cpu_atom", "BACLEARS.ANY", "event=0xe6,umask=0x1" },
	{ "cpu_core", "broken.terms", "event=0x100" },
	/* no file has such a name, but it is possible */
	{ "cpu_atom", "node-loads", "event=0xb7,umask=0x2" },
};

static inline int test_model_event(void *ctx, const struct td_pmu *pmu, const char *name,
				   const char **terms, struct td_err *err)
{
	(void)ctx;
	*terms = NULL;
	if (strcasecmp(name, "no.memory") == 0)
		return td_err_nomem(err);
	for (size_t i = 0; i < TD_ARRAY_SIZE(test_model_events); i++) {
		const char *of = test_model_events[i].pmu;

		if (pmu->kind != TD_PMU_CORE || (of && strcmp(of, pmu->name) != 0) ||
		    strcasecmp(name, test_model_events[i].name) != 0)
			continue;
		*terms = test_model_events[i].terms;
		return 0;
	}
	return 0;
}

static inline const char *test_offer_names(void *ctx, struct td_closest *closest)
{
	const struct typed *t = ctx;

	for (size_t i = 0; i < TD_ARRAY_SIZE(test_model_events); i++)
		td_closest_offer(closest, test_model_events[i].name);
	return t->missing;
}

static const struct {
	const char *system, *name;
	uint64_t id;
} test_tracepoints[] = {
	{ "irq", "irq_handler_entry", 20 },
	{ "sched", "sched_process_exit", 0x12a },
	{ "sched", "sched_process_fork", 0x129 },
	{ "sched", "sched_switch", 310 },
};

static inline int test_find_tracepoints(void *ctx, const char *system, const char *name,
					struct td_tracepoints *out, struct td_err *err)
{
	(void)ctx;
	*out = (struct td_tracepoints){ 0 };
	for (size_t i = 0; i < TD_ARRAY_SIZE(test_tracepoints); i++) {
		struct td_tracepoint *new;

		if (fnmatch(system, test_tracepoints[i].system, 0) != 0 ||
		    fnmatch(name, test_tracepoints[i].name, 0) != 0)
			continue;
		new = td_array_add(&out->v, out->nr, sizeof(*new));
		new->system = strdup(test_tracepoints[i].system);
		new->name = strdup(test_tracepoints[i].name);
		new->id = test_tracepoints[i].id;
		out->nr++;
	}
	if (out->nr)
		return 0;
	if (strcmp(system, "secret") == 0)
		return td_err_set(err, -EACCES, "not for you");
	return td_err_set(err, -ENOENT, "no tracepoint is called '%s:%s'", system, name);
}

/* Adds a PMU after the kernel's own, like td_machine_read_others(). */
static inline void test_add_unit(struct td_machine *machine, const char *name, uint32_t type,
				 const char *events)
{
	struct td_pmu *pmu = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*pmu));

	*pmu = (struct td_pmu){ .name = strdup(name), .type = type, .kind = td_pmu_kind(name) };
	td_ints_parse("0", TD_MAX_CPU, &pmu->cpus);
	test_add_formats(pmu);
	test_add_events(pmu, events);
	for (size_t i = 0; pmu->kind == TD_PMU_OTHER && i < pmu->nr_aliases; i++)
		pmu->aliases[i].unit = strdup("MiB");
	machine->nr_pmus++;
}

#define TEST_IMC "data_read event=0x1 6.103515625e-5;data_write event=0x2;"

/* The PMUs beside the cores that the name means, or for NULL all. */
static inline int test_read_pmus(void *ctx, const char *name, struct td_err *err)
{
	static const struct {
		const char *name;
		uint32_t type;
		const char *events;
	} units[] = {
		{ "msr", 7, "tsc event=0x00;" },  { "uncore_imc_0", 20, TEST_IMC },
		{ "uncore_imc_1", 21, TEST_IMC }, { "uncore_imc_free_running_0", 22, "" },
		{ "uncore_ha_1f003800", 23, "" },
	};
	struct typed *t = ctx;
	struct td_machine *machine = &t->machine;

	t->reads++;
	if (t->unreadable)
		return td_err_set(err, -EACCES, "no PMU for you");
	td_machine_add_builtin(machine);
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (td_machine_find_pmu(machine, units[i].name) < 0 &&
		    (!name || td_pmu_matches(units[i].name, name)))
			test_add_unit(machine, units[i].name, units[i].type, units[i].events);
	}
	machine->has_others = machine->has_others || !name;
	return 0;
}

/* With the core PMUs alone read so far.  Free with typed_free(). */
static inline void typed_cores(struct typed *t, const char *model)
{
	*t = (struct typed){ 0 };
	test_machine(&t->machine, model);
	for (size_t i = 0; i < t->machine.nr_core; i++) {
		struct td_pmu *pmu = &t->machine.pmus[i];
		bool atom = strcmp(pmu->name, "cpu_atom") == 0;

		test_add_events(pmu, atom ? SYSFS_BOTH : SYSFS_CORE);
	}
	td_machine_add_builtin(&t->machine);
}

/* With all PMUs.  Free with typed_free(). */
static inline void typed_machine(struct typed *t, const char *model)
{
	typed_cores(t, model);
	test_read_pmus(t, NULL, &t->err);
}

static inline int typed_resolve(struct typed *t, const char *text)
{
	const struct td_event_source source = { t, test_model_event, test_offer_names,
						test_find_tracepoints, test_read_pmus };
	int rc = td_event_text_parse(&t->text, text, &t->err);

	if (rc)
		return rc;
	return td_event_resolve(&t->plan.events, &t->text, &t->machine, &source, &t->notes,
				&t->err);
}

static inline void typed_free(struct typed *t)
{
	td_plan_free(&t->plan);
	td_event_text_free(&t->text);
	td_notes_free(&t->notes);
	td_machine_free(&t->machine);
	free(t->words);
}

#endif
