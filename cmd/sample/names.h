/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_NAMES_H
#define TD_CMD_SAMPLE_NAMES_H

#include "cmd/run/progress.h"
#include "lib/sample/symbols.h"

/*
 * Resolves spots when counting is over.  A signal ends the search, and the next one
 * ends us: what was counted is shown before.  stop_ns: when the last signal of the
 * counting came, or 0; one right behind it is the same.
 */
int td_names_find(struct td_symbols *symbols, struct td_symbols_setup *setup,
		  struct td_spots *spots, struct td_progress *progress,
		  uint64_t stop_ns, struct td_err *err);

#endif
