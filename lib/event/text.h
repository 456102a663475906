/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_TEXT_H
#define TD_LIB_EVENT_TEXT_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/event/spec.h"

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
