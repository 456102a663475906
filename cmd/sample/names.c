// SPDX-License-Identifier: GPL-2.0-only
/* The names of the functions that were sampled. */
#include "cmd/sample/names.h"

#include "cmd/run/signals.h"

static bool is_over(void *ctx)
{
	const uint64_t *stop_ns = ctx;
	struct td_signal signal;

	return td_signals_take(&signal) &&
	       (!*stop_ns || signal.time_ns - *stop_ns > TD_TWICE_NS);
}

int td_names_find(struct td_symbols *symbols, struct td_symbols_setup *setup,
		  struct td_spots *spots, struct td_progress *progress,
		  uint64_t stop_ns, struct td_err *err)
{
	int rc;

	setup->stop = td_signals_open();
	setup->wanted = is_over;
	setup->ctx = &stop_ns;
	td_progress_stage(progress, "reading symbols");
	rc = td_symbols_resolve(symbols, spots, err);
	td_progress_clear(progress);
	setup->wanted = NULL;
	td_signals_over(true);
	return rc;
}
