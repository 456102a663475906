// SPDX-License-Identifier: GPL-2.0-only
/* Checks of the terminal with terminfo. */
#include "cmd/top/parts.h" /* before term.h, which has macros of usual names */

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

#include "lib/base/library.h"
#include "lib/base/util.h"

/* --- ncurses --------------------------------------------------------------- */

/* Depending on its configuration, ncurses also has macros for some of these. */
/* clang-format off */
#define FUNCTIONS(f) \
	f(cbreak) f(clearok) f(curs_set) f(del_curterm) f(delscreen) \
	f(delwin) f(endwin) f(getmaxx) f(getmaxy) f(has_colors) f(init_pair) \
	f(keypad) f(newterm) f(newwin) f(nodelay) f(noecho) f(nonl) \
	f(reset_prog_mode) f(resizeterm) f(set_curterm) f(set_escdelay) \
	f(setupterm) f(start_color) f(tigetstr) f(typeahead) \
	f(use_default_colors) f(waddnwstr) f(wattr_set) f(werase) \
	f(wget_wch) f(wmove) f(wrefresh)
/* clang-format on */

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(TD_LIBRARY_ROW) };

/*
 * Load ncurses; call before any of its functions.  Its variables, such as stdscr,
 * cannot be used.  Returns -ELIBACC with a reason and a hint.
 */
static int curses_load(struct td_err *err)
{
	if (td_library_load("libncursesw.so.6", functions, TD_ARRAY_SIZE(functions), err))
		return td_err_hint(
			err, "it is in the package libncursesw6 (Debian), ncurses-libs (Fedora)");
	return 0;
}

static int no_screen(struct td_err *err)
{
	return td_err_hint(err, "without a terminal use: tdstat -a -I 1s");
}

/* Return a capability, or "". */
static const char *sequence(const char *name)
{
	const char *text = tigetstr(name);

	return text && text != (const char *)-1 ? text : "";
}

int td_terminal_check(struct td_err *err)
{
	const char *term = getenv("TERM");
	int reason = 0;
	bool moves;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		td_err_set(err, -ENOTTY, "top: standard %s is not a terminal",
			   isatty(STDIN_FILENO) ? "output" : "input");
		return no_screen(err);
	}
	if (!term || !*term) {
		td_err_set(err, -EINVAL, "top: TERM is not set");
		return no_screen(err);
	}
	if (curses_load(err))
		return td_err_wrap(err, "top");
	if (setupterm(term, STDOUT_FILENO, &reason) == ERR) {
		td_err_set(err, -EINVAL,
			   reason < 0 ? "top: TERM is %s: there is no terminfo database"
				      : "top: TERM is %s: no such terminal is known",
			   term);
		return no_screen(err);
	}
	moves = *sequence("cup");
	del_curterm(set_curterm(NULL));
	if (moves)
		return 0;
	td_err_set(err, -EINVAL, "top: TERM is %s: its cursor cannot be moved", term);
	return no_screen(err);
}

const char *td_terminal_leave(char text[TD_TERMINAL_LEAVE])
{
	int reason;

	text[0] = '\0';
	if (setupterm(NULL, STDOUT_FILENO, &reason) == ERR)
		return text;
	snprintf(text, TD_TERMINAL_LEAVE, "%s%s%s", sequence("sgr0"), sequence("cnorm"),
		 sequence("rmcup"));
	del_curterm(set_curterm(NULL));
	return text;
}
