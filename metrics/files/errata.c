// SPDX-License-Identifier: GPL-2.0-only
/* Which errata of events are those of a metric, whose formula has these events. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"

#define BETWEEN ", "

/* The end of the one that begins there. */
static const char *end_of(const char *erratum)
{
	return erratum + strcspn(erratum, BETWEEN);
}

/* Where in the list the erratum is, or would be; *found: it is there. */
static const char *place_of(const char *list, const char *erratum, bool *found)
{
	size_t len = (size_t)(end_of(erratum) - erratum);

	*found = false;
	while (*list) {
		size_t other = (size_t)(end_of(list) - list);
		int rc = strncmp(list, erratum, other < len ? other : len);

		*found = !rc && other == len;
		if (*found || rc > 0 || (!rc && other > len))
			break;
		list += other;
		list += strspn(list, BETWEEN);
	}
	return list;
}

/* Adds one to a list, in the order of their names. */
static int add_one(char **list, const char *erratum)
{
	const char *old = *list ? *list : "";
	bool found;
	const char *at = place_of(old, erratum, &found);
	char *whole;

	if (found)
		return 0;
	whole = td_aprintf("%.*s%s%.*s%s%s", (int)(at - old), old,
			   *at || !*old ? "" : BETWEEN,
			   (int)(end_of(erratum) - erratum), erratum,
			   *at ? BETWEEN : "", at);
	if (!whole)
		return -ENOMEM;
	free(*list);
	*list = whole;
	return 0;
}

static int add_all(char **list, const char *errata)
{
	int rc = 0;

	while (!rc && *errata) {
		rc = add_one(list, errata);
		errata = end_of(errata);
		errata += strspn(errata, BETWEEN);
	}
	return rc;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Does the formula have the event?  Not as a part of a longer name. */
static bool has_event(const char *formula, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = formula; (at = strcasestr(at, name)); at++) {
		if ((at == formula || !is_of_name(at[-1])) &&
		    !is_of_name(at[len]))
			return true;
	}
	return false;
}

int td_errata_spread(struct td_pmu_events *to, size_t first,
		     const struct td_pmu_events *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->nr_events; i++) {
		const struct td_model_event *event = &from->events[i];

		for (size_t j = first; event->errata && j < to->nr_metrics;
		     j++) {
			struct td_model_metric *metric = &to->metrics[j];

			if (!rc && strcmp(metric->pmu, event->pmu) == 0 &&
			    has_event(metric->formula, event->name))
				rc = add_all(&metric->errata, event->errata);
		}
	}
	return rc;
}

int td_errata_find(struct td_pmu_events *events, size_t first,
		   struct td_err *err)
{
	size_t i = 0;
	int rc = 0;

	if (events->packed)
		return 0;
	while (!rc && i < events->nr_unread) {
		if (strstr(events->unread[i].text, "\"Errata\""))
			rc = td_pmu_events_parse_file(events, i, err);
		else
			i++;
	}
	if (rc)
		return rc;
	return td_errata_spread(events, first, events) ? td_err_nomem(err) : 0;
}
