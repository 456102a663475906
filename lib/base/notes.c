// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

static bool has(const struct td_notes *notes, const char *text, uint64_t hash)
{
	size_t step = 0, at;

	while ((at = td_index_next(&notes->index, hash, &step)) !=
	       TD_NOT_FOUND) {
		if (strcmp(notes->v[at], text) == 0)
			return true;
	}
	return false;
}

void td_notes_add(struct td_notes *notes, const char *fmt, ...)
{
	char *text, **slot;
	uint64_t hash;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		notes->lost = true;
		return;
	}
	hash = td_hash_text(text);
	if (has(notes, text, hash)) {
		free(text);
		return;
	}
	slot = td_array_add(&notes->v, notes->nr, sizeof(*slot));
	if (!slot || td_index_add(&notes->index, hash, notes->nr)) {
		notes->lost = true;
		free(text);
		return;
	}
	*slot = text;
	notes->nr++;
}

void td_notes_truncate(struct td_notes *notes, size_t nr)
{
	if (notes->nr <= nr)
		return;
	while (notes->nr > nr)
		free(notes->v[--notes->nr]);
	if (notes->said > nr)
		notes->said = nr;
	td_index_clear(&notes->index);
	/* cannot fail: the index keeps its memory, and had room for more */
	for (size_t i = 0; i < nr; i++)
		td_index_add(&notes->index, td_hash_text(notes->v[i]), i);
}

void td_notes_free(struct td_notes *notes)
{
	td_notes_truncate(notes, 0);
	free(notes->v);
	td_index_free(&notes->index);
	*notes = (struct td_notes){ 0 };
}
