// SPDX-License-Identifier: GPL-2.0-only
/* The terminal, through ncurses. */
#include "cmd/top/parts.h" /* before term.h, which defines common words as macros */

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "cmd/run/signals.h"
#include "lib/base/library.h"

/* --- ncurses --------------------------------------------------------------- */

/* In some configurations, ncurses also has macros for these functions. */
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

/* --- checks of the terminal with terminfo ---------------------------------- */

#define LEAVE_SIZE 128

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

/* Return the sequence that leaves the screen.  Call after td_terminal_check(). */
static const char *leave_sequence(char text[LEAVE_SIZE])
{
	int reason;

	text[0] = '\0';
	if (setupterm(NULL, STDOUT_FILENO, &reason) == ERR)
		return text;
	snprintf(text, LEAVE_SIZE, "%s%s%s", sequence("sgr0"), sequence("cnorm"),
		 sequence("rmcup"));
	del_curterm(set_curterm(NULL));
	return text;
}

/* --- crash ----------------------------------------------------------------- */

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* Global because a signal handler gets no context argument. */
static struct {
	struct termios modes;
	char leave[LEAVE_SIZE];
	size_t len;
} at_crash;

/* Restore the terminal, only with functions that are safe in a signal handler. */
static void leave_terminal(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &at_crash.modes);
	if (write(STDOUT_FILENO, at_crash.leave, at_crash.len) < 0)
		at_crash.len = 0; /* the terminal has gone */
}

/* Raise the signal again to end the process. */
static void restore(int number)
{
	leave_terminal();
	raise(number);
}

/* Replace a signal handler, but not those of sanitizers. */
static void set(int number, void (*from)(int), void (*to)(int))
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) || action.sa_handler != from)
		return;
	action = (struct sigaction){ .sa_handler = to };
	sigemptyset(&action.sa_mask);
	action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
	sigaction(number, &action, NULL);
}

/*
 * Restore the present modes of the terminal and leave the screen, with the sequence
 * leave, if this program crashes or a signal ends it.
 */
static void crash_prepare(const char *leave)
{
	if (tcgetattr(STDIN_FILENO, &at_crash.modes))
		return;
	snprintf(at_crash.leave, sizeof(at_crash.leave), "%s", leave);
	at_crash.len = strlen(at_crash.leave);
	for (size_t i = 0; i < TD_ARRAY_SIZE(crashes); i++)
		set(crashes[i], SIG_DFL, restore);
	td_signals_before_end(leave_terminal);
}

static void crash_forget(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(crashes); i++)
		set(crashes[i], restore, SIG_DFL);
	td_signals_before_end(NULL);
}

/* --- screen ---------------------------------------------------------------- */

/* Time to wait after an Esc for the rest of a key's sequence, in ms. */
#define ESCAPE_MS 25

/* --- signals of the terminal ----------------------------------------------- */

static void list_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGWINCH);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
}

static int watch(const struct td_screen *screen, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(screen->fd, EPOLL_CTL_ADD, fd, &event);
}

int td_screen_prepare(struct td_screen *screen, struct td_err *err)
{
	sigset_t set;

	*screen = TD_SCREEN_CLOSED;
	list_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	screen->fd = epoll_create1(EPOLL_CLOEXEC);
	if (screen->signals < 0 || screen->fd < 0 || watch(screen, screen->signals) ||
	    watch(screen, STDIN_FILENO))
		return td_err_set(err, -errno, "top: cannot wait for keys: %s", strerror(errno));
	return 0;
}

/* --- ncurses --------------------------------------------------------------- */

/* Signals that ncurses would handle; tdstat waits for them elsewhere. */
static const int taken[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };

static SCREEN *open_terminal(void)
{
	struct sigaction before[TD_ARRAY_SIZE(taken)];
	SCREEN *terminal;

	for (size_t i = 0; i < TD_ARRAY_SIZE(taken); i++)
		sigaction(taken[i], NULL, &before[i]);
	terminal = newterm(NULL, stdout, stdin);
	for (size_t i = 0; i < TD_ARRAY_SIZE(taken); i++)
		sigaction(taken[i], &before[i], NULL);
	return terminal;
}

static const struct {
	short ink, paper;
} colours[TD_TOP_NR_STYLES] = {
	[TD_TOP_HEAD] = { COLOR_BLACK, COLOR_GREEN },
	[TD_TOP_SELECTED] = { COLOR_BLACK, COLOR_CYAN },
	[TD_TOP_OVER] = { COLOR_RED, -1 },
	[TD_TOP_PART] = { COLOR_BLACK, COLOR_GREEN },
	[TD_TOP_PART + 1] = { COLOR_WHITE, COLOR_RED },
	[TD_TOP_PART + 2] = { COLOR_BLACK, COLOR_YELLOW },
	[TD_TOP_PART + 3] = { COLOR_WHITE, COLOR_BLUE },
	[TD_TOP_PART + 4] = { COLOR_WHITE, COLOR_MAGENTA },
};

static void begin_colours(struct td_screen *screen)
{
	screen->colour = has_colors() && !getenv("NO_COLOR") && start_color() == OK;
	if (!screen->colour)
		return;
	use_default_colors();
	for (int i = TD_TOP_HEAD; i < TD_TOP_NR_STYLES; i++)
		init_pair((short)i, colours[i].ink, colours[i].paper);
}

static attr_t look_of(const struct td_screen *screen, enum td_top_style style)
{
	switch (style) {
	case TD_TOP_PLAIN:
		return A_NORMAL;
	case TD_TOP_DIM:
		return A_DIM;
	case TD_TOP_BOLD:
		return A_BOLD;
	case TD_TOP_OVER:
		return screen->colour ? A_BOLD : A_BOLD | A_UNDERLINE;
	default:
		break;
	}
	if (screen->colour)
		return A_NORMAL;
	/* neighbouring parts of a bar differ, and so do their letters */
	return style < TD_TOP_PART || (style - TD_TOP_PART) % 2 ? A_REVERSE : A_BOLD;
}

int td_screen_open(struct td_screen *screen, struct td_err *err)
{
	char leave[LEAVE_SIZE];

	/* not LC_NUMERIC: numbers keep their decimal points */
	setlocale(LC_CTYPE, "");
	screen->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	crash_prepare(leave_sequence(leave));
	screen->terminal = open_terminal();
	if (!screen->terminal)
		return td_err_set(err, -ENOTTY, "top: the terminal cannot be opened");
	screen->is_open = true;
	screen->window = td_need(newwin(0, 0, 0, 0));
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(screen->window, TRUE);
	nodelay(screen->window, TRUE);
	typeahead(-1);
	begin_colours(screen);
	return 0;
}

void td_screen_size(const struct td_screen *screen, int *width, int *height)
{
	*width = screen->is_open ? getmaxx(screen->window) : 80;
	*height = screen->is_open ? getmaxy(screen->window) : 24;
}

static wchar_t narrow(const struct td_screen *screen, wchar_t c)
{
	return (c < 0x80 || screen->utf8) && wcwidth(c) >= 0 ? c : L'?';
}

/* Without UTF-8, characters beyond ASCII become '?'. */
static void decode(const struct td_screen *screen, const char *text, wchar_t *wide, size_t size)
{
	size_t nr = 0;

	while (*text && nr + 1 < size) {
		wchar_t c = (unsigned char)*text;
		int len = 1;

		if (screen->utf8 && c >= 0x80)
			len = mbtowc(&c, text, strlen(text));
		else
			while (((unsigned char)text[len] & 0xc0) == 0x80)
				len++;
		wide[nr++] = narrow(screen, len > 0 ? c : L'?');
		text += len > 0 ? len : 1;
	}
	wide[nr] = L'\0';
}

static void put_cell(const struct td_screen *screen, const struct td_top_cell *cell)
{
	bool pair = screen->colour && cell->style >= TD_TOP_HEAD;
	wchar_t wide[1024];
	int width = 0, nr = 0;

	decode(screen, cell->text, wide, TD_ARRAY_SIZE(wide));
	while (wide[nr] && width + wcwidth(wide[nr]) <= cell->width)
		width += wcwidth(wide[nr++]);
	wattr_set(screen->window, look_of(screen, cell->style),
		  pair ? (short)cell->style : (short)0, NULL);
	mvwaddnwstr(screen->window, cell->y, cell->x, wide, nr);
}

void td_screen_show(const struct td_screen *screen, const struct td_canvas *canvas)
{
	if (!screen->is_open)
		return;
	werase(screen->window);
	for (size_t i = 0; i < canvas->nr; i++)
		put_cell(screen, &canvas->cells[i]);
	wattr_set(screen->window, A_NORMAL, 0, NULL);
	wrefresh(screen->window);
}

/* --- keys ------------------------------------------------------------------ */

static int special_key(wint_t code)
{
	static const struct {
		wint_t code;
		int key;
	} keys[] = {
		{ KEY_UP, TD_KEY_UP },         { KEY_DOWN, TD_KEY_DOWN },
		{ KEY_LEFT, TD_KEY_LEFT },     { KEY_RIGHT, TD_KEY_RIGHT },
		{ KEY_PPAGE, TD_KEY_PAGE_UP }, { KEY_NPAGE, TD_KEY_PAGE_DOWN },
		{ KEY_HOME, TD_KEY_HOME },     { KEY_END, TD_KEY_END },
		{ KEY_ENTER, TD_KEY_ENTER },   { KEY_BACKSPACE, TD_KEY_BACKSPACE },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++) {
		if (keys[i].code == code)
			return keys[i].key;
	}
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return TD_KEY_F + (int)(code - KEY_F(0));
	return 0;
}

static int character(wint_t c)
{
	switch (c) {
	case L'\r':
	case L'\n':
		return TD_KEY_ENTER;
	case 0x1b:
		return TD_KEY_ESCAPE;
	case 0x08:
	case 0x7f:
		return TD_KEY_BACKSPACE;
	}
	return (int)c;
}

static bool is_gone(void)
{
	struct pollfd stdin_poll = { .fd = STDIN_FILENO, .events = POLLIN };
	int nr = poll(&stdin_poll, 1, 0);

	/* readable, but ncurses read nothing: the end of the file */
	return nr > 0;
}

/* ^Z: leave the screen, and return when the shell continues the process. */
static void suspend(void)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, before;
	sigset_t set;

	endwin();
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &stop, &before);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* the process stops here, unless it is orphaned */
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTSTP, &before, NULL);
}

static void redraw(const struct td_screen *screen)
{
	struct winsize size;

	reset_prog_mode();
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(screen->window, TRUE);
	wrefresh(screen->window);
}

static enum td_screen_event handle_signal(const struct td_screen *screen, uint32_t number)
{
	struct winsize size;

	if (number == SIGTSTP)
		suspend();
	if (number == SIGTSTP || number == SIGCONT) {
		redraw(screen);
	} else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		resizeterm(size.ws_row, size.ws_col);
	}
	return TD_SCREEN_CHANGED;
}

enum td_screen_event td_screen_read(struct td_screen *screen, int *key)
{
	struct signalfd_siginfo info;
	wint_t c;
	int rc;

	if (read(screen->signals, &info, sizeof(info)) == sizeof(info))
		return screen->is_open ? handle_signal(screen, info.ssi_signo) : TD_SCREEN_CHANGED;
	if (!screen->is_open)
		return TD_SCREEN_NOTHING;
	rc = wget_wch(screen->window, &c);
	if (rc == ERR)
		return is_gone() ? TD_SCREEN_GONE : TD_SCREEN_NOTHING;
	if (rc == KEY_CODE_YES && c == KEY_RESIZE)
		return TD_SCREEN_CHANGED;
	*key = rc == KEY_CODE_YES ? special_key(c) : character(c);
	return TD_SCREEN_KEY;
}

void td_screen_close(struct td_screen *screen)
{
	if (screen->is_open) {
		endwin();
		delwin(screen->window);
		delscreen(screen->terminal);
	}
	crash_forget();
	screen->is_open = false;
	td_close_fd(&screen->signals);
	td_close_fd(&screen->fd);
}
