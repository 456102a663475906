// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/compare/ids.h"

#include <stdlib.h>
#include <string.h>

/* How much of a label is the name. */
static size_t length_of(const char *label, enum td_aggregation how)
{
	const char *dash = strrchr(label, '-');

	return how == TD_AGGREGATE_THREAD && dash && dash != label
		       ? (size_t)(dash - label)
		       : strlen(label);
}

char **td_ids_name(const struct td_totals *totals, enum td_aggregation how)
{
	size_t size = (totals->nr_ids + 1) * sizeof(char *);
	char **ids, *text;

	for (size_t i = 0; i < totals->nr_ids; i++)
		size += strlen(totals->ids[i].label) + 1;
	ids = calloc(1, size);
	if (!ids)
		return NULL;
	text = (char *)(ids + totals->nr_ids + 1);
	for (size_t i = 0; i < totals->nr_ids; i++) {
		const char *label = totals->ids[i].label;
		size_t length = length_of(label, how);

		ids[i] = memcpy(text, label, length);
		text += length + 1;
	}
	return ids;
}
