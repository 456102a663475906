/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_SCREEN_H
#define TD_CMD_TOP_SCREEN_H

#include <stdbool.h>

#include "cmd/top/canvas.h"
#include "lib/base/err.h"

/*
 * The terminal.  There is one at most, as ncurses has one.  Screens that are not
 * open do nothing.
 */
struct td_screen {
	bool is_open;
	/* ncurses'; the window is all of the terminal */
	struct screen *terminal;
	/* NOLINTNEXTLINE(bugprone-reserved-identifier): ncurses names it so */
	struct _win_st *window;
	bool utf8;   /* the locale's letters are those of UTF-8 */
	bool colour; /* else there are only bold and reverse */
	/* readable if there are keys or signals of the terminal to take */
	int fd;
	int signals;
};

#define TD_SCREEN_CLOSED ((struct td_screen){ .fd = -1, .signals = -1 })

/* What there was to take. */
enum td_screen_event {
	TD_SCREEN_NOTHING,
	TD_SCREEN_KEY,
	TD_SCREEN_CHANGED, /* the size, or somebody else wrote to it */
	TD_SCREEN_GONE,    /* the terminal was closed */
};

/*
 * Takes the signals of the terminal: SIGWINCH, SIGTSTP, SIGCONT.  To be called
 * before anything waits for screen->fd; it shows nothing yet.
 */
int td_screen_prepare(struct td_screen *screen, struct td_err *err);
/* Shows an empty screen.  The caller closes it in any case. */
int td_screen_open(struct td_screen *screen, struct td_err *err);
void td_screen_size(const struct td_screen *screen, int *width, int *height);
void td_screen_show(const struct td_screen *screen,
		    const struct td_canvas *canvas);
/* Does not wait.  *key is a character or one of enum td_top_key. */
enum td_screen_event td_screen_take(struct td_screen *screen, int *key);
/* Gives the terminal back as it was.  May be called twice. */
void td_screen_close(struct td_screen *screen);

#endif
