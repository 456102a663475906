// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/curses.h"

#include "lib/base/library.h"
#include "lib/base/util.h"

/* Some are macros of the header, too, or not, as ncurses was configured. */
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

static const struct td_library_function functions[] = { FUNCTIONS(
	TD_LIBRARY_ROW) };

int td_curses_load(struct td_err *err)
{
	if (td_library_load("libncursesw.so.6", functions,
			    TD_ARRAY_SIZE(functions), err))
		return td_err_hint(err, "it is in the package libncursesw6 "
					"(Debian), ncurses-libs (Fedora)");
	return 0;
}
