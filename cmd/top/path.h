/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_PATH_H
#define TD_CMD_TOP_PATH_H

#include "cmd/top/canvas.h"
#include "cmd/top/state.h"
#include "metrics/explain/explain.h"

/* The column where the path begins, and what is said of it below. */
#define TD_TOP_PATH_AT 12

/*
 * A line: the nodes that matter most, as the verdict says; where it cannot say,
 * the largest that are over their thresholds.  Of a row that was opened it is
 * always these, as the verdict is of the whole.  opened "": the whole.
 */
void td_top_put_path(struct td_canvas *canvas, int y,
		     const struct td_top_snapshot *snapshot,
		     const char *opened);

/* The last node of that path, and its kind of core; NULL: there is none. */
const char *td_top_path_end(const struct td_top_snapshot *snapshot,
			    const char *opened, const char **pmu);
/* What a node means on such cores; NULL: there is no text. */
const struct td_explanation *td_top_explanation(const char *node,
						const char *pmu);

#endif
