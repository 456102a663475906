/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_WHAT_H
#define TD_LIB_EVENT_WHAT_H

#include "lib/event/cursor.h"
#include "lib/event/spec.h"

/*
 * Parses what stands before the terms and modifiers of an event: a name, a raw
 * event, TYPE:CONFIG, a tracepoint or a breakpoint.  See text.h for the
 * grammar.
 */
int td_parse_what(struct td_cursor *c, struct td_spec *spec);

#endif
