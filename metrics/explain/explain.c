// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/explain/explain.h"

#include <string.h>
#include <strings.h>

#define PREFIX "tma_"

const struct td_explanation *td_explanation_at(size_t i)
{
	if (i < td_nr_explained_core)
		return &td_explained_core[i];
	i -= td_nr_explained_core;
	if (i < td_nr_explained_deep)
		return &td_explained_deep[i];
	i -= td_nr_explained_deep;
	return i < td_nr_explained_atom ? &td_explained_atom[i] : NULL;
}

bool td_explanation_matches(const struct td_explanation *text, const char *name)
{
	return strcasecmp(text->name, name) == 0 ||
	       strcasecmp(text->name + strlen(PREFIX), name) == 0;
}

const struct td_explanation *td_explanation_next(const char *parent,
						 enum td_explained_cores cores,
						 size_t *at)
{
	const struct td_explanation *text;

	while ((text = td_explanation_at((*at)++))) {
		bool child = parent ? text->parent &&
					      strcmp(text->parent, parent) == 0
				    : !text->parent;

		if (child &&
		    (text->cores == cores || text->cores == TD_EXPLAINED_ALL))
			return text;
	}
	return NULL;
}
