/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/event/event.h"
#include "lib/event/spec.h"
#include "lib/event/symbols.h"
#include "lib/machine/machine.h"

struct td_event_source;
struct td_tracepoint;

/* State of building the events of PMUs from one event of the text. */
struct td_building {
	struct td_events *events;
	const struct td_spec *spec;
	int index; /* index of spec in the text */
	const struct td_machine *machine;
	const struct td_event_source *source;
	struct td_notes *notes;
	struct td_err *err;

	uint32_t type;
	uint64_t config;
	const struct td_symbol *symbol;         /* NULL unless spec is a symbol */
	const struct td_tracepoint *tracepoint; /* NULL unless spec is a tracepoint */
	bool exact;                             /* the text contains the full name of the PMU */
	uint64_t *bits;                         /* bits that terms have set (td_pmu_pack()) */
};

/* terms.c: the functions return 0 or an error in b->err; pmu is an index in the machine's PMUs. */

/* Set *known to whether sysfs or the model's files contain an event of this name. */
int td_build_knows(struct td_building *b, int pmu, const char *name, bool *known);
/* Add the terms of spec.  Unless of_pmu is set, a term that not all events can have is an error. */
int td_build_add_terms(struct td_building *b, struct td_event *event, bool of_pmu);
/* Add the bits of a named event.  Returns TD_BUILD_UNUSED if the PMU has no such event. */
#define TD_BUILD_UNUSED 1
int td_build_add_named(const struct td_building *b, struct td_event *event, const char *name);
