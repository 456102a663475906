/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_SPEC_H
#define TD_LIB_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/event/event.h"

/* A place in the user's text, which is borrowed. */
struct td_span {
	const char *text;
	size_t at, len;
};

/* Sets a usage error that points at the place. */
int td_span_error(struct td_err *err, const struct td_span *span,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The place of a parser in a text. */
struct td_cursor {
	const char *text;
	size_t at;
	struct td_err *err;
};

/* Sets a usage error that points at len characters of the text. */
int td_cursor_error(struct td_cursor *c, size_t at, size_t len,
		    const char *what);

/* Returns the next character; '\0' at the end. */
char td_cursor_peek(const struct td_cursor *c);
void td_cursor_skip_blanks(struct td_cursor *c);
/* Skips blanks, and want if it comes next.  Returns true if it did. */
bool td_cursor_take(struct td_cursor *c, char want);
/*
 * Skips a word up to a character of stop, a blank or the end.  Returns its
 * length.
 */
size_t td_cursor_take_word(struct td_cursor *c, const char *stop);

/* Copies a part of the text into *out. */
int td_cursor_copy(struct td_cursor *c, char **out, size_t at, size_t len);
/* Copies without blanks, except inside quotes; NULL without memory. */
char *td_without_blanks(const char *text, size_t len);

/* "umask=0x4", "edge", "name='a,b'" */
struct td_term {
	char *name;
	char *value; /* NULL if there is none */
	bool is_number;
	uint64_t number; /* 1 if no value was given */
	struct td_span span;
};

/* One event as it was typed. */
struct td_spec {
	enum {
		TD_SPEC_NAME, /* of an event, or of a PMU if it has slashes */
		TD_SPEC_RAW,
		TD_SPEC_NUMERIC,
		TD_SPEC_TRACEPOINT,
		TD_SPEC_BREAKPOINT,
	} kind;
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
 * grammar below: sets kind, name and the members that this kind has.
 */
int td_spec_parse_name(struct td_cursor *c, struct td_spec *spec);

/* --- text.c --------------------------------------------------------------- */

/*
 * The language of perf stat -e as a grammar: what stands where, not what it
 * means on a machine.
 *
 *   list  := item {',' item}            item := group | event
 *   group := [NAME] '{' event {',' event} '}' [':' MODS]
 *   event := name ['/' [term {',' term}] '/'] [[':'] MODS]
 *   name  := NAME | 'r' HEX | TYPE ':' CONFIG | SYSTEM ':' TRACEPOINT
 *          | 'mem:' ADDRESS ['/' LENGTH] [':' 'r' 'w' 'x']
 *   term  := NAME ['=' VALUE]           VALUE may stand in single quotes
 *
 * Blanks and line ends are fine around events, braces, commas, terms and
 * modifiers.
 */

struct td_event_text {
	struct td_spec *specs;
	size_t nr_specs;
	int nr_groups;
};

/*
 * Parses one -e and appends its events. text is borrowed and must outlive
 * them.  Pure.  A usage error points at the wrong word.  Free with
 * td_event_text_free(), also after an error.
 */
int td_event_text_parse(struct td_event_text *events, const char *text,
			struct td_err *err);
void td_event_text_free(struct td_event_text *events);

#endif
