/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_KEYS_H
#define TD_CMD_TOP_KEYS_H

#include "cmd/top/state.h"

/* Keys that are no characters. */
enum td_top_key {
	TD_KEY_UP = 0x110000, /* behind the last character of Unicode */
	TD_KEY_DOWN,
	TD_KEY_LEFT,
	TD_KEY_RIGHT,
	TD_KEY_PAGE_UP,
	TD_KEY_PAGE_DOWN,
	TD_KEY_HOME,
	TD_KEY_END,
	TD_KEY_ENTER,
	TD_KEY_BACKSPACE,
	TD_KEY_ESCAPE,
	TD_KEY_F, /* plus a number from 1 to 12 */
};

/* What a key asks for that only a new beginning gives. */
enum td_top_wish {
	TD_TOP_NO_WISH,
	TD_TOP_QUIT,
	TD_TOP_LEVEL, /* state->wish_level; 0: auto */
	TD_TOP_SLOWER,
	TD_TOP_FASTER,
	TD_TOP_THREADS,
	TD_TOP_CORES,
	TD_TOP_BACK, /* the interval before, of a recording */
	TD_TOP_FORWARD,
};

/*
 * Changes the state as the key says.  Keys without a meaning do nothing.
 */
enum td_top_wish td_top_take_key(struct td_top_state *state, int key);

#endif
