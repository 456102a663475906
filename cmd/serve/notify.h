/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_NOTIFY_H
#define TD_CMD_SERVE_NOTIFY_H

/*
 * Sends "READY=1" and the like to $NOTIFY_SOCKET, as sd_notify(3) does; nothing
 * if there is none.  Nobody is told of an error.
 */
void td_notify(const char *state);

#endif
