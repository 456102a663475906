/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_PATH_H
#define TD_CMD_TOP_PATH_H

#include "cmd/top/canvas.h"
#include "cmd/top/snapshot.h"
#include "metrics/explain/explain.h"

/*
 * A line: the nodes that matter most, as the verdict says; where it cannot say,
 * the largest that are over their thresholds.
 */
void td_top_put_path(struct td_canvas *canvas, int y,
		     const struct td_top_snapshot *snapshot);
/* The last node of that path; NULL: there is none. */
const char *td_top_path_end(const struct td_top_snapshot *snapshot);
/* What a node means on such cores; NULL: there is no text. */
const struct td_explanation *td_top_explanation(const char *node,
						const char *pmu);

#endif
