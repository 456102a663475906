// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/wing.h"

#include <string.h>

/* Return the member of the first wing that has one. */
#define RETURN_FIRST(member)                                \
	do {                                                \
		for (size_t i = 0; td_wings[i]; i++) {      \
			if (td_wings[i]->member)            \
				return td_wings[i]->member; \
		}                                           \
		return NULL;                                \
	} while (0)

const struct td_out *td_wing_out(size_t format)
{
	for (size_t i = 0; td_wings[i]; i++) {
		if (td_wings[i]->outs && td_wings[i]->outs[format])
			return td_wings[i]->outs[format];
	}
	return NULL;
}

const struct td_stack_kind *td_wing_stack_kinds(void)
{
	RETURN_FIRST(stack_kinds);
}

const struct td_importer *td_wing_importer(void)
{
	RETURN_FIRST(importer);
}

const struct td_sample_filter *td_wing_filter(void)
{
	RETURN_FIRST(filter);
}

static const struct td_wing *find_marked(void)
{
	for (size_t i = 0; td_wings[i]; i++) {
		if (td_wings[i]->run_marked)
			return td_wings[i];
	}
	return NULL;
}

bool td_wing_has_marked(void)
{
	return find_marked() != NULL;
}

int td_wing_run_marked(const struct td_request *request, struct td_inherited *inherited,
		       int *status, struct td_err *err)
{
	const struct td_wing *wing = find_marked();

	return wing ? wing->run_marked(request, inherited, status, err)
		    : td_err_usage(err,
				   "this tdstat was built without 'regions', which counts marks");
}

int td_wing_refuse(const char *word, size_t len, struct td_err *err)
{
	for (const struct td_wing_left_out *w = td_wings_left_out; w->name; w++) {
		const char *next = w->words;

		while (*next) {
			size_t nr = strcspn(next, " ");

			if (nr == len && memcmp(next, word, len) == 0)
				return td_err_usage(err, "%.*s: this tdstat was built without '%s'",
						    (int)len, word, w->name);
			next += nr + strspn(next + nr, " ");
		}
	}
	return 0;
}
