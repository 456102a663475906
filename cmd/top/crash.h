/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_CRASH_H
#define TD_CMD_TOP_CRASH_H

/*
 * Should this program crash, or a signal end it at once, the terminal gets its
 * modes back, and leaves the screen, before that.  The modes are those of now;
 * leave is what the terminal is sent.
 */
void td_crash_prepare(const char *leave);
void td_crash_forget(void);

#endif
