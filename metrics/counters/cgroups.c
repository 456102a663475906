// SPDX-License-Identifier: GPL-2.0-only
/* Series of cgroups, which come and go, and may be in each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/counters/parts.h"

bool td_counters_is_gone(const struct td_counters *counters, const char *id)
{
	const struct td_cgroups *cgroups = counters->cgroups;
	size_t at;

	if (!cgroups || !id)
		return false;
	at = td_cgroups_find(cgroups, id);
	return at == cgroups->nr || cgroups->gone[at];
}

static bool is_counted(const struct td_cgroups *cgroups, const char *name)
{
	size_t at = td_cgroups_find(cgroups, name);

	return at < cgroups->nr && !cgroups->gone[at];
}

/* The root has the name "/", and is above all others. */
bool td_counters_is_nested(const struct td_counters *counters, const char *id)
{
	td_autofree char *above = strdup(id);
	char *slash;

	if (!above || strcmp(id, "/") == 0)
		return false;
	while ((slash = strrchr(above, '/'))) {
		*slash = '\0';
		if (is_counted(counters->cgroups, above))
			return true;
	}
	return is_counted(counters->cgroups, "/");
}

/* Moves those that stay together, and finds them again. */
static int drop_of(struct td_counters *counters, struct td_family *family)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < family->nr; i++) {
		struct td_series *series = &family->v[i];

		if (!td_counters_is_gone(counters, series->id)) {
			family->v[kept++] = *series;
			continue;
		}
		*(series->pmu ? &counters->nr_series : &counters->nr_own) -= 1;
		td_series_free(series);
	}
	if (kept == family->nr)
		return 0;
	family->nr = kept;
	td_index_clear(&family->index);
	for (size_t i = 0; !rc && i < kept; i++)
		rc = td_index_add(&family->index, td_series_hash(&family->v[i]),
				  i);
	return rc;
}

int td_counters_drop_gone(struct td_counters *counters)
{
	int rc = 0;

	for (size_t kind = 0; !rc && counters->cgroups && kind < TD_NR_FAMILIES;
	     kind++)
		rc = drop_of(counters, &counters->families[kind]);
	return rc;
}
