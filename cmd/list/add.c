// SPDX-License-Identifier: GPL-2.0-only
/* Adds items, and the strings that they own, to a list. */
#include <stdarg.h>
#include <stdlib.h>

#include "cmd/list/encoding.h"
#include "cmd/list/parts.h"
#include "lib/base/util.h"

int td_list_add(struct td_list *list, const struct td_list_item *item,
		struct td_err *err)
{
	struct td_list_item *new;

	if (list->no_memory)
		return td_err_nomem(err);
	if (!td_list_is_wanted(list, item))
		return 0;
	new = td_array_add(&list->items, list->nr_items, sizeof(*new));
	if (!new)
		return td_err_nomem(err);
	*new = *item;
	list->nr_items++;
	return 0;
}

/* Takes over the string; if there is none, remembers that memory ran out. */
static const char *keep(struct td_list *list, char *text)
{
	struct td_names *kept = &list->kept;
	char **slot =
		text ? td_array_add(&kept->v, kept->nr, sizeof(*slot)) : NULL;

	if (!slot) {
		list->no_memory = true;
		free(text);
		return NULL;
	}
	*slot = text;
	kept->nr++;
	return text;
}

const char *td_list_keep(struct td_list *list, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	return keep(list, len < 0 ? NULL : text);
}

const char *td_list_encode(struct td_list *list, const struct td_event *event,
			   const struct td_pmu *pmu, const char *pmu_name,
			   const char *terms)
{
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (list->opts->format != TD_FORMAT_JSON && !list->opts->verbose)
		return NULL;
	fp = open_memstream(&text, &size);
	if (!fp)
		return keep(list, NULL);
	td_encoding_put(fp, pmu, pmu_name, event, terms);
	td_text_close(fp, &text);
	return keep(list, text);
}

void td_list_miss(struct td_list *list, unsigned int kinds, const char *what,
		  const char *why)
{
	td_notes_add(list->certain & kinds ? &list->notes : &list->missing,
		     "%s: %s", what, why);
}
