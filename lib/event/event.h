/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/event: translates events from the typed text to the kernel's encoding.
 *
 * In: text ("cycles:u,{slots,topdown-retiring}"), a machine, and a source of names in the
 * model's files and tracefs (source.h).
 * Out: a struct td_event for each PMU that counts an event.  An error points at the
 * wrong word.
 */
#pragma once

#include "lib/machine/pmu.h"

/* Modifiers of an event or a group (perf-list(1), EVENT MODIFIERS). */
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

/* Events that tdstat measures itself. */
enum td_tool {
	TD_TOOL_NONE,
	TD_TOOL_DURATION_TIME,
	TD_TOOL_USER_TIME,
	TD_TOOL_SYSTEM_TIME,
};

/* One event on one PMU. */
struct td_event {
	char *name;  /* an event string, such as "cpu_core/topdown-retiring/" */
	int pmu;     /* index in the machine's PMUs */
	int cpu_pmu; /* index of the PMU on whose CPUs it counts: pmu, or that of cpu= */
	uint32_t type;
	uint64_t config[TD_NR_CONFIGS];
	double scale; /* factor in the .scale file in sysfs, else 1 */
	char *unit;   /* text of the .unit file in sysfs, else NULL */
	struct td_modifiers mods;
	uint64_t period;       /* typed with period=, else 0; for sampling */
	uint64_t usual_period; /* period= in sysfs or the model's files, else 0 */
	uint32_t bp_type;      /* HW_BREAKPOINT_* of a breakpoint, else 0 */
	enum td_tool tool;
	bool percore;
	bool has_suffix;  /* the name ends with modifiers */
	char *tracepoint; /* "sched:sched_switch", or NULL */
	char *filter;     /* the filter of a tracepoint, or NULL */
	int spec;         /* index of the event in the text, or -1 */
	int group;        /* number of the {} in the text, or -1 */
	bool merge;       /* shown as the sum over several PMUs */
	bool is_work;     /* measures the work of a run with --no-multiplex */
	bool hidden;      /* not requested: an added SLOTS or reference */
	bool spare;       /* hidden, and dropped if its group is refused */
	char *refusal;    /* why it cannot be counted, or NULL */
};

/*
 * Fill in the event with the name id on the PMU with the given index in its machine.  terms is a
 * text such as "event=0xad,umask=0x10"; NULL: use the terms in sysfs.  Pure.  Returns -ENOENT if
 * the PMU has no such event or term, -ERANGE if a value has too many bits.  Call td_event_free()
 * even after an error.
 */
int td_event_init(struct td_event *event, const struct td_pmu *pmu, int index, const char *id,
		  const char *terms, struct td_err *err);
/* Add terms in the syntax of sysfs and the model's files: "event=0xad,umask=0x10". */
int td_event_add_terms(struct td_event *event, const struct td_pmu *pmu, const char *terms,
		       struct td_err *err);
void td_event_free(struct td_event *event);
/* Replace a text of the event with a copy of the argument. */
void td_event_set_unit(struct td_event *event, const char *unit);
void td_event_set_filter(struct td_event *event, const char *filter);
void td_event_set_refusal(struct td_event *event, const char *why);
/* Mark the event as not countable, and add "name: why" as a note. */
void td_event_refuse(struct td_event *event, const char *why, struct td_notes *notes);

/*
 * First function: is it SLOTS?  Second function: is it a field of PERF_METRICS, which needs SLOTS?
 */
bool td_event_is_slots(const struct td_event *event);
bool td_event_is_metric(const struct td_event *event);
/* Is it cpu-clock or task-clock, which count the nanoseconds of a CPU or task? */
bool td_event_is_clock(const struct td_event *event);
/* Is id the event's name without PMU and modifiers: "slots" in "cpu_core/slots/u"? */
bool td_event_is_named(const struct td_event *event, const char *id);
/*
 * Is it one of the four fields of level 1: retiring, bad-spec, fe-bound and be-bound?  Recorded
 * events have no encoding and are recognized by their names.
 */
bool td_event_is_level_1(const struct td_event *event);

/* A list of events, which it owns.  A zeroed struct is empty. */
struct td_events {
	struct td_event *v;
	size_t nr;
};

/* Append a zeroed event.  Pointers to events of the list become invalid. */
struct td_event *td_events_add(struct td_events *events);
/*
 * Append a hidden SLOTS of the same PMU for a field of PERF_METRICS, with the modifiers and
 * group of the field.
 */
int td_events_add_slots(struct td_events *events, const struct td_pmu *pmu, size_t field,
			struct td_err *err);
/* Remove and free the events at index from and later. */
void td_events_drop(struct td_events *events, size_t from);
void td_events_free(struct td_events *events);

#define TD_MODIFIERS_SIZE 24 /* bytes for all modifiers as text */

/* Does a word only consist of modifiers? */
bool td_are_modifiers(const char *word, size_t len);

/* Add a letter.  Returns NULL, or the reason why it cannot be added. */
const char *td_modifiers_add(struct td_modifiers *mods, char letter);
/* Merge the modifiers of a group into those of an event.  Returns NULL, or why this is invalid. */
const char *td_modifiers_join(struct td_modifiers *mods, const struct td_modifiers *group);

/* Do both count in the same privilege levels, guests and idle state? */
bool td_modifiers_same_rings(const struct td_modifiers *a, const struct td_modifiers *b);
/* The letters of the modifiers that td_modifiers_same_rings() compares. */
#define TD_RING_LETTERS "ukhGHI"
/* Copy the modifiers in TD_RING_LETTERS; the others are unchanged. */
void td_modifiers_copy_rings(struct td_modifiers *to, const struct td_modifiers *from);
/*
 * Format the modifiers that are set, in the order of letters; p is repeated as typed.  Returns buf.
 */
const char *td_modifiers_format(const struct td_modifiers *mods, const char *letters,
				char buf[TD_MODIFIERS_SIZE]);
