/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_PARTS_H
#define TD_LIB_EVENT_PARTS_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/event/event.h"
#include "lib/event/spec.h"
#include "lib/event/symbols.h"
#include "lib/machine/machine.h"

struct td_closest;
struct td_event_source;
struct td_tracepoint;

/* The state while one event of the text becomes events of PMUs. */
struct td_building {
	struct td_events *events;
	const struct td_spec *spec;
	int index; /* of spec in the text */
	const struct td_machine *machine;
	const struct td_event_source *source;
	struct td_notes *notes;
	struct td_err *err;

	uint32_t type;
	uint64_t config;
	const struct td_symbol *symbol;         /* NULL unless spec is one */
	const struct td_tracepoint *tracepoint; /* NULL unless spec is one */
	bool exact;     /* the text has the full name of the PMU */
	uint64_t *bits; /* set by the terms so far, see td_pmu_pack() */
};

/*
 * build.c: each function adds one event of spec on a PMU, given as an index of
 * the machine's.  They return 0 or an error in b->err.
 */
/* Takes type and config as they are, and the terms that all events have. */
int td_build_config(struct td_building *b, int pmu);
/* A tool's event, from b->symbol. */
int td_build_tool(struct td_building *b);
/* Like td_build_config(), with the PMU in config[63:32] on a hybrid machine. */
int td_build_hardware(struct td_building *b, int pmu);
/* A raw config in the PMU's own encoding. */
int td_build_raw(struct td_building *b, int pmu);
/* An event named by the PMU or the model's files, with more terms. */
int td_build_named(struct td_building *b, int pmu);
/* An event given by the terms between the slashes. */
int td_build_terms(struct td_building *b, int pmu);

/* An event that no PMU here can count, with the reason. */
int td_build_refused(struct td_building *b, const char *why);

/*
 * Sets *known if the PMU has an event of this name, in sysfs or in the model's
 * files.
 */
int td_build_knows(struct td_building *b, int pmu, const char *name,
		   bool *known);
void td_build_offer_caches(struct td_closest *closest);

/* terms.c: adds all terms of spec; those of the PMU only if of_pmu is set. */
int td_build_add_terms(struct td_building *b, struct td_event *event,
		       bool of_pmu);
/*
 * Adds the bits of a named event.  TD_BUILD_UNUSED means that the PMU has no
 * such event.
 */
#define TD_BUILD_UNUSED 1
int td_build_add_named(const struct td_building *b, struct td_event *event,
		       const char *name);

/*
 * Finds uses of SLOTS and the fields of PERF_METRICS that the kernel would
 * refuse, or would take for something else (intel_pmu_hw_config() in
 * arch/x86/events/intel/core.c).  An error points at the event.
 */
int td_topdown_check(const struct td_events *events,
		     const struct td_event_text *text,
		     const struct td_machine *machine, struct td_err *err);

/* --- tracepoint_filter.c -------------------------------------------------- */

/* The kinds of fields that a filter compares. */
enum td_field_kind {
	TD_FIELD_NUMBER,
	TD_FIELD_TEXT,
	TD_FIELD_OTHER, /* only the kernel can judge it */
};

/* A field of a tracepoint.  The name is borrowed. */
struct td_field {
	const char *name;
	enum td_field_kind kind;
};

/*
 * Checks a filter for a tracepoint with these fields, besides the generic ones
 * that all tracepoints have.  Pure.  -EINVAL, and err points at the place.
 */
int td_filter_check(const char *filter, const struct td_field *fields,
		    size_t nr, struct td_err *err);

#endif
