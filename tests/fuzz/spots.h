/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TESTS_FUZZ_SPOTS_H
#define TD_TESTS_FUZZ_SPOTS_H

#include <stdlib.h>
#include <string.h>

#include "lib/sample/parts.h"
#include "lib/sample/spots.h"

/* Aborts unless functions and lines that were found are as they should be. */
static inline void check_spots(const struct td_spots *spots)
{
	for (size_t i = 0; i < spots->nr; i++) {
		const struct td_spot *spot = &spots->v[i];
		const struct td_function *function;

		if (spot->function >= (int)spots->nr_functions ||
		    spot->file >= (int)spots->nr_files || (spot->file < 0) != (spot->line <= 0))
			abort();
		if (spot->function < 0)
			continue;
		function = &spots->functions[spot->function];
		if (!function->name || !*function->name ||
		    strlen(function->name) > TD_SYMBOL_NAME_MAX ||
		    function->object != spot->object || function->address > spot->address)
			abort();
	}
}

#endif
