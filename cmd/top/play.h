/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_PLAY_H
#define TD_CMD_TOP_PLAY_H

#include "cmd/top/viewer.h"

/*
 * Plays the recording opts->input: its rows come as fast as they were counted,
 * or one every opts->when.interval_ms.  It begins with row *at without a pause, and
 * tells how far it came.  After the last one it waits for keys.
 */
int td_top_play(struct td_top *top, const struct td_opts *opts, size_t *at,
		struct td_err *err);

#endif
