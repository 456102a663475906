/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/event/event.h"

/* A place in the user's text, which is borrowed. */
struct td_span {
	const char *text;
	size_t at, len;
};

/* Set a usage error that points at the place. */
int td_span_error(struct td_err *err, const struct td_span *span, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One event as it was typed. */
struct td_spec {
	enum {
		TD_SPEC_NAME, /* an event, or a PMU if it has slashes */
		TD_SPEC_RAW,
		TD_SPEC_NUMERIC,
		TD_SPEC_TRACEPOINT,
		TD_SPEC_BREAKPOINT,
	} kind;
	char *name;                /* as typed, without terms */
	char *system, *tracepoint; /* parts of the name of a tracepoint */
	uint64_t config;           /* config of raw and numeric events; address of a breakpoint */
	uint32_t type;             /* type of numeric events; HW_BREAKPOINT_* of breakpoints */
	uint64_t length;           /* length of a breakpoint; 0 if not given */
	bool slashes;              /* typed with a list of terms, which may be empty */
	/* A term such as "umask=0x4", "edge" or "name='a,b'". */
	struct td_term {
		char *name;
		char *value; /* or NULL */
		bool is_number;
		uint64_t number; /* 1 if no value was given */
		struct td_span span;
	} * terms;
	size_t nr_terms;
	struct td_modifiers mods; /* including those of the group */
	char *suffix;             /* the event's own modifiers as typed, or "" */
	char *text;               /* the whole event as typed, without blanks */
	char *terms_text;         /* the text between the slashes, or NULL */
	int group;                /* number of the {}, or -1 */
	struct td_span span;
};

/*
 * The syntax of perf stat -e:
 *
 *   list  := item {',' item}            item := group | event
 *   group := [NAME] '{' event {',' event} '}' [':' MODS]
 *   event := name ['/' [term {',' term}] '/'] [[':'] MODS]
 *   name  := NAME | 'r' HEX | TYPE ':' CONFIG | SYSTEM ':' TRACEPOINT
 *          | 'mem:' ADDRESS ['/' LENGTH] [':' 'r' 'w' 'x']
 *   term  := NAME ['=' VALUE]           VALUE may be in single quotes
 *
 * Blanks and line ends are allowed around events, braces, commas, terms and
 * modifiers.
 */

struct td_event_text {
	struct td_spec *specs;
	size_t nr_specs;
	int nr_groups;
};

/*
 * Parse one -e and append its events.  text is borrowed and must outlive them.  Pure.  A
 * usage error points at the wrong word.  Call td_event_text_free() on error as well.
 */
int td_event_text_parse(struct td_event_text *events, const char *text, struct td_err *err);
void td_event_text_free(struct td_event_text *events);
