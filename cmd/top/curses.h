/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_CURSES_H
#define TD_CMD_TOP_CURSES_H

#include "lib/base/err.h"

/*
 * Loads ncurses, to be called before any function of its.  Its variables, such as
 * stdscr, cannot be used.  -ELIBACC, with the reason and a hint.
 */
int td_curses_load(struct td_err *err);

#endif
