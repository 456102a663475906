// SPDX-License-Identifier: GPL-2.0-only
#include "lib/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

void td_notes_add(struct td_notes *notes, const char *fmt, ...)
{
	char *text, **slot;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	for (size_t i = 0; i < notes->nr; i++) {
		if (strcmp(notes->v[i], text) == 0) {
			free(text);
			return;
		}
	}
	slot = td_array_add(&notes->v, notes->nr, sizeof(*slot));
	if (!slot) {
		free(text);
		return;
	}
	*slot = text;
	notes->nr++;
}

void td_notes_truncate(struct td_notes *notes, size_t nr)
{
	while (notes->nr > nr)
		free(notes->v[--notes->nr]);
}

void td_notes_free(struct td_notes *notes)
{
	td_notes_truncate(notes, 0);
	free(notes->v);
	*notes = (struct td_notes){ 0 };
}
