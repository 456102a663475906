/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_VIEWER_H
#define TD_CMD_TOP_VIEWER_H

#include <stddef.h>

#include "cmd/opts/opts.h"
#include "cmd/top/canvas.h"
#include "cmd/top/keys.h"
#include "cmd/top/screen.h"
#include "cmd/top/state.h"
#include "cmd/view/source.h"
#include "cmd/view/viewer.h"

/*
 * Standard error while the screen is up: what is written there, by whomever, is
 * kept in memory and written when the screen has gone.
 */
struct td_top_said {
	int real; /* a copy of standard error; -1: it is not kept back */
	int kept;
};

#define TD_TOP_SAID_NONE ((struct td_top_said){ -1, -1 })

/* The screen as a viewer of counts, of a live run or of a recording. */
struct td_top {
	struct td_screen screen;
	struct td_top_said said;
	struct td_canvas canvas;
	struct td_top_snapshot snapshot;
	struct td_top_state state;
	struct td_top_facts facts;
	char *what;     /* facts.what */
	char level[16]; /* facts.level */
	char by[16];    /* facts.by */
	char cpuid[48]; /* facts.machine, if the model has no name */
	/* why counting ends, if a key was the reason; the last reports do not
	 * count then */
	enum td_top_wish wish;
	bool gone;  /* the terminal was closed */
	bool begun; /* something was counted since td_top_describe() */
	struct td_viewer viewer;
};

#define TD_TOP_NONE                                   \
	((struct td_top){ .screen = TD_SCREEN_CLOSED, \
			  .said = TD_TOP_SAID_NONE })

/* Prepares all but the screen, which is shown when counting begins. */
int td_top_open(struct td_top *top, struct td_err *err);
/* What the first line says of a session that begins with these options. */
void td_top_describe(struct td_top *top, const struct td_opts *opts);
/* Draws again, as a fact has changed. */
int td_top_redraw(struct td_top *top, struct td_err *err);
/* Gives the terminal back, then writes the messages that came meanwhile. */
void td_top_close(struct td_top *top);

#endif
