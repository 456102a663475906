/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_BUILDING_H
#define TD_LIB_EVENT_BUILDING_H

#include "lib/base/notes.h"
#include "lib/event/names.h"
#include "lib/event/source.h"
#include "lib/event/text.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/* What is known while one event of the text becomes events of PMUs. */
struct td_building {
	struct td_plan *plan;
	const struct td_spec *spec;
	int index; /* of spec */
	const struct td_machine *machine;
	const struct td_event_source *source;
	struct td_notes *notes;
	struct td_err *err;

	uint32_t type;
	uint64_t config;
	const struct td_symbol *symbol;         /* NULL: not one */
	const struct td_tracepoint *tracepoint; /* NULL: not one */
	bool exact;     /* the text names the PMU itself */
	uint64_t *bits; /* of the terms: td_pmu_pack() */
};

/* build.c: each adds one event of the spec on a PMU (an index of the machine). */
/* type and config as they are, and the terms that any event takes. */
int td_build_config(struct td_building *b, int pmu);
/* What a tool measures: b->symbol's. */
int td_build_tool(struct td_building *b);
/* The same, with the PMU in config[63:32] where there is more than one. */
int td_build_hardware(struct td_building *b, int pmu);
/* config, in the PMU's own encoding. */
int td_build_raw(struct td_building *b, int pmu);
/* An event that the PMU or the model's files name, with further terms. */
int td_build_named(struct td_building *b, int pmu);
/* The terms between the PMU's slashes. */
int td_build_terms(struct td_building *b, int pmu);

/* One that no PMU here can count, with the reason. */
int td_build_refused(struct td_building *b, const char *why);

/* Has the PMU an event of this name, in sysfs or the model's files? */
int td_build_knows(struct td_building *b, int pmu, const char *name,
		   bool *known);
void td_build_offer_caches(struct td_closest *closest);

/* terms.c: all terms of the spec; of_pmu: also those of its PMU. */
int td_build_add_terms(struct td_building *b, struct td_event *event,
		       bool of_pmu);
/* The bits of a name of its PMU; TD_BUILD_UNUSED: it is not one. */
#define TD_BUILD_UNUSED 1
int td_build_add_named(const struct td_building *b, struct td_event *event,
		       const char *name);

/* name.c: of name=, NULL: there is none. */
const char *td_spec_given_name(const struct td_spec *spec);
/* What an event on this PMU is called; < 0: out of memory. */
int td_build_name(const struct td_building *b, int pmu, char **out);
/*
 * "uncore_imc" is uncore_imc_0 and so on, "imc" too, and so is a glob; perf's
 * rule, perf_pmu__match().
 */
bool td_pmu_matches(const char *pmu, const char *pattern);

#endif
