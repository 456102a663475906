/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_SAID_H
#define TD_CMD_TOP_SAID_H

#include <stddef.h>

/*
 * Standard error while the screen is up: what is written there, by whomever, is
 * kept in memory and written when the screen has gone.
 */
struct td_top_said {
	int real; /* a copy of standard error; -1: it is not kept back */
	int kept;
};

#define TD_TOP_SAID_NONE ((struct td_top_said){ -1, -1 })

/* Leaves standard error alone if it is no terminal, or on errors. */
void td_top_said_begin(struct td_top_said *said);
/* The number of lines so far. */
size_t td_top_said_lines(const struct td_top_said *said);
/* Puts standard error back, and writes what was kept.  May be called twice. */
void td_top_said_end(struct td_top_said *said);

#endif
