/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/sysfs.h"
#include "lib/sample/locations.h"

/*
 * Finds the functions of locations.  Confined processes read the files, which are untrusted: no
 * file can crash tdstat, exceed the limits on time and memory, or affect more than its own names.
 */
struct td_symbols {
	const struct td_sysfs *fs; /* kallsyms, /proc/PID/root */
	bool lines;                /* also find source lines */
	struct td_notes *notes;    /* for files that cannot be read */
	/*
	 * The search ends when the descriptor stop is readable and is_unwanted(), which may be
	 * NULL, returns true.  Functions that were found until then are kept.
	 */
	int stop;
	bool (*is_unwanted)(void *ctx);
	void *ctx;

	/* state of td_symbols_resolve() */
	uint64_t spent_ns; /* time spent by all searches */
	bool ended;        /* further searches are not started */
};

/* Returns why an object cannot be read, for a negative errno. */
const char *td_symbols_reason(const struct td_object *object, int rc);

/*
 * Resolves the locations that have no function yet.  A location without a symbol becomes a function
 * without a name, at the location's address.  Notes contain the reasons.
 */
void td_symbols_resolve(struct td_symbols *symbols, struct td_locations *locations);
