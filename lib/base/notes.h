/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_NOTES_H
#define TD_LIB_BASE_NOTES_H

#include <stddef.h>

#include "lib/base/index.h"

/* What was not done as asked: said once, by the command. */
struct td_notes {
	char **v;
	size_t nr;
	struct td_index index; /* of the texts */
};

/* A text that is there already is not added again. */
void td_notes_add(struct td_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Forgets all but the first nr. */
void td_notes_truncate(struct td_notes *notes, size_t nr);
void td_notes_free(struct td_notes *notes);

#endif
