/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TESTS_FUZZ_LOCATIONS_H
#define TD_TESTS_FUZZ_LOCATIONS_H

#include <stdlib.h>
#include <string.h>

#include "lib/sample/locations.h"
#include "lib/sample/parts.h"

/* Aborts unless functions and lines that were found are as they should be. */
static inline void check_locations(const struct td_locations *locations)
{
	for (size_t i = 0; i < locations->nr; i++) {
		const struct td_location *location = &locations->v[i];
		const struct td_function *function;

		if (location->function >= (int)locations->nr_functions ||
		    location->file >= (int)locations->nr_files ||
		    (location->file < 0) != (location->line <= 0))
			abort();
		if (location->function < 0)
			continue;
		function = &locations->functions[location->function];
		if (!function->name || !*function->name ||
		    strlen(function->name) > TD_SYMBOL_NAME_MAX ||
		    function->object != location->object || function->address > location->address)
			abort();
	}
}

#endif
