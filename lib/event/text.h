/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_TEXT_H
#define TD_LIB_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/event/event.h"

/*
 * The language of perf stat -e as a grammar: what stands where, not what it
 * means on a machine.
 *
 *   list  := item {',' item}            item := group | event
 *   group := [NAME] '{' event {',' event} '}' [':' MODS]
 *   event := what ['/' [term {',' term}] '/'] [[':'] MODS]
 *   what  := NAME | 'r' HEX | TYPE ':' CONFIG | SYSTEM ':' TRACEPOINT
 *          | 'mem:' ADDRESS ['/' LENGTH] [':' 'r' 'w' 'x']
 *   term  := NAME ['=' VALUE]           VALUE may stand in single quotes
 *
 * Blanks and line ends are fine around events, braces, commas, terms and
 * modifiers.
 */

/* Where something stands in what the user typed; text is borrowed. */
struct td_span {
	const char *text;
	size_t at, len;
};

/* "umask=0x4", "edge", "name='a,b'" */
struct td_term {
	char *name;
	char *value; /* NULL: none was given */
	bool is_number;
	uint64_t number; /* 1 if no value was given */
	struct td_span span;
};

enum td_spec_kind {
	TD_SPEC_NAME, /* of an event, or of a PMU: terms follow */
	TD_SPEC_RAW,
	TD_SPEC_NUMERIC,
	TD_SPEC_TRACEPOINT,
	TD_SPEC_BREAKPOINT,
};

/* One event as it was typed. */
struct td_spec {
	enum td_spec_kind kind;
	char *name;   /* as typed, up to the terms */
	char *system; /* of a tracepoint */
	char *tracepoint;
	uint64_t config; /* raw and numeric; a breakpoint's address */
	uint32_t type;   /* numeric; HW_BREAKPOINT_* */
	uint64_t length; /* of a breakpoint; 0: none was given */
	bool slashes;    /* there is a list of terms, maybe an empty one */
	struct td_term *terms;
	size_t nr_terms;
	struct td_modifiers mods; /* its own, and its group's */
	char *suffix;             /* its own as letters, "" without */
	char *text;               /* all of it as typed, without blanks */
	char *terms_text;         /* between the slashes; NULL: none */
	int group;                /* which {}, -1: none */
	struct td_span span;
};

struct td_event_text {
	struct td_spec *specs;
	size_t nr_specs;
	int nr_groups;
};

/*
 * Appends the events of one -e, which must outlive them.  Pure.  A word that
 * makes no sense is an error that points at it.  Free with
 * td_event_text_free(), whatever the result.
 */
int td_event_text_parse(struct td_event_text *events, const char *text,
			struct td_err *err);
void td_event_text_free(struct td_event_text *events);

/* A usage error with the place: message, then the text with a caret. */
int td_span_error(struct td_err *err, const struct td_span *span,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
