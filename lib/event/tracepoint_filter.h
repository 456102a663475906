/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_TRACEPOINT_FILTER_H
#define TD_LIB_EVENT_TRACEPOINT_FILTER_H

#include <stddef.h>

#include "lib/base/err.h"

/* What a filter may compare a field with. */
enum td_field_kind {
	TD_FIELD_NUMBER,
	TD_FIELD_TEXT,
	TD_FIELD_OTHER, /* the kernel knows */
};

/* A field of a tracepoint; the name is borrowed. */
struct td_field {
	const char *name;
	enum td_field_kind kind;
};

struct td_fields {
	struct td_field *v;
	size_t nr;
};

/*
 * Is filter one that the kernel takes for a tracepoint of these fields, and
 * of those that all have?  Pure.  -EINVAL, and err points at the place.
 */
int td_filter_check(const char *filter, const struct td_fields *fields,
		    struct td_err *err);

#endif
