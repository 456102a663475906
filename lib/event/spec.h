/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_SPEC_H
#define TD_LIB_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/event/cursor.h"
#include "lib/event/event.h"

/* "umask=0x4", "edge", "name='a,b'" */
struct td_term {
	char *name;
	char *value; /* NULL if there is none */
	bool is_number;
	uint64_t number; /* 1 if no value was given */
	struct td_span span;
};

enum td_spec_kind {
	TD_SPEC_NAME, /* of an event, or of a PMU if it has slashes */
	TD_SPEC_RAW,
	TD_SPEC_NUMERIC,
	TD_SPEC_TRACEPOINT,
	TD_SPEC_BREAKPOINT,
};

/* One event as it was typed. */
struct td_spec {
	enum td_spec_kind kind;
	char *name;   /* as typed, without terms */
	char *system; /* of a tracepoint */
	char *tracepoint;
	uint64_t config; /* of raw and numeric events; a breakpoint's address */
	uint32_t type;   /* of numeric events; HW_BREAKPOINT_* of breakpoints */
	uint64_t length; /* of a breakpoint; 0 if not given */
	bool slashes;    /* there is a list of terms, which may be empty */
	struct td_term *terms;
	size_t nr_terms;
	struct td_modifiers mods; /* of the event and its group */
	char *suffix;     /* the event's own modifiers as typed, or "" */
	char *text;       /* the whole event as typed, without blanks */
	char *terms_text; /* between the slashes, or NULL */
	int group;        /* number of the {}, or -1 */
	struct td_span span;
};

/*
 * Parses what stands before an event's terms and modifiers, "name" in the
 * grammar of text.h: sets kind, name and the members that this kind has.
 */
int td_spec_parse_name(struct td_cursor *c, struct td_spec *spec);

#endif
