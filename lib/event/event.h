/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/event: events, from the typed text to what the kernel takes.
 *
 * In: text ("cycles:u,{slots,topdown-retiring}"), a machine, and a source of
 * the names that only the model's files or tracefs have (source.h).
 * Out: struct td_event, one for each PMU that counts it.  An error points at
 * the wrong word.
 */
#ifndef TD_LIB_EVENT_EVENT_H
#define TD_LIB_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/machine/pmu.h"

/* Modifiers behind an event or a group (perf-list(1), EVENT MODIFIERS). */
struct td_modifiers {
	bool user, kernel, hypervisor; /* u k h */
	bool guest, host;              /* G H */
	bool non_idle;                 /* I */
	int precise;                   /* p, up to three */
	bool precise_max;              /* P */
	bool sample_read;              /* S */
	bool pinned;                   /* D */
	bool exclusive;                /* e */
	bool weak;                     /* W, for groups */
	bool retire_latency;           /* R */
	bool dont_regroup;             /* X */
};

/* Measured by tdstat itself, not by the kernel. */
enum td_tool {
	TD_TOOL_NONE,
	TD_TOOL_DURATION_TIME,
	TD_TOOL_USER_TIME,
	TD_TOOL_SYSTEM_TIME,
};

/* One event on one PMU. */
struct td_event {
	char *name; /* an event string, such as "cpu_core/topdown-retiring/" */
	int pmu;    /* index in the machine's PMUs */
	int home;   /* the PMU on whose CPUs it counts: pmu, or that of cpu= */
	uint32_t type;
	uint64_t config[TD_NR_CONFIGS];
	double scale; /* of the .scale file in sysfs, else 1 */
	char *unit;   /* of the .unit file in sysfs, else NULL */
	struct td_modifiers mods;
	uint32_t bp_type; /* HW_BREAKPOINT_* of a breakpoint, else 0 */
	enum td_tool tool;
	bool percore;
	bool has_suffix;  /* the name ends with modifiers */
	char *tracepoint; /* "sched:sched_switch", or NULL */
	char *filter;     /* of a tracepoint, or NULL */
	int spec;         /* index of the event in the text, or -1 */
	int group;        /* number of the {} in the text, or -1 */
	bool merge;       /* shown as the sum over several PMUs */
	bool is_work;  /* is the measure of a run's work with --no-multiplex */
	bool hidden;   /* not asked for: an added SLOTS or reference */
	bool spare;    /* hidden, and given up if its group is refused */
	char *refusal; /* why it cannot be counted, or NULL */
};

/*
 * Fills in the event id on a PMU: one that sysfs names if terms is NULL, else
 * terms such as "event=0xad,umask=0x10" under the name id.  index is the PMU's
 * in its machine.  Pure.  -ENOENT if the PMU has no such event or term, -ERANGE
 * if a value has too many bits.  Free with td_event_free(), also after an
 * error.
 */
int td_event_init(struct td_event *event, const struct td_pmu *pmu, int index,
		  const char *id, const char *terms, struct td_err *err);
/*
 * Adds terms as sysfs or the model's files write them, "event=0xad,umask=0x10".
 */
int td_event_add_terms(struct td_event *event, const struct td_pmu *pmu,
		       const char *terms, struct td_err *err);
void td_event_free(struct td_event *event);
/* Replace a text with a copy.  Return 0, or -ENOMEM and the text is NULL. */
int td_event_set_unit(struct td_event *event, const char *unit);
int td_event_set_filter(struct td_event *event, const char *filter);
int td_event_set_refusal(struct td_event *event, const char *why);
/*
 * Marks the event as not countable, and adds "name: why" as a note.  Returns 0
 * or -ENOMEM.
 */
int td_event_refuse(struct td_event *event, const char *why,
		    struct td_notes *notes);

/*
 * SLOTS, or a field of PERF_METRICS, which counts only in a group with SLOTS.
 */
bool td_event_is_slots(const struct td_event *event);
bool td_event_is_metric(const struct td_event *event);
/* Is this its id, as in "slots", "cpu_core/slots/" or "cpu_core/slots/u"? */
bool td_event_is_named(const struct td_event *event, const char *id);
/*
 * One of the four fields of level 1: retiring, bad-spec, fe-bound and be-bound.
 * Events of recordings, which have no bits, are known by their names.
 */
bool td_event_is_level_1(const struct td_event *event);

/* A list of events, which it owns.  A zeroed struct is empty. */
struct td_events {
	struct td_event *v;
	size_t nr;
};

/*
 * Appends a zeroed event.  Pointers to the others become invalid; NULL means
 * out of memory.
 */
struct td_event *td_events_add(struct td_events *events);
/*
 * Appends a hidden SLOTS of the same PMU for a field of PERF_METRICS, with the
 * field's modifiers and group in the text.
 */
int td_events_add_slots(struct td_events *events, const struct td_pmu *pmu,
			size_t field, struct td_err *err);
/* Frees the events from index from on. */
void td_events_drop(struct td_events *events, size_t from);
void td_events_free(struct td_events *events);

#define TD_MODIFIERS_SIZE 24 /* bytes for all modifiers as text */

/* True if all letters of a word are modifiers. */
bool td_are_modifiers(const char *word, size_t len);

/* Adds a letter.  Returns NULL, or why it cannot be added. */
const char *td_modifiers_add(struct td_modifiers *mods, char letter);
/*
 * Merges a group's modifiers into one event's.  Returns NULL, or why this is
 * impossible.
 */
const char *td_modifiers_join(struct td_modifiers *mods,
			      const struct td_modifiers *group);

/* True if both count in the same privilege levels, guests and idle state. */
bool td_modifiers_same_rings(const struct td_modifiers *a,
			     const struct td_modifiers *b);
/* The letters of the modifiers that td_modifiers_same_rings() compares. */
#define TD_RING_LETTERS "ukhGHI"
/* Copies these modifiers and leaves the others as they are. */
void td_modifiers_copy_rings(struct td_modifiers *to,
			     const struct td_modifiers *from);
/*
 * Formats those of letters that are set, in the order of letters; p comes as
 * often as it was given.  Returns buf.
 */
const char *td_modifiers_format(const struct td_modifiers *mods,
				const char *letters,
				char buf[TD_MODIFIERS_SIZE]);

#endif
