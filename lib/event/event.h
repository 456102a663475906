/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/event: events, from the word that is typed to what the kernel takes.
 *
 * In: text ("cycles:u,{slots,topdown-retiring}"), a machine, and names that only
 * the model's files or tracefs have (source.h).
 * Out: struct td_event, one for each PMU that is to count it.  An error shows
 * the word that is wrong.
 */
#ifndef TD_LIB_EVENT_EVENT_H
#define TD_LIB_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/notes.h"
#include "lib/machine/pmu.h"

/* The letters behind an event or a group: perf-list(1), EVENT MODIFIERS. */
struct td_modifiers {
	bool user, kernel, hypervisor; /* u k h */
	bool guest, host;              /* G H */
	bool non_idle;                 /* I */
	int precise;                   /* p, up to three */
	bool precise_max;              /* P */
	bool sample_read;              /* S */
	bool pinned;                   /* D */
	bool exclusive;                /* e */
	bool weak;                     /* W, of groups */
	bool retire_latency;           /* R */
	bool dont_regroup;             /* X */
};

/* Not counted by the kernel, but by who runs the command. */
enum td_tool {
	TD_TOOL_NONE,
	TD_TOOL_DURATION_TIME,
	TD_TOOL_USER_TIME,
	TD_TOOL_SYSTEM_TIME,
};

/* One event on one PMU. */
struct td_event {
	char *name; /* an event string: "cpu_core/topdown-retiring/" */
	int pmu;    /* index of its PMU in the machine */
	uint32_t type;
	uint64_t config[TD_NR_CONFIGS];
	double scale; /* of sysfs' .scale file, else 1 */
	char *unit;   /* of sysfs' .unit file; NULL: none */
	struct td_modifiers mods;
	uint32_t bp_type; /* breakpoints: HW_BREAKPOINT_*, else 0 */
	enum td_tool tool;
	bool percore;
	bool has_suffix;  /* the name ends in modifiers */
	char *tracepoint; /* "sched:sched_switch", NULL: it is not one */
	char *filter;     /* a tracepoint's; NULL: none */
	int spec;         /* which event of the text it comes from, -1: none */
	int group;        /* which {} of the text, -1: none */
	bool merge;       /* of several units whose sum is shown */
	bool hidden;      /* nobody asked for it: SLOTS, a reference */
	char *refusal;    /* why it is not counted after all; NULL: it is */
};

/*
 * id on pmu: an event that sysfs names (terms NULL), or terms such as
 * "event=0xad,umask=0x10" called id.  index is the PMU's in its machine.
 * -ENOENT: pmu has no such event or term; -ERANGE: a value too large for its
 * bits.  Pure.  Free with td_event_free(), whatever the result.
 */
int td_event_init(struct td_event *event, const struct td_pmu *pmu, int index,
		  const char *id, const char *terms, struct td_err *err);
/* "event=0xad,umask=0x10": what a PMU's or a model's files say. */
int td_event_add_terms(struct td_event *event, const struct td_pmu *pmu,
		       const char *terms, struct td_err *err);
void td_event_free(struct td_event *event);
/* Copies; -ENOMEM leaves none. */
int td_event_set_unit(struct td_event *event, const char *unit);
int td_event_set_filter(struct td_event *event, const char *filter);
int td_event_set_refusal(struct td_event *event, const char *why);
/* It is not counted: "name: why" is its refusal, and a note. */
int td_event_refuse(struct td_event *event, const char *why,
		    struct td_notes *notes);

/* SLOTS, and a field of PERF_METRICS, which only counts in a group of it. */
bool td_event_is_slots(const struct td_event *event);
bool td_event_is_metric(const struct td_event *event);

#endif
