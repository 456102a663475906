/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_NOTES_H
#define TD_LIB_BASE_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/index.h"

/* Notes to the user on what was not done as asked; printed once. */
struct td_notes {
	char **v;
	size_t nr, said;       /* said of them have been printed */
	bool lost;             /* there was no memory for one of them */
	struct td_index index; /* of the texts, to find duplicates */
};

/* Formats and adds a note, unless the same text is there already. */
void td_notes_add(struct td_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Keeps only the first nr notes. */
void td_notes_truncate(struct td_notes *notes, size_t nr);
void td_notes_free(struct td_notes *notes);

#endif
