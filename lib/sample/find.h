/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FIND_H
#define TD_LIB_SAMPLE_FIND_H

#include <stdio.h>

#include "lib/sample/finds.h"
#include "lib/sample/search.h"

/*
 * Looks for the functions of the unknown spots of an object, in this process, and
 * writes what it finds (finds.h).  Nothing of the object is kept.
 */
void td_find_object(struct td_search *search, const struct td_spots *spots,
		    const struct td_unknown *unknown, int object, FILE *fp);

#endif
