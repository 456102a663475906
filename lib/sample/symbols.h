/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SYMBOLS_H
#define TD_LIB_SAMPLE_SYMBOLS_H

#include "lib/base/err.h"
#include "lib/base/notes.h"
#include "lib/machine/sysfs.h"
#include "lib/sample/spots.h"

/* Finds the functions of spots in objects, which stay open until it is freed. */
struct td_symbols;

struct td_symbols_setup {
	const struct td_sysfs *fs; /* kallsyms, /proc/PID/root */
	bool lines;                /* of the source, too */
	struct td_notes *notes;    /* what cannot be read, once each */
};

/* NULL: memory ran out.  The setup must outlive it. */
struct td_symbols *td_symbols_new(const struct td_symbols_setup *setup);
void td_symbols_free(struct td_symbols *symbols); /* NULL is fine */
/*
 * Resolves the spots that have no function yet.  One without a symbol becomes a
 * function without a name, at the spot's address.  The only error is -ENOMEM.
 */
int td_symbols_resolve(struct td_symbols *symbols, struct td_spots *spots,
		       struct td_err *err);

#endif
