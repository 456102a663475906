/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_TERMINAL_H
#define TD_CMD_TOP_TERMINAL_H

#include "lib/base/err.h"

/* What terminfo says of the terminal. */

#define TD_TERMINAL_LEAVE 128

/* An error, with a remedy, if there is no terminal that can show a screen. */
int td_terminal_check(struct td_err *err);
/* What makes the terminal leave the screen; after a check without an error. */
const char *td_terminal_leave(char text[TD_TERMINAL_LEAVE]);

#endif
