/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_HUES_H
#define TD_CMD_SAMPLE_HUES_H

#include "cmd/out/stack_files.h"
#include "cmd/view/view.h"
#include "lib/sample/locations.h"

/* Does anybody want the stacks of the view's samples: a file, or its page? */
bool td_hues_want_stacks(const struct td_view *view,
			 const struct td_sample_files *files);
/*
 * Writes them to the files, which are open, and to the page: as wide as their
 * cycles, in the colours of where the slots of functions went by the view's last
 * report.
 */
int td_hues_put_stacks(struct td_view *view, const struct td_spots *spots,
		       const struct td_hits *hits,
		       const struct td_sample_files *files, struct td_err *err);

#endif
