/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_TRACEPOINT_FILTER_H
#define TD_LIB_EVENT_TRACEPOINT_FILTER_H

#include <stddef.h>

#include "lib/base/err.h"

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
